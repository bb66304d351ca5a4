# SPDX-License-Identifier: GPL-2.0-only
"""What a person sees: steps with their time and log, failures with advice."""

import contextlib
import os
import subprocess
import sys
import time

START = time.monotonic()
HEARTBEAT = 20          # seconds between signs of life of a long step


class Failure(Exception):
    """Something went wrong; 'advice' says what to do about it."""

    def __init__(self, message, advice="", log=""):
        super().__init__(message)
        self.advice, self.log = advice, log

    def text(self):
        lines = [str(self)]
        if self.log:
            lines += ["  last lines of " + self.log + ":"]
            lines += ["    " + line for line in tail(self.log, 15)]
        if self.advice:
            lines += ["  what to do: " + self.advice]
        return "\n".join(lines)


def tail(path, count):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return [line.rstrip() for line in file.readlines()[-count:]]
    except OSError:
        return []


def say(text):
    print(f"[{time.monotonic() - START:6.0f} s] {text}", flush=True)


@contextlib.contextmanager
def step(title, log=""):
    """Announce a step; say how long it took."""
    began = time.monotonic()
    say(title + (f" (log: {log})" if log else ""))
    yield
    took = time.monotonic() - began
    if took >= 2:
        say(f"{title}: done in {took:.0f} s")


def run_logged(command, log, what, advice, env=None, cwd=None):
    """Run a command with its output in a log file; raise Failure if it fails."""
    os.makedirs(os.path.dirname(log), exist_ok=True)
    with open(log, "a", encoding="utf-8") as file:
        file.write("$ " + " ".join(command) + "\n")
        file.flush()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file,
                                   stderr=subprocess.STDOUT, env=env, cwd=cwd)
        try:
            _wait_with_heartbeat(process, log, what)
        except BaseException:
            process.terminate()
            process.wait()
            raise
    if process.returncode != 0:
        raise Failure(f"{what} failed (exit status {process.returncode})", advice, log)


def _wait_with_heartbeat(process, log, what):
    began = time.monotonic()
    while True:
        try:
            process.wait(timeout=HEARTBEAT)
            return
        except subprocess.TimeoutExpired:
            last = (tail(log, 1) or [""])[0].strip()
            say(f"  {what}: {time.monotonic() - began:.0f} s so far, at: {last[:70]}")


def run_program(main):
    """Call main(); turn a Failure into a message and an exit status."""
    try:
        sys.exit(main())
    except Failure as failure:
        print("error: " + failure.text(), file=sys.stderr, flush=True)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
