"""Distribution: the base class, with what follows from the formulas of a subclass."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import State
from cellgrad.core.arguments import argument_error, check_instance, check_int
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.nn.cell import Cell
from cellgrad.nn.probability._parameters import (
    as_parameter,
    broadcast,
    check_positive,
    check_probability,
    parameter_type,
)
from cellgrad.ops.next_keys import Stream

_Function = Callable[[Tensor], Tensor]


def _same(x: Tensor) -> Tensor:
    return x


def _other(x: Tensor) -> Tensor:
    return 1 - x


def _log_of_other(x: Tensor) -> Tensor:
    return ops.log1p(-x)


def _other_of_exp(x: Tensor) -> Tensor:
    return -ops.expm1(x)


def _log_of_other_of_exp(x: Tensor) -> Tensor:
    return ops.log(-ops.expm1(x))


# What a method computes: the first of these formulas that the subclass has, and what is done with it.
_WAYS: dict[str, tuple[tuple[str, _Function], ...]] = {
    "prob": (("_prob", _same), ("_log_prob", ops.exp)),
    "log_prob": (("_log_prob", _same), ("_prob", ops.log)),
    "cdf": (
        ("_cdf", _same),
        ("_log_cdf", ops.exp),
        ("_survival_function", _other),
        ("_log_survival", _other_of_exp),
    ),
    "log_cdf": (
        ("_log_cdf", _same),
        ("_cdf", ops.log),
        ("_survival_function", _log_of_other),
        ("_log_survival", _log_of_other_of_exp),
    ),
    "survival_function": (
        ("_survival_function", _same),
        ("_log_survival", ops.exp),
        ("_cdf", _other),
        ("_log_cdf", _other_of_exp),
    ),
    "log_survival": (
        ("_log_survival", _same),
        ("_survival_function", ops.log),
        ("_cdf", _log_of_other),
        ("_log_cdf", _log_of_other_of_exp),
    ),
    "mean": (("_mean", _same),),
    "mode": (("_mode", _same),),
    "sd": (("_sd", _same), ("_var", ops.sqrt)),
    "var": (("_var", _same), ("_sd", ops.square)),
    "entropy": (("_entropy", _same),),
}
_METHODS = (*_WAYS, "kl_loss", "cross_entropy", "sample", "get_dist_args", "get_dist_type")


def parameter(name: str, doc: str) -> property:
    """The parameter `name` that a distribution was made with, as an attribute."""
    return property(lambda self: self._default(name), doc=doc)


class Distribution(Cell):
    """A probability distribution, or a batch of them.

    A subclass is made with parameters, of which each may be None, and has formulas: ``_log_prob(value,
    *parameters)`` or ``_prob``, ``_cdf`` or ``_survival_function``, ``_mean(*parameters)``, ``_var`` or
    ``_sd``, ``_entropy``, ``_kl_loss(dist, *parameters_b, *parameters)``, ``_sample(shape,
    *parameters)``. The methods check their arguments, take parameters that are given to them in place of
    those it was made with, broadcast them with each other, and derive what has no formula.

    Every method is called as ``dist.log_prob(x)`` or as ``dist("log_prob", x)``. Parameters that are
    Parameters are trainable.

    Args:
        seed: of the numbers that `sample` draws; 0 or None: the default generator draws them.
        dtype: of what `sample` gives, and of values where it is a floating-point type.
        name: in messages.
        param: ``{"param_dict": {"mean": mean, "sd": sd}}``, the parameters by their names.

    Raises:
        TypeError: arguments of other types; parameters of two dtypes.
        ValueError: a negative `seed`.

    >>> class Delta(nn.probability.distribution.Distribution):
    ...     def __init__(self, place):
    ...         super().__init__(0, ms.float32, "Delta", {"param_dict": {"place": place}})
    ...         self._add_parameter(place, "place")
    ...     def _cdf(self, value, place):
    ...         return ops.where(value < place, 0.0, 1.0)
    >>> print(Delta(2.0).survival_function(Tensor([1.0, 3.0])))
    [1. 0.]
    """

    def __init__(self, seed: int | None, dtype: Type, name: str, param: State):
        super().__init__()
        owner = type(self).__name__
        check_instance(name, owner, "name", str)
        self._name = name
        self._seed = check_int(0 if seed is None else seed, owner, "seed", at_least=0)
        self._stream = Stream(self._seed, 0)
        self._dtype = dtype
        self._parameters = {k: v for k, v in param.items() if k != "self" and not k.startswith("_")}
        self.parameter_names: list[str] = []
        values = self._parameters.get("param_dict", {})
        self.parameter_type = parameter_type(values, dtype, owner)
        self._is_scalar_batch = all(
            v is None or isinstance(v, int | float) for v in values.values()
        )
        self._batch_shape: tuple[int, ...] | None = None
        if all(v is not None for v in values.values()):
            made = [as_parameter(v, owner, k, self.parameter_type) for k, v in values.items()]
            self._batch_shape = broadcast(made)[0].shape if made else ()

    def _made(
        self, seed: int | None, dtype: Type, name: str, kinds: str, parameters: dict[str, Any]
    ) -> None:
        """What `__init__` of a distribution of the package does: `kinds` are those of dtypes it takes,
        `parameters` the parameters by their names.
        """
        if not isinstance(dtype, Type) or dtype.kind not in kinds:
            expected = "a floating-point type" if kinds == "f" else "a number type"
            raise argument_error(TypeError, type(self).__name__, "dtype", expected, dtype)
        Distribution.__init__(self, seed, dtype, name, {"param_dict": parameters})
        for key, value in parameters.items():
            self._add_parameter(value, key)

    # --- parameters -----------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name in messages."""
        return self._name

    @property
    def dtype(self) -> Type:
        """The dtype of what `sample` gives."""
        return self._dtype

    @property
    def seed(self) -> int:
        """The seed of `sample`."""
        return self._seed

    @property
    def parameters(self) -> State:
        """What the distribution was made with."""
        return self._parameters

    @property
    def is_scalar_batch(self) -> bool:
        """Whether all parameters are plain numbers."""
        return self._is_scalar_batch

    @property
    def batch_shape(self) -> tuple[int, ...] | None:
        """The shape that the parameters have together, None where one was not given."""
        return self._batch_shape

    @property
    def broadcast_shape(self) -> tuple[int, ...] | None:
        """The shape of a number of each distribution of the batch."""
        return self._batch_shape

    @property
    def default_parameters(self) -> list[Tensor | None]:
        """The parameters that it was made with, as Tensors, in order."""
        return [self._default(name) for name in self.parameter_names]

    def _default(self, name: str) -> Any:
        return getattr(self, f"_{name}_value")

    def _add_parameter(self, value: Any, name: str) -> Any:
        """Notes a parameter, which methods take in the order of these calls."""
        if value is not None:
            value = as_parameter(value, type(self).__name__, name, self.parameter_type)
        setattr(self, f"_{name}_value", value)
        self.parameter_names.append(name)
        return value

    def _positive(self, *names: str) -> None:
        for name in names:
            check_positive(self._default(name), type(self).__name__, name)

    def _probability(self, name: str) -> None:
        check_probability(self._default(name), type(self).__name__, name)

    def extend_repr(self) -> str:
        """The parameters, or the shape of the batch."""
        if not self.is_scalar_batch:
            return f"batch_shape = {self.batch_shape}"
        return ", ".join(f"{n} = {self._default(n)}" for n in self.parameter_names)

    # --- arguments ------------------------------------------------------------------------------

    def _value(self, value: Any) -> Tensor:
        """A value as a Tensor of floating-point numbers."""
        x = self._check_value(value, "value")
        kind = self._dtype if self._dtype.kind == "f" else self.parameter_type
        return x if x.dtype is kind else ops.cast(x, kind)

    def _check_value(self, value: Any, name: str) -> Tensor:
        return check_instance(value, self._name, name, Tensor)

    def _checked(self, value: Any, name: str) -> Tensor:
        x = self._check_value(value, name)
        return x if x.dtype is self.parameter_type else ops.cast(x, self.parameter_type)

    def _check_param_type(self, *args: Any) -> Any:
        """The parameters that are given, or else those it was made with, broadcast with each other: a
        tuple, or one Tensor if there is one.
        """
        found = []
        for i, name in enumerate(self.parameter_names):
            given = args[i] if i < len(args) and args[i] is not None else self._default(name)
            if given is None:
                raise error(
                    TypeError,
                    f"For '{self._name}', '{name}' is not given, neither here nor where the distribution "
                    "was made.",
                    f"pass {name} as a Tensor",
                )
            found.append(self._checked(given, name))
        whole = tuple(broadcast(found))
        return whole[0] if len(whole) == 1 else whole

    def _resolved(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        names = self.parameter_names
        if len(args) > len(names):
            raise error(
                TypeError,
                f"For '{self._name}', there are {len(names)} parameters, {', '.join(names)}, but got "
                f"{len(args)}.",
            )
        given = list(args) + [None] * (len(names) - len(args))
        for key, value in kwargs.items():
            known = [n for n in (key, key.removesuffix("_a"), key.removesuffix("1")) if n in names]
            if not known:
                raise error(
                    TypeError,
                    f"For '{self._name}', there is no parameter '{key}'.",
                    f"its parameters are {', '.join(names)}",
                )
            given[names.index(known[0])] = value
        out = self._check_param_type(*given)
        return out if isinstance(out, tuple) else (out,)

    # --- methods --------------------------------------------------------------------------------

    def _absent(self, what: str) -> NotImplementedError:
        return error(
            NotImplementedError, f"{what} is not implemented for {self._name} distribution."
        )

    def _way(self, what: str) -> tuple[Any, _Function]:
        for formula, then in _WAYS[what]:
            if hasattr(type(self), formula):
                return getattr(self, formula), then
        raise self._absent(what)

    def _of_value(self, what: str, value: Any, args: Any, kwargs: Any) -> Tensor:
        formula, then = self._way(what)
        return then(formula(self._value(value), *self._resolved(args, kwargs)))

    def _of_all(self, what: str, args: Any, kwargs: Any) -> Tensor:
        formula, then = self._way(what)
        return then(formula(*self._resolved(args, kwargs)))

    def prob(self, value: Tensor, *args: object, **kwargs: object) -> Tensor:
        """The density or probability at `value`.

        Args:
            value: floating point, of a shape that broadcasts with the parameters.
            args, kwargs: parameters in place of those that the distribution was made with.

        Raises:
            TypeError: a value or parameter that is no Tensor; a parameter that is given nowhere.
            NotImplementedError: the distribution has no formula for it.

        >>> print(nn.probability.distribution.Uniform(0.0, 4.0).prob(Tensor([1.0, 5.0])))
        [0.25 0.  ]
        """
        return self._of_value("prob", value, args, kwargs)

    def log_prob(self, value: Tensor, *args: object, **kwargs: object) -> Tensor:
        """The logarithm of `prob`, with the same arguments and errors."""
        return self._of_value("log_prob", value, args, kwargs)

    def cdf(self, value: Tensor, *args: object, **kwargs: object) -> Tensor:
        """The probability of at most `value`; arguments and errors as of `prob`."""
        return self._of_value("cdf", value, args, kwargs)

    def log_cdf(self, value: Tensor, *args: object, **kwargs: object) -> Tensor:
        """The logarithm of `cdf`; arguments and errors as of `prob`."""
        return self._of_value("log_cdf", value, args, kwargs)

    def survival_function(self, value: Tensor, *args: object, **kwargs: object) -> Tensor:
        """The probability of more than `value`; arguments and errors as of `prob`."""
        return self._of_value("survival_function", value, args, kwargs)

    def log_survival(self, value: Tensor, *args: object, **kwargs: object) -> Tensor:
        """The logarithm of `survival_function`; arguments and errors as of `prob`."""
        return self._of_value("log_survival", value, args, kwargs)

    def mean(self, *args: object, **kwargs: object) -> Tensor:
        """The mean, of the distribution's or the given parameters; errors as of `prob`."""
        return self._of_all("mean", args, kwargs)

    def mode(self, *args: object, **kwargs: object) -> Tensor:
        """The most probable value; arguments and errors as of `mean`."""
        return self._of_all("mode", args, kwargs)

    def sd(self, *args: object, **kwargs: object) -> Tensor:
        """The standard deviation; arguments and errors as of `mean`."""
        return self._of_all("sd", args, kwargs)

    def var(self, *args: object, **kwargs: object) -> Tensor:
        """The variance; arguments and errors as of `mean`."""
        return self._of_all("var", args, kwargs)

    def entropy(self, *args: object, **kwargs: object) -> Tensor:
        """The entropy in nats; arguments and errors as of `mean`."""
        return self._of_all("entropy", args, kwargs)

    def _two(self, dist: Any, args: Any, kwargs: Any) -> tuple[list[Tensor], tuple[Any, ...]]:
        """The parameters of the other distribution, and of this one."""
        if dist != self.get_dist_type():
            raise argument_error(ValueError, self._name, "dist", repr(self.get_dist_type()), dist)
        names, count = self.parameter_names, len(self.parameter_names)
        other = dict(zip(names, args, strict=False))
        rest = {}
        for key, value in kwargs.items():
            bare = key.removesuffix("_b")
            known = [n for n in (bare, bare.removesuffix("1")) if n in names]
            if key != bare and known:
                other[known[0]] = value
            else:
                rest[key] = value
        b = [self._checked(other.get(n), f"{n}_b") for n in names]
        return b, self._resolved(args[count:], rest)

    def kl_loss(self, dist: str, *args: object, **kwargs: object) -> Tensor:
        """The Kullback-Leibler divergence from this distribution a to b, another one of the same kind.

        Args:
            dist: the kind, such as "Normal".
            args, kwargs: the parameters of b, by name ``mean_b``; then, where wanted, those of a.

        Raises:
            TypeError: a parameter that is no Tensor, or given nowhere.
            ValueError: another kind.
            NotImplementedError: the distribution has no formula for it.
        """
        formula = getattr(self, "_kl_loss", None)
        if formula is None:
            raise self._absent("kl_loss")
        b, a = self._two(dist, args, kwargs)
        return formula(dist, *b, *a)  # type: ignore[no-any-return]

    def cross_entropy(self, dist: str, *args: object, **kwargs: object) -> Tensor:
        """The entropy of a plus `kl_loss`, whose arguments and errors it has."""
        if not (hasattr(self, "_kl_loss") and hasattr(self, "_entropy")):
            raise self._absent("cross_entropy")
        b, a = self._two(dist, args, kwargs)
        return self._entropy(*a) + self._kl_loss(dist, *b, *a)  # type: ignore[no-any-return]

    def sample(self, shape: tuple[int, ...] = (), *args: object, **kwargs: object) -> Tensor:
        """Random numbers.

        Args:
            shape: how many of each distribution of the batch.
            args, kwargs: parameters, as of `mean`. Where numbers are a smooth function of uniform or
                normal ones, they have derivatives by the parameters.

        Returns:
            Tensor of `dtype`, shape ``(*shape, *batch)``.

        Raises:
            TypeError: `shape` is no tuple.
            NotImplementedError: the distribution cannot draw.

        >>> print(nn.probability.distribution.Normal(0.0, 1.0).sample((2, 3)).shape)
        (2, 3)
        """
        if not hasattr(self, "_sample"):
            raise self._absent("sample")
        if not isinstance(shape, tuple):
            raise argument_error(TypeError, self._name, "shape", "a tuple", shape)
        drawn = self._sample(shape, *self._resolved(args, kwargs))
        return drawn if drawn.dtype is self._dtype else ops.cast(drawn, self._dtype)

    def get_dist_args(self, *args: object, **kwargs: object) -> tuple[Tensor, ...]:
        """The parameters, those that are given in place of those it was made with."""
        given = dict(zip(self.parameter_names, args, strict=False)) | kwargs
        out: list[Any] = []
        for name in self.parameter_names:
            value = given.get(name)
            if value is None:
                value = self._default(name)
            else:
                check_instance(value, self._name, name, Tensor)
            out.append(value)
        return tuple(out)

    def get_dist_type(self) -> str:
        """The kind of distribution: the name of its class."""
        return type(self).__name__

    def construct(self, name: str, *args: Any, **kwargs: Any) -> Tensor:
        """The method of that name, as `dist` is called: ``dist("log_prob", x)``.

        Raises:
            NotImplementedError: there is no such method.
        """
        if name not in _METHODS:
            raise self._absent(name)
        return getattr(self, name)(*args, **kwargs)

    # --- drawing --------------------------------------------------------------------------------

    def _drawn_in(self) -> Type:
        return mstype.float64 if self.parameter_type is mstype.float64 else mstype.float32

    def _uniform(self, shape: tuple[int, ...]) -> Tensor:
        """Uniform numbers in (0, 1)."""
        kind = self._drawn_in()
        u = ops.rand(shape, dtype=kind, seed=self._stream.next())
        return ops.clamp(u, math.ldexp(1.0, -25 if kind is mstype.float32 else -54), None)

    def _normal(self, shape: tuple[int, ...]) -> Tensor:
        """Standard normal numbers."""
        return ops.randn(shape, dtype=self._drawn_in(), seed=self._stream.next())
