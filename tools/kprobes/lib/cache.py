# SPDX-License-Identifier: GPL-2.0-only
"""Where things are: the checkout, and the build cache outside of it.

The cache is $KPROBES_CACHE, by default ~/.cache/kprobes:

    base/            the unpacked base ($KPROBES_BASE names another one instead)
    tree/            the integrated tree
    tree-base-bench/ the base with the benchmark in it
    build/VARIANT/   one kernel
    ccache/          compiler results (unless CCACHE_DIR is set)
    run/             one folder per boot: console, kernel, initramfs
    log/             one log per step
"""

import contextlib
import fcntl
import itertools
import os
import time

from progress import say

TOOLS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
REPO = os.path.dirname(os.path.dirname(TOOLS))
CACHE = os.path.abspath(os.environ.get("KPROBES_CACHE") or os.path.expanduser("~/.cache/kprobes"))
BASE = os.path.abspath(os.environ.get("KPROBES_BASE") or os.path.join(CACHE, "base"))
TREE = os.path.join(CACHE, "tree")
BASE_BENCH = os.path.join(CACHE, "tree-base-bench")
RUNS = os.path.join(CACHE, "run")
KEPT_RUNS = 30
_NUMBERS = itertools.count(1)     # one program may prepare several boots within a second


def build_folder(variant):
    return os.path.join(CACHE, "build", variant.name)


def log_file(name):
    return os.path.join(CACHE, "log", name + ".log")


def fresh_log(name):
    """A log file's path, emptied; one older version is kept beside it."""
    path = log_file(name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path):
        os.replace(path, path + ".old")
    return path


def run_folder(variant):
    """A new folder for one boot; the oldest ones go."""
    os.makedirs(RUNS, exist_ok=True)
    runs = sorted((os.path.join(RUNS, n) for n in os.listdir(RUNS)), key=os.path.getmtime)
    for old in runs[:-KEPT_RUNS]:
        _remove_run(old)
    name = f"{variant.name}-{time.strftime('%m%d-%H%M%S')}-{os.getpid()}-{next(_NUMBERS)}"
    path = os.path.join(RUNS, name)
    os.makedirs(path)
    return path


def _remove_run(path):
    for name in os.listdir(path):
        os.remove(os.path.join(path, name))
    os.rmdir(path)


def _lock_file(path, what):
    """Open and lock a file; the lock lasts until it is closed."""
    file = open(path, "a", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say(f"waiting for another run that uses {what}")
        fcntl.flock(file, fcntl.LOCK_EX)
    return file


@contextlib.contextmanager
def locked(building=True):
    """One program at a time changes the cache; $KPROBES_BUILD_LOCK, if set, names
    a lock for all caches of a machine: who builds takes it, always first."""
    os.makedirs(CACHE, exist_ok=True)
    with contextlib.ExitStack() as held:
        machine = os.environ.get("KPROBES_BUILD_LOCK")
        if machine and building:
            held.enter_context(_lock_file(machine, machine))
        held.enter_context(_lock_file(os.path.join(CACHE, "lock"), CACHE))
        yield
