"""Random collectives through runtime/comm itself, as a C program calls it, against numpy.

    python test/fuzz/communicators.py --count=200 --ranks=3

The files are compiled with the C compiler and called by ctypes: no other part of cellgrad is involved.
"""

import argparse
import ctypes as c
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("base", "combine", "messages", "mpi", "poison", "progress", "shared")
SOURCES = (*(f"comm/{part}.c" for part in PARTS), "halves.c")
DTYPES = {1: np.int8, 2: np.int16, 3: np.int32, 4: np.int64, 8: np.float32, 9: np.float64}
ALL_REDUCE, REDUCE_SCATTER, ALL_GATHER, BROADCAST, ALL_TO_ALL, BARRIER = 0, 1, 2, 3, 4, 10
SEND, RECEIVE = 8, 9
COMBINE = [np.add, np.multiply, np.minimum, np.maximum]
MISMATCH, TIMEOUT, GONE = 17, 18, 16


class Collective(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        *((name, c.c_int32) for name in ("kind", "op", "dtype", "root", "flags")),
        ("count", c.c_int64),
        ("send", c.c_void_p),
        ("recv", c.c_void_p),
        ("group", c.POINTER(c.c_int32)),
        ("group_size", c.c_int32),
        ("reserved", c.c_int32),
        ("tag", c.c_int64),
        ("schedule", c.c_uint64),
    ]


class Comm(c.Structure):
    pass


class Parts(c.Structure):
    _fields_ = [
        ("first", c.c_void_p),
        ("stride", c.c_size_t),
        ("order", c.POINTER(c.c_int32)),
        ("count", c.c_int32),
        ("own", c.c_int32),
        ("mine", c.c_void_p),
    ]


START = c.CFUNCTYPE(c.c_int32, c.POINTER(Comm), c.POINTER(Collective), c.POINTER(c.c_void_p))
Comm._fields_ = [
    ("struct_size", c.c_uint32),
    ("rank", c.c_int32),
    ("size", c.c_int32),
    ("flags", c.c_int32),
    ("start", START),
    ("wait", c.CFUNCTYPE(c.c_int32, c.POINTER(Comm), c.POINTER(c.c_void_p))),
    ("agree", c.CFUNCTYPE(c.c_int32, c.POINTER(Comm), c.c_uint64)),
    ("message", c.CFUNCTYPE(c.c_char_p, c.POINTER(Comm))),
]


def built(folder, runtime=ROOT / "runtime"):
    """The library, of the sources in `runtime`."""
    path = Path(folder) / "comm.so"
    flags = ["-shared", "-fPIC", "-O1", "-std=c11", "-w", "-pthread", f"-I{runtime.parent}"]
    subprocess.run(["cc", *flags, "-o", path, *(runtime / name for name in SOURCES)], check=True)
    return path


class Rank:
    """A rank, in its process. Rank 1 has no thread."""

    def __init__(self, path, name, rank, size, timeout_ms=20_000):
        library = c.CDLL(str(path))
        library.cg_comm_shared.restype = c.POINTER(Comm)
        wanted = [c.c_char_p, c.c_int32, c.c_int32, c.c_int64, c.c_void_p]
        library.cg_comm_shared.argtypes = wanted
        self.comm = library.cg_comm_shared(name.encode(), rank, size, timeout_ms, None)
        assert self.comm, "the rank cannot join"
        self.groups = []
        library.cg_comm_use_thread.argtypes = [c.c_void_p, c.c_int32]
        library.cg_comm_use_thread(c.cast(self.comm, c.c_void_p), rank != 1)

    def begin(
        self,
        kind,
        op=0,
        dtype=8,
        root=0,
        count=0,
        send=None,
        receive=None,
        flags=0,
        group=None,
        tag=0,
        schedule=0,
    ):
        """The status, and what `end` takes."""
        address = lambda a: None if a is None else a.ctypes.data
        what = Collective(c.sizeof(Collective), kind, op, dtype, root, flags, count)
        if group is not None:
            ranks = (c.c_int32 * len(group))(*group)
            self.groups.append(ranks)  # as long as it is begun
            what.group, what.group_size = ranks, len(group)
        what.tag, what.schedule = tag, schedule
        what.send, what.recv = address(send), address(receive)
        request = c.c_void_p()
        status = self.comm.contents.start(self.comm, c.byref(what), c.byref(request))
        return status, request

    def end(self, request):
        return self.comm.contents.wait(self.comm, c.byref(request))

    def __call__(self, *args, **named):
        status, request = self.begin(*args, **named)
        return status or self.end(request)

    def agree(self, value):
        return self.comm.contents.agree(self.comm, value)


