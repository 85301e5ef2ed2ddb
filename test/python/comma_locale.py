"""Locales whose decimal point is another, made here: no machine need have any installed.

python comma_locale.py FOLDER writes them; with LOCPATH=FOLDER, setlocale(LC_NUMERIC, "comma") and
"arabic" find them. They are files as glibc reads them: a magic number, the number of items, the
offset of each, the items.
"""

import struct
import sys
from pathlib import Path

POINTS = {"comma": ",", "arabic": "\u066b"}  # the second has two bytes in UTF-8
_CATEGORY = 1  # LC_NUMERIC


def write(folder: Path) -> None:
    for name, point in POINTS.items():
        items = [
            point.encode() + b"\0",
            b"\0",  # no separator of thousands
            b"\x7f\0",  # no grouping
            struct.pack("<I", ord(point)),
            struct.pack("<I", 0),
            b"UTF-8\0",
        ]
        head = struct.pack("<II", 0x20031115 ^ _CATEGORY, len(items))
        offsets, body = [], b""
        for item in items:
            body += bytes(-len(body) % 4)
            offsets.append(len(head) + 4 * len(items) + len(body))
            body += item
        (folder / name).mkdir(parents=True, exist_ok=True)
        content = head + struct.pack(f"<{len(items)}I", *offsets) + body
        (folder / name / "LC_NUMERIC").write_bytes(content)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
