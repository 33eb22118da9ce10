"""The checks of `make acceptance ONLY=apps`: the applications as their users have them.

Items: 1 the 496 hourly documents of a feed, one after the other: no event of the last week is shown that the last
document hasn't, none twice, all withdrawn ones are marked, and the kept revisions of ten events equal those of an
independent reader of the documents (skipped where there are no captures); 2 eight tabs of each page are live within 2
s, and random orders of marks, visits, notes, photos and their removals, of killed programs, servers and browsers,
closed tabs and lost answers lose and repeat nothing on Landmarks' page, device and server; 3 the page with 20,000 events (at a release's counts also 235,640): first row and whole
list, on a slow line too, filter, range in a chart, memory; 4 `quakes stats` gives the values of an independent
computation, for the catalogue of 235,640 events (skipped where there are no captures); 5 `quakes backfill` loads ten
years from the demo's event service, with faults, killed many times: complete, no event twice, and after each kill what
is recorded as loaded is there, and nothing else; 6 no accessibility violation (axe), keyboard, phone, 200 and 400 %,
contrast and forced colours on both pages; 7 what `quakes list` exports has the same events for independent readers:
pandas, ObsPy, fastkml and feedparser, and `landmarks calendar` for icalendar, which are installed into
`.setup/readers` (needs a network the first time); 8 both pages open without their programs, with the last data and
their age; 9 details of events are asked for once, however many programs and requests want them, tell what an
independent reader of their documents finds, and are there after kills and without the feed; 10 random searches find
the same in the API, from the page's field and address, on the command line and in the statistics, as an independent
reading of their terms does, and terms that cannot be read are refused; 11 photos of visits have the same bytes on
another device, with a server that fails and killed devices and servers, and removed ones are gone; 12 users sign in,
sessions end by sign-out, another password and removal, and no others, and edits made meanwhile are sent once, for
their user, with killed devices and servers.
"""

import bisect
import collections
import contextlib
import csv
import datetime
import gzip
import json
import math
import os
import pathlib
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time

from . import event_details, photos, search_language, sign_in
from .lines import CAPTURES, ROOT, SKIPPED, check, note, run_items
from .programs import Landmarks, Quakes, fetch, fetch_json, wait_for

READERS = ROOT / ".setup" / "readers"
#: The Python that has Playwright.
VENV = ROOT / ".setup" / "venv" / "bin" / "python"
PACKAGES = (
    "feedparser==6.0.14", "fastkml==1.4.0", "icalendar==7.3.2", "lxml==6.1.3", "obspy==1.5.1", "pandas==3.1.1",
)


