"""Starts the ranks of a script on this machine."""

from __future__ import annotations

import argparse
import os
import secrets
import signal
import subprocess
import sys
import time

# How long others may take to end by themselves when one has failed, in seconds.
_GRACE = 10.0


def start_ranks(options: argparse.Namespace) -> int:
    """Runs ``cellgrad run script`` in as many processes; the status of the first that fails, or 0."""
    if not 1 <= options.ranks <= 64:
        print(f"cellgrad: --ranks is {options.ranks}: expected 1 to 64", file=sys.stderr)
        return 2
    command = [sys.executable, "-m", "cellgrad", "run", options.script, *options.arguments]
    shared = {"CELLGRAD_RANKS": str(options.ranks), "CELLGRAD_GROUP": secrets.token_hex(8)}
    running = {
        rank: subprocess.Popen(command, env={**os.environ, **shared, "CELLGRAD_RANK": str(rank)})
        for rank in range(options.ranks)
    }
    status, until = 0, float("inf")
    try:
        while running:
            for rank, process in list(running.items()):
                ended = process.poll()
                if ended is None:
                    continue
                del running[rank]
                if ended != 0 and status == 0:
                    status, until = (ended if ended > 0 else 128 - ended), time.monotonic() + _GRACE
                    why = f"status {ended}" if ended > 0 else signal.Signals(-ended).name
                    print(f"cellgrad: rank {rank} ended with {why}", file=sys.stderr)
            if time.monotonic() > until:
                break
            time.sleep(0.02)
    finally:
        for process in running.values():
            process.terminate()
        for process in running.values():
            try:
                process.wait(_GRACE)
            except subprocess.TimeoutExpired:
                process.kill()
    return status
