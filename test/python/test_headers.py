"""Headers of models: names that cannot collide with anything, and the tie to the shared object."""

import ctypes
import json
import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from cellgrad._native import Model

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CELLGRAD_BUILD_DIR", ROOT / "build"))
CLANG = next(Path("/usr/lib").glob("llvm-*/bin/clang++"))
STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
COMPILERS = [
    ["cc", "-x", "c", "-std=c11"],
    ["cc", "-x", "c", "-std=gnu11", "-D_GNU_SOURCE"],
    ["c++", "-x", "c++", "-std=c++17"],
    [str(CLANG), "-x", "c++", "-std=c++17"],
]
_STANDARD = """aio.h assert.h complex.h ctype.h dirent.h dlfcn.h errno.h fcntl.h fenv.h float.h glob.h
    iconv.h inttypes.h iso646.h langinfo.h libgen.h limits.h locale.h math.h net/if.h netdb.h
    netinet/in.h netinet/tcp.h poll.h pthread.h pwd.h regex.h sched.h search.h semaphore.h setjmp.h
    signal.h spawn.h stdarg.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h strings.h
    sys/ipc.h sys/mman.h sys/msg.h sys/resource.h sys/select.h sys/sem.h sys/shm.h sys/socket.h
    sys/stat.h sys/statvfs.h sys/time.h sys/times.h sys/types.h sys/uio.h sys/un.h sys/utsname.h
    sys/wait.h syslog.h tar.h termios.h time.h ulimit.h unistd.h utime.h wchar.h wctype.h
    wordexp.h"""
ONLY_C = ["stdalign.h", "stdatomic.h", "stdnoreturn.h", "tgmath.h", "threads.h", "uchar.h"]
ONLY_CXX = ["algorithm", "atomic", "chrono", "cmath", "complex", "iostream", "regex", "thread"]
_WORDS = """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t
    char8_t class co_await co_return co_yield compl concept const const_cast consteval constexpr
    constinit continue decltype default delete do double dynamic_cast else enum explicit export
    extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq
    nullptr operator or or_eq private protected public register reinterpret_cast requires restrict
    return short signed sizeof static static_assert static_cast struct switch template this
    thread_local throw true try typedef typeid typename typeof typeof_unqual union unsigned using
    virtual void volatile wchar_t while xor xor_eq isnan signbit assert sin major minor setjmp
    offsetof int32_t uint8_t uint64_t cg_context cg_bool cg_float16 none args context"""
STANDARD, WORDS = _STANDARD.split(), _WORDS.split()


def quoted(text):
    """A string as MLIR's text has it."""
    return '"' + text.replace("\\", "\\5C").replace('"', "\\22") + '"'


def write_model(folder, name, entries, kinds="h", options=()):
    """A model that does nothing: `entries` are pairs of a name and the names of inputs, of which
    the first has one element, the second two, ..."""
    text = []
    for entry, inputs in entries:
        specs = ", ".join(
            f'{{name = {quoted(n)}, dtype = "float32", shape = [{i + 1}]}}'
            for i, n in enumerate(inputs)
        )
        params = "".join(f"%a{i}: !llvm.ptr, " for i in range(len(inputs)))
        text.append(
            f"llvm.func @{quoted(entry)}({params}%arena: !llvm.ptr) -> i32 attributes "
            f"{{cell.signature = {{args = [{specs}], results = []}}}} {{\n"
            "  %0 = llvm.mlir.constant(0 : i32) : i32\n  llvm.return %0 : i32\n}\n"
        )
    source = folder / f"{name}.mlir"
    source.write_text("".join(text), encoding="utf-8")
    first = folder / f"{name}.{kinds.split(',')[0]}"
    cellc = str(BUILD / "bin" / "cellc")
    subprocess.run(
        [cellc, source, "-o", first, f"--emit={kinds}", f"--name={name}", *options], check=True
    )
    return (folder / f"{name}.h").read_text(encoding="utf-8")


