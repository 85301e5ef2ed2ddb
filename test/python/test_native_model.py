"""Compiling text, loading models and calling their entries."""

import os
import shutil
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from cellgrad import _native
from cellgrad._native import CompileError, Model, ModelError, TensorBuffer

SCALE = """
func.func @scale(%x: tensor<4xf32> {cell.name = "x"}) -> (tensor<4xf32> {cell.name = "y"}) {
  %0 = cell.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @update(
    %w: tensor<4xf32> {cell.name = "fc.weight", cell.role = "parameter", cell.donate = 1 : i64},
    %g: tensor<4xf32> {cell.name = "g"})
    -> (tensor<4xf32> {cell.name = "twice"}, tensor<4xf32> {cell.name = "fc.weight"}) {
  %0 = cell.add %w, %w : tensor<4xf32>
  %1 = cell.sub %w, %g : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
"""

NEEDS_ARENA = """
func.func @f(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = cell.matmul %x, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = cell.matmul %0, %0 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  cell.print "{}" (%1 : tensor<64x64xf32>)
  return %1 : tensor<64x64xf32>
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def path(folder):
    path = str(folder / "scale.so")
    timings = _native.compile_text(SCALE, path, "scale")
    assert {"codegen", "link"} <= {stage for stage, ms, _, _ in timings.stages if ms > 0}
    return path


@pytest.fixture(scope="module")
def model(path):
    return Model(path)


@pytest.fixture
def x():
    return np.arange(4, dtype=np.float32)


def test_signature(model):
    assert model.name == "scale" and model.entries == ["scale", "update"]
    signature = model.signature
    assert signature["abi"] == 2 and signature["compiler"].startswith("cellgrad ")
    scale, update = signature["entries"]
    assert scale["args"] == [
        {"name": "x", "field": "x", "role": "input", "dtype": "float32", "shape": [4]}
    ]
    weight = update["args"][0]
    assert weight["field"] == "fc_weight" and weight["role"] == "parameter"
    assert weight["donate"] == 1 and update["results"][1]["donated_arg"] == 0


def test_call(model, x):
    entry = model.entry("scale")
    (y,) = entry([TensorBuffer.from_object(x)])
    np.testing.assert_array_equal(y.view(), 2 * x)
    (y,) = entry((x,))
    np.testing.assert_array_equal(y.view(), 2 * x)
    out = np.zeros(4, np.float32)
    (same,) = entry([x], [out])
    assert same is out
    np.testing.assert_array_equal(out, 2 * x)
    np.testing.assert_array_equal(entry([x], out=[out])[0], 2 * x)


def test_donated_argument_is_updated_and_returned(model, x):
    weight = TensorBuffer.from_object(np.ones(4, np.float32))
    twice, updated = model.entry("update")([weight, x])
    assert updated is weight
    np.testing.assert_array_equal(twice.view(), [2, 2, 2, 2])
    np.testing.assert_array_equal(weight.view(), 1 - x)


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


ONES = np.ones(4, np.float32)


@pytest.mark.parametrize(
    ("name", "buffers", "error", "words"),
    [
        ("scale", [], TypeError, "takes 1 tensors, 0 were given"),
        ("scale", ONES, TypeError, "expected a list"),
        ("scale", [ONES.astype(np.float64)], ValueError, r"'x' is float32\[4\], but float64\[4\]"),
        ("scale", [np.ones(5, np.float32)], ValueError, r"but float32\[5\] was given"),
        ("scale", [np.ones((1, 4), np.float32)], ValueError, r"but float32\[1, 4\] was given"),
        ("scale", [np.ones(8, np.float32)[::2]], ValueError, "'x'.*not contiguous"),
        ("scale", [3.0], TypeError, "'x'.*expected a tensor"),
        ("scale", [None], TypeError, "'x'.*expected a tensor"),
        ("update", [read_only(ONES), ONES], ValueError, "'fc.weight'.*read-only"),
        ("update", [ONES, ONES], ValueError, "'fc.weight'.*memory is also that of 'g'"),
    ],
)
def test_call_errors_name_the_argument(model, name, buffers, error, words):
    with pytest.raises(error, match=words):
        model.entry(name)(buffers)


@pytest.mark.parametrize(
    ("out", "error", "words"),
    [
        ([], TypeError, "out: expected a list of 1"),
        ([np.zeros(3, np.float32)], ValueError, "result 'y'"),
        ([read_only(ONES)], ValueError, "result 'y'.*read-only"),
        ([ONES[:4]], ValueError, "result 'y'.*also that of 'x'"),
    ],
)
def test_out_errors(model, out, error, words):
    with pytest.raises(error, match=words):
        model.entry("scale")([ONES], out)


def test_call_syntax_errors(model):
    entry = model.entry("scale")
    for bad in (
        lambda: entry(),
        lambda: entry([ONES], None, None),
        lambda: entry([ONES], wrong=1),
        lambda: entry([ONES], [ONES], out=[ONES]),
    ):
        with pytest.raises(TypeError):
            bad()
    with pytest.raises(KeyError, match="no entry 'nope': it has scale, update"):
        model.entry("nope")


def test_recompiled_to_the_same_path_is_a_new_model(folder, x):
    path = str(folder / "again.so")
    _native.compile_text(SCALE, path, "again")
    old = Model(path).entry("scale")
    _native.compile_text(SCALE.replace("cell.add %x", "cell.mul %x"), path, "again")
    new = Model(path).entry("scale")
    np.testing.assert_array_equal(old([x])[0].view(), x + x)
    np.testing.assert_array_equal(new([x])[0].view(), x * x)


def test_a_thousand_models_need_no_descriptors(path, folder):
    before = len(os.listdir("/proc/self/fd"))
    for i in range(20):
        shutil.copy(path, folder / f"copy{i}.so")
    models = [Model(str(folder / f"copy{i % 20}.so")) for i in range(1000)]
    assert len(os.listdir("/proc/self/fd")) == before
    assert len(models) == 1000


def test_replaced_many_times_while_loaded(folder, x):
    path, live = str(folder / "many.so"), []
    for k in range(6):
        ops = "".join(f"  %{i + 1} = cell.add %{i}, %x : tensor<4xf32>\n" for i in range(k))
        text = (
            "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
            "  %0 = cell.add %x, %x : tensor<4xf32>\n"
            f"{ops}  return %{k} : tensor<4xf32>\n}}"
        )
        _native.compile_text(text, path, "many")
        live.append((k, Model(path).entry("f")))
        if k == 3:
            del live[1:3]
        for n, entry in live:
            np.testing.assert_array_equal(entry([x])[0].view(), (n + 2) * x)


# What the environment says happens when a library is about to be loaded: the file is exchanged for
# another or written to, or there is no /proc.
LOADING = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *dlopen(const char *path, int flags) {
  char *from = getenv("LOADING_FROM"), *to = getenv("LOADING_TO"), *append = getenv("LOADING_APPEND");
  char *hidden = getenv("LOADING_WITHOUT_PROC");
  if (from && path && strstr(path, "/proc/self/fd"))
    rename(from, to);
  if (append && path && strstr(path, "/proc/self/fd")) {
    FILE *file = fopen(append, "a");
    fputc(0, file);
    fclose(file);
  }
  if (hidden && path && strstr(path, "/proc/self/fd"))
    path = "/nowhere/at/all.so";
  return ((__typeof__(&dlopen))dlsym(RTLD_NEXT, "dlopen"))(path, flags);
}
int access(const char *path, int mode) {
  if (getenv("LOADING_WITHOUT_PROC") && strcmp(path, "/proc/self/fd") == 0)
    return -1;
  return ((__typeof__(&access))dlsym(RTLD_NEXT, "access"))(path, mode);
}
"""

