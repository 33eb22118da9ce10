"""The checks of `make acceptance ONLY=faults`: what happens when disks, processes, calls and inputs fail.

Items: 1 the findings, each by its test; 2 the sweeps; 3 the figures, an item each (3.power, 3.kills, …); 4 the
controls, which show that the harness can tell, and 4.causes those of the sweeps; 5 the benchmarks against those of the
commit before the mends (asked for by name only: two optimised builds, most of an hour); 6 the page on how we test. What a
failure needs to be repeated is in its line: a command with a seed.
"""

import argparse
import pathlib
import re
import tempfile

from . import causes, comparison, faults_figures, findings
from .lines import ROOT, check, item, note, run

PAGE = ROOT / "docs" / "testing.md"
CONTROLS = (("--synchronous", "off"), ("--lies",))


def arguments(words):
    parser = argparse.ArgumentParser(prog="scripts/acceptance/run faults", description=__doc__)
    names = ["1", "2", *(f"3.{name}" for name in faults_figures.FIGURES), "3", "4", "4.causes", "5", "6"]
    parser.add_argument(
        "--items", metavar="K", nargs="+", choices=names, default=["1", "2", "3", "4", "6"],
        help=f"which of {', '.join(names)}",
    )
    parser.add_argument("--scale", choices=("ci", "release"), default="ci", help="how much")
    parser.add_argument(
        "--configuration", choices=("debug", "release"), default="debug",
        help="the build of the programs that are run",
    )
    parser.add_argument(
        "--products", metavar="FOLDER", type=pathlib.Path,
        help="where the programs are, when they are built already",
    )
    parser.add_argument(
        "--benchmarks", metavar="FOLDER", type=pathlib.Path, nargs=2,
        help="where the programs of item 5 are, those of this tree and the earlier ones, when they are built already",
    )
    parser.add_argument(
        "--work", metavar="FOLDER", type=pathlib.Path, help="keep here what programs print"
    )
    return parser.parse_args(words)


class Scene:
    """What the items share."""

    def __init__(self, options):
        self.scale, self.configuration = options.scale, options.configuration
        self.work = options.work or pathlib.Path(tempfile.mkdtemp(prefix="accept-faults-"))
        self.work.mkdir(parents=True, exist_ok=True)
        self.products, self.benchmarks = options.products, options.benchmarks

    def log(self, name):
        return self.work / f"{name}.txt"

    def product(self, name, configuration):
        """Builds a program of the package; where it is."""
        options = ("--configuration", configuration)
        status, text = run(("swift", "build", *options, "--product", name), self.log(f"build-{name}"))
        check(status == 0, f"the build failed: {self.log(f'build-{name}')}")
        status, text = run(("swift", "build", *options, "--show-bin-path"), self.log("products"))
        check(status == 0, "swift build --show-bin-path failed")
        return pathlib.Path(text.strip().splitlines()[-1]) / name

    def program(self, name, *words, seconds=None):
        """Runs a program of the package."""
        if self.products is None:
            self.products = self.product("fault-program", self.configuration).parent
        # Where a process that traps was, costs a second each time and isn't asked.
        return run(
            (self.products / "fault-program", *words), self.log(name), seconds,
            SWIFT_BACKTRACE="enable=no",
        )


def controls(scene):
    """A disk on which nothing is synced has to lose and to corrupt."""
    figures = []
    for disk in CONTROLS:
        name = " ".join(disk)
        seeds = 200 if scene.scale == "release" else 40
        status, text = scene.program(
            f"control{disk[0]}", "power", "--workload", "save", "--seeds", seeds, *disk
        )
        found = re.search(r"(\d+) lost, (\d+) corrupt", text)
        check(found, f"{name}: no result; see {scene.work}")
        lost, corrupt = int(found[1]), int(found[2])
        check(status == 1 and lost and corrupt, f"{name}: {lost} lost, {corrupt} corrupt: the harness is blind")
        figures.append(f"{name}: of {seeds} seeds {lost} had lost saves, {corrupt} were corrupt")
    status, text = scene.program(
        "control-fuzz", "fuzz", "--target", "control", "--count", 2000, "--jobs", 1
    )
    found = re.search(r"(\d+) failures", text)
    check(status == 1 and found and int(found[1]), "an input that traps isn't seen")
    figures.append(f"a target that traps: seen {found[1]} times")
    return "; ".join(figures)


def page():
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    for word in ("## What is injected", "## What was found", "## Commands", "TigerBeetle", "FoundationDB", "GRDB", "Realm"):
        check(word in text, f"{PAGE.relative_to(ROOT)} has nothing on {word}")
    return f"{PAGE.relative_to(ROOT)}, {len(text.split())} words"


def main(words):
    options = arguments(words)
    scene = Scene(options)
    note(f"what programs print is in {scene.work}")
    wanted = options.items
    passed = True
    if "1" in wanted:
        passed &= item("faults.1", lambda: findings.show(scene, findings.mended()))
    if "2" in wanted:
        passed &= item("faults.2", lambda: findings.show(scene, findings.sweeps()))
    for name, figure in faults_figures.FIGURES.items():
        if "3" in wanted or f"3.{name}" in wanted:
            passed &= item(f"faults.3.{name}", lambda: figure(scene))
    if "4" in wanted:
        passed &= item("faults.4", lambda: controls(scene))
    if "4.causes" in wanted or ("4" in wanted and options.scale == "release"):
        passed &= item("faults.4.causes", lambda: causes.show(scene))
    if "5" in wanted:
        passed &= item("faults.5", lambda: comparison.show(scene))
    if "6" in wanted:
        passed &= item("faults.6", page)
    return 0 if passed else 1
