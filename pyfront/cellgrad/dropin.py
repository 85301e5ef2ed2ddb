"""``import mindspore`` without MindSpore: an import hook that gives this package under that name.

A module of that name forwards to the one here: ``mindspore.nn`` to `cellgrad.nn`, and so on. What
does not exist here is an error at the place that asks for it, with the nearest name that does.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from typing import Any, NoReturn

from cellgrad.core import absent, context
from cellgrad.core import errors as _errors
from cellgrad.core.dtype import Type

NAME = "mindspore"
_HERE = "cellgrad"

# Modules that MindSpore keeps elsewhere, and those it divides.
_OPERATIONS = "array control debug image linalg math nn other random sparse spectral"
_FUNCTIONS = (
    "array clip fft image linalg math nn other parameter random sparse sparse_unary spectral"
)
_LAYERS = (
    "activation basic channel_shuffle combined container conv dense embedding image math "
    "normalization padding pooling rnn_cells rnns timedistributed transformer"
)
_MOVED = {
    **{f"{NAME}.ops.operations.{m}_ops": f"{_HERE}.ops.operations" for m in _OPERATIONS.split()},
    **{f"{NAME}.ops.function.{m}_func": f"{_HERE}.ops.function" for m in _FUNCTIONS.split()},
    f"{NAME}.communication.management": f"{_HERE}.communication",
    f"{NAME}.communication._comm_helper": f"{_HERE}.communication",
    f"{NAME}.ops._utils": f"{_HERE}.ops.operations._sequence_ops",
    f"{NAME}.ops._utils.arg_dtype_cast": f"{_HERE}.ops.operations._sequence_ops",
    f"{NAME}.ops._utils.utils": f"{_HERE}.ops.multitype_ops",
    f"{NAME}.ops.composite.multitype_ops": f"{_HERE}.ops.multitype_ops",
    f"{NAME}.ops.composite.multitype_ops.zeros_like_impl": f"{_HERE}.ops.multitype_ops",
    f"{NAME}.ops.composite.multitype_ops.ones_like_impl": f"{_HERE}.ops.multitype_ops",
    f"{NAME}.ops.operations.comm_ops": f"{_HERE}.ops.operations",
    f"{NAME}.ops.operations.manually_defined": f"{_HERE}.ops.auto_generate",
    f"{NAME}.train.summary.summary_record": f"{_HERE}.train.summary",
    **{f"{NAME}.nn.layer.{m}": f"{_HERE}.nn" for m in _LAYERS.split()},
    f"{NAME}.common.sparse_tensor": f"{_HERE}.common",
    f"{NAME}.train.amp": f"{_HERE}.amp",
    f"{NAME}.train.callback._checkpoint": f"{_HERE}.train.callback.checkpoints",
    f"{NAME}.train.serialization": _HERE,
    f"{NAME}.nn.layer": f"{_HERE}.nn",
    f"{NAME}.nn.loss.loss": f"{_HERE}.nn.loss",
    f"{NAME}.nn.wrap": f"{_HERE}.nn",
    f"{NAME}.ops.function": f"{_HERE}.ops.function",
    f"{NAME}.ops.auto_generate": f"{_HERE}.ops.auto_generate",
    f"{NAME}.ops.primitive": f"{_HERE}.ops",
    f"{NAME}.ops.vm_impl_registry": f"{_HERE}.ops.operations._registry",
    f"{NAME}.dataset.engine": f"{_HERE}.dataset",
    f"{NAME}.ops._grad_experimental": f"{_HERE}.transforms",
    f"{NAME}.ops._grad_experimental.grad_base": f"{_HERE}.transforms.own_rules",
    f"{NAME}._extends.parse": f"{_HERE}._extends",
    f"{NAME}._extends.parse.compile_config": f"{_HERE}._extends.compile_config",
    f"{NAME}._extends.parse.standard_method": f"{_HERE}._extends.standard_method",
}
# Files of packages of MindSpore, all of whose names the package has here: by where it is.
_FILES = {
    "nn.layer": (
        "nn",
        "activation basic channel_shuffle combined container conv dense embedding image math "
        "normalization padding pooling rnn_cells rnns timedistributed transformer",
    ),
    "nn.optim": (
        "nn.optim",
        "ada_grad adadelta adafactor adam adamax asgd ftrl lamb lars lazyadam momentum optimizer "
        "proximal_ada_grad rmsprop rprop sgd",
    ),
    "experimental.optim": (
        "experimental.optim",
        "adadelta adagrad adam adamax adamw asgd nadam optimizer radam rmsprop rprop sgd",
    ),
    "ops.operations": (
        "ops.operations",
        "array_ops custom_ops debug_ops image_ops inner_ops linalg_ops math_ops nn_ops other_ops "
        "random_ops sparse_ops spectral_ops",
    ),
    "ops.function": (
        "ops.function",
        "array_func clip_func debug_func fft_func image_func linalg_func math_func nn_func "
        "other_func parameter_func random_func sparse_func sparse_unary_func spectral_func "
        "vmap_func",
    ),
    "ops.auto_generate": ("ops.auto_generate", "gen_extend_func gen_ops_def gen_ops_prim"),
    "ops.composite": ("ops.composite", "base math_ops"),
    "mint.distributed": ("mint.distributed", "distributed"),
    "dataset.engine": ("dataset", "datasets samplers"),
    "dataset.text": ("dataset.text", "transforms utils"),
    "dataset.transforms": ("dataset.transforms", "transforms"),
    "dataset.vision": ("dataset.vision", "transforms utils"),
    "common": ("common", "jit_config lazy_inline mutable no_inline recompute seed sparse_tensor"),
}
_MOVED |= {
    f"{NAME}.{package}.{file}": f"{_HERE}.{there}"
    for package, (there, files) in _FILES.items()
    for file in files.split()
}


def _target(name: str) -> str:
    return _MOVED.get(name, _HERE + name[len(NAME) :])


class Refused:
    """What an import gives for a name of MindSpore that is refused here: a script may import what it does not
    use. Each use of it is the error with the reason.
    """

    def __init__(self, name: str, why: str):
        self.__dict__.update(_name=name, _why=why)

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise _errors.error(
            NotImplementedError, f"'{self._name}' is not part of cellgrad.", self._why
        )

    __call__ = __mro_entries__ = __instancecheck__ = __subclasscheck__ = _refuse
    __enter__ = __exit__ = __iter__ = __getitem__ = _refuse

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse()

    def __repr__(self) -> str:
        return f"<{self._name}, which is not part of cellgrad>"


class _Alias(types.ModuleType):
    """A module that forwards to one of this package."""

    def __init__(self, name: str, target: types.ModuleType):
        super().__init__(name, target.__doc__)
        self.__dict__["_target"] = target

    def __getattr__(self, name: str) -> Any:
        target = self.__dict__["_target"]
        if name.startswith("__") and name not in ("__all__", "__version__"):
            raise AttributeError(name)
        found = getattr(target, name, self)
        if found is self:
            full = f"{self.__name__}.{name}"
            if _exists(full):
                return importlib.import_module(full)
            imported = absent.asked_by_import(sys._getframe(1))
            kind: type[Exception] = ImportError if imported else AttributeError
            message = f"'{full}' is not part of cellgrad."
            path = target.__name__.removeprefix(_HERE).removeprefix(".") or NAME
            why = absent.why_not(path, name)
            if imported and why:
                return Refused(full, why)
            raise _errors.error(kind, message, absent.hint(path, name, dir(target)))
        if isinstance(found, types.ModuleType) and found.__name__.startswith(_HERE + "."):
            return importlib.import_module(NAME + found.__name__[len(_HERE) :])
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        # What the import system notes about submodules must not hide what they are named after.
        if not isinstance(value, _Alias):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return dir(self.__dict__["_target"])


def _exists(name: str) -> bool:
    try:
        return importlib.util.find_spec(_target(name)) is not None
    except (ImportError, ValueError):
        return False


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds and makes the modules of that name."""

    def find_spec(
        self, name: str, path: Any = None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != NAME and not name.startswith(NAME + "."):
            return None
        if not _exists(name):
            above, _, last = name.rpartition(".")
            known = dir(importlib.import_module(_target(above)))
            hint = f"\n  hint: {absent.hint(above.removeprefix(f'{NAME}.'), last, known)}"
            raise ModuleNotFoundError(f"'{name}' is not part of cellgrad.{hint}", name=name)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        if spec.name == NAME:
            Type.package = NAME
            context.set_context(mode=context.PYNATIVE_MODE, jit_syntax_level=context.LAX)
            context.strict_as_there(True)
        return _Alias(spec.name, importlib.import_module(_target(spec.name)))

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing: the module forwards."""


def install() -> None:
    """Makes ``import mindspore`` mean this package, in this process.

    From that import on, dtypes are printed as MindSpore prints them, Cells run op by op unless the
    script asks for graph mode, and so does what cannot be compiled as a whole (`jit_syntax_level`), as
    they do there; shapes that depend on elements and steps of schedulers are taken at the level STRICT, too.
    A script that imports `cellgrad` alone has the defaults of that.
    """
    if any(isinstance(f, Finder) for f in sys.meta_path):
        return
    for name in [n for n in sys.modules if n == NAME or n.startswith(NAME + ".")]:
        del sys.modules[name]
    sys.meta_path.insert(0, Finder())
