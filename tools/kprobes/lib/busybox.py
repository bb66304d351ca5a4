# SPDX-License-Identifier: GPL-2.0-only
"""A static busybox for the guest's architecture, from Debian's package."""

import glob
import os
import shutil
import subprocess

import cache
from progress import Failure, run_logged, step

# For releases the host's own list of sources does not have.
MIRROR = "http://deb.debian.org/debian"


def _native_architecture():
    return subprocess.run(["dpkg", "--print-architecture"], check=True, stdout=subprocess.PIPE,
                          text=True).stdout.strip()


def _apt_options(folder, architecture, release):
    """Make apt work on a private state, so that the system's stays as it is."""
    options = {
        "APT::Architecture": architecture,
        "APT::Architectures": architecture,
        "Dir::State": os.path.join(folder, "state"),
        "Dir::State::status": os.path.join(folder, "status"),
        "Dir::Cache": os.path.join(folder, "cache"),
        "APT::Sandbox::User": "root",
    }
    if release:
        sources = os.path.join(folder, "sources.list")
        with open(sources, "w", encoding="utf-8") as file:
            file.write(f"deb {MIRROR} {release} main\n")
        options.update({"Dir::Etc::sourcelist": sources, "Dir::Etc::sourceparts": "/dev/null"})
    return [word for key, value in options.items() for word in ("-o", f"{key}={value}")]


def _download(architecture, release, target):
    folder = os.path.join(cache.CACHE, "busybox", architecture + ".partial")
    log = cache.fresh_log(f"busybox-{architecture}")
    advice = "see the log; the network and a Debian mirror with that architecture are needed"
    with step(f"fetch busybox for {architecture}", log):
        shutil.rmtree(folder, ignore_errors=True)
        for name in ("state/lists/partial", "cache/archives/partial"):
            os.makedirs(os.path.join(folder, name))
        with open(os.path.join(folder, "status"), "w", encoding="utf-8"):
            pass
        apt = ["apt-get"] + _apt_options(folder, architecture, release)
        run_logged(apt + ["update"], log, "apt-get update", advice)
        run_logged(apt + ["download", f"busybox-static:{architecture}"], log, "apt-get download", advice,
                   cwd=folder)
        package = glob.glob(os.path.join(folder, "*.deb"))[0]
        run_logged(["dpkg-deb", "-x", package, os.path.join(folder, "root")], log, "dpkg-deb", advice)
        # Newer releases have /usr/bin only.
        shutil.move(glob.glob(os.path.join(folder, "root/**/bin/busybox"), recursive=True)[0], target)
        shutil.rmtree(folder)


def path(variant):
    """Path of a busybox that runs on the variant's guest."""
    source, architecture, release = (variant.busybox + "::").split(":")[:3]
    if source != "debian" or not architecture:
        raise Failure(f"variant {variant.name}: cannot read busybox = {variant.busybox}")
    if architecture == _native_architecture() and os.path.exists("/bin/busybox"):
        return "/bin/busybox"
    target = os.path.join(cache.CACHE, "busybox", "busybox-" + architecture)
    if not os.path.exists(target):
        _download(architecture, release, target)
    return target
