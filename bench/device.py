"""Families of kernels and whole training steps on a GPU, beside PyTorch and JAX where they can be imported.

    python bench/device.py families|steps [--ceilings facts.json] [--small] [--out FILE]

Times are medians, by events on the default stream (JAX: by the host's clock, with a wait at the end). The page is written
again after each row, so that a run that is stopped leaves what it has measured. --small takes tiny sizes: a trial.
"""

import argparse
import importlib
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

import cellgrad as ms

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools" / "device"))

import device_pages
from cuda_driver import Driver
from device_families import FAMILIES, Family
from device_plan import Ceilings, planned
from device_steps import WORKLOADS, Step, Workload, jax_step, our_step, torch_step

T = TypeVar("T")
LONGEST = 0.3  # seconds for the repeats of one measurement


class Others:
    """torch and jax, or None."""

    def __init__(self) -> None:
        # Else JAX takes most of the device's memory.
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        self.torch, self.jax = (self.find(name) for name in ("torch", "jax"))
        if self.torch:  # f32 is f32, in convolutions too
            self.torch.backends.cudnn.allow_tf32 = False
            self.torch.backends.cuda.matmul.allow_tf32 = False

    def find(self, name: str) -> Any:
        try:
            module = importlib.import_module(name)
            if name == "torch":
                return module if module.cuda.is_available() else None
            return module if module.default_backend() == "gpu" else None
        except Exception as error:
            print(f"{name}: {error}", file=sys.stderr)
            return None

    def named(self) -> str:
        found = [f"{m.__name__} {m.__version__}" for m in (self.torch, self.jax) if m]
        return "Beside: " + ", ".join(found) if found else "No other framework with a GPU is here."


def repeated(once: Callable[[], float]) -> float:
    """The median of as many runs as there is time for; one if it is slow."""
    once()
    times = [once()]
    while len(times) < 15 and sum(times) < LONGEST:
        times.append(once())
    return statistics.median(times)


def by_events(driver: Driver, call: Callable[[], object]) -> float:
    return repeated(lambda: driver.milliseconds(call) / 1e3)


def by_clock(call: Callable[[], Any], wait: Callable[[Any], object]) -> float:
    def once() -> float:
        begin = time.perf_counter()
        wait(call())
        return time.perf_counter() - begin

    return repeated(once)


def timed(driver: Driver, step: Step) -> float:
    return by_clock(step.run, step.wait) if step.wait else by_events(driver, step.run)


