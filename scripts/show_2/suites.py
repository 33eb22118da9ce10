"""Items 2 and 4 to 6: suites of the tests, one of them at full length."""

import re

from .swift import ROOT, check

TRAPS = ROOT / "docs" / "traps.md"
SEEDS = ROOT.parent / "shared" / "seeds"


def seeds(swift):
    check(SEEDS.is_dir(), f"the documents with the listings are not here: {SEEDS}")
    count, text = swift.test("seeds", "SeedListingTests")
    check("skipped:" not in text, "listings were left out")
    return f"{count} tests compile and run the documents' listings as they stand"


def own_line(text, number):
    """The figure of the line that a test printed for the item."""
    lines = re.findall(rf"^SHOW 2\.{number} (ok|short) (.+)$", text, re.MULTILINE)
    check(lines, "the test printed no figure")
    verdict, figure = lines[-1]
    check(verdict == "ok", figure)
    return figure


def sequences(swift, number, steps):
    _, text = swift.test(
        "sequences", "StatefulTests", options=("-c", "release", "-Xswiftc", "-enable-testing"),
        OPENSWIFTDATA_TEST_SEQUENCES=str(number), OPENSWIFTDATA_TEST_SEQUENCE_STEPS=str(steps),
    )
    return own_line(text, 4)


def statements(swift):
    _, text = swift.test("statements", "LoadingTests")
    found = re.findall(r"^walking 1000 models: (.+)$", text, re.MULTILINE)
    check(found, "the test printed no figure")
    counts = [int(number) for number in re.findall(r"\d+", found[-1])]
    figure = f"walking relationships over 1,000 models: {found[-1]}"
    check(counts and max(counts) <= 5, figure)
    return figure


def traps(swift):
    """The suites that docs/traps.md names, and whether it names every test of the folder."""
    page = TRAPS.read_text(encoding="utf-8")
    listed = set(re.findall(r"`(\w+Tests)/(\w+)`", page))
    folder = ROOT / "Tests" / "SwiftDataTests" / "NothingTraps"
    written = set()
    for file in folder.glob("*Tests.swift"):
        text = file.read_text(encoding="utf-8")
        written |= {(file.stem, name) for name in re.findall(r"@Test.*?\bfunc (\w+)", text, re.DOTALL)}
    check(written, f"there are no tests in {folder}")
    missing = sorted(f"{suite}/{name}" for suite, name in written - listed)
    check(not missing, f"traps.md doesn't list {', '.join(missing)}")
    rows = len(re.findall(r"^\| .*Tests/", page, re.MULTILINE))
    count, _ = swift.test("traps", *sorted({suite for suite, _ in listed}))
    return f"{rows} cases that trap or aren't promised elsewhere, in {count} tests; none traps here but one, documented"
