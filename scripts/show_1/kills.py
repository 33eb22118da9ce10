"""Item 4: an import that is killed leaves the old copy or the new one, never a mixture."""

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
    killed = missed = open_transactions = 0
    store = folder / "killed.store"
    while killed < KILLS:
        copy_store(start, store)
        # Every other kill comes late, where the transaction is written out and committed.
        moment = chance.uniform(0 if killed % 2 else usual * 0.7, usual)
        if not kill_import(quakes, newer, store, moment):
            missed += 1
            check(missed < 5 * KILLS, "the import is too quick to be killed")
            continue
        killed += 1
        wal = store.with_name(store.name + "-wal")
        open_transactions += wal.exists() and wal.stat().st_size > 0
        found = independent.integrity(store)
        check(found == ["ok"], f"killed after {moment:.3f} s: {found[:3]}")
        outcome = copies.get(independent.digest(store))
        check(outcome is not None, f"killed after {moment:.3f} s: neither the old nor the new copy")
        outcomes[outcome] += 1
        quakes.refresh(newer, store)
        check(
            independent.digest(store) == wanted,
            f"killed after {moment:.3f} s: the next refresh did not complete the copy",
        )
        note(f"kill {killed} after {moment:.3f} s: {outcome} copy")
    return (
        f"{KILLS} kills within {usual:.2f} s (seed {seed}), {open_transactions} with a log on disk: "
        f"integrity clean, {outcomes['old']} old and {outcomes['new']} new copies, all completed after"
    )


def kill_import(quakes, feed, store, moment):
    """Kills an import after `moment` seconds; false when it was over before."""
    process = subprocess.Popen(
        [str(quakes.binary), "refresh", "--feed", str(feed), "--store", str(store), "--json"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=surroundings(),
    )
    try:
        process.wait(moment)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
    return process.wait() == -signal.SIGKILL
