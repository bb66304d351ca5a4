# SPDX-License-Identifier: GPL-2.0-only
"""Tables of what "make bench" measured; one unit, guest instructions."""

COUNTS = (100, 1000, 10000, 50000)
SITES = ("traced", "plain", "middle")
BARE = {"ftrace": "bare-traced", "ftrace-post": "bare-traced", "return-ftrace": "bare-traced",
        "call": "bare-caller"}
# Cases, and the kind of probes in the background: the same kind.
HITS = (("trap", "breakpoint, mid-function", "plain"),
        ("trap-post", "... with post_handler", "plain"),
        ("trap-entry", "breakpoint, entry", "plain"),
        ("call", "breakpoint on a call", "plain"),
        ("jump", "jump", "plain"),
        ("jump-post", "jump, with post_handler", "plain"),
        ("ftrace", "function tracer", "traced"),
        ("ftrace-post", "... with post_handler", "traced"),
        ("return-trap", "return probe, breakpoint", "plain"),
        ("return-jump", "return probe, jump", "plain"),
        ("return-ftrace", "return probe, function tracer", "traced"))


class Records:
    """What one kernel showed."""

    def __init__(self, records):
        self.records = records

    def get(self, what, **wanted):
        """The last record that fits, or None."""
        fits = [r for r in self.records if r["what"] == what and all(r.get(k) == v for k, v in wanted.items())]
        return fits[-1] if fits else None

    def hit(self, case, site, background):
        """Instructions a hit adds to the call, or None."""
        place = {"bg": background, "bg_site": site if background else ""}
        found, bare = (self.get("hit", case=c, **place) for c in (case, BARE.get(case, "bare")))
        if not found or not bare or "clock" not in found:
            return None
        return (found["clock"] - bare["clock"]) / found["calls"]

    def per_probe(self, what, site, n):
        found = self.get(what, site=site, n=n)
        return found["clock"] / n if found else None

    def single(self, what, site, background):
        found = self.get(what, site=site, bg=background, bg_site=site if background else "")
        return found["clock"] / found["n"] if found and found["n"] else None

    def listing(self, n):
        """Of the probes at traced sites, or of others where there are none."""
        found = [self.get("lap", name="list", bg=n, bg_site=site) for site in SITES]
        return next((f["clock"] / n for f in found if f), None)

    def memory(self, site, n):
        found = self.get("fill", site=site, n=n)
        return found["memory"] / n if found else None

    def flip(self, n, value):
        found = [r for r in self.records if r["what"] == "write" and r.get("bg") == n and
                 r.get("bg_site") == "middle" and r.get("value") == value]
        return found[0]["clock"] if found else None

    def optimized_memory(self, n):
        """Bytes a probe takes when it has become a jump, in all."""
        at = [i for i, r in enumerate(self.records) if r["what"] == "memory"]
        for first, second in zip(at, at[1:]):
            if any(r["what"] == "fill" and r["n"] == n for r in self.records[first:second]):
                return (self.records[first]["free"] - self.records[second]["free"]) / n
        return None


def number(value):
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}"


def ratio(ours, base, turned=False):
    """How ours compares: x of the base's, or turned: times faster."""
    if not ours or not base:
        return "-"
    return f"{base / ours:,.0f}x faster" if turned else f"{ours / base:.2f}"


def grid(title, head, rows):
    """A table with a title, the first column to the left."""
    cells = [head] + rows
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    lines = ["  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))).rstrip()
             for row in cells]
    rule = "  ".join("=" * w for w in widths)
    return "\n".join([title, "", rule, lines[0], rule] + lines[1:] + [rule, ""])


def hit_table(base, ours):
    rows = []
    for case, title, site in HITS:
        alone = (base.hit(case, site, 0), ours.hit(case, site, 0))
        crowd = [number(ours.hit(case, site, n)) for n in COUNTS]
        rows.append([title, number(alone[0]), number(base.hit(case, site, 1000)),
                     number(base.hit(case, site, 10000)), number(alone[1])] + crowd + [ratio(alone[1], alone[0])])
    head = ["A hit, instructions", "base: 1", "1k", "10k", "ours: 1", "100", "1k", "10k", "50k", "ours/base"]
    return grid("What a hit adds to the call, with so many probes of the kind registered", head, rows)


