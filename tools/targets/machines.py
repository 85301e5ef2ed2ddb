"""Calls models on the machines that they are made for: this one, or one that a command emulates.

machine = Launched("qemu-aarch64 -L /usr/aarch64-linux-gnu build/call-aarch64")
machine.signature("libm.so", "m"), machine.call("libm.so", "m", "cg_m_f", [x, y])
"""

import ctypes
import json
import shlex
import struct
import subprocess


class Here:
    """This process."""

    def signature(self, library, model):
        loaded = ctypes.CDLL(str(library))
        function = loaded[f"cg_{model}_signature"]
        function.restype = ctypes.c_char_p
        return json.loads(function())

    def call(self, library, model, symbol, buffers):
        """Calls `symbol` with the arrays `buffers`, some of which it writes; returns the status."""
        pointers = (ctypes.c_void_p * len(buffers))(*[b.ctypes.data for b in buffers])
        return ctypes.CDLL(str(library))[symbol](pointers, None)


class Launched:
    """What `command` runs: call.c, or a program that does the same."""

    def __init__(self, command):
        self.command = shlex.split(command)

    def _run(self, library, model, sent):
        done = subprocess.run([*self.command, str(library), model], input=sent, capture_output=True)
        if done.returncode:
            raise RuntimeError(
                f"{self.command[0]} ended with {done.returncode}: {done.stderr.decode()}"
            )
        return done.stdout

    def signature(self, library, model):
        return json.loads(self._run(library, model, b""))

    def call(self, library, model, symbol, buffers):
        """Calls `symbol` with the arrays `buffers`, some of which it writes; returns the status."""
        sent = struct.pack("<i", len(symbol)) + symbol.encode() + struct.pack("<i", len(buffers))
        for buffer in buffers:
            sent += struct.pack("<q", buffer.nbytes) + buffer.tobytes()
        got = self._run(library, model, sent)
        (status,) = struct.unpack_from("<i", got)
        at = 4
        for buffer in buffers:
            flat = buffer.reshape(-1).view("u1")
            flat[:] = memoryview(got)[at : at + buffer.nbytes]
            at += buffer.nbytes
        return status
