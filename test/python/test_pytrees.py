"""Dataclasses and registered classes as inputs and results; expected values are closed forms."""

import dataclasses
from typing import Any, NamedTuple

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, ops
from cellgrad.testing import check_grads

Q, P = np.array([1.0, 2.0]), np.array(3.0)


@dataclasses.dataclass
class State:
    q: Any
    p: Any
    name: str = dataclasses.field(default="free", metadata={"static": True})
    scale: float = dataclasses.field(default=0.5, metadata={"static": True})


class Orbit:
    def __init__(self, q, p, rest):
        self.q, self.p, self.rest = q, p, rest


ms.register_pytree_node(
    Orbit, lambda o: ((o.q, o.p), o.rest), lambda rest, parts: Orbit(*parts, rest), names=("q", "p")
)


@ms.register_pytree_node
class Pair:
    __slots__ = ("q", "p")  # noqa: RUF023 (their order is that of the parts)

    def __init__(self, q, p):
        self.q, self.p = q, p


MAKE = {
    "dataclass": lambda q=Q, p=P: State(Tensor(q), Tensor(p)),
    "functions": lambda q=Q, p=P: Orbit(Tensor(q), Tensor(p), [1, 2]),
    "attributes": lambda q=Q, p=P: Pair(Tensor(q), Tensor(p)),
}


@pytest.fixture(params=MAKE)
def make(request):
    return MAKE[request.param]


def energy(s):
    return (s.q * s.q * s.p).sum()


def close(given, expected):
    np.testing.assert_allclose(given.asnumpy(), expected, rtol=1e-14)


def test_gradients_have_the_structure(make, mode):
    s = make()
    g = ms.grad(energy)(s)
    assert type(g) is type(s)
    close(g.q, 2 * Q * P)
    close(g.p, (Q * Q).sum())
    second = ms.grad(lambda s: ms.grad(energy)(s).q.sum())(s)
    close(second.q, [2 * P, 2 * P])
    close(second.p, 2 * Q.sum())


def test_in_and_out_of_compiled_code(make):
    @ms.jit
    def swapped(s):
        s.q, s.p = s.p, s.q
        return s

    s = make()
    out = swapped(s)
    assert out is s  # changed for the caller, as in Python
    close(s.q, P)
    close(s.p, Q)

    made = ms.jit(ms.grad(energy))(s)
    assert type(made) is type(s) and made is not s
    close(made.p, (P * P).sum())


def test_other_transforms(make):
    s = make()
    value, pull_back = ms.vjp(energy, s)
    assert value.item() == 15.0
    close(pull_back(Tensor(2.0, ms.float64))[0].q, 4 * Q * P)
    out, along = ms.jvp(energy, (s,), (make(np.array([1.0, 0.0]), np.array(0.0)),))
    assert (out.item(), along.item()) == (15.0, 6.0)
    j = ms.jacrev(lambda s: s.q * s.p)(s)
    close(j.q, 3 * np.eye(2))
    close(j.p, Q)
    f = ms.jacfwd(lambda s: s.q * s.p)(s)
    close(f.q, 3 * np.eye(2))


def test_the_rest_is_a_constant(make):
    tripled = ms.jit(lambda o: o.q * o.rest[0])
    o = Orbit(Tensor(Q), Tensor(P), [3])
    close(tripled(o), 3 * Q)
    o.rest[0] = 5
    close(tripled(o), 5 * Q)
    o.rest = (7, "x")
    close(tripled(o), 7 * Q)


def test_static_fields_are_constants():
    scaled = ms.jit(lambda s: s.q * s.scale)
    close(scaled(State(Tensor(Q), Tensor(P))), 0.5 * Q)
    close(scaled(State(Tensor(Q), Tensor(P), "bound", 2.0)), 2 * Q)
    # A float that is no static field is at a gradient position, and refused.
    with pytest.raises(TypeError, match="0\\.5"):
        ms.grad(energy)(State(Tensor(Q), 0.5))


# --- loops ------------------------------------------------------------------------------------


def step(s, x):
    new = State(s.q + s.p * x["dt"], s.p * 2, s.name, s.scale)
    return new, {"sum": new.q.sum(), "state": Pair(new.q, new.p)}