def drawn(seed, size):
    """One collective, of all ranks or a group: its arguments, and what each of its ranks brings and is to get."""
    draw = np.random.default_rng(seed)
    dtype = int(draw.choice(list(DTYPES)))
    kind, op = int(draw.choice(5)), int(draw.integers(4))
    count = int(draw.choice([0, 1, 2, 15, 16, 17, 100, 1000, 40_000, 140_001]))
    group = None
    if draw.random() < 0.5:
        group = draw.permutation(size)[: draw.integers(1, size + 1)].tolist()
    members = list(range(size)) if group is None else group
    size = len(members)
    root = int(draw.choice(members)) if kind == BROADCAST else 0
    blocks = size if kind in (REDUCE_SCATTER, ALL_TO_ALL) else 1
    if DTYPES[dtype] in (np.float32, np.float64):
        # Sums in another order have other bits; a tree of 2, 3 or 4 ranks is ((0, 1), (2, 3)).
        x = draw.uniform(-1, 1, (size, blocks * count)).astype(DTYPES[dtype])
        x[draw.random(x.shape) < 0.01] = np.nan
    else:
        x = draw.integers(-100, 100, (size, blocks * count)).astype(DTYPES[dtype])
    with np.errstate(all="ignore"):
        f = COMBINE[op]
        tree = f(x[0], x[1]) if size > 1 else x[0]
        if size > 2:
            tree = f(tree, x[2] if size == 3 else f(x[2], x[3]))
    parts = x.reshape(size, blocks, count)
    want = {
        ALL_REDUCE: lambda r: tree,
        REDUCE_SCATTER: lambda r: tree.reshape(blocks, count)[r],
        ALL_GATHER: lambda r: x.reshape(-1),
        BROADCAST: lambda r: x[members.index(root)],
        ALL_TO_ALL: lambda r: parts[:, r].reshape(-1),
    }[kind]
    in_place = kind in (ALL_REDUCE, BROADCAST) and draw.random() < 0.5
    call = {"kind": kind, "op": op, "dtype": dtype, "root": root, "count": count}
    if group is not None:
        call |= {"group": group, "schedule": int(draw.integers(0, 3))}
    return call, members, x, want, in_place


def messages(rank, size, path, name, seed):
    """What is wrong with messages: all ranks send, then receive in another order, with a collective between."""
    draw = np.random.default_rng(seed)
    joined = Rank(path, name, rank, size)
    plan = []  # sender, receiver, tag, dtype, elements
    for _ in range(int(draw.integers(2, 12))):
        pair = draw.permutation(size)[:2].tolist()
        count = int(draw.choice([0, 1, 5, 1000, 40_000, 300_001]))
        dtype = int(draw.choice(list(DTYPES)))
        values = draw.integers(-100, 100, count).astype(DTYPES[dtype])
        plan.append((*pair, int(draw.choice([0, 3, 2**40])), dtype, values))
    # Those of one sender, receiver and tag come in their order.
    order = draw.permutation(len(plan)).tolist()
    seen = {}
    for at, message in enumerate(plan):
        seen.setdefault(message[:3], []).append(at)
    order = [seen[plan[at][:3]].pop(0) for at in order]
    wrong, begun, between = [], [], int(draw.integers(len(plan)))
    flags = 2 * draw.integers(0, 2, len(plan))
    for at, (a, b, tag, dtype, values) in enumerate(plan):
        if rank == a:
            given = values.copy()
            call = {"root": b, "tag": tag, "dtype": dtype, "count": len(values)}
            begun.append((joined.begin(SEND, **call, send=given, flags=flags[at]), given, None))
        if at == between:
            total = np.ones(3, np.float32)
            if joined(ALL_REDUCE, count=3, receive=total) or (total != size).any():
                wrong.append(f"a collective between messages gives {total}")
    for at in order:
        a, b, tag, dtype, values = plan[at]
        if rank == b:
            got = np.full_like(values, 7)
            call = {"root": a, "tag": tag, "dtype": dtype, "count": len(values)}
            begun.append((joined.begin(RECEIVE, **call, receive=got), got, values))
    for (status, request), got, want in begun:
        status = status or joined.end(request)
        if status or (want is not None and not same(got, want)):
            wrong.append(f"seed {seed}: message on rank {rank} of {size}: status {status}")
    if status := joined(BARRIER):
        wrong.append(f"seed {seed}: status {status} after messages")
    return wrong


