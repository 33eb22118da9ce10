"""The table of defects that were found and fixed: `findings/*.tsv`, a row each of

    id <TAB> defect <TAB> tests, by commas <TAB> failure before

The failure is that of commit 51ba5d1 when the defect was found or, where nothing was run, by reading its code; not
every test of the table was run on that commit.

Rows whose id begins with `sweep.` are tests that enumerate a family. Every test is run; at a release with every case of
the families of which the suite takes some.
"""

import csv
import pathlib
import re
from xml.etree import ElementTree

from .lines import APPLICATIONS, APPS, ROOT, SWIFT, check, note, run

FOLDER = pathlib.Path(__file__).resolve().parent / "findings"


def rows():
    found = []
    for file in sorted(FOLDER.glob("*.tsv")):
        with open(file, encoding="utf-8", newline="") as table:
            for row in csv.reader(table, delimiter="\t", quoting=csv.QUOTE_NONE):
                if not row:
                    continue
                check(len(row) == 4 and all(cell.strip() for cell in row), f"{file.name}: no row of four: {row}")
                found.append([cell.strip() for cell in row])
    return found


def mended():
    return [row for row in rows() if not row[0].startswith("sweep.")]


def sweeps():
    return [row for row in rows() if row[0].startswith("sweep.")]


def tests_of(row):
    return [name.strip() for name in row[2].split(",")]


def show(scene, table):
    check(table, f"there are no rows in {FOLDER.relative_to(ROOT)}")
    names = sorted({name for row in table for name in tests_of(row)})
    outcome = {}
    for swift in (SWIFT, APPS):
        outcome |= run_swift(scene, swift, [name for name in names if not name.startswith("browser:")])
    outcome |= run_browser(scene, [name for name in names if name.startswith("browser:")])
    failed = []
    for identifier, what, _, before in table:
        row_tests = tests_of([identifier, what, _, before])
        passes = all(outcome.get(name) for name in row_tests)
        print(f"  {identifier}\t{'passes' if passes else 'FAILS'}\t{what}\t{before}", flush=True)
        if not passes:
            failed.append(f"{identifier} ({', '.join(name for name in row_tests if not outcome.get(name))})")
    check(not failed, f"{len(table) - len(failed)} of {len(table)} rows pass; not: {'; '.join(failed)}")
    return f"{len(table)} rows, {len(names)} tests, all pass"


def pattern(name):
    """The pattern of `swift test --filter` for `Target.Suite/function`, `Target.Suite` or `Suite/function`."""
    return re.escape(name).replace(r"\-", "-") + (r"[(]" if "/" in name else "/")


def run_swift(scene, swift, names):
    """One run of all tests of a package; a test has passed when the run lists it and doesn't report a failure."""
    if not names:
        return {}
    package = pathlib.Path(swift).name
    status, listing = run((swift, "test", "list"), scene.log(f"list-{package}"))
    check(status == 0, f"the tests don't build; see {scene.log(f'list-{package}')}")
    known = listing.splitlines()
    words = [swift, "test", "--skip-build"]
    present = [name for name in names if any(re.search(pattern(name), line) for line in known)]
    for name in present:
        words += ["--filter", pattern(name)]
    if not present:
        return {}
    whole = {"OPENSWIFTDATA_TEST_HOSTILE_EVERY": "1"} if scene.scale == "release" else {}
    status, text = run(words, scene.log(f"tests-{package}-{len(names)}"), 3600, **whole)
    if status == 0 and re.search(r"Test run with \d+ tests?.* passed", text):
        return dict.fromkeys(present, True)
    # A failure or a crash: separate runs show the test.
    note("not all pass together; now one by one")
    outcome = {}
    for number, name in enumerate(present):
        status, text = run(
            (swift, "test", "--skip-build", "--filter", pattern(name)), scene.log(f"test-{package}-{number}"), 900,
        )
        outcome[name] = status == 0 and bool(re.search(r"Test run with [1-9]\d* tests?.* passed", text))
    return outcome


def run_browser(scene, names):
    """The named tests of the pages; each case of a test has to pass, and one that is skipped hasn't."""
    wanted = {name.removeprefix("browser:") for name in names}
    outcome = {}
    for program in APPLICATIONS if names else ():
        _, text = run((SWIFT, "build", "--show-bin-path"), scene.log("products"))
        binary = pathlib.Path(text.strip().splitlines()[-1]) / program
        report = scene.work / f"browser-{program}.xml"
        run(
            (
                "Apps/Tests/Browser/run", binary, "-n", "auto", "-k", " or ".join(sorted(wanted)),
                f"--junit-xml={report}",
            ),
            scene.log(f"browser-{program}"), 1800,
        )
        check(report.exists(), f"the tests of {program}'s page didn't run; see {scene.log(f'browser-{program}')}")
        for case in ElementTree.parse(report).iter("testcase"):
            test = case.get("name", "").partition("[")[0]
            if test in wanted:
                name = f"browser:{test}"
                is_clean = not any(case.find(tag) is not None for tag in ("failure", "error", "skipped"))
                outcome[name] = outcome.get(name, True) and is_clean
    return outcome