def includes(command, names):
    """The #include lines of those headers that this compiler has."""
    names = names + (ONLY_C if "c" in command else ONLY_CXX)
    return "".join(f"#if __has_include(<{n}>)\n#include <{n}>\n#endif\n" for n in names)


def check(command, folder, text, *more):
    (folder / "user.c").write_text(text)
    flags = [*STRICT, "-fsyntax-only", f"-I{folder}", *more]
    done = subprocess.run(
        [*command, *flags, folder / "user.c"], capture_output=True, text=True, check=False
    )
    return done.stderr[-3000:]


def fields(header):
    """Pairs of a struct's field and the macro for its number of elements, for each entry."""
    macros = re.findall(r"^#define (\w+_ELEMENTS) (\d+)u$", header, re.M)
    names = re.findall(r"^  const float \*(\w+);", header, re.M)
    assert len(macros) == len(names)
    return [(field, macro, int(size)) for field, (macro, size) in zip(names, macros, strict=True)]


def object_macros(command):
    """The macros without parameters that the standard headers define, and the compiler itself."""
    done = subprocess.run(
        [*command, "-dM", "-E", "-"],
        input=includes(command, STANDARD),
        capture_output=True,
        text=True,
        check=True,
    )
    found = set(re.findall(r"^#define (\w+)(?:\s|$)", done.stdout, re.M))
    assert {"NAN", "EOF", "errno", "stdin"} <= found
    return found


def test_fields_have_no_names_of_keywords_and_macros(tmp_path):
    names = set(WORDS).union(*(object_macros(command) for command in COMPILERS))
    ordered = sorted(names)
    entries = [(f"f{i}", ordered[i : i + 100]) for i in range(0, len(ordered), 100)]
    header = write_model(tmp_path, "m", entries)
    assert len({macro for _, macro, _ in fields(header)}) == len(names)
    uses = [f"#if {macro} != {size}\n#error\n#endif" for _, macro, size in fields(header)]
    uses += ["void use(void);", "void use(void) {"]
    for entry, inputs in entries:
        args = f"cg_m_{entry}_args"
        own = header.split(f"typedef struct {args} {{")[1].split("}")[0]
        given = re.findall(r"\*(\w+);", own)
        assert len(given) == len(inputs)
        uses.append(f"{args} {entry};")
        uses += [f"{entry}.{field} = 0; (void){entry}.{field};" for field in given]
    uses.append("}")
    body = "\n".join(uses)
    for command in COMPILERS:
        text = includes(command, STANDARD) + '#include "m.h"\n' + body
        assert check(command, tmp_path, text) == ""


ADVERSARIAL = [
    ("f", ["t", "T", "g_x", "int", "INT", "int_", "M_PI", "M.PI", "M_PI_2", "a.b", "a b", "_", ""]),
    ("f_args", ["x"]),
    ("f_g", ["x", "X"]),
    ("F", ["t", "T"]),
    ("F_t", ["ELEMENTS", "elements_elements"]),
    ("f.arena", ["bytes", "ARENA_BYTES"]),
    *((n, ["x"]) for n in ("f_arena_bytes", "pool_new", "pool_free")),
    *((n, []) for n in ("signature", "abi_version", "fingerprint", "check_header", "FINGERPRINT")),
    *((n, []) for n in ("fn", "record", "fn_args", "model_h", "status_message", "a.b", "a b")),
    *((n, ["x"]) for n in ("__f__", "_F", "3", "größe", "Größe", "\u202eevil", "bad\\", "??/")),
]


