"""Item 1: thousands of seeds of the simulation, divided between processes."""

import concurrent.futures
import os
import re
import subprocess

from show_2.swift import check, last_error, note

from .built import program

CHUNK = 250
RUN = "SimulationTests/replicasConvergeAndLoseNothing"
STORES = "SimulationTests/storesOfModelsConvergeAndLoseNothing"
DONE = re.compile(r"^simulation: (\d+) seeds from \d+: (.+)$", re.MULTILINE)
VIOLATION = re.compile(r"seed (\d+), step \d+, .*")
# What the network, the processes and the users have to have done at least once.
INGREDIENTS = (
    "messages lost", "doubled", "late", "overtaken", "cut off", "replicas killed", "server killed",
    "clocks wrong", "edits", "conflicts", "changes acknowledged", "huts", "photos", "photos late",
    "portions sent", "portions fetched",
)


def run(tests, work, name, pattern, **environment):
    """Runs the test with some seeds; gives what it printed."""
    with open(work / f"{name}.log", "w+") as log:
        done = subprocess.run(
            ["nice", "-n", "5", str(tests), "--testing-library", "swift-testing", "--filter", pattern],
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            env={**os.environ, **environment},
        )
        log.seek(0)
        return done.returncode, log.read()


def replayed(tests, work, text):
    """What is wrong, with whether the seed says the same again."""
    found = VIOLATION.search(text)
    if not found:
        return last_error(text)
    seed = found[1]
    _, again = run(tests, work, f"replay-{seed}", RUN, OPENSWIFTDATA_TEST_SYNC_SEED=seed)
    same = found[0] in again
    return f"{found[0][:200]} ({'replayed by' if same else 'NOT replayed by'} OPENSWIFTDATA_TEST_SYNC_SEED={seed})"


def show(swift, work, seeds, store_seeds):
    swift.build()
    tests = program("OpenSwiftDataPackageTests.xctest")
    counts, total = {}, 0
    starts = range(1, seeds + 1, CHUNK)

    def chunk(first):
        count = min(CHUNK, seeds + 1 - first)
        return run(
            tests, work, f"seeds-{first}", RUN, OPENSWIFTDATA_TEST_SYNC_SEEDS=str(count), OPENSWIFTDATA_TEST_SYNC_FIRST_SEED=str(first))

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for first, (status, text) in zip(starts, pool.map(chunk, starts)):
            found = DONE.search(text)
            check(status == 0 and found, f"seeds from {first}: {replayed(tests, work, text)}")
            total += int(found[1])
            for part in found[2].split(", "):
                number, _, what = part.partition(" ")
                counts[what] = counts.get(what, 0) + int(number)
            note(f"{total} of {seeds} seeds")
    check(total == seeds, f"{total} of {seeds} seeds were run")
    missing = [what for what in INGREDIENTS if not counts.get(what)]
    check(not missing, f"never happened: {', '.join(missing)}")
    status, text = run(tests, work, "stores", STORES, OPENSWIFTDATA_TEST_SYNC_STORE_SEEDS=str(store_seeds))
    check(status == 0, f"over SQLite: {replayed(tests, work, text)}")
    status, text = run(tests, work, "replay", "SimulationTests/aSeedReplays")
    check(status == 0, f"a seed doesn't replay: {last_error(text)}")
    figures = ", ".join(f"{counts[what]} {what}" for what in INGREDIENTS)
    return (
        f"{total} seeds converge, and {store_seeds} over SQLite; nothing acknowledged is lost, no unsent edit"
        f" overwritten, no save divided; a seed replays; {figures}"
    )
