"""Item 4: how fast a client takes and sends, beside SQLite's C interface."""

import json
import statistics
import subprocess

from show_2.swift import check, note

from .built import program

GOAL = 50_000
EDITS = 10_000
ROUNDS = 3


def run(binary, *words):
    done = subprocess.run(
        [str(binary), *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=1_800,
    )
    check(done.returncode == 0, f"{binary.name} {words[0]}: {done.stderr.strip()[-300:]}")
    return json.loads(done.stdout)


def show(swift, work, count):
    status, text = swift.run(
        "build-release", "build", "--configuration", "release", "--product", "sync-speed")
    check(status == 0, f"sync-speed doesn't build: {text.strip()[-300:]}")
    binary = program("sync-speed", "release")
    folder = work / "speed"
    folder.mkdir()
    recorded = run(binary, "record", folder, count)
    check(recorded["objects"] == count, f"{recorded['objects']:.0f} of {count} objects were recorded")
    found = {"pull": [], "push": [], "insert": [], "update": []}
    for number in range(ROUNDS):
        for file in [*folder.glob("client.store*"), *folder.glob("raw.store*")]:
            file.unlink()
        pulled = run(binary, "pull", folder)
        check(pulled["objects"] == count, f"{pulled['objects']:.0f} of {count} objects were pulled")
        pushed = run(binary, "push", folder, EDITS)
        check(pushed["edits"] == EDITS, f"{pushed['edits']:.0f} of {EDITS} edits were pushed")
        raw = run(binary, "raw", folder, count, EDITS)
        found["pull"].append(pulled["persecond"])
        found["push"].append(pushed["persecond"])
        found["insert"].append(raw["insert"])
        found["update"].append(raw["update"])
        note(f"round {number + 1}: {pulled['persecond']:.0f} objects/s, {pushed['persecond']:.0f} edits/s")
    best = {name: statistics.median(rates) for name, rates in found.items()}
    figure = (
        f"first pull of {count} objects from recorded pages: {best['pull']:.0f} objects/s (goal {GOAL}), raw"
        f" upsert of the rows {best['insert']:.0f}/s; push of {EDITS} edits in batches of 500:"
        f" {best['push']:.0f} edits/s, raw {best['update']:.0f}/s; medians of {ROUNDS} rounds; a real server"
        f" makes the pages at {count / recorded['server']:.0f} objects/s"
    )
    check(best["pull"] >= GOAL, figure)
    return figure
