"""What the device is: names, bandwidths of copies, and how long each kernel of a folder takes to load.

    python tools/device/facts.py [--kernels FOLDER] [--mebibytes N] [--out FILE] [--json FILE]

FOLDER has .ptx and .cubin files. The measured copy bandwidth is the ceiling that the other tables compare with.
"""

import argparse
import ctypes as C
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import cuda_driver
import device_pages
import numpy as np
from cuda_driver import Driver, DriverError

ON_DEVICE = "on the device, read and written"


def rate(driver: Driver, copy: Callable[[], None], moved: int, repeats: int = 7) -> float:
    """GB/s of the best of some copies, by events: a busy machine only makes them slower."""
    copy()
    driver.synchronize()
    times = [driver.milliseconds(copy) for _ in range(repeats)]
    return moved / max(min(times), 1e-6) / 1e6


def copies(driver: Driver, size: int) -> list[tuple[str, float]]:
    """Copies to, from and on the device; on it, bytes that are read and written count."""
    a, b = driver.allocate(size), driver.allocate(size)
    paged = np.ones(size, np.uint8)
    pinned = C.c_void_p()
    driver.call("cuMemAllocHost_v2", C.byref(pinned), C.c_size_t(size))
    C.memset(pinned, 1, size)
    n, pageable = C.c_size_t(size), C.c_void_p(paged.ctypes.data)
    calls: list[tuple[str, int, str, tuple[object, ...]]] = []
    for kind, host in (("pinned", pinned), ("pageable", pageable)):
        calls.append((f"host to device, {kind}", size, "cuMemcpyHtoDAsync_v2", (a, host, n)))
        calls.append((f"device to host, {kind}", size, "cuMemcpyDtoHAsync_v2", (host, a, n)))
    calls.append((ON_DEVICE, 2 * size, "cuMemcpyDtoDAsync_v2", (b, a, n)))
    calls.append(("fill, written", size, "cuMemsetD32Async", (a, 0, C.c_size_t(size // 4))))
    found = []
    for name, moved, call, args in calls:
        found.append((name, rate(driver, partial(driver.call, call, *args, None), moved)))
    driver.call("cuMemFreeHost", pinned)
    driver.free(a)
    driver.free(b)
    return found


EMPTY = b".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry nothing() { ret; }"


def launches(driver: Driver, count: int) -> tuple[float, float]:
    """Microseconds of an empty kernel: what the host needs to enqueue one, and one after another on the device."""
    module = driver.load(EMPTY)
    driver.launch(module, "nothing", [])
    driver.synchronize()
    begin = time.perf_counter()
    for _ in range(count):
        driver.launch(module, "nothing", [])
    host = time.perf_counter() - begin
    driver.synchronize()

    def many() -> None:
        for _ in range(count):
            driver.launch(module, "nothing", [])

    on_device = driver.milliseconds(many) / 1e3
    driver.unload(module)
    return 1e6 * host / count, 1e6 * on_device / count


def loaded(driver: Driver, files: list[Path]) -> tuple[list[list[object]], dict[str, list[str]]]:
    """Milliseconds to load each file, by kinds; and the files that the driver refuses, by its words."""
    times: dict[str, list[tuple[float, str]]] = {}
    refused: dict[str, list[str]] = {}
    for file in files:
        image = file.read_bytes()
        begin = time.perf_counter()
        try:
            module = driver.load(image)
        except DriverError as error:
            refused.setdefault(str(error)[:300], []).append(file.name)
            continue
        elapsed = 1e3 * (time.perf_counter() - begin)
        times.setdefault(file.suffix, []).append((elapsed, file.name))
        driver.unload(module)
    rows: list[list[object]] = []
    for suffix, found in times.items():
        every = [t for t, _ in found]
        longest, name = max(found)
        mid = f"{statistics.median(every):.2f}"
        rows.append([suffix, len(every), f"{sum(every):.0f}", mid, f"{longest:.2f}", name])
    return rows, refused


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--kernels", type=Path)
    parser.add_argument("--mebibytes", type=int, default=1024)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    # What the driver keeps on disk would make the second run's times another thing.
    os.environ.setdefault("CUDA_CACHE_DISABLE", "1")
    driver = Driver()
    facts: list[list[object]] = [
        ["multiprocessors", driver.attribute(cuda_driver.SMS)],
        ["clock", f"{driver.attribute(cuda_driver.CLOCK_KHZ) / 1e3:.0f} MHz"],
        ["L2 cache", f"{driver.attribute(cuda_driver.L2_BYTES) / 2**20:.0f} MiB"],
        ["shared memory of a block, at most", f"{driver.attribute(cuda_driver.SHARED_BYTES)} B"],
        ["Python", platform.python_version()],
        ["processors of the host", len(os.sched_getaffinity(0))],
    ]
    bandwidths = copies(driver, options.mebibytes << 20)
    host, device = launches(driver, 1000)
    facts += [
        ["enqueue a kernel", f"{host:.2f} µs"],
        ["one kernel after another", f"{device:.2f} µs"],
    ]
    parts = [
        device_pages.table(("what", "value"), facts),
        device_pages.table(
            (f"copy of {options.mebibytes} MiB", "GB/s"), [[n, f"{r:.1f}"] for n, r in bandwidths]
        ),
    ]
    refused: dict[str, list[str]] = {}
    if options.kernels:
        files = sorted(p for p in options.kernels.iterdir() if p.suffix in (".ptx", ".cubin"))
        rows, refused = loaded(driver, files)
        head = ("load", "files", "ms in all", "median ms", "longest ms", "which")
        parts.append(device_pages.table(head, rows))
        if refused:
            lines = [[names[0], len(names), words] for words, names in refused.items()]
            parts.append(
                device_pages.table(("refused, the first", "files", "the driver's words"), lines)
            )
    device_pages.write(options.out, "The device", device_pages.device_name(driver), parts)
    if options.json:
        ceilings = {
            "copy": dict(bandwidths)[ON_DEVICE],
            "sms": driver.attribute(cuda_driver.SMS),
            "clock_mhz": driver.attribute(cuda_driver.CLOCK_KHZ) / 1e3,
            "launch_us": device,
        }
        options.json.write_text(json.dumps(ceilings))
    return 1 if any(n.endswith(".ptx") for names in refused.values() for n in names) else 0


if __name__ == "__main__":
    sys.exit(main())
