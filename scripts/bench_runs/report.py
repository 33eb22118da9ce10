"""Prints and writes the measurements."""

import json

from .runner import PACKAGE

TITLES = {
    "W1": "bulk insert into an empty store",
    "W2": "bulk upsert, a tenth changed",
    "W3": "insert as models and save",
    "W4": "fetch all as models, read every property",
    "W5": "fetch all as values",
    "W6": "10,000 look-ups by unique key",
    "W7": "1,000 × filter, sort, limit 100 on an index",
    "W8": "edit 10,000 models and save",
    "W9": "delete 10,000 with cascade to 30,000",
    "W10": "walk 1,000 parents × 20 children",
    "W11": "counts, sums and groups",
    "W12": "live list while 20 batches of 100 arrive",
    "W13": "feed import: bytes on disk to committed rows",
    "W14": "open a store and fetch the first page",
    "W15": "text search in 235,640 places",
    "P1": "PostgreSQL: bulk insert with history",
    "P2": "PostgreSQL: bulk upsert, a tenth changed, with history",
    "P3": "PostgreSQL: insert as models and save, a tenth of the rows",
    "P4": "PostgreSQL: fetch all as values",
    "P5": "PostgreSQL: 10,000 look-ups by unique key, one after the other",
    "P6": "PostgreSQL: 10,000 look-ups at once",
    "P7": "PostgreSQL: small saves with history, one connection",
    "P7-8": "PostgreSQL: the same on 8 connections",
    "P7-32": "PostgreSQL: the same on 32 connections",
    "P7-128": "PostgreSQL: the same on 128 connections",
    "P8": "PostgreSQL: small saves of 32 stores at once, the floor without history",
    "JSON": "feed to structures: bytes in memory to what is wanted of each element",
}
# The goals: maximum ratios of the library to the floor.
GOALS = {
    ("W1", "openswiftdata"): 0.7, ("W2", "openswiftdata"): 0.55, ("W3", "openswiftdata"): 1.0,
    ("W4", "openswiftdata"): 1.25, ("W5", "openswiftdata"): 1.05, ("W6", "openswiftdata"): 1.0,
    ("W6", "openswiftdata-warm"): 0.1, ("W7", "openswiftdata"): 1.0, ("W8", "openswiftdata"): 1.2,
    ("W10", "openswiftdata"): 2.0, ("W13", "openswiftdata"): 0.3,
    ("JSON", "openswiftdata"): 0.33, ("JSON", "openswiftdata-macro"): 0.1,
    ("P1", "openswiftdata"): 1.15, ("P2", "openswiftdata"): 1.2, ("P3", "openswiftdata"): 1.5,
    ("P4", "openswiftdata"): 1.1, ("P4", "openswiftdata-models"): 1.5, ("P5", "openswiftdata"): 1.15,
    ("P6", "openswiftdata"): 1.2, ("P7", "openswiftdata"): 1.1, ("P7-8", "openswiftdata"): 1.1,
    ("P7-32", "openswiftdata"): 1.1, ("P8", "openswiftdata"): 1.25,
}


def aimed(workload):
    """The implementations of a workload that have a goal for their ratio."""
    return [name for of, name in GOALS if of == workload]


def matches(found):
    """The implementations whose checksum is the floor's."""
    floor = next(iter(found.values()))
    expected = next(iter(floor.checksums))
    return {name: each.checksums == {expected} for name, each in found.items()}


def table(workload, found):
    print(f"\n{workload}  {TITLES.get(workload, '')}")
    floor = next(iter(found.values()))
    right = matches(found)
    for name, each in found.items():
        if not right[name]:
            print(f"  {name:<24} checksum differs from the floor's: {next(iter(each.checksums))}")
            continue
        goal = GOALS.get((workload, name))
        mark = "" if goal is None else f"  goal ≤ {goal}" + ("" if each.ratio(floor) <= goal else " (missed)")
        print(f"  {name:<24} {each.median * 1_000:>10.2f} ms {each.ratio(floor):>8.2f} {each.peak:>8.1f} MB{mark}",
              flush=True)


def entries(workload, found, rows):
    floor = next(iter(found.values()))
    right = matches(found)
    return [
        {
            "workload": workload, "implementation": name, "rows": rows,
            "median_s": each.median if right[name] else None,
            "ratio": round(each.ratio(floor), 4) if right[name] else None,
            "rounds": len(each.seconds), "peak_mb": round(each.peak, 1), "checksum": next(iter(each.checksums)),
            "checksum_matches": right[name],
        }
        for name, each in found.items()
    ]


def write(results, name):
    file = PACKAGE / name
    file.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(f"\nwritten: {file}")
