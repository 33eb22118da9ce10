"""The checks of `make acceptance ONLY=models`: the model layer.

Items: 1 docs/public-api agrees with the sources; 2 random predicates have one answer in the store and in memory, and
select each model either themselves or negated; 3 random sequences of edits agree with a dictionary; 4 docs/traps.md
names the tests of cases that trap elsewhere, and they pass; 5 the suites under the sanitizers (a build for each; at the
counts of CI when it is named only).
"""

import re

from . import public_api, sanitizers
from .lines import ROOT, check, run_items

BATCH = re.compile(
    r"random predicates: seed (-?\d+), (\d+) tried, (\d+) answered by the store alone, (\d+) fail at some model"
)


def interface(scene):
    found = public_api.problems()
    check(not found, f"{len(found)} problems: {'; '.join(found[:3])}")
    return public_api.summary()


def predicates(scene):
    count = scene.amount(20_000, 1_000_000)
    _, text = scene.tests(
        "predicates", "SwiftDataTests.RandomPredicateTests", OPENSWIFTDATA_TEST_PREDICATES=count,
        OPENSWIFTDATA_TEST_PREDICATE_SEED=scene.seed,
    )
    batches = {seed: map(int, counts) for seed, *counts in BATCH.findall(text)}
    tried, exact, failing = (sum(counts) for counts in zip((0, 0, 0), *batches.values()))
    check(tried >= count, f"{tried} predicates of {count} were tried")
    return (
        f"{tried} random predicates and their opposites, 0 differences; the store answered {exact} alone, {failing}"
        f" can't be evaluated for some model; seed {scene.seed}"
    )


def sequences(scene):
    count = scene.amount(500, 10_000)
    tests, _ = scene.tests(
        "sequences", "StatefulTests", options=scene.amount((), ("-c", "release", "-Xswiftc", "-enable-testing")),
        OPENSWIFTDATA_TEST_SEQUENCES=count, OPENSWIFTDATA_TEST_SEQUENCE_STEPS=100,
    )
    return f"{tests} tests, {count} sequences of 100 steps, half of them on file, with undo: 0 differences"


def traps(scene):
    listed = set(re.findall(r"`(\w+Tests)/(\w+)`", (ROOT / "docs" / "traps.md").read_text(encoding="utf-8")))
    written = {
        (file.stem, name) for file in (ROOT / "Tests" / "SwiftDataTests" / "NothingTraps").glob("*Tests.swift")
        for name in re.findall(r"@Test.*?\bfunc (\w+)", file.read_text(encoding="utf-8"), re.DOTALL)
    }
    missing = sorted(f"{suite}/{name}" for suite, name in written - listed)
    check(written and not missing, f"traps.md doesn't list {', '.join(missing) or 'any'}")
    count, _ = scene.tests("traps", *sorted({suite for suite, _ in listed}))
    return f"{len(listed)} tests of cases that trap or aren't promised elsewhere, {count} with their suites"


def main(words):
    items = {"1": interface, "2": predicates, "3": sequences, "4": traps, "5": sanitizers.figure}
    return run_items("models", __doc__, items, words, is_left_out=lambda item, scale: item == "5" and scale == "ci")
