# SPDX-License-Identifier: GPL-2.0-only
"""From the base to a built kernel: unpack, integrate, configure, build."""

import hashlib
import os
import re
import shutil
import subprocess

import cache
import integration
import rules
from progress import Failure, run_logged, say, step

ARCHIVE = "/usr/src/linux-source-6.1.tar.xz"
# The build starts only with these of ours in place.
NEEDED = ("include/linux/kprobes.h", "kernel/kprobes/Kconfig", "kernel/kprobes/Makefile")


def jobs():
    return os.environ.get("KPROBES_JOBS") or str(os.cpu_count() or 1)


def unpack_base():
    """The pristine base, unpacked once for each version of the package."""
    if os.environ.get("KPROBES_BASE"):
        return
    if not os.path.exists(ARCHIVE):
        raise Failure(f"{ARCHIVE} is not there", "apt-get install --reinstall linux-source-6.1")
    stamp = os.path.join(cache.CACHE, "base.stamp")
    status = os.stat(ARCHIVE)
    identity = f"{status.st_size} {int(status.st_mtime)}\n"
    if os.path.isdir(cache.BASE) and os.path.exists(stamp):
        with open(stamp, encoding="utf-8") as file:
            if file.read() == identity:
                return
    log = cache.fresh_log("unpack")
    partial = cache.BASE + ".partial"
    with step(f"unpack the base, {ARCHIVE}", log):
        shutil.rmtree(partial, ignore_errors=True)
        shutil.rmtree(cache.BASE, ignore_errors=True)
        os.makedirs(partial)
        run_logged(["tar", "-xJf", ARCHIVE, "-C", partial, "--strip-components=1"], log, "tar",
                   "is the disk full? the base takes 1.5 GB, everything together about 10 GB")
        os.rename(partial, cache.BASE)
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(identity)


def integrate(rules_folder="rules", tree=cache.TREE):
    """The tree with our kprobes in it, or what else the rules of a folder make."""
    log = cache.fresh_log("integrate" if tree == cache.TREE else "integrate-" + os.path.basename(tree))
    advice = ("an anchor of a rule does not fit, or two files claim one place; "
              "the rules are in tools/kprobes/" + rules_folder)
    with step("integrate", log):
        try:
            plan = integration.make_plan(
                cache.BASE, cache.REPO, integration.read_rules(os.path.join(cache.TOOLS, rules_folder)))
            changed = integration.bring_to_plan(tree, cache.BASE, plan)
        except rules.RuleError as error:
            raise Failure(f"integrate: {error}", advice) from None
        with open(log, "w", encoding="utf-8") as file:
            file.write("\n".join(plan.log + [f"changed {p}" for p in changed]) + "\n")
    say(f"integrated: {len(plan.content)} paths by rule, {len(changed)} changed in this run")
    return plan


def environment():
    """Environment of the compiler: cached, and the same wherever the cache is."""
    result = dict(os.environ)
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "ARCH", "CROSS_COMPILE", "VARIANT",
                 "ONLY", "INIT", "V", "O", "LDFLAGS", "CFLAGS"):
        result.pop(name, None)
    result.setdefault("CCACHE_DIR", os.path.join(cache.CACHE, "ccache"))
    result.setdefault("CCACHE_MAXSIZE", "5G")
    result["CCACHE_BASEDIR"] = cache.CACHE
    result["CCACHE_NOHASHDIR"] = "1"
    result["CCACHE_SLOPPINESS"] = "time_macros"
    result["KBUILD_BUILD_TIMESTAMP"] = "Thu Jan  1 00:00:00 UTC 1970"
    result["KBUILD_BUILD_USER"] = "kprobes"
    result["KBUILD_BUILD_HOST"] = "kprobes"
    result["LC_ALL"] = "C"
    result["LOCALVERSION"] = ""     # else a tree that is in git has a "+" in its version
    return result


def source_tree(variant):
    return variant.source or {"": cache.TREE, "base": cache.BASE, "base-bench": cache.BASE_BENCH}[variant.tree]


