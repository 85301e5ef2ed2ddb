"""tools/device: what is run on a machine with a GPU, here with the emulated one; and that it sees what differs."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))  # its device.py is another one
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/device"))

import conformance
import device_plan
import pack
import ptx_rows
import ptx_runs
from conformance import Side
from cuda_driver import Driver
from test_ptxas import NO_PTXAS, PTXAS

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CELLGRAD_BUILD_DIR", ROOT / "build")).resolve()
TOOLS = ROOT / "tools/device"
EMULATOR = str(BUILD / "test/emulator/libcuda.so.1")


def ran(*command, **env):
    """Without what would name a driver or a folder of results."""
    clean = {k: v for k, v in os.environ.items() if k not in ("OUT", "CELLGRAD_CUDA_DRIVER")}
    return subprocess.run(
        [str(c) for c in command], capture_output=True, text=True, env={**clean, **env}
    )


def rows_of(page):
    """The tables of a page: cells by the first one."""
    lines = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("|")]
    return {cells[0]: cells[1:] for cells in lines}


def test_the_whole_run_with_the_emulated_device(tmp_path):
    done = ran("bash", TOOLS / "run.sh", "--emulated", "--out", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    pages = {p.name: p.read_text() for p in tmp_path.iterdir()}
    assert sorted(pages) == [
        "1-device.md",
        "2-instructions.md",
        "2-mathematics.md",
        "3-tests.md",
        "4-families.md",
        "5-steps.md",
        "log.txt",
    ]
    verdicts = re.findall(r"^(\d) .* s  (.*)$", pages["log.txt"], re.MULTILINE)
    assert verdicts == [(n, "ok") for n in "122345"]
    for name, page in pages.items():
        assert name == "log.txt" or "The device is emulated" in page
    device = rows_of(pages["1-device.md"])
    assert device["multiprocessors"] == ["16"] and device[".ptx"][0] == "8"
    instructions = rows_of(pages["2-instructions.md"])["all"]
    count = len(conformance.all_cases())
    assert [int(instructions[n]) for n in (0, 2, 3, 4)] == [count, count, 0, 0]
    mathematics = rows_of(pages["2-mathematics.md"])
    assert [mathematics[t][2] for t in ("f32", "f64", "f16", "bf16")] == ["44"] * 4
    passed = re.search(r"\| 2 \| (\d+) \|", pages["3-tests.md"])
    assert int(passed[1]) >= 17 and "Nothing failed." in pages["3-tests.md"]
    for page, kinds in (("4-families.md", 15), ("5-steps.md", 4)):
        rows = rows_of(pages[page])
        rows = {k: v for k, v in rows.items() if k not in ("---", "family", "step")}
        assert len(rows) == kinds and all(
            float(cells[2 if page[0] == "4" else 1]) > 0 for cells in rows.values()
        )


def test_a_difference_ends_the_run(tmp_path):
    """Here: kernels that a limit stops, on both sides."""
    done = ran("bash", TOOLS / "run.sh", "--emulated", "--out", tmp_path, CELL_EMU_LIMIT="32")
    assert done.returncode == 1
    assert "Instructions differ: nothing else is measured (--go-on does)." in done.stdout
    assert {p.name for p in tmp_path.glob("*.md")} == {"1-device.md", "2-instructions.md"}
    assert "more than 32 instructions" in (tmp_path / "2-instructions.md").read_text()


@pytest.mark.sweep
def test_a_pack_for_this_python(tmp_path):
    """It works in a folder of its own, without the tools of this machine, and is small enough."""
    folder, there = tmp_path / "device", tmp_path / "there"
    done = ran("bash", TOOLS / "pack.sh", "--python", sys._base_executable, "--out", folder)
    assert done.returncode == 0, done.stdout + done.stderr
    shutil.copytree(folder, there)
    python = ROOT / "build-device/python3/bin/python"
    bare = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHON": str(python)}
    command = ["bash", there / "run.sh", "--emulated", "--out", tmp_path / "tables"]
    done = subprocess.run(command, capture_output=True, text=True, env=bare, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    mathematics = rows_of((tmp_path / "tables/2-mathematics.md").read_text())
    assert [mathematics[t][2:] for t in ("f32", "f64", "f16", "bf16")] == [["44", "44 of 44"]] * 4


def test_a_machine_without_a_driver(tmp_path):
    # What is found first under the driver's name is none, also where there is a GPU.
    (tmp_path / "libcuda.so.1").write_text("no library")
    paths = {"LD_LIBRARY_PATH": str(tmp_path), "PYTHONPATH": str(TOOLS)}
    load = "import cuda_driver; cuda_driver.Driver('libcuda.so.1')"
    found = ran(sys.executable, "-c", load, **paths)
    assert "no CUDA driver: " in found.stderr and "CELLGRAD_CUDA_DRIVER" in found.stderr
    done = ran("bash", TOOLS / "run.sh", "--out", tmp_path / "out", **paths)
    assert done.returncode == 1
    assert "error: no CUDA driver: is this a machine with an NVIDIA GPU?" in done.stderr


def test_a_folder_without_a_build_or_a_pack(tmp_path):
    folder = tmp_path / "tools" / "device"
    folder.mkdir(parents=True)
    shutil.copy(TOOLS / "run.sh", folder)
    done = ran("bash", folder / "run.sh", "--out", tmp_path / "out")
    assert done.returncode == 1
    assert done.stderr.startswith(
        f"error: no build in '{tmp_path}' and no packed one: run tools/device/pack.sh"
    )
    assert ran("bash", folder / "run.sh", "--fast").returncode == 2


def test_a_device_that_differs_is_seen():
    """Of what two emulators give, one bit is changed; or which NaN; or an approximation; or there was an error."""
    cases = conformance.all_cases()
    place = {c.name: n for n, c in enumerate(cases)}
    driver = Driver(EMULATOR)

    def both():
        sides = Side("one"), Side("two")
        for n, case in enumerate(cases):
            for side in sides:
                side.results[n] = [
                    np.zeros(128, ptx_rows.BITS[ptx_rows.width(t)]) for t in case.types
                ]
        for name in ("mul.f64", "add.rn.f32", "sin.approx.f32"):
            if name in place:
                instruction = cases[place[name]].instruction
                inputs = ptx_rows.rows_of(instruction, 128)
                for side in sides:
                    side.results[place[name]] = [ptx_rows.run(driver, instruction, inputs)]
        return sides

    one, two = both()
    assert conformance.compare(one, two)[1]
    two.results[place["mul.f64"]][0][5] ^= 1
    parts, good = conformance.compare(one, two)
    assert not good and "| mul.f64 | 1 of 128 | 1 | (" in parts[1]
    assert rows_of(parts[0])["floats"][3] == "1"

    one, two = both()
    one.results[place["mul.f64"]][0][5] = 0x7FF8000000000000
    two.results[place["mul.f64"]][0][5] = 0xFFF8000000000001
    assert conformance.compare(one, two)[1]
    one.results[place["add.f32"]][0][5] = 0x7FFFFFFF
    two.results[place["add.f32"]][0][5] = 0x7FC00000
    assert not conformance.compare(one, two)[1]

    one, two = both()
    two.results[place["sin.approx.f32"]][0][7] ^= 3
    parts, good = conformance.compare(one, two)
    assert good and "| sin.approx.f32 | 1 of 128 ≈ |" in parts[1]
    two.results[place["add.s32"]] = "cuModuleLoadData: 218: a PTX JIT compilation failed"
    parts, good = conformance.compare(one, two)
    assert not good and "| add.s32 | error |  | cuModuleLoadData: 218" in parts[1]


def test_a_case_that_ends_the_device_costs_no_other(monkeypatch):
    """After a fault its process has no device: the next case is that of a new one."""
    cases = conformance.all_cases()
    whole = conformance.results_of(EMULATOR, len(cases))
    monkeypatch.setenv("CELL_EMU_LIMIT", "32")  # which some kernels are longer than
    cut = conformance.results_of(EMULATOR, len(cases))
    ended = [n for n, r in cut.results.items() if isinstance(r, str)]
    assert 1 < len(ended) < 10, [cases[n].name for n in ended]
    assert all("more than 32 instructions" in cut.results[n] for n in ended)
    for n in set(range(len(cases))) - set(ended):
        for a, b in zip(whole.results[n], cut.results[n], strict=True):
            np.testing.assert_array_equal(a, b)


def test_every_instruction_that_the_emulator_knows_is_compared():
    sources = "".join(p.read_text() for p in sorted((ROOT / "test/emulator").glob("*.cpp")))
    known = set()
    for body in re.findall(
        r"^Decode ptx::find\w+\(std::string_view name\) \{\n(.*?)^\}",
        sources,
        re.DOTALL | re.MULTILINE,
    ):
        known |= set(re.findall(r'"(\w+)"', body))
    assert {"add", "cvt", "mma", "shfl"} <= known
    texts = [c.instruction.text() if c.instruction else c.text for c in conformance.all_cases()]
    compared = set()
    for text in texts:
        compared |= set(
            re.findall(r"(?:^|[;{}]|:\s|@!?%\w+)\s*([a-z]\w*)[. ;]", text, re.MULTILINE)
        )
    assert known - compared == {"trap", "brkpt"}  # which end the kernel


def test_every_row_kernel_is_what_ptxas_assembles(tmp_path):
    """What a device would refuse is not found by the emulator, which knows less of PTX's rules."""
    assert PTXAS, NO_PTXAS
    kernels = []
    for n, case in enumerate(c for c in conformance.all_cases() if c.instruction):
        head, body = ptx_rows.kernel(case.instruction).split(".visible", 1)
        kernels.append(f".visible{body.replace(' rows(', f' rows{n}(', 1)}")
    source = tmp_path / "rows.ptx"
    source.write_text(head + "\n".join(kernels))
    command = [PTXAS, "-arch=sm_90", "-O1", "-o", tmp_path / "rows.cubin", source]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_arguments_of_launches_are_read_as_ptx_run_reads_them():
    assert ptx_runs.argument("f32[3]=1,-0x1.8p1,inf")[3].tolist() == [
        0x3F800000,
        0xC0400000,
        0x7F800000,
    ]
    assert ptx_runs.argument("bf16[2]=0x1.01p0,0x3f80:out")[1:3] == (True, True)
    # A tie goes to the even one.
    assert ptx_runs.argument("bf16[2]=0x1.01p0,0x1.03p0")[3].tolist() == [0x3F80, 0x3F82]
    assert ptx_runs.argument("s16[4]=-1")[3].tolist() == [0xFFFF] * 4
    type_name, is_buffer, is_shown, bits = ptx_runs.argument("u32=7")
    assert (type_name, is_buffer, is_shown, bits.tolist()) == ("u32", False, False, [7])
    for _, run in ptx_runs.all_runs(ROOT / "test" / "emulator"):
        assert run.shown, run.name


