"""What a feed holds and what a store holds, read without any code of the project."""

import gzip
import hashlib
import json
import sqlite3

# Seconds from 1970 to 2001, where Swift's dates count from.
REFERENCE = 978_307_200


def features(path):
    opened = gzip.open(path, "rt") if str(path).endswith(".gz") else open(path, encoding="utf-8")
    with opened as file:
        return json.load(file)["features"]


def is_kept(feature):
    magnitude = feature["properties"].get("mag")
    return magnitude is not None and magnitude > 0


def content(feature):
    """The values of an event that Quakes keeps, in the order of `stored`."""
    properties = feature["properties"]
    point = feature["geometry"]["coordinates"]
    updated = properties.get("updated")
    status = properties.get("status")
    return (
        feature["id"],
        properties["mag"],
        properties.get("magType"),
        properties.get("place"),
        seconds(properties["time"]),
        seconds(properties["time"] if updated is None else updated),
        point[0],
        point[1],
        point[2] if len(point) > 2 else None,
        properties.get("type") or "earthquake",
        None if status is None else status.lower(),
        properties.get("alert"),
        bool(properties.get("tsunami") or 0),
        properties.get("felt"),
        properties.get("sig") or 0,
        properties.get("url"),
    )


def seconds(milliseconds):
    # A date's double has microseconds left at this distance from its origin.
    return round(milliseconds / 1000 - REFERENCE, 3)


def kept(path_or_features):
    """The last content of each kept event, by id."""
    if not isinstance(path_or_features, list):
        path_or_features = features(path_or_features)
    return {feature["id"]: content(feature) for feature in path_or_features if is_kept(feature)}


COLUMNS = (
    "eventID, magnitude, magnitudeType, place, time, updated, longitude, latitude, depth, type,"
    " status, alert, tsunami, felt, significance, url"
)


def connect(store):
    # Not read-only: after a crash, SQLite itself must be able to bring the file in order.
    return sqlite3.connect(store, timeout=30)


def stored(store):
    """The content of each event in a store, by id."""
    database = connect(store)
    try:
        rows = {}
        for row in database.execute(f'SELECT {COLUMNS} FROM "Quake"'):
            values = list(row)
            values[4], values[5] = round(values[4], 3), round(values[5], 3)
            values[12] = bool(values[12])
            rows[values[0]] = tuple(values)
        return rows
    finally:
        database.close()


def digest(store):
    """A fingerprint of all events in a store, whatever their row numbers."""
    total = hashlib.sha256()
    for _, values in sorted(stored(store).items()):
        total.update(repr(values).encode())
    return total.hexdigest()


def integrity(store):
    database = connect(store)
    try:
        return [row[0] for row in database.execute("PRAGMA integrity_check")]
    finally:
        database.close()


def difference(mine, theirs):
    """In how many events two copies differ, and the first of them, for messages."""
    names = [name for name in mine.keys() | theirs.keys() if mine.get(name) != theirs.get(name)]
    if not names:
        return ""
    first = min(names)
    return f"{len(names)} events differ; {first}: {mine.get(first)} and {theirs.get(first)}"