def numbers(rank, size, path, name, seeds):
    """What is wrong on this rank: up to 200 collectives are begun before they are waited for in some order.

    In 200, rank 0 is the last to come, so that others begin more than their queue holds.
    """
    joined, wrong, seeds = Rank(path, name, rank, size), [], list(seeds)
    while len(seeds) and not wrong:
        draw = np.random.default_rng(seeds[0])
        now, seeds = np.split(seeds, [int(draw.choice([1, 2, 5, 200]))])
        begun, many = [], len(now) > 100
        time.sleep(0.02 * (many and rank == 0))
        for seed in now.tolist():
            call, members, x, want, in_place = drawn(seed, size)
            if rank not in members:
                continue
            place = members.index(rank)
            given, right = x[place].copy(), want(place)
            receive = given if in_place else np.zeros(right.size + 8, right.dtype)
            flags = 0 if many else int(draw.choice([0, 2])) if len(now) > 1 else 2
            send = None if in_place else given
            status, request = joined.begin(**call, send=send, receive=receive, flags=flags)
            begun.append((call, x[place], right, given, receive, status, request))
        if len(now) > 2 and joined.agree(1000 + int(now[0])):
            wrong.append(f"ranks do not agree at {now}")
        for at in np.random.default_rng([rank, *now]).permutation(len(begun)):
            call, x, right, given, receive, status, request = begun[at]
            in_place = given is receive
            status = status or joined.end(request)
            if status or not np.array_equal(
                receive[: right.size], right, equal_nan=right.dtype.kind == "f"
            ):
                wrong.append(
                    f"{call} on rank {rank} of {size}, in place {in_place}: status {status}"
                )
            elif not in_place and (receive[right.size :].any() or not same(given, x)):
                wrong.append(f"{call} writes elsewhere")
        if status := joined(BARRIER) or joined.agree(int(now[0]) % 5):
            wrong.append(f"status {status} after {now}")
    return wrong


def tree(parts):
    """The sum as a binary counter carries."""
    levels = []
    for i, part in enumerate(parts):
        levels.append(part)
        joins = len(levels) - 1 if i + 1 == len(parts) else (i + 1 & -(i + 1)).bit_length() - 1
        for _ in range(joins):
            last = levels.pop()
            levels[-1] = levels[-1] + last
    return levels[0]


def trees(path):
    """What is wrong with sums of up to 17 parts, in any order of their places, one of which lies elsewhere."""
    combine, wrong, draw = c.CDLL(str(path)).commCombine, [], np.random.default_rng(0)
    combine.argtypes = [c.c_int32, c.c_int32, c.c_void_p, c.c_void_p, c.c_int64]
    for count in range(1, 18):
        x = draw.uniform(-1, 1, (count, 1500)).astype(np.float32)
        order = draw.permutation(count).astype(np.int32)
        own, mine, got = (
            int(draw.integers(count)),
            x[draw.integers(count)] * 3,
            np.zeros(1501, np.float32),
        )
        places = order.ctypes.data_as(c.POINTER(c.c_int32))
        parts = Parts(x.ctypes.data, x.strides[0], places, count, own, mine.ctypes.data)
        combine(8, 0, got.ctypes.data, c.byref(parts), 1500)
        want = tree([mine if p == own else x[order[p]] for p in range(count)])
        if not same(got[:1500], want) or got[1500]:
            wrong.append(f"a sum of {count} parts")
    return wrong


