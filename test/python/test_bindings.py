"""A model in C, C++, Python and Rust: the digits training step computes the same bits in each, weights
come from a file or from the model, and what is wrong is said in words.
"""

import ctypes
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

import cellgrad as ms
from cellgrad import ops

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent / "native" / "bindings"
CELLC = ROOT / "build" / "bin" / "cellc"
STRICT = ["-O1", "-Wall", "-Wextra", "-Werror", "-pedantic"]
CC = [os.environ.get("CC", "cc"), "-std=c11", *STRICT]
CXX = ["/usr/lib/llvm-22/bin/clang++", "-std=c++17", *STRICT]
BINDINGS = ("hpp", "py", "rs", "weights", "pc", "cmake")
STEPS = 5
RANDOM = np.random.default_rng(417)


def run(*command, **options):
    return subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, **options
    )


def built(*command):
    done = run(*command)
    assert done.returncode == 0, done.stderr


def load_example():
    spec = importlib.util.spec_from_file_location("digits", ROOT / "examples/digits/main.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The example's training step in two folders, its weights in a file and inside the model; the data of
    five steps; and what Python computes.
    """
    example, out = load_example(), tmp_path_factory.mktemp("bindings")
    ms.set_seed(0)
    net = example.Net()
    _, step = example.make(net)
    images, labels = example.load()[:2]
    batches = [
        (ms.Tensor(images[64 * i : 64 * i + 64]), ms.Tensor(labels[64 * i : 64 * i + 64]))
        for i in range(STEPS)
    ]
    for name, weights in (("file", "file"), ("embed", "embed")):
        files = ms.export(
            net, batches[0][0], file_name=str(out / name / "libdigits"), value_and_grad=False,
            step=(step, *batches[0]), bindings=BINDINGS, weights=weights,
        )  # fmt: skip
        kept = ["digits.safetensors"] if weights == "file" else []
        assert [Path(f).name for f in files] == [
            "libdigits.so", "digits.h", *kept, "digits.hpp", "digits.py", "digits.rs",
            "digits_weights.h", "digits.pc", "digits-config.cmake",
        ]  # fmt: skip
        assert all(Path(f).exists() for f in files)
    flat = [t.asnumpy().tobytes() for batch in batches for t in batch]
    (out / "data.bin").write_bytes(b"".join(flat))
    losses = [step(*batch).asnumpy().tobytes() for batch in batches]
    trained = [w.asnumpy().tobytes() for w in net.trainable_params()]
    (out / "wanted.bin").write_bytes(b"".join(losses + trained))
    return out


def trains(folder, *command, weights="-"):
    results = folder / "results.bin"
    results.unlink(missing_ok=True)
    done = run(*command, weights, folder / "data.bin", results)
    assert done.returncode == 0, done.stderr
    assert results.read_bytes() == (folder / "wanted.bin").read_bytes()
    return done.stdout


def linked(folder, name):
    place = folder / name
    return ["-I", place, "-L", place, "-ldigits", f"-Wl,-rpath,{place}"]


@pytest.mark.parametrize("name", ["file", "embed"])
def test_c_with_the_loader_of_weights(folder, name):
    extra = ["-DEMBEDDED"] if name == "embed" else []
    before = sorted((folder / name).iterdir())
    built(*CC, *extra, HERE / "train.c", *linked(folder, name), "-o", folder / "train_c")
    weights = folder / name / "digits.safetensors"
    kept = weights.read_bytes() if name == "file" else None
    trains(folder, folder / "train_c", weights=weights)
    trains(folder, folder / "train_c", weights=weights)  # training did not change the file
    assert sorted((folder / name).iterdir()) == before
    assert kept is None or weights.read_bytes() == kept


@pytest.mark.parametrize("name", ["file", "embed"])
def test_cpp(folder, name):
    extra = ["-DEMBEDDED"] if name == "embed" else []
    built(*CXX, *extra, HERE / "train.cpp", *linked(folder, name), "-o", folder / "train_cpp")
    said = trains(folder, folder / "train_cpp", weights=folder / name / "digits.safetensors")
    assert said == "train_step: the argument struct or one of the buffers in it is NULL\n"


@pytest.mark.parametrize("name", ["file", "embed"])
def test_python_without_this_package(folder, name):
    """Also from a folder of another name, and with the weights given."""
    command = (sys.executable, HERE / "train.py")
    results = folder / "results.bin"
    for weights in ("-", folder / "file" / "digits.safetensors"):
        done = run(*command, weights, folder / "data.bin", results, folder / name)
        assert done.returncode == 0, done.stderr
        assert results.read_bytes() == (folder / "wanted.bin").read_bytes()


def test_rust_where_rustc_is_installed(folder):
    """rustc is no requirement of the project (docs/limits.md): without it, the text is looked at."""
    text = (folder / "embed" / "digits.rs").read_text()
    assert "pub fn train_step(\n        &mut self,\n        images: &[f32; 4096]," in text
    assert "hidden_weight: &mut [f32; 3072]," in text
    assert "pub unsafe fn set_memory(&mut self, allocate: Allocate, release: Release," in text
    if rustc := shutil.which("rustc"):
        shutil.copy(HERE / "train.rs", folder / "embed" / "main.rs")
        place = folder / "embed"
        built(rustc, "--edition=2021", "-Dwarnings", place / "main.rs", "-L", place,
              "-C", f"link-arg=-Wl,-rpath,{place}", "-o", folder / "train_rs")  # fmt: skip
        trains(folder, folder / "train_rs")


def test_cpp_takes_memory_from_the_program(folder):
    built(*CXX, HERE / "memory.cpp", *linked(folder, "embed"), "-o", folder / "memory_cpp")
    assert run(folder / "memory_cpp").returncode == 0


def test_python_takes_memory_from_the_program(folder):
    """The bits are the same, all is given back, and what a function raises comes out of the call."""
    digits = module(folder / "embed" / "digits.py")
    model, plain = digits.Digits(), digits.Digits()
    images = RANDOM.random((64, 64), np.float32)
    labels = np.eye(10, dtype=np.float32)[np.arange(64) % 10]
    blocks, released = {}, []

    def allocate(size, alignment):
        block = np.empty(size + alignment, np.uint8)
        address = -(-block.ctypes.data // alignment) * alignment
        blocks[address] = size, block
        return address

    def release(address, size):
        assert blocks.pop(address)[0] == size
        released.append(size)

    before = {name: value.copy() for name, value in model.parameters.items()}
    model.set_memory(lambda size, alignment: None, release)
    with pytest.raises(digits.ModelError, match="memory") as caught:
        model.train_step(images, labels)
    assert caught.value.status == 5
    model.set_memory(lambda size, alignment: 1 // 0, release)
    with pytest.raises(ZeroDivisionError):
        model.train_step(images, labels)
    for name, value in model.parameters.items():
        np.testing.assert_array_equal(value, before[name])
    model.set_memory(allocate, release)
    assert model.train_step(images, labels) == plain.train_step(images, labels)
    assert len(released) == 1 and released[0] > 0 and not blocks
    model.set_memory(allocate, lambda address, size: release(address, size) or 1 // 0)
    with pytest.raises(ZeroDivisionError):
        model.train_step(images, labels)
    assert not blocks


def test_pkg_config_finds_the_model(folder):
    place = folder / "file"
    environment = {**os.environ, "PKG_CONFIG_PATH": str(place)}
    flags = run("pkg-config", "--cflags", "--libs", "digits", env=environment)
    assert flags.returncode == 0, flags.stderr
    words = flags.stdout.replace('"', "").split()
    built(*CC, HERE / "train.c", *words, "-o", folder / "train_pc")
    trains(folder, folder / "train_pc", weights=place / "digits.safetensors")


def test_cmake_finds_the_model(folder):
    project = folder / "project"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(use C)\n"
        "find_package(digits REQUIRED)\nfind_package(digits REQUIRED)\n"
        f"add_executable(use {HERE / 'train.c'})\n"
        "target_link_libraries(use PRIVATE cellgrad::digits)\n"
    )
    where = f"-Ddigits_DIR={folder / 'file'}"
    built("cmake", "-G", "Ninja", "-S", project, "-B", project / "build", where)
    built("cmake", "--build", project / "build")
    trains(folder, project / "build" / "use", weights=folder / "file" / "digits.safetensors")


def test_load_takes_the_weights_inside(folder):
    model = ms.load(str(folder / "embed" / "libdigits"))
    beside = ms.load(str(folder / "file" / "libdigits.so"))
    assert not (folder / "embed" / "digits.safetensors").exists()
    assert model.parameters.keys() == beside.parameters.keys()
    for name, value in model.parameters.items():
        assert value.asnumpy().tobytes() == beside.parameters[name].asnumpy().tobytes()
    assert (
        model.signature["weights_bytes"] == (folder / "file" / "digits.safetensors").stat().st_size
    )
    assert "weights_bytes" not in beside.signature


# --- any batch, names, errors -------------------------------------------------------------------------


def module(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def test_any_batch(tmp_path):
    """The batch is that of the arrays, in each language; arrays of different batches are refused."""
    ms.export(
        lambda x, y: ops.tanh(x) * y, ms.Tensor(shape=[None, 3], dtype=ms.float32),
        ms.Tensor(shape=[None, 3], dtype=ms.float32), file_name=str(tmp_path / "librows"), bindings=BINDINGS,
    )  # fmt: skip
    rows = module(tmp_path / "rows.py")
    model, entry = rows.Rows(), ms.load(str(tmp_path / "librows")).forward
    for batch in (1, 2, 7):
        x, y = RANDOM.standard_normal((2, batch, 3)).astype(np.float32)
        given = model.forward(x, y)
        assert given.tobytes() == entry(ms.Tensor(x), ms.Tensor(y)).asnumpy().tobytes()
        np.testing.assert_allclose(given, np.tanh(x.astype(float)) * y, rtol=2e-6)
    with pytest.raises(rows.ModelError, match=r"'y' as float32\[7, 3\], but got float32\[2, 3\]"):
        model.forward(x, y[:2])
    with pytest.raises(rows.ModelError, match=r"batch is below 1"):
        model.forward(x[:0], y[:0])
    (tmp_path / "rows.cpp").write_text("""
#include "rows.hpp"
#include <cstdio>
int main() {
  cg::rows::Model model;
  cg::Array<float, cg::batch, 3> x(4), y(4), less(3), out(4);
  x(3, 1) = 0.5f, y(3, 1) = 2;
  std::printf("%d ", model.forward({x, y, out}));
  std::printf("%g ", double(out(3, 1)));
  std::printf("%d ", model.forward({x, less, out}, std::nothrow) == CG_ERROR_BATCH);
  float raw[6] = {1, 1, 1, 1, 1, 1}, twice[6];
  model.forward({cg::Tensor<const float, cg::batch, 3>(raw, 2), y.view().rows() == 4 ?
      cg::Tensor<const float, cg::batch, 3>(raw, 2) : cg::Tensor<const float, cg::batch, 3>(),
      cg::Tensor<float, cg::batch, 3>(twice, 2)});
  std::printf("%g", double(twice[5]));
}
""")
    built(*CXX, "-I", tmp_path, tmp_path / "rows.cpp", tmp_path / "librows.so",
          f"-Wl,-rpath,{tmp_path}", "-o", tmp_path / "rows")  # fmt: skip
    assert run(tmp_path / "rows").stdout == "0 0.924234 1 0.761594"


NAMES = """
func.func @"new"(%a: tensor<2xf32> {cell.name = "std"}, %b: tensor<f32> {cell.name = "self"},
                 %c: tensor<2xf32> {cell.name = "class", cell.role = "parameter"},
                 %d: tensor<2xf32> {cell.name = "Weights", cell.role = "parameter"},
                 %e: tensor<2xi1> {cell.name = "lambda \\"\\\\ \\C3\\A9"})
    -> (tensor<2xf32> {cell.name = "in"}) {
  %0 = cell.add %a, %c : tensor<2xf32>
  %1 = cell.add %0, %d : tensor<2xf32>
  return %1 : tensor<2xf32>
}
func.func @Model(%a: tensor<0x3xi64>, %h: tensor<2xbf16>) -> (tensor<0x3xi64>, tensor<2xbf16>) {
  return %a, %h : tensor<0x3xi64>, tensor<2xbf16>
}
func.func @context() -> tensor<f64> {
  %0 = cell.constant dense<2.5> : tensor<f64>
  return %0 : tensor<f64>
}
"""


def test_names_that_are_words_of_the_languages(tmp_path):
    source = tmp_path / "in.mlir"
    source.write_text(NAMES)
    for name in ("default", "std"):
        built(CELLC, source, "-o", tmp_path / f"lib{name}.so", "--emit=so,h,hpp,py,rs,weights")
        (tmp_path / "use.cpp").write_text(
            f'#include "{name}.hpp"\n#include "{name}.hpp"\nint main() {{\n'
            f"  cg::{name}_::Model m;\n  double out[1];\n"
            "  return m.context_({out}) == 0 && out[0] == 2.5 ? 0 : 1;\n}\n".replace(
                "cg::std_" if name == "std" else "", "cg::std" if name == "std" else ""
            )
        )
        built(*CXX, "-I", tmp_path, tmp_path / "use.cpp", tmp_path / f"lib{name}.so",
              f"-Wl,-rpath,{tmp_path}", "-o", tmp_path / "use")  # fmt: skip
        assert run(tmp_path / "use").returncode == 0
        if rustc := shutil.which("rustc"):
            (tmp_path / "main.rs").write_text(
                f'#[path = "{name}.rs"]\nmod model;\nfn main() {{\n'
                "    let mut out = [0f64];\n"
                "    model::Model::new(1).unwrap().context(&mut out).unwrap();\n"
                "    assert_eq!(out, [2.5]);\n}\n"
            )
            built(rustc, "--edition=2021", "-Dwarnings", tmp_path / "main.rs", "-L", tmp_path,
                  "-C", f"link-arg=-Wl,-rpath,{tmp_path}", "-o", tmp_path / "main")  # fmt: skip
            assert run(tmp_path / "main").returncode == 0
    safetensors.numpy.save_file(
        {"class": np.float32([1, 2]), "Weights": np.float32([10, 20])}, tmp_path / "w.safetensors"
    )
    model = module(tmp_path / "default.py").Default(tmp_path / "w.safetensors")
    args = (np.float32([0.5, 0.25]), np.float32(0), np.array([True, False]))
    assert model.new(*args).tolist() == [11.5, 22.25]
    a, h = np.zeros((0, 3), np.int64), np.uint16([1, 2])
    assert [r.tolist() for r in model.Model(a, h)] == [[], [1, 2]]
    assert model.context() == 2.5


def test_an_input_that_is_overwritten_is_copied_in_python(tmp_path):
    (tmp_path / "next.mlir").write_text(
        'func.func @forward(%x: tensor<2xf32> {cell.name = "x", cell.donate = 0 : i64}) -> tensor<2xf32> {\n'
        "  %0 = cell.add %x, %x : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n"
    )
    built(CELLC, tmp_path / "next.mlir", "-o", tmp_path / "libnext.so", "--emit=so,h,py")
    x = np.float32([1, 2])
    assert module(tmp_path / "next.py").Next().forward(x).tolist() == [2, 4]
    assert x.tolist() == [1, 2]


TWO = """
func.func @forward(%x: tensor<2xf32> {cell.name = "x"},
                   %w: tensor<2xf32> {cell.name = "fc.weight", cell.role = "parameter"},
                   %n: tensor<i64> {cell.name = "step", cell.role = "state"}) -> tensor<2xf32> {
  %0 = cell.mul %x, %w : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""
SPECS = {"fc.weight": ("F32", [2], 8), "step": ("I64", [], 8)}


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """A model of two weights with its loader, and a program that reads many files with it."""
    out = tmp_path_factory.mktemp("two")
    (out / "two.mlir").write_text(TWO)
    built(CELLC, out / "two.mlir", "-o", out / "libtwo.so", "--emit=so,h,py,weights")
    safetensors.numpy.save_file(
        {"fc.weight": np.float32([3, -4]), "step": np.array(7)}, out / "two.safetensors"
    )
    checked = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
    built("/usr/lib/llvm-22/bin/clang", "-std=c11", *STRICT, *checked, "-I", out, HERE / "cases.c",
          "-o", out / "cases")  # fmt: skip
    return out


def file_of(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def read_in_c(two, files):
    """Status and words, or the weights in hexadecimal, of each file."""
    blob = b"".join(len(f).to_bytes(8, "little") + f for f in files)
    (two / "cases.bin").write_bytes(blob)
    done = run(two / "cases", two / "cases.bin", errors="replace")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == len(files)
    return [(int(s), rest) for s, _, rest in (line.partition(" ") for line in lines)]


def oracle(content):
    """The weights as Python finds them, where a file has them; in another way than the loaders."""
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size].decode(errors="replace"))
    out = b""
    for name, (dtype, shape, count) in SPECS.items():
        entry = header[name]
        begin, end = entry["data_offsets"]
        assert (entry["dtype"], entry["shape"], end - begin) == (dtype, shape, count)
        part = content[8 + size :][begin:end]
        assert len(part) == count
        out += part
    return out.hex()


GOOD = {
    "__metadata__": {"a": 'b\\"\u00e9'},
    "other": {"dtype": "F8_E4M3", "shape": [0, 5], "data_offsets": [0, 0]},
    "fc.weight": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
    "step": {"dtype": "I64", "shape": [], "data_offsets": [8, 16]},
}
DATA = np.float32([3, -4]).tobytes() + np.int64(7).tobytes()


def changed(name="step", **entry):
    return {**GOOD, name: {**GOOD[name], **entry}}


def test_files_as_other_tools_write_them(two):
    escaped = json.dumps(GOOD).replace("fc.weight", "\\u0066c.w\\u0065ight").encode()
    spaced = json.dumps(GOOD, indent=3).encode() + b" \n\t "
    turned = {name: GOOD[name] for name in reversed(GOOD)}
    files = [
        file_of(GOOD, DATA),
        file_of(escaped, DATA),
        file_of(spaced, DATA),
        file_of(turned, DATA),
    ]
    files.append((two / "two.safetensors").read_bytes())
    for content, (status, found) in zip(files, read_in_c(two, files)):
        assert (status, found) == (0, DATA.hex())
        place = two / "given.safetensors"
        place.write_bytes(content)
        parameters = module(two / "two.py").Two(str(place)).parameters
        assert parameters["fc.weight"].tolist() == [3, -4] and parameters["step"] == 7


TWICE = json.dumps(GOOD)[:-1].encode() + b', "step": ' + json.dumps(GOOD["step"]).encode() + b"}"
HOSTILE = [
    (b"", "fewer than 8 bytes", "truncated"),
    (b"\xff" * 8, "header is longer than the file", "truncated"),
    (file_of(b"[]"), "no JSON object", "no JSON object"),
    (file_of(b'{"fc.weight'), "ends within a string", "Unterminated"),
    (file_of(b'{"a\\u12"'), "unknown escape", "escape"),
    (file_of({}), "'fc.weight' is missing: is it the file of another model?", "'fc.weight' is missing"),
    (file_of(changed(dtype="F64"), DATA), "'step' is F64[], but the model expects I64[]", "is F64"),
    (file_of(changed(shape=[1]), DATA), "'step' is I64[1], but the model expects I64[]", r"I64\[1\]"),
    (file_of(changed(data_offsets=[8, 17]), DATA), "lies outside of the file", "truncated or damaged"),
    (file_of(GOOD, DATA[:-1]), "'step' lies outside of the file", "truncated or damaged"),
    (file_of(changed(data_offsets=[16, 8]), DATA), "outside", "truncated or damaged"),
    (file_of(changed(data_offsets=[8, 12]), DATA), "'step' has 4 bytes, and its shape takes 8", "damaged"),
    (file_of(changed(data_offsets=[2**63, 2**63 + 8]), DATA), "too large", "damaged"),
    (file_of(changed(data_offsets=[-8, 0]), DATA), "a number is missing", "damaged"),
    (file_of(json.dumps(GOOD)[:-1].encode() + b', "step": {}}', DATA), "a string is missing", "twice"),
    (file_of(TWICE, DATA), "'step' is in it twice", "twice"),
]  # fmt: skip


def test_hostile_files_in_c_and_python(two):
    found = read_in_c(two, [content for content, _, _ in HOSTILE])
    loader = module(two / "two.py")
    for (content, in_c, in_python), (status, words) in zip(HOSTILE, found):
        assert status == 19 and in_c in words
        place = two / "hostile.safetensors"
        place.write_bytes(content)
        with pytest.raises(loader.ModelError, match=in_python):
            loader.Two(str(place))


def test_overlapping_weights_are_refused(two):
    """A call that updates one of them would change the other."""
    ((status, words),) = read_in_c(two, [file_of(changed(data_offsets=[4, 12]), DATA)])
    assert status == 19 and "'fc.weight' and 'step' overlap" in words


def test_no_damage_gives_wrong_weights(two):
    """Whatever bytes a file has: what the loader takes is what the file says, and it stays within."""
    good = file_of(GOOD, DATA)
    files = [good[:n] for n in range(len(good))]
    for _ in range(1500):
        content = bytearray(good)
        for place in RANDOM.integers(0, len(good), RANDOM.integers(1, 4)):
            content[place] = RANDOM.choice([RANDOM.integers(256), 34, 44, 48, 57, 92, 93, 123, 125])
        files.append(bytes(content))
    taken = 0
    for content, (status, found) in zip(files, read_in_c(two, files)):
        if status == 0:
            taken += 1
            assert found == oracle(content)
        else:
            assert status == 19 and found
    assert 50 < taken < 1000


def test_loader_says_what_file_is_wrong(two):
    (two / "open.c").write_text("""
#include "two.h"
#include "two_weights.h"
int main(int argc, char **argv) {
  cgw_weights_two w;
  char words[300];
  (void)argc;
  if (cgw_open_two(&w, argv[1], words, sizeof words) == CG_OK)
    return (uintptr_t)w.fc_weight % sizeof(float) || (uintptr_t)w.step % 8 ||
           w.fc_weight[1] != -4 || *w.step != 7 ? 5 : 0;
  puts(words);
  cgw_close_two(&w);
  return cgw_open_two(&w, argv[1], NULL, 0) == CG_ERROR_WEIGHTS ? 3 : 4;
}
""")
    built(*CC, "-I", two, two / "open.c", "-o", two / "open")
    os.mkfifo(two / "pipe")
    (two / "short").write_bytes(b"1234567")
    (two / "other").write_bytes(file_of({}))
    for name, words in (
        ("none", "cannot be opened: No such file"), ("", "is not a regular file"),
        ("pipe", "is not a regular file"), ("short", "fewer than 8 bytes"),
        ("other", "'fc.weight' is missing"),
    ):  # fmt: skip
        done = run(two / "open", two / name, timeout=10)
        assert done.returncode == 3 and f"{two / name}: " in done.stdout and words in done.stdout
    # A header of odd length: tensors that are not aligned are copied.
    (two / "odd").write_bytes(file_of(json.dumps(GOOD).encode() + b" " * 3, DATA))
    assert len((two / "odd").read_bytes()) % 8 != 0
    assert run(two / "open", two / "odd").returncode == 0


def test_library_of_another_model_or_version(two, tmp_path):
    loader = module(two / "two.py")
    with pytest.raises(
        loader.ModelError, match=r"'.*none\.so' cannot be loaded as the model 'two'"
    ):
        loader.Two(library=str(tmp_path / "none.so"))
    (tmp_path / "in.mlir").write_text(TWO.replace("fc.weight", "fc.bias"))
    built(CELLC, tmp_path / "in.mlir", "-o", tmp_path / "other.so", "--name=two", "--emit=so,hpp,h")
    with pytest.raises(
        loader.ModelError, match=r"fingerprint \w{16}, but this file is for ABI 2 and"
    ):
        loader.Two(library=str(tmp_path / "other.so"))
    source = (
        "int cg_two_abi_version(void) { return 9; }\nlong cg_two_fingerprint(void) { return 1; }\n"
    )
    (tmp_path / "old.c").write_text(source)
    built("cc", "-shared", tmp_path / "old.c", "-o", tmp_path / "old.so")
    with pytest.raises(loader.ModelError, match=r"has ABI 9 and the fingerprint 0000000000000001"):
        loader.Two(library=str(tmp_path / "old.so"))
    # C++: the header of one with the library of the other.
    built(CELLC, two / "two.mlir", "-o", tmp_path / "two.so", "--emit=so,hpp,h")
    (tmp_path / "use.cpp").write_text(
        '#include "two.hpp"\n#include <cstdio>\nint main() {\n  try {\n    cg::two::Model model;\n'
        "  } catch (const cg::Error &e) {\n    std::puts(e.what());\n  }\n}\n"
    )
    built(*CXX, "-I", tmp_path, tmp_path / "use.cpp", tmp_path / "other.so",
          f"-Wl,-rpath,{tmp_path}", "-o", tmp_path / "use")  # fmt: skip
    assert "not that of this model" in run(tmp_path / "use").stdout


def test_calls_of_the_python_module_are_checked(two):
    loader = module(two / "two.py")
    model = loader.Two()
    assert model.forward(np.float32([2, 3])).tolist() == [6, -12]
    with pytest.raises(loader.ModelError, match=r"takes 'x' as float32\[2\], but got float64\[2\]"):
        model.forward([2.0, 3.0])
    with pytest.raises(loader.ModelError, match=r"'x' as float32\[2\], but got float32\[1, 2\]"):
        model.forward(np.float32([[2, 3]]))
    # Strided and unaligned arrays are copied.
    assert model.forward(np.float32([2, 0, 3])[::2]).tolist() == [6, -12]
    unaligned = np.frombuffer(b"\0" + np.float32([2, 3]).tobytes(), np.uint8)[1:].view(np.float32)
    assert model.forward(unaligned).tolist() == [6, -12]


def test_mistakes_of_cellc(two, tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "other").write_bytes(file_of({}))
    (tmp_path / "short").write_bytes(file_of(GOOD, DATA[:-1]))
    for name, words in (
        ("none", "cannot read the weights"), ("empty", "are an empty file"),
        ("other", "cannot be a part of the model: 'fc.weight' is missing"),
        ("short", "'step' does not lie in the file"),
    ):  # fmt: skip
        done = run(CELLC, two / "two.mlir", "-o", tmp_path / "x.so", f"--weights={tmp_path / name}")
        assert done.returncode == 1 and words in done.stderr
        assert not (tmp_path / "x.so").exists()
    done = run(CELLC, two / "two.mlir", "-o", tmp_path / "x.so", f"--weights={two}/two.safetensors")
    assert done.returncode == 0, done.stderr
    library, size = ctypes.CDLL(str(tmp_path / "x.so")), ctypes.c_uint64()
    library.cg_x_weights.restype = ctypes.c_void_p
    address = library.cg_x_weights(ctypes.byref(size))
    assert address % 64 == 0 and library.cg_x_weights(None) == address
    assert ctypes.string_at(address, size.value) == (two / "two.safetensors").read_bytes()
    clash = TWO + TWO.replace("@forward", "@other").replace("2xf32", "3xf32")
    (tmp_path / "clash.mlir").write_text(clash)
    done = run(CELLC, tmp_path / "clash.mlir", "--emit=so,weights")
    assert done.returncode == 1 and "'fc.weight' has different types in the entries" in done.stderr
    for kind in ("hpp", "py", "rs"):
        done = run(
            CELLC,
            two / "two.mlir",
            "--device=cuda",
            f"--emit=so,h,{kind}",
            "-o",
            tmp_path / "libg.so",
        )
        assert done.returncode == 1 and "for models that compute on the CPU" in done.stderr
