"""Shows the cache of compiled code, or empties it."""

from __future__ import annotations

import argparse

from cellgrad.compile import cache

HELP = "show the cache of compiled code, or empty it"


def arguments(command: argparse.ArgumentParser) -> None:
    """Declares what the command takes."""
    command.add_argument("--clear", action="store_true", help="drop all compiled code")


def call(options: argparse.Namespace) -> int:
    """Prints the folder, its number of programs and its size."""
    where = cache.folder()
    if where is None:
        print("The cache is off: CELLGRAD_CACHE=0, or its folder cannot be made.")
        return 0
    count, size = cache.clear(where) if options.clear else cache.content(where)
    did = "dropped from" if options.clear else "in"
    print(f"{count} programs, {size / 2**20:.1f} MiB, {did} {where}")
    if not options.clear:
        print(f"The limit is {cache.limit() >> 20} MiB (CELLGRAD_CACHE_SIZE).")
    return 0
