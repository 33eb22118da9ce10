#!/usr/bin/env python3
"""Compares docs/public-api with the list of Apple's symbols that may lie in ../shared/api: each symbol has
one row, and no row names another. Runs alone, too, and in `make lint`:

    scripts/show_2/public_api.py
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "public-api"
CHECKLIST = ROOT.parent / "shared" / "api" / "swiftdata-api.md"
STATES = ("same", "better", "part", "absent")

TYPE = re.compile(r"^### (?:final )?(class|struct|enum|protocol|typealias) ([\w.]+)")
MEMBERS = re.compile(r"^- (`[^`]+`(?: / `[^`]+`)*)")
ROW = re.compile(r"^\| `([^`]+)` \| ([^|]*?) \| ?(.*?) ?\|$")


def symbols(text):
    """The list's symbols: its types, and the members of its lines. A line may name siblings (`A.x` / `y` / `#z`)."""
    found, begun = [], False
    for line in text.splitlines():
        begun = begun or re.match(r"^## [A-Z]\. ", line) is not None
        if not begun:
            continue
        if heading := TYPE.match(line):
            found.append(f"{heading[1]} {heading[2]}")
        elif members := MEMBERS.match(line):
            first, *others = members[1].strip("`").split("` / `")
            owner = first.split("(")[0].rsplit(".", 1)[0]
            found.append(first)
            for other in others:
                name = first.split("#")[0] + other if other.startswith("#") else f"{owner}.{other}"
                found.append(name)
    return found


def rows():
    """(page, symbol, state, note) of every row."""
    found = []
    for page in sorted(PAGES.glob("*.md")):
        for line in page.read_text(encoding="utf-8").splitlines():
            if row := ROW.match(line):
                found.append((page.name, *row.groups()))
    return found


def states():
    """How many rows have each state."""
    count = collections.Counter(state for _, _, state, _ in rows())
    return {state: count[state] for state in STATES}


def problems(known, written):
    """What is wrong, a sentence each."""
    names = collections.Counter(symbol for _, symbol, _, _ in written)
    found = [f"{symbol} has no row" for symbol in known if symbol not in names]
    found += [f"{symbol} has {count} rows" for symbol, count in names.items() if count > 1]
    for page, symbol, state, note in written:
        if symbol not in known:
            found.append(f"{page}: {symbol} is no symbol of Apple's")
        if state not in STATES:
            found.append(f"{page}: {symbol} has the state {state!r}")
        elif state != "same" and not note:
            found.append(f"{page}: {symbol} is {state}, and the row doesn't say how or why")
    return found


def summary():
    counts = states()
    return f"{sum(counts.values())} rows: " + ", ".join(
        f"{counts[state]} {state}" for state in STATES
    )


def main():
    if not CHECKLIST.exists():
        print(f"skipped: docs/public-api isn't compared, because {CHECKLIST} isn't there")
        return 0
    known = symbols(CHECKLIST.read_text(encoding="utf-8"))
    found = problems(known, rows())
    for problem in found:
        print(f"public_api.py: {problem}", file=sys.stderr)
    print(f"docs/public-api: {len(known)} symbols, {summary()}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
