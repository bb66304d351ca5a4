# SPDX-License-Identifier: GPL-2.0-only
"""Boot a built variant once, in a folder of its own."""

import os
import shutil

import cache
import initramfs
import kernel
import qemu
from progress import say


class Boot:
    """What a boot needs, apart from the build folder, and what it left."""

    def __init__(self, variant, script=""):
        self.variant = variant
        self.folder = cache.run_folder(variant)
        self.console = os.path.join(self.folder, "console.log")
        self.image = os.path.join(self.folder, "kernel")
        self.initramfs = os.path.join(self.folder, "initramfs.cpio.gz")
        shutil.copyfile(kernel.image(variant), self.image)
        initramfs.build(variant, self.initramfs, script)
        self.ending = None

    def run(self, stages, append="", timeout=None, on_line=None, silence=qemu.SILENCE):
        """Boot; 'stages' are what the guest runs one after the other."""
        line = "kp_stages=" + ",".join(stages) + (" " + append if append else "")
        arguments = qemu.command(self.variant, self.image, self.initramfs, line)
        with open(os.path.join(self.folder, "command"), "w", encoding="utf-8") as file:
            file.write(qemu.shell_line(arguments) + "\n")
        say(f"{self.variant.name}: boot (console: {self.console})")
        self.ending = qemu.run(arguments, self.console, timeout or self.variant.timeout,
                               on_line or qemu.stage_reporter(self.variant.name), silence)
        say(f"{self.variant.name}: guest ended ({self.ending.how}) after {self.ending.seconds:.0f} s")
        return self.ending

    def again(self):
        """For one more run of the same guest; its console is another file."""
        self.console = os.path.join(self.folder, "console-2.log")
        return self

    def discard(self):
        """Keep the console and the command, not the large files."""
        for path in (self.image, self.initramfs):
            os.remove(path)
