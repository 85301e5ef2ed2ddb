"""Tables in Markdown, one file each."""

import datetime
from collections.abc import Iterable, Sequence
from pathlib import Path

import cuda_driver


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Columns after the first are set to the right."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join(
        "| " + " | ".join(str(c).replace("|", "\\|") for c in line) + " |" for line in lines
    )


def page(title: str, device: str, parts: Iterable[str]) -> str:
    day = datetime.date.today().isoformat()
    if "emulator" in device:
        parts = ["The device is emulated: times and rates mean nothing.", *parts]
    return "\n\n".join([f"# {title}", f"{day}, {device}.", *(p for p in parts if p)]) + "\n"


def write(path: Path | None, title: str, device: str, parts: Iterable[str]) -> None:
    """Prints the page, and keeps it where a file is named."""
    text = page(title, device, parts)
    print(text, flush=True)
    if path:
        path.write_text(text)


def device_name(driver: cuda_driver.Driver | None = None) -> str:
    driver = driver or cuda_driver.Driver()
    return f"{driver.name()} ({driver.chip()}), driver for CUDA {driver.version()}"
