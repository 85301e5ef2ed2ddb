"""Methods of Tensor by index, in terms of ``cellgrad.ops``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cellgrad import ops as _ops
from cellgrad.core import state
from cellgrad.core.errors import error
from cellgrad.core.storage import from_numpy
from cellgrad.core.tensor import Tensor
from cellgrad.ops import indexing

# The `self` of these classes is no Tensor to type checkers.
ops: Any = _ops


class IndexMethods:
    """Methods."""

    __slots__ = ()

    def __iter__(self: Any) -> Iterator[Tensor]:
        if not self.shape:
            raise error(TypeError, "iteration over a 0-d tensor")
        return indexing.rows(self)

    def __setitem__(self: Any, index: Any, value: Any) -> None:
        if state.current.scope is None:
            array = np.array(self._concrete("assignment to elements"))
            indexing.assign_known(array, index, value)
            self._buf = from_numpy(array, self.dtype)
        else:
            indexing.assign_elements(self, index, value)

    # --- elements by index --------------------------------------------------------------------

    def gather(self, dim: Any, index: Any, batch_dims: int | None = None) -> Tensor:
        """See `ops.gather_elements`; or ``gather(input_indices, axis, batch_dims=0)``, `ops.gather`.

        >>> print(Tensor([[1, 2], [3, 4]]).gather(Tensor([1, 1]), 0))
        [[3 4]
         [3 4]]
        """
        if isinstance(dim, int) and batch_dims is None:
            return ops.gather_elements(self, dim, index)
        return ops.gather(self, dim, index, batch_dims or 0)

    def gather_elements(self, dim: int, index: Tensor) -> Tensor:
        """See `ops.gather_elements`.

        >>> print(Tensor([[1, 2], [3, 4]]).gather_elements(1, Tensor([[0, 0], [1, 0]])))
        [[1 1]
         [4 3]]
        """
        return ops.gather_elements(self, dim, index)

    def gather_nd(self, indices: Tensor) -> Tensor:
        """See `ops.gather_nd`.

        >>> print(Tensor([[1, 2], [3, 4]]).gather_nd(Tensor([[0, 1], [1, 0]])))
        [2 3]
        """
        return ops.gather_nd(self, indices)

    def take(self, indices: Any, axis: int | None = None, mode: str = "clip") -> Tensor:
        """The elements along a dimension, or of the flattened tensor, that the indices name.

        Indices out of range are those of the ends (``"clip"``), counted on from the other end
        (``"wrap"``), or an error (``"raise"``).

        >>> print(Tensor([[1, 2], [3, 4]]).take(Tensor([0, 3])))
        [1 4]
        """
        return ops.gathering.take_along(self, indices, axis, mode)

    def index_select(
        self, axis: Any = None, index: Any = None, *, dim: int | None = None
    ) -> Tensor:
        """See `ops.index_select`.

        >>> print(Tensor([[1, 2], [3, 4]]).index_select(1, Tensor([1])))
        [[2]
         [4]]
        """
        return ops.index_select(self, axis if dim is None else dim, index)

    def masked_select(self, mask: Tensor) -> Tensor:
        """See `ops.masked_select`.

        >>> print(Tensor([1, 2, 3]).masked_select(Tensor([True, False, True])))
        [1 3]
        """
        return ops.masked_select(self, mask)

    def nonzero(self, *, as_tuple: bool = False) -> Any:
        """See `ops.nonzero`.

        >>> print(Tensor([[1, 0], [0, 2]]).nonzero())
        [[0 0]
         [1 1]]
        """
        return ops.nonzero(self, as_tuple=as_tuple)

    def argwhere(self) -> Tensor:
        """See `ops.nonzero`.

        >>> print(Tensor([[1, 0], [0, 2]]).argwhere())
        [[0 0]
         [1 1]]
        """
        return ops.argwhere(self)

    def reverse_sequence(self, seq_lengths: Tensor, seq_dim: int = 0, batch_dim: int = 0) -> Tensor:
        """See `ops.reverse_sequence`.

        >>> x = Tensor([[1, 2, 3], [4, 5, 6]])
        >>> print(x.reverse_sequence(Tensor([2, 3]), seq_dim=1))
        [[2 1 3]
         [6 5 4]]
        """
        return ops.reverse_sequence(self, seq_lengths, seq_dim, batch_dim)

    # --- elements replaced --------------------------------------------------------------------

    def masked_fill(self, mask: Tensor, value: Any) -> Tensor:
        """See `ops.masked_fill`.

        >>> print(ops.ones(3).masked_fill(Tensor([True, False, True]), 9.0))
        [9. 1. 9.]
        """
        return ops.masked_fill(self, mask, value)

    def scatter(
        self,
        dim: Any = None,
        index: Any = None,
        src: Any = None,
        *,
        axis: int | None = None,
        reduce: str = "none",
    ) -> Tensor:
        """See `ops.scatter`; with reduce ``"add"``, the elements of `src` are added.

        >>> print(ops.zeros(3).scatter(0, Tensor([2, 0]), Tensor([8.0, 9.0])))
        [9. 0. 8.]
        """
        return ops.scattering.scatter_elements(
            self, dim if axis is None else axis, index, src, reduce, "scatter"
        )

    def scatter_add(self, dim: Any, index: Any, src: Any = None) -> Tensor:
        """See `ops.scatter`, with the elements added; or ``scatter_add(indices, updates)``,
        `ops.tensor_scatter_add`.

        >>> print(ops.ones(3).scatter_add(Tensor([[0], [0]]), Tensor([1.0, 2.0])))
        [4. 1. 1.]
        """
        if src is None:
            return ops.tensor_scatter_add(self, dim, index)
        return ops.scattering.scatter_elements(self, dim, index, src, "add", "scatter_add")

    def index_add(self, *args: Any, alpha: Any = 1, **kwargs: Any) -> Tensor:
        """``index_add(indices, y, axis)``, see `ops.index_add`, or ``index_add(dim, index, source, *,
        alpha=1)``, which adds `source` times `alpha`.

        >>> print(ops.ones(3).index_add(0, Tensor([0, 2]), Tensor([10.0, 20.0])))
        [11.  1. 21.]
        """
        if "dim" in kwargs or (args and isinstance(args[0], int)):
            given = dict(zip(("dim", "index", "source"), args), **kwargs)
            source = given["source"] if alpha == 1 else given["source"] * alpha
            return ops.index_add(self, given["index"], source, given["dim"])
        return ops.index_add(self, *args, **kwargs)

    def index_fill(self, axis: int, index: Any, value: Any) -> Tensor:
        """See `ops.index_fill`.

        >>> print(Tensor([1.0, 2.0, 3.0]).index_fill(0, Tensor([0, 2], ms.int32), 9.0))
        [9. 2. 9.]
        """
        return ops.index_fill(self, axis, index, value)

    def index_put(self, indices: Any, values: Any, accumulate: bool = False) -> Tensor:
        """The tensor with the elements ``x[indices]`` replaced by `values`, or, with `accumulate`,
        with the values added to them.

        >>> print(ops.ones(3).index_put((Tensor([0, 2]),), Tensor([10.0, 20.0])))
        [10.  1. 20.]
        """
        put = ops.indexing.add_elements if accumulate else ops.indexing.setitem
        return put(self, tuple(indices), values)

    def select_scatter(self, src: Tensor, axis: int, index: int) -> Tensor:
        """See `ops.select_scatter`.

        >>> print(ops.zeros((2, 2)).select_scatter(Tensor([1.0, 2.0]), 0, 1))
        [[0. 0.]
         [1. 2.]]
        """
        return ops.select_scatter(self, src, axis, index)

    def slice_scatter(
        self,
        src: Tensor,
        axis: int = 0,
        start: int | None = None,
        end: int | None = None,
        step: int = 1,
    ) -> Tensor:
        """See `ops.slice_scatter`.

        >>> print(ops.zeros(5).slice_scatter(Tensor([1.0, 2.0]), 0, 1, 4, 2))
        [0. 1. 0. 2. 0.]
        """
        return ops.slice_scatter(self, src, axis, start, end, step)

    # --- order --------------------------------------------------------------------------------

    def sort(
        self,
        axis: int = -1,
        descending: bool = False,
        *,
        dim: int | None = None,
        stable: bool = False,
    ) -> Any:
        """See `ops.sort`, which is always stable.

        >>> values, indices = Tensor([3.0, 1.0, 2.0]).sort()
        >>> print(values, indices)
        [1. 2. 3.] [1 2 0]
        """
        return ops.sort(self, axis if dim is None else dim, descending)

    def argsort(
        self,
        axis: int = -1,
        descending: bool = False,
        *,
        dim: int | None = None,
        stable: bool = False,
    ) -> Tensor:
        """See `ops.argsort`, which is always stable.

        >>> print(Tensor([3.0, 1.0, 2.0]).argsort())
        [1 2 0]
        """
        return ops.argsort(self, axis if dim is None else dim, descending)

    def msort(self) -> Tensor:
        """See `ops.msort`.

        >>> print(Tensor([[3.0, 1.0], [2.0, 4.0]]).msort())
        [[2. 1.]
         [3. 4.]]
        """
        return ops.msort(self)

    def topk(
        self, k: int, dim: int | None = None, largest: bool = True, sorted: bool = True
    ) -> Any:
        """See `ops.topk`.

        >>> values, indices = Tensor([1.0, 4.0, 2.0, 3.0]).topk(2)
        >>> print(values, indices)
        [4. 3.] [1 3]
        """
        return ops.topk(self, k, dim, largest, sorted)

    def searchsorted(self, v: Any, side: str = "left", sorter: Any = None) -> Tensor:
        """See `ops.searchsorted`.

        >>> print(Tensor([1.0, 3.0, 5.0]).searchsorted(Tensor([3.0, 4.0])))
        [1 2]
        """
        return ops.searchsorted(self, v, side=side, sorter=sorter)

    def unique_consecutive(
        self, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
    ) -> Any:
        """See `ops.unique_consecutive`.

        >>> print(Tensor([1, 1, 2, 2, 1]).unique_consecutive())
        [1 2 1]
        """
        return ops.unique_consecutive(self, return_inverse, return_counts, dim)

    def unique(
        self,
        sorted: bool = True,
        return_inverse: bool = False,
        return_counts: bool = False,
        dim: int | None = None,
    ) -> Any:
        """The distinct elements, or parts along a dimension, in ascending order; on demand which of them
        each is, and how often each occurs. The elements must be known while compiling.

        >>> print(Tensor([2, 1, 2]).unique())
        [1 2]
        """
        return ops.searching.unique_sorted(self, return_inverse, return_counts, dim)

    # --- parts combined -----------------------------------------------------------------------

    def scatter_sub(self, indices: Tensor, updates: Tensor) -> Tensor:
        """See `ops.tensor_scatter_sub`.

        >>> print(ops.ones(3).scatter_sub(Tensor([[0], [1]]), Tensor([2.0, 4.0])))
        [-1. -3.  1.]
        """
        return ops.tensor_scatter_sub(self, indices, updates)

    def scatter_max(self, indices: Tensor, updates: Tensor) -> Tensor:
        """See `ops.tensor_scatter_max`.

        >>> print(ops.ones(3).scatter_max(Tensor([[0], [1]]), Tensor([2.0, 4.0])))
        [2. 4. 1.]
        """
        return ops.tensor_scatter_max(self, indices, updates)

    def scatter_min(self, indices: Tensor, updates: Tensor) -> Tensor:
        """See `ops.tensor_scatter_min`.

        >>> print(ops.ones(3).scatter_min(Tensor([[0], [1]]), Tensor([2.0, 4.0])))
        [1. 1. 1.]
        """
        return ops.tensor_scatter_min(self, indices, updates)

    def scatter_mul(self, indices: Tensor, updates: Tensor) -> Tensor:
        """See `ops.tensor_scatter_mul`.

        >>> print(ops.ones(3).scatter_mul(Tensor([[0], [1]]), Tensor([2.0, 4.0])))
        [2. 4. 1.]
        """
        return ops.tensor_scatter_mul(self, indices, updates)

    def scatter_div(self, indices: Tensor, updates: Tensor) -> Tensor:
        """See `ops.tensor_scatter_div`.

        >>> print(ops.ones(3).scatter_div(Tensor([[0], [1]]), Tensor([2.0, 4.0])))
        [0.5  0.25 1.  ]
        """
        return ops.tensor_scatter_div(self, indices, updates)

    def unsorted_segment_max(self, segment_ids: Tensor, num_segments: int) -> Tensor:
        """See `ops.unsorted_segment_max`.

        >>> print(Tensor([1.0, 2.0, 3.0]).unsorted_segment_max(Tensor([0, 0, 1]), 2))
        [2. 3.]
        """
        return ops.unsorted_segment_max(self, segment_ids, num_segments)

    def unsorted_segment_min(self, segment_ids: Tensor, num_segments: int) -> Tensor:
        """See `ops.unsorted_segment_min`.

        >>> print(Tensor([1.0, 2.0, 3.0]).unsorted_segment_min(Tensor([0, 0, 1]), 2))
        [1. 3.]
        """
        return ops.unsorted_segment_min(self, segment_ids, num_segments)

    def unsorted_segment_prod(self, segment_ids: Tensor, num_segments: int) -> Tensor:
        """See `ops.unsorted_segment_prod`.

        >>> print(Tensor([2.0, 3.0, 4.0]).unsorted_segment_prod(Tensor([0, 0, 1]), 2))
        [6. 4.]
        """
        return ops.unsorted_segment_prod(self, segment_ids, num_segments)

    # --- in place -----------------------------------------------------------------------------

    def masked_fill_(self, mask: Tensor, value: Any) -> Any:
        """`masked_fill` of the tensor itself.

        >>> x = ops.ones(3)
        >>> _ = x.masked_fill_(Tensor([True, False, True]), 9.0)
        >>> print(x)
        [9. 1. 9.]
        """
        return self._replace(self.masked_fill(mask, value), "masked_fill_")  # type: ignore[attr-defined]

    def index_fill_(self, dim: int, index: Any, value: Any) -> Any:
        """`index_fill` of the tensor itself.

        >>> x = ops.ones(3)
        >>> _ = x.index_fill_(0, Tensor([0, 2]), 9.0)
        >>> print(x)
        [9. 1. 9.]
        """
        return self._replace(self.index_fill(dim, index, value), "index_fill_")  # type: ignore[attr-defined]

    def index_add_(self, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Any:
        """`index_add` of the tensor itself.

        >>> x = ops.ones(3)
        >>> _ = x.index_add_(0, Tensor([0, 2]), Tensor([10.0, 20.0]))
        >>> print(x)
        [11.  1. 21.]
        """
        added = self.index_add(dim, index, source, alpha=alpha)
        return self._replace(added, "index_add_")  # type: ignore[attr-defined]

    def index_put_(self, indices: Any, values: Any, accumulate: bool = False) -> Any:
        """`index_put` of the tensor itself.

        >>> x = ops.ones(3)
        >>> _ = x.index_put_((Tensor([0, 2]),), Tensor([10.0, 20.0]))
        >>> print(x)
        [10.  1. 20.]
        """
        put = self.index_put(indices, values, accumulate)
        return self._replace(put, "index_put_")  # type: ignore[attr-defined]

    def scatter_(self, dim: int, index: Tensor, src: Any, *, reduce: str = "none") -> Any:
        """`scatter` of the tensor itself.

        >>> x = ops.ones(3)
        >>> _ = x.scatter_(0, Tensor([0, 2]), Tensor([10.0, 20.0]))
        >>> print(x)
        [10.  1. 20.]
        """
        new = self.scatter(dim, index, src, reduce=reduce)
        return self._replace(new, "scatter_")  # type: ignore[attr-defined]

    def scatter_add_(self, dim: int, index: Tensor, src: Tensor) -> Any:
        """`scatter_add` of the tensor itself.

        >>> x = ops.ones(3)
        >>> _ = x.scatter_add_(0, Tensor([0, 2]), Tensor([10.0, 20.0]))
        >>> print(x)
        [11.  1. 21.]
        """
        return self._replace(self.scatter_add(dim, index, src), "scatter_add_")  # type: ignore[attr-defined]
