"""Plants mistakes in the files for other languages and sees whether test/python/test_bindings.py notices.

    python tools/mutate/planted_bindings.py [--only weights]

What the compiler writes is changed after it was written: runtime/bindings is text in those files. One run of the
tests for each mistake, until the first that fails.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
VARIABLE = "PLANTED_IN_BINDINGS"

# By the end of a file's name: what is wrong, a text that the file has, and what stands there instead.
MISTAKES: dict[str, list[tuple[str, str, str]]] = {
    "_weights.h": [
        ("the header may be longer than the file", "if (header > size - 8)", "if (0)"),
        ("a tensor may lie behind the file", "(uint64_t)t->offsets[1] > data", "0"),
        ("its end may be before its begin", "t->offsets[0] > t->offsets[1] ||", ""),
        ("its size is not compared", "(t->offsets[1] - t->offsets[0]) != spec->bytes", "spec->bytes == 0"),
        ("the shape is not compared", "same = t->shape[i] == spec->shape[i];", "same = 1;"),
        ("the dtype is not compared", "&& cgw_is(t->dtype, spec->dtype)", ""),
        ("a name twice", "if (offsets[i] != 0)\n", "if (0)\n"),
        ("tensors may overlap", "offsets[i] < offsets[j] + specs[j].bytes &&", "0 &&"),
        ("what is missing", "if (offsets[i] == 0)", "if (0)"),
        ("large numbers wrap", "*value > (INT64_MAX - digit) / 10", "0"),
        ("escapes in names", "at += 4;", "at += 3;"),
        ("the file is changed by training", "MAP_PRIVATE, file", "MAP_SHARED, file"),
        ("tensors that are not aligned are not copied", "aligned &= offsets[i] %", "aligned |= offsets[i] %"),
        ("the copy begins elsewhere", "(const char *)bytes + offsets[i], (size_t)", "(const char *)bytes + 8, (size_t)"),
    ],
    ".hpp": [
        ("the header's fingerprint is not compared", "check_header());", "abi_version() ? 0 : 1);"),
        ("row and column exchanged", "dim == 0 ? 0 : place * extents[dim]", "dim == 0 ? 0 : place * extents[0]"),
        ("batches are not compared", ".rows())\n      return CG_ERROR_BATCH;", ".rows() + 99)\n      return 0;"),
        ("an array is not zero at first", "std::fill(begin(), end(), T());", "std::fill(begin(), end(), T(1));"),
        ("errors are no exceptions", "if (status > 0)\n", "if (status > 99)\n"),
        ("the model's arena is used all the same", "state_.arena = nullptr;", ""),
        ("memory is taken, and not given back so", "state_.release = release;", "state_.release = nullptr;"),
    ],
    ".py": [
        ("the fingerprint is not compared", "or fingerprint != self._fingerprint", ""),
        ("shapes are not compared", "or list(array.shape) != wanted", ""),
        ("dtypes are not compared", "array.dtype != dtype or", ""),
        ("a donated input is the caller's", "array = array.copy()", "pass"),
        ("the file's size is not looked at", "<= len(data)", "<= 1 << 62"),
        ("a name twice", "if len(found) != len(pairs):", "if False:"),
        ("what a function raises is lost", "            raise raised[0]", "            pass"),
        ("memory is given back to nobody", "release(memory, size)", "pass"),
    ],
}  # fmt: skip


def plant(folder: Path) -> int:
    """Makes the mistake in the files of a folder that have its text; how many."""
    ending, old, new = json.loads(os.environ[VARIABLE])
    made = 0
    for path in folder.glob(f"*{ending}"):
        text = path.read_text()
        if old in text:
            path.write_text(text.replace(old, new))
            made += 1
    return made


def pytest_configure(config: Any) -> None:
    """As a plugin of pytest: what ms.export and cellc write has the mistake."""
    import cellgrad

    made, export, run = [0], cellgrad.export, subprocess.run

    def exporting(*args: Any, file_name: str, **options: Any) -> Any:
        files = export(*args, file_name=file_name, **options)
        made[0] += plant(Path(file_name).parent)
        return files

    def running(command: Any, *args: Any, **options: Any) -> Any:
        done = run(command, *args, **options)
        if isinstance(command, list) and Path(command[0]).name == "cellc" and "-o" in command:
            made[0] += plant(Path(command[command.index("-o") + 1]).parent)
        return done

    cellgrad.export, subprocess.run = exporting, running
    config.add_cleanup(lambda: print(f"planted in {made[0]} files"))


def outcome(ending: str, old: str, new: str) -> str:
    """'noticed', 'NOT NOTICED', or that the text is in no file."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    command += ["-p", Path(__file__).stem, "test/python/test_bindings.py"]
    here = str(Path(__file__).parent)
    environment = {**os.environ, VARIABLE: json.dumps([ending, old, new]), "PYTHONPATH": here}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    if "planted in" not in done.stdout or "planted in 0 files" in done.stdout:
        return "IN NO FILE "
    return "NOT NOTICED" if done.returncode == 0 else "noticed    "


def main() -> bool:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", help="a part of the file's name")
    only, left = parser.parse_args().only, 0
    if outcome("_weights.h", "int32_t", "int32_t") != "NOT NOTICED":
        print("the tests fail without a mistake", file=sys.stderr)
        return True
    for ending, mistakes in MISTAKES.items():
        for what, old, new in mistakes:
            if only not in ending:
                continue
            found = outcome(ending, old, new)
            left += found != "noticed    "
            print(f"{found}  {ending}: {what}", flush=True)
    print(f"{left} not noticed")
    return bool(left)


if __name__ == "__main__":
    sys.exit(main())
