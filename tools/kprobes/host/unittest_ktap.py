# SPDX-License-Identifier: GPL-2.0-only
"""Run Python unit tests and print their results as KTAP."""

import sys
import unittest


def _cases(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from _cases(item)
        else:
            yield item


def _errors(case):
    """Run one case; the text of what went wrong, None if nothing did."""
    result = unittest.TestResult()
    case.run(result)
    found = [text for _, text in result.failures + result.errors]
    return "\n".join(found) if found or not result.wasSuccessful() else None


def main(module="__main__"):
    cases = list(_cases(unittest.defaultTestLoader.loadTestsFromName(module)))
    print("KTAP version 1")
    print(f"1..{len(cases)}")
    failed = 0
    for number, case in enumerate(cases, 1):
        name = ".".join(case.id().split(".")[-2:])
        text = _errors(case)
        failed += text is not None
        for line in (text or "").splitlines():
            print("# " + line)
        print(f"{'ok' if text is None else 'not ok'} {number} {name}", flush=True)
    sys.exit(1 if failed else 0)
