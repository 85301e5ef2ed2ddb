"""Runs compiled code under AddressSanitizer: no read or write outside a buffer, not even of a vector's tail.

    python tools/sanitize/run.py            # all
    python tools/sanitize/run.py rules      # the rule tests, interpreted and compiled
    python tools/sanitize/run.py examples   # every example, in a short form
    python tools/sanitize/run.py suite test/python/test_windows.py -k conv
    python tools/sanitize/run.py --build=build-asan-python suite test/python  # the extension, too

Every temporary is in memory of its own, of just its size, and so is every argument and result. Ends with
status 0 if nothing was found; what is found is printed with the names of entries and kernels.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RULES = [
    "test/rules",
    *(f"test/interp/{n}.mlir" for n in ("predicates", "integers", "casts", "linalg")),
]
EXAMPLES = ["test/python/test_examples.py", "test/python/test_science_examples.py"]


def runtime() -> str:
    """AddressSanitizer's runtime of the pinned LLVM."""
    pins = (ROOT / ".dep-versions").read_text()
    major = next(line for line in pins.splitlines() if line.startswith("llvm="))[5:].split(".")[0]
    command = [f"clang-{major}", "-print-file-name=libclang_rt.asan-x86_64.so"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def environment(build: Path = ROOT / "build") -> dict[str, str]:
    # Python keeps memory to its end. What is not instrumented, such as numpy and LLVM, uses memory
    # that containers in instrumented code mark.
    settings = "detect_leaks=0:abort_on_error=0:exitcode=99:detect_container_overflow=0"
    added = {"LD_PRELOAD": runtime(), "CELLGRAD_SANITIZE": "address"}
    if build != ROOT / "build":
        # The compiler itself is instrumented, and LLVM's packages know nothing of its marks.
        settings += ":allow_user_poisoning=0"
        added["PYTHONPATH"] = f"{ROOT / 'pyfront'}:{build / 'python'}"
        added["CELLGRAD_BUILD_DIR"] = str(build)
    return os.environ | added | {"ASAN_OPTIONS": settings}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "what", nargs="?", choices=["all", "rules", "examples", "suite"], default="all"
    )
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="for 'suite': pytest's")
    parser.add_argument(
        "--build", type=Path, default=ROOT / "build", help="of the preset asan-python"
    )
    options = parser.parse_args()
    build = options.build.resolve()
    compiled = ["tools/rule-tests/compiled.py", "--sanitize", f"--build={build}", *RULES]
    pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider"]
    commands = {
        "rules": [compiled],
        "examples": [[*pytest, *EXAMPLES]],
        "suite": [[*pytest, *options.arguments]],
    }
    chosen = commands.get(options.what, commands["rules"] + commands["examples"])
    status = 0
    for command in chosen:
        run = subprocess.run([sys.executable, *command], cwd=ROOT, env=environment(build))
        status = status or run.returncode
    return status


if __name__ == "__main__":
    sys.exit(main())
