"""Attention: MultiheadAttention, and the layers of transformers."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Activation
from cellgrad.core.arguments import argument_error, check_bool, check_int
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.initializer import HeUniform, Uniform, XavierNormal, XavierUniform, initializer
from cellgrad.core.parameter import Parameter
from cellgrad.core.tensor import Tensor
from cellgrad.nn._forms import ReLU
from cellgrad.nn.activations import GELU
from cellgrad.nn.cell import Cell
from cellgrad.nn.containers import CellList
from cellgrad.nn.dropout import Dropout
from cellgrad.nn.layers import Dense, _dense
from cellgrad.nn.normalization import LayerNorm

__all__ = [
    "MultiheadAttention",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]


def _additive(mask: Tensor | None, dtype: Type, name: str) -> Tensor | None:
    """A mask to be added to scores: True becomes minus infinity."""
    if mask is None or mask.dtype.kind == "f":
        return mask
    if mask.dtype is not mstype.bool_:
        raise argument_error(
            ValueError, "MultiheadAttention", name, "of bools or floats", mask.dtype
        )
    return ops.select(mask, float("-inf"), ops.zeros(mask.shape, dtype))


class MultiheadAttention(Cell):
    """Attention of several heads: ``softmax(Q K^T / sqrt(d)) V`` of projections, projected.

    Args:
        embed_dim: the length of queries and outputs.
        num_heads: heads; divides `embed_dim`.
        dropout: the probability that an attention weight becomes zero in training mode.
        has_bias: whether projections have biases.
        add_bias_kv: whether a learned key and value are appended.
        add_zero_attn: whether a zero key and value are appended.
        kdim, vdim: the lengths of keys and values, by default `embed_dim`.
        batch_first: whether inputs are (batch, length, embed) and not (length, batch, embed).
        dtype: of the Parameters.

    Inputs:
        query, key, value: three dimensions, or two for one sequence.
        key_padding_mask: shape (batch, keys) or (keys,); True, or minus infinity, hides a key.
        need_weights: whether the attention weights are returned as well.
        attn_mask: shape (queries, keys) or (batch * heads, queries, keys); True, or minus
            infinity, hides a key from a query.
        average_attn_weights: whether the weights are averaged over heads.

    Outputs:
        a tuple of the output and, with `need_weights`, the weights (batch, queries, keys) or
        (batch, heads, queries, keys).

    Raises:
        TypeError, ValueError: arguments of wrong types, or shapes that do not fit.

    >>> attention = nn.MultiheadAttention(8, 2, batch_first=True)
    >>> x = ops.ones((1, 5, 8))
    >>> output, weights = attention(x, x, x)
    >>> print(output.shape, weights.shape)
    (1, 5, 8) (1, 5, 5)
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        has_bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        dtype: Type | None = None,
    ):
        super().__init__()
        self.embed_dim = embed_dim = check_int(embed_dim, self.cls_name, "embed_dim", at_least=1)
        self.num_heads = num_heads = check_int(num_heads, self.cls_name, "num_heads", at_least=1)
        self.kdim, self.vdim = kdim or embed_dim, vdim or embed_dim
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise error(
                ValueError,
                f"The init argument 'embed_dim' must be divisible by 'num_heads', but got "
                f"{embed_dim} and {num_heads}.",
            )
        self.dropout = float(dropout)
        self.batch_first = check_bool(batch_first, self.cls_name, "batch_first")
        self.add_zero_attn = check_bool(add_zero_attn, self.cls_name, "add_zero_attn")
        self.q_proj_weight = self.k_proj_weight = self.v_proj_weight = self.in_proj_weight = None

        def weight(rows: int, columns: int, name: str) -> Parameter:
            return Parameter(initializer(XavierUniform(), (rows, columns), dtype), name=name)

        if self.kdim == self.vdim == embed_dim:
            self.in_proj_weight = weight(3 * embed_dim, embed_dim, "in_proj_weight")
        else:
            self.q_proj_weight = weight(embed_dim, embed_dim, "q_proj_weight")
            self.k_proj_weight = weight(embed_dim, self.kdim, "k_proj_weight")
            self.v_proj_weight = weight(embed_dim, self.vdim, "v_proj_weight")
        self.in_proj_bias = None
        if has_bias:
            zeros = initializer("zeros", (3 * embed_dim,), dtype)
            self.in_proj_bias = Parameter(zeros, name="in_proj_bias")
        self.out_proj = Dense(
            embed_dim,
            embed_dim,
            has_bias=has_bias,
            weight_init=HeUniform(math.sqrt(5)),
            bias_init=Uniform(1 / math.sqrt(embed_dim)),
            dtype=dtype,
        )
        self.bias_k = self.bias_v = None
        if add_bias_kv:
            shape = (1, 1, embed_dim)
            self.bias_k = Parameter(initializer(XavierNormal(), shape, dtype), name="bias_k")
            self.bias_v = Parameter(initializer(XavierNormal(), shape, dtype), name="bias_v")

    def construct(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
    ) -> tuple[Tensor, ...]:
        alone = query.ndim == 2
        inputs = [ops.expand_dims(x, 0) if alone else x for x in (query, key, value)]
        if not alone and not self.batch_first:
            inputs = [ops.swapaxes(x, 0, 1) for x in inputs]
        if alone and key_padding_mask is not None:
            key_padding_mask = ops.expand_dims(key_padding_mask, 0)
        self._check(*inputs)
        q, k, v = self._projected(inputs)
        batch, queries, _ = q.shape
        added = 0
        if self.bias_k is not None and self.bias_v is not None:
            k, v = (
                ops.concat((x, ops.broadcast_to(b, (batch, 1, self.embed_dim))), 1)
                for x, b in ((k, self.bias_k), (v, self.bias_v))
            )
            added += 1
        if self.add_zero_attn:
            k, v = (
                ops.concat((x, ops.zeros((batch, 1, self.embed_dim), x.dtype)), 1) for x in (k, v)
            )
            added += 1
        q, k, v = (self._heads(x) for x in (q, k, v))
        scores = ops.matmul(q * (1 / math.sqrt(self.head_dim)), ops.swapaxes(k, 2, 3))
        for mask in self._masks(attn_mask, key_padding_mask, scores, added):
            scores = scores + mask
        weights = ops.softmax(scores, -1)
        if self.dropout and self.training:
            weights = ops.dropout(weights, self.dropout, True)
        out = ops.transpose(ops.matmul(weights, v), (0, 2, 1, 3))
        out = self.out_proj(ops.reshape(out, (batch, queries, self.embed_dim)))
        if alone:
            out = out[0]
        elif not self.batch_first:
            out = ops.swapaxes(out, 0, 1)
        if not need_weights:
            return (out,)
        if average_attn_weights:
            weights = ops.mean(weights, 1)
        return out, weights[0] if alone else weights

    def _check(self, query: Tensor, key: Tensor, value: Tensor) -> None:
        wanted = (self.embed_dim, self.kdim, self.vdim)
        given = tuple(x.shape[-1] for x in (query, key, value))
        if any(x.ndim != 3 for x in (query, key, value)) or given != wanted:
            raise error(
                ValueError,
                f"For '{self.cls_name}', query, key and value must have 2 or 3 dimensions, the last "
                f"of {wanted}, but got {[list(x.shape) for x in (query, key, value)]}.",
            )
        if key.shape[:2] != value.shape[:2] or key.shape[0] != query.shape[0]:
            raise error(
                ValueError,
                f"For '{self.cls_name}', key and value must be as long, and the batches of one "
                f"size, but got {[list(x.shape) for x in (query, key, value)]}.",
            )

    def _projected(self, inputs: list[Tensor]) -> list[Tensor]:
        e = self.embed_dim
        if self.in_proj_weight is not None:
            weights: list[Any] = [self.in_proj_weight[i * e : (i + 1) * e] for i in range(3)]
        else:
            weights = [self.q_proj_weight, self.k_proj_weight, self.v_proj_weight]
        out = []
        for i, (x, w) in enumerate(zip(inputs, weights)):
            flat = ops.MatMul(transpose_b=True)(ops.reshape(x, (-1, x.shape[-1])), w)
            if self.in_proj_bias is not None:
                flat = flat + self.in_proj_bias[i * e : (i + 1) * e]
            out.append(ops.reshape(flat, (*x.shape[:2], e)))
        return out

    def _heads(self, x: Tensor) -> Tensor:
        split = ops.reshape(x, (*x.shape[:2], self.num_heads, self.head_dim))
        return ops.transpose(split, (0, 2, 1, 3))  # type: ignore[no-any-return]

    def _masks(
        self, attention: Tensor | None, padding: Tensor | None, scores: Tensor, added: int
    ) -> list[Tensor]:
        """What is added to the scores (batch, heads, queries, keys)."""
        batch, heads, queries, keys = scores.shape
        out = []
        for name, mask, shapes in (
            (
                "attn_mask",
                attention,
                ((queries, keys - added), (batch * heads, queries, keys - added)),
            ),
            ("key_padding_mask", padding, ((batch, keys - added),)),
        ):
            mask = _additive(mask, scores.dtype, name)
            if mask is None:
                continue
            if mask.shape not in shapes:
                raise error(
                    ValueError,
                    f"For '{self.cls_name}', the '{name}' must have shape "
                    f"{' or '.join(str(s) for s in shapes)}, but got {tuple(mask.shape)}.",
                )
            if added:
                mask = ops.concat((mask, ops.zeros((*mask.shape[:-1], added), mask.dtype)), -1)
            if name == "key_padding_mask":
                mask = ops.reshape(mask, (batch, 1, 1, keys))
            elif mask.ndim == 3:
                mask = ops.reshape(mask, scores.shape)
            out.append(mask)
        return out


