"""The checks of `make acceptance ONLY=history`: histories, batches, several processes and migrations.

Items: 1 an import and a live list of many events take little memory; 2 many processes on one store lose, miss and
repeat nothing, and notice each other soon; 3 the polls of a real feed give the transactions of its log (skipped
without captures); 4 migrations between all pairs of five versions are killed at random points.
"""

import contextlib
import json
import os
import re
import sqlite3
import subprocess
import time

from .lines import APPS, CAPTURES, ROOT, SKIPPED, TESTS, answer, check, findings, note, run_items

# The maximum bytes of an import in all, and of a page of a list above the program's bytes before it.
IMPORT, LIST = 60_000_000, 40_000_000
ADDED = 100
# Seconds from a commit to its arrival in a process that is waiting, on a machine that isn't overloaded.
MEDIAN, LATEST = 0.020, 0.100
# The seconds within which every process ends.
LIMIT = 7_200
WRITERS, READERS, POLLS, PAIRS = 8, 4, 496, 10
SUITES = (
    "VersionPairTests", "MigrationKillTests", "MigrationSafetyTests", "MigrationPlanTests", "AttributeMigrationTests",
    "RelationshipMigrationTests", "InheritanceMigrationTests", "StoredFormMigrationTests",
)


def memory(scene):
    count, program = scene.amount(100_000, 1_000_000), scene.product("memory-program")
    store = scene.folder("memory") / "memory.store"
    # Each in a process of its own, which reports its memory.
    imported, listed = answer(program, "import", store, count), answer(program, "live", store, ADDED)
    check(imported["inserted"] == count, f"{imported['inserted']} of {count} events were inserted")
    check(listed["listed"] == count + ADDED, f"the list has {listed['listed']} events")
    shown, followed = (listed[when] - listed["before"] for when in ("shown", "followed"))
    figure = (
        f"{count} events: batch insert peaks at {imported['peak'] / 1e6:.1f} MB ({imported['before'] / 1e6:.1f} MB"
        f" before it); a live list of all, a page of 100 shown, takes {shown / 1e6:.1f} MB more, {followed / 1e6:.1f} MB"
        f" after a batch of {ADDED}; {listed['mapped'] / 1e6:.1f} MB of the file are mapped meanwhile"
    )
    check(imported["peak"] < IMPORT and max(shown, followed) < LIST, figure)
    return figure


class Processes:
    """Processes of the program with all tests, each with a role, on one store."""

    def __init__(self, scene, name):
        self.scene, self.folder, self.program = scene, scene.folder(name), scene.product(TESTS)
        self.store, self.running = self.folder / "shared.store", []

    def start(self, role, number=0, **settings):
        output = self.folder / f"{role}-{number}.json"
        settings |= {"ROLE": role, "STORE": self.store, "OUTPUT": output}
        with open(output.with_suffix(".txt"), "wb") as log:
            process = subprocess.Popen(
                [str(self.program), "--testing-library", "swift-testing", "--filter", "ProcessTests/role"], cwd=ROOT,
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                env=os.environ | {f"OPENSWIFTDATA_TEST_PROCESS_{name}": str(value) for name, value in settings.items()},
            )
        self.running.append(process)
        return process, output

    def finish(self, started):
        """Waits for a process and returns its result."""
        process, output = started
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(LIMIT)
        check(process.poll() == 0, f"{output.stem}: {findings(output.with_suffix('.txt').read_text(errors='replace'))}")
        return json.loads(output.read_text())

    def __enter__(self):
        self.finish(self.start("seed"))
        return self

    def __exit__(self, *_):
        for process in self.running:
            process.kill()
            process.wait()

    def query(self, sql):
        """The first value that a program of its own gets."""
        with contextlib.closing(sqlite3.connect(self.store, timeout=0.2, isolation_level=None)) as database:
            return database.execute(sql).fetchone()[0]


