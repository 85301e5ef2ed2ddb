"""Export to a shared object with a C header, and loading it back.

``export(net, x, file_name="m")`` writes ``m.so``, ``m.h`` and ``m.safetensors``. The shared object
needs neither Python nor this package; its entries take the Parameters as arguments after the
inputs, under their names.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Sequence
from typing import Any

from cellgrad import _native
from cellgrad.capture import calls
from cellgrad.checkpoints import safetensors as _safetensors
from cellgrad.compile import program as _jit
from cellgrad.compile.any_batch import STAND_IN, largest_batch, open_batch
from cellgrad.compile.failures import compile_error, reproducers
from cellgrad.core import dtype as mstype
from cellgrad.core import state
from cellgrad.core.aliases import Function
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_callable,
    check_instance,
    check_one_of,
    check_sequence,
)
from cellgrad.core.context import get_context
from cellgrad.core.errors import error
from cellgrad.core.files import replacing
from cellgrad.core.pairs import as_pairs
from cellgrad.core.parameter import Parameter
from cellgrad.core.progress import waiting
from cellgrad.core.scope import Trace
from cellgrad.core.storage import Signature, signature
from cellgrad.core.tensor import Tensor
from cellgrad.export.names import input_names, result_names, step_result_names, with_tensors
from cellgrad.export.open_batch import with_batch
from cellgrad.transforms.grad import value_and_grad

__all__ = ["LoadedModel", "export", "load"]


def export(
    net: Function[..., object],
    *inputs: object,
    file_name: str,
    file_format: str = "SO",
    value_and_grad: object = None,
    step: object = None,
    target: str = "native",
    device: str = "cpu",
    chip: str | Sequence[str] | None = None,
    ptxas: str | None = None,
    bindings: str | Sequence[str] = (),
    weights: str = "file",
    lines: bool = False,
    batch_sizes: Sequence[int] = (),
) -> list[str]:
    """Compiles a Cell or function ahead of time to a shared object with a C header.

    Args:
        net: a Cell or function; its outputs are those of the entry ``forward``.
        inputs: example inputs: Tensors or numpy arrays for their dtypes and shapes, other values as
            constants. ``Tensor(shape=[None, 784], dtype=ms.float32)`` leaves the first dimension open:
            the entries compute any batch. A `Symbol` in the place of None says how large batches may
            be.
        file_name: the path without suffix; ``.so``, ``.h`` and ``.safetensors`` are written, all or
            none, and folders that are missing are made. Its last part names the model; ``lib`` in
            front of it is only for the library: ``"libfoo"`` gives ``libfoo.so``, ``foo.h`` and
            ``foo.safetensors``. With the suffix ``.o`` or ``.a``, a relocatable object or a static
            library is written in the place of ``.so``.
        file_format: ``"SO"``, or ``"MLIR"`` for the program as captured, before any pass, with the
            lines of the source: a file with the suffix ``.mlir``, which cellc and cell-opt read, and
            ``.safetensors`` where there are Parameters.
        value_and_grad: True, the default unless the batch is open, for the value of `net` and its
            gradient by its trainable Parameters (by its first input where it has none) as the
            entry ``value_and_grad``; a function made by `value_and_grad` or `grad` for that one, alone
            or as ``(function, *inputs)`` where its inputs differ; False for no such entry.
        step: a training Cell or a function, alone or as ``(function, *inputs)``, for the entry
            ``train_step``. Parameters it assigns are updated in place by the entry. Results are
            named ``loss``, ``overflow`` and ``loss_scale`` for `nn.TrainOneStepWithLossScaleCell`
            and Cells derived from it, by the keys where it returns a dict. Where ``overflow``, a
            bool without dimensions, is true, the entry returns ``CG_SKIPPED``.
        target: the CPU to compile for: ``"native"``, a name such as ``"x86-64-v3"``, or several
            levels for one model that looks which of them the machine has,
            ``"x86-64-v2,x86-64-v4"``. It also runs what a model for a GPU does on the host. Other
            machines are ``"aarch64"``, ``"aarch64+sve"``, ``"riscv64"``, ``"riscv64+v"`` and
            ``"wasm32"``, which writes ``.wasm`` and the ES module ``.mjs`` in the place of ``.so`` and
            ``.h``.
        device: what the entries compute on: ``"cpu"``, or ``"cuda"`` for an NVIDIA GPU.
        chip: the kinds of GPU, one name or several: ``"sm_80"`` (the default) or
            ``("sm_80", "sm_90")``. Their code runs on later ones, too.
        ptxas: NVIDIA's assembler, a path or ``"ptxas"`` for that on PATH: for machine code beside the
            code of each chip, which the driver then need not compile.
        bindings: further files beside the header, one name or several: ``"hpp"`` for C++17, ``"py"``
            for Python without this package (numpy and ctypes; the library has to be ``lib<name>.so``
            then), ``"rs"`` for Rust, ``"weights"`` for a loader of the weights in C
            (``<name>_weights.h``), ``"pc"`` for pkg-config, ``"cmake"`` for CMake's ``find_package``
            (``<name>-config.cmake``).
        weights: ``"file"`` for the ``.safetensors`` file; ``"embed"`` for weights inside the shared
            object, without that file.
        lines: True for code that has the lines of the Python source, so that gdb and perf show them.
            It computes the same.
        batch_sizes: sizes of an open batch that come often. Each gets a program of its own, with the time
            and the bits of a model for that size; 1 has one anyway, and so have 32, 64 and 128
            where samples are added up, as gradients are.

    Returns:
        The paths of the files.

    Raises:
        TypeError: something that is not a Cell or function, or no Tensor input.
        ValueError: another format, device, chip or binding, a chip for the CPU, a device or a binding
            for MLIR, a Python module that the library would hide, two Parameters of one name, an open
            dimension that is not the first, an open batch with a GPU, or `batch_sizes` that it cannot
            have.
        CompileError: the compiler refused the program: for an open batch also one whose samples
            meet in other ways than sums, or that computes something else for another size.
        OSError: a file cannot be written; what was there before is as it was.

    >>> import tempfile
    >>> path = tempfile.mkdtemp()
    >>> net = nn.Dense(2, 1, "ones", has_bias=False)
    >>> x, name = Tensor([[1.0, 2.0]]), f"{path}/dense"
    >>> files = ms.export(net, x, file_name=name, value_and_grad=False)
    >>> [file.rpartition("/")[2] for file in files]
    ['dense.so', 'dense.h', 'dense.safetensors']
    """
    check_one_of(file_format, "export", "file_format", ("SO", "MLIR"))
    for_device = _device_options(device, chip, ptxas, file_format)
    kinds = _binding_kinds(bindings, file_format)
    check_one_of(weights, "export", "weights", ("file", "embed"))
    if weights == "embed" and file_format == "MLIR":
        raise error(
            ValueError,
            "For 'export', a program of file_format='MLIR' has its weights in a file.",
            "leave weights='embed' out, and compile with: cellc --weights=NAME.safetensors",
        )
    if not isinstance(file_name, str) or not os.path.basename(file_name):
        raise argument_error(TypeError, "export", "file_name", "a path without suffix", file_name)
    check_callable(net, "export", "net", "a Cell or a function")
    stem, suffix = _stem_and_kind(file_name, target)
    beside = stem if suffix == ".wasm" else _without_lib(stem)
    model = os.path.basename(beside)
    if "py" in kinds and stem + suffix == beside + ".so":
        raise error(
            ValueError,
            f"For 'export', Python would take '{model}.so' for the module '{model}.py' beside it.",
            f"name the library: file_name='lib{model}'",
        )
    most = largest_batch((inputs, value_and_grad, step), "export")
    _check_sizes(batch_sizes, most)
    if most is not None:
        _check_open(device)
    elif value_and_grad is None:
        value_and_grad = True
    plan: list[tuple[str, Any, tuple[Any, ...]]] = [("forward", net, inputs)]
    if value_and_grad is True:
        plan.append(("value_and_grad", None, inputs))
    elif value_and_grad:
        plan.append(("value_and_grad", *_with_inputs(value_and_grad, inputs)))
    if step is not None:
        plan.append(("train_step", *_with_inputs(step, inputs)))
    stand_in = 0 if most is None else STAND_IN
    trace, parameters = _captured(model, plan, STAND_IN, stand_in)
    if most is not None:
        open_batch(
            trace, most, list(batch_sizes), lambda n: _captured(model, plan, n, stand_in)[0], model
        )
    os.makedirs(os.path.dirname(os.path.abspath(stem)), exist_ok=True)
    content = _safetensors.contents({name: as_pairs(p) for name, p in parameters.items()})
    if file_format == "MLIR":
        texts = {stem + ".mlir": trace.graph.text(locations=True).encode()}
        if parameters:
            texts[beside + ".safetensors"] = content
        for path, text in texts.items():
            with replacing(path) as file:
                file.write(text)
        return list(texts)
    interface = {".wasm": ".mjs"}.get(suffix, ".h")
    files = [stem + suffix, beside + interface]
    further = {".o": "object", ".a": "archive"}.get(suffix)
    options = {
        **for_device,
        "module" if suffix == ".wasm" else "header": files[1],
        **({further: files[0]} if further else {}),
        "target": target,
        "durable": True,
        "lines": check_bool(lines, "export", "lines"),
        "reproducers": reproducers(),
    }
    if weights == "embed":
        options["weights"] = content
    else:
        files.append(beside + ".safetensors")
        options["files"] = {files[2]: [content]}
    for kind in kinds:
        option, ending = _BINDINGS[kind]
        options[option] = beside + ending
        files.append(options[option])
    try:
        with waiting(f"compiling '{model}'"):
            _native.compile_graph(trace.graph, "" if further else files[0], model, options)
    except _native.CompileError as e:
        raise compile_error(f"'{model}'", e) from None
    return files


def _stem_and_kind(file_name: str, target: str) -> tuple[str, str]:
    """The path without suffix, and the suffix of the model."""
    stem, suffix = os.path.splitext(file_name)
    if target == "wasm32":
        if suffix in (".so", ".o", ".a"):
            raise error(
                ValueError,
                f"For 'export', 'file_name' ends in '{suffix}', but target 'wasm32' makes .wasm and .mjs.",
                "leave the suffix out",
            )
        return (stem if suffix == ".wasm" else file_name), ".wasm"
    return (stem, suffix) if suffix in (".so", ".o", ".a") else (file_name, ".so")


def _captured(
    model: str, plan: list[tuple[str, Any, tuple[Any, ...]]], batch: int, stand_in: int
) -> tuple[Trace, dict[str, Parameter]]:
    """The entries of `plan`, each a name, a function and its inputs, and their Parameters by name. An
    open batch has the size `batch`, and `stand_in` is that of all programs of any size, 0 where there are none.
    """
    trace = Trace(model)
    trace.stand_in = stand_in
    trace.bake = True
    parameters: dict[str, Parameter] = {}
    try:
        for name, function, examples in plan:
            given = with_batch(with_tensors(examples), batch)
            if function is None:
                function = _gradient_of(plan[0][1], list(parameters.values()))
            captured = _jit.capture(
                trace,
                name,
                _caller(function),
                given,
                {},
                [label for labels in input_names(function, given) for label in labels],
                (step_result_names if name == "train_step" else result_names)(function, given),
                "overflow" if name == "train_step" else None,
            )
            for what, _ in captured.captures:
                assert isinstance(what, Parameter)
                before = parameters.setdefault(what.name, what)
                if before is not what:
                    raise error(
                        ValueError,
                        f"Two Parameters are named '{what.name}': the names of an exported model "
                        f"must be distinct.",
                        "put them into one Cell, which names them by attribute path, or set their "
                        "names",
                    )
    finally:
        trace.closed = True
    return trace, parameters


def _check_open(device: str) -> None:
    """Refuses devices that models for any batch size do not run on."""
    if device != "cpu":
        raise error(
            ValueError,
            f"For 'export', device='{device}' is given, but the batch of the inputs is open: models for "
            "a GPU have fixed shapes.",
            "export for a fixed batch, or for device='cpu'",
        )


def _check_sizes(sizes: Sequence[int], most: int | None) -> None:
    """Refuses sizes that the batch cannot have: it is at most `most`, if it is open."""
    if isinstance(sizes, str) or not all(type(n) is int for n in sizes):
        raise argument_error(TypeError, "export", "batch_sizes", "a tuple or list of int", sizes)
    if sizes and most is None:
        raise error(
            ValueError,
            "For 'export', 'batch_sizes' is given, but no input has an open batch.",
            "leave the first dimension open: Tensor(shape=[None, 784], dtype=ms.float32)",
        )
    for n in sizes:
        if not 1 <= n <= (most or n):
            raise error(
                ValueError,
                f"For 'export', 'batch_sizes' has {n}, but the batch is 1 to {most}.",
                "leave it out, or give its Symbol a larger 'max'",
            )


def _without_lib(stem: str) -> str:
    """The path of the header and the weights: the library of m may be libm.so."""
    folder, name = os.path.split(stem)
    return os.path.join(folder, name.removeprefix("lib") or name)


# The compile option and the end of the file's name.
_BINDINGS = {
    "hpp": ("hpp", ".hpp"),
    "py": ("py", ".py"),
    "rs": ("rs", ".rs"),
    "weights": ("weights_loader", "_weights.h"),
    "pc": ("pc", ".pc"),
    "cmake": ("cmake", "-config.cmake"),
}


def _binding_kinds(bindings: Any, file_format: str) -> list[str]:
    """The names in `bindings`, each once."""
    given = (bindings,) if isinstance(bindings, str) else bindings
    if isinstance(given, (tuple, list)) and not given:
        return []
    check_sequence(given, "export", "bindings", "names, or one name", str)
    kinds = [check_one_of(name, "export", "bindings", tuple(_BINDINGS)) for name in given]
    if kinds and file_format == "MLIR":
        raise error(
            ValueError,
            "For 'export', a program of file_format='MLIR' has no bindings.",
            "leave them out, and compile the file with: cellc --emit=so,h,hpp",
        )
    return list(dict.fromkeys(kinds))


def _device_options(device: Any, chip: Any, ptxas: Any, file_format: str) -> dict[str, Any]:
    """The compile options for a device and its chips."""
    check_one_of(device, "export", "device", ("cpu", "cuda"))
    if device == "cpu":
        if chip is not None:
            raise argument_error(
                ValueError, "export", "chip", "left out without device='cuda'", chip
            )
        if ptxas is not None:
            without = "left out without device='cuda'"
            raise argument_error(ValueError, "export", "ptxas", without, ptxas)
        return {}
    if file_format == "MLIR":
        raise error(
            ValueError,
            "For 'export', a program of file_format='MLIR' is of no device.",
            "leave the device out, and compile the file with: cellc --device=cuda",
        )
    if ptxas is not None:
        check_instance(ptxas, "export", "ptxas", str, expected="a path")
    options: dict[str, Any] = {"chips": [], "ptxas": ptxas or ""}
    if chip is None:
        return options
    chips = chip if not isinstance(chip, str) else (chip,)
    check_sequence(chips, "export", "chip", "names, or one name", str)
    known = _native.gpu_chips()
    options["chips"] = [check_one_of(name, "export", "chip", known) for name in chips]
    return options


def _caller(function: Any) -> Any:
    return lambda *args: calls.call(function, args, {})


def _with_inputs(given: Any, inputs: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    function, *own = given if isinstance(given, tuple) else (given,)
    check_callable(function, "export", "entry", "a function")
    return function, tuple(own) if own else inputs


def _gradient_of(net: Any, used: list[Parameter]) -> Any:
    weights = [p for p in used if p.requires_grad]
    return value_and_grad(net, None, weights) if weights else value_and_grad(net, 0)


class LoadedModel:
    """An exported model: its entries are methods that take the inputs; weights are kept in
    `parameters`.

    An entry takes Tensors in the order of the header and returns a Tensor, or a tuple for several
    results. Results that update Parameters in place are not returned.
    """

    def __init__(self, path: str):
        try:
            self._model = _native.Model(path, get_context("device_id"))
        except _native.DeviceError as e:
            raise error(
                RuntimeError,
                f"'{path}' computes on an NVIDIA GPU, which cannot be used: {e}",
                "set_context(device_id=...) says which; export with device='cpu' for the CPU",
            ) from None
        except (RuntimeError, OSError) as e:
            raise error(
                RuntimeError,
                f"'{path}' cannot be loaded: {e}",
                "export the model again with this version of cellgrad",
            ) from None
        self.path = path
        self.title, self.source = f"'{path}'", "the .safetensors file beside it"
        self.signature: dict[str, Any] = self._model.signature
        weights, embedded = _without_lib(path[:-3]) + ".safetensors", self._model.weights
        self.parameters: dict[str, Tensor] = {}
        if embedded is not None:
            self.source = "the weights inside it"
            self.parameters = _safetensors.loads(embedded, path)
        elif os.path.exists(weights):
            self.parameters = _safetensors.load(weights)
        for entry in self.signature["entries"]:
            setattr(self, entry["name"], LoadedEntry(self, entry))

    def __repr__(self) -> str:
        return (
            f"LoadedModel({self.path!r}, entries={[e['name'] for e in self.signature['entries']]})"
        )


def _known_signature(spec: dict[str, Any]) -> Signature | None:
    """The dtype and shape of a result; None where the shape goes with the batch."""
    shape = tuple(spec["shape"])
    return None if None in shape else signature(mstype.BY_NATIVE[spec["dtype"]], shape)


class LoadedEntry:
    """One entry of a loaded model."""

    def __init__(self, model: Any, spec: dict[str, Any]):
        self.name: str = spec["name"]
        self._model = model
        self._entry = model._model.entry(self.name)
        self._inputs = [a for a in spec["args"] if a["role"] == "input"]
        self._order: list[Any] = []
        for a in spec["args"]:
            if a["role"] == "batch":  # counted at each call
                continue
            if a["role"] == "input":
                self._order.append(None)
                continue
            if a["name"] not in model.parameters:
                raise error(
                    ValueError,
                    f"Parameter '{a['name']}' of {model.title} has no value: {model.source} "
                    "lacks it.",
                )
            self._order.append(model.parameters[a["name"]])
        self._results = [
            (i, mstype.BY_NATIVE[r["dtype"]], _known_signature(r))
            for i, r in enumerate(spec["results"])
            if r.get("donated_arg") is None
        ]
        self._donated = [
            (i, r["donated_arg"])
            for i, r in enumerate(spec["results"])
            if r.get("donated_arg") is not None
        ]
        self.__name__ = self.name
        named = [re.sub(r"\W|^(?=\d)", "_", a["name"]) for a in self._inputs]
        if len(set(named)) < len(named):
            named = [f"x{i}" for i in range(len(named))]
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self.__signature__ = inspect.Signature([inspect.Parameter(n, kind) for n in named])

    def __call__(self, *inputs: Any) -> Any:
        if len(inputs) != len(self._inputs):
            names = ", ".join(a["name"] for a in self._inputs)
            raise error(
                TypeError,
                f"{self.name}() takes {len(self._inputs)} inputs ({names}) but {len(inputs)} were "
                f"given.",
            )
        given: list[Tensor] = []
        for spec, value in zip(self._inputs, inputs, strict=True):
            tensor = value if isinstance(value, Tensor) else Tensor(value)
            shape: tuple[int | None, ...] = tuple(spec["shape"])
            held: tuple[int | None, ...] = tensor._sig.held
            if shape[:1] == (None,) and held:  # of any size
                held = (None, *held[1:])
            if tensor.dtype.native != spec["dtype"] or held != shape:
                raise error(
                    ValueError,
                    f"{self.name}() takes '{spec['name']}' as "
                    f"{spec['dtype']}{list(spec['shape'])}, but got {tensor._sig!r}.",
                    "a compiled model has fixed dtypes and shapes: convert the input, or export "
                    "for it",
                )
            given.append(tensor)
        if state.current.scope is not None:
            return self._in_compiled_code(given)
        queue = iter([t._buf for t in given])
        results = self._entry([next(queue) if p is None else p._buf for p in self._order])
        out = tuple(
            [
                Tensor._wrap(results[i], sig or signature(dtype, results[i].shape))
                for i, dtype, sig in self._results
            ]
        )
        return out[0] if len(out) == 1 else out

    def _in_compiled_code(self, inputs: list[Tensor]) -> Any:
        raise error(
            TypeError,
            f"{self.name}() is machine code, which cannot be part of other compiled code, be "
            "differentiated or mapped over a batch.",
            "call it outside of compiled code; or export with file_format='MLIR' and read that with "
            "cellgrad.interop.mlir.from_mlir",
        )


def load(file_name: str) -> LoadedModel:
    """Loads an exported model with the weights beside it. One that was exported for a GPU computes on
    the one of the context's `device_id`.

    Args:
        file_name: the path of the ``.so``, or the path given to `export`.

    Raises:
        FileNotFoundError: there is no such file.
        RuntimeError: the file is truncated, of another version, or for another machine.

    >>> import tempfile
    >>> path = tempfile.mkdtemp()
    >>> _ = ms.export(ops.sqrt, Tensor([4.0]), file_name=f"{path}/root", value_and_grad=False)
    >>> print(ms.load(f"{path}/root.so").forward(Tensor([9.0])))
    [3.]
    """
    path = file_name if file_name.endswith(".so") else file_name + ".so"
    if not os.path.exists(path):
        raise error(FileNotFoundError, f"There is no file '{path}'.")
    return LoadedModel(path)
