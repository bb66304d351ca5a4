# SPDX-License-Identifier: GPL-2.0-only
"""What "make bench" lets the guests do, and what their consoles say of it.

A boot is a list of commands of kernel/kprobes/bench/bench.c, or of the shell
("!...").  The base's own
kprobes take time that grows with the square of the number of probes, so for
them the large arrays have boots of their own, which may run out of time.
"""

import re

BENCH = "/sys/kernel/debug/kprobes-bench"
SYSCTL = "/proc/sys/debug/kprobes-optimization"
LIST = "/sys/kernel/debug/kprobes/list"
SITES = ("traced", "plain", "middle")


def _optimization(on):
    return [f"write {SYSCTL} {int(on)}", "wait 3000"]


def _hits():
    return _optimization(False) + ["hits"] + _optimization(True) + ["jump"] + _optimization(False)


def _read_list():
    return ["start", f"!cat {LIST} >/dev/null", "stop list"]


def _array(site, n, singles=100):
    """Fill, look, drain; hits where the other probes are of the same kind."""
    look = _hits() if site != "middle" else []
    return ([f"fill {site} {n}"] + look + _read_list() +
            ([f"single {site} {singles}"] if singles else []) + ["drain"])


def _returns(n):
    return [f"rfill traced {n}", "rdrain", f"rfill plain {n}", "rdrain"]


def _flip(n):
    """The sysctl, with probes that become jumps."""
    return (_optimization(False) + ["memory", f"fill middle {n}", f"write {SYSCTL} 1", "wait 5000", "memory",
                                    f"write {SYSCTL} 0", "wait 3000", f"write {SYSCTL} 1", "drain"] +
            _optimization(False))


def _first():
    # Twice: the first jump of all may wait for a survey of the kernel's text.
    return _hits() + ["wait 10000"] + _hits() + [f"single {site} 100" for site in SITES]


def boots(of_base):
    """Lists of commands, each with a name and the seconds it may take."""
    if of_base:
        off = _optimization(False)
        small = _first() + [c for n in (100, 1000) for site in SITES for c in _array(site, n, 20)]
        return [("small", small, 1500),
                ("traced", off + _array("traced", 10000, 0), 1500),
                ("plain", off + _array("plain", 10000, 0), 1500),
                ("other", off + _returns(1000) + _flip(1000), 1500)]
    return [("all", _first() + [c for n in (100, 1000, 10000, 50000) for site in SITES for c in _array(site, n)] +
             _returns(1000) + _returns(10000) + _flip(1000) + _flip(5000), 2400)]


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
