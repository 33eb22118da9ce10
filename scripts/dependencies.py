#!/usr/bin/env python3
"""Checks what pages and manifests say about package traits: each trait of this package that they name is one of
Package.swift, and each dependency on Hummingbird names one trait of it, since SwiftPM 6.3 names several in random order
and compiles anew when it is another one (docs/decisions/0054-traits-for-clients-and-servers.md). Our own builds have the
trait with which warnings are errors: scripts/swift, and the manifests that scripts build beside the first one.

    dependencies.py [FOLDER]     FOLDER: another checkout

CHANGELOG.md and docs/decisions, which tell of traits that are gone, are left out.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
NAME = r"`([A-Z]\w*)`"
#: Names behind the word, with the end of a link between them: "the traits `A`, `B` or `C`", "[trait](page) `A`".
NAMED = re.compile(rf"\btraits?\b(?:\]\([^)]*\))?\s+({NAME}(?:(?:,|,? and|,? or)\s+{NAME})*)")
#: The arguments of a dependency; no argument has parentheses of its own.
DEPENDENCY = re.compile(r"\.package\(([^()]*)\)")
#: The comment above a dependency in a manifest.
COMMENT = re.compile(r"((?:^ *//.*\n)+) *\.package\(\s*(?:name: \"OpenSwiftData\"|url: \"[^\"]*/OpenSwiftData\")", re.MULTILINE)
#: The builds of the repository, and what turns the trait on in them.
OWN = {"scripts/swift": " --traits Development ", "Apps/Package.swift": 'path: "..", traits: ["Development"]',
       "Examples/Package.swift": 'path: "..", traits: ["Development"]'}
LISTED = re.compile(r"\btraits:\s*\[([^\]]*)\]")


def of_package(manifest):
    """The traits of this package, and the products that a comment may name."""
    declared = manifest.partition("\n  traits: [")[2].partition("\n  ],")[0]
    traits = set(re.findall(r"\.trait\(\s*name: \"(\w+)\"", declared))
    return traits, set(re.findall(r"\.library\(name: \"(\w+)\"", manifest))


def columns(text):
    """The names in columns of tables that are headed "trait", with their places."""
    place, index = 0, None
    for line in text.splitlines(keepends=True):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else None
        if cells is None:
            index = None
        elif index is None:
            index = cells.index("trait") if "trait" in cells else -1
        elif 0 <= index < len(cells):
            yield from ((place, name) for name in re.findall(NAME, cells[index]))
        place += len(line)


def named(name, text, products):
    """The traits of this package that a file names, with their places."""
    for match in NAMED.finditer(text):
        yield from ((match.start(), trait) for trait in re.findall(NAME, match[1]))
    for match in DEPENDENCY.finditer(text):
        if "OpenSwiftData" in match[1]:
            for listed in LISTED.findall(match[1]):
                yield from ((match.start(), trait) for trait in re.findall(r'"(\w+)"', listed))
    if name.endswith(".md"):
        yield from columns(text)
    else:
        for match in COMMENT.finditer(text):
            yield from ((match.start(), word) for word in re.findall(NAME, match[1]) if word not in products)


def problems(name, text, traits, products):
    """The faults of a file, with the lines."""
    found = [(place, f"there is no trait {trait}") for place, trait in named(name, text, products) if trait not in traits]
    for match in DEPENDENCY.finditer(text):
        if "/hummingbird\"" in match[1] or "/hummingbird.git\"" in match[1]:
            listed = LISTED.findall(match[1])
            if len(listed) != 1 or len(re.findall(r'"', listed[0])) != 2:
                found.append((match.start(), 'Hummingbird without traits: ["FullFoundation"]'))
    return [f"{name}:{text.count(chr(10), 0, place) + 1}: {problem}" for place, problem in sorted(set(found))]


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT)
    traits, products = of_package((root / "Package.swift").read_text(encoding="utf-8"))
    if not traits:
        sys.exit("dependencies: Package.swift has no traits.")
    listed = subprocess.run(
        ["git", "-C", root, "ls-files", "-z", "--", "*.md", "*Package.swift"], capture_output=True, text=True, check=True)
    found = [f"{name}: warnings are no errors without the trait Development"
             for name, text in OWN.items() if text not in (root / name).read_text(encoding="utf-8")]
    for name in filter(None, listed.stdout.split("\0")):
        file = root / name
        if name != "CHANGELOG.md" and not name.startswith("docs/decisions/") and file.is_file():
            found += problems(name, file.read_text(encoding="utf-8"), traits, products)
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
