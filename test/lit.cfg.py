# ruff: noqa: F821  (lit defines config and lit_config)
"""How lit runs the IR, tool and C tests.

All: 'make test'. One: '.venv/bin/lit -v test/upstream.mlir'.
"""

import os
import re
import shutil
from pathlib import Path

import lit.formats

root = Path(__file__).resolve().parent.parent
build = Path(os.environ.get("CELLGRAD_BUILD_DIR", root / "build")).resolve()
llvm_major = re.search(r"^llvm=(\d+)", (root / ".dep-versions").read_text(), re.M).group(1)
llvm_bin = Path(f"/usr/lib/llvm-{llvm_major}/bin")

config.name = "cellgrad"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".c", ".test", ".td", ".ptx"]
config.excludes = ["python", "Inputs", "FakeNccl.c"]
config.test_source_root = str(root / "test")
config.test_exec_root = str(build / "test")

if not (build / "bin" / "cell-opt").exists():
    lit_config.fatal(f"no {build}/bin/cell-opt: run 'make build', or set CELLGRAD_BUILD_DIR")

# Tools by name: cell-opt, cellc, cell-run; FileCheck, not, split-file, llvm-nm, ...
path = [str(build / "bin"), str(llvm_bin), config.environment.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LLVM_PROFILE_FILE", "CCACHE_DIR", "HOME"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# A build for sanitizers has the tools only.
if (build / "python").exists():
    config.available_features.add("python-package")

# Other machines: tests that run code of theirs are left out where no emulator is installed (docs/limits.md).
for arch in ("aarch64", "riscv64"):
    if (
        shutil.which(f"{arch}-linux-gnu-gcc")
        and Path(f"/usr/{arch}-linux-gnu/include/stdio.h").exists()
    ):
        config.available_features.add(f"{arch}-headers")
        if shutil.which(f"qemu-{arch}"):
            config.available_features.add(f"run-{arch}")
if shutil.which("node"):
    config.available_features.add("node")

# LLVM's packages are built without sanitizers: they use memory that the allocators in its headers,
# compiled here, mark as not to be used.
config.environment.setdefault("ASAN_OPTIONS", "allow_user_poisoning=0")

config.substitutions += [
    ("%cc", os.environ.get("CC", "cc")),
    ("%cxx", str(llvm_bin / "clang++")),
    ("%strict", "-std=c11 -Wall -Wextra -pedantic -Werror"),
    ("%asan", "-g -fsanitize=address,undefined"),
    ("%python", str(root / ".venv" / "bin" / "python")),
    ("%root", str(root)),
    ("%build", str(build)),
    ("%runtime", str(root / "runtime")),
    # Calls models of another machine: the program is compiled from tools/targets/call.c.
    ("%qemu_aarch64", "qemu-aarch64 -L /usr/aarch64-linux-gnu"),
    ("%qemu_riscv64", "qemu-riscv64 -cpu rv64,v=true,vlen=128 -L /usr/riscv64-linux-gnu"),
    ("%emulated_driver", str(build / "test" / "emulator" / "libcuda.so.1")),
    ("%fake_nccl", str(build / "test" / "emulator" / "libnccl.so.2")),
    ("%llvm_include", str(llvm_bin.parent / "include")),
]
