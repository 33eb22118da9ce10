"""Item 2: every capture goes in with the counts that an independent reading gives."""

import gzip
import shutil

from . import independent
from .programs import SAMPLES, check, note

LARGE = "large/all_month_*.from_csv.geojson.gz"


def captures(folder):
    """All GeoJSON captures; the large ones are unpacked into `folder`."""
    found = []
    for part in ("feeds", "replay", "fdsn"):
        found += sorted((SAMPLES / part).glob("*.geojson"))
    for packed in sorted(SAMPLES.glob(LARGE)):
        plain = folder / packed.name.removesuffix(".gz")
        with gzip.open(packed, "rb") as source, open(plain, "wb") as target:
            shutil.copyfileobj(source, target)
        found.append(plain)
    return found


def show(quakes, folder):
    check(SAMPLES.is_dir(), f"the captures are not here: {SAMPLES}")
    events = 0
    files = captures(folder)
    for file in files:
        events += one_capture(quakes, file, folder / f"{file.stem}.store")
    revisions = two_days(quakes, folder / "two-days.store")
    refusals = [refuse(quakes, name, word, folder) for name, word in FOREIGN]
    return (
        f"{len(files)} captures, {events} events kept as counted independently, second runs change "
        f"nothing; {revisions}; {len(refusals)} foreign files refused by name"
    )


def one_capture(quakes, file, store):
    features = independent.features(file)
    expected = independent.kept(features)
    report = quakes.refresh(file, store)
    name = file.name
    note(f"{name}: {report['received']} received, {report['inserted']} inserted")
    check(report["received"] == len(features), f"{name}: received {report['received']}")
    check(
        report["inserted"] == len(expected),
        f"{name}: inserted {report['inserted']}, counted {len(expected)}",
    )
    left_out = sum(not independent.is_kept(feature) for feature in features)
    check(report["filtered"] == left_out, f"{name}: filtered {report['filtered']} of {left_out}")
    check(report["skipped"] == 0, f"{name}: skipped {report['skipped']}")
    wrong = independent.difference(independent.stored(store), expected)
    check(not wrong, f"{name}: {wrong}")
    for more in ((), ("--force",)):
        again = quakes.refresh(file, store, *more)
        check(
            again["inserted"] == 0 and again["updated"] == 0,
            f"{name} again: inserted {again['inserted']}, updated {again['updated']}",
        )
    check(again["unchanged"] == len(expected), f"{name} forced: unchanged {again['unchanged']}")
    return len(expected)


def two_days(quakes, store):
    older, newer = (
        next((SAMPLES / "feeds").glob(f"all_week_{day}T*.geojson")) for day in (20210720, 20210722)
    )
    before, after = independent.kept(older), independent.kept(newer)
    inserted = len(after.keys() - before.keys())
    updated = sum(before[name] != after[name] for name in before.keys() & after.keys())
    quakes.refresh(older, store)
    report = quakes.refresh(newer, store)
    check(
        (report["inserted"], report["updated"]) == (inserted, updated),
        f"two days later: inserted {report['inserted']}, updated {report['updated']}; "
        f"counted {inserted} and {updated}",
    )
    wrong = independent.difference(independent.stored(store), before | after)
    check(not wrong, f"two days later: {wrong}")
    return f"two days later {inserted} new and {updated} revised"


FOREIGN = (
    ("all_day_20161107T100206Z.geojsonp", "JSONP"),
    ("2.5_month_20190719T025548Z.csv", "CSV"),
)


def refuse(quakes, name, word, folder):
    store = folder / "foreign.store"
    done = quakes.run("refresh", "--feed", SAMPLES / "feeds" / name, "--store", store, "--json")
    message = done.stderr.strip()
    note(f"{name}: {message}")
    check(done.returncode != 0, f"{name} was accepted")
    check(word in message, f"{name}: the message does not say {word}: {message}")
    check(not independent.stored(store), f"{name} left events in the store")
    return word
