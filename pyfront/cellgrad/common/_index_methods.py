"""Methods of Tensor by index, in terms of ``cellgrad.ops``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cellgrad.common.tensor import Tensor


class _LazyOps:
    """``cellgrad.ops``, imported on first use: it is built on Tensor."""

    def __getattr__(self, name: str) -> Any:
        global ops
        from cellgrad import ops as loaded

        ops = loaded
        return getattr(loaded, name)


ops: Any = _LazyOps()


class IndexMethods:
    """Methods."""

    __slots__ = ()

    # --- elements by index --------------------------------------------------------------------

    def gather(self, dim: Any, index: Any, batch_dims: int | None = None) -> Tensor:
        """See `ops.gather_elements`; or ``gather(input_indices, axis, batch_dims=0)``, `ops.gather`."""
        if isinstance(dim, int) and batch_dims is None:
            return ops.gather_elements(self, dim, index)
        return ops.gather(self, dim, index, batch_dims or 0)

    def gather_elements(self, dim: int, index: Tensor) -> Tensor:
        """See `ops.gather_elements`."""
        return ops.gather_elements(self, dim, index)

    def gather_nd(self, indices: Tensor) -> Tensor:
        """See `ops.gather_nd`."""
        return ops.gather_nd(self, indices)

    def take(self, indices: Any, axis: int | None = None, mode: str = "clip") -> Tensor:
        """The elements along a dimension, or of the flattened tensor, that the indices name.

        Indices out of range are those of the ends (``"clip"``), counted on from the other end
        (``"wrap"``), or an error (``"raise"``).
        """
        return ops.gathering.take_along(self, indices, axis, mode)

    def index_select(
        self, axis: Any = None, index: Any = None, *, dim: int | None = None
    ) -> Tensor:
        """See `ops.index_select`."""
        return ops.index_select(self, axis if dim is None else dim, index)

    def masked_select(self, mask: Tensor) -> Tensor:
        """See `ops.masked_select`."""
        return ops.masked_select(self, mask)

    def nonzero(self, *, as_tuple: bool = False) -> Any:
        """See `ops.nonzero`."""
        return ops.nonzero(self, as_tuple=as_tuple)

    def argwhere(self) -> Tensor:
        """See `ops.nonzero`."""
        return ops.argwhere(self)

    def reverse_sequence(self, seq_lengths: Tensor, seq_dim: int = 0, batch_dim: int = 0) -> Tensor:
        """See `ops.reverse_sequence`."""
        return ops.reverse_sequence(self, seq_lengths, seq_dim, batch_dim)

    # --- elements replaced --------------------------------------------------------------------

    def masked_fill(self, mask: Tensor, value: Any) -> Tensor:
        """See `ops.masked_fill`."""
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
        """See `ops.scatter`; with reduce ``"add"``, the elements of `src` are added."""
        return ops.scattering.scatter_elements(
            self, dim if axis is None else axis, index, src, reduce, "scatter"
        )

    def scatter_add(self, dim: Any, index: Any, src: Any = None) -> Tensor:
        """See `ops.scatter`, with the elements added; or ``scatter_add(indices, updates)``,
        `ops.tensor_scatter_add`.
        """
        if src is None:
            return ops.tensor_scatter_add(self, dim, index)
        return ops.scattering.scatter_elements(self, dim, index, src, "add", "scatter_add")

    def index_add(self, *args: Any, alpha: Any = 1, **kwargs: Any) -> Tensor:
        """``index_add(indices, y, axis)``, see `ops.index_add`, or ``index_add(dim, index, source, *,
        alpha=1)``, which adds `source` times `alpha`.
        """
        if "dim" in kwargs or (args and isinstance(args[0], int)):
            given = dict(zip(("dim", "index", "source"), args), **kwargs)
            source = given["source"] if alpha == 1 else given["source"] * alpha
            return ops.index_add(self, given["index"], source, given["dim"])
        return ops.index_add(self, *args, **kwargs)

    def index_fill(self, axis: int, index: Any, value: Any) -> Tensor:
        """See `ops.index_fill`."""
        return ops.index_fill(self, axis, index, value)

    def index_put(self, indices: Any, values: Any, accumulate: bool = False) -> Tensor:
        """The tensor with the elements ``x[indices]`` replaced by `values`, or, with `accumulate`,
        with the values added to them.
        """
        put = ops.indexing.add_elements if accumulate else ops.indexing.setitem
        return put(self, tuple(indices), values)

    def select_scatter(self, src: Tensor, axis: int, index: int) -> Tensor:
        """See `ops.select_scatter`."""
        return ops.select_scatter(self, src, axis, index)

    def slice_scatter(
        self,
        src: Tensor,
        axis: int = 0,
        start: int | None = None,
        end: int | None = None,
        step: int = 1,
    ) -> Tensor:
        """See `ops.slice_scatter`."""
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
        """See `ops.sort`, which is always stable."""
        return ops.sort(self, axis if dim is None else dim, descending)

    def argsort(
        self,
        axis: int = -1,
        descending: bool = False,
        *,
        dim: int | None = None,
        stable: bool = False,
    ) -> Tensor:
        """See `ops.argsort`, which is always stable."""
        return ops.argsort(self, axis if dim is None else dim, descending)

    def msort(self) -> Tensor:
        """See `ops.msort`."""
        return ops.msort(self)

    def topk(
        self, k: int, dim: int | None = None, largest: bool = True, sorted: bool = True
    ) -> Any:
        """See `ops.topk`."""
        return ops.topk(self, k, dim, largest, sorted)

    def searchsorted(self, v: Any, side: str = "left", sorter: Any = None) -> Tensor:
        """See `ops.searchsorted`."""
        return ops.searchsorted(self, v, side=side, sorter=sorter)

    def unique_consecutive(
        self, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
    ) -> Any:
        """See `ops.unique_consecutive`."""
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
        """
        return ops.searching.unique_sorted(self, return_inverse, return_counts, dim)

    # --- parts combined -----------------------------------------------------------------------

    def scatter_sub(self, indices: Tensor, updates: Tensor) -> Tensor:
        """See `ops.tensor_scatter_sub`."""
        return ops.tensor_scatter_sub(self, indices, updates)

    def scatter_max(self, indices: Tensor, updates: Tensor) -> Tensor:
        """See `ops.tensor_scatter_max`."""
        return ops.tensor_scatter_max(self, indices, updates)

    def scatter_min(self, indices: Tensor, updates: Tensor) -> Tensor:
        """See `ops.tensor_scatter_min`."""
        return ops.tensor_scatter_min(self, indices, updates)

    def scatter_mul(self, indices: Tensor, updates: Tensor) -> Tensor:
        """See `ops.tensor_scatter_mul`."""
        return ops.tensor_scatter_mul(self, indices, updates)

    def scatter_div(self, indices: Tensor, updates: Tensor) -> Tensor:
        """See `ops.tensor_scatter_div`."""
        return ops.tensor_scatter_div(self, indices, updates)

    def unsorted_segment_max(self, segment_ids: Tensor, num_segments: int) -> Tensor:
        """See `ops.unsorted_segment_max`."""
        return ops.unsorted_segment_max(self, segment_ids, num_segments)

    def unsorted_segment_min(self, segment_ids: Tensor, num_segments: int) -> Tensor:
        """See `ops.unsorted_segment_min`."""
        return ops.unsorted_segment_min(self, segment_ids, num_segments)

    def unsorted_segment_prod(self, segment_ids: Tensor, num_segments: int) -> Tensor:
        """See `ops.unsorted_segment_prod`."""
        return ops.unsorted_segment_prod(self, segment_ids, num_segments)

    # --- in place -----------------------------------------------------------------------------

    def masked_fill_(self, mask: Tensor, value: Any) -> Any:
        """`masked_fill` of the tensor itself."""
        return self._replace(self.masked_fill(mask, value), "masked_fill_")  # type: ignore[attr-defined]

    def index_fill_(self, dim: int, index: Any, value: Any) -> Any:
        """`index_fill` of the tensor itself."""
        return self._replace(self.index_fill(dim, index, value), "index_fill_")  # type: ignore[attr-defined]

    def index_add_(self, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Any:
        """`index_add` of the tensor itself."""
        added = self.index_add(dim, index, source, alpha=alpha)
        return self._replace(added, "index_add_")  # type: ignore[attr-defined]

    def index_put_(self, indices: Any, values: Any, accumulate: bool = False) -> Any:
        """`index_put` of the tensor itself."""
        put = self.index_put(indices, values, accumulate)
        return self._replace(put, "index_put_")  # type: ignore[attr-defined]

    def scatter_(self, dim: int, index: Tensor, src: Any, *, reduce: str = "none") -> Any:
        """`scatter` of the tensor itself."""
        new = self.scatter(dim, index, src, reduce=reduce)
        return self._replace(new, "scatter_")  # type: ignore[attr-defined]

    def scatter_add_(self, dim: int, index: Tensor, src: Tensor) -> Any:
        """`scatter_add` of the tensor itself."""
        return self._replace(self.scatter_add(dim, index, src), "scatter_add_")  # type: ignore[attr-defined]
