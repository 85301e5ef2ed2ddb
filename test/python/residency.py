"""Random sequences of what can happen to the memory of tensors, on the CPU and two CUDA devices, against numpy.

    python test/python/residency.py FIRST COUNT [STEPS]

Each tensor has an array of numpy beside it, which shares memory with others where the tensor does. Steps compute,
update, share, write, copy and look, on changing devices; every few steps all elements are compared. A tensor that
nobody has looked at since a device had it is not copied again: the transfers are counted, too.
"""

from __future__ import annotations

import copy
import os
import pickle
import re
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from device import DRIVER

import cellgrad as ms
from cellgrad import Parameter, Tensor, _native, ops

LENGTH, MOST = 5, 10
REFUSED = re.compile("read-only|is also that of|others share its memory on CUDA device")
PLACES = [("CPU", 0), ("GPU", 0), ("GPU", 1)]
weights = [Parameter(Tensor(np.zeros(LENGTH, np.int32)), name=f"w{i}") for i in range(2)]


@ms.jit
def combine(x, y):
    return x * 3 + y


@ms.jit
def pair(x, y):
    return x - y, x + 1


@ms.jit
def update(x):
    ops.assign(weights[0], weights[0] * 3 + x)
    return weights[0] + x


@ms.jit
def update_both(x):
    ops.assign(weights[0], weights[0] - weights[1])
    ops.assign(weights[1], weights[0] + x)
    return x + 2


@ms.jit
def update_and_pick(x, i):
    ops.assign(weights[1], weights[1] + x)
    return x[i] + weights[1]


@dataclass(eq=False)
class Held:
    """A tensor, and what its elements should be."""

    tensor: Any
    array: np.ndarray[Any, Any]
    borrowed: bool = False  # of memory that is no tensor's own
    away: int | None = None  # the device whose memory it borrows
    home: int | None = None  # the device that has the elements, if nobody has looked at them since


