"""The checks of `make acceptance ONLY=faults`: failing disks, processes, calls and inputs.

Items: 1 the findings, each by its test; 2 the sweeps; 3 the figures, an item each (3.power, 3.kills, …); 4 the
controls, which show that the harness detects faults, and 4.causes those of the sweeps; 5 the benchmarks against those
of an earlier commit (by name only: two optimised builds, most of an hour); 6 docs/testing.md. The line of a failure
has the command with the seed that repeats it.
"""

import pathlib
import re

from . import causes, comparison, faults_figures, findings
from .lines import ROOT, check, run_items

PAGE = ROOT / "docs" / "testing.md"
CONTROLS = (("--synchronous", "off"), ("--lies",))


def controls(scene):
    """A disk on which nothing is synced has to lose data and to corrupt the store."""
    figures = []
    for disk in CONTROLS:
        name = " ".join(disk)
        seeds = scene.amount(40, 200)
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
    for word in (
        "## Injected faults", "## Defects found", "## Commands", "TigerBeetle", "FoundationDB", "GRDB", "Realm",
    ):
        check(word in text, f"{PAGE.relative_to(ROOT)} has nothing on {word}")
    return f"{PAGE.relative_to(ROOT)}, {len(text.split())} words"


def main(words):
    items = {
        "1": lambda scene: findings.show(scene, findings.mended()),
        "2": lambda scene: findings.show(scene, findings.sweeps()),
        **{f"3.{name}": figure for name, figure in faults_figures.FIGURES.items()},
        "4": controls, "4.causes": causes.show, "5": comparison.show, "6": lambda scene: page(),
    }

    def extend(parser):
        parser.add_argument(
            "--benchmarks", metavar="FOLDER", type=pathlib.Path, nargs=2,
            help="where the programs of item 5 are, those of this tree and the earlier ones, when they are built",
        )

    return run_items(
        "faults", __doc__, items, words, extend=extend,
        is_left_out=lambda item, scale: item == "5" or (item == "4.causes" and scale == "ci"),
    )