def large(rank, size, path, name, group):
    """What is wrong with reductions of several pieces, which each rank does as fast as it can."""
    joined, wrong = Rank(path, name, rank, size), []
    base = np.arange(700_000, dtype=np.float32) % 1000
    for round_ in range(20):
        got = base + rank * round_
        status = joined(ALL_REDUCE, count=len(got), receive=got, group=group)
        want = size * base + round_ * sum(range(size))
        if status or not same(got, want):
            wrong.append(f"round {round_} of group {group} on rank {rank}: status {status}")
    return wrong


def same(a, b):
    return a.tobytes() == b.tobytes()


def faults(rank, size, path, name):
    """What is not noticed on this rank."""
    one = np.zeros(4, np.float32)
    cases = {
        "count": lambda j: j(0, count=1 + rank, receive=one),
        "dtype": lambda j: j(0, count=1, dtype=8 if rank else 3, receive=one),
        "op": lambda j: j(0, count=1, op=rank, receive=one),
        "kind": lambda j: j(2 if rank else 3, count=1, receive=np.zeros(8, np.float32)),
        "root": lambda j: j(3, count=1, root=rank, receive=one),
        "hash": lambda j: j.agree(7) or j.agree(1 + rank),
        "hash and collective": lambda j: j.agree(1) if rank else j(BARRIER),
    }
    wrong = []
    for case, call in cases.items():
        joined = Rank(path, f"{name}-{case.replace(' ', '')}", rank, size)
        status, again = call(joined), joined(BARRIER)
        said = joined.comm.contents.message(joined.comm)
        if (status, again) != (MISMATCH, MISMATCH) or b"other collective" not in said:
            wrong.append(f"another {case}: {status}, then {again}, {said}")
    wrong += faults_of_groups(rank, size, path, name)
    late = Rank(path, f"{name}-late", rank, size, 300)
    if rank == 0 and late(BARRIER) != TIMEOUT:
        wrong.append("late")
    gone = [Rank(path, f"{name}-gone{i}", rank, size) for i in range(4)]
    if rank != 0:
        gone[3](SEND, root=0, count=4, send=np.ones(4, np.float32))
        os._exit(0)
    if gone[0](BARRIER) != GONE or gone[1](BARRIER, group=[1, 0]) != GONE:
        wrong.append("gone")
    if gone[2](RECEIVE, root=1, count=1, receive=one) != GONE:
        wrong.append("the sender has gone")
    if gone[3](RECEIVE, root=1, count=4, receive=one) or (one != 1).any():
        wrong.append("a message of a rank that has ended is lost")
    return wrong


