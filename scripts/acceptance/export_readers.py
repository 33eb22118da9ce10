"""Reads exports of `quakes list` and `landmarks calendar` with independent readers, and prints their events as JSON:
{format: {id: values}}.

Run with the Python of `apps.py`, which has the readers: `export_readers.py FOLDER FORMAT…`. A file is `FOLDER/FORMAT`.
"""

import json
import math
import pathlib
import sys
import warnings

warnings.simplefilter("ignore")


def known(value):
    return None if value is None or (isinstance(value, float) and math.isnan(value)) else value


def csv(file):
    import pandas

    table = pandas.read_csv(file, keep_default_na=False, na_values={"depth": [""], "magnitude": [""]})
    return {
        row.id: [known(row.magnitude), row.place, row.time, row.longitude, row.latitude, known(row.depth)]
        for row in table.itertuples()
    }


def usgs_csv(file):
    import pandas

    table = pandas.read_csv(file, keep_default_na=False, na_values={"depth": [""], "mag": [""]})
    return {
        row.id: [known(row.mag), row.place, row.time, row.longitude, row.latitude, known(row.depth)]
        for row in table.itertuples()
    }


def geojson(file):
    import datetime

    found = {}
    for feature in json.loads(file.read_text(encoding="utf-8"))["features"]:
        properties, point = feature["properties"], feature["geometry"]["coordinates"]
        time = datetime.datetime.fromtimestamp(0, datetime.UTC) + datetime.timedelta(milliseconds=properties["time"])
        text = time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        found[feature["id"]] = [
            properties["mag"], properties["place"], text, point[0], point[1], point[2] if len(point) > 2 else None
        ]
    return found


def kml(file):
    from fastkml import KML

    found = {}
    for placemark in KML.parse(file, strict=False).features[0].features:
        data = {each.name: each.value for each in placemark.extended_data.elements}
        point = placemark.geometry
        found[data["id"]] = [
            float(data["magnitude"]) if "magnitude" in data else None, data.get("place"), data["time"], point.x, point.y,
            float(data["depth"]) if "depth" in data else None,
        ]
    return found


def quakeml(file):
    import obspy

    found = {}
    for event in obspy.read_events(str(file), format="QUAKEML"):
        origin, magnitude = event.preferred_origin(), event.preferred_magnitude()
        place = event.event_descriptions[0].text if event.event_descriptions else None
        time = origin.time.datetime.isoformat(timespec="milliseconds") + "Z"
        found[str(event.resource_id).split("/", 2)[2]] = [
            magnitude.mag if magnitude else None, place, time, origin.longitude, origin.latitude,
            None if origin.depth is None else origin.depth / 1000,
        ]
    return found


def atom(file):
    import feedparser

    feed = feedparser.parse(str(file))
    assert not feed.bozo and feed.version == "atom10" and feed.feed.updated, feed
    # The title has the magnitude, rounded, before the place.
    return {
        entry.id.split(":", 2)[2]: [entry.title, entry.updated, *map(float, entry.where["coordinates"])]
        for entry in feed.entries
    }


def calendar(file):
    import icalendar

    found = {}
    for visit in icalendar.Calendar.from_ical(file.read_bytes()).walk("VEVENT"):
        begins, ends = visit.start, visit.end
        found[str(visit["UID"])] = [
            int(begins.timestamp() * 1_000), (ends - begins).total_seconds(), str(visit["SUMMARY"]),
            str(visit["STATUS"]).lower(), str(visit.get("DESCRIPTION", "")), str(visit["LOCATION"]),
        ]
    return found


READERS = {
    "csv": csv, "usgs-csv": usgs_csv, "geojson": geojson, "kml": kml, "quakeml": quakeml, "atom": atom,
    "calendar": calendar,
}


def main():
    folder = pathlib.Path(sys.argv[1])
    json.dump({name: READERS[name](folder / name) for name in sys.argv[2:]}, sys.stdout)


main()