LOAD = """
import ctypes, os, sys
import numpy as np
from cellgrad._native import Model, ModelError

def value(model):
    return model.entry("f")([np.float32([3])])[0].view().tolist()

class Info(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("a", ctypes.c_void_p), ("b", ctypes.c_char_p), ("c", ctypes.c_void_p)]

def name_in_debuggers():
    with open("/proc/self/maps") as maps:
        lines = [line.split() for line in maps]
    here = [line[0] for line in lines if line[1] == "r-xp" and len(line) > 5
            and os.path.basename(line[5]).startswith(("many", "cellgrad-"))]
    info = Info()
    found = []
    for line in here:
        ctypes.CDLL(None).dladdr(ctypes.c_void_p(int(line.split("-")[0], 16)), ctypes.byref(info))
        found.append(info.name.decode())
    return found

try:
    first, again = Model(sys.argv[1]), Model(sys.argv[1])
    print(value(first), value(again), sys.argv[1] in name_in_debuggers())
    del first, again
    print(value(Model(sys.argv[1])), len(os.listdir("/proc/self/fd")))
except ModelError as e:
    print(e)
"""


@pytest.fixture(scope="module")
def loading(folder):
    (folder / "loading.c").write_text(LOADING)
    library = folder / "loading.so"
    flags = ["-w", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, folder / "loading.c", "-o", library, "-ldl"], check=True)

    def run(path, **env):
        found = subprocess.run(
            [sys.executable, "-c", LOAD, path],
            env={**os.environ, "LD_PRELOAD": str(library), **env},
            capture_output=True,
            text=True,
            check=True,
        )
        return found.stdout.strip().split("\n")

    return run


