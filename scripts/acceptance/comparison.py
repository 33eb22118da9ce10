"""Item 5: the benchmarks of this tree and of an earlier commit, in turn on one machine.

Both run every workload, one right after the other, in alternating order. Two figures compare them: the fastest run of
each (other load of the machine only slows runs), and the median of the rounds' ratios (load that lasts longer than a
round affects both). A workload is slower when both figures are above the limit; then further rounds are
run first.
"""

import json
import pathlib
import statistics
import subprocess
import tempfile

from bench_runs import pairs, runner

from .lines import ROOT, check, note

# The commit before the corrections, and the maximum ratio of a workload's times.
EARLIER, LIMIT = "51ba5d1", 1.03
ROUNDS, MOST, ROWS = 9, 75, 100_000


def built(tree):
    """Builds the benchmarks of a tree; the folder of their programs."""
    words = ["swift", "build", "--configuration", "release", "--package-path", tree / "Benchmarks"]
    for more in ((), ("--show-bin-path",)):
        done = subprocess.run(
            [str(word) for word in (*words, *more)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )
        check(done.returncode == 0, f"the benchmarks of {tree} don't build: {(done.stdout + done.stderr)[-500:]}")
    return pathlib.Path(done.stdout.strip())


def checkout(scene):
    """A clone with the earlier commit."""
    place = scene.work / "earlier"
    if not place.exists():
        subprocess.run(["git", "clone", "--quiet", ROOT, place], check=True)
    subprocess.run(["git", "-C", place, "checkout", "--quiet", EARLIER], check=True)
    return place


class Side:
    """The programs of a tree, and their stores."""

    def __init__(self, programs, folder):
        self.stores = runner.Stores(folder)
        self.trials = {}
        for name in runner.PROGRAMS:
            for workload, trials in json.loads(runner.run(programs / name, "list")).items():
                for trial in trials:
                    self.trials[workload, trial["name"]] = programs / name, trial["dataset"]

    def seconds(self, trial):
        """One run: its seconds and its checksum."""
        program, dataset = self.trials[trial]
        place = self.stores.copy(program, dataset, ROWS)
        answer = json.loads(runner.run(program, "measure", *trial, place, ROWS))
        return answer["seconds"], answer["checksum"]


def figures(ours, theirs):
    """The ratio of the fastest runs, and the median of the rounds' ratios."""
    return min(ours) / min(theirs), statistics.median(pairs.ratios(ours, theirs))


def compare(now, before, trial):
    """The runs of both, in turn: more of them while both figures say that this tree is slower."""
    runs = {now: [], before: []}
    checksums = set()
    while len(runs[now]) < ROUNDS or (
        len(runs[now]) < MOST and min(figures(runs[now], runs[before])) > LIMIT
    ):
        order = (now, before) if len(runs[now]) % 2 == 0 else (before, now)
        for side in order:
            seconds, checksum = side.seconds(trial)
            runs[side].append(seconds)
            checksums.add(checksum)
    return runs[now], runs[before], len(checksums) == 1


def show(scene):
    now, before = scene.options.benchmarks or (built(ROOT), built(checkout(scene)))
    with tempfile.TemporaryDirectory(prefix="comparison-") as folder:
        sides = []
        for name, programs in (("now", now), ("before", before)):
            place = pathlib.Path(folder) / name
            place.mkdir()
            sides.append(Side(programs, place))
        shared = [
            trial for trial in sides[0].trials
            if trial in sides[1].trials and trial[1].startswith("openswiftdata")
        ]
        check(shared, "the two trees have no workload in common")
        slower, highest = [], 0
        for trial in sorted(shared, key=lambda trial: (runner.order(trial[0]), trial[1])):
            ours, theirs, is_equal = compare(*sides, trial)
            ratio, median = figures(ours, theirs)
            name = f"{trial[0]} {trial[1]}"
            print(
                f"  {name:<28} {min(ours) * 1e3:10.2f} ms, before {min(theirs) * 1e3:10.2f} ms:"
                f" {ratio:.3f}; median of the rounds' ratios {median:.3f} ({len(ours)} rounds)",
                flush=True,
            )
            if not is_equal:
                note(f"{name}: the checksums of the two trees differ")
            highest = max(highest, min(ratio, median))
            if min(ratio, median) > LIMIT:
                slower.append(f"{name} {ratio:.3f} and {median:.3f}")
    check(not slower, f"slower than {EARLIER} by more than {100 * (LIMIT - 1):.0f} %: {', '.join(slower)}")
    return f"{len(shared)} trials against {EARLIER}, the highest ratio {highest:.3f} (the lower of two)"