class World:
    def __init__(self, seed: int):
        self.random = np.random.default_rng(seed)
        self.held: list[Held] = []
        self.views: list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]] = []  # with the model
        self.place: int | None = None
        for weight in weights:
            array = self.numbers()
            weight.set_data(Tensor(array))
            self.held.append(Held(weight, array))
        self.parameters = self.held[:]
        self.move()
        for _ in range(3):
            self.make()

    # --- what is there ------------------------------------------------------------------------

    def numbers(self) -> np.ndarray[Any, Any]:
        return self.random.integers(-1000, 1000, LENGTH).astype(np.int32)

    def chance(self, part: float) -> bool:
        return bool(self.random.random() < part)

    def any(self, kind: Any = lambda held: True) -> Held:
        found = [h for h in self.held if kind(h)]
        return found[self.random.integers(len(found))]

    def own_tensor(self) -> Held:
        """One that is no Parameter."""
        if len(self.held) == len(self.parameters):
            self.make()
        return self.any(lambda h: h not in self.parameters)

    def add(self, tensor: Any, array: np.ndarray[Any, Any], **more: Any) -> Held:
        if len(self.held) >= MOST:
            del self.held[self.random.integers(len(self.parameters), len(self.held))]
        self.held.append(Held(tensor, array, **more))
        return self.held[-1]

    def shared_on(self, held: Held) -> int | None:
        """The device on which others see the memory."""
        for other in self.held:
            if other.away is not None and np.shares_memory(other.array, held.array):
                return other.away
        return None

    def seen(self, held: Held) -> bool:
        """Whether others see the memory of the host."""
        if self.shared_on(held) is not None:
            return False
        others = [h.array for h in self.held if h is not held] + [m for _, m in self.views]
        return held.borrowed or any(np.shares_memory(held.array, other) for other in others)

    def look(self, held: Held) -> Any:
        """What comes back from a device, unless others see it there; all that share the memory are looked at."""
        if self.shared_on(held) is None:
            for other in self.held:
                if np.shares_memory(other.array, held.array):
                    other.home = None
        return held.tensor

    # --- steps --------------------------------------------------------------------------------

    def move(self) -> None:
        target, number = PLACES[self.random.integers(len(PLACES))]
        ms.set_context(device_target=target, device_id=number)
        self.place = number if target == "GPU" else None

    def make(self) -> None:
        array = self.numbers()
        self.add(Tensor(array), array)

    def borrow(self) -> None:
        """Tensors that share, or overlap in, memory of numpy."""
        memory = self.random.integers(-1000, 1000, 2 * LENGTH).astype(np.int32)
        model = memory.copy()
        if self.chance(0.2):
            memory.flags.writeable = False
        for at in self.random.integers(0, LENGTH, self.random.integers(1, 4)):
            part = slice(at, at + LENGTH)
            self.add(Tensor.from_numpy(memory[part]), model[part], borrowed=True)
        if self.chance(0.5):
            self.views.append((memory, model))

    def send(self) -> None:
        """To the device on which programs compute, or to the host."""
        held, name = self.any(), "GPU" if self.place is not None and self.chance(0.6) else "CPU"
        shared, place = self.shared_on(held), self.place if name == "GPU" else None
        before = _native.device_transfers()
        try:
            assert self.look(held).to(name) is held.tensor
        except RuntimeError as error:
            assert shared is not None and shared != place, error
            assert "others share the tensor's memory" in str(error)
        else:
            assert shared is None or shared == place
            if self.seen(held):
                assert held.tensor.device == "CPU" and _native.device_transfers() == before
            elif shared is None:
                assert held.tensor.device == ("CPU" if place is None else f"GPU:{place}")
                held.home = place

    def view(self) -> None:
        held = self.any()
        ways = [
            lambda t: t.asnumpy(),
            lambda t: np.from_dlpack(t, device="cpu"),
            lambda t: np.asarray(memoryview(t._buf)),
        ]
        if self.shared_on(held) is None:
            view = ways[self.random.integers(3)](self.look(held))
            self.views.append((view, held.array))
        else:
            view = ways[self.random.integers(2)](held.tensor)
            self.views.append((view, held.array.copy()))

    def write(self) -> None:
        if not self.views:
            return
        view, model = self.views[self.random.integers(len(self.views))]
        if view.flags.writeable:
            at = self.random.integers(len(view))
            view[at] = model[at] = self.random.integers(-1000, 1000)

    def drop(self) -> None:
        if self.views and self.chance(0.7):
            del self.views[self.random.integers(len(self.views))]
        elif len(self.held) > len(self.parameters):
            del self.held[self.random.integers(len(self.parameters), len(self.held))]

    def share(self) -> None:
        held = self.any()
        kind, number = held.tensor.__dlpack_device__()
        source = held.tensor.to_dlpack() if not held.tensor._buf.readonly else held.tensor
        if kind == 1:
            assert held.home is None
            self.add(Tensor.from_dlpack(self.look(held)), held.array, borrowed=True)
            return
        assert not self.seen(held)
        held.home = number
        self.add(Tensor.from_dlpack(source), held.array, away=number, home=number)

    def duplicate(self) -> None:
        held = self.any()
        home = held.home
        before = _native.device_transfers()
        if self.chance(0.4):
            made = Tensor._wrap(held.tensor._buf.copy(), held.tensor._sig)
            if home is not None:
                assert _native.device_transfers() == before, "a copy on a device moved elements"
            self.add(made, held.array.copy(), home=home)
            return
        ways = [
            lambda t: t.copy(),
            copy.deepcopy,
            lambda t: pickle.loads(pickle.dumps(t)),
            lambda t: Tensor(t),
        ]
        made = ways[self.random.integers(len(ways))](self.look(held))
        self.add(Tensor(made) if isinstance(made, Parameter) else made, held.array.copy())

    def pick(self) -> None:
        held, indices = self.any(), self.random.integers(0, LENGTH, LENGTH)
        picked = self.look(held)[Tensor(indices)]
        # As if it were no view, to which writes would go, too.
        self.add(Tensor._wrap(picked._buf, picked._sig), held.array[indices], borrowed=True)

    def replace(self) -> None:
        held, source = self.any(), self.any()
        self.look(source)
        name = "set_data" if held in self.parameters else "assign_value"
        getattr(held.tensor, name)(source.tensor)
        held.array, held.borrowed = source.array.copy(), False
        held.away = held.home = None

    def assign_element(self) -> None:
        held, at = self.own_tensor(), int(self.random.integers(LENGTH))
        self.look(held)[at] = 77
        held.array = held.array.copy()
        held.array[at] = 77
        held.borrowed, held.away, held.home = False, None, None

    def change_in_place(self) -> None:
        held = self.own_tensor()
        if not held.tensor._buf.readonly:
            self.look(held).add_(5)
            held.array += 5

    # --- calls --------------------------------------------------------------------------------

    def call(
        self, run: Any, used: list[Held], written: list[Held] | None = None, new: int = 0
    ) -> Any:
        """What a program gives, with `new` inputs of its own; says where what it used is then. None if it is
        refused, as it should be.
        """
        written = written or []
        every = list({id(h): h for h in [*used, *written]}.values())
        quiet = self.place is not None and all(h.home == self.place for h in every)
        uploads, _, downloads, _ = _native.device_transfers()
        wrong = self.wrong(self.place, every, written) or any(
            h not in written and np.shares_memory(h.array, w.array) for h in used for w in written
        )
        try:
            out = run()
        except IndexError:  # a ValueError, too
            raise
        except ValueError as error:
            assert wrong and REFUSED.search(str(error)), error
            out = None
        else:
            assert not wrong
        finally:
            after = _native.device_transfers()
            if quiet:
                assert after[::2] == (uploads + new, downloads), "elements moved that were there"
            for held in every:
                shared = self.shared_on(held)
                away = self.place is None or self.seen(held) or wrong
                held.home = shared if away else self.place
        return out

    def wrong(self, place: int | None, given: list[Held], written: list[Held]) -> bool:
        """Whether others share memory on another device than the one that is to use it."""
        places = [(self.shared_on(h), h in written) for h in given]
        return any(
            shared is not None and shared != place and (place is not None or is_written)
            for shared, is_written in places
        )

    def result(self, tensor: Any, array: np.ndarray[Any, Any]) -> None:
        self.add(tensor, array, home=self.place)

    def compute(self) -> None:
        x, y = self.any(), self.any()
        if self.chance(0.5):
            out = self.call(lambda: combine(x.tensor, y.tensor), [x, y])
            if out is not None:
                self.result(out, x.array * 3 + y.array)
            return
        out = self.call(lambda: pair(x.tensor, y.tensor), [x, y])
        if out is not None:
            a, b = x.array - y.array, x.array + 1
            self.result(out[0], a)
            self.result(out[1], b)

    def train(self) -> None:
        """Updates of Parameters; of one that is an input as well, which is read as it is then."""
        x, (a, b) = self.any(), self.parameters
        given = x.array if x in (a, b) else x.array.copy()
        if self.chance(0.5):
            out = self.call(lambda: update(x.tensor), [x], [a])
            if out is not None:
                a.array[:] = a.array * 3 + given
                self.result(out, a.array + given)
        else:
            out = self.call(lambda: update_both(x.tensor), [x], [a, b])
            if out is not None:
                a.array[:] = a.array - b.array
                b.array[:] = a.array + given
                self.result(out, given + 2)

    def fail(self) -> None:
        """A check in a program fails, or does not."""
        x, weight = self.any(), self.parameters[1]
        given, at = x.array, int(self.random.integers(0, 2 * LENGTH))
        given = given if x is weight else given.copy()
        index = Tensor(np.int32(at))
        try:
            out = self.call(lambda: update_and_pick(x.tensor, index), [x], [weight], new=1)
        except IndexError:
            assert at >= LENGTH
            return
        if out is not None:
            assert at < LENGTH
            weight.array[:] = weight.array + given
            self.result(out, given[at] + weight.array)

    def entry(self, program: Any) -> tuple[Any, int | None]:
        """The compiled entry of a program for any place, and that place."""
        made = [*program.program.cache.items()]
        if not made:
            return None, None
        key, compiled = made[self.random.integers(len(made))]
        return compiled.entry, getattr(key[0], "number", None)

    def memory_of(self, held: Held) -> tuple[Any, Held]:
        """What an entry can be given for a tensor, and what that shares memory with."""
        self.look(held)  # on whatever device
        if self.chance(0.6):
            return held.tensor._buf, held
        if self.shared_on(held) is None:
            return held.tensor.asnumpy(), held
        return held.tensor.asnumpy(), Held(None, held.array.copy())

    def write_to(self) -> None:
        """A result to memory of the caller's, that of a tensor or of an array."""
        entry, place = self.entry(combine)
        if entry is not None:
            x, y, out = (self.memory_of(h) for h in (self.any(), self.any(), self.own_tensor()))
            if self.into(place, lambda: entry([x[0], y[0]], out=[out[0]]), [x, y], out):
                out[1].array[:] = x[1].array * 3 + y[1].array

    def donate(self) -> None:
        """An update of memory of the caller's."""
        entry, place = self.entry(update)
        if entry is not None:
            x, state = self.memory_of(self.any()), self.memory_of(self.own_tensor())
            if self.into(place, lambda: entry([x[0], state[0]]), [x], state):
                state[1].array[:] = state[1].array * 3 + x[1].array

    def into(self, place: int | None, run: Any, given: list[Any], out: Any) -> bool:
        """Whether a call writes to `out`, as it should where its memory is no other's."""
        helds = [held for _, held in given]
        fails = self.wrong(place, [*helds, out[1]], [out[1]])
        fails = fails or any(np.shares_memory(out[1].array, h.array) for h in helds)
        memory = out[0]
        is_buffer = isinstance(memory, _native.TensorBuffer)
        shared = is_buffer and self.shared_on(out[1]) is not None
        if not shared:  # on a device, only the host cannot write it
            fails = fails or (memory.readonly if is_buffer else not memory.flags.writeable)
        try:
            run()
        except ValueError as error:
            assert fails and REFUSED.search(str(error)), error
            return False
        assert not fails
        return True

    # --- what should be -----------------------------------------------------------------------

    def check(self, held: Held) -> None:
        if held.home is not None:
            assert held.tensor.device == f"GPU:{held.home}"
        shared = self.shared_on(held)
        before = _native.device_transfers()
        values = [self.look(held).asnumpy(), np.array(held.tensor.tolist())]
        assert values[0].flags.writeable == (not held.tensor._buf.readonly)
        for value in values:
            np.testing.assert_array_equal(value, held.array)
        after = _native.device_transfers()
        assert after[0] == before[0]
        if shared is None:
            assert held.tensor.device == "CPU" and after[2] <= before[2] + 1
        else:
            assert held.tensor.device == f"GPU:{shared}" and after[2] == before[2] + 2

    def check_all(self) -> None:
        for view, model in self.views:
            np.testing.assert_array_equal(view, model)
        for held in self.held:
            self.check(held)

    def step(self) -> str:
        steps, often = zip(*STEPS.items(), strict=True)
        name = str(self.random.choice(steps, p=np.array(often) / sum(often)))
        if name == "check":
            self.check(self.any())
        else:
            getattr(self, name)()
        return name


STEPS = {
    "compute": 10,
    "train": 6,
    "fail": 3,
    "write_to": 3,
    "donate": 2,
    "view": 4,
    "write": 6,
    "drop": 5,
    "make": 1,
    "borrow": 2,
    "send": 3,
    "share": 2,
    "duplicate": 3,
    "pick": 1,
    "replace": 2,
    "assign_element": 1,
    "change_in_place": 1,
    "move": 4,
    "check": 3,
}


def run(seed: int, steps: int) -> None:
    world, done = World(seed), []
    try:
        for number in range(steps):
            done.append(world.step())
            if number % 16 == 15:
                world.check_all()
        world.check_all()
    except Exception as error:
        error.add_note(f"seed {seed}, after {len(done)} steps: {', '.join(done[-12:])}")
        raise


if __name__ == "__main__":
    os.environ.update(CELLGRAD_CUDA_DRIVER=str(DRIVER), CELL_EMU_DEVICES="2")
    first, count, *more = (int(text) for text in sys.argv[1:])
    for seed in range(first, first + count):
        run(seed, *more or [100])
