# SPDX-License-Identifier: GPL-2.0-only
"""Read KTAP: count leaf cases, and hold each level to its plan."""

import re
from dataclasses import dataclass, field

PASS, FAIL, SKIP = "pass", "fail", "skip"

_INDENT = 4
_VERSION = re.compile(r"^( *)(?:K?TAP version) \d+$")
_PLAN = re.compile(r"^( *)1\.\.(\d+)(?:\s*#\s*(?:SKIP|skip)\b\s*(.*))?$")
_SUBTEST = re.compile(r"^( *)# Subtest: (.*)$")
_RESULT = re.compile(r"^( *)(not ok|ok) (\d+)(?:\s+-)?(?:\s+(.*?))?\s*$")
_DIRECTIVE = re.compile(r"\s*(?<!\\)#\s*(SKIP|TODO|XFAIL|TIMEOUT|error)\b\s*(.*)$", re.IGNORECASE)


@dataclass
class Result:
    """One counted test."""
    name: str
    status: str
    detail: str = ""
    notes: list = field(default_factory=list)   # what was printed before it failed


@dataclass
class _Level:
    """What was seen so far at one depth, below a parent not yet closed."""
    plan: int = None
    subtest: str = ""
    seen: int = 0
    results: list = field(default_factory=list)


MAX_NOTES = 12


def under(name, result):
    """The result as part of a group."""
    return Result(f"{name}.{result.name}", result.status, result.detail, result.notes)


class Reader:
    """Feed it lines of one stream; finish() returns the results."""

    def __init__(self):
        self.levels = {}
        self.done = []
        self.notes = []

    def _level(self, depth):
        return self.levels.setdefault(depth, _Level())

    def feed(self, line):
        line = line.rstrip()
        match = _VERSION.match(line)
        if match:
            self.notes = []
            if not match.group(1):
                self._end_document()
            return
        match = _SUBTEST.match(line)
        if match:
            self._level(len(match.group(1)) // _INDENT).subtest = match.group(2)
            return
        match = _PLAN.match(line)
        if match:
            self._plan(len(match.group(1)) // _INDENT, int(match.group(2)), match.group(3))
            return
        match = _RESULT.match(line)
        if match:
            self._result(len(match.group(1)) // _INDENT, match.group(2) == "ok", int(match.group(3)),
                         match.group(4) or "")
            self.notes = []
        elif line.startswith((" ", "#", "\t")):
            self.notes.append(line.strip())

    def _plan(self, depth, count, skip_reason):
        level = self._level(depth)
        level.plan = count
        if count == 0 and skip_reason is not None and depth == 0:
            self.done.append(Result("everything", SKIP, skip_reason))

    def _close_below(self, depth):
        """Results of deeper levels, each level held to its plan."""
        results = []
        for deeper in sorted((d for d in self.levels if d > depth), reverse=True):
            level = self.levels.pop(deeper)
            results = level.results + results + _plan_failures(level)
        return results

    def _result(self, depth, passed, number, description):
        level = self._level(depth)
        level.seen += 1
        directive = _DIRECTIVE.search(description)
        name = (description[:directive.start()] if directive else description).strip() or str(number)
        status, detail = (PASS if passed else FAIL), ""
        if directive and directive.group(1).upper() == "SKIP":
            status, detail = SKIP, directive.group(2)
        elif directive:
            detail = f"{directive.group(1)} {directive.group(2)}".strip()
        children = self._close_below(depth)
        if number != level.seen:
            level.results.append(Result(name, FAIL, f"numbered {number}, but it is the {level.seen}. result"))
        if not children:
            level.results.append(Result(name, status, detail, self.notes[:MAX_NOTES] if status == FAIL else []))
            return
        level.results += [under(name, c) for c in children]
        if status == FAIL and all(c.status != FAIL for c in children):
            level.results.append(Result(name, FAIL, "fails as a whole, though none of its cases does"))

    def _end_document(self):
        """Close everything that is open."""
        top = self.levels.get(0)
        name = next((lv.subtest for lv in self.levels.values() if lv.subtest), "unfinished")
        cut = self._close_below(0)
        if cut:
            self.done += [under(name, c) for c in cut]
            self.done.append(Result("unfinished", FAIL, "the output ends inside of a group of tests"))
        if top:
            self.done += top.results + _plan_failures(top)
        self.levels = {}

    def finish(self):
        self._end_document()
        return self.done


def _plan_failures(level):
    if level.plan is not None and level.plan != level.seen:
        return [Result(level.subtest or "plan", FAIL, f"{level.plan} tests planned, {level.seen} results seen")]
    return []