@pytest.mark.parametrize("model", ["print", "Print", "PRINT"])
def test_no_two_names_of_a_header_are_one(tmp_path, model):
    entries = [(e, [n or "*/" for n in inputs]) for e, inputs in ADVERSARIAL]
    header = write_model(tmp_path, model, entries, "h,so")
    library = ctypes.CDLL(str(tmp_path / f"{model}.so"))
    signature = library[f"cg_{model}_signature"]
    signature.restype = ctypes.c_char_p
    entries_json = json.loads(signature())["entries"]
    assert [e["name"] for e in entries_json] == [e for e, _ in entries]
    macros = re.findall(r"^#define (\w+)", header.split("CELLGRAD_ABI_VERSION */")[1], re.M)
    assert len(set(macros)) == len(macros)
    lines = [f'#include "{model}.h"', "int main(void) {"]
    uses = iter(fields(header))
    for entry in entries_json:
        assert hasattr(library, entry["symbol"])
        lines.append(f"{entry['symbol']}_args {entry['symbol']}_v;")
        for argument in entry["args"]:
            field, macro, size = next(uses)
            assert field == argument["field"] and [size] == argument["shape"]
            lines.append(f"static float {macro}_b[{macro}];")
            lines.append(f"{entry['symbol']}_v.{field} = {macro}_b;")
            lines.append(f"if ({macro} != {size}) return 1;")
        none = "" if entry["args"] else f"{entry['symbol']}_v.none = 0;"
        lines.append(f"{none} if ({entry['symbol']}(&{entry['symbol']}_v, 0) != CG_OK) return 2;")
    lines.append(f"return cg_{model}_check_header(); }}")
    text = "\n".join(lines)
    for command in COMPILERS:
        assert check(command, tmp_path, text) == ""
    program = tmp_path / "program"
    (tmp_path / "main.c").write_text(text)
    linked = [tmp_path / "main.c", tmp_path / f"{model}.so", f"-Wl,-rpath,{tmp_path}"]
    subprocess.run(["cc", f"-I{tmp_path}", *linked, "-o", program], check=True)
    assert subprocess.run([program], check=False).returncode == 0


def test_what_is_appended_changes_no_name(tmp_path):
    entries = [(e, inputs) for e, inputs in ADVERSARIAL if "" not in inputs]
    before = write_model(tmp_path, "m", entries[:6])
    after = write_model(tmp_path, "m", entries)
    start, end = before.index("/* Entry"), before.index("#ifdef __cplusplus\n}\n#endif\n#elif")
    assert before[start:end] in after


def test_names_that_are_fine_stay(tmp_path):
    header = write_model(
        tmp_path, "Net", [("forward", ["fc.weight", "W", "W_q", "W1", "B1", "Wq"])]
    )
    names = ["fc_weight", "W", "W_q", "W1", "B1", "Wq"]
    assert [field for field, _, _ in fields(header)] == names
    assert "#define cg_Net_FORWARD_FC_WEIGHT_ELEMENTS 1u\n" in header
    header = write_model(tmp_path, "net", [("forward", ["fc.weight"])])
    assert "#define CG_NET_FORWARD_FC_WEIGHT_ELEMENTS 1u\n" in header
    assert "int32_t cg_net_forward(const cg_net_forward_args *args, " in header


def test_models_whose_names_differ_in_case_go_together(tmp_path):
    for i, name in enumerate(["net", "Net", "NET", "nEt"]):
        (tmp_path / name).mkdir()
        write_model(tmp_path / name, name, [("f", ["a", "x", "y"][i % 3 :])])
    text = """
#include "net/net.h"
#include "Net/Net.h"
#include "NET/NET.h"
#include "nEt/nEt.h"
#include "net/net.h"
#if CG_NET_F_Y_ELEMENTS != 3 || cg_Net_F_Y_ELEMENTS != 2 || cg_NET_F_Y_ELEMENTS != 1
#error "elements"
#endif
#if cg_nEt_F_Y_ELEMENTS != 3 || CG_NET_F_A_ELEMENTS != 1
#error "elements"
#endif
void use(const float *y);
void use(const float *y) {
  cg_net_f_args a; cg_Net_f_args b; cg_NET_f_args c; cg_nEt_f_args d;
  a.y = b.y = c.y = d.y = y;
  (void)a; (void)b; (void)c; (void)d;
}
"""
    for command in COMPILERS:
        assert check(command, tmp_path, text) == ""


