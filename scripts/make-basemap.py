#!/usr/bin/env python3
"""Compact Natural Earth's 110m countries into the base map of the Quakes page.

Natural Earth is public domain (https://www.naturalearthdata.com/about/terms-of-use/). The PyPI
wheel geopandas 0.14.4 carries its 1:110m countries as the shapefile `naturalearth_lowres`; this
script fetches that wheel with pip (or takes one with --wheel), reads the polygons and writes

    {"scale": 100, "land": [[dx, dy, ...], ...], "holes": {...}, "coast": [...], "borders": [...]}

where every list is a ring or line of coordinates in 1/scale degrees: the first pair absolute, the
others as differences from the pair before. `holes` maps the number of a land ring to its holes.
`borders` are the edges two countries share, `coast` the other ones; edges along the antimeridian
and the closing line of Antarctica at the pole are no coast and are left out.

Usage: scripts/make-basemap.py [--wheel FILE] [--output FILE]
"""

import argparse
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile

SCALE = 100
PACKAGE = "geopandas==0.14.4"
MEMBER = "geopandas/datasets/naturalearth_lowres/naturalearth_lowres.shp"
ROOT = pathlib.Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "Apps/Sources/LocalApp/Resources/web/basemap/countries.json"


def download(folder):
    """Fetch the wheel with pip, without its dependencies; returns its path."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    subprocess.run([*command, "--dest", folder, PACKAGE], check=True)
    return next(pathlib.Path(folder).glob("geopandas-*.whl"))


def polygons(shapefile):
    """Yield each record of a polygon shapefile (ESRI, July 1998) as its list of rings."""
    position = 100
    while position < len(shapefile):
        (words,) = struct.unpack_from(">4xi", shapefile, position)
        content = position + 8
        (kind,) = struct.unpack_from("<i", shapefile, content)
        if kind != 5:
            raise SystemExit(f"record at byte {position}: shape type {kind}, expected 5 (polygon)")
        parts, points = struct.unpack_from("<36x2i", shapefile, content)
        starts = [*struct.unpack_from(f"<{parts}i", shapefile, content + 44), points]
        flat = struct.unpack_from(f"<{2 * points}d", shapefile, content + 44 + 4 * parts)
        pairs = [quantised(x, y) for x, y in zip(flat[::2], flat[1::2])]
        yield [pairs[start:end] for start, end in zip(starts, starts[1:])]
        position = content + 2 * words


def quantised(longitude, latitude):
    return (round(longitude * SCALE), round(latitude * SCALE))


def without_repeats(points):
    return [point for i, point in enumerate(points) if i == 0 or point != points[i - 1]]


def area(ring):
    """Twice the signed area; shapefile outer rings run clockwise, which makes it negative."""
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:]))


def contains(ring, point):
    """Whether the ring contains the point (even-odd rule)."""
    x, y = point
    inside = False
    for (x1, y1), (x2, y2) in zip(ring, ring[1:]):
        if (y1 > y) != (y2 > y) and x < (x2 - x1) * (y - y1) / (y2 - y1) + x1:
            inside = not inside
    return inside


def artificial(a, b):
    """Edges that only close a polygon: along the antimeridian and round the south pole."""
    return (abs(a[0]) == abs(b[0]) == 180 * SCALE) or (a[1] <= -89 * SCALE and b[1] <= -89 * SCALE)


def lines(rings, wanted):
    """Join consecutive wanted edges to lines; each edge is drawn once."""
    drawn = set()
    for ring in rings:
        line = []
        for a, b in zip(ring, ring[1:]):
            edge = frozenset((a, b))
            if wanted(a, b, edge) and edge not in drawn:
                drawn.add(edge)
                line = line or [a]
                line.append(b)
            elif line:
                yield line
                line = []
        if line:
            yield line


def delta(points):
    """One flat list: the first point, then differences."""
    flat = list(points[0])
    for a, b in zip(points, points[1:]):
        flat += [b[0] - a[0], b[1] - a[1]]
    return flat


def compact(shapefile):
    outer, holes, rings, users = [], {}, [], {}
    for record in polygons(shapefile):
        kept = [ring for ring in map(without_repeats, record) if len(ring) > 3]
        first = len(outer)
        outer += [ring for ring in kept if area(ring) < 0]
        for hole in (ring for ring in kept if area(ring) >= 0):
            owner = next(i for i in range(first, len(outer)) if contains(outer[i], hole[0]))
            holes.setdefault(owner, []).append(hole)
        rings += kept
        for edge in {frozenset(pair) for ring in kept for pair in zip(ring, ring[1:])}:
            users[edge] = users.get(edge, 0) + 1
    coast = lines(rings, lambda a, b, edge: users[edge] == 1 and not artificial(a, b))
    borders = lines(rings, lambda a, b, edge: users[edge] > 1)
    return {
        "source": "Natural Earth 1:110m countries, public domain, naturalearthdata.com",
        "scale": SCALE,
        "land": [delta(ring) for ring in outer],
        "holes": {str(i): [delta(ring) for ring in rings] for i, rings in holes.items()},
        "coast": [delta(line) for line in coast],
        "borders": [delta(line) for line in borders],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheel", type=pathlib.Path, help="geopandas 0.14.4, already fetched")
    parser.add_argument("--output", type=pathlib.Path, default=OUTPUT)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wheel = arguments.wheel or download(folder)
        with zipfile.ZipFile(wheel) as archive:
            shapefile = archive.read(MEMBER)
    result = compact(shapefile)
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(result, separators=(",", ":"))
    arguments.output.write_text(text + "\n", encoding="utf-8")
    counts = {key: len(result[key]) for key in ("land", "holes", "coast", "borders")}
    print(f"{arguments.output}: {len(text):,} bytes, {counts}")


if __name__ == "__main__":
    main()
