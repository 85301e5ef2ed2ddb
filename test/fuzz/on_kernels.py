"""Checks random programs whose kernels run in a process of their own: after an error of a kernel, no call of
its process succeeds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool


def outcomes(
    check: Callable[[int], str], seeds: Iterable[int], is_fine: Callable[[str], bool], name: str
) -> Counter[str]:
    """How many seeds have which outcome of `check`, by its first line; findings, also what is raised and
    crashes, are printed and counted as such.
    """
    counts, left = Counter[str](), iter(seeds)
    while True:
        with ProcessPoolExecutor(1) as pool:
            for seed in left:
                try:
                    outcome = pool.submit(check, seed).result()
                except BrokenProcessPool:
                    outcome = "the process crashed"
                except Exception as error:
                    outcome = f"{type(error).__name__}: {error}"
                if is_fine(outcome):
                    counts[outcome.splitlines()[0]] += 1
                    continue
                counts["findings"] += 1
                print(f"{name} {seed}: {outcome[:3000]}\n", flush=True)
                break
            else:
                return counts
