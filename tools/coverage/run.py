"""Counts which lines run in the tests, of the compiler (C++) and of the package (Python).

    python tools/coverage/run.py                          # lit tests, then all of pytest: hours
    python tools/coverage/run.py --lit=test/lower --pytest=
    python tools/coverage/run.py --pytest=test/python/test_windows.py --lit= --missing=passes/lower

Needs a build for it: cmake --preset checked && ninja -C build-checked. There, undefined behaviour ends the
process as well. Prints a table of folders and files; --missing names the lines that nothing reached.
"""

import argparse
import collections
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PREFIX = Path(
    "/usr/lib/llvm-" + (ROOT / ".dep-versions").read_text().split("llvm=")[1].split(".")[0]
)


def environment(build: Path, profiles: Path) -> dict[str, str]:
    """For tests with the tools and the module of `build`."""
    command = [PREFIX / "bin/clang", "-print-file-name=libclang_rt.ubsan_standalone-x86_64.so"]
    runtime = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    added = {
        "CELLGRAD_BUILD_DIR": str(build),
        "LLVM_PROFILE_FILE": str(profiles / "%b-%8m.profraw"),  # tools are alike but for their ids
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "LD_PRELOAD": runtime,
        "PYTHONPATH": f"{ROOT / 'pyfront'}:{build / 'python'}",
    }
    return os.environ | added


def cpp_lines(build: Path, profiles: Path) -> dict[str, dict[int, int]]:
    """How often each line of each C++ file ran."""
    data = profiles / "all.profdata"
    raw = sorted(profiles.glob("*.profraw"))
    subprocess.run([PREFIX / "bin/llvm-profdata", "merge", "-sparse", *raw, "-o", data], check=True)
    tools = [build / "bin" / name for name in ("cell-opt", "cellc", "cell-run")]
    tools += sorted((build / "python/cellgrad").glob("_native*.so"))
    objects = [arg for tool in tools if tool.exists() for arg in ("-object", tool)][1:]
    command = [
        PREFIX / "bin/llvm-cov",
        "export",
        "-format=lcov",
        f"-instr-profile={data}",
        *objects,
    ]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return read_lcov(text)


def python_settings(profiles: Path) -> Path:
    """A file for coverage: it also counts in pytest's workers and in the processes that tests start."""
    settings = profiles / "coveragerc"
    lines = [
        "[run]",
        f"source = {ROOT / 'pyfront/cellgrad'}",
        f"data_file = {profiles / 'python.coverage'}",
        "parallel = true",
        "patch = subprocess",
        "disable_warnings = no-data-collected",
    ]
    settings.write_text("\n".join(lines) + "\n")
    return settings


def python_lines(profiles: Path, settings: Path) -> dict[str, dict[int, int]]:
    coverage = [sys.executable, "-m", "coverage"]
    out = profiles / "python.lcov"
    subprocess.run([*coverage, "combine", "-q", f"--rcfile={settings}"], cwd=ROOT, check=True)
    command = [*coverage, "lcov", "-q", f"--rcfile={settings}", "-o", out]
    subprocess.run(command, cwd=ROOT, check=True)
    return read_lcov(out.read_text())


def read_lcov(text: str) -> dict[str, dict[int, int]]:
    files: dict[str, dict[int, int]] = {}
    name = ""
    for line in text.splitlines():
        if line.startswith("SF:"):
            path = Path(line[3:])
            inside = path.is_relative_to(ROOT) if path.is_absolute() else True
            name = (
                str(path.relative_to(ROOT) if path.is_absolute() and inside else path)
                if inside
                else ""
            )
        elif line.startswith("DA:") and name and not name.startswith("build"):
            number, count = line[3:].split(",")[:2]
            lines = files.setdefault(name, {})
            lines[int(number)] = max(lines.get(int(number), 0), int(count))
    return files


def runs(numbers: list[int]) -> str:
    """1, 2, 3, 7 as '1-3, 7'."""
    parts: list[list[int]] = []
    for n in numbers:
        if parts and parts[-1][1] == n - 1:
            parts[-1][1] = n
        else:
            parts.append([n, n])
    return ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in parts)


def table(files: dict[str, dict[int, int]], missing: str | None) -> None:
    folders = collections.Counter[str](), collections.Counter[str]()
    for name, lines in files.items():
        folder = str(Path(name).parent)
        folders[0][folder] += len(lines)
        folders[1][folder] += sum(count > 0 for count in lines.values())
    print("| folder | lines | run |\n| --- | --- | --- |")
    for folder in sorted(folders[0]):
        share = folders[1][folder] / folders[0][folder]
        print(f"| {folder} | {folders[0][folder]} | {100 * share:.1f} % |")
    if missing is None:
        return
    print("\n| file | lines | run | not reached |\n| --- | --- | --- | --- |")
    for name in sorted(files):
        lines = files[name]
        left = sorted(number for number, count in lines.items() if count == 0)
        if name.startswith(missing) and left:
            share = 1 - len(left) / len(lines)
            print(f"| {name} | {len(lines)} | {100 * share:.1f} % | {runs(left)} |")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build-checked")
    parser.add_argument("--lit", default="test", help="lit tests to run, or nothing")
    parser.add_argument("--pytest", default="test/python", help="Python tests to run, or nothing")
    parser.add_argument("-j", "--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--missing", nargs="?", const="", help="name the lines below this folder")
    options = parser.parse_args()
    build = options.build.resolve()
    if not (build / "bin/cell-opt").exists():
        sys.exit(f"no {build}/bin/cell-opt: cmake --preset checked && ninja -C build-checked")
    profiles = build / "profiles"
    shutil.rmtree(profiles, ignore_errors=True)
    profiles.mkdir()
    env = environment(build, profiles)
    settings = python_settings(profiles)
    status = 0
    if options.lit:
        command = [ROOT / ".venv/bin/lit", "-s", "-v", f"-j{options.jobs}", *options.lit.split()]
        status |= subprocess.run(command, cwd=ROOT, env=env).returncode
    if options.pytest:
        command = [sys.executable, "-m", "coverage", "run", f"--rcfile={settings}"]
        command += ["-m", "pytest", "-q", "-p", "no:cacheprovider"]
        command += [f"-n{options.jobs}", "--dist=loadgroup", *options.pytest.split()]
        status |= subprocess.run(command, cwd=ROOT, env=env).returncode
    files = cpp_lines(build, profiles)
    if options.pytest:
        files |= python_lines(profiles, settings)
    table(files, options.missing)
    return status


if __name__ == "__main__":
    sys.exit(main())
