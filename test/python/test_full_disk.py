"""A disk that is full while a model is written: an error, and files as they were."""

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CELLGRAD_BUILD_DIR", ROOT / "build"))

MODEL = """
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = cell.tanh %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""

# The FAIL_AT-th call that creates, writes, flushes or renames a file in FAIL_DIR fails.
SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fails(const char *path) {
  static int count, last;
  const char *folder = getenv("FAIL_DIR"), *at = getenv("FAIL_AT");
  if (!folder || !at || strncmp(path, folder, strlen(folder)) != 0)
    return 0;
  struct stat there;
  if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
    return 0; /* a pipe takes no room */
  if (atoi(at) != last) {
    last = atoi(at);
    count = 0;
  }
  if (++count != last)
    return 0;
  errno = ENOSPC;
  return 1;
}

static int failsAt(int descriptor) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t size = readlink(link, path, sizeof path - 1);
  path[size > 0 ? size : 0] = 0;
  return fails(path);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int descriptor, const void *bytes, size_t size) {
  return failsAt(descriptor) ? -1 : NEXT(write)(descriptor, bytes, size);
}
int fsync(int descriptor) { return failsAt(descriptor) ? -1 : NEXT(fsync)(descriptor); }
int rename(const char *from, const char *to) { return fails(to) ? -1 : NEXT(rename)(from, to); }
#define OPEN(name)                                          \
  int name(const char *path, int flags, ...) {              \
    va_list more;                                           \
    va_start(more, flags);                                  \
    int mode = flags & O_CREAT ? va_arg(more, int) : 0;     \
    va_end(more);                                           \
    int create = flags & O_CREAT;                           \
    return create && fails(path) ? -1 : NEXT(name)(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)
"""


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shim")
    (folder / "shim.c").write_text(SHIM)
    library = folder / "shim.so"
    flags = ["-w", "-shared", "-fPIC", "-U_FORTIFY_SOURCE"]
    subprocess.run(["cc", *flags, folder / "shim.c", "-o", library, "-ldl"], check=True)
    return library


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "model.mlir"
    path.write_text(MODEL)
    return path


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def preloading(shim):
    """The environment, where a sanitizer's runtime may be preloaded, too."""
    return {**os.environ, "LD_PRELOAD": f"{os.environ.get('LD_PRELOAD', '')} {shim}".strip()}


def cellc(source, folder, **how):
    command = [BUILD / "bin" / "cellc", source, "-o", folder / "m.so", "--emit=so,h,o,ll"]
    return subprocess.run(command, capture_output=True, text=True, check=False, **how)


@pytest.mark.parametrize("old", [{}, dict.fromkeys(["m.so", "m.h", "m.o", "m.ll"], b"old")])
def test_every_failure_of_cellc_leaves_files_as_they_were(tmp_path, source, shim, old):
    folder = tmp_path / "out"
    folder.mkdir()
    for name, content in old.items():
        (folder / name).write_bytes(content)
    env = {**preloading(shim), "FAIL_DIR": f"{folder}/"}
    env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    for at in range(1, 100):
        done = cellc(source, folder, env={**env, "FAIL_AT": str(at)})
        if done.returncode == 0:
            break
        assert done.returncode == 1
        assert f"error: cannot write '{folder}/m." in done.stderr
        assert "No space left on device" in done.stderr
        assert contents(folder) == old
    assert at > 4 * 3  # created, written, flushed, renamed
    new = contents(folder)
    assert sorted(new) == ["m.h", "m.ll", "m.o", "m.so"] and b"old" not in new.values()


def test_temporary_files_that_cannot_be_written_are_named(tmp_path, source, shim):
    temporary, folder = tmp_path / "tmp", tmp_path / "out"
    temporary.mkdir()
    folder.mkdir()
    env = {**preloading(shim), "FAIL_DIR": f"{temporary}/", "TMPDIR": str(temporary)}
    for at in range(1, 100):
        done = cellc(source, folder, env={**env, "FAIL_AT": str(at)})
        assert list(temporary.iterdir()) == []
        if done.returncode == 0:
            break
        assert done.returncode == 1
        assert f"error: cannot write '{temporary}/cellgrad-" in done.stderr
        assert ": No space left on device" in done.stderr
        assert contents(folder) == {}
    assert at > 4 * 2  # four files for the linker: created, written


EXPORT = """
import errno, os, sys
import cellgrad as ms
from cellgrad import nn

folder = sys.argv[1]
net, x = nn.Dense(3, 2, weight_init="ones", bias_init="ones"), ms.ops.ones((1, 3))
listing = lambda: {name: open(f"{folder}/{name}", "rb").read() for name in os.listdir(folder)}
for old in {}, dict.fromkeys(["m.so", "m.h", "m.safetensors"], b"old"):
    for name, content in old.items():
        with open(f"{folder}/{name}", "wb") as file:
            file.write(content)
    os.environ["FAIL_DIR"] = folder + "/"
    for at in range(1, 100):
        os.environ["FAIL_AT"] = str(at)
        try:
            files = ms.export(net, x, file_name=f"{folder}/m")
        except OSError as e:
            assert e.errno == errno.ENOSPC and e.filename.startswith(f"{folder}/m."), e
            assert str(e).startswith("[Errno 28] No space left on device"), e
            assert listing() == old, (at, listing())
        else:
            break
    assert at > 3 * 3, at
    assert sorted(listing()) == ["m.h", "m.safetensors", "m.so"] and b"old" not in listing().values()
    assert ms.load(files[0]).forward(x).asnumpy().tolist() == net(x).asnumpy().tolist()
    del os.environ["FAIL_DIR"]
    for name in listing():
        os.unlink(f"{folder}/{name}")
print("fine")
"""


def test_every_failure_of_export_leaves_files_as_they_were(tmp_path, shim):
    env = preloading(shim)
    command = [sys.executable, "-c", EXPORT, str(tmp_path)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr[-2000:]


@pytest.mark.parametrize("limit", [0, 1000, 6000])
def test_a_limit_of_file_sizes_is_an_error(tmp_path, source, limit):
    folder = tmp_path / "out"
    folder.mkdir()

    def restrict():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    env = {**os.environ, "LLVM_PROFILE_FILE": os.devnull}  # the limit is one of all files
    done = cellc(source, folder, preexec_fn=restrict, env=env)
    assert done.returncode == 1
    assert "File too large (it takes " in done.stderr
    assert not contents(folder)


def test_a_full_disk_is_an_error(tmp_path, source):
    """A file system of 12 KiB, of which 8 are taken."""
    unshare = [shutil.which("unshare") or "unshare", "--user", "--map-root-user", "--mount"]
    script = 'mount -t tmpfs -o size=12k tmpfs "$1" && cd "$1" && head -c 8192 /dev/zero > filler'
    folder = tmp_path / "out"
    folder.mkdir()
    try:
        subprocess.run([*unshare, "sh", "-c", script, "sh", folder], check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs the right to mount a tmpfs: root, or user namespaces for all")
    script += f' && "{BUILD}/bin/cellc" "$2" -o "$1/m.so" --emit=so; echo $?; ls -A'
    done = subprocess.run(
        [*unshare, "sh", "-c", script, "sh", folder, source],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "1\nfiller\n"
    assert "cannot write" in done.stderr and "No space left on device (it takes" in done.stderr
