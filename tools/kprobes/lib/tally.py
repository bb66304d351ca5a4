# SPDX-License-Identifier: GPL-2.0-only
"""Results of the checks that are no tests of a kernel: one line each, and a count."""


class Tally:
    """Counts results, and prints them."""

    def __init__(self):
        self.passed = self.failed = 0

    def add(self, name, problems):
        """One result; it passed if there are no problems."""
        print(("not ok " if problems else "ok ") + name, flush=True)
        for line in problems[:40]:
            print(f"    {line}")
        if problems:
            self.failed += 1
        else:
            self.passed += 1

    def summary(self):
        """Print the last line; returns the exit status."""
        print(f"\n{self.passed} passed, {self.failed} failed", flush=True)
        return 1 if self.failed or not self.passed else 0
