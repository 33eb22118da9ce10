#!/usr/bin/env python3
"""Item 3: random predicates have one answer in the store and in memory, and share all models out
between themselves and their opposites. Runs alone, too:

    scripts/show_2/predicates.py [--count N] [--seed S]
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from show_1.programs import Short, check, note  # noqa: E402

TESTS = "SwiftDataTests.RandomPredicateTests"
BATCH = re.compile(
    r"random predicates: seed (-?\d+), (\d+) tried, (\d+) answered by the store alone, "
    r"(\d+) fail at some model"
)
DIFFERENCE = re.compile(r"OPENSWIFTDATA_TEST_PREDICATE_SEED=-?\d+, predicate \d+: [^;\n]*")


def show(count=100_000, seed=None):
    """The figure; raises Short when an answer differs."""
    seed = time.time_ns() % 1_000_000_000 if seed is None else seed
    surroundings = {
        **os.environ,
        "OPENSWIFTDATA_TEST_PREDICATES": str(count),
        "OPENSWIFTDATA_TEST_PREDICATE_SEED": str(seed),
    }
    note(f"{count} predicates from seed {seed} on")
    done = subprocess.run(
        ["swift", "test", "--filter", TESTS], cwd=ROOT, env=surroundings, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace",
    )
    batches = {found[0]: [int(text) for text in found[1:]] for found in BATCH.findall(done.stdout)}
    tried, exact, failing = (sum(batch[place] for batch in batches.values()) for place in range(3))
    differences = DIFFERENCE.findall(done.stdout)
    check(not differences, f"{len(differences)} batches differ; {'; '.join(differences[:3])}")
    if done.returncode != 0:
        print(done.stdout[-4000:], file=sys.stderr)
    check(done.returncode == 0, f"swift test ended with {done.returncode} after {tried} predicates")
    check(tried >= count, f"{tried} predicates of {count} were tried")
    return (
        f"{tried} random predicates and their opposites, 0 differences; the store answered {exact} "
        f"alone, {failing} can't be evaluated for some model; seed {seed}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=int, default=100_000, help="how many predicates")
    parser.add_argument("--seed", type=int, help="the first batch's (default: another one each time)")
    options = parser.parse_args()
    try:
        verdict, figure = "ok", show(options.count, options.seed)
    except Short as short:
        verdict, figure = "short", str(short)
    print(f"SHOW 2.3 {verdict} {' '.join(figure.split())}", flush=True)
    sys.exit(0 if verdict == "ok" else 1)


if __name__ == "__main__":
    main()