def faults_of_groups(rank, size, path, name):
    """The same of groups and messages."""
    one, other, group, wrong = np.zeros(4, np.float32), np.zeros(8, np.float32), [1, 0], []

    def message(joined, sent, received, sent_as, received_as):
        if rank == 0:
            return joined(SEND, root=1, count=sent, dtype=sent_as, send=one)
        return joined(RECEIVE, root=0, count=received, dtype=received_as, receive=other)

    cases = {
        "count of a group": lambda j: j(0, count=1 + rank, receive=one, group=group),
        "op of a group": lambda j: j(0, op=rank, count=1, receive=one, group=group),
        "schedule": lambda j: j(0, count=1, receive=one, group=group, schedule=5 + rank),
        "schedule of all": lambda j: j(0, count=1, receive=one, schedule=5 + rank),
        "count of a message": lambda j: message(j, 4, 4 + rank, 8, 8),
        "dtype of a message": lambda j: message(j, 4, 4, 8, 3),
    }
    for case, call in cases.items():
        joined = Rank(path, f"{name}-{case.replace(' ', '')}", rank, size)
        status, again = call(joined), joined(BARRIER)
        said = joined.comm.contents.message(joined.comm)
        words = b"which expects" if "message" in case else b"another collective"
        words = b"other collective" if "all" in case else words
        if again != MISMATCH or status not in (0, MISMATCH) or words not in said:
            wrong.append(f"another {case}: {status}, then {again}, {said}")
    alone = {
        "not in group": (lambda j: j(BARRIER, group=[1 - rank]), "a group that rank"),
        "no such rank": (lambda j: j(BARRIER, group=[rank, 5]), "a group with rank 5"),
        "root": (
            lambda j: j(BROADCAST, root=1 - rank, group=[rank], count=1, receive=one),
            "not in its group",
        ),
        "itself": (lambda j: j(SEND, root=rank, count=1, send=one), "itself"),
        "peer": (lambda j: j(RECEIVE, root=5, count=1, receive=one), "there are 2 ranks"),
    }
    for case, (call, words) in alone.items():
        joined = Rank(path, f"{name}-{case.replace(' ', '')}", rank, size)
        status = call(joined)
        said = joined.comm.contents.message(joined.comm)
        if status != MISMATCH or words.encode() not in said:
            wrong.append(f"{case}: {status}, {said}")
    for case, call in {
        "message": lambda j: j(RECEIVE, root=1, count=1, receive=one),
        "meeting": lambda j: j(BARRIER, group=group),
    }.items():
        late = Rank(path, f"{name}-late-{case}", rank, size, 300)
        if rank == 0:
            status = call(late)
            said = late.comm.contents.message(late.comm)
            if status != TIMEOUT or b"rank 0 has waited 300 ms for rank 1" not in said:
                wrong.append(f"late {case}: {status}, {said}")
        else:
            time.sleep(0.5)
    return wrong


def watches(path):
    """Whether a call that does not return ends its process in time, with words, and one that does goes on."""
    wrong = []
    for returns, want in ((True, 0), (False, TIMEOUT)):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            library, watch = c.CDLL(str(path)), c.create_string_buffer(1024)
            os.dup2(writer, 2)
            library.commBeginWatch(watch, b"a call", c.c_int64(150))
            if returns:
                library.commEndWatch(watch)
            time.sleep(0.4 if returns else 20)
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            said = pipe.read()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status != want or (b"has waited 150 ms in a call" in said) == returns:
            wrong.append(f"a call that {'returns' if returns else 'does not'}: {status}, {said}")
    return wrong


def on_ranks(size, body, *args, seconds=60):
    """What `body` finds on all ranks, which are forks; a line for one that ends otherwise, or not in time."""
    children, found = [], []
    for rank in range(size):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            import signal

            signal.alarm(seconds)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            try:
                text = "\n".join(body(rank, size, *args))
            except BaseException as e:
                text = f"{body.__name__} on rank {rank} of {size} raises {e!r}"
            os.write(writer, text.encode()[:60_000] + b"\0")
            os._exit(0)
        os.close(writer)
        children.append((rank, child, reader))
    for rank, child, reader in children:
        with os.fdopen(reader, "rb") as pipe:
            text = pipe.read()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if text.endswith(b"\0"):
            found += [line for line in text[:-1].decode().split("\n") if line]
        elif status != 0:
            found.append(f"rank {rank} ends with {status}")
    return found


def check(path, sizes=(2, 3, 4), count=40, first=0):
    """All that is wrong with the library."""
    name, wrong = f"fuzz-{os.getpid()}", trees(path) + watches(path)
    for size in sizes:
        seeds = range(first, first + count)
        wrong += on_ranks(size, numbers, path, f"{name}-{size}-{first}", seeds)
        for seed in range(first, first + max(3, count // 5)):
            wrong += on_ranks(size, messages, path, f"{name}-{size}-m{seed}", seed)
        for group in (None, list(range(size))[::-1]):
            wrong += on_ranks(size, large, path, f"{name}-{size}-l{group is None}", group)
        if wrong:
            return wrong
    return on_ranks(2, faults, path, f"{name}-faults")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wrong = check(built(folder), count=options.count, first=options.first)
    print("\n".join(wrong))
    print(f"{options.count} collectives, {len(wrong)} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