def test_the_table_of_tests(tmp_path):
    logs, out = tmp_path / "logs", tmp_path / "page.md"
    logs.mkdir()
    (logs / "test_a.log").write_text("...\n3 passed, 1 skipped in 0.1s\n")
    run = lambda: ran(
        sys.executable,
        TOOLS / "suite_table.py",
        logs,
        "--out",
        out,
        CELLGRAD_CUDA_DRIVER=EMULATOR,
    )
    assert run().returncode == 0
    assert "| 1 | 3 | 1 |" in out.read_text() and "Nothing failed." in out.read_text()
    (logs / "test_b.log").write_text("test_b ....")
    (logs / "test_d.log").touch()
    assert run().returncode == 0  # out of time
    assert "Not begun, 1 files: test_d" in out.read_text()
    assert "- test_b: test_b ...." in out.read_text()
    (logs / "test_c.log").write_text(
        "FAILED test/python/test_c.py::test_x - assert 1 == 2\n1 failed, 2 passed in 0.1s\n"
    )
    assert run().returncode == 1
    assert "| test/python/test_c.py::test_x | assert 1 == 2 |" in out.read_text()


PLAN = """[cellgrad] plan: 'step'
@step: 5 kernels run, 7.6 MB through memory (arguments and results are 5 MB), 35 million operations
    runs   blocks       bytes  operations  kernel
       1        1         700           0  fill 64  a.py:3
       4     1024     1000000     2000000  product 4x256x256x64  a.py:4
       ?      512      100000           0  map 9  a.py:4
"""


