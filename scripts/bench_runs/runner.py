"""Builds the benchmark programs and runs their workloads, each implementation in turn."""

import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

from . import pairs

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "Benchmarks"
PROGRAMS = ("store-bench", "feed-bench")
POSTGRES_PROGRAMS = ("postgres-bench",)
# The longest that one run may take, in seconds.
LIMIT = 3_600


def note(text):
    print(f"   {text}", file=sys.stderr, flush=True)


def swift(*words, **more):
    return subprocess.run(
        ["swift", "build", "--configuration", "release", "--package-path", str(PACKAGE), *words],
        check=True, stdin=subprocess.DEVNULL, **more,
    )


def build():
    """Builds the programs, optimised."""
    note("building the benchmarks, optimised: the first time takes some minutes")
    try:
        for name in PROGRAMS:
            swift("--product", name, stdout=sys.stderr)
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)


def programs():
    """The programs with the implementations of each of their workloads: {program: {workload: {name: dataset}}}."""
    folder = swift("--show-bin-path", capture_output=True, text=True).stdout.strip()
    found = {}
    for name in PROGRAMS:
        program = pathlib.Path(folder) / name
        listed = json.loads(run(program, "list"))
        found[program] = {
            workload: {trial["name"]: trial["dataset"] for trial in trials}
            for workload, trials in listed.items()
        }
    return found


def order(workload):
    """Sorts W2 before W10, and names without a number after both."""
    digits = re.sub(r"\D", "", workload)
    return (not digits, int(digits or 0), workload)


def run(program, *words):
    done = subprocess.run(
        [str(program), *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=LIMIT,
    )
    if done.returncode != 0:
        sys.exit(f"bench: {program.name} {' '.join(map(str, words))}: {done.stderr.strip()[-500:]}")
    return done.stdout


class Stores:
    """Folders with the stores that workloads begin with, made once for each size."""

    def __init__(self, folder):
        self.folder = folder

    def prepared(self, program, dataset, rows):
        place = self.folder / f"{dataset}-{rows}"
        if not place.exists():
            note(f"preparing {dataset}, {rows} rows")
            place.mkdir()
            run(program, "prepare", dataset, place, rows)
        return place

    def copy(self, program, dataset, rows):
        """A folder for one run."""
        place = self.folder / "run"
        shutil.rmtree(place, ignore_errors=True)
        if dataset:
            shutil.copytree(self.prepared(program, dataset, rows), place)
        else:
            place.mkdir()
        # Without this, the copy is still being written to the disk while the run waits for its own commits.
        os.sync()
        return place

    def forget(self, rows):
        """Frees the disk: the stores of one size are used together, and then no longer."""
        for place in self.folder.glob(f"*-{rows}"):
            shutil.rmtree(place, ignore_errors=True)


class Found:
    """The results of an implementation's runs."""

    def __init__(self):
        self.seconds, self.peaks, self.checksums = [], [], set()

    def add(self, run):
        self.seconds.append(run["seconds"])
        self.peaks.append(run["peak"])
        self.checksums.add(run["checksum"])

    @property
    def median(self):
        return statistics.median(self.seconds)

    def ratio(self, floor):
        """The median of the rounds' ratios: the machine's speed drifts between rounds, and hardly within one."""
        return statistics.median(pairs.ratios(self.seconds, floor.seconds))

    @property
    def peak(self):
        return statistics.median(self.peaks) / 1e6

    @property
    def checksum(self):
        return self.checksums.pop() if len(self.checksums) == 1 else "differs from run to run"


def measure(programs, stores, workload, rows, rounds, wanted=None, most=None, exact=()):
    """Runs the implementations of a workload in turn: {implementation: Found}; the first is the floor.

    After `rounds` of them there are others, `most` in all, until the ratios of those in `exact` are known well enough.
    """
    program, trials = next(
        (program, trials[workload]) for program, trials in programs.items() if workload in trials
    )
    names = [name for name in trials if name == "floor" or wanted is None or name in wanted]
    found = {name: Found() for name in names}
    number = 0
    while number < rounds or (number < (most or rounds) and not _is_known(found, exact)):
        # Each round begins with another one.
        for name in names[number % len(names):] + names[:number % len(names)]:
            place = stores.copy(program, trials[name], rows)
            found[name].add(json.loads(run(program, "measure", workload, name, place, rows)))
        number += 1
    if number > rounds:
        note(f"{workload}: {number} rounds, the machine wasn't quiet")
    for each in found.values():
        each.checksums = {each.checksum}
    return found


def _is_known(found, exact):
    floor = next(iter(found.values()))
    return all(
        pairs.is_narrow(pairs.ratios(each.seconds, floor.seconds))
        for name, each in found.items() if name in exact
    )