def both(folder, first, second):
    """What each compiler says of a file with the headers of two models: (name, entry, inputs)."""
    for name, entry, inputs in (first, second):
        write_model(folder, name, [(entry, inputs)])
    for one, other in ((first, second), (second, first)):
        text = f'#include "{one[0]}.h"\n#include "{other[0]}.h"\n'
        for command in COMPILERS:
            yield other[0], check(command, folder, text)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("a", "b_c", ["x"]), ("a_b", "c", ["x", "y"])),  # one function
        (("a", "b_c", ["x"]), ("a_b", "c", ["x"])),
        (("a", "B_c", ["x"]), ("a_B", "c", ["x"])),  # whose macros differ
        (("a", "b_C", ["x"]), ("a_b", "c", ["x"])),  # one macro for the arena
        (("a", "b", ["c_x"]), ("a_b", "c", ["y", "x"])),  # one macro for a size
    ],
)
def test_names_of_two_models_that_are_one_are_an_error(tmp_path, first, second):
    for other, told in both(tmp_path, first, second):
        assert f"a function or macro of the model '{other}' has the name of one of another" in told
        assert "name one of the models otherwise (cellc --name, file_name of ms.export)" in told


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("net", "train_step", ["fc.weight"]), ("net_train", "forward", ["fc.weight"])),
        (("a", "b_c", ["x_y"]), ("a_b", "d", ["x_y"])),
        (("m", "f", ["x"]), ("m_abi", "version", ["x"])),
        (("m_check", "header", ["x"]), ("m", "status", ["message"])),
    ],
)
def test_names_of_other_models_are_no_error(tmp_path, first, second):
    assert {told for _, told in both(tmp_path, first, second)} == {""}


def test_a_model_is_found_whatever_its_entries_are_called(tmp_path):
    names = ["version", "f_abi_version", "abi_version", "signature"]
    for model in ("m", "m_abi"):
        write_model(tmp_path, model, [(n, ["x"]) for n in names], "so,h")
        loaded = Model(str(tmp_path / f"{model}.so"))
        assert loaded.entries == names
        for name in names:
            loaded.entry(name)([np.ones(1, np.float32)])


PROGRAM = """
#include "m.h"
#include <stdio.h>
int main(void) {
  int32_t status = cg_m_check_header();
  puts(cg_m_status_message(status));
  return status != CG_OK && status != CG_ERROR_HEADER;
}
"""


@pytest.mark.parametrize(
    ("entries", "same"),
    [
        ([("f", ["a", "b"]), ("g", [])], True),
        ([("f", ["b", "a"]), ("g", [])], False),
        ([("f", ["a", "b", "c"]), ("g", [])], False),
        ([("f", ["a"]), ("g", [])], False),
        ([("f", ["a", "b"])], False),
        ([("f", ["a", "b"]), ("g2", [])], False),
    ],
)
def test_a_header_of_another_model_is_noticed(tmp_path, entries, same):
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    new.mkdir()
    header = write_model(old, "m", [("f", ["a", "b"]), ("g", [])])
    other = write_model(new, "m", entries, "so,h", ["--target=x86-64-v2"])
    (old / "main.c").write_text(PROGRAM)
    program = old / "program"
    command = ["cc", "-std=c11", *STRICT, old / "main.c", new / "m.so", f"-Wl,-rpath,{new}"]
    subprocess.run([*command, "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("success" if same else "the header the program was compiled with")

    mark = re.compile(r"^#define CG_M_FINGERPRINT 0x(\w+)u$", re.M)
    assert (mark.search(header)[1] == mark.search(other)[1]) == same
    library = ctypes.CDLL(str(new / "m.so"))
    library.cg_m_fingerprint.restype = ctypes.c_uint64
    library.cg_m_signature.restype = ctypes.c_char_p
    told = json.loads(library.cg_m_signature())["fingerprint"]
    assert library.cg_m_fingerprint() == int(told, 16) == int(mark.search(other)[1], 16)

    both = f'#include "{old}/m.h"\n#include "{new}/m.h"\n'
    told = check(COMPILERS[0], tmp_path, both)
    assert told == "" if same else "two versions of the model 'm' are included together" in told
