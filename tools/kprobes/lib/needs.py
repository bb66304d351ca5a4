# SPDX-License-Identifier: GPL-2.0-only
"""Install the Debian packages a build needs, if any is missing."""

import os
import shutil
import subprocess

import cache
from progress import Failure, run_logged, step

# For every build; a variant names its compiler, QEMU and busybox packages.
PACKAGES = ["linux-source-6.1", "make", "gcc", "libc6-dev", "ccache", "flex", "bison", "bc", "libelf-dev", "libssl-dev",
            "kmod", "rsync", "cpio", "xz-utils", "gzip", "python3", "git"]


def _installed(packages):
    result = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\n"] + packages,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return {line.split()[0] for line in result.stdout.splitlines() if line.endswith(" installed")}


def missing(packages):
    present = _installed(packages)
    return [p for p in packages if p not in present]


def _as_root(command):
    if os.geteuid() == 0:
        return command
    if shutil.which("sudo"):
        return ["sudo", "-n", "env", "DEBIAN_FRONTEND=noninteractive"] + command
    raise Failure("packages are missing and this is not root",
                  "as root, run: apt-get install " + " ".join(command[command.index("install") + 2:])
                  if "install" in command else "run this as root once")


def install(variants):
    """Make sure the packages for these variants are there."""
    install_packages(sorted(set(PACKAGES).union(*(v.packages for v in variants))))


def install_packages(wanted):
    """Make sure packages are there."""
    if not shutil.which("dpkg-query"):
        raise Failure("this is not a Debian system",
                      "the harness installs what it needs with apt; use Debian 12, or a container of it")
    absent = missing(wanted)
    if not absent:
        return
    log = cache.fresh_log("needs")
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    advice = ("look at the log; with the network and the apt sources in order, "
              "'apt-get install " + " ".join(absent) + "' must work")
    command = ["apt-get", "install", "-y", "--no-install-recommends"] + absent
    with step(f"install {len(absent)} packages: {' '.join(absent)}", log):
        run_logged(_as_root(["apt-get", "update"]), log, "apt-get update", advice, env=environment)
        run_logged(_as_root(command), log, "apt-get install", advice, env=environment)