# --- transformers -----------------------------------------------------------------------------


def _activation(activation: Any, owner: str) -> Callable[[Tensor], Tensor]:
    named: dict[str, Callable[[Tensor], Tensor]] = {"relu": ops.relu, "gelu": ops.gelu}
    if isinstance(activation, str) and activation in named:
        return named[activation]
    if isinstance(activation, ReLU | GELU) or activation in (ops.relu, ops.gelu):
        return activation  # type: ignore[no-any-return]
    raise error(
        ValueError,
        f"For '{owner}', the 'activation' must be 'relu', 'gelu', or their function or Cell, but "
        f"got {activation!r}.",
    )


class _Layer(Cell):
    """What encoder and decoder layers share: attention, and a network of two dense layers."""

    def __init__(
        self,
        attentions: tuple[str, ...],
        d_model: int,
        nhead: int,
        dim_feedforward: int,
        dropout: float,
        activation: Activation,
        layer_norm_eps: float,
        batch_first: bool,
        norm_first: bool,
        dtype: Type | None,
    ):
        super().__init__()
        self.given = (
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first,
            norm_first,
            dtype,
        )
        for name in attentions:
            attention = MultiheadAttention(
                d_model, nhead, dropout, batch_first=batch_first, dtype=dtype
            )
            setattr(self, name, attention)
        self.dense1 = _dense(d_model, dim_feedforward, dtype)
        self.dropout = Dropout(p=dropout)
        self.dense2 = _dense(dim_feedforward, d_model, dtype)
        self.norm_first = check_bool(norm_first, self.cls_name, "norm_first")
        count = len(attentions) + 1
        for i in range(1, count + 1):
            setattr(self, f"norm{i}", LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype))
        for i in range(1, count + 1):
            setattr(self, f"dropout{i}", Dropout(p=dropout))
        self.activation = _activation(activation, self.cls_name)

    def _block(self, number: int, x: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
        """A part with its residual and its normalisation, before or after."""
        norm, dropout = getattr(self, f"norm{number}"), getattr(self, f"dropout{number}")
        if self.norm_first:
            return x + dropout(function(norm(x)))  # type: ignore[no-any-return]
        return norm(x + dropout(function(x)))  # type: ignore[no-any-return]

    def _feed_forward(self, x: Tensor) -> Tensor:
        return self.dense2(self.dropout(self.activation(self.dense1(x))))  # type: ignore[no-any-return]


class TransformerEncoderLayer(_Layer):
    """Self-attention and two dense layers, each with a residual and a normalisation.

    Args:
        d_model: the length of a position.
        nhead: heads.
        dim_feedforward: the width between the dense layers.
        dropout: the probability of zeros in training mode.
        activation: "relu" or "gelu", or their function or Cell.
        layer_norm_eps: of the normalisations.
        batch_first: as of `MultiheadAttention`.
        norm_first: whether normalisations come before, not after.
        dtype: of the Parameters.

    Inputs:
        src, src_mask, src_key_padding_mask: as of `MultiheadAttention`.

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> layer = nn.TransformerEncoderLayer(d_model=8, nhead=2)
    >>> print(layer(ops.ones((5, 1, 8))).shape)
    (5, 1, 8)
    """

    self_attn: MultiheadAttention

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: Type | None = None,
    ):
        super().__init__(
            ("self_attn",),
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first,
            norm_first,
            dtype,
        )

    def construct(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
    ) -> Tensor:
        def attend(x: Tensor) -> Tensor:
            return self.self_attn(x, x, x, src_key_padding_mask, False, src_mask)[0]  # type: ignore[no-any-return]

        return self._block(2, self._block(1, src, attend), self._feed_forward)


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to a memory, and two dense layers; arguments as of
    `TransformerEncoderLayer`.

    Inputs:
        tgt, memory: the sequence and what it attends to.
        tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask: as of
            `MultiheadAttention`.

    >>> layer = nn.TransformerDecoderLayer(d_model=8, nhead=2)
    >>> print(layer(ops.ones((5, 1, 8)), ops.ones((7, 1, 8))).shape)
    (5, 1, 8)
    """

    self_attn: MultiheadAttention
    multihead_attn: MultiheadAttention

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: Type | None = None,
    ):
        super().__init__(
            ("self_attn", "multihead_attn"),
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first,
            norm_first,
            dtype,
        )

    def construct(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
    ) -> Tensor:
        def attend(x: Tensor) -> Tensor:
            return self.self_attn(x, x, x, tgt_key_padding_mask, False, tgt_mask)[0]  # type: ignore[no-any-return]

        def look(x: Tensor) -> Tensor:
            hidden = memory_key_padding_mask
            return self.multihead_attn(x, memory, memory, hidden, False, memory_mask)[0]  # type: ignore[no-any-return]

        x = self._block(2, self._block(1, tgt, attend), look)
        return self._block(3, x, self._feed_forward)


class _Stack(Cell):
    """Layers of one kind, one after the other."""

    def __init__(self, layer: _Layer, num_layers: int, norm: Cell | None):
        super().__init__()
        self.num_layers = check_int(num_layers, self.cls_name, "num_layers", at_least=1)
        kind: Any = type(layer)
        first = kind(*layer.given)
        self.layers = CellList([copy.deepcopy(first) for _ in range(num_layers)])
        self.norm = norm

    def _run(self, x: Tensor, *others: Any) -> Tensor:
        for layer in self.layers:
            x = layer(x, *others)
        return x if self.norm is None else self.norm(x)  # type: ignore[no-any-return]


class TransformerEncoder(_Stack):
    """Encoder layers like `encoder_layer`, all with the same fresh Parameters at first.

    Args:
        encoder_layer: gives the arguments.
        num_layers: a positive int.
        norm: a last normalisation, or None.

    >>> layer = nn.TransformerEncoderLayer(d_model=8, nhead=2)
    >>> print(nn.TransformerEncoder(layer, 2)(ops.ones((5, 1, 8))).shape)
    (5, 1, 8)
    """

    def __init__(
        self, encoder_layer: TransformerEncoderLayer, num_layers: int, norm: Cell | None = None
    ):
        super().__init__(encoder_layer, num_layers, norm)

    def construct(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
    ) -> Tensor:
        return self._run(src, src_mask, src_key_padding_mask)


class TransformerDecoder(_Stack):
    """Decoder layers like `decoder_layer`; arguments as of `TransformerEncoder`.

    >>> layer = nn.TransformerDecoderLayer(d_model=8, nhead=2)
    >>> print(nn.TransformerDecoder(layer, 2)(ops.ones((5, 1, 8)), ops.ones((7, 1, 8))).shape)
    (5, 1, 8)
    """

    def __init__(
        self, decoder_layer: TransformerDecoderLayer, num_layers: int, norm: Cell | None = None
    ):
        super().__init__(decoder_layer, num_layers, norm)

    def construct(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
    ) -> Tensor:
        return self._run(
            tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask
        )


class Transformer(Cell):
    """An encoder and a decoder that attends to what it gives.

    Args:
        d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first,
            norm_first, dtype: as of `TransformerEncoderLayer`.
        num_encoder_layers, num_decoder_layers: layers of each.
        custom_encoder, custom_decoder: Cells in their places, or None.

    Inputs:
        src, tgt: the sequences; masks as of `TransformerDecoderLayer`.

    Raises:
        TypeError, ValueError: arguments that are not, or sequences that do not fit.

    >>> model = nn.Transformer(8, 2, num_encoder_layers=1, num_decoder_layers=1)
    >>> print(model(ops.ones((7, 1, 8)), ops.ones((5, 1, 8))).shape)
    (5, 1, 8)
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = "relu",
        custom_encoder: Cell | None = None,
        custom_decoder: Cell | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: Type | None = None,
    ):
        super().__init__()
        shared = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps)
        rest = (batch_first, norm_first, dtype)

        def norm() -> LayerNorm:
            return LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)

        self.encoder = custom_encoder or TransformerEncoder(
            TransformerEncoderLayer(*shared, *rest), num_encoder_layers, norm()
        )
        self.decoder = custom_decoder or TransformerDecoder(
            TransformerDecoderLayer(*shared, *rest), num_decoder_layers, norm()
        )
        for p in self.get_parameters():
            if p.ndim > 1:
                p.set_data(initializer(XavierUniform(), p.shape, p.dtype))
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def construct(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
    ) -> Tensor:
        memory = self.encoder(src, src_mask, src_key_padding_mask)
        return self.decoder(  # type: ignore[no-any-return]
            tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask
        )
