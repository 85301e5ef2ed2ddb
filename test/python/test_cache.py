"""The cache on disk: found again, never trusted, bounded; reasons for compiling."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, _native, nn, ops
from cellgrad.compile import cache as _cache
from cellgrad.compile import program as _jit

X = Tensor([1.0, 2.0, 3.0])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CELLGRAD_CACHE", "1")
    monkeypatch.setenv("CELLGRAD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(_cache, "_written", 0)
    return tmp_path / "cache"


@pytest.fixture
def compiled(monkeypatch):
    """How often the compiler ran."""
    count = []
    original = _native.compile_graph

    def counting(*args):
        count.append(1)
        return original(*args)

    monkeypatch.setattr(_native, "compile_graph", counting)
    return count


def call(factor=2.0):
    """Compiles `x * factor` anew and checks what it gives."""
    np.testing.assert_array_equal(ms.jit(lambda x: x * factor)(X).asnumpy(), X.asnumpy() * factor)


def entries(folder):
    return sorted(folder.glob("??/*"))


def test_the_same_code_is_compiled_once(folder, compiled):
    call()
    (entry,) = entries(folder)
    assert entry.name == entry.parent.name + entry.name[2:] and len(entry.stem) == 64
    call()
    assert len(compiled) == 1
    call(3.0)
    assert len(compiled) == 2 and len(entries(folder)) == 2


DAMAGE = {
    "one bit": lambda b: b[:100] + bytes([b[100] ^ 1]) + b[101:],
    "cut": lambda b: b[:-7],
    "half": lambda b: b[: len(b) // 2],
    "empty": lambda b: b"",
    "text": lambda b: b"hello",
    "other code": lambda b: b.replace(b"cg_m", b"cg_n"),
    "no mark": lambda b: b[:-16],
    "checksum": lambda b: b[:-20] + b"0000" + b[-16:],
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_entry_is_compiled_again_and_replaced(folder, compiled, damage):
    call()
    (entry,) = entries(folder)
    good = entry.read_bytes()
    entry.write_bytes(DAMAGE[damage](good))
    call()
    assert len(compiled) == 2
    body = entry.read_bytes()[: -_cache._TAIL]
    digest = hashlib.sha256(bytes.fromhex(entry.stem) + body).digest()
    assert entry.read_bytes()[len(body) :] == digest + _cache._MARK
    call()
    assert len(compiled) == 2


@pytest.mark.parametrize("part", ["compiler_id", "processor_id"])
def test_another_compiler_or_processor_is_another_entry(folder, compiled, monkeypatch, part):
    call()
    monkeypatch.setattr(_cache, part, lambda: b"another")
    call()
    assert len(compiled) == 2 and len(entries(folder)) == 2


def test_a_key_depends_on_every_part_and_on_where_they_end():
    keys = {_cache.key(*parts) for parts in [("ab", "c"), ("a", "bc"), ("ab", ""), ("ab", "c")]}
    assert len(keys) == 3
    assert len(_cache.compiler_id()) in (20, 32) and _cache.processor_id()


def test_a_failure_writes_no_entry(folder, monkeypatch):
    def fail(*args):
        raise _native.CompileError("no")

    monkeypatch.setattr(_native, "compile_graph", fail)
    with pytest.raises(ms.CompileError, match="could not be compiled"):
        ms.jit(lambda x: x * 2)(X)
    assert entries(folder) == []


@pytest.mark.parametrize("usable", [True, False])
def test_a_file_that_cannot_be_written_is_an_error_of_its_own(folder, monkeypatch, usable):
    if not usable:  # files where folders of entries should be
        folder.mkdir()
        for i in range(256):
            (folder / f"{i:02x}").touch()
    monkeypatch.setattr(_jit, "fresh_path", lambda: "/nonexistent/m.so")
    with pytest.raises(FileNotFoundError) as caught:
        call()
    assert caught.value.filename == "/nonexistent/m.so"
    assert caught.value.__context__ is None


def test_the_least_recently_used_entries_are_dropped(folder, monkeypatch):
    folder.mkdir()
    (folder / "aa").mkdir()
    for i in range(10):
        path = folder / "aa" / f"{i:064}.so"
        path.write_bytes(bytes(200 << 10))
        os.utime(path, (i, i))
    monkeypatch.setenv("CELLGRAD_CACHE_SIZE", "1")
    _cache.trim(folder)
    assert [int(p.stem) for p in entries(folder)] == [7, 8, 9]
    _cache.trim(folder)
    assert len(entries(folder)) == 3


def test_only_entries_are_dropped(folder, tmp_path, monkeypatch):
    """Although the folder, by mistake, is one with other files, or has links to such."""
    (folder / "go").mkdir(parents=True)
    others = tmp_path / "others"
    others.mkdir()
    kept = [folder / "go" / "a", folder / "b.so", others / f"{0:064}.so"]
    for path in kept:
        path.write_bytes(bytes(2 << 20))
    (folder / "ab").symlink_to(others)
    (folder / "aa").mkdir()
    (folder / "aa" / ".cellgrad-left-by-a-killed-process").write_bytes(bytes(2 << 20))
    monkeypatch.setenv("CELLGRAD_CACHE_SIZE", "1")
    _cache.trim(folder)
    assert all(path.exists() for path in kept) and list((folder / "aa").iterdir()) == []


def test_a_limit_that_is_no_number(folder, monkeypatch):
    monkeypatch.setenv("CELLGRAD_CACHE_SIZE", "1 GB")
    with pytest.raises(
        ValueError, match=r"must be a number of MiB, but is '1 GB'(.|\n)*digits only"
    ):
        call()


def test_found_entries_count_as_used(folder):
    call()
    (entry,) = entries(folder)
    os.utime(entry, (1, 1))
    call()
    assert entry.stat().st_mtime > 1000


@pytest.mark.parametrize("switch", ["off", "a file", "a file below"])
def test_without_a_folder_it_compiles(folder, compiled, monkeypatch, switch):
    if switch == "off":
        monkeypatch.setenv("CELLGRAD_CACHE", "0")
    elif switch == "a file":
        folder.write_text("")
    else:
        folder.mkdir()
        for i in range(256):
            (folder / f"{i:02x}").write_text("")
    call()
    call()
    assert len(compiled) == 2
    assert entries(folder) == []


def test_an_entry_copied_to_another_name_is_not_loaded(folder, compiled):
    call(2.0)
    (first,) = entries(folder)
    call(3.0)
    (second,) = set(entries(folder)) - {first}
    second.write_bytes(first.read_bytes())
    call(3.0)  # and not twice the argument
    assert len(compiled) == 3
    call(3.0)
    assert len(compiled) == 3


def give_away(path, monkeypatch):
    """Makes `path` another user's, for the cache at least."""
    if os.geteuid() == 0:
        os.chown(path, 12345, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12345)