def make_command(variant, *targets):
    return ["make", "-C", source_tree(variant), f"O={cache.build_folder(variant)}", f"ARCH={variant.kernel_arch}",
            f"CROSS_COMPILE={variant.triplet}-", f"CC=ccache {variant.triplet}-gcc", "HOSTCC=ccache gcc",
            "-j", jobs()] + list(targets)


# ---- configuration ---------------------------------------------------------

_SET = re.compile(r"^(CONFIG_\w+)=(.*)$")
_UNSET = re.compile(r"^# (CONFIG_\w+) is not set$")


def parse_config(text):
    """Options of a .config or a fragment; 'n' for what is not set."""
    options = {}
    for line in text.splitlines():
        match = _SET.match(line)
        if match:
            options[match.group(1)] = match.group(2)
        match = _UNSET.match(line)
        if match:
            options[match.group(1)] = "n"
    return options


def wanted_options(variant):
    """Options of the variant's fragments: name -> (value, fragment)."""
    wanted = {}
    for name in variant.config:
        path = os.path.join(cache.TOOLS, "config", name + ".config")
        try:
            with open(path, encoding="utf-8") as file:
                options = parse_config(file.read())
        except FileNotFoundError:
            raise Failure(f"variant {variant.name}: there is no {path}") from None
        wanted.update((key, (value, name + ".config")) for key, value in options.items())
    return wanted


def lost_options(wanted, got, allowed=()):
    """What the fragments want and the configuration has not, in words."""
    lost = []
    for key, (value, fragment) in sorted(wanted.items()):
        actual = got.get(key, "n")
        if actual != value and key not in allowed:
            lost.append(f"{key}: {fragment} wants {value}, the configuration has {actual}")
    return lost


def _config_line(key, value):
    return f"# {key} is not set" if value == "n" else f"{key}={value}"


def local_fragment(variant):
    return os.path.join(cache.build_folder(variant), "local.config")


