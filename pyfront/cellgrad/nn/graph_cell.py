"""`GraphCell`: an exported model as a Cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cellgrad.core import state
from cellgrad.core.aliases import InitLike, TensorOrTensors
from cellgrad.core.arguments import argument_error
from cellgrad.core.dynamic import dynamic
from cellgrad.core.errors import error
from cellgrad.nn.cell import Cell

__all__ = ["GraphCell"]


class GraphCell(Cell):
    """A model that `cellgrad.load` has loaded, as a Cell: a call runs its entry ``forward``.

    It has no Parameters: its weights are those of the model, ``graph.parameters``, and are not trained. It is not part of
    compiled code, so that it has no derivative either; export the gradient as an entry of the model
    (``ms.export(..., value_and_grad=...)``).

    Args:
        graph: what `cellgrad.load` returns.
        params_init, obf_random_seed: kept for scripts; only None.

    Raises:
        TypeError: `graph` is no loaded model with an entry ``forward``.
        ValueError: another value of the others.
        RuntimeError: a call in compiled code or under `grad`.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/root"
    >>> _ = ms.export(ops.sqrt, Tensor([4.0]), file_name=path, value_and_grad=False)
    >>> net = nn.GraphCell(ms.load(path))
    >>> print(net(Tensor([9.0])))
    [3.]
    """

    def __init__(
        self, graph: object, params_init: InitLike | None = None, obf_random_seed: object = None
    ):
        super().__init__()
        entry = getattr(graph, "forward", None)
        if not callable(entry) or not hasattr(graph, "signature"):
            expected = "a model of ms.load with an entry 'forward'"
            raise argument_error(TypeError, "GraphCell", "graph", expected, graph)
        for name, value in (("params_init", params_init), ("obf_random_seed", obf_random_seed)):
            if value is not None:
                raise argument_error(ValueError, "GraphCell", name, "None in this version", value)
        self.graph: Any = graph

    def construct(self, *inputs: object) -> TensorOrTensors:
        """The results of the model."""
        if state.current.scope is not None or state.current.tape is not None:
            raise dynamic(
                error(
                    RuntimeError,
                    "A GraphCell runs code that was compiled before: it is no part of compiled code, and has no "
                    "derivative.",
                    "call it outside, or use the Cell that the model was exported from",
                )
            )
        return self.graph.forward(*inputs)

    if not TYPE_CHECKING:

        def __call__(self, *inputs: object) -> object:
            return self.construct(*inputs)
