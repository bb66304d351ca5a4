# SPDX-License-Identifier: GPL-2.0-only
"""The guest's file system: busybox, modules, tests, our init script."""

import os
import re
import shutil
import subprocess

import busybox
import cache
import kernel
from progress import Failure, run_logged, step

GUEST = os.path.join(cache.TOOLS, "guest")
OWN_MODULES = ("kernel/kprobes/",)
# Modules of the base that use kprobes: loading and unloading them is a test.
BASE_MODULES = ("kernel/trace/kprobe_event_gen_test.ko", "drivers/misc/lkdtm/lkdtm.ko")


def _copy(source, target, mode=None):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copyfile(source, target)
    os.chmod(target, mode or os.stat(source).st_mode & 0o777)


def _write_list(root, name, lines):
    path = os.path.join(root, "kp", name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(line + "\n" for line in lines))


def _install_modules(variant, root, log):
    """All modules for modprobe, a link in /modules to each, and lists by use."""
    release = kernel.release(variant)
    built = kernel.modules(variant)
    for path in built:
        target = f"lib/modules/{release}/kernel/{path}"
        _copy(os.path.join(cache.build_folder(variant), path), os.path.join(root, target), 0o644)
        link = os.path.join(root, "modules", os.path.basename(path))
        os.makedirs(os.path.dirname(link), exist_ok=True)
        os.symlink("/" + target, link)
    folder = os.path.join(root, "lib/modules", release)
    os.makedirs(folder, exist_ok=True)
    for name in ("modules.builtin", "modules.order"):
        source = os.path.join(cache.build_folder(variant), name)
        if os.path.exists(source):
            _copy(source, os.path.join(folder, name), 0o644)
    run_logged(["depmod", "-b", root, release], log, "depmod", "see the log")
    samples = [p for p in built if p.startswith("samples/kprobes/")]
    own = [p for p in built if p.startswith(OWN_MODULES)]
    own += [p for p in BASE_MODULES if p in built]
    _write_list(root, "samples.list", [os.path.basename(p)[:-3] for p in samples])
    _write_list(root, "modules.list", [os.path.basename(p)[:-3] for p in own])


def _install_selftests(variant, root, log):
    """Build and install our kselftests with the base's own rules for them."""
    source = os.path.join(cache.TREE, "tools/testing/selftests/kprobes")
    target = os.path.join(root, "selftests/kprobes")
    tests = []
    if os.path.exists(os.path.join(source, "Makefile")):
        output = os.path.join(cache.build_folder(variant), "selftests")
        os.makedirs(output, exist_ok=True)
        os.makedirs(target)
        command = ["make", "-C", source, f"OUTPUT={output}", f"INSTALL_PATH={target}",
                   f"ARCH={variant.kernel_arch}", f"CROSS_COMPILE={variant.triplet}-"]
        environment = dict(kernel.environment(), LDFLAGS="-static")
        run_logged(command + ["install"], log, f"{variant.name}: build kselftests",
                   "see the log; the tests are in tools/testing/selftests/kprobes", env=environment)
        listed = subprocess.run(command[:1] + ["-s", "--no-print-directory"] + command[1:] + ["emit_tests"],
                                check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout
        tests = [line.rpartition(":")[2] for line in listed.splitlines() if ":" in line]
    _write_list(root, "selftest.list", tests)


def _install_ftrace_tests(variant, root):
    """The base's ftrace selftests, and the list of cases to run."""
    source = os.path.join(kernel.source_tree(variant), "tools/testing/selftests/ftrace")
    shutil.copytree(source, os.path.join(root, "selftests/ftrace"))
    cases = []
    with open(os.path.join(cache.TOOLS, "ftrace-cases"), encoding="utf-8") as file:
        for line in file:
            pattern, *symbols = line.partition("#")[0].split("needs") or [""]
            if not pattern.strip():
                continue
            for case in _expand(source, pattern.strip()):
                cases = [c for c in cases if c.split()[0] != case]
                cases.append(" ".join([case] + "".join(symbols).split()))
    _write_list(root, "ftrace.list", cases)


def _expand(source, pattern):
    folder, name = os.path.split(pattern)
    expression = re.compile(re.escape(name).replace(r"\*", ".*") + r"\Z")
    names = sorted(os.listdir(os.path.join(source, "test.d", folder)))
    found = [os.path.join(folder, n) for n in names if expression.match(n)]
    if not found:
        raise Failure(f"ftrace-cases: the base has no {pattern}", "adapt tools/kprobes/ftrace-cases")
    return found


def _install_programs(variant, root):
    """Programs of this machine, in their places, with the libraries they load."""
    for name in variant.programs:
        program = shutil.which(name)
        if not program:
            raise Failure(f"variant {variant.name}: there is no program {name}",
                          "its package has to be named in the variant")
        linked = subprocess.run(["ldd", program], check=True, stdout=subprocess.PIPE, text=True).stdout
        for path in [program] + re.findall(r"(?:^|=> )\s*(/\S+)", linked, re.M):
            _copy(path, os.path.join(root, path.lstrip("/")), 0o755)


def _pack(root, archive, log):
    os.makedirs(os.path.dirname(archive), exist_ok=True)
    run_logged(["sh", "-c", 'cd "$1" && find . -print0 | sort -z | cpio --null -o -H newc -R 0:0 --quiet '
                '| gzip -1 >"$2"', "pack", root, archive], log, "pack the initramfs", "is the disk full?")


def build(variant, archive, script=""):
    """Make the initramfs; 'script' is a shell script the guest runs in stage 'user'."""
    log = cache.fresh_log(f"{variant.name}-initramfs")
    root = os.path.join(cache.build_folder(variant), "initramfs")
    with step(f"{variant.name}: initramfs", log):
        shutil.rmtree(root, ignore_errors=True)
        for name in ("bin", "sbin", "usr", "dev", "proc", "sys", "tmp", "etc", "kp/stages"):
            os.makedirs(os.path.join(root, name))
        _copy(busybox.path(variant), os.path.join(root, "bin/busybox"), 0o755)
        os.symlink("busybox", os.path.join(root, "bin/sh"))
        _copy(os.path.join(GUEST, "init"), os.path.join(root, "init"), 0o755)
        for name in os.listdir(os.path.join(GUEST, "stages")):
            _copy(os.path.join(GUEST, "stages", name), os.path.join(root, "kp/stages", name), 0o755)
        if script:
            _copy(script, os.path.join(root, "kp/user-script"), 0o755)
        _install_modules(variant, root, log)
        _install_programs(variant, root)
        _install_selftests(variant, root, log)
        _install_ftrace_tests(variant, root)
        _pack(root, archive, log)
