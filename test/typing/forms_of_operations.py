"""What type checkers see of operations and their forms: mypy reads this file (`make lint`)."""

from typing import Any, assert_type

import cellgrad as ms
from cellgrad import mint, nn, numpy, ops

x = ms.Tensor([1.0, 2.0])

assert_type(ops.tanh(x), ms.Tensor)
assert_type(ops.elu(x, 2.0), ms.Tensor)
assert_type(ops.Elu(alpha=2.0)(x), ms.Tensor)
assert_type(ops.Tanh()(x), ms.Tensor)
assert_type(x.tanh(), ms.Tensor)
assert_type(x.lerp(x, 0.5), ms.Tensor)
assert_type(x.sort(descending=True)[0], ms.Tensor)
assert_type(mint.log10(x), ms.Tensor)
assert_type(mint.cumsum(x, dim=0), ms.Tensor)
assert_type(mint.nn.functional.softplus(x), ms.Tensor)
assert_type(nn.CELU(alpha=0.5).alpha, float)
assert_type(numpy.sin(x), ms.Tensor)
assert_type(numpy.add([1, 2], 3.0), ms.Tensor)
assert_type(mint.nn.ELU(inplace=True)(x), ms.Tensor)
assert_type(ops.ScatterAdd(use_locking=False), ops.ScatterAdd)
assert_type(mint.linalg.qr(x), tuple[ms.Tensor, ms.Tensor])

# A call that does not fit is an error for a type checker, too.
ops.Elu(2.0, 3.0)(x)  # type: ignore[call-arg]
ops.Elu()()  # type: ignore[call-arg]
numpy.sin("x")  # type: ignore[arg-type]
mint.nn.ELU(inplace="yes")  # type: ignore[arg-type]
ops.reshape(x, "a")  # type: ignore[arg-type]
x.lerp(x)  # type: ignore[call-arg]
mint.softmax(x)  # type: ignore[call-arg]
nn.CELU(beta=1.0)  # type: ignore[call-arg]


def unknown(name: Any) -> ms.Tensor:
    return ops.no_such_operation(name)  # type: ignore[attr-defined]