def _config_identity(variant, wanted, plan):
    digest = hashlib.sha256(repr((sorted(wanted.items()), variant.allow_lost)).encode())
    for path in sorted(plan.content):
        if os.path.basename(path).startswith("Kconfig"):
            digest.update(path.encode() + (plan.content[path] or b""))
    if os.path.exists(local_fragment(variant)):
        with open(local_fragment(variant), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def _read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def configure(variant, plan):
    """Make .config from tinyconfig and the fragments, if anything of it changed."""
    build = cache.build_folder(variant)
    wanted = wanted_options(variant)
    local = parse_config(_read(local_fragment(variant)))
    if local:
        say(f"{variant.name}: using {len(local)} options of {local_fragment(variant)} "
            "(made by menuconfig; remove the file to be rid of them)")
        wanted.update((key, (value, "local.config")) for key, value in local.items())
    identity = _config_identity(variant, wanted, plan)
    stamp = os.path.join(build, "config.stamp")
    config = os.path.join(build, ".config")
    if os.path.exists(config) and _read(stamp) == identity:
        return
    if os.path.exists(stamp):
        os.remove(stamp)
    log = cache.fresh_log(f"{variant.name}-config")
    advice = "see the log; if our own kernel/kprobes/Kconfig is at fault, its line is named there"
    with step(f"{variant.name}: configure", log):
        os.makedirs(build, exist_ok=True)
        run_logged(make_command(variant, "tinyconfig"), log, "make tinyconfig", advice, env=environment())
        # Ours at the end: of several choices set to y the last one counts.
        options = {k: v for k, v in parse_config(_read(config)).items() if k not in wanted}
        options.update((key, value) for key, (value, _) in wanted.items())
        with open(config, "w", encoding="utf-8") as file:
            file.write("".join(_config_line(k, v) + "\n" for k, v in options.items()))
        run_logged(make_command(variant, "olddefconfig"), log, "make olddefconfig", advice, env=environment())
    lost = lost_options(wanted, parse_config(_read(config)), variant.allow_lost)
    if lost:
        raise Failure(
            f"{variant.name}: {len(lost)} options came out different from the fragments:\n  "
            + "\n  ".join(lost),
            "add what the option depends on to tools/kprobes/config, drop the option, or name it in "
            f"allow-lost of tools/kprobes/variants/{variant.name}.variant")
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(identity)


def menuconfig(variant):
    """Change the configuration by hand; keep the difference as a fragment."""
    config = os.path.join(cache.build_folder(variant), ".config")
    before = parse_config(_read(config))
    subprocess.run(make_command(variant, "menuconfig"), check=True, env=environment())
    after = parse_config(_read(config))
    changed = {k: after.get(k, "n") for k in sorted(before.keys() | after.keys())
               if before.get(k, "n") != after.get(k, "n")}
    if not changed:
        print("nothing changed")
        return
    fragment = local_fragment(variant)
    kept = {**parse_config(_read(fragment)), **changed}
    text = "".join(_config_line(k, v) + "\n" for k, v in kept.items())
    with open(fragment, "w", encoding="utf-8") as file:
        file.write(text)
    print(f"Changed, and used by the next builds of {variant.name} until you remove\n{fragment}:\n\n{text}\n"
          "To keep it for everyone, put the lines into a fragment in tools/kprobes/config.")


# ---- build -----------------------------------------------------------------

_OBJTOOL_WARNING = re.compile(r"^(\S+\.o): warning: objtool: (\w*)")


def _check_needed():
    absent = [p for p in NEEDED if not os.path.exists(os.path.join(cache.REPO, p))]
    if absent:
        raise Failure("the checkout lacks " + ", ".join(absent),
                      "these files are part of the repository; is the checkout complete? (git status)")


def _refuse_objtool_warnings(variant, log):
    """Objtool's warnings are errors; the objects go, so that they are seen again."""
    found = [(m.group(1), line) for line in _read_lines(log) for m in [_OBJTOOL_WARNING.match(line)]
             if m and m.group(2) not in variant.allow_objtool]
    if not found:
        return
    for name, _ in found:
        path = os.path.join(cache.build_folder(variant), name)
        if os.path.exists(path):
            os.remove(path)
    raise Failure(f"{variant.name}: objtool warns:\n  " + "\n  ".join(line for _, line in found),
                  "the stack or control flow of that function is not what the unwinder will assume")


def _read_lines(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read().splitlines()


def build(variant):
    """Compile kernel and modules."""
    log = cache.fresh_log(f"{variant.name}-build")
    target = os.path.basename(variant.image)
    advice = f"the first error in {log}; again with: make build VARIANT={variant.name}"
    with step(f"{variant.name}: build with {jobs()} jobs", log):
        try:
            run_logged(make_command(variant, target, "modules"), log, f"{variant.name}: build", advice,
                       env=environment())
        except Failure as failure:
            errors = [line for line in _read_lines(log)
                      if re.search(r"\berror\b|undefined reference|multiple definition|\*\*\*", line)]
            if errors:
                raise Failure(f"{failure}:\n  " + "\n  ".join(errors[:12]), advice) from None
            raise
    _refuse_objtool_warnings(variant, log)


def prepare():
    """Base and tree; returns the integration's plan."""
    _check_needed()
    unpack_base()
    return integrate()


def plan_of(variant, plan):
    """The plan of the variant's tree, given that of ours; makes the tree if it is another."""
    return integrate("rules-bench", cache.BASE_BENCH) if variant.tree == "base-bench" else plan


def build_all(variant, plan):
    configure(variant, plan_of(variant, plan))
    build(variant)


def modules(variant):
    """Paths of the built modules, relative to the build folder."""
    order = os.path.join(cache.build_folder(variant), "modules.order")
    return [re.sub(r"\.o$", ".ko", line) for line in _read_lines(order)] if os.path.exists(order) else []


def release(variant):
    return _read(os.path.join(cache.build_folder(variant), "include/config/kernel.release")).strip()


def image(variant):
    return os.path.join(cache.build_folder(variant), variant.image)
