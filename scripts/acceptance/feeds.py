"""The checks of `make acceptance ONLY=feeds`: from a feed to a local copy, with the program `quakes`.

Items: 1 a clean clone serves a page, also without a network; 2 every capture of a real feed gives the counts of an
independent reading, and nothing changes the second time (skipped where there are no captures); 3 an import that is
killed leaves the old copy or the new one.
"""

import contextlib
import gzip
import json
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import time

from .lines import CAPTURES, ROOT, SKIPPED, check, note, run_items
from .programs import Quakes, Server, fetch, fetch_json, wait_for

# A clean clone has to be built first.
PAGE_SECONDS = 600
COLUMNS = (
    "eventID, magnitude, magnitudeType, place, time, updated, longitude, latitude, depth, type, status, alert, tsunami,"
    " felt, significance, url"
)
# The maximum time from the first bytes in the log to a kill, in seconds.
COMMIT_WINDOW = 0.02


def clean_clone(scene):
    folder = scene.folder("clone")
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(folder / "tree")], check=True)
    with socket.socket() as probe:
        # A feed without a server.
        probe.bind(("127.0.0.1", 0))
        feed = f"http://127.0.0.1:{probe.getsockname()[1]}/all_day.geojson"
    begun = time.monotonic()
    with Server(
        "make", "run", "PORT=0", f"STORE={folder / 'run.store'}", f"FEED={feed}", log=scene.log("make-run"),
        folder=folder / "tree", patience=PAGE_SECONDS,
    ) as server:
        check(b"<html" in fetch(server.url).lower(), "no page is served")
        elapsed = time.monotonic() - begun
        wait_for("the failure to be reported", 120, lambda: fetch_json(f"{server.url}/api/status")["lastError"])
        wait_for("a word about make demo", 10, lambda: "make demo" in server.output())
    return f"page up after {elapsed:.0f} s; without a network it says so and points to make demo"


def counts(scene):
    if not CAPTURES.is_dir():
        return SKIPPED
    quakes, folder, total = Quakes(scene.product("quakes")), scene.folder("counts"), 0
    files = sorted([*CAPTURES.glob("[fr]*/*.geojson"), *CAPTURES.glob("large/all_month_*.geojson.gz")])
    for number, file in enumerate(files):
        with (gzip.open if file.suffix == ".gz" else open)(file, "rt", encoding="utf-8") as text:
            magnitudes = [each["properties"].get("mag") or 0 for each in json.load(text)["features"]]
        kept = sum(magnitude > 0 for magnitude in magnitudes)
        wanted = {"received": len(magnitudes), "filtered": len(magnitudes) - kept, "inserted": kept}
        for more, expected in (
            ((), wanted | {"skipped": 0}), ((), {"inserted": 0, "updated": 0}),
            (("--force",), {"inserted": 0, "updated": 0, "unchanged": kept}),
        ):
            report = quakes.refresh(file, folder / f"{number}.store", *more)
            check(expected.items() <= report.items(), f"{file.name}: {report} instead of {expected}")
        note(f"{file.name}: {wanted}")
        total += kept
    return f"{len(files)} captures, {total} events kept as counted independently, second runs change nothing"


def kills(scene):
    """A transaction of this size reaches the disk when it is committed, and only then. So every other kill comes within
    the commit, when the log has its first bytes, or just after it; the others at any moment of the import."""
    quakes, folder, count = Quakes(scene.product("quakes")), scene.folder("kills"), scene.amount(20, 200)
    older, newer = (folder / f"{name}.geojson" for name in ("older", "newer"))
    # The events of the first are all in the second, with other values.
    for feed, size, day in ((older, 15_000, "2026-01-31"), (newer, 20_000, "2026-02-01")):
        quakes.run("demo-feed", "--write", feed, "--events", size, "--anchor", f"{day}T00:00:00Z")
    start, whole, store = (folder / f"{name}.store" for name in ("older", "whole", "killed"))
    quakes.refresh(older, start)
    copy(start, whole)
    begun = time.monotonic()
    quakes.refresh(newer, whole)
    usual = time.monotonic() - begun
    old, new = events(start), events(whole)
    check(len(new) > len(old) > 10_000, "the feeds have too few events")
    chance, outcomes, missed = random.Random(scene.seed), [], 0
    while len(outcomes) < count:
        copy(start, store)
        process = quakes.start("refresh", "--feed", newer, "--store", store)
        if len(outcomes) % 2:
            time.sleep(chance.uniform(0, usual))
        else:
            # Closing a store deletes its log, so any byte is of this import. No pause here: the commit takes
            # milliseconds.
            while not log_size(store) and process.poll() is None:
                pass
            time.sleep(COMMIT_WINDOW * chance.random() ** 3)
        process.kill()
        if process.wait() != -signal.SIGKILL:
            missed += 1
            check(missed < 5 * count, "the import is too quick to be killed")
            continue
        kill = f"kill {len(outcomes) + 1} (--seed {scene.seed})"
        found = query(store, "PRAGMA integrity_check")
        check(found == [("ok",)], f"{kill}: {found[:3]}")
        left = events(store)
        check(left in (old, new), f"{kill}: neither the old nor the new copy")
        outcomes.append("old" if left == old else "new")
        quakes.refresh(newer, store)
        check(events(store) == new, f"{kill}: the next refresh did not complete the copy")
        note(f"{kill}: {outcomes[-1]} copy")
    return (
        f"{count} kills, half of them in the commit (seed {scene.seed}): integrity clean, {outcomes.count('old')} old"
        f" and {outcomes.count('new')} new copies, all completed after"
    )


def log_size(store):
    try:
        return store.with_name(store.name + "-wal").stat().st_size
    except FileNotFoundError:
        return 0


def query(store, sql):
    # Not read-only: after a crash, SQLite has to recover the file.
    with contextlib.closing(sqlite3.connect(store, timeout=30)) as database:
        return database.execute(sql).fetchall()


def events(store):
    """The content of a store without its row numbers."""
    return query(store, f'SELECT {COLUMNS} FROM "Quake" ORDER BY eventID')


def copy(source, target):
    """Replaces the store of a killed process by a copy of a closed one."""
    for ending in ("", "-wal", "-shm"):
        side, place = (store.with_name(store.name + ending) for store in (source, target))
        place.unlink(missing_ok=True)
        if side.exists():
            shutil.copyfile(side, place)


def main(words):
    return run_items("feeds", __doc__, {"1": clean_clone, "2": counts, "3": kills}, words)
