"""Item 5: the memory of an import does not grow with the feed; its time beside that of plain C."""

import json
import pathlib
import shutil
import subprocess
import sys

from . import independent
from .programs import ROOT, check, note, surroundings

SIZES = (20_000, 100_000, 1_000_000)
TIMED = 100_000
ROUNDS = 3
SPREAD = 0.20
# The first moment of every synthetic feed, so that two runs import the same bytes.
ANCHOR = "2026-01-31T00:00:00Z"
PEAK = pathlib.Path(__file__).with_name("peak.py")


def show(quakes, folder):
    peaks = {}
    for size in SIZES:
        feed = write_feed(quakes, size, folder)
        peaks[size] = measured_import(quakes, feed, folder / f"{size}.store")
        note(f"{size} events: peak {mebibytes(peaks[size]['peak'])} MiB, "
             f"{peaks[size]['seconds']:.2f} s")
        count = len(independent.stored(folder / f"{size}.store"))
        check(count > size * 0.8, f"only {count} of {size} events went in")
        remove_store(folder / f"{size}.store")
        if size != TIMED:
            feed.unlink()
    figures = [result["peak"] for result in peaks.values()]
    spread = (max(figures) - min(figures)) / min(figures)
    ratio = against_floor(quakes, folder)
    text = (
        "peak memory "
        + ", ".join(f"{mebibytes(peaks[size]['peak'])} MiB at {size}" for size in SIZES)
        + f" (spread {spread:.0%}); {ratio}"
    )
    check(spread <= SPREAD, text)
    return text


def mebibytes(count):
    return f"{count / 2**20:.1f}"


def write_feed(quakes, size, folder):
    feed = folder / f"{size}.geojson"
    done = quakes.run(
        "demo-feed", "--write", feed, "--events", size, "--anchor", ANCHOR, seconds=900
    )
    check(done.returncode == 0, f"writing {size} events: {done.stderr.strip()[-200:]}")
    return feed


def remove_store(store):
    for ending in ("", "-wal", "-shm"):
        store.with_name(store.name + ending).unlink(missing_ok=True)


def measured_import(quakes, feed, store):
    return measured(quakes.binary, "refresh", "--feed", feed, "--store", store, "--json")


def measured(*command):
    done = subprocess.run(
        [sys.executable, str(PEAK), *map(str, command)], stdin=subprocess.DEVNULL,
        capture_output=True, text=True, env=surroundings(), timeout=1_800,
    )
    check(done.returncode == 0, f"{command[1]}: {done.stderr.strip()[-300:]}")
    return json.loads(done.stdout)


def against_floor(quakes, folder):
    """The import beside a C program that gets the same rows ready-made: no JSON, no checks."""
    rows, program = folder / "rows.tsv", folder / "floor"
    write_rows(folder / f"{TIMED}.geojson", rows)
    compile_floor(program)
    imports, floors = [], []
    for _ in range(ROUNDS):
        for name in ("import.store", "floor.store"):
            remove_store(folder / name)
        imported = measured_import(quakes, folder / f"{TIMED}.geojson", folder / "import.store")
        imports.append(imported["seconds"])
        floors.append(measured(program, rows, folder / "floor.store")["seconds"])
    ours, theirs = (len(independent.stored(folder / name))
                    for name in ("import.store", "floor.store"))
    check(ours == theirs, f"{ours} rows and {theirs} rows of the C program")
    return (
        f"{TIMED} events in {min(imports):.2f} s, C program without JSON {min(floors):.2f} s, "
        f"ratio {min(imports) / min(floors):.2f} (best of {ROUNDS} interleaved rounds)"
    )


def write_rows(feed, target):
    """The kept events as lines of tab-separated values; a backslash and N mean NULL."""
    with open(target, "w", encoding="utf-8") as file:
        for feature in independent.features(feed):
            if not independent.is_kept(feature):
                continue
            properties = feature["properties"]
            values = [*independent.content(feature), properties.get("code"), properties.get("net")]
            values[12] = int(values[12])
            file.write("\t".join(map(text, values)) + "\n")


def text(value):
    return "\\N" if value is None else str(value).replace("\t", " ").replace("\n", " ")


def compile_floor(program):
    compiler = shutil.which("cc") or shutil.which("clang")
    check(compiler is not None, "there is no C compiler for the floor")
    done = subprocess.run(
        [compiler, "-O2", "-Wall", "-Werror", "-o", str(program),
         str(ROOT / "scripts" / "show-1-floor.c"), "-lsqlite3"],
        capture_output=True, text=True,
    )
    check(done.returncode == 0, f"the floor does not compile: {done.stderr[-300:]}")
