"""What code of a branch or loop on tensors changes in place. Lists, dictionaries and objects of one
structure in both ways of a branch are chosen as variables are; loops, and changes of the structure of
what was there before, are refused. And statements whose order of evaluation shows.
"""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, ops
from cellgrad.testing import check_grads

X = Tensor([1.0, 2.0, 3.0])
AROUND, TABLE = [1.0], {"a": [1.0]}


class Made:
    def __init__(self):
        self.factor, self.items = 1.0, [1.0]

    def grow(self):
        self.factor += 1.0


KEPT = Made()


def attribute(x):
    made = Made()
    if x.sum() > 0:
        made.factor = 3.0
    return x * made.factor


def method(x):
    made = Made()
    if x.sum() > 0:
        made.grow()
    return x * made.factor


def attribute_in_a_loop(x):
    made = Made()
    for _ in range(ops.cast(x.sum(), ms.int32)):
        made.factor += 1.0
    return x * made.factor


def attribute_by_name(x):
    made = Made()
    if x.sum() > 0:
        setattr(made, "factor", 3.0)  # noqa: B010
    return x * made.factor


def list_of_an_object(x):
    made = Made()
    if x.sum() > 0:
        made.items.append(2.0)
    return x * len(made.items)


def list_in_a_dict(x):
    table = {"a": [1.0]}
    if x.sum() > 0:
        table["a"][0] = 2.0
    return x * table["a"][0]


def grown_list_in_a_tuple(x):
    pair = ([1.0], 2)
    if x.sum() > 0:
        first = pair[0]
        first += [2.0]
    return x * len(pair[0])


def element_deleted(x):
    pair = ([1.0, 2.0], 2)
    if x.sum() > 0:
        del pair[0][0]
    return x * len(pair[0])


def element_added_to(x):
    pair = ([1.0, 2.0], 2)
    if x.sum() > 0:
        pair[0][0] += 1
    return x * pair[0][0]


def a_set(x):
    seen = {1}
    if x.sum() > 0:
        seen.add(2)
    return x * len(seen)


def an_iterator(x):
    values = iter([1.0, 2.0, 3.0])
    if x.sum() > 0:
        y = x * next(values)
    else:
        y = -x * next(values)
    return y * next(values)


def a_list_around(x):
    if x.sum() > 0:
        AROUND.append(2.0)
    return x * len(AROUND)


def a_list_in_a_table_around(x):
    for items in TABLE.values():
        if x.sum() > 0:
            items.append(2.0)
    return x * len(TABLE["a"])


def an_object_around(x):
    if x.sum() > 0:
        KEPT.factor = 2.0
    return x * KEPT.factor


def an_argument(x):
    def grow(items):
        if x.sum() > 0:
            items.append(1.0)
        return len(items)

    return x * grow([1.0])


