"""Item 4: an import that is killed leaves the old copy or the new one, never a mixture.

A transaction of this size reaches the disk when it is committed, and only then. So every other kill
waits for the first bytes in the write-ahead log, and comes within the commit or just after it; the
others come at any moment of the import.
"""

import gzip
import random
import shutil
import signal
import subprocess
import time

from . import independent
from .programs import SAMPLES, check, note, surroundings

OLDER = "all_month_20200306T180920Z.from_csv.geojson.gz"
NEWER = "all_month_20200611T153421Z.from_csv.geojson.gz"
KILLS = 20
# How long after the first bytes in the log a kill comes at most, in seconds.
COMMIT_WINDOW = 0.02


def unpack(name, folder):
    plain = folder / name.removesuffix(".gz")
    with gzip.open(SAMPLES / "large" / name, "rb") as source, open(plain, "wb") as target:
        shutil.copyfileobj(source, target)
    return plain


def copy_store(source, target):
    for ending in ("", "-wal", "-shm"):
        target.with_name(target.name + ending).unlink(missing_ok=True)
        side = source.with_name(source.name + ending)
        if side.exists():
            shutil.copyfile(side, target.with_name(target.name + ending))


def show(quakes, folder, seed):
    check(SAMPLES.is_dir(), f"the captures are not here: {SAMPLES}")
    older, newer = unpack(OLDER, folder), unpack(NEWER, folder)
    start, whole = folder / "older.store", folder / "whole.store"
    quakes.refresh(older, start)
    copy_store(start, whole)
    begun = time.monotonic()
    quakes.refresh(newer, whole)
    usual = time.monotonic() - begun
    copies = {independent.digest(start): "old", independent.digest(whole): "new"}
    wanted = independent.digest(whole)
    check(len(copies) == 2, "the two months give the same copy")

    chance = random.Random(seed)
    outcomes = {"old": 0, "new": 0}
    killed = missed = logged = 0
    store = folder / "killed.store"
    while killed < KILLS:
        copy_store(start, store)
        late = killed % 2 == 0
        if late:
            died = kill_at_commit(quakes, newer, store, COMMIT_WINDOW * chance.random() ** 3)
        else:
            died = kill_after(quakes, newer, store, chance.uniform(0, usual))
        if not died:
            missed += 1
            check(missed < 5 * KILLS, "the import is too quick to be killed")
            continue
        killed += 1
        logged += log_size(store) > 0
        found = independent.integrity(store)
        check(found == ["ok"], f"kill {killed}: {found[:3]}")
        outcome = copies.get(independent.digest(store))
        check(outcome is not None, f"kill {killed}: neither the old nor the new copy")
        outcomes[outcome] += 1
        quakes.refresh(newer, store)
        check(
            independent.digest(store) == wanted,
            f"kill {killed}: the next refresh did not complete the copy",
        )
        note(f"kill {killed}{' in the commit' if late else ''}: {outcome} copy")
    return (
        f"{KILLS} kills, half of them in the commit (seed {seed}), {logged} with a log on disk: integrity "
        f"clean, {outcomes['old']} old and {outcomes['new']} new copies, all completed after"
    )


def begin_import(quakes, feed, store):
    return subprocess.Popen(
        [str(quakes.binary), "refresh", "--feed", str(feed), "--store", str(store), "--json"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=surroundings(),
    )


def kill_after(quakes, feed, store, moment):
    """Kills an import after `moment` seconds; false when it was over before."""
    process = begin_import(quakes, feed, store)
    try:
        process.wait(moment)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


def kill_at_commit(quakes, feed, store, delay):
    """Kills an import `delay` seconds after its first bytes reach the log."""
    process = begin_import(quakes, feed, store)
    # The log of a store that was closed is gone, so any byte is of this import. No pause here: the
    # commit takes milliseconds.
    while log_size(store) == 0 and process.poll() is None:
        pass
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


def log_size(store):
    try:
        return store.with_name(store.name + "-wal").stat().st_size
    except FileNotFoundError:
        return 0
