#!/usr/bin/env python3
"""Write the files of the pages' base map: Natural Earth's 110m countries, plate boundaries, and the states of the USA.

Natural Earth is public domain (https://www.naturalearthdata.com/about/terms-of-use/). The PyPI
wheel geopandas 0.14.4 carries its 1:110m countries as the shapefile `naturalearth_lowres`; this
script fetches that wheel with pip (or takes one with --wheel), reads the polygons and writes

    {"scale": 100, "land": [[dx, dy, ...], ...], "holes": {...}, "coast": [...], "borders": [...]}

where every list is a ring or line of coordinates in 1/scale degrees: the first pair absolute, the
others as differences from the pair before. `holes` maps the number of a land ring to its holes.
`borders` are the edges two countries share, `coast` the other ones; edges along the antimeridian
and the closing line of Antarctica at the pole are no coast and are left out.

With --plates FILE, it writes the lines besides the countries' instead:

    {"scale": 100, "plates": [...], "states": [...]}

FILE is PB2002_boundaries.json of the repository fraxen/tectonicplates: Bird's plate boundaries (2003). The states are
the Census Bureau's cartographic boundaries of 2016, public domain, from the PyPI wheel plotly-geo 1.0.0; a line is drawn
where two states meet. Lines are simplified (Douglas and Peucker 1973).

Usage: scripts/make-basemap.py [--wheel FILE] [--output FILE] [--plates FILE]
"""

import argparse
import json
import math
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
FOLDER = ROOT / "Apps/Sources/LocalApp/Resources/web/basemap"
STATES_PACKAGE = "plotly-geo==1.0.0"
STATES_MEMBER = "_plotly_geo/package_data/cb_2016_us_state_500k.shp"
# The largest distance of a left-out point from its line, in 1/SCALE degrees.
STATES_TOLERANCE, PLATES_TOLERANCE = 3, 5


def download(folder, package):
    """Fetch a wheel with pip, without its dependencies; returns its path."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    subprocess.run([*command, "--dest", folder, package], check=True)
    return next(pathlib.Path(folder).glob("*.whl"))


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


def distance(point, start, end):
    """The distance of a point from the line through two others."""
    (x, y), (x1, y1), (x2, y2) = point, start, end
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    if length == 0:
        return ((x - x1) ** 2 + (y - y1) ** 2) ** 0.5
    return abs((x2 - x1) * (y1 - y) - (x1 - x) * (y2 - y1)) / length


def edge_distance(point, edges):
    """The distance of a point from the nearest of some edges."""
    x, y = point
    least = math.inf
    for ax, ay, bx, by in edges:
        dx, dy = bx - ax, by - ay
        length = dx * dx + dy * dy
        share = 0 if length == 0 else max(0, min(1, ((x - ax) * dx + (y - ay) * dy) / length))
        least = min(least, math.hypot(ax + share * dx - x, ay + share * dy - y))
    return least


def simplified(points, tolerance):
    """The line without points that are nearer to it than the tolerance; its ends stay."""
    kept, spans = {0, len(points) - 1}, [(0, len(points) - 1)]
    while spans:
        start, end = spans.pop()
        if end - start < 2:
            continue
        far = max(range(start + 1, end), key=lambda i: distance(points[i], points[start], points[end]))
        if distance(points[far], points[start], points[end]) > tolerance:
            kept.add(far)
            spans += [(start, far), (far, end)]
    return [points[i] for i in sorted(kept)]


def state_lines(shapefile):
    users, rings = {}, []
    for record in polygons(shapefile):
        kept = [ring for ring in map(without_repeats, record) if len(ring) > 3]
        rings += kept
        for edge in {frozenset(pair) for ring in kept for pair in zip(ring, ring[1:])}:
            users[edge] = users.get(edge, 0) + 1
    return [simplified(line, STATES_TOLERANCE) for line in lines(rings, lambda a, b, edge: users[edge] > 1)]


def plate_lines(file):
    features = json.loads(file.read_text(encoding="utf-8"))["features"]
    found = []
    for feature in features:
        shape = feature["geometry"]
        parts = [shape["coordinates"]] if shape["type"] == "LineString" else shape["coordinates"]
        for part in parts:
            line = without_repeats([quantised(point[0], point[1]) for point in part])
            if len(line) > 1:
                found.append(simplified(line, PLATES_TOLERANCE))
    return found


def other_lines(states, plates):
    return {
        "source": "plates: P. Bird (2003), Hugo Ahlenius and Nordpil, ODC-By 1.0; states: U.S. Census Bureau, 2016",
        "scale": SCALE,
        "plates": [delta(line) for line in plate_lines(plates)],
        "states": [delta(line) for line in state_lines(states)],
    }


def write(result, output):
    output.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(result, separators=(",", ":"))
    output.write_text(text + "\n", encoding="utf-8")
    counts = {key: len(value) for key, value in result.items() if isinstance(value, (list, dict))}
    print(f"{output}: {len(text):,} bytes, {counts}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheel", type=pathlib.Path, help="the wheel, already fetched")
    parser.add_argument("--output", type=pathlib.Path, help="the file to write")
    parser.add_argument("--plates", type=pathlib.Path, help="write the lines; the plates' file")
    arguments = parser.parse_args()
    package, member = (STATES_PACKAGE, STATES_MEMBER) if arguments.plates else (PACKAGE, MEMBER)
    with tempfile.TemporaryDirectory() as folder:
        wheel = arguments.wheel or download(folder, package)
        with zipfile.ZipFile(wheel) as archive:
            shapefile = archive.read(member)
    if arguments.plates:
        write(other_lines(shapefile, arguments.plates), arguments.output or FOLDER / "lines.json")
    else:
        write(compact(shapefile), arguments.output or FOLDER / "countries.json")


if __name__ == "__main__":
    main()