def catalogue():
    with gzip.open(CAPTURES / "large" / "catalogue_union.csv.gz", "rt", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def milliseconds(text):
    return (moment(text) - datetime.datetime.fromtimestamp(0, datetime.UTC)) // datetime.timedelta(milliseconds=1)


def feature(row):
    number = {name: float(row[name]) if row[name] else None for name in ("mag", "depth", "longitude", "latitude")}
    return {
        "type": "Feature", "id": row["id"],
        "properties": {
            "mag": number["mag"], "magType": row["magType"] or None, "place": row["place"] or None,
            "time": milliseconds(row["time"]), "updated": milliseconds(row["updated"]), "type": row["type"],
            "status": row["status"], "net": row["net"], "code": row["id"][len(row["net"]):], "tsunami": 0, "sig": 0,
        },
        "geometry": {"type": "Point", "coordinates": [number["longitude"], number["latitude"], number["depth"]]},
    }


def law(magnitudes):
    """b, its error and the completeness of magnitudes: Aki, Utsu, Shi and Bolt; Wiemer and Wyss plus 0.2."""
    tenths = [math.floor(value * 10 + 0.5) for value in magnitudes]
    counts = {}
    for bin in tenths:
        counts[bin] = counts.get(bin, 0) + 1
    complete = max(bin for bin, count in counts.items() if count == max(counts.values())) + 2
    used = [bin / 10 for bin in tenths if bin >= complete]
    mean = math.fsum(used) / len(used)
    b = math.log10(math.e) / (mean - (complete / 10 - 0.05))
    squares = math.fsum((value - mean) ** 2 for value in used)
    error = math.log(10) * b * b * math.sqrt(squares / (len(used) * (len(used) - 1)))
    return complete / 10, len(used), b, error, counts


def statistics(scene):
    if not CAPTURES.is_dir():
        return SKIPPED
    quakes, folder, rows = Quakes(scene.product("quakes")), scene.folder("statistics"), catalogue()
    feed, store = folder / "all_month.geojson", folder / "a.store"
    with open(feed, "w", encoding="utf-8") as file:
        json.dump({"type": "FeatureCollection", "metadata": {"status": 200}, "features": [*map(feature, rows)]}, file)
    report = quakes.refresh(feed, store, "--all-magnitudes")
    check(report["inserted"] == len(rows), f"{report['inserted']} of {len(rows)} events were inserted")
    figures = []
    for words, chosen in (
        ((), rows),
        (("--min-magnitude", "4.5"), [row for row in rows if row["mag"] and float(row["mag"]) >= 4.5]),
        (("--since", "2024-01-01"), [row for row in rows if row["time"] >= "2024-01-01"]),
    ):
        shown = json.loads(quakes.run("stats", "--json", *words, "--store", store))
        days = {}
        for row in chosen:
            days[row["time"][:10]] = days.get(row["time"][:10], 0) + 1
        earthquakes = [float(row["mag"]) for row in chosen if row["type"] == "earthquake" and row["mag"]]
        completeness, used, b, error, counts = law(earthquakes)
        total = math.fsum(10 ** (1.5 * value + 9.05) for value in earthquakes)
        wanted = {
            "count": len(chosen), "earthquakes": len(earthquakes), "completeness": completeness,
            "first": min(milliseconds(row["time"]) for row in chosen),
            "last": max(milliseconds(row["time"]) for row in chosen),
        }
        for name, value in wanted.items():
            check(shown[name] == value, f"{words}: {name} is {shown[name]} instead of {value}")
        check({each["day"]: each["count"] for each in shown["days"]} == days, f"{words}: the days differ")
        bins = {round(each["magnitude"] * 10): each["count"] for each in shown["magnitudes"]}
        check(bins == counts, f"{words}: the magnitudes differ")
        check(shown["law"]["count"] == used, f"{words}: the law is of {shown['law']['count']} instead of {used}")
        for name, value, other in (
            ("b", shown["law"]["b"], b), ("error", shown["law"]["error"], error), ("moment", shown["moment"], total)
        ):
            check(abs(value / other - 1) < 1e-9, f"{words}: {name} is {value} instead of {other}")
        figures.append(f"{len(chosen)} events of {len(days)} days: b {b:.3f} ± {error:.3f} from {completeness}")
    return "; ".join(figures)


WEEK, MARGIN = 7 * 86_400_000, 120_000


def polls():
    """The documents of a feed of a week: the time of each, and all of its events by identifier."""
    name = "all_week_hourly_20250504-20250524.ndjson.gz"
    listed = {}
    with gzip.open(CAPTURES / "replay" / name, "rt", encoding="utf-8") as file:
        for line in file:
            poll = json.loads(line)
            listed.update(poll["put"])
            for id in poll["gone"]:
                listed.pop(id, None)
            yield poll["generated"], listed


def document(generated, listed):
    features = []
    for id, (magnitude, place, time, updated, point) in listed.items():
        features.append({
            "type": "Feature", "id": id,
            "properties": {
                "mag": magnitude, "place": place, "time": time, "updated": updated, "net": id[:2], "code": id[2:],
            },
            "geometry": {"type": "Point", "coordinates": point},
        })
    address = "https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/all_week.geojson"
    metadata = {"generated": generated, "url": address, "status": 200, "count": len(features)}
    return {"type": "FeatureCollection", "metadata": metadata, "features": features}


def lives(documents):
    """Each event's forms in the order of the documents: its values, and whether it is withdrawn."""
    forms, updates = collections.defaultdict(list), {}
    for generated, listed in documents:
        for id, (magnitude, place, time, updated, point) in listed.items():
            form = ([magnitude, place, time, *point], False)
            updates[id] = updated
            if not forms[id] or forms[id][-1] != form:
                forms[id].append(form)
        for id, known in forms.items():
            values, is_withdrawn = known[-1]
            is_covered = generated - WEEK + MARGIN <= values[2] <= generated and updates[id] <= generated
            if id not in listed and is_covered and not is_withdrawn:
                known.append((values, True))
        yield generated, listed, forms


def revisions(scene):
    if not CAPTURES.is_dir():
        return SKIPPED
    quakes, folder = Quakes(scene.product("quakes")), scene.folder("revisions")
    feed, store, count = folder / "all_week.geojson", folder / "a.store", 0
    for generated, listed, forms in lives(polls()):
        with open(feed, "w", encoding="utf-8") as file:
            json.dump(document(generated, listed), file)
        quakes.refresh(feed, store, "--all-magnitudes", "--force")
        count += 1
        if count % 50 == 0:
            note(f"{count} documents: {len(forms)} events")
    shown = json.loads(quakes.run("list", "--format", "json", "--store", store))
    covered = [event for event in shown if event["time"] >= generated - WEEK + MARGIN]
    surplus = [event["id"] for event in covered if event["id"] not in listed]
    check(not surplus, f"{len(surplus)} events of the last week are shown and not in the last document")
    check(len({event["id"] for event in shown}) == len(shown), "an event is shown twice")
    check({*listed} <= {event["id"] for event in shown}, "an event of the last document isn't shown")
    withdrawn = {id for id, known in forms.items() if known[-1][1]}
    everything = json.loads(quakes.run("list", "--withdrawn", "--format", "json", "--store", store))
    marked = {event["id"] for event in everything if event["withdrawn"] is not None}
    check(marked == withdrawn, f"{len(marked)} events are marked as withdrawn instead of {len(withdrawn)}")
    chance = random.Random(scene.seed)
    returned = sorted(id for id, known in forms.items() if any(form[1] for form in known[:-1]))
    chosen = sorted(forms, key=lambda id: -len(forms[id]))[:5]
    chosen += chance.sample(returned, 3) + chance.sample(sorted(withdrawn), 2)
    for id in chosen:
        event = json.loads(quakes.run("show", id, "--json", "--store", store))
        found = [
            (
                [form["magnitude"], form["place"], form["time"], form["longitude"], form["latitude"], form["depth"]],
                form["withdrawn"] is not None,
            )
            for form in [*event["revisions"], event]
        ]
        check(found == forms[id], f"{id}: {found} instead of {forms[id]}")
    return (
        f"{count} documents, {len(forms)} events, {len(shown)} shown: 0 of the last week that the last document hasn't,"
        f" 0 twice; {len(withdrawn)} withdrawn, all marked; {len(returned)} had returned; the revisions of"
        f" {len(chosen)} events (up to {max(map(len, forms.values()))}) equal"
    )


FAULTS = ("none", "503", "500", "truncated", "bad-gzip", "malformed", "slow-drip", "html", "404")


def archive(demo, since, until):
    """The times and identifiers that a demo's event service has, asked page by page."""
    events = []
    address = f"{demo.url}/fdsnws/event/1/query?format=geojson&starttime={since}&endtime={until}&orderby=time-asc"
    while page := fetch(f"{address}&limit=20000&offset={len(events) + 1}"):
        events += [(each["properties"]["time"], each["id"]) for each in json.loads(page)["features"]]
    return events


def stored(store):
    if not store.exists():
        return []
    with contextlib.closing(sqlite3.connect(store)) as database:
        check(database.execute("PRAGMA quick_check").fetchall() == [("ok",)], "the store is damaged")
        return [id for (id,) in database.execute('SELECT "eventID" FROM "Quake"')]


def asked(demo):
    """The number of requests that a demo has had."""
    return fetch_json(f"{demo.url}/control/state")["requests"]


def backfills(scene):
    quakes, folder = Quakes(scene.product("quakes")), scene.folder("backfills")
    kills, events = scene.amount(10, 60), scene.amount(1_000, 10_000)
    store, chance, ends = folder / "a.store", random.Random(scene.seed), collections.Counter()
    demo = quakes.demo_feed(
        "--port", "0", "--events", events, "--years", "11", "--anchor", "2026-01-01T00:00:00Z", "--steps",
        log=scene.log("backfill-demo"),
    )
    with demo:
        wanted = archive(demo, "2016-01-01", "2025-12-31T23:59:59.999")
        times = [time for time, _ in wanted]
        words = (
            "backfill", "--from", "2016-01-01", "--to", "2026-01-01", "--service", demo.url, "--all-magnitudes",
            "--store", store,
        )
        begun = time.monotonic()
        quakes.run(*words[:-1], folder / "whole.store")
        usual = time.monotonic() - begun
        kill = 0
        while kill < kills:
            fetch(f"{demo.url}/control/fault?kind=none", post=True)
            fault = chance.choice(FAULTS)
            fetch(f"{demo.url}/control/fault?kind={fault}&after={chance.randrange(1, 4)}", post=True)
            former = asked(demo)
            process = quakes.start(*words)
            # A killed program's lease expires after 12 s, in which the next one waits.
            wait_for("a request", 60, lambda: asked(demo) > former or process.poll() is not None)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(chance.uniform(0, 1) * usual * 4 / kills)
            process.kill()
            ends[process.wait()] += 1
            kill += process.returncode == -signal.SIGKILL
            ids = stored(store)
            ranges = json.loads(quakes.run("coverage", "--json", "--store", store)) if store.exists() else []
            covered = [
                id for each in ranges
                for _, id in wanted[bisect.bisect_left(times, each["since"]):bisect.bisect_left(times, each["until"])]
            ]
            where = f"end {ends.total()} under the fault {fault} (--seed {scene.seed})"
            check(len(set(ids)) == len(ids), f"{where}: an event is stored twice")
            check(set(ids) == set(covered), f"{where}: {len(ids)} events, and {len(covered)} in the loaded ranges")
            note(f"{where}: {len(ids)} events, status {process.returncode}")
            if len(ids) == len(wanted):
                # It was quicker than the kills: once more from the beginning.
                store.unlink()
                for each in folder.glob("a.store-*"):
                    each.unlink()
        fetch(f"{demo.url}/control/fault?kind=none", post=True)
        last = json.loads(quakes.run(*words, "--json"))
        before = asked(demo)
        again = json.loads(quakes.run(*words, "--json"))
        check(again["requests"] == 0, f"the second run sent {again['requests']} requests")
        check(asked(demo) == before, "the second run asked the service")
    for name in (store, folder / "whole.store"):
        ids = stored(name)
        check(len(ids) == len(set(ids)) and set(ids) == {id for _, id in wanted}, f"{name.name}: {len(ids)} events")
    others = ", ".join(f"{count} × {status}" for status, count in sorted(ends.items()) if status != -signal.SIGKILL)
    return (
        f"{len(wanted)} events of ten years complete, none twice, after {kill} kills and ends by faults ({others or 0};"
        f" seed {scene.seed}); the last run loaded {last['received']}, one more 0; a whole run takes {usual:.1f} s"
    )


def readers():
    python = READERS / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", READERS], check=True)
    installed = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", *PACKAGES], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    check(installed.returncode == 0, f"the readers can't be installed: {installed.stderr.strip()[-300:]}")
    return python


def read_by_others(folder, *formats):
    """The findings of independent readers in the files of a folder that are named by their formats."""
    read = subprocess.run(
        [readers(), pathlib.Path(__file__).with_name("export_readers.py"), folder, *formats], capture_output=True,
        text=True, check=False,
    )
    check(read.returncode == 0, f"a reader failed: {read.stderr.strip()[-400:]}")
    return json.loads(read.stdout)


def calendar(scene):
    """The number of visits that a calendar program reads as they are."""
    folder = scene.folder("calendar")
    landmarks = Landmarks(scene.product("landmarks"), "accept-0123456789abcdef")

    def run(*words):
        return landmarks.run(*words, "--store", folder / "device.store")

    with landmarks.serve("--port", "0", "--store", folder / "server.store", log=scene.log("landmarks")) as server:
        run("sync", "--server", server.url)
    notes = ("", "Bring water; two, tickets\n\\ back", "é" * 90, "地震 " * 30 + "\t:", "BEGIN:VEVENT\nEND:VCALENDAR")
    for day, note in enumerate(notes, 1):
        run("reserve", str(1_000 + day), "--on", f"2027-06-{day:02}T10:{day:02}", "--note", note)
    cancelled = json.loads(run("reserve", "--json"))[0]["id"]
    run("reserve", "--cancel", cancelled)
    visits = {visit["id"]: visit for visit in json.loads(run("reserve", "--json"))}
    known = {landmark["id"]: landmark for landmark in json.loads(run("list", "--json"))}
    (folder / "calendar").write_text(run("calendar"), encoding="utf-8", newline="")
    found = read_by_others(folder, "calendar")["calendar"]
    check(found.keys() == visits.keys() and len(found) == len(notes), f"{len(found)} visits of {len(visits)}")
    for id, (begins, lasts, summary, status, text, place) in found.items():
        visit, landmark = visits[id], known[visits[id]["landmarkID"]]
        check((begins, lasts) == (visit["date"], 3_600), f"{id} is at {begins} for {lasts} s")
        check(summary == landmark["name"] and status == visit["status"], f"{id} is {summary}, {status}")
        check(place == f"{landmark['city']}, {landmark['state']}", f"{id} is in {place}")
        check(text.startswith(visit["note"]), f"{id} has the note {text[:80]!r}")
    return len(found)


def exports(scene):
    quakes, folder = Quakes(scene.product("quakes")), scene.folder("exports")
    store = folder / "a.store"
    feed = CAPTURES / "large" / "all_month_20200306T180920Z.from_csv.geojson.gz"
    if CAPTURES.is_dir():
        source = folder / "all_month.geojson"
        source.write_bytes(gzip.decompress(feed.read_bytes()))
    else:
        source = folder / "demo.geojson"
        quakes.run("demo-feed", "--write", source, "--events", "8000", "--anchor", "2026-01-31T00:00:00Z")
    quakes.refresh(source, store, "--all-magnitudes")
    files = folder / "files"
    files.mkdir()
    for name in ("json", "csv", "usgs-csv", "geojson", "kml", "quakeml", "atom"):
        with open(files / name, "wb") as file:
            subprocess.run([quakes.binary, "list", "--format", name, "--store", store], stdout=file, check=True)
    wanted, entries = {}, {}
    for event in json.loads((files / "json").read_text(encoding="utf-8")):
        time = datetime.datetime.fromtimestamp(0, datetime.UTC) + datetime.timedelta(milliseconds=event["time"])
        text = time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        wanted[event["id"]] = [
            event["magnitude"], event["place"], text, event["longitude"], event["latitude"], event["depth"]
        ]
        entries[event["id"]] = event
    found = read_by_others(files, "csv", "usgs-csv", "geojson", "kml", "quakeml", "atom")
    for name, events in found.items():
        check(events.keys() == wanted.keys(), f"{name} has {len(events)} events of {len(wanted)}")
        if name == "atom":
            continue
        for id, values in events.items():
            same = all(
                left == right if not isinstance(right, float) or left is None else abs(left - right) < 1e-9
                for left, right in zip(values, wanted[id], strict=True)
            )
            check(same, f"{name}: {id} is {values} instead of {wanted[id]}")
    for id, (title, _, longitude, latitude) in found["atom"].items():
        event = entries[id]
        check(event["place"] is None or event["place"] in title, f"atom: {id} is called {title}")
        near = abs(longitude - event["longitude"]) + abs(latitude - event["latitude"])
        check(near < 1e-9, f"atom: {id} is at {longitude}, {latitude}")
    # Exported GeoJSON can be loaded again.
    copy = folder / "copy.store"
    quakes.refresh(files / "geojson", copy, "--all-magnitudes")
    again = quakes.run("list", "--format", "json", "--store", copy)
    check(again == (files / "json").read_text(encoding="utf-8"), "GeoJSON loaded again gives other events")
    return (
        f"{len(wanted)} events equal in {', '.join(found)}; GeoJSON loaded again gives the same;"
        f" {calendar(scene)} visits equal in icalendar"
    )


def browsed(scene, program, tests, **environment):
    """Runs tests of a program's page in a browser; returns their number.

    :param tests: The expression of pytest that chooses them.
    """
    log = scene.log(f"browser-{program}")
    with open(log, "ab") as output:
        ended = subprocess.run(
            [ROOT / "Apps/Tests/Browser/run", scene.product(program), "-k", tests, "--numprocesses", "auto"],
            stdin=subprocess.DEVNULL, stdout=output, stderr=output, env={**os.environ, **environment}, check=False,
        )
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    failed = [line.removeprefix("FAILED ") for line in lines if line.startswith(("FAILED ", "ERROR "))]
    check(ended.returncode == 0, f"{'; '.join(failed) or lines[-1]} (see {log})")
    return int(re.search(r"(\d+) passed", lines[-1])[1])


def tabs(scene):
    orders = scene.amount(60, 1_000)
    counts = [browsed(scene, program, "eight_tabs") for program in ("quakes", "landmarks")]
    check(min(counts) > 0, "no test of eight tabs")
    passed = browsed(scene, "landmarks", "random_orders", OPENSWIFTDATA_TEST_ORDERS=str(orders))
    check(passed == orders, f"{passed} of {orders} orders were run")
    return f"eight tabs live within 2 s ({sum(counts)} tests); {orders} random orders, nothing lost or repeated"


def page_times(scene):
    quakes, parts = Quakes(scene.product("quakes")), []
    sizes = [20_000, 235_640] if scene.scale == "release" else [20_000]
    for size in sizes:
        folder = scene.folder(f"page-{size}")
        feed, store = folder / "feed.geojson", folder / "quakes.store"
        quakes.run("demo-feed", "--write", feed, "--events", size)
        quakes.refresh(feed, store, "--all-magnitudes")
        with quakes.serve(
            "--port", 0, "--feed", feed, "--store", store, "--all-magnitudes", log=scene.log(f"page-{size}")
        ) as server:
            ended = subprocess.run(
                [VENV, pathlib.Path(__file__).with_name("page_figures.py"), server.url], capture_output=True, text=True,
                check=False)
        check(ended.returncode == 0, f"{size} events: {ended.stderr.strip()[-400:]}")
        found = json.loads(ended.stdout)
        (first, whole), (late, last) = found["fast"], found["slow"]
        if size == 20_000:
            check(late <= 1_000 and last <= 5_000, f"slow line: first row {late:.0f} ms, whole list {last:.0f} ms")
        parts.append(
            f"{size:,} events: first row {first:.0f} ms, whole list {whole:.0f} ms (slow line {late:.0f}, {last:.0f}),"
            f" filter {found['filter']:.0f} ms, range in a chart {found['brush']:.0f} ms, {found['heap']:.0f} MiB")
    return "; ".join(parts)


def accessible(scene):
    quakes = browsed(scene, "quakes", "test_access or forced_colours or accessib or phone or axe")
    landmarks = browsed(scene, "landmarks", "forced_colours or accessib or keyboard or phone or axe or enlarged")
    return f"{quakes} tests of Quakes' page, {landmarks} of Landmarks'"


def without_programs(scene):
    quakes, landmarks = browsed(scene, "quakes", "without_server"), browsed(scene, "landmarks", "without_program")
    return f"{quakes} tests of Quakes' page, {landmarks} of Landmarks'"


def main(words):
    items = {
        "1": revisions, "2": tabs, "3": page_times, "4": statistics, "5": backfills, "6": accessible, "7": exports,
        "8": without_programs, "9": lambda scene: event_details.figure(scene, browsed),
        "10": search_language.figure, "11": lambda scene: photos.figure(scene, browsed),
        "12": lambda scene: sign_in.figure(scene, browsed),
    }
    return run_items("apps", __doc__, items, words)
