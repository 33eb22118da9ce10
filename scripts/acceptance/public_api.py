#!/usr/bin/env python3
"""Checks docs/public-api, whose rows list Apple's symbols: every symbol is in one row, with a state and, where it isn't
Apple's behaviour, a remark; every symbol that isn't absent is declared in the sources with the same labels. Whether
the types agree is left to the tests. A part of `make lint`, too.
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "public-api"
# Symbols that a conformance to a protocol of the standard library provides.
INHERITED = {"SubSequence"}
MODULES = ("SwiftData", "SwiftDataCore", "SwiftDataSQLite")
STATES = ("same", "better", "part", "absent")
ROW = re.compile(r"^\| (`[^`]+`(?:, `[^`]+`)*) \| ([^|]*?) \| ?(.*?) ?\|$", re.MULTILINE)
DECLARATION = re.compile(
    r"\b(?P<kind>func|macro|init|subscript|case|var|let|typealias|associatedtype|class|struct|enum|protocol|actor)\b"
    r"[?!]?\s*"
    r"`?(?P<name>[=~]=|<(?=\s*\()|\w*)`?(?:<[^()]*?>)?\s*(?P<list>\()?"
)
# The names of a parameter, behind its attributes.
PARAMETER = re.compile(r"\s*(?:@\w+\s+)*([\w`]+)(?:\s+([\w`]+))?\s*:")


def parameters(text):
    """The parts of a list in parentheses, with which the text begins."""
    depth, begun, found = 0, 1, []
    for place, character in enumerate(text):
        depth += (character in "([{<") - (character in ")]}" or (character == ">" and text[place - 1] != "-"))
        if depth == 0 or (depth == 1 and character == ","):
            found.append(text[begun:place])
            begun = place + 1
        if depth == 0:
            return [part for part in found if part.strip()]
    return []


def declared():
    """The names of all declarations in the sources, of those with parameters also with the labels."""
    found = set()
    for file in (file for module in MODULES for file in (ROOT / "Sources" / module).rglob("*.swift")):
        text = re.sub(r"//.*", "", file.read_text(encoding="utf-8"))
        for match in DECLARATION.finditer(text):
            kind = match["kind"]
            name = kind if kind in ("init", "subscript") else match["name"]
            found.add(name)
            if match["list"]:
                names = [PARAMETER.match(part) for part in parameters(text[match.end() - 1:])]
                # Parameters of operators have no labels, those of a subscript where they have two names.
                is_bare = kind == "subscript" or not name.isidentifier()
                labels = ["_" if not each or (is_bare and not each[2]) else each[1] for each in names]
                found.add(f"{name}({''.join(f'{label}:' for label in labels)})")
    return found


def names(symbol, remark):
    """The names of a symbol, without its type and the mark of an overload; it may name siblings (`A.x/y`)."""
    text = symbol.split("#")[0].split(" ")[-1]
    if "without the parameter `transaction`" in remark:
        text = text.replace("transaction:", "")
    base, opened, labels = text.partition("(")
    return [each + (opened + labels if labels.strip(")") else "") for each in base.rsplit(".", 1)[-1].split("/")]


def symbols(cell):
    """The symbols of a row: one that begins with a full stop belongs to the type of the one before it."""
    kind = ""
    for symbol in re.findall(r"`([^`]+)`", cell):
        if symbol.startswith("."):
            yield kind + symbol
            continue
        yield symbol
        declares = re.fullmatch(r"\w+ ([\w.]+)", symbol)
        kind = declares[1] if declares else symbol.partition("(")[0].rpartition(".")[0]


def rows():
    """(page, symbol, state, remark) of every symbol."""
    return [
        (page.name, symbol, state, remark) for page in sorted(PAGES.glob("*.md"))
        for cell, state, remark in ROW.findall(page.read_text(encoding="utf-8")) for symbol in symbols(cell)
    ]


def problems():
    """The problems, a sentence each."""
    written, known = rows(), declared() | INHERITED
    count = collections.Counter(symbol for _, symbol, _, _ in written)
    found = [f"{symbol} has {number} rows" for symbol, number in count.items() if number > 1]
    said = re.search(r"(\d+) symbols", PAGES.with_suffix(".md").read_text(encoding="utf-8"))
    if not said or int(said[1]) != len(written):
        found.append(f"public-api.md says {said and said[0]}, and there are {len(written)}")
    for page, symbol, state, remark in written:
        if state not in STATES:
            found.append(f"{page}: {symbol} has the state {state!r}")
        elif state != "same" and not remark:
            found.append(f"{page}: {symbol} is {state}, and the row doesn't say how or why")
        missing = [name for name in names(symbol, remark) if name not in known] if state != "absent" else []
        found += [f"{page}: {symbol} is {state}, and {name} isn't declared" for name in missing]
    return found


def summary():
    count = collections.Counter(state for _, _, state, _ in rows())
    return f"{sum(count.values())} symbols: " + ", ".join(f"{count[state]} {state}" for state in STATES)


if __name__ == "__main__":
    FOUND = problems()
    print(*(f"public_api.py: {problem}\n" for problem in FOUND), file=sys.stderr, sep="", end="")
    print(f"docs/public-api: {summary()}")
    sys.exit(1 if FOUND else 0)
