"""What is set for a Cell and those below it: modes, flags, precision."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Self

from cellgrad.compile.any_batch import set_inputs
from cellgrad.core.aliases import DTypeLike, State
from cellgrad.core.arguments import check_bool, check_instance
from cellgrad.core.parameter import Parameter
from cellgrad.core.settings import JitConfig
from cellgrad.nn._precision import follow_flags, to_float
from cellgrad.nn._summary import Summary, summary

if TYPE_CHECKING:
    from cellgrad.nn.cell import Cell


class CellModes:
    """Methods of Cells."""

    _dynamic_shape_inputs: tuple[object, ...] | None = None

    if TYPE_CHECKING:

        def cells(self) -> Iterable[Cell]: ...

        def cells_and_names(self) -> Iterable[tuple[str, Cell]]: ...

        def get_parameters(self) -> Iterable[Parameter]: ...

    def apply(self, fn: Callable[..., object]) -> Self:
        """Calls `fn` on every sub-Cell, then on this one.

        >>> net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU())
        >>> _ = net.apply(lambda cell: print(cell.cls_name))
        Dense
        ReLU
        SequentialCell
        """
        for cell in self.cells():
            cell.apply(fn)
        fn(self)
        return self

    def set_train(self, mode: bool = True) -> Self:
        """Sets the `training` flag here and below; compiled code that read it is compiled again.

        Raises:
            TypeError: `mode` is not a bool.

        >>> nn.ReLU().set_train().training
        True
        """
        check_bool(mode, "Cell.set_train", "mode")
        for _, cell in self.cells_and_names():
            cell.get_flags()["training"] = mode
            if cell.training != mode:
                object.__setattr__(cell, "training", mode)
                cell._changed(mode=True)
        return self

    def set_grad(self, requires_grad: bool = True) -> Self:
        """Kept for scripts: gradients are compiled wherever they are asked for.

        >>> net = nn.Dense(2, 1).set_grad()
        >>> net.requires_grad
        True
        """
        object.__setattr__(self, "requires_grad", requires_grad)
        return self

    def set_jit_config(self, jit_config: JitConfig) -> None:
        """Sets options of calls of this Cell. Its ``jit_syntax_level`` takes the place of the context's, see
        `cellgrad.set_context`; one compiler is used, so that the others have no effect.

        Raises:
            TypeError: `jit_config` is not a JitConfig.

        >>> net = nn.ReLU()
        >>> net.set_jit_config(ms.JitConfig(jit_level="O1"))
        >>> print(net(Tensor([-1.0, 2.0])))
        [0. 2.]
        """
        check_instance(jit_config, "set_jit_config", "jit_config", JitConfig)
        level = jit_config.jit_config_dict["jit_syntax_level"]
        object.__setattr__(self, "_lax", None if not level else level == "LAX")

    def add_flags(self, **flags: object) -> Self:
        """Sets attributes and notes them as flags. `fp16`, `bf16` or `fp32` make this Cell compute in that
        type, as `to_float` does with those below, until the flag is set to False.

        >>> net = nn.Dense(2, 1).add_flags(shown=True)
        >>> net.get_flags()["shown"]
        True
        """
        self.__dict__.setdefault("_flags", {}).update(flags)
        for name, value in flags.items():
            setattr(self, name, value)
        follow_flags(self, flags)
        return self

    def add_flags_recursive(self, **flags: object) -> Self:
        """`add_flags` here and below.

        >>> net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU())
        >>> _ = net.add_flags_recursive(shown=True)
        >>> net[0].get_flags()["shown"]
        True
        """
        for _, cell in self.cells_and_names():
            cell.add_flags(**flags)
        return self

    def get_scope(self) -> str | None:
        """What `recompute` marks a Cell with, as MindSpore's compiler does.

        >>> net = nn.Dense(2, 1)
        >>> net.recompute()
        >>> net.get_scope()
        'recompute_'
        """
        return "recompute_" if self.__dict__.get("_recompute") else None

    def get_flags(self) -> State:
        """The flags set by `add_flags` and `set_train`.

        >>> net = nn.Dense(2, 1).add_flags(shown=True)
        >>> net.get_flags()["shown"]
        True
        """
        return self.__dict__.setdefault("_flags", {})  # type: ignore[no-any-return]

    def to_float(self, dst_type: DTypeLike) -> Self:
        """Makes this Cell and those below compute in `dst_type`: floating-point inputs and trainable
        Parameters are converted where they are used; gradients have the types of what was given.

        Raises:
            ValueError: `dst_type` is not float16, bfloat16 or float32.

        >>> net = nn.Dense(2, 1).to_float(ms.float16)
        >>> print(net(Tensor([[1.0, 2.0]])).dtype)
        Float16
        """
        cell: Any = self
        to_float(cell, dst_type)
        return self

    def init_parameters_data(self, *args: object, **kwargs: object) -> dict[Parameter, Parameter]:
        """Parameters never wait for initialisation; maps each to itself.

        >>> net = nn.Dense(2, 1)
        >>> len(net.init_parameters_data())
        2
        """
        return {p: p for p in self.get_parameters()}

    def summary(self, *inputs: object, **kwargs: object) -> Summary:
        """The Cells of this network with their numbers of Parameters; with inputs, as for a call, also the dtypes
        and shapes of what each gives. Nothing runs.

        Raises:
            CompileError, TypeError, ValueError: as a call with these inputs.

        >>> net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU())
        >>> print(net.summary(ops.ones((4, 2), ms.float32)))
        Cell      class           output         Parameters  trainable
        (itself)  SequentialCell  Float32[4, 3]           0          0
        0         Dense           Float32[4, 3]           9          9
        1         ReLU            Float32[4, 3]           0          0
        9 elements in Parameters, of which 9 are trainable
        """
        cell: Any = self
        return summary(cell, inputs, kwargs)

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()

    def set_inputs(self, *inputs: object, **kwargs: object) -> None:
        """Says what inputs the Cell is called with. Where the first dimension of some is open, as in
        ``Tensor(shape=[None, 784], dtype=ms.float32)``, one program is compiled for all batch sizes; else, and
        where that cannot be (a warning says why), a program is compiled when its signature is first met.

        Args:
            inputs: one for each input of a call, in their order: Tensors with an open first dimension
                for those of a batch, any others as they are. A `Symbol` in the place of None says how
                large batches may be. With other open dimensions, a program is compiled for each signature.
            kwargs: kept for scripts, without effect.

        Raises:
            ValueError: when the Cell is called: other inputs than these, where only batches are open.

        >>> net = nn.ReLU()
        >>> net.set_inputs(Tensor(shape=[None, 2], dtype=ms.float32))
        >>> print(net(Tensor([[-1.0, 2.0]])), net(Tensor([[-1.0, 2.0], [3.0, -4.0]])))
        [[0. 2.]] [[0. 2.]
         [3. 0.]]
        """
        set_inputs(self, inputs)
        object.__setattr__(self, "_dynamic_shape_inputs", inputs)

    def get_inputs(self) -> tuple[object, ...] | None:
        """What `set_inputs` was given, None before.

        >>> net = nn.ReLU()
        >>> net.set_inputs(Tensor(shape=[None, 2], dtype=ms.float32))
        >>> print(net.get_inputs()[0].shape)
        (-1, 2)
        """
        return self._dynamic_shape_inputs