def array_table(base, ours, what, title):
    rows = []
    for site in SITES:
        for n in COUNTS:
            mine, theirs = ours.per_probe(what, site, n), base.per_probe(what, site, n)
            record = ours.get(what, site=site, n=n)
            rows.append([f"{site}, {n:,}", number(theirs), number(mine), ratio(mine, theirs, True),
                         str(record["gp"]) if record else "-"])
    return grid(title, ["Instructions a probe", "base", "ours", "", "grace periods"], rows)


def single_table(base, ours):
    rows = []
    for what, verb in (("add", "register"), ("remove", "unregister")):
        for site in SITES:
            for n in (0,) + COUNTS:
                mine, theirs = ours.single(what, site, n), base.single(what, site, n)
                rows.append([f"{verb}, {site}, {n:,} others", number(theirs), number(mine),
                             ratio(mine, theirs, True)])
    return grid("One by one, with others registered", ["Instructions a probe", "base", "ours", ""], rows)


def other_table(base, ours):
    rows = []
    for n in COUNTS:
        values = base.listing(n), ours.listing(n)
        rows.append([f"read the list, {n:,}: instructions a probe", *map(number, values), ratio(*values[::-1])])
    for n in (1000, 5000):
        for value, verb in ((1, "on"), (0, "off")):
            values = base.flip(n, value), ours.flip(n, value)
            rows.append([f"sysctl {verb}, {n:,} probes: instructions in all", *map(number, values),
                         ratio(*values[::-1])])
    for site in SITES:
        for n in (1000, 10000, 50000):
            values = base.memory(site, n), ours.memory(site, n)
            rows.append([f"memory, {site}, {n:,}: bytes a probe", *map(number, values), ratio(*values[::-1])])
    values = base.optimized_memory(1000), ours.optimized_memory(1000)
    rows.append(["memory, jumps, 1,000: bytes a probe", *map(number, values), ratio(*values[::-1])])
    for what, verb in (("rfill", "register"), ("rdrain", "unregister")):
        for site in ("traced", "plain"):
            for n in (1000, 10000):
                values = base.per_probe(what, site, n), ours.per_probe(what, site, n)
                rows.append([f"return probes, {verb}, {site}, {n:,}: instructions a probe", *map(number, values),
                             ratio(*values[::-1])])
    return grid("Other", ["", "base", "ours", "ours/base"], rows)


def targets(base, ours):
    """(what is wanted, measured, bound, whether it is reached or None) each."""
    found = []

    def most(title, value, bound):
        found.append((title, value, f"<= {bound}", None if value is None else value <= bound))

    def least(title, value, bound):
        found.append((title, value, f">= {bound}", None if value is None else value >= bound))

    def divide(above, below):
        return above / below if above is not None and below else None

    for site in SITES:
        for what, verb, bound in (("fill", "registered", 100), ("drain", "unregistered", 50)):
            least(f"array of 10,000, {site}, {verb}: times faster",
                  divide(base.per_probe(what, site, 10000), ours.per_probe(what, site, 10000)), bound)
            most(f"array of 50,000, {site}, {verb}: to that of 1,000",
                 divide(ours.per_probe(what, site, 50000), ours.per_probe(what, site, 1000)), 1.1)
    for case, title, site in HITS:
        name = title if not title.startswith("...") else case
        most(f"hit, {name}: 50,000 others to none", divide(ours.hit(case, site, 50000), ours.hit(case, site, 0)), 1.05)
        most(f"hit, {name}: to the base's", divide(ours.hit(case, site, 0), base.hit(case, site, 0)), 0.8)
    for site in SITES:
        most(f"memory, {site}, 10,000: to the base's",
             divide(ours.memory(site, 10000), base.memory(site, 10000) or base.memory(site, 1000)), 1)
    return found


def target_table(base, ours):
    verdict = {True: "reached", False: "MISSED", None: "not measured"}
    rows = [[title, "-" if value is None else f"{value:,.2f}", bound, verdict[reached]]
            for title, value, bound, reached in targets(base, ours)]
    return grid("Targets", ["", "measured", "wanted", ""], rows)


def failures(results):
    """Commands that failed and boots that did not end, in words."""
    return [f"{who}: {r}" for who, records in results.items() for r in records
            if r["what"] in ("failed", "unfinished")]


def render(base_records, our_records):
    base, ours = Records(base_records), Records(our_records)
    parts = [hit_table(base, ours),
             array_table(base, ours, "fill", "Registering an array"),
             array_table(base, ours, "drain", "Unregistering an array"),
             single_table(base, ours), other_table(base, ours), target_table(base, ours)]
    failed = failures({"base": base_records, "ours": our_records})
    return "\n".join(parts + (["Failed:"] + failed if failed else []))
