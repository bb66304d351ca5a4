# SPDX-License-Identifier: GPL-2.0-only
"""Make test results out of a guest's console text."""

import re

import ktap
from ktap import FAIL, PASS, Result

_TIMESTAMP = re.compile(r"^(?:<\d+>)?\[\s*\d+\.\d{6}\](?:\[\s*[TC]\d+\])? ?")

# Whatever a kernel prints when something is wrong with it.
COMPLAINTS = re.compile(
    r"WARNING: |BUG: |Oops\b|Kernel panic|general protection fault|Internal error"
    r"|possible circular locking|possible recursive locking|inconsistent lock state"
    r"|possible irq lock inversion|suspicious RCU usage|invalid wait context|held lock freed"
    r"|lock held when returning|sleeping function called from invalid context|scheduling while atomic"
    r"|detected stalls|self-detected stall|blocked for more than|soft lockup|hard LOCKUP"
    r"|KASAN: |UBSAN: |KCSAN: |KFENCE: |ODEBUG: |refcount_t: |list_add corruption|list_del corruption"
    r"|unable to handle|bad: scheduling|stack segment|double fault|invalid opcode"
    r"|Unknown symbol|disagrees about version|trace_kprobe: .*failed|Failed to init kprobe"
    r"|kprobes: .*[Ff]ailed to (?:arm|disarm|init)")
CUT = "------------[ cut here ]------------"


class Console:
    """A console text, split into the kernel's lines and those of each stage."""

    def __init__(self, lines):
        self.kernel = []
        self.stages = {}
        self.begun, self.ended = [], {}
        self.done, self.cpus = False, 0
        for line in lines:
            self._sort(_TIMESTAMP.sub("", line.rstrip("\r\n")))

    @classmethod
    def read(cls, path):
        with open(path, encoding="utf-8", errors="replace") as file:
            return cls(file.readlines())

    def _sort(self, line):
        match = re.match(r"kp ([\w-]+): ?(.*)$", line)
        mark = re.match(r"kp-(begin|end|done|cpus)(?: (\S+))?(?: (\d+))?$", line)
        if match:
            self.stages.setdefault(match.group(1), []).append(match.group(2))
        elif mark and mark.group(1) == "begin":
            self.begun.append(mark.group(2))
        elif mark and mark.group(1) == "end":
            self.ended[mark.group(2)] = int(mark.group(3) or 255)
        elif mark and mark.group(1) == "cpus":
            self.cpus = int(mark.group(2))
        elif mark:
            self.done = True
        else:
            self.kernel.append(line)

    def stage_lines(self, stage):
        return self.stages.get(stage, [])

    def stage_status(self, stage):
        return self.ended.get(stage)

    # ---- results -----------------------------------------------------------

    def complaints(self):
        """Lines in which the kernel says that something is wrong, each once."""
        found = []
        for line in self.kernel:
            if (COMPLAINTS.search(line) or CUT in line) and line not in found and not _is_ktap(line):
                found.append(line)
        return [line for line in found if CUT not in line or len(found) == 1]

    def problems(self, ending, cpus=1):
        """What is wrong with the boot as a whole, in words."""
        found = []
        if self.cpus and self.cpus < cpus:
            found.append(f"{self.cpus} processors came up, not {cpus}")
        if ending.how != "exited":
            found.append({"panic": "the kernel panicked",
                          "timeout": f"not done after {ending.seconds:.0f} s, ended by the harness",
                          "silence": "no sign of life, ended by the harness"}[ending.how])
        elif not self.done:
            found.append("QEMU ended before the guest was done" if self.kernel
                         else "QEMU ended without a word from the guest")
        found += [f"stage {s} began and did not end" for s in self.begun if s not in self.ended]
        return found + self.complaints()

    def kunit_results(self):
        reader = ktap.Reader()
        for line in self.kernel:
            reader.feed(line)
        return reader.finish()

    def stage_results(self, stage):
        """Results of a stage that ran in user space."""
        if stage not in self.begun:
            return [Result(stage, FAIL, "the guest did not come to this stage")]
        lines = self.stage_lines(stage)
        if stage == "selftest":
            results = _program_results(lines)
        else:
            results = _ktap_results(lines)
        if self.ended.get(stage) != 0:
            status = self.ended.get(stage)
            results.append(Result(stage, FAIL, "the stage did not end" if status is None
                                  else f"the stage ended with status {status}"))
        elif not results:
            results.append(Result(stage, FAIL, "the stage shows no result at all"))
        return results


def _is_ktap(line):
    return re.match(r"\s*(?:not )?ok \d+|\s*# ", line) is not None


def _ktap_results(lines):
    reader = ktap.Reader()
    for line in lines:
        reader.feed(line)
    return reader.finish()


def _program_results(lines):
    """Results of kselftest programs: what they print, and how they end."""
    results, name, inside = [], None, []
    for line in lines:
        begin = re.match(r"program-begin (\S+)$", line)
        end = re.match(r"program-end (\S+) (\d+)$", line)
        if begin:
            name, inside = begin.group(1), []
        elif end:
            results += one_program(end.group(1), inside, int(end.group(2)))
            name = None
        else:
            inside.append(line)
    if name:
        results += one_program(name, inside, None)
    return results


SKIPPED = 4             # kselftest's exit status for "skipped"


def one_program(name, lines, status):
    """Results of one program with its exit status (None: it did not end)."""
    own = _ktap_results(lines)
    results = [ktap.under(name, r) for r in own]
    if status == SKIPPED and not own:
        results.append(Result(name, ktap.SKIP, " ".join(lines[-1:])))
    elif status is None:
        results.append(Result(name, FAIL, "the program did not end"))
    elif status not in (0, SKIPPED) and all(r.status != FAIL for r in own):
        results.append(Result(name, FAIL, f"exit status {status}" + (": " + lines[-1] if lines else "")))
    elif not own:
        results.append(Result(name, PASS))
    return results