def attempt(measure: Callable[[], T]) -> T | None:
    """A framework that cannot compute something costs its own column only."""
    try:
        return measure()
    except Exception as error:
        print(f"{type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
        return None


def all_times(
    driver: Driver, others: Others, arrays: list[np.ndarray], ours: Any, torch: Any, jax: Any
) -> list[float | None]:
    """Seconds of one call: ours, PyTorch's, JAX's."""
    found = [attempt(lambda: by_events(driver, ours)), None, None]
    if others.torch:
        found[1] = attempt(lambda: torch_time(driver, others.torch, arrays, torch))
        others.torch.cuda.empty_cache()
    if others.jax:
        found[2] = attempt(lambda: jax_time(others.jax, arrays, jax))
    return found


def torch_time(driver: Driver, torch: Any, arrays: list[np.ndarray], function: Any) -> float:
    placed = [torch.from_numpy(a).cuda() for a in arrays]
    return by_events(driver, lambda: function(torch, *placed))


def jax_time(jax: Any, arrays: list[np.ndarray], function: Any) -> float:
    placed, compiled = [jax.device_put(a) for a in arrays], jax.jit(lambda *a: function(jax, *a))
    return by_clock(lambda: compiled(*placed), jax.block_until_ready)


def family_row(
    family: Family, driver: Driver, others: Others, ceilings: Ceilings, is_small: bool
) -> list[str]:
    arrays = family.arrays(is_small)
    moved, flops = family.moved(*arrays), family.flops(*arrays) if family.flops else 0
    tensors, compiled = [ms.Tensor(a) for a in arrays], ms.jit(family.ours)
    ours = lambda: compiled(*tensors)
    _, launches = planned(ours)
    seconds = all_times(driver, others, arrays, ours, family.torch, family.jax)
    work, ceiling, unit = (
        (flops, ceilings.flops, "TFLOP/s") if flops else (moved, ceilings.copy, "GB/s")
    )
    scale = 1e12 if flops else 1e9

    def rate(s: float | None) -> str:
        return f"{work / s / scale:.3g}" if s else "-"

    # No less than what has to be moved, whatever the plan counts.
    guess = max(ceilings.predicted(launches), moved / ceilings.copy if ceilings.copy else 0)
    fraction = f"{work / seconds[0] / ceiling:.3f}" if seconds[0] and ceiling else "-"
    expected = f"{work / guess / ceiling:.3f}" if ceiling else "-"
    took = f"{1e3 * seconds[0]:.3g}" if seconds[0] else "-"
    kernels = str(sum(launch.runs for launch in launches))
    return [family.name, unit, kernels, took, *map(rate, seconds), fraction, expected]


HEAD = ("family", "in", "kernels", "ms", "cellgrad", "torch", "jax", "of the ceiling", "predicted")
STEP_HEAD = (
    "step",
    "kernels",
    "cellgrad ms",
    "torch ms",
    "jax ms",
    "predicted ms",
    "loss, the three",
)


def families(options: argparse.Namespace, driver: Driver, others: Others) -> bool:
    ceilings = Ceilings(driver, options.ceilings)
    copy = f"{ceilings.copy / 1e9:.0f} GB/s, a copy on the device" if ceilings.copy else "not known"
    note = f"Ceilings: {copy}; {ceilings.flops / 1e12:.1f} TFLOP/s of f32, by the clock."
    rows: list[list[str]] = []
    for family in FAMILIES:
        rows.append(family_row(family, driver, others, ceilings, options.small))
        keep(
            options,
            "Families of kernels",
            driver,
            [note, others.named(), device_pages.table(HEAD, rows)],
        )
    return all(row[3] != "-" for row in rows)


def steps(options: argparse.Namespace, driver: Driver, others: Others) -> bool:
    ceilings = Ceilings(driver, options.ceilings)
    rows: list[list[str]] = []
    for workload in WORKLOADS:
        (times, losses), launches = planned(
            lambda w=workload: step_times(w, driver, others, options.small)
        )
        guess = ceilings.predicted(launches)
        kernels = str(sum(launch.runs for launch in launches))
        shown = [f"{1e3 * s:.3g}" if s else "-" for s in times]
        told = ", ".join(f"{value:.6g}" for value in losses)
        rows.append([workload.name, kernels, *shown, f"{1e3 * guess:.3g}", told])
        keep(
            options, "Training steps", driver, [others.named(), device_pages.table(STEP_HEAD, rows)]
        )
    return all(row[2] != "-" for row in rows)


def step_times(
    workload: Workload, driver: Driver, others: Others, is_small: bool
) -> tuple[list[float | None], list[float]]:
    """Seconds of a step, ours, PyTorch's and JAX's, and the first losses of those that ran."""
    times: list[float | None] = []
    losses: list[float] = []
    for build, framework in ((our_step, ms), (torch_step, others.torch), (jax_step, others.jax)):
        step = (
            attempt(lambda build=build, f=framework: build(f, workload, is_small))
            if framework
            else None
        )
        times.append(attempt(lambda step=step: timed(driver, step)) if step else None)
        losses += [step.loss] if step else []
    return times, losses


def keep(options: argparse.Namespace, title: str, driver: Driver, parts: list[str]) -> None:
    text = device_pages.page(title, device_pages.device_name(driver), parts)
    options.out.write_text(text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("what", choices=("families", "steps"))
    parser.add_argument("--ceilings", type=Path)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    ms.set_context(device_target="GPU")
    driver = Driver()
    good = {"families": families, "steps": steps}[options.what](options, driver, Others())
    print(options.out.read_text())
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