DISTRUSTED = {
    "writable by all": lambda p, m: p.chmod(0o707),
    "writable by the group": lambda p, m: p.chmod(0o770),
    "another user's": give_away,
}


@pytest.mark.parametrize("below", [False, True])
@pytest.mark.parametrize("way", DISTRUSTED)
def test_folders_that_others_may_write_to_are_not_used(folder, compiled, monkeypatch, way, below):
    call()
    (entry,) = entries(folder)
    before = entry.read_bytes()
    where = entry.parent if below else folder
    monkeypatch.setattr(_cache, "_told", set())
    DISTRUSTED[way](where, monkeypatch)
    with pytest.warns(RuntimeWarning) as told:
        call()
        call()
    assert len(compiled) == 3 and entry.read_bytes() == before
    if below or way != "another user's" or os.geteuid() == 0:
        (warning,) = told
        assert f"'{where}' " in str(warning.message) and "chmod go-w" in str(warning.message)


@pytest.mark.parametrize("way", ["writable by all", "writable by the group", "a link", "a pipe"])
def test_files_that_others_may_write_to_are_replaced(folder, compiled, monkeypatch, tmp_path, way):
    call()
    (entry,) = entries(folder)
    if way == "a link":
        entry.rename(tmp_path / "elsewhere")
        entry.symlink_to(tmp_path / "elsewhere")
    elif way == "a pipe":
        entry.unlink()
        os.mkfifo(entry)
    else:
        DISTRUSTED[way](entry, monkeypatch)
    call()
    assert len(compiled) == 2
    if way == "a pipe":
        return
    call()
    assert len(compiled) == 2 and not entry.is_symlink() and entry.stat().st_mode & 0o777 == 0o600


