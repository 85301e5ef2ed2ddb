"""Files that appear complete or not at all: modes, errors that name the file, and what is read."""

import errno
import os
import resource
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from cellgrad.core import files as _files


def write(path, content=b"new", **options):
    with _files.replacing(str(path), **options) as file:
        file.write(content)


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002, 0o000])
def test_the_umask_is_respected_and_left_alone(tmp_path, monkeypatch, mask):
    before = os.umask(mask)
    try:

        def changed(value):
            raise AssertionError("the umask is all threads'")

        with monkeypatch.context() as m:
            m.setattr(os, "umask", changed)
            write(tmp_path / "a")
            write(tmp_path / "b", mode=0o600)
    finally:
        assert os.umask(before) == mask
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o666 & ~mask
    assert (tmp_path / "b").stat().st_mode & 0o777 == 0o600 & ~mask


def test_many_threads_at_one_file(tmp_path):
    path = tmp_path / "a"

    def work(i):
        for _ in range(50):
            write(path, bytes([i]) * 100, durable=False)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert os.listdir(tmp_path) == ["a"]
    assert len(path.read_bytes()) == 100 and len(set(path.read_bytes())) == 1


def test_errors_name_the_file_that_was_asked_for(tmp_path):
    gone = tmp_path / "gone" / "a"
    with pytest.raises(FileNotFoundError) as caught:
        write(gone)
    assert caught.value.filename == str(gone)
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError) as caught:
        write(tmp_path / "folder")
    assert caught.value.filename == str(tmp_path / "folder")
    assert os.listdir(tmp_path) == ["folder"]


def test_no_room_leaves_the_old_file(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError) as caught:
            write(path, bytes(2000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert (caught.value.errno, caught.value.filename) == (errno.EFBIG, str(path))
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["a"]


def test_a_folder_that_goes_away_while_writing(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    replacing = _files.replacing(str(folder / "a"))
    with pytest.raises(FileNotFoundError, match="folder/a"), replacing as file:
        file.write(b"new")
        (part,) = folder.iterdir()
        part.unlink()
        folder.rmdir()


def test_only_files_are_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/zero", str(tmp_path / "pipe")):
        with pytest.raises(OSError, match="it is a device or a pipe, not a file"):
            _files.read_all(path)
    with pytest.raises(IsADirectoryError):
        _files.read_all(str(tmp_path))
    (tmp_path / "a").write_bytes(b"content")
    assert _files.read_all(str(tmp_path / "a"))[0] == b"content"
    with pytest.raises(OSError, match="it has 7 bytes, more than 6"):
        _files.read_all(str(tmp_path / "a"), limit=6)


def test_nothing_stays_open(tmp_path):
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(10):
        for path in ("/dev/zero", str(tmp_path), str(tmp_path / "none")):
            with pytest.raises(OSError):
                _files.read_all(path)
    assert len(os.listdir("/proc/self/fd")) == before