DT = np.array([1.0, 0.5, 0.25])


@pytest.mark.parametrize("wrap", [lambda f: f, ms.jit], ids=["eager", "compiled"])
def test_scan_of_a_dict(wrap):
    run = wrap(lambda s, xs: ops.Scan()(step, s, xs))
    last, kept = run(State(Tensor(Q), Tensor(P)), {"dt": Tensor(DT)})
    moved = 3 * np.cumsum(DT * [1, 2, 4])
    assert isinstance(last, State) and (last.name, last.scale) == ("free", 0.5)
    close(last.q, Q + moved[-1])
    close(last.p, 24.0)
    close(kept["sum"], 3.0 + 2 * moved)
    close(kept["state"].q, Q + moved[:, None])
    close(kept["state"].p, [6.0, 12.0, 24.0])


def test_gradient_of_a_scan(mode):
    def final(s, xs):
        return ops.Scan()(step, s, xs)[0].q.sum()

    s, xs = State(Tensor(Q), Tensor(P)), {"dt": Tensor(DT)}
    by_state, by_steps = ms.grad(final, (0, 1))(s, xs)
    close(by_state.q, [1.0, 1.0])
    close(by_state.p, 2 * (DT * [1, 2, 4]).sum())
    close(by_steps["dt"], [6.0, 12.0, 24.0])
    check_grads(lambda p, dt: final(State(Tensor(Q), p), {"dt": dt}), (s.p, xs["dt"]), order=2)


@pytest.mark.parametrize("wrap", [lambda f: f, ms.jit], ids=["eager", "compiled"])
def test_other_loops(wrap, make):
    def doubled(s):
        if isinstance(s, State):
            return State(s.q * 2, s.p, s.name, s.scale)
        return Orbit(s.q * 2, s.p, s.rest) if isinstance(s, Orbit) else Pair(s.q * 2, s.p)

    out = wrap(lambda s: ops.ForiLoop()(0, 3, lambda i, s: doubled(s), s))(make())
    close(out.q, 8 * Q)
    out = wrap(lambda s: ops.WhileLoop()(lambda s: s.q.sum() < 20, doubled, s))(make())
    close(out.q, 8 * Q)


def test_scans_that_are_refused():
    scan = ops.Scan()
    for wrap in (lambda f: f, ms.jit):
        run = wrap(lambda xs: scan(lambda c, x: (c, x), Tensor(0.0), xs))
        with pytest.raises(ValueError, match=r"must have one length along dimension 0.*\[2, 3\]"):
            run({"a": Tensor([1.0, 2.0]), "b": Tensor(DT)})
        with pytest.raises(ValueError, match=r"'xs\['b'\]' must have a dimension to go along"):
            run({"a": Tensor([1.0, 2.0]), "b": Tensor(1.0)})
        with pytest.raises(ValueError, match=r"'xs\['b'\]' must be a Tensor, but got int"):
            run({"a": Tensor([1.0, 2.0]), "b": 2})
        with pytest.raises(ValueError, match="holds no Tensor"):
            run({})


def test_branches_select_between_them(make):
    @ms.jit
    def chosen(s, t):
        out = s if t.q.sum() < s.q.sum() else t
        return out

    out = chosen(make(), make(10 * Q))
    close(out.q, 10 * Q)


# --- vmap -------------------------------------------------------------------------------------

B = np.arange(6.0).reshape(3, 2)


def test_axes_by_name(make):
    s = make(Q, np.array([1.0, 2.0, 3.0]))
    out = ms.vmap(lambda s, x: s.q * x * s.p, ({"q": None, "p": 0}, 0))(s, Tensor(B))
    close(out, Q * B * np.array([[1.0], [2.0], [3.0]]))
    out = ms.vmap(lambda s, x: s.q * x * s.p, ((None, 0), 0))(s, Tensor(B))
    close(out, Q * B * np.array([[1.0], [2.0], [3.0]]))


