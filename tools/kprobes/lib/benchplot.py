#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw what "make bench" measured: benchplot.py bench.json bench.png"""

import json
import sys

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402

from benchtable import COUNTS, Records  # noqa: E402

COLOURS = {"base": "tab:red", "ours": "tab:blue"}
STYLES = {"traced": "-", "plain": "--", "middle": ":"}


def draw(axes, results, title, value, series):
    """A line for each kernel and series; value() gives one number or None."""
    for who in ("base", "ours"):
        records = Records(results.get(who, []))
        for name, style in series.items():
            points = [(max(n, 1), value(records, name, n)) for n in (0,) + COUNTS]
            points = [(n, y) for n, y in points if y is not None and y > 0]
            if points:
                axes.plot(*zip(*points), color=COLOURS[who], linestyle=style, marker="o", markersize=3,
                          label=f"{who}, {name}")
    axes.set(title=title, xscale="log", yscale="log", xlabel="probes", ylabel="instructions")
    axes.grid(True, alpha=0.3)
    axes.legend(fontsize=7)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        results = json.load(file)
    figure, axes = plt.subplots(2, 2, figsize=(12, 9))
    draw(axes[0][0], results, "Register an array: each probe", lambda r, s, n: r.per_probe("fill", s, n), STYLES)
    draw(axes[0][1], results, "Unregister an array: each probe", lambda r, s, n: r.per_probe("drain", s, n), STYLES)
    draw(axes[1][0], results, "Register one more probe", lambda r, s, n: r.single("add", s, n), STYLES)
    kinds = {"trap": "plain", "jump": "plain", "ftrace": "traced", "return-ftrace": "traced"}
    draw(axes[1][1], results, "A hit, with other probes registered", lambda r, s, n: r.hit(s, kinds[s], n),
         dict(zip(kinds, ("-", "--", ":", "-."))))
    figure.tight_layout()
    figure.savefig(sys.argv[2], dpi=110)


if __name__ == "__main__":
    main()
