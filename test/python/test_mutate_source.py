"""Mistakes that are planted in C++ without choosing them: what they are, and that they switch on."""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "mutate"))

import chosen
import chosen_gpu
from source import Source

ROOT = Path(__file__).resolve().parents[2]
TEXT = """#include <algorithm>
#include <optional>
#include <vector>
template <typename T> T least(T a, T b) { return a < b ? a : b; }
constexpr int kTable[] = {1, 2};
int next(int i) { return ++i; }
int result(const std::vector<int> &v, std::optional<int> given) {
  int sum = 0;
  for (int i = 0; i < int(v.size());
       i = next(i)) {
    if (v[i] == 7 || (given && v[i] > *given))
      continue;
    sum += v[i] * 3 - 1; // 4 < 5
  }
  if (auto found = std::find(v.begin(), v.end(), 2); found != v.end())
    return sum + 100;
  return std::min<int>(sum, given ? 50 : 60);
}
"""
MAIN = """
#include <cstdio>
#include <cstdlib>
extern "C" { int cellMutant = -1; unsigned char cellMutantsSeen[1 << 16]; }
int main(int count, char **text) {
  cellMutant = atoi(text[1]);
  printf("%d %d %d\\n", result({1, 7, 5}, 4), result({2, 3}, {}), result({30, 3}, {}));
}
"""


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    folder, source = tmp_path_factory.mktemp("mutants"), Source(TEXT)
    copy, tool = folder / "copy.cpp", folder / "tool"
    head = f'#include "{ROOT}/tools/mutate/Mutants.h"\n'
    copy.write_text(head + source.planted(0, set()) + MAIN)
    subprocess.run(["clang++-22", "-w", "-std=c++17", copy, "-o", tool], check=True)
    numbers = range(-1, len(source.mutants))
    run = lambda n: (
        subprocess.run([tool, str(n)], capture_output=True, text=True, timeout=10).stdout
    )
    return {("" if n < 0 else source.mutants[n].what): run(n) for n in numbers}


def test_nothing_changes_without_a_mistake(outputs):
    assert outputs[""] == "2 113 60\n"


@pytest.mark.parametrize(
    "what, given",
    [
        ("negated: == in if (v[i] == 7", "0 100 0"),
        ("without operand of &&: v[i] > *given", "0 113 60"),
        ("operator * in sum += v[i] * 3 - 1", "3 109 37"),
        ("operator - in sum += v[i] * 3 - 1", "4 117 60"),
        ("2 for 3: sum += v[i] * 3 - 1", "1 108 60"),
        ("dropped: continue", "36 113 60"),
        ("dropped: sum += v[i] * 3 - 1", "0 100 0"),
        ("59 for 60: return std::min", "2 113 59"),
        ("negated: given", "2 113 50"),
    ],
)
def test_a_mistake_is_switched_on(outputs, what, given):
    assert given + "\n" in [out for w, out in outputs.items() if w.startswith(what)]


def test_most_mistakes_change_something(outputs):
    changed = sum(out != outputs[""] for out in outputs.values())
    assert changed >= 0.6 * (len(outputs) - 1)


def test_what_is_no_code_is_left_alone(outputs):
    assert not [w for w in outputs if "kTable" in w]
    compared = [w for w in outputs if w.startswith("negated: <")]
    assert len(compared) == 2, "not those of the template's brackets or the comment"


@pytest.mark.parametrize("table", [chosen.CHOSEN, chosen_gpu.CHOSEN])
def test_chosen_mistakes_have_a_place(table):
    for file, mistakes in table.items():
        (path,) = (p for d in ("passes", "pyfront") for p in (ROOT / d).rglob(f"{file}.cpp"))
        found = Source(path.read_text(), mistakes).mutants
        assert sum(m.what.startswith("chosen: ") for m in found) == len(mistakes)
