"""The command ``cellgrad``; `run` is in test_dropin.py."""

import re

import pytest

import cellgrad as ms
from cellgrad import command
from cellgrad.command import doctor


@pytest.fixture
def cached(tmp_path, monkeypatch):
    """A cache of its own, with one program in it."""
    monkeypatch.setenv("CELLGRAD_CACHE", "1")
    monkeypatch.setenv("CELLGRAD_CACHE_DIR", str(tmp_path))
    ms.jit(lambda x: x * 3.25)(ms.Tensor([1.0, 2.0]))
    return tmp_path


def test_doctor_finds_a_working_installation(cached, capsys):
    assert command.main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert "ok      compile and run: first and second derivative right to 14 digits" in said
    assert "ok      export: dense.h, dense.safetensors, dense.so" in said
    assert f"ok      cache: {cached}" in said and "FAILED" not in said


def test_doctor_says_what_is_wrong(cached, capsys, monkeypatch):
    monkeypatch.setattr(doctor.cellgrad, "export", lambda *_, **__: 1 / 0)
    monkeypatch.setattr(doctor, "_curve", lambda x: x * x)
    monkeypatch.setenv("CELLGRAD_CACHE", "0")
    monkeypatch.setattr(doctor.shutil, "which", lambda _: None)
    assert command.main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "FAILED  compile and run: ArithmeticError: a derivative is 1.4 and should be" in said
    assert "FAILED  export: ZeroDivisionError" in said
    assert "note    cache: off" in said and "note    C compiler: none" in said


def test_info_names_versions_and_settings(cached, capsys):
    assert command.main(["info"]) == 0
    said = capsys.readouterr().out
    assert re.search(rf"^cellgrad +{re.escape(ms.__version__)}, ", said, re.M)
    assert re.search(rf"^cache +{cached} \(1 programs, 0\.0 of 1024 MiB\)$", said, re.M)
    assert re.search(rf"^CELLGRAD_CACHE_DIR +{cached}$", said, re.M)


def test_the_cache_is_shown_and_emptied(cached, capsys):
    note = cached / "mine.txt"
    note.write_text("not the cache's")
    assert command.main(["cache"]) == 0
    assert capsys.readouterr().out.startswith("1 programs, ")
    assert command.main(["cache", "--clear"]) == 0
    assert f"dropped from {cached}" in capsys.readouterr().out
    assert not list(cached.rglob("*.so")) and note.exists()
    assert command.main(["cache"]) == 0
    assert capsys.readouterr().out.startswith("0 programs, 0.0 MiB")


def test_without_a_cache_it_says_so(monkeypatch, capsys):
    monkeypatch.setenv("CELLGRAD_CACHE", "0")
    assert command.main(["cache"]) == 0
    assert capsys.readouterr().out.startswith("The cache is off")


@pytest.mark.parametrize("words", [[], ["rum"]])
def test_a_command_that_is_not_there(words, capsys):
    with pytest.raises(SystemExit) as e:
        command.main(words)
    assert e.value.code == 2
    assert re.search("required: COMMAND|choose from", capsys.readouterr().err)