def test_predictions_follow_from_the_plan():
    launches = device_plan.launches_of(PLAN)
    assert launches == [
        device_plan.Launch(1, 1, 700, 0),
        device_plan.Launch(4, 1024, 1000000, 2000000),
        device_plan.Launch(1, 512, 100000, 0),
    ]
    ceilings = object.__new__(device_plan.Ceilings)
    ceilings.sms, ceilings.copy, ceilings.launch, ceilings.flops = 100, 1e12, 2e-6, 1e12
    # One block has 4096 bytes on the way, which come after 700 ns; 1024 of them all that a copy has.
    alone, product, share = 700 / 4096 * 700e-9, 2e6 / (1e12 * 0.1), 1e5 / 1e12
    expected = 2e-6 + alone + 4 * (2e-6 + product) + 2e-6 + share
    assert ceilings.predicted(launches) == pytest.approx(expected)


def test_a_package_that_the_machine_has_goes_first(tmp_path):
    site = tmp_path / "site"
    for name in ("numpy", "surely_missing"):
        info = site / f"{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (site / name).mkdir()
        (site / name / "__init__.py").touch()
        (info / "RECORD").write_text(f"{name}/__init__.py,,\n{info.name}/RECORD,,\n../../bin/x,,\n")
    done = ran(sys.executable, TOOLS / "missing.py", site, tmp_path / "missing")
    assert done.returncode == 0, done.stderr
    linked = sorted(p.name for p in (tmp_path / "missing").iterdir())
    assert linked == ["surely_missing", "surely_missing-1.0.dist-info"]


def test_what_a_packed_binary_needs():
    assert pack.check_needs(Path(shutil.which("true"))) > (2, 2)
    with pytest.raises(SystemExit, match=r"cellc needs libstdc\+\+\.so\.6"):
        pack.check_needs(BUILD / "bin/cellc")
    names = pack.sources()
    assert "tools/device/run.sh" in names and not [
        n for n in names if n.startswith(("build", ".device"))
    ]


def test_packing_needs_a_python_with_headers(tmp_path):
    bare = tmp_path / "python3.12"
    bare.write_text("#!/bin/sh\nexit 1\n")
    bare.chmod(0o755)
    done = ran("bash", TOOLS / "pack.sh", "--python", bare)
    assert done.returncode == 1
    assert (
        done.stderr
        == "error: no Python 3.12 with C headers: name one with --python (pyenv install 3.12)\n"
    )
