# SPDX-License-Identifier: GPL-2.0-only
"""What "make bench" lets the guests do, and what their consoles say of it.

A boot is a list of commands of kernel/kprobes/bench/bench.c, or of the shell
("!...").  The base's own
kprobes take time that grows with the square of the number of probes, so for
them the large arrays have boots of their own, which may run out of time.
"""

import re
from dataclasses import dataclass

BENCH = "/sys/kernel/debug/kprobes-bench"
SYSCTL = "/proc/sys/debug/kprobes-optimization"
LIST = "/sys/kernel/debug/kprobes/list"


@dataclass
class Kernel:
    """What a kernel's kprobes can do."""
    sites: tuple        # where probes go
    jumps: bool         # there are jumps in place of breakpoints


# By architecture: the base's, and ours.
KERNELS = {
    "x86_64": (Kernel(("traced", "plain", "middle"), True), Kernel(("traced", "plain", "middle"), True)),
    "arm64": (Kernel(("plain", "middle"), False), Kernel(("plain", "middle"), True)),
    "riscv64": (Kernel(("traced", "plain", "middle"), False), Kernel(("traced", "plain", "middle"), True)),
}


def _optimization(kernel, on):
    return [f"write {SYSCTL} {int(on)}", "wait 3000"] if kernel.jumps else []


def _hits(kernel):
    jump = _optimization(kernel, True) + ["jump"] + _optimization(kernel, False) if kernel.jumps else []
    return _optimization(kernel, False) + ["hits"] + jump


def _read_list():
    return ["start", f"!cat {LIST} >/dev/null", "stop list"]


def _array(kernel, site, n, singles=100):
    """Fill, look, drain; hits where the other probes are of the same kind."""
    look = _hits(kernel) if site != "middle" else []
    return ([f"fill {site} {n}"] + look + _read_list() +
            ([f"single {site} {singles}"] if singles else []) + ["drain"])


def _returns(kernel, n):
    return [c for site in kernel.sites if site != "middle" for c in (f"rfill {site} {n}", "rdrain")]


def _flip(kernel, n):
    """The sysctl, with probes that become jumps."""
    if not kernel.jumps:
        return []
    return (_optimization(kernel, False) + ["memory", f"fill middle {n}", f"write {SYSCTL} 1", "wait 5000", "memory",
                                    f"write {SYSCTL} 0", "wait 3000", f"write {SYSCTL} 1", "drain"] +
            _optimization(kernel, False))


def _first(kernel):
    # Twice: the first jump of all may wait for a survey of the kernel's text.
    return (_hits(kernel) + ["wait 10000"] + _hits(kernel) +
            [f"single {site} 100" for site in kernel.sites])


def _arrays(kernel, counts, singles=100):
    return [c for n in counts for site in kernel.sites for c in _array(kernel, site, n, singles)]


def boots(arch, of_base):
    """Lists of commands, each with a name and the seconds it may take."""
    base, ours = KERNELS[arch]
    if of_base:
        off = _optimization(base, False)
        large = [(site, off + _array(base, site, 10000, 0), 1500) for site in base.sites if site != "middle"]
        return [("small", _first(base) + _arrays(base, (100, 1000), 20), 1500)] + large + [
                ("other", off + _returns(base, 1000) + _flip(base, 1000), 1500)]
    return [("all", _first(ours) + _arrays(ours, (100, 1000, 10000, 50000)) + _returns(ours, 1000) +
             _returns(ours, 10000) + _flip(ours, 1000) + _flip(ours, 5000), 2400)]


def script(commands):
    """A shell script for the guest; a command that fails does not end it."""
    lines = [c[1:] if c.startswith("!") else f"echo '{c}' >{BENCH}" for c in commands]
    return "\n".join(["#!/bin/sh"] + lines + ["true", ""])


_LINE = re.compile(r"kp-bench: (\S+)((?: [\w-]+=\S+)*)(?: none: .*)?$")
_END = re.compile(r"kp-bench: end status=(-?\d+) command=(.*)$")


def _number(text):
    return int(text) if re.fullmatch(r"-?\d+", text) else text


def read(lines):
    """Records of a console: dictionaries with 'what', the values, and the
    background: its 'bg_site' and 'bg' (how many, 0 for none)."""
    records, site, count = [], "", 0
    for line in lines:
        end = _END.search(line)
        match = _LINE.search(line)
        if end:
            if int(end.group(1)):
                records.append({"what": "failed", "command": end.group(2), "status": int(end.group(1))})
        elif match:
            values = {k: _number(v) for k, v in (pair.split("=", 1) for pair in match.group(2).split())}
            if match.group(1) in ("drain", "rdrain"):
                site, count = "", 0
            records.append({"what": match.group(1), "bg_site": site, "bg": count, **values})
            if match.group(1) in ("fill", "rfill"):
                site, count = values["site"], values["n"]
    return records