def times(n, path):
    text = """func.func @f(%x: tensor<1xf32>) -> tensor<1xf32> {{
  %c = cell.constant dense<{}> : tensor<1xf32>
  %0 = cell.mul %x, %c : tensor<1xf32>
  return %0 : tensor<1xf32>
}}"""
    _native.compile_text(text.format(float(n)), str(path), "f")
    return str(path)


def test_the_file_that_was_checked_is_the_one_that_is_loaded(tmp_path, loading):
    """Also where its path leads to another by then; and where it is written to, it is refused."""
    path, other = times(2, tmp_path / "many.so"), times(5, tmp_path / "other.so")
    (usual, descriptors) = loading(path)
    assert usual == "[6.0] [6.0] True"
    assert loading(path, LOADING_WITHOUT_PROC="1")[0] == "[6.0] [6.0] True"
    first, then = loading(path, LOADING_FROM=other, LOADING_TO=path)
    assert first == "[6.0] [15.0] True"
    assert then.split()[0] == "[15.0]"
    assert then.split()[1] == descriptors.split()[1]
    (refused,) = loading(path, LOADING_APPEND=path)
    assert "written to while it was loaded" in refused


def damage(data):
    """Ways a file can be wrong, and what the message says."""
    flipped = bytearray(data)
    flipped[len(data) // 2] ^= 1
    other = bytearray(data)
    struct.pack_into("<H", other, 18, 183)  # e_machine: AArch64
    return {
        "empty": (b"", "no ELF header"),
        "text": (b"func.func @f()" * 50, "no ELF header"),
        "header only": (data[:64], "truncated"),
        "half": (data[: len(data) // 2], "truncated"),
        "flipped": (bytes(flipped), "checksum"),
        "AArch64": (bytes(other), "not an x86-64 shared object"),
    }


@pytest.mark.parametrize("kind", damage(bytes(100)))
def test_damaged_files(path, folder, kind):
    contents, words = damage(Path(path).read_bytes())[kind]
    bad = folder / "bad.so"
    bad.write_bytes(contents)
    with pytest.raises(ModelError, match=f"cannot load '.*bad.so'.*{words}"):
        Model(str(bad))


def test_every_truncation_is_refused(path, folder):
    data = Path(path).read_bytes()
    bad = folder / "short.so"
    for size in range(0, len(data) - 24, 97):
        bad.write_bytes(data[:size])
        with pytest.raises(ModelError):
            Model(str(bad))


def test_stripped_model_loads(path, folder, x):
    stripped = str(folder / "stripped.so")
    shutil.copy(path, stripped)
    subprocess.run(["strip", stripped], check=True)
    np.testing.assert_array_equal(Model(stripped).entry("scale")([x])[0].view(), 2 * x)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("int f(void) { return 1; }", "not a model"),
        ("unsigned cg_m_abi_version(void) { return 99; }", "ABI version 99.*version 2"),
        ("unsigned cg_m_abi_version(void) { return 2; }", "no function cg_m_signature"),
        (
            "unsigned cg_m_abi_version(void) { return 2; }"
            'const char *cg_m_signature(void) { return "nonsense"; }',
            "signature is not JSON",
        ),
        (
            "unsigned cg_m_abi_version(void) { return 2; }"
            'const char *cg_m_signature(void) { return "{\\"target\\":{\\"cpu\\":\\"future\\",'
            '\\"features\\":[\\"sse2\\",\\"avx1024\\"]},\\"entries\\":[]}"; }',
            "compiled for future, and this processor lacks avx1024: compile it for",
        ),
    ],
)
def test_foreign_shared_objects(folder, source, words):
    path = str(folder / "foreign.so")
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", path], input=source.encode(), check=True
    )
    with pytest.raises(ModelError, match=words):
        Model(path)


