"""Item 3: many processes on one store lose, miss and repeat nothing, and notice each other soon."""

import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from show_1.programs import ROOT, check, note  # noqa: E402

FILTER = "ProcessTests/role"
# Seconds from a commit to its arrival in a process that is waiting, on a machine that isn't overloaded.
MEDIAN = 0.020
LATEST = 0.100


class Processes:
    """Processes of the test program, each with a role in its environment."""

    def __init__(self, work, store):
        self.work = work
        self.store = store
        self.running = []
        found = subprocess.run(
            ["swift", "build", "--show-bin-path"], cwd=ROOT, check=True, capture_output=True, text=True
        )
        self.program = pathlib.Path(found.stdout.strip()) / "OpenSwiftDataPackageTests.xctest"
        check(self.program.exists(), f"{self.program} isn't built; run: swift build --build-tests")

    def start(self, role, name, **more):
        output = self.work / f"{name}.json"
        log = open(self.work / f"{name}.log", "wb")
        environment = {
            **os.environ, "OPENSWIFTDATA_TEST_PROCESS_ROLE": role, "OPENSWIFTDATA_TEST_PROCESS_STORE": str(self.store), "OPENSWIFTDATA_TEST_PROCESS_OUTPUT": str(output),
            **{key: str(value) for key, value in more.items()},
        }
        words = [str(self.program), "--testing-library", "swift-testing", "--filter", FILTER]
        running = subprocess.Popen(
            words, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            env=environment,
        )
        self.running.append(running)
        return running, output, log.name

    def finish(self, started, seconds):
        """Waits for the process; gives what it has found."""
        running, output, log = started
        try:
            status = running.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            status = None
        text = pathlib.Path(log).read_text(errors="replace")
        wrong = [line for line in text.splitlines() if "recorded an issue" in line or "Error" in line]
        check(status is not None, f"{log}: it doesn't end")
        check(status == 0, f"{log}: {(wrong or text.splitlines() or ['no output'])[-1][-300:]}")
        return json.loads(output.read_text())

    def stop(self):
        for running in self.running:
            if running.poll() is None:
                running.kill()
                running.wait()


def checkpoint(store, end):
    """Empties the write-ahead log again and again, as a program of its own would; gives how often it could."""
    done = 0
    with sqlite3.connect(store, timeout=0.2, isolation_level=None) as database:
        while not end.wait(0.05):
            try:
                busy, _, _ = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                done += busy == 0
            except sqlite3.OperationalError:
                continue  # Locked: the next one may succeed.
    return done


def crowd(processes, writers, saves, readers, seconds):
    """All at once; gives the delays, the retries and the checkpoints."""
    total = writers * saves
    reading = [
        processes.start("read", f"reader {number}", OPENSWIFTDATA_TEST_PROCESS_TRANSACTIONS=1 + total)
        for number in range(readers)
    ]
    writing = [
        processes.start("write", f"writer {number}", OPENSWIFTDATA_TEST_PROCESS_SAVES=saves) for number in range(writers)
    ]
    end = threading.Event()
    checkpoints = []
    thread = threading.Thread(target=lambda: checkpoints.append(checkpoint(processes.store, end)))
    thread.start()
    try:
        retries = sum(processes.finish(started, seconds)[0] for started in writing)
        note(f"{total} saves are done")
        delays = [processes.finish(started, seconds) for started in reading]
    finally:
        end.set()
        thread.join()
    for found in delays:
        check(len(found) == 1 + total, f"a reader got {len(found)} transactions of {1 + total}")
    return delays, int(retries), checkpoints[0]


def value(store, sql):
    with sqlite3.connect(store) as database:
        return database.execute(sql).fetchone()[0]


def percentiles(delays):
    ordered = sorted(delays)
    return {part: ordered[min(len(ordered) - 1, int(len(ordered) * part))] for part in (0.5, 0.9, 0.99, 1)}


def milliseconds(found):
    return " ".join(f"p{int(part * 100)}={delay * 1000:.1f}ms" for part, delay in found.items())


def quiet(work, saves=200):
    """One writer that takes its time, one reader: how long a commit takes to arrive."""
    store = work / "quiet.store"
    processes = Processes(work, store)
    try:
        processes.finish(processes.start("seed", "quiet seed"), 120)
        reader = processes.start("read", "quiet reader", OPENSWIFTDATA_TEST_PROCESS_TRANSACTIONS=1 + saves)
        writer = processes.start("write", "quiet writer", OPENSWIFTDATA_TEST_PROCESS_SAVES=saves, OPENSWIFTDATA_TEST_PROCESS_PAUSE=0.03)
        processes.finish(writer, 300)
        # What was there before the reader isn't news.
        return percentiles(processes.finish(reader, 300)[saves // 2:])
    finally:
        processes.stop()


def show(work, writers=8, saves=10_000, readers=4, seconds=7_200):
    """Runs the item; gives its figure."""
    work = pathlib.Path(work)
    alone = quiet(work)
    note(f"one writer: {milliseconds(alone)}")
    check(alone[0.5] < MEDIAN, f"half the commits arrive after more than 20 ms: {milliseconds(alone)}")
    check(alone[0.99] < LATEST, f"commits arrive after more than 100 ms: {milliseconds(alone)}")
    store = work / "crowd.store"
    processes = Processes(work, store)
    try:
        processes.finish(processes.start("seed", "seed"), 120)
        delays, retries, checkpoints = crowd(processes, writers, saves, readers, seconds)
    finally:
        processes.stop()
    total = writers * saves
    stored = value(store, "SELECT sum(value) FROM Counter")
    check(stored == total, f"{total} increments were saved, {stored} are there")
    last = value(store, "SELECT max(number) FROM _history_transaction")
    check(last == 1 + total, f"the history has {last} transactions instead of {1 + total}")
    last_half = [delay for found in delays for delay in found[len(found) // 2:]]
    return (
        f"{writers} writers × {saves} saves, {readers} readers, {checkpoints} checkpoints: no update lost"
        f" ({retries} conflicts tried again), no transaction missed or repeated, never busy;"
        f" alone {milliseconds(alone)}; in the crowd {milliseconds(percentiles(last_half))}"
    )


if __name__ == "__main__":
    import argparse
    import tempfile

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--saves", type=int, default=10_000)
    parser.add_argument("--readers", type=int, default=4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="show-3-remote-") as folder:
        print(show(folder, options.writers, options.saves, options.readers))
