"""Checkpoints: Parameters in files, with MindSpore's functions and formats."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from cellgrad.checkpoints import ckpt as _checkpoint
from cellgrad.checkpoints import safetensors as _safetensors
from cellgrad.checkpoints import together
from cellgrad.core.aliases import Names, State
from cellgrad.core.arguments import check_bool, check_instance, check_one_of
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error, stack_position
from cellgrad.core.parameter import Parameter
from cellgrad.core.tensor import Tensor
from cellgrad.nn.cell import Cell

__all__ = ["load_checkpoint", "load_param_into_net", "save_checkpoint"]

Entries = dict[str, "Tensor | str"]
Choice = Callable[[str], bool] | None

_FORMATS = ("ckpt", "safetensors")


class _Writing:
    """A file that is being written in another thread."""

    def __init__(self, entries: Entries, path: str, format: str):
        self._work = (entries, path, format)
        self._path = path
        self._position = stack_position()
        self._failure: BaseException | None = None
        # MindSpore's name: scripts look for it to see whether the thread has ended.
        self._thread = threading.Thread(target=self._run, name="asyn_save_ckpt")
        self._thread.start()

    def _run(self) -> None:
        try:
            _write(*self._work)
        except BaseException as e:
            self._failure = e
        del self._work

    def wait(self) -> None:
        self._thread.join()

    def check(self) -> None:
        """Raises what the thread raised, with the path and the line of the call."""
        if self._failure is None:
            return
        kind = type(self._failure) if isinstance(self._failure, OSError) else RuntimeError
        raise error(
            kind,
            f"The checkpoint file '{self._path}', which save_checkpoint(async_save=True) wrote in "
            f"another thread, was not written: {self._failure}.",
            "a file that was there before is as it was; call save_checkpoint again",
            self._position,
        ) from self._failure


_writing: _Writing | None = None  # guarded by _saving
_saving = threading.RLock()


def finish_saving() -> None:
    """Waits for a file that `save_checkpoint` writes in another thread, and raises its error."""
    global _writing
    with _saving:
        if _writing is not None:
            _writing.wait()
            done, _writing = _writing, None
            done.check()


def _finish_at_exit() -> None:
    """The last place to tell of a failure: nothing of the user's comes after it."""
    try:
        finish_saving()
    except Exception as e:
        print(f"[cellgrad] {type(e).__name__}: {e}", file=sys.stderr, flush=True)


atexit.register(_finish_at_exit)


def _no_encryption(key: Any, where: str) -> None:
    if key is not None:
        raise error(
            ValueError,
            f"For '{where}', encrypted checkpoints are not supported.",
            "leave the key out, and encrypt the file with a tool of your choice",
        )


