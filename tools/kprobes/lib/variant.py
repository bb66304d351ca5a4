# SPDX-License-Identifier: GPL-2.0-only
"""Variants: one kernel configuration, how to build and boot it, what it must show.

A variant is a file variants/NAME.variant of 'key = value' lines; a line that
starts with a blank continues the value before it, '#' starts a comment line.

    from         take what is not said here from another variant
    arch         the name "make ARCH=" selects it by
    kernel-arch  ARCH of the kernel's own make
    triplet      prefix of compiler and binutils, without the last '-'
    packages     Debian packages needed beyond those of every build
    config       fragments in config/, later ones win over earlier ones
    allow-lost   options that may come out different from the fragments
    image        the kernel file to boot, relative to the build folder
    qemu         QEMU and its machine (kernel, initramfs, command line are added)
    cpus         processors the guest must come up with (default: 1)
    append       kernel command line
    end          poweroff or reboot: what makes the guest leave QEMU (default: poweroff)
    allow-objtool  functions objtool may warn about (the base's own code)
    busybox      debian:ARCHITECTURE, where the guest's busybox comes from;
                 debian:ARCHITECTURE:RELEASE if this host's release has not got it
    suites       KUnit suites whose results must be seen
    stages       what the guest runs: kunit samples modules selftest ftrace tracer-down
    timeout      seconds a test boot may take
    programs     programs of this machine that the guest gets, with their libraries
    build-only   yes: no boot
    tree         base: build the untouched base, to compare with;
                 base-bench: the base with the benchmark, and nothing else of ours
    by-name      yes: runs only when VARIANT names it
    by-arch      yes: runs only when VARIANT or ARCH asks for it
"""

import os
from dataclasses import dataclass

from progress import Failure

FOLDER = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "variants")

_LISTS = ("packages", "config", "allow-lost", "allow-objtool", "suites", "stages", "qemu", "programs")
_WORDS = ("from", "arch", "kernel-arch", "triplet", "image", "append", "busybox", "timeout", "build-only",
          "tree", "end", "cpus", "by-name", "by-arch")


@dataclass
class Variant:
    name: str
    arch: str
    kernel_arch: str
    triplet: str
    packages: list
    config: list
    allow_lost: list
    allow_objtool: list
    image: str
    qemu: list
    cpus: int
    append: str
    end: str
    busybox: str
    suites: list
    stages: list
    timeout: int
    build_only: bool
    tree: str
    by_name: bool
    by_arch: bool
    programs: list
    source: str = ""          # sources to build, if neither the base nor the integrated tree


def parse(text, name):
    """Read 'key = value' lines into a dict of strings."""
    values, key = {}, None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line[0].isspace():
            if key is None:
                raise Failure(f"{name}:{number}: continues nothing")
            values[key] += " " + line.strip()
            continue
        key, equals, value = (part.strip() for part in line.partition("="))
        if not equals or key not in _LISTS + _WORDS:
            raise Failure(f"{name}:{number}: cannot read '{line}'",
                          "the keys are listed at the top of tools/kprobes/lib/variant.py")
        values[key] = value
    return values


def _values(name):
    path = os.path.join(FOLDER, name + ".variant")
    try:
        with open(path, encoding="utf-8") as file:
            values = parse(file.read(), name + ".variant")
    except FileNotFoundError:
        raise Failure(f"there is no variant '{name}'", "known are: " + " ".join(names())) from None
    if "from" in values:
        values = {**_values(values["from"]), **values}
    return values


def load(name):
    values = _values(name)
    missing = [k for k in ("arch", "kernel-arch", "triplet", "config", "image") if not values.get(k)]
    if missing:
        raise Failure(f"variant {name} does not say: {', '.join(missing)}")
    lists = {k: values.get(k, "").split() for k in _LISTS}
    return Variant(
        name=name, arch=values["arch"], kernel_arch=values["kernel-arch"], triplet=values["triplet"],
        packages=lists["packages"], config=lists["config"], allow_lost=lists["allow-lost"],
        allow_objtool=lists["allow-objtool"],
        image=values["image"], qemu=lists["qemu"], cpus=int(values.get("cpus", 1)), append=values.get("append", ""), end=values.get("end", "poweroff"),
        busybox=values.get("busybox", ""), suites=lists["suites"], stages=lists["stages"],
        timeout=int(values.get("timeout", 300)), build_only=values.get("build-only") == "yes",
        tree=values.get("tree", ""), by_name=values.get("by-name") == "yes",
        by_arch=values.get("by-arch") == "yes", programs=lists["programs"])


def names():
    """All variants; the one named like its architecture first."""
    found = sorted(n[:-len(".variant")] for n in os.listdir(FOLDER) if n.endswith(".variant"))
    return sorted(found, key=lambda n: (n.startswith("i386"), n))


def select(arch="", variant=""):
    """The variants a command is about: VARIANT= by name, ARCH= by architecture."""
    if variant:
        return [load(name) for name in variant.replace(",", " ").split()]
    every = [v for v in map(load, names()) if not v.by_name]
    if not arch:
        return [v for v in every if not v.by_arch]
    wanted = arch.replace(",", " ").split()
    unknown = [a for a in wanted if a not in {v.arch for v in every}]
    if unknown:
        raise Failure(f"no variant for ARCH={' '.join(unknown)}",
                      "known are: " + " ".join(sorted({v.arch for v in every})))
    return [v for v in every if v.arch in wanted]