def test_axes_of_a_dict_and_of_a_dataclass():
    def inner(d, x):
        return d["a"] * x + d["b"]["c"]

    d = {"a": Tensor(Q), "b": {"c": Tensor(P)}}
    expected = Q[:, None] * B.T + P
    close(ms.vmap(inner, ({"b": None, "a": 0}, 1))(d, Tensor(B)), expected)
    close(ms.vmap(inner, ({"a": 0, "b": {"c": None}}, 1))(d, Tensor(B)), expected)
    s = State(Tensor(Q), Tensor(P))
    out = ms.vmap(lambda s, x: s.q * x + s.p, (State(0, None), 1))(s, Tensor(B))
    close(out, expected)


def test_results_by_name(make):
    out = ms.vmap(lambda s, x: {"s": s, "y": s.q * x}, (None, 0), {"s": None, "y": 1})(
        make(), Tensor(B)
    )
    close(out["s"].q, Q)
    close(out["y"], (Q * B).T)


def test_names_that_do_not_fit():
    d = {"a": Tensor(Q), "b": Tensor(P)}
    for axes in ({"a": 0}, {"a": 0, "b": None, "c": 0}):
        with pytest.raises(
            ValueError, match=r"'in_axes' names .*, but there are 'a', 'b' to match"
        ):
            ms.vmap(lambda d: d["a"], (axes,))(d)
    with pytest.raises(ValueError, match="'in_axes' names 'a', but there is a Tensor to match"):
        ms.vmap(lambda x: x, ({"a": 0},))(Tensor(Q))


# --- export -----------------------------------------------------------------------------------


class Named(NamedTuple):
    first: Any
    second: Any


def names_of(path, entry):
    found = next(e for e in ms.load(path).signature["entries"] if e["name"] == entry)
    return [a["name"] for a in found["args"]], [r["name"] for r in found["results"]]


def test_exported_names(tmp_path, make):
    path = str(tmp_path / "m")

    def run(s, pair):
        return {"moved": make_like(s, s.q * 2, s.p), "both": pair.first + pair.second}

    def make_like(s, q, p):
        s.q, s.p = q, p
        return s

    inputs = (make(), Named(Tensor(Q), Tensor(Q)))
    gradient = ms.grad(lambda s, pair: energy(s) + pair.first.sum(), (0, 1))
    ms.export(run, *inputs, file_name=path, value_and_grad=gradient)
    names = ["s_q", "s_p", "pair_first", "pair_second"]
    assert names_of(path, "forward") == (names, ["moved_q", "moved_p", "both"])
    assert names_of(path, "value_and_grad") == (names, [f"grad_{n}" for n in names])
    assert [o.shape for o in ms.load(path).forward(*[Tensor(v) for v in (Q, P, Q, Q)])] == [
        (2,),
        (),
        (2,),
    ]


# --- what cannot be registered ----------------------------------------------------------------


def test_what_is_refused():
    register = ms.register_pytree_node
    with pytest.raises(TypeError, match="'cls' must be a class"):
        register(3)
    for kind in (Tensor, ms.nn.Cell, dict, Named):
        with pytest.raises(TypeError, match="are something else to compiled code"):
            register(kind)
    with pytest.raises(ValueError, match="'Orbit' is registered already"):
        register(Orbit)
    with pytest.raises(TypeError, match="belong together"):
        register(type("A", (), {}), lambda a: ((), None))
    with pytest.raises(TypeError, match="'names' must be a tuple or list of strings"):
        register(type("A", (), {}), names="qp")


def test_wrong_functions():
    short = type("Short", (), {"x": Tensor(Q)})
    ms.register_pytree_node(short, lambda s: (s.x,), lambda rest, parts: short())
    with pytest.raises(
        TypeError, match=r"'flatten' of 'Short' must return a tuple \(parts, rest\)"
    ):
        ms.jit(lambda s: s.x)(short())
    odd = type("Odd", (), {"x": Tensor(Q)})
    ms.register_pytree_node(odd, lambda s: ((s.x,), 0), lambda rest, parts: odd(), ("a", "b"))
    with pytest.raises(ValueError, match="gives 1 parts, but there are 2 names: a, b"):
        ms.jit(lambda s: s.x)(odd())
