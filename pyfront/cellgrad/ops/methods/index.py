"""Methods of Tensor by index, in terms of ``cellgrad.ops``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from cellgrad import ops as _ops
from cellgrad.core import state, views
from cellgrad.core.aliases import ArrayLike, Index, TensorLike, TensorOrTensors
from cellgrad.core.errors import error
from cellgrad.core.storage import from_numpy
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _index, indexing
from cellgrad.ops.methods.at import At

# The `self` of these classes is no Tensor to type checkers.
ops: Any = _ops


class IndexMethods:
    """Methods."""

    __slots__ = ()

    def __iter__(self: Any) -> Iterator[Tensor]:
        if not self.shape:
            raise error(TypeError, "iteration over a 0-d tensor")
        return indexing.rows(self)

    def __setitem__(self: Any, index: Index, value: TensorLike) -> None:
        self = getattr(self, "_cast_of", self)
        if _index.names_nothing(index):
            return
        if state.current.scope is None:
            tape = state.current.tape
            if tape is not None and tape.follows((self, value)):
                tape.write(self, indexing.with_elements(self, index, value), index)
                return
            array = np.array(self._concrete("assignment to elements"))
            indexing.assign_known(array, index, value)
            self._buf = from_numpy(array, self.dtype)
            if hasattr(self, "_link") or hasattr(self, "_views"):
                views.written(self, indexing.known_index(index, self.shape))
        else:
            indexing.assign_elements(self, index, value)

    @property
    def at(self: Any) -> At:
        """Elements by index, for new tensors with others in their place, as JAX writes it: ``set``,
        ``add``, ``subtract``, ``multiply``, ``divide``, ``min``, ``max`` and ``get`` of ``x.at[index]``.

        >>> x = Tensor([1.0, 2.0, 3.0])
        >>> print(x.at[0].set(7.0), x.at[1:].add(10.0), x)
        [7. 2. 3.] [ 1. 12. 13.] [1. 2. 3.]
        """
        return At(self)

    # --- elements by index --------------------------------------------------------------------

    def gather(
        self,
        dim: int | Tensor | None = None,
        index: Tensor | int | None = None,
        batch_dims: int | None = None,
        *,
        input_indices: Tensor | None = None,
        axis: int | None = None,
    ) -> Tensor:
        """See `ops.gather_elements`; or ``gather(input_indices, axis, batch_dims=0)``, `ops.gather`.

        >>> print(Tensor([[1, 2], [3, 4]]).gather(Tensor([1, 1]), 0))
        [[3 4]
         [3 4]]
        """
        dim = dim if input_indices is None else input_indices
        index = index if axis is None else axis
        if isinstance(dim, int) and batch_dims is None:
            return ops.gather_elements(self, dim, index)
        return ops.gather(self, dim, index, batch_dims or 0)

    def take(
        self,
        indices: ArrayLike | None = None,
        axis: int | None = None,
        mode: str = "clip",
        *,
        index: Tensor | None = None,
    ) -> Tensor:
        """The elements along a dimension, or of the flattened tensor, that the indices name.

        Indices out of range are those of the ends (``"clip"``), counted on from the other end
        (``"wrap"``), or an error (``"raise"``). `index` is another name of `indices`.

        >>> print(Tensor([[1, 2], [3, 4]]).take(Tensor([0, 3])))
        [1 4]
        """
        return ops.gathering.take_along(self, indices if index is None else index, axis, mode)

    # --- elements replaced --------------------------------------------------------------------

    def scatter(
        self,
        dim: int | None = None,
        index: Tensor | None = None,
        src: TensorLike | None = None,
        reduce: str = "none",
        *,
        axis: int | None = None,
    ) -> Tensor:
        """See `ops.scatter`; with reduce ``"add"``, the elements of `src` are added.

        >>> print(ops.zeros(3).scatter(0, Tensor([2, 0]), Tensor([8.0, 9.0])))
        [9. 0. 8.]
        """
        return ops.scattering.scatter_elements(
            self, dim if axis is None else axis, index, src, reduce, "scatter"
        )

    def scatter_add(
        self,
        dim: int | Tensor | None = None,
        index: Tensor | None = None,
        src: TensorLike | None = None,
        *,
        indices: Tensor | None = None,
        updates: Tensor | None = None,
    ) -> Tensor:
        """See `ops.scatter`, with the elements added; or ``scatter_add(indices, updates)``,
        `ops.tensor_scatter_add`.

        >>> print(ops.ones(3).scatter_add(Tensor([[0], [0]]), Tensor([1.0, 2.0])))
        [4. 1. 1.]
        """
        if src is None:
            at, new = (v if w is None else w for v, w in ((dim, indices), (index, updates)))
            return ops.tensor_scatter_add(self, at, new)
        return ops.scattering.scatter_elements(self, dim, index, src, "add", "scatter_add")

    def index_add(self, *args: object, alpha: TensorLike | None = None, **kwargs: object) -> Tensor:
        """``index_add(indices, y, axis)``, see `ops.index_add`, or ``index_add(dim, index, source, *,
        alpha=1)``, which adds `source` times `alpha`. The tensor itself stays.

        Raises:
            TypeError: arguments that neither form has, or that are not there.

        >>> print(ops.ones(3).index_add(0, Tensor([0, 2]), Tensor([10.0, 20.0])))
        [11.  1. 21.]
        """
        values: tuple[Any, ...] = args
        named: dict[str, Any] = kwargs
        if "dim" in named or (values and isinstance(values[0], int)):
            return _added_by_dim(self, *values, alpha=alpha, **named)
        if alpha is not None:
            raise error(TypeError, "For 'index_add', 'alpha' needs 'dim', 'index' and 'source'.")
        return _added_by_axis(self, *values, **named)

    def index_put(
        self, indices: Sequence[Tensor], values: TensorLike, accumulate: bool = False
    ) -> Tensor:
        """The tensor with the elements ``x[indices]`` replaced by `values`, or, with `accumulate`,
        with the values added to them.

        >>> print(ops.ones(3).index_put((Tensor([0, 2]),), Tensor([10.0, 20.0])))
        [10.  1. 20.]
        """
        put = ops.indexing.add_elements if accumulate else ops.indexing.setitem
        return put(self, tuple(indices), values)

    # --- order --------------------------------------------------------------------------------

    def unique(
        self,
        sorted: bool = True,
        return_inverse: bool = False,
        return_counts: bool = False,
        dim: int | None = None,
    ) -> TensorOrTensors:
        """The distinct elements, or parts along a dimension, in ascending order; on demand which of them
        each is, and how often each occurs. The elements must be known while compiling.

        >>> print(Tensor([2, 1, 2]).unique())
        [1 2]
        """
        return ops.searching.unique_sorted(self, return_inverse, return_counts, dim)

    # --- parts combined -----------------------------------------------------------------------

    # --- in place -----------------------------------------------------------------------------

    def index_add_(
        self, dim: int, index: Tensor, source: Tensor, *, alpha: TensorLike = 1
    ) -> Tensor:
        """`index_add` of the tensor itself.

        >>> x = ops.ones(3)
        >>> _ = x.index_add_(0, Tensor([0, 2]), Tensor([10.0, 20.0]))
        >>> print(x)
        [11.  1. 21.]
        """
        added = self.index_add(dim, index, source, alpha=alpha)
        return self._replace(added, "index_add_")  # type: ignore[attr-defined]

    def index_copy_(self, dim: int, index: Tensor, tensor: Tensor) -> Tensor:
        """The parts of `tensor` along a dimension in place of those that `index` names.

        Raises:
            TypeError: `index` is not a Tensor of integers, or `tensor` of another dtype.
            ValueError: `dim` out of range, or shapes that do not fit.

        >>> x = ops.ones((3, 2))
        >>> print(x.index_copy_(0, Tensor([2]), Tensor([[5.0, 6.0]])))
        [[1. 1.]
         [1. 1.]
         [5. 6.]]
        """
        return self._replace(ops.in_place.copied(self, dim, index, tensor), "index_copy_")  # type: ignore[attr-defined]

    def choose(self, choices: ArrayLike, mode: str = "clip") -> Tensor:
        """The elements of the tensors that the numbers in this one name, in each place.

        Args:
            choices: tensors, or one whose first dimension counts them; they broadcast with this one.
            mode: "clip": numbers out of range are those of the ends; "wrap": they are counted on from
                the other end; "raise": refused, as numbers are checked where they are used.

        Raises:
            TypeError: no integers.
            ValueError: no choices, another mode, or shapes that do not broadcast.

        >>> print(Tensor([0, 1, 1]).choose([[1, 2, 3], [10, 20, 30]]))
        [ 1 20 30]
        """
        return ops.in_place.chosen(self, choices, mode)

    def index_put_(
        self, indices: Sequence[Tensor], values: TensorLike, accumulate: bool = False
    ) -> Tensor:
        """`index_put` of the tensor itself.

        >>> x = ops.ones(3)
        >>> _ = x.index_put_((Tensor([0, 2]),), Tensor([10.0, 20.0]))
        >>> print(x)
        [10.  1. 20.]
        """
        put = self.index_put(indices, values, accumulate)
        return self._replace(put, "index_put_")  # type: ignore[attr-defined]

    def scatter_(self, dim: int, index: Tensor, src: TensorLike, *, reduce: str = "none") -> Tensor:
        """`scatter` of the tensor itself.

        >>> x = ops.ones(3)
        >>> _ = x.scatter_(0, Tensor([0, 2]), Tensor([10.0, 20.0]))
        >>> print(x)
        [10.  1. 20.]
        """
        new = self.scatter(dim, index, src, reduce=reduce)
        return self._replace(new, "scatter_")  # type: ignore[attr-defined]

    def scatter_add_(self, dim: int, index: Tensor, src: Tensor) -> Tensor:
        """`scatter_add` of the tensor itself.

        >>> x = ops.ones(3)
        >>> _ = x.scatter_add_(0, Tensor([0, 2]), Tensor([10.0, 20.0]))
        >>> print(x)
        [11.  1. 21.]
        """
        return self._replace(self.scatter_add(dim, index, src), "scatter_add_")  # type: ignore[attr-defined]


def _added_by_dim(
    x: Any, dim: int, index: Tensor, source: Tensor, *, alpha: TensorLike | None
) -> Tensor:
    new = source if alpha is None else source * alpha
    return ops.scattering.added_along(x, index, new, dim)  # type: ignore[no-any-return]


def _added_by_axis(
    x: Any,
    indices: Tensor,
    y: Tensor,
    axis: int,
    use_lock: bool = True,
    check_index_bound: bool = True,
) -> Tensor:
    return ops.scattering.added_along(x, indices, y, axis)  # type: ignore[no-any-return]