def test_missing_file():
    with pytest.raises(ModelError, match="No such file"):
        Model("/nonexistent/model.so")
    with pytest.raises(ModelError, match="directory"):
        Model("/")


def test_what_is_no_file_is_not_read(folder):
    with pytest.raises(ModelError, match="cannot load '/dev/zero': it is a device or pipe, not a"):
        Model("/dev/zero")
    os.mkfifo(folder / "pipe.so")
    with pytest.raises(ModelError, match=r"pipe\.so': it is a device or pipe, not a file"):
        Model(str(folder / "pipe.so"))


def test_a_huge_file_is_not_read(folder):
    huge = folder / "huge.so"
    huge.touch()
    os.truncate(huge, 1 << 40)
    with pytest.raises(ModelError, match="it has 1099511627776 bytes, and models have 2 GiB"):
        Model(str(huge))


def test_compile_errors_have_locations(folder):
    text = "func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {\n  return %x : tensor<2xf32>\n}"
    with pytest.raises(CompileError, match="2:3") as caught:
        _native.compile_text(text, str(folder / "e.so"), "e")
    first = caught.value.diagnostics[0]
    assert first["severity"] == "error" and first["line"] == 2 and first["column"] == 3
    assert not os.path.exists(folder / "e.so")


def test_diagnostics_name_the_python_line(folder):
    text = """
    func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
      return %x : tensor<?xf32>
    } loc("net.fc"("user.py":12:5))
    """
    with pytest.raises(CompileError) as caught:
        _native.compile_text(text, str(folder / "e.so"), "e")
    first = caught.value.diagnostics[0]
    assert (first["file"], first["line"], first["name"]) == ("user.py", 12, "net.fc")


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        (
            {"target": "pentium9"},
            CompileError,
            "unknown target 'pentium9': expected native, aarch64, ",
        ),
        ({"opt_level": 4}, ValueError, "0 to 3"),
        ({"optlevel": 1}, ValueError, "unknown compile option 'optlevel': expected one of"),
        ({"pipeline": "no-such-pass"}, CompileError, "no-such-pass"),
        ({"header": "/nonexistent/m.h"}, FileNotFoundError, "'/nonexistent/m.h'"),
    ],
)
def test_option_errors(folder, options, error, words):
    with pytest.raises(error, match=words):
        _native.compile_text(SCALE, str(folder / "o.so"), "o", options)


