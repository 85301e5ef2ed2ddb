"""The command ``cellgrad``: scripts for MindSpore, what is installed, the cache, a check of it all."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import cellgrad
from cellgrad.command import cache, doctor, info, run

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; the exit status."""
    parser = argparse.ArgumentParser(
        prog="cellgrad", description="Ahead-of-time compiled derivatives of Cells."
    )
    parser.add_argument("--version", action="version", version=cellgrad.__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for module in (run, info, cache, doctor):
        name = module.__name__.rpartition(".")[2]
        command = commands.add_parser(name, help=module.HELP, description=module.__doc__)
        module.arguments(command)
        command.set_defaults(call=module.call)
    options = parser.parse_args(arguments)
    status: int = options.call(options)
    return status
