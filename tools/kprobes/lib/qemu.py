# SPDX-License-Identifier: GPL-2.0-only
"""Run a guest and keep its console text; end it when it is done, dead or stuck."""

import os
import re
import select
import shlex
import subprocess
import time

from progress import Failure, say

# After a line like this nothing useful follows.
_FATAL = re.compile(r"Kernel panic - not syncing|Attempted to kill init|No working init found")
AFTER_FATAL = 8         # seconds for the rest of a panic's text
SILENCE = 300           # seconds without a console line: stuck


class Ending:
    """How a run ended: 'exited', 'panic', 'timeout' or 'silence'."""

    def __init__(self, how, seconds):
        self.how, self.seconds = how, seconds


def command(variant, image, initramfs, append):
    line = " ".join([variant.append, "loglevel=8 printk.devkmsg=on panic=-1 oops=panic",
                     f"kp_end={variant.end}", append])
    return variant.qemu + ["-kernel", image, "-initrd", initramfs, "-append", line]


def run(arguments, console, timeout, on_line=None, silence=SILENCE):
    """Start QEMU, copy its output to the file 'console', call on_line for each line."""
    began = time.monotonic()
    with open(console, "wb") as file:
        try:
            process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT)
        except FileNotFoundError:
            raise Failure(f"{arguments[0]} is not installed",
                          "name its package in 'packages' of the variant") from None
        try:
            how = _follow(process, file, began, timeout, on_line, silence)
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
    return Ending(how, time.monotonic() - began)


def _follow(process, file, began, timeout, on_line, silence):
    """Read until the guest ends, or has to be ended."""
    descriptor = process.stdout.fileno()
    rest, heard, fatal = b"", time.monotonic(), None
    while True:
        ready, _, _ = select.select([descriptor], [], [], 1)
        now = time.monotonic()
        if ready:
            data = os.read(descriptor, 65536)
            if not data:
                return "panic" if fatal else "exited"
            file.write(data)
            file.flush()
            heard = now
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                text = line.decode("utf-8", "replace").rstrip("\r")
                if _FATAL.search(text):
                    fatal = fatal or now
                if on_line:
                    on_line(text)
        if fatal and now - fatal > AFTER_FATAL:
            return "panic"
        if now - began > timeout:
            return "timeout"
        if now - heard > silence:
            return "silence"


def shell_line(arguments):
    return " ".join(shlex.quote(a) for a in arguments)


def stage_reporter(name):
    """An on_line that says which stage the guest is in."""
    def report(line):
        match = re.search(r"\] kp-(begin|end) (\S+)(?: (\d+))?$", line)
        if match and match.group(1) == "begin":
            say(f"  {name}: {match.group(2)} ...")
    return report