def test_options(folder, x):
    files = {
        key: str(folder / f"all.{key}")
        for key in ("header", "object", "assembly", "llvm_ir", "llvm_dialect")
    }
    dump = folder / "dump"
    for level in range(4):
        options = {"opt_level": level, "target": "x86-64-v3", "dump_ir": str(dump), **files}
        _native.compile_text(SCALE, str(folder / "all.so"), "all", options)
        model = Model(str(folder / "all.so"))
        np.testing.assert_array_equal(model.entry("scale")([x])[0].view(), 2 * x)
        assert model.signature["target"]["cpu"] == "x86-64-v3"
    assert all(os.path.getsize(file) > 0 for file in files.values())
    assert "CG_ALL_SCALE_ARENA_BYTES" in Path(files["header"]).read_text()
    dumped = os.listdir(dump)
    assert "llvm-1-optimized.ll" in dumped and any("cell-to-linalg" in f for f in dumped)


def test_failed_compilation_leaves_the_old_file(path):
    before = Path(path).read_bytes()
    with pytest.raises(CompileError):
        _native.compile_text("nonsense", path, "scale")
    assert Path(path).read_bytes() == before
    assert [f for f in os.listdir(os.path.dirname(path)) if ".tmp" in f] == []


def test_same_input_gives_the_same_bytes(path, folder):
    again = folder / "scale2" / "scale.so"
    again.parent.mkdir()
    _native.compile_text(SCALE, str(again), "scale")
    assert again.read_bytes() == Path(path).read_bytes()


def test_threads_compile_and_call(folder):
    def work(index):
        path = str(folder / f"thread{index}.so")
        factor = "%0 = cell.add %x, %x" if index % 2 else "%0 = cell.mul %x, %x"
        for _ in range(5):
            _native.compile_text(SCALE.replace("%0 = cell.add %x, %x", factor), path, "t")
            x = np.full(4, index + 1, np.float32)
            y = Model(path).entry("scale")([x])[0].view()
            np.testing.assert_array_equal(y, x + x if index % 2 else x * x)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))


@pytest.fixture
def hook():
    old = _native.print_hook()
    yield _native.set_print_hook
    _native.set_print_hook(old)


def test_print_hook_may_call_back_and_raise(folder, hook):
    path = str(folder / "arena.so")
    _native.compile_text(NEEDS_ARENA, path, "arena")
    entry = Model(path).entry("f")
    assert entry.arena_bytes >= 64 * 64 * 4
    eye, seen = np.eye(64, dtype=np.float32), []

    def nested(text, tensor):
        if tensor is None:
            return
        seen.append(tensor.view())
        if len(seen) == 1:  # while the outer call's arena is in use
            entry([np.zeros((64, 64), np.float32)])

    hook(nested)
    (y,) = entry([2 * eye])
    np.testing.assert_array_equal(y.view(), 16 * eye)
    np.testing.assert_array_equal(seen[0], 16 * eye)
    np.testing.assert_array_equal(seen[1], 0 * eye)

    def broken(text, tensor):
        raise KeyError("from the hook")

    hook(broken)
    with pytest.raises(KeyError, match="from the hook"):
        entry([eye])


AT_EXIT = """
import sys
import numpy as np
from cellgrad import _native
_native.compile_text(sys.argv[1], sys.argv[2], "exit")
model = _native.Model(sys.argv[2])
entry = model.entry("scale")
result = entry([np.ones(4, np.float32)])
views = result[0].view(), np.from_dlpack(result[0]), result[0].__dlpack__()
_native.set_print_hook(lambda text, tensor: None)
try:
    _native.compile_text("nonsense", sys.argv[2], "exit")
except _native.CompileError as e:
    error = e
"""


def test_nothing_is_left_at_exit(folder):
    """nanobind reports objects that outlive the interpreter on stderr."""
    run = subprocess.run(
        [sys.executable, "-c", AT_EXIT, SCALE, str(folder / "exit.so")],
        capture_output=True,
        text=True,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_leaks(model, x):
    """Objects made by a call go away with it."""
    resource = pytest.importorskip("resource")
    entry = model.entry("scale")
    big = np.zeros(4, np.float32)

    def memory():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    for _ in range(20_000):
        entry([x])
    before = memory()
    for _ in range(200_000):
        entry([x], [big])
        entry([x])
    assert memory() - before < 4096  # KiB
