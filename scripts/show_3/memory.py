"""Item 2: an import and a live list of a million events in little memory."""

import json
import pathlib
import subprocess

from show_2.swift import ROOT, check, note

LIMIT = 60_000_000
# A page and what the framework itself needs; not what a million events would take.
LIST_LIMIT = 40_000_000
ADDED = 100


def measured(program, store, mode, count):
    """What a process of its own says of its memory."""
    note(f"{program.name} {mode} {count}")
    done = subprocess.run(
        [str(program), mode, str(store), str(count)], stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=1_800,
    )
    check(done.returncode == 0, f"{mode}: {done.stderr.strip()[-300:]}")
    return json.loads(done.stdout)


def megabytes(count):
    return f"{count / 1e6:.1f} MB"


def show(swift, work, count):
    swift.build()
    found = subprocess.run(
        ["swift", "build", "--show-bin-path"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    program = pathlib.Path(found.stdout.strip()) / "memory-program"
    check(program.exists(), f"{program} isn't built")
    store = work / "memory.store"
    imported = measured(program, store, "import", count)
    listed = measured(program, store, "live", ADDED)
    check(imported["inserted"] == count, f"{imported['inserted']} of {count} events were inserted")
    check(listed["listed"] == count + ADDED, f"the list has {listed['listed']} events")
    shown = listed["shown"] - listed["before"]
    followed = listed["followed"] - listed["before"]
    figure = (
        f"{count} events: batch insert peaks at {megabytes(imported['peak'])}"
        f" ({megabytes(imported['before'])} before it); a live list of all, a page of 100 shown, takes"
        f" {megabytes(shown)} more, {megabytes(followed)} after a batch of {ADDED};"
        f" {megabytes(listed['mapped'])} of the file are mapped meanwhile"
    )
    check(imported["peak"] < LIMIT, figure)
    check(max(shown, followed) < LIST_LIMIT, figure)
    return figure
