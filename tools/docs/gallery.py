"""Runs the examples, and renews their pictures and times in the gallery.

    python tools/docs/gallery.py [NAME ...]

Each example draws one picture; a copy of less than 60 kB goes to docs/images/gallery. The time is processor time of
one thread, import and compilation included, and stands in the line of docs/gallery.md that begins with the
example's folder.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/gallery.md"
PICTURES = ROOT / "docs/images/gallery"
WIDTH, LIMIT = 760, 60_000  # pixels; bytes


def time_line(name: str) -> re.Pattern[str]:
    return re.compile(rf"^(\[`examples/{name}`\]\([^)]*\), )[\d.]+ s", re.M)


def children_time() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(name: str, out: str) -> float:
    """Runs an example as it stands; returns its processor time in seconds."""
    one = {"CELLGRAD_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    before = children_time()
    command = [sys.executable, ROOT / "examples" / name / "main.py", f"--out={out}"]
    subprocess.run(command, check=True, env=os.environ | one)
    return children_time() - before


def shrink(source: Path, target: Path) -> None:
    """Writes a picture with few colours; with fewer, and smaller, until it is small."""
    picture = Image.open(source).convert("RGB")
    for colours, width in ((128, WIDTH), (48, WIDTH), (32, WIDTH * 3 // 4)):
        size = (width, round(picture.height * width / picture.width))
        small = picture.resize(size, Image.Resampling.LANCZOS).quantize(colours)
        small.save(target, optimize=True)
        if target.stat().st_size < LIMIT:
            return
    raise SystemExit(f"{target} has more than {LIMIT} bytes: draw less in it")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    every = sorted(p.parent.name for p in ROOT.glob("examples/*/main.py"))
    parser.add_argument("names", nargs="*", choices=[[], *every])
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name in parser.parse_args().names or every:
        with tempfile.TemporaryDirectory() as out:
            seconds = run(name, out)
            (picture,) = Path(out).glob("*.png")
            shrink(picture, PICTURES / f"{name}.png")
        page = PAGE.read_text()
        shown = f"{seconds:.0f}" if seconds >= 3 else f"{seconds:.1f}"
        page, found = time_line(name).subn(rf"\g<1>{shown} s", page)
        if not found:
            raise SystemExit(f"docs/gallery.md has no line that begins with [`examples/{name}`]")
        PAGE.write_text(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
