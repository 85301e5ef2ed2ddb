"""Plants mistakes in the communicators and sees whether test/fuzz/communicators.py notices.

    python tools/mutate/planted_comm.py

One after the other: each is compiled by the C compiler in a scratch folder.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "fuzz"))

# By file of runtime/comm: what is wrong, a text that the file has once, and what stands there instead.
MISTAKES: dict[str, list[tuple[str, str, str]]] = {
    "shared.c": [
        (
            "one set of slots: who is late reads the next piece",
            "uint32_t set = group ? kGroupSets : c->piece++ & 1;",
            "uint32_t set = group ? kGroupSets : 0;",
        ),
        (
            "the result is read before all have combined",
            ": barrier(c);\n    if (status == CG_OK)",
            ": CG_OK;\n    if (status == CG_OK)",
        ),
        (
            "an element between pieces is left out",
            "movePiece(c, what, from, at, n, doing);\n    at += n;",
            "movePiece(c, what, from, at, n, doing);\n    at += n + (n > 1000);",
        ),
        (
            "the next piece is put where this one is combined",
            "((set + (uint32_t)index) & 1)",
            "set",
        ),
        (
            "an own part is that of the first piece",
            "from + (size_t)p->at * element + skip",
            "from + skip",
        ),
        (
            "what is behind the own part is not copied",
            "(size_t)(p->n - p->end) * element",
            "0",
        ),
        (
            "results of groups are where all put theirs",
            "slot(c, set + 2, what->group[0])",
            "slot(c, set, what->group[0])",
        ),
        ("a part is left out", "(n + size - 1) / size + 15", "n / size"),
        (
            "a block is that of the next rank",
            "SLOT_OF(r) + (size_t)rank * bytes",
            "SLOT_OF(rank) + (size_t)r * bytes",
        ),
        (
            "only the first piece of a gather",
            "(size_t)r * whole + offset, SLOT_OF(r), ",
            "(size_t)r * whole, SLOT_OF(r), ",
        ),
        ("the count is not compared", "return mix(hash, (uint64_t)what->count);", "return hash;"),
        ("the dtype is not compared", "hash = mix(hash, (uint64_t)what->dtype);", ""),
        ("the operation is not compared", "hash = mix(hash, (uint64_t)what->op);", ""),
        ("the root is not compared", "hash = mix(hash, (uint64_t)what->root);", ""),
        ("the hash is not compared", "mix(2, hash));", "2);"),
        ("who has ended is not noticed", "lock.l_type == F_UNLCK", "0"),
        (
            "who is late is not noticed",
            "Now() > until)\n      sharedDeclare",
            "Now() < 0)\n      sharedDeclare",
        ),
        ("the root gives what it receives", "rank == what->root", "rank == 0"),
        (
            "a block of another rank is combined",
            "slot(c, set, 0) + (size_t)rank * bytes, c->slotBytes",
            "slot(c, set, 0), c->slotBytes",
        ),
    ],
    "messages.c": [
        (
            "ranks leave before all have come",
            "i < what->group_size; ++i)\n    status = hear",
            "i < 1; ++i)\n    status = hear",
        ),
        ("a group is not compared", "inGroup[what->group[i]]) != doing", "inGroup[own]) != doing"),
        (
            "who waits takes nothing",
            "if (r != c->base.face.rank)\n      absorb(c, r);",
            "(void)r;",
        ),
        (
            "another tag is received",
            "awaited->root == from && awaited->tag == in->header.tag;",
            "awaited->root == from;",
        ),
        (
            "what is not waited for is lost",
            "commKeep(&c->base, in->message);",
            "free(in->message);",
        ),
        ("the ring overflows", "if (n > room)\n      n = room;", ""),
        ("a signal counts twice", "++c->seen[rank];", ";"),
    ],
    "combine.c": [
        ("ranks one after the other", "__builtin_ctz((unsigned)p + 2) - 1", "used - 1"),
        ("a NaN is lost", "NARROW, x > y || x != x ? x : y)", "NARROW, x > y ? x : y)"),
        ("extrema without a sign", ": combine_s##BITS)", ": combine_u##BITS)"),
        ("an element is left out", "at += kBlock", "at += kBlock + 1"),
        ("halves of integers", "case CG_INT16:\n    return 2;", "case CG_INT16:\n    return 1;"),
    ],
    "progress.c": [
        (
            "the last one that was begun is done first",
            "p->queue[p->done %",
            "p->queue[(p->begun - 1) %",
        ),
        (
            "a wait is for the one before",
            "finish(comm, (uintptr_t)*request);",
            "finish(comm, (uintptr_t)*request - 1);",
        ),
        (
            "two do one at a time",
            "    if (p->busy)\n      pthread_cond_wait",
            "    if (0)\n      pthread_cond_wait",
        ),
        ("more are begun than the queue holds", "p->begun - p->done == kMostBegun", "0"),
        ("a failure is forgotten", "  p->status = status;\n", ""),
        (
            "ranks agree before they are done",
            "finish(comm, p->begun);\n  if (p->status",
            "if (p->status",
        ),
        ("a call that does not return has no limit", "if (!w->over) {", "if (0) {"),
        ("one that has returned is ended", "  w->over = 1;\n", ""),
        ("the limit is in seconds", "end / 1000;", "end;"),
    ],
    "base.c": [
        ("a hash counts as agreed on", "if (comm->agreed[i] == hash)", "if (1)"),
        ("messages are taken by sender alone", " && message->header.tag == tag", ""),
        ("a message may have another dtype", " && header->dtype == what->dtype", ""),
    ],
}


def noticed(file: str, old: str, new: str) -> bool:
    """Whether random collectives find the mistake."""
    import communicators

    with tempfile.TemporaryDirectory() as folder:
        runtime = Path(folder) / "runtime"
        shutil.copytree(ROOT / "runtime", runtime)
        path = runtime / "comm" / file
        text = path.read_text()
        assert text.count(old) == 1, f"{file} does not have once: {old}"
        path.write_text(text.replace(old, new))
        library = communicators.built(folder, runtime)
        name = f"mutant-{Path(folder).name}"
        if communicators.trees(library) or communicators.watches(library):
            return True
        for size in (2, 3, 4):
            seeds = range(120)
            if communicators.on_ranks(
                size, communicators.numbers, library, f"{name}-{size}", seeds, seconds=30
            ):
                return True
            for group in (None, list(range(size))[::-1]):
                given = (library, f"{name}-{size}-l{group is None}", group)
                if communicators.on_ranks(size, communicators.large, *given, seconds=20):
                    return True
            for seed in range(12):
                if communicators.on_ranks(
                    size,
                    communicators.messages,
                    library,
                    f"{name}-{size}-m{seed}",
                    seed,
                    seconds=20,
                ):
                    return True
        return bool(
            communicators.on_ranks(2, communicators.faults, library, f"{name}-faults", seconds=20)
        )


def main() -> bool:
    left = 0
    for file, mistakes in MISTAKES.items():
        for what, old, new in mistakes:
            found = noticed(file, old, new)
            left += not found
            print(f"{'noticed' if found else 'NOT NOTICED'}  {file}: {what}", flush=True)
    print(f"{left} not noticed")
    return bool(left)


if __name__ == "__main__":
    sys.exit(main())
