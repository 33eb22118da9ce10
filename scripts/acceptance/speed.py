"""The checks of `make acceptance ONLY=speed`. Needs a machine that does nothing else, and valgrind for item 3.

Items: 1 the goals of `make bench`: ratios to the floor, times, memory, and JSON; 2 ahead of the peers; 3 instructions a
row; 4 time a row and memory at several sizes, with the plot. The tables go to standard error. At a release the bench
runs twice, and both runs count; the largest size has a million rows.
"""

import argparse
import contextlib
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys

from bench_runs import report, runner, scale

from .lines import check, note, run_items

ROWS, ROUNDS, MOST_ROUNDS = 100_000, 7, 21
# The maximum time of a start and of a search in milliseconds, without regard to the floor, and the memory in MB.
MOST = {
    ("W14", "openswiftdata"): (15, "ms"), ("W15", "openswiftdata-spotlight"): (15, "ms"),
    ("W13", "openswiftdata"): (64, "MB"),
}
# The unit for which instructions are counted, and its two numbers. Look-ups are in a store of the larger number.
COUNTED, COUNTS = {"W1": "row", "W4": "row", "W6": "look-up"}, (5_000, 10_000)
# The maximum ratio of the time for a row at the largest size to that at the next smaller one.
GROWTH = 1.3


class Bench:
    """The benchmark programs, their stores, and the results of their runs."""

    def __init__(self, scene):
        runner.build()
        self.programs, self.stores = runner.programs(), runner.Stores(scene.folder("stores"))
        self.folder, self.count = scene.folder("instructions"), scene.amount(1, 2)

    @functools.cached_property
    def runs(self):
        """[{workload: {implementation: Found}}]"""
        return [self.run() for _ in range(self.count)]

    def run(self):
        found = {}
        for workload in sorted({each for program in self.programs.values() for each in program}, key=runner.order):
            found[workload] = runner.measure(
                self.programs, self.stores, workload, ROWS, ROUNDS, most=MOST_ROUNDS, exact=report.aimed(workload)
            )
            with contextlib.redirect_stdout(sys.stderr):
                report.table(workload, found[workload])
            check(all(report.matches(found[workload]).values()), f"{workload}: checksums differ")
        return found

    def ratios(self, workload, name):
        return [run[workload][name].ratio(run[workload]["floor"]) for run in self.runs]


bench = functools.cache(Bench)


def judged(lines, missed, of):
    """The figure of an item whose lines are of several goals."""
    check(not missed, f"{missed} of {of} missed: {'; '.join(lines)}")
    return "; ".join(lines)


def goals(scene):
    lines, missed = [], 0
    # The workloads on a server have an item of `postgres`.
    ratios = [(key, goal, "") for key, goal in report.GOALS.items() if key[0] in bench(scene).runs[0]]
    limits = ratios + [(key, *goal) for key, goal in MOST.items()]
    for (workload, name), goal, unit in limits:
        found = [run[workload][name] for run in bench(scene).runs]
        if workload == "JSON":
            # The inverse: the speed relative to JSONDecoder.
            values, goal, unit = [1 / ratio for ratio in bench(scene).ratios(workload, name)], 1 / goal - 0.05, "×"
        elif unit:
            values = [each.median * 1_000 if unit == "ms" else each.peak for each in found]
        else:
            values = bench(scene).ratios(workload, name)
        is_missed = min(values) < goal if unit == "×" else max(values) > goal
        missed += is_missed
        lines.append(
            f"{workload}{name.removeprefix('openswiftdata')} {' and '.join(f'{value:.2f}' for value in values)}"
            f"{unit and ' '}{unit} (goal {goal:.4g}{', missed' if is_missed else ''})"
        )
    return judged(lines, missed, len(limits))