def together(scene, name, writers, readers, saves, **settings):
    """Lets processes write, and others wait for the commits; returns the delays of the second half, the number of
    repeated conflicts, and with several writers how often the log was reset meanwhile."""
    total, checkpoints, deadline = writers * saves, 0, time.monotonic() + LIMIT
    with Processes(scene, name) as processes:
        reading = [processes.start("read", number, TRANSACTIONS=1 + total) for number in range(readers)]
        writing = [processes.start("write", number, SAVES=saves, **settings) for number in range(writers)]
        while time.monotonic() < deadline and any(process.poll() is None for process, _ in writing):
            time.sleep(0.05)
            # Locked: the next one may succeed.
            with contextlib.suppress(sqlite3.OperationalError):
                checkpoints += writers > 1 and processes.query("PRAGMA wal_checkpoint(TRUNCATE)") == 0
        retries = sum(processes.finish(each)[0] for each in writing)
        note(f"{total} saves are done")
        delays = [processes.finish(each) for each in reading]
        stored = processes.query("SELECT sum(value) FROM Counter")
        last = processes.query("SELECT max(number) FROM _history_transaction")
    check(stored == total, f"{total} increments were saved, {stored} are there")
    check(last == 1 + total, f"the history has {last} transactions instead of {1 + total}")
    for found in delays:
        check(len(found) == 1 + total, f"a reader got {len(found)} transactions of {1 + total}")
    # Transactions from before the reader's start don't count.
    return sorted(delay for found in delays for delay in found[len(found) // 2:]), retries, checkpoints


def part(delays, percent):
    return delays[min(len(delays) - 1, len(delays) * percent // 100)]


def text(delays):
    return " ".join(f"p{percent}={part(delays, percent) * 1000:.1f}ms" for percent in (50, 90, 99, 100))


def crowd(scene):
    saves = scene.amount(500, 10_000)
    # One slow writer and one reader: the delay until a commit arrives.
    alone, _, _ = together(scene, "quiet", 1, 1, 200, PAUSE=0.03)
    check(part(alone, 50) < MEDIAN and part(alone, 99) < LATEST, f"commits arrive late: {text(alone)}")
    delays, retries, checkpoints = together(scene, "crowd", WRITERS, READERS, saves)
    return (
        f"{WRITERS} writers × {saves} saves, {READERS} readers, {checkpoints} checkpoints: no update lost"
        f" ({retries:.0f} conflicts tried again), no transaction missed or repeated, never busy; alone {text(alone)}; in the crowd"
        f" {text(delays)}"
    )


def polls(scene):
    if not (CAPTURES / "replay").is_dir():
        return SKIPPED
    _, printed = scene.tests("polls", "PollReplayTests", swift=APPS, OPENSWIFTDATA_TEST_POLLS=POLLS)
    figures = re.findall(rf"^polls: ({POLLS}, .+)$", printed, re.MULTILINE)
    check(figures, "the test printed no figure")
    return f"each poll's transactions are the log's: {figures[-1]}, bound 32768"


def migrations(scene):
    kills = scene.amount(8, 50)
    count, printed = scene.tests(
        "migrations", *SUITES, OPENSWIFTDATA_TEST_MIGRATION_KILLS=kills, OPENSWIFTDATA_TEST_MIGRATION_SEED=scene.seed
    )
    lines = re.findall(
        rf"^migration \d to \d: {kills} kills in \d+ ticks and \d+ bytes, (\d+) old and (\d+) new stores$", printed,
        re.MULTILINE,
    )
    check(len(lines) == PAIRS, f"{len(lines)} pairs of {PAIRS} were killed {kills} times")
    old, new = (sum(map(int, column)) for column in zip(*lines))
    return (
        f"{PAIRS} pairs of 5 versions forward and refused backward; {PAIRS * kills} kills (seed {scene.seed}): {old}"
        f" old and {new} new stores, all whole and completed after; disk full, wrong plans, edited versions, several"
        f" processes: {count} tests"
    )


def main(words):
    return run_items("history", __doc__, {"1": memory, "2": crowd, "3": polls, "4": migrations}, words)