def _named(save_obj: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(save_obj, Cell):
        save_obj.check_names()
        return [(p.name, p) for p in save_obj.get_parameters()]
    if isinstance(save_obj, dict):
        return save_obj.items()
    out = []
    for item in save_obj:
        if isinstance(item, Parameter):
            out.append((item.name, item))
        elif isinstance(item, dict) and "name" in item and "data" in item:
            out.append((item["name"], item["data"]))
        else:
            raise error(
                TypeError,
                "For 'save_checkpoint', a list must hold Parameters or dicts with 'name' and "
                f"'data', but got {type(item).__name__}.",
            )
    return out


def _entries(save_obj: Any, append: Mapping[str, Any] | None, choice: Choice) -> Entries:
    out: Entries = {}
    for name, value in _named(save_obj):
        if not isinstance(name, str) or not isinstance(value, Tensor | np.ndarray | str):
            raise error(
                TypeError,
                "For 'save_checkpoint', names must be str and values Parameters, Tensors or str, "
                f"but got {type(name).__name__} and {type(value).__name__}.",
            )
        if choice is None or choice(name):
            out[name] = value if isinstance(value, Tensor | str) else Tensor(value)
    for name, value in (append or {}).items():
        if not isinstance(name, str) or not isinstance(value, Tensor | str | int | float):
            raise error(
                TypeError,
                "For 'save_checkpoint', 'append_dict' must have str as keys and int, float, bool, "
                f"str, Parameter or Tensor as values, but got {type(name).__name__} and "
                f"{type(value).__name__}.",
            )
        out[name] = value if isinstance(value, Tensor | str) else Tensor(value)
    return out


def save_checkpoint(
    save_obj: Cell | Parameter | Mapping[str, object] | Sequence[Mapping[str, object]],
    ckpt_file_name: str,
    integrated_save: bool = True,
    async_save: bool | str = False,
    append_dict: Mapping[str, object] | None = None,
    enc_key: bytes | None = None,
    enc_mode: str = "AES-GCM",
    choice_func: Choice = None,
    crc_check: bool = False,
    format: str = "ckpt",
    **kwargs: object,
) -> None:
    """Writes Parameters to a file, which appears complete or not at all.

    Parameters of which each rank has a part, as the state of an optimizer with
    `enable_parallel_optimizer`, are written as a whole: then all ranks call this together, and one
    process of a machine writes the file, now.

    Args:
        save_obj: a Cell, a list of Parameters or of ``{"name": ..., "data": ...}``, or a dict of
            Parameters.
        ckpt_file_name: the path; the format's ending is added where it is missing.
        integrated_save: kept for scripts.
        async_save: whether to write in another thread, after the values were copied. If that
            fails, the next call of `save_checkpoint` or `load_checkpoint` raises the error, as does
            the end of `Model.train`; at the latest, the end of the process prints it.
        append_dict: more entries: numbers, strings, Tensors or Parameters.
        enc_key: must be None.
        enc_mode: kept for scripts.
        choice_func: which names are written.
        crc_check: kept for scripts: every file has a checksum.
        format: ``"ckpt"``, which MindSpore reads, or ``"safetensors"``.

    Raises:
        TypeError: an argument of another type.
        ValueError: an unknown format, two Parameters of one name, or a key for encryption.
        IsADirectoryError: `ckpt_file_name` is a directory.
        OSError: the file cannot be written, now or by an earlier call with `async_save`. What was
            there before is as it was.
        RuntimeError: an earlier call with `async_save` failed otherwise.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "net.ckpt")
    >>> ms.save_checkpoint(nn.Dense(2, 1), path)
    >>> ms.load_checkpoint(path)["bias"].shape
    (1,)
    """
    global _writing
    check_one_of(format, "save_checkpoint", "format", _FORMATS)
    check_instance(save_obj, "save_checkpoint", "save_obj", Cell | list | dict)
    check_instance(ckpt_file_name, "save_checkpoint", "ckpt_file_name", str)
    check_instance(append_dict, "save_checkpoint", "append_dict", dict | None)
    _no_encryption(enc_key, "save_checkpoint")
    path = os.path.realpath(ckpt_file_name)
    if os.path.isdir(path):
        raise error(
            IsADirectoryError,
            f"For 'save_checkpoint', '{ckpt_file_name}' is a directory, it must be a file name.",
        )
    if not path.endswith(format):
        path += f".{format}"
    entries = _entries(save_obj, append_dict, choice_func)
    _check_writable(entries, format)
    divided = together.has_parts(entries.values())
    if divided:
        entries = together.whole(entries)
        if not together.is_writer(path):
            together.meet()
            return
    with _saving:
        finish_saving()
        if not async_save or divided:
            _write(entries, path, format)
            if divided:
                together.meet()
            return
        copies = {k: v if isinstance(v, str) else Tensor(v) for k, v in entries.items()}
        _writing = _Writing(copies, path, format)


def _check_writable(entries: Entries, format: str) -> None:
    text = sorted(k for k, v in entries.items() if isinstance(v, str))
    if format == "safetensors" and text:
        raise error(
            TypeError,
            f"A .safetensors file cannot hold strings, but {text} are strings.",
            'give format="ckpt", or leave them out',
        )


def _write(entries: Entries, path: str, format: str) -> None:
    if format == "ckpt":
        _checkpoint.write(entries, path)
    else:
        _safetensors.save({k: v for k, v in entries.items() if isinstance(v, Tensor)}, path)


def _prefixes(value: Any) -> tuple[str, ...] | None:
    if value is None:
        return None
    out = (value,) if isinstance(value, str) else value
    if not isinstance(out, list | tuple) or not all(isinstance(p, str) for p in out):
        raise error(
            TypeError,
            "For 'load_checkpoint', 'specify_prefix' and 'filter_prefix' must be str or a list of "
            f"str, but got {value!r}.",
        )
    if not out or "" in out:
        raise error(
            ValueError,
            "For 'load_checkpoint', 'specify_prefix' and 'filter_prefix' can't be empty or "
            "include ''.",
        )
    return tuple(out)


def load_checkpoint(
    ckpt_file_name: str,
    net: Cell | None = None,
    strict_load: bool = False,
    filter_prefix: str | Sequence[str] | None = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: Names | None = None,
    choice_func: Choice = None,
    crc_check: bool = False,
    remove_redundancy: bool = False,
    format: str = "ckpt",
) -> State:
    """Reads Parameters from a file that `save_checkpoint`, here or in MindSpore, has written.

    Args:
        ckpt_file_name: the path.
        net: a Cell to load them into, too.
        strict_load: see `load_param_into_net`.
        filter_prefix: beginnings of names to leave out.
        dec_key: must be None.
        dec_mode: kept for scripts.
        specify_prefix: beginnings of the only names to read.
        choice_func: which names are read.
        crc_check: whether a ckpt file without a checksum is refused. A checksum is compared
            wherever there is one; without one, as MindSpore writes files by default, damage may go
            unnoticed, and a warning says so.
        remove_redundancy: kept for scripts.
        format: ``"ckpt"`` or ``"safetensors"``.

    Returns:
        Parameters, and texts, by name.

    Raises:
        TypeError: an argument of another type.
        ValueError: no such file, a damaged one, one of another format, or nothing left to load.
        OSError: the file cannot be read.

    >>> import tempfile
    >>> path = tempfile.mkdtemp()
    >>> ms.save_checkpoint(nn.Dense(2, 1, "ones"), f"{path}/dense.ckpt")
    >>> print(ms.load_checkpoint(f"{path}/dense.ckpt")["weight"].value())
    [[1. 1.]]
    """
    kept, dropped = _prefixes(specify_prefix), _prefixes(filter_prefix)
    _no_encryption(dec_key, "load_checkpoint")
    check_one_of(format, "load_checkpoint", "format", _FORMATS)
    check_instance(ckpt_file_name, "load_checkpoint", "ckpt_file_name", str)
    if not ckpt_file_name.endswith(format):
        raise error(
            ValueError,
            f"For 'load_checkpoint', the name must end with the format, but got "
            f"'{ckpt_file_name}' and '{format}'.",
            'give format="safetensors" for .safetensors files',
        )
    finish_saving()
    if not os.path.exists(ckpt_file_name):
        raise error(
            ValueError, f"For 'load_checkpoint', the file '{ckpt_file_name}' does not exist."
        )
    entries: Entries
    if format == "ckpt":
        entries = _checkpoint.read(ckpt_file_name, crc_check)
    else:
        entries = dict(_safetensors.load(ckpt_file_name))
    out: dict[str, Any] = {}
    for name, value in entries.items():
        if (kept and not name.startswith(kept)) or (dropped and name.startswith(dropped)):
            continue
        if choice_func is None or choice_func(name):
            out[name] = Parameter(value, name=name) if isinstance(value, Tensor) else value
    if not out:
        raise error(
            ValueError,
            f"Nothing was loaded from '{ckpt_file_name}': it is empty, or all its names were left "
            "out.",
            "check 'filter_prefix', 'specify_prefix' and 'choice_func'",
        )
    if net is not None:
        load_param_into_net(net, out, strict_load)
    return out


def _convertible(a: Type, b: Type) -> bool:
    return a.kind == b.kind or {a.kind, b.kind} == {"i", "u"}


def _fitting(target: Parameter, value: Tensor, strict: bool) -> Tensor:
    """The value to store in a Parameter."""
    shape, wanted = value.shape, together.shape_of(target)
    if len(shape) > len(wanted) and set(shape[len(wanted) :]) == {1}:
        shape = shape[: len(wanted)]
    if shape != wanted:
        raise error(
            RuntimeError,
            f"For 'load_param_into_net', {target.name} in the argument 'net' should have the same "
            f"shape as {target.name} in the argument 'parameter_dict'. But got its shape "
            f"{wanted} in 'net' and shape {value.shape} in 'parameter_dict'.",
            "check that the checkpoint belongs to this network",
        )
    if value.dtype is not target.dtype and (strict or not _convertible(value.dtype, target.dtype)):
        raise error(
            RuntimeError,
            f"For 'load_param_into_net', {target.name} in the argument 'net' should have the same "
            f"type as in the argument 'parameter_dict', but got {target.dtype} in 'net' and "
            f"{value.dtype} in 'parameter_dict'.",
            "give strict_load=False, which converts between floats and between integers"
            if strict
            else "check that the checkpoint belongs to this network",
        )
    array = value._concrete("load_param_into_net()")
    return together.own(target, Tensor(array.reshape(shape), target.dtype))


def load_param_into_net(
    net: Cell,
    parameter_dict: Mapping[str, object],
    strict_load: bool = False,
    remove_redundancy: bool = False,
) -> tuple[list[str], list[str]]:
    """Stores values in the Parameters of those names; all of them, or none if one does not fit.

    Args:
        net: the Cell.
        parameter_dict: Parameters by name, as `load_checkpoint` gives them.
        strict_load: whether dtypes must be the same; else floats, and integers, are converted, and
            names that lack a common prefix are found.
        remove_redundancy: kept for scripts.

    Returns:
        Names in the Cell that were not loaded, and names in `parameter_dict` that were not used.

    Raises:
        TypeError: `net` is not a Cell, or `parameter_dict` not a dict of Parameters.
        RuntimeError: a value of another shape or dtype.

    >>> net = nn.Dense(2, 1)
    >>> ms.load_param_into_net(net, {"bias": Parameter(Tensor([3.0]))})
    (['weight'], [])
    >>> print(net.bias.asnumpy())
    [3.]
    """
    where = "For 'load_param_into_net'"
    check_instance(net, "load_param_into_net", "net", Cell)
    check_instance(parameter_dict, "load_param_into_net", "parameter_dict", dict)
    for key, value in parameter_dict.items():
        if not isinstance(key, str) or not isinstance(value, Parameter | str | list):
            raise error(
                TypeError,
                f"{where}, the elements of 'parameter_dict' should be 'str' and 'Parameter', but "
                f"got {type(key).__name__} and {type(value).__name__}.",
                "make Tensors Parameters: Parameter(tensor, name=...)",
            )
    check_bool(strict_load, "load_param_into_net", "strict_load")
    source = {k: v for k, v in parameter_dict.items() if isinstance(v, Parameter)}
    parameters = list(net.get_parameters())
    found = {p.name: p.name for p in parameters if p.name in source}
    missing = [p.name for p in parameters if p.name not in found]
    prefix = None if strict_load else _common_prefix(missing, source)
    if prefix is not None:
        found.update({n: prefix + n for n in missing if prefix + n in source})
    values = [
        (p, _fitting(p, source[found[p.name]], strict_load)) for p in parameters if p.name in found
    ]
    for parameter, tensor in values:
        parameter.set_data(tensor)
    used = set(found.values())
    left = [name for name in missing if name not in found]
    return left, [name for name in parameter_dict if name not in used]


def _common_prefix(missing: list[str], source: dict[str, Parameter]) -> str | None:
    """What goes before the missing names to find them, as a checkpoint of a larger Cell has it."""
    for name in missing:
        for stored in source:
            if stored.endswith(name):
                return stored[: len(stored) - len(name)]
    return None