def test_a_link_to_another_folder_of_entries_is_not_followed(folder, compiled, tmp_path):
    call()
    (entry,) = entries(folder)
    entry.parent.rename(tmp_path / "elsewhere")
    entry.parent.symlink_to(tmp_path / "elsewhere")
    call()
    assert len(compiled) == 2


def test_an_open_umask_leaves_no_open_files(folder, compiled):
    before = os.umask(0)
    try:
        call()
        call()
    finally:
        os.umask(before)
    assert len(compiled) == 1


def test_a_huge_entry_is_not_read(folder, compiled):
    call()
    (entry,) = entries(folder)
    os.truncate(entry, 1 << 40)
    call()
    assert len(compiled) == 2 and entry.stat().st_size < 1 << 20


SCRIPT = """
import cellgrad as ms
x = ms.Tensor([1.0, 2.0])
print((x + 1) * x, ms.grad(lambda v: (v * v).sum())(x), ms.ops.sin(x))
"""


def run_all(folder, count):
    env = {**os.environ, "CELLGRAD_CACHE": "1", "CELLGRAD_CACHE_DIR": str(folder)}
    env["CELLGRAD_LOG"] = "cache"
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", SCRIPT],
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(count)
    ]
    return [run.communicate() for run in runs]


def test_processes_share_a_folder(folder):
    first = run_all(folder, 3)
    ((out, log),) = run_all(folder, 1)
    assert out.startswith("[2. 6.]") and {o for o, _ in first} == {out}
    assert log.count(": found") == len(entries(folder)) == 4 and "stored" not in log
    assert all(p.suffix == ".so" for p in entries(folder))


# --- reasons ----------------------------------------------------------------------------------


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 1)
        self.k = 1.0

    def construct(self, x):
        y = self.fc(x) * self.k
        return ops.relu(y) if self.training else y


FACTOR = 2.0


def scaled(x, mode="a", times=1):
    return x * FACTOR * times


def test_reasons_for_compiling(capsys, monkeypatch):
    monkeypatch.setenv("CELLGRAD_LOG", "recompile")

    def reason(function, *args):
        capsys.readouterr()
        function(*args)
        lines = capsys.readouterr().err.splitlines()
        return lines[0].removeprefix("[cellgrad] recompile: ") if lines else ""

    f, net, x = ms.jit(scaled), Net(), Tensor(np.ones((2, 3), np.float32))
    ms.set_context(mode=ms.GRAPH_MODE)
    assert reason(f, x) == "'scaled': first call"
    assert reason(f, x) == ""
    wide = Tensor(np.ones((4, 3), np.float32))
    wanted = "'scaled': input tensor 0 was Float32[2, 3], is Float32[4, 3]"
    assert reason(f, wide) == wanted
    assert reason(f, x, "a") == "'scaled': the inputs have another structure"
    assert reason(f, x, "b") == "'scaled': a static input was 'a', is 'b'"
    monkeypatch.setattr(sys.modules[__name__], "FACTOR", 3.0)
    assert reason(f, x) == "'scaled': 'FACTOR' was 2.0, is 3.0"
    assert reason(net, x) == "'Net': first call"
    net.k = 2.0
    assert reason(net, x) == "'Net': an attribute of a Cell it reads was assigned"
    net.set_train()
    assert reason(net, x).startswith("'Net': set_train() changed")
    net.fc.bias.set_data(Tensor([[1.0]]))
    assert reason(net, x) == "'Net': Parameter 'fc.bias' was Float32[1], is Float32[1, 1]"
    p = Parameter(Tensor([1.0]), name="p")
    g = ms.jit(lambda v: v + p)
    assert reason(g, x) == "'lambda': first call"
    p.set_data(Tensor([1.0]))
    assert reason(g, x) == ""