def peers(scene):
    """Faster than the fastest peer, in every workload with one."""
    lines, missed = [], 0
    for workload in sorted(bench(scene).runs[0], key=runner.order):
        others = [name for name in bench(scene).runs[0][workload] if name.startswith("grdb")]
        if not others:
            continue
        own = bench(scene).ratios(workload, "openswiftdata")
        best = [min(ratios) for ratios in zip(*(bench(scene).ratios(workload, name) for name in others))]
        is_behind = any(
            run[workload]["openswiftdata"].ratio(run[workload][name]) >= 1 for run in bench(scene).runs
            for name in others
        )
        missed += is_behind
        pairs = " and ".join(f"{mine:.2f} against {other:.2f}" for mine, other in zip(own, best))
        lines.append(f"{workload} {pairs}{' (behind)' if is_behind else ''}")
    return judged(lines, missed, len(lines))


def instructions(scene):
    """Counted by callgrind: the counts repeat exactly under any load."""
    check(shutil.which("valgrind"), "valgrind is missing: install Debian's package of that name")
    figures, place = [], bench(scene).folder
    override = place / "sigsuspend.so"
    source = pathlib.Path(__file__).with_name("sigsuspend.c")
    subprocess.run([shutil.which("cc") or "clang", "-shared", "-fPIC", "-o", override, source], check=True)
    for workload, unit in COUNTED.items():
        program, trials = next(
            (each, known[workload]) for each, known in bench(scene).programs.items() if workload in known
        )
        stripped = place / program.name
        shutil.copy(program, stripped)
        # valgrind 3.19 can't read the debugging information of this compiler.
        subprocess.run(["strip", "--strip-debug", stripped], check=True)
        counted = {}
        for name in ("floor", "openswiftdata"):
            note(f"counting {workload}, {name}")
            totals = []
            for number in COUNTS:
                size = [max(COUNTS), number] if unit == "look-up" else [number]
                store = bench(scene).stores.copy(program, trials[name], size[0])
                totals.append(count([stripped, "measure", workload, name, store, *size], override))
            # The difference leaves out constant parts: the start of the program, opening the store.
            counted[name] = (totals[1] - totals[0]) / (COUNTS[1] - COUNTS[0])
        figures.append(
            f"{workload} {counted['openswiftdata']:,.0f} instructions a {unit}, the floor {counted['floor']:,.0f},"
            f" ratio {counted['openswiftdata'] / counted['floor']:.2f}"
        )
    return "; ".join(figures)


def count(words, override):
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *map(str, words)], capture_output=True,
        text=True, stdin=subprocess.DEVNULL, env=os.environ | {"LD_PRELOAD": str(override)}, check=False,
    )
    found = re.search(r"Collected : (\d+)", done.stderr)
    check(done.returncode == 0 and found, f"valgrind failed: {done.stderr.strip()[-300:]}")
    return int(found[1])


def sizes(scene):
    numbers = scene.amount([10_000, 100_000], [10_000, 100_000, 1_000_000])
    options = argparse.Namespace(only=None, rounds=3, implementations=None, sizes=numbers)
    with contextlib.redirect_stdout(sys.stderr):
        lines, peaks = scale.run(bench(scene).programs, bench(scene).stores, options)
    missing = [workload for workload, points in lines.items() if len(points) < len(numbers)]
    check(not missing, f"not measured at all sizes: {', '.join(missing)}")
    growth = {workload: points[-1][1] / points[-2][1] for workload, points in lines.items()}
    memory, most = max(peaks["W13"]), MOST["W13", "openswiftdata"][0]
    figure = (
        f"time a row at {numbers[-1]:,} rows over that at {numbers[-2]:,}:"
        f" {', '.join(f'{workload} {ratio:.2f}' for workload, ratio in growth.items())} (at most {GROWTH}); an import"
        f" takes {' and '.join(f'{peak:.0f}' for peak in peaks['W13'])} MB (at most {most})"
    )
    check(max(growth.values()) <= GROWTH and memory <= most, figure)
    return figure


def main(words):
    return run_items("speed", __doc__, {"1": goals, "2": peers, "3": instructions, "4": sizes}, words)