REFUSED = {
    attribute_in_a_loop: "changed in place inside a branch or loop",
    list_of_an_object: "a list is a list of 2 in one case",
    grown_list_in_a_tuple: "changed in place inside a branch or loop",
    element_deleted: "a list is a list of 1 in one case",
    a_set: "changed in place inside a branch or loop",
    an_iterator: "changed in place inside a branch or loop",
    a_list_around: "a list is a list of 2 in one case",
    a_list_in_a_table_around: "a list is a list of 2 in one case",
    an_argument: "a list is a list of 2 in one case",
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_the_structure_of_what_was_there_is_not_changed(function):
    with pytest.raises(
        TypeError, match=REFUSED[function].replace("a list is", "a list, is")
    ) as caught:
        ms.jit(function)(X)
    assert "test_changes_in_branches.py" in str(caught.value)
    assert (AROUND, TABLE, KEPT.factor) == ([1.0], {"a": [1.0]}, 1.0)


def elements(x):
    pair, table = [x, [x]], {"a": x}
    if x.sum() > 0:
        pair[0] = x * 2
        pair[1][0] = x * 3
        table["b"] = x * 4
    else:
        table["b"] = x * x
        del table["a"]
        table["a"] = x
    return pair[0] * pair[1][0] * table["b"] * table["a"]


def grown_in_both(x):
    items = [x]
    if x.sum() > 0:
        items.append(x * 2)
    else:
        items += [x * x]
    return items[0] * items[1]


def returned_early(x):
    items = [x]
    if x.sum() > 0:
        items.append(x)
        return items[0] * items[1] * 5
    items[0] = items[0] * 3
    return items[0]


CHOSEN = [
    attribute, method, attribute_by_name, list_in_a_dict, element_added_to, elements, grown_in_both,
    returned_early,
]  # fmt: skip


@pytest.mark.parametrize("sign", (1, -1))
@pytest.mark.parametrize("function", CHOSEN, ids=lambda f: f.__name__)
def test_what_was_there_is_chosen(function, sign):
    x = X * sign
    np.testing.assert_allclose(ms.jit(function)(x).asnumpy(), function(x).asnumpy(), rtol=1e-6)
    scalar = lambda v: function(v.reshape(1)).sum()
    check_grads(scalar, (Tensor(1.5 * sign),), order=2)


def test_an_object_around_is_changed_at_each_call():
    f = ms.jit(an_object_around)
    try:
        assert f(X).asnumpy().tolist() == [2, 4, 6]
        assert float(KEPT.factor) == 2
        KEPT.factor = 5.0
        assert f(-X).asnumpy().tolist() == [-5, -10, -15]
        assert float(KEPT.factor) == 5
    finally:
        KEPT.factor = 1.0


def entangled(x):
    items, other = [x], [x * 9]
    if x.sum() > 0:
        items[0] = x * 2
        found = items
    else:
        found = other
    return found


def test_a_changed_list_is_not_the_value_of_one_way():
    with pytest.raises(TypeError, match="changed in place inside a branch or loop"):
        ms.jit(entangled)(X)


def made_inside(x):
    y = x
    if x.sum() > 0:
        made = Made()
        made.grow()
        made.items.append(2.0)
        values = iter(made.items)
        next(values)
        table = {}
        table.setdefault("a", []).append(next(values))
        y = x * made.factor * len(made.items) * table["a"][0]
    return y


def before_and_after(x):
    made = Made()
    made.grow()
    made.items.append(5.0)
    y = -x if x.sum() > 0 else x
    made.grow()
    return y * made.factor * len(made.items)


@pytest.mark.parametrize("function, factors", [(made_inside, (8, 1)), (before_and_after, (-6, 6))])
def test_what_is_made_inside_or_changed_outside_may_change(function, factors):
    f = ms.jit(function)
    for sign, factor in zip((1, -1), factors, strict=True):
        np.testing.assert_array_equal(f(X * sign).asnumpy(), X.asnumpy() * sign * factor)


def test_an_attempted_loop_over_rows_leaves_no_trace():
    def f(rows):
        made = Made()
        total = ops.zeros(2)
        for row in rows:
            total = total + row * counted(made)
        return total, made.factor

    def counted(made):
        made.factor += 1.0
        return made.factor

    rows = np.arange(80, dtype=np.float32).reshape(40, 2)
    total, factor = ms.jit(f)(Tensor(rows))
    assert factor == 41
    np.testing.assert_allclose(total.asnumpy(), (rows * np.arange(2, 42)[:, None]).sum(0))


# --- statements -----------------------------------------------------------------------------------


def test_the_target_of_an_augmented_assignment_is_evaluated_once():
    @ms.jit
    def f(x):
        made, calls = Made(), [0]

        def get():
            calls[0] += 1
            return made

        get().factor += 2.0
        get().items[0] += 4.0
        return x * made.factor * made.items[0] * calls[0]

    assert f(X).asnumpy().tolist() == [30, 60, 90]


def test_the_variable_of_an_except_clause_ends_with_it():
    @ms.jit
    def f(x):
        e = 1.0
        try:
            raise ValueError(e)
        except ValueError as e:
            pass
        try:
            return x * e
        except UnboundLocalError:
            return x * 5

    assert f(X).asnumpy().tolist() == [5, 10, 15]


def test_a_finally_that_leaves_forgets_the_exception():
    @ms.jit
    def f(x):
        def number():
            try:
                raise ValueError
            finally:
                return 2.0  # noqa: B012

        for k in range(3):
            try:
                raise KeyError(k)
            finally:
                break  # noqa: B012
        return x * number() + k

    assert f(X).asnumpy().tolist() == [2, 4, 6]


def test_a_number_wider_than_float64_is_refused():
    ops.mul(X, 2.5)  # an equal number, which is known
    for function in (ms.jit(lambda x, v: x * v), ops.mul):
        with pytest.raises(TypeError, match="is wider than any dtype of a tensor"):
            function(X, np.longdouble(2.5))


def test_a_raise_after_checks_is_the_error_where_they_hold():
    def other(x):
        raise KeyError("below")

    def f(x):
        if x.sum() > 1:
            raise ValueError("above")
        return other(x)

    derived = [ms.grad(f), ms.grad(ms.grad(f)), ms.jit(lambda x: ms.grad(f)(x) + 1)]
    for run in (ms.jit(f), f, *derived, lambda x: ms.jvp(f, x, x)):
        for value, kind in ((2.0, ValueError), (1.0, KeyError), (3.0, ValueError)):
            with pytest.raises(kind, match="above" if kind is ValueError else "below"):
                run(Tensor([value]))
    with pytest.raises(KeyError, match="below"):
        ms.jit(other)(Tensor([1.0]))
