#!/usr/bin/env python3
"""Write the finer base map of the pages, for zooms from 4 on: coasts, borders of countries, and of their provinces.

The polygons are those of Natural Earth's 1:10m states and provinces (public domain, https://www.naturalearthdata.com),
which Debian's package qgis-common carries in a GeoPackage, with fewer points; this script fetches that package with apt
(or takes one with --package) and writes

    {"scale": 500, "land": [TEXT, ...], "holes": {...}, "borders": [...], "states": [...], "provinces": [...]}

as scripts/make-basemap.py does, but with a text for each ring or line, which takes half of the room: the numbers,
without signs (2n, and -2n - 1 for negative ones), in digits of five bits, the lowest first; digits that others follow
have 32 added, and each digit is a letter of LETTERS. `land` are the coasts as rings. `states` are the lines where two
states of the USA meet, `provinces` those of other countries, but for countries whose provinces are smaller than AREA.

Each line is a path in one graph: points where more than two lines meet stay, so lines that meet before do so
afterwards. A point between them is left out if all points that the new, longer edge replaces are within the tolerance
of it, which is smaller near plate boundaries, and if no other point is inside of the triangle that the edge cuts off.
Thus no line crosses another one, and no island changes its side of a coast. Where lines of the package cross, as some
fifty do, points are left out until they don't. The script checks that at the end.

Usage: scripts/make-fine-map.py [--package FILE] [--output FILE]
"""

import argparse
import collections
import hashlib
import heapq
import importlib
import io
import itertools
import json
import math
import pathlib
import sqlite3
import struct
import subprocess
import tarfile
import tempfile

basemap = importlib.import_module("make-basemap")

SCALE = 500
PACKAGE = "qgis-common=3.22.16+dfsg-1"
DIGEST = "8c46e9da78b82772b23777643e02210c43945f01faee2316899f6438b65a5960"
MEMBER = "./usr/share/qgis/resources/data/world_map.gpkg"
#: The largest distance of a left-out point from its line, in kilometres: near plate boundaries, elsewhere, and the
#: factor for borders of provinces.
NEAR_TOLERANCE, FAR_TOLERANCE, PROVINCE_FACTOR = 0.4, 1.2, 2
#: The distance from a plate boundary, in degrees, that counts as near.
NEAR = 5
#: The least area of an island, in square kilometres.
ISLAND = 1
#: The mean area of a country's provinces, in square kilometres, from which on they are shown.
AREA = 2_000
#: The digits of the packed numbers: those of RFC 4648's base64url.
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
#: The longitude at which the package's polygons end, before the antimeridian.
EDGE = 179.9
DEGREE = 111.195
#: Lands that it cuts in two there: Wrangel Island, Chukotka, Taveuni, and Antarctica, by the middle latitude of the cut
#: in the east and in the west. Small islands nearby end where they are cut.
ACROSS = ((71.25, 71.27), (67.02, 67.02), (-16.95, -16.78), (-87.12, -87.12))
KINDS = ("coast", "border", "state", "province")
#: The attempts at separating lines that cross.
ROUNDS = 20
#: The side of the cells of the index of points.
CELL = 50


def geopackage(package):
    """The content of the GeoPackage in a Debian package, whose digest has to be the known one."""
    digest = hashlib.sha256(package.read_bytes()).hexdigest()
    if digest != DIGEST:
        raise SystemExit(f"{package} has the SHA-256 {digest}, expected {DIGEST}")
    files = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(files)) as archive:
        return archive.extractfile(MEMBER).read()


def download(folder):
    """Fetch the Debian package with apt; returns its path."""
    subprocess.run(["apt-get", "download", "--quiet", PACKAGE], check=True, cwd=folder)
    return next(pathlib.Path(folder).glob("*.deb"))


def rings_of(blob):
    """The rings of a MultiPolygon in GeoPackage's binary form (OGC 12-128r15, 2.1.3): outer ones and holes."""
    envelope = {0: 0, 1: 32, 2: 48, 3: 48, 4: 64}[blob[3] >> 1 & 7]
    at, found = 8 + envelope, []

    def read(form, size):
        nonlocal at
        values = struct.unpack_from(form, blob, at)
        at += size
        return values

    order = "<" if blob[at] == 1 else ">"
    (_, kind, polygons) = read(f"{order}BII", 9)
    if kind != 6:
        raise SystemExit(f"geometry of type {kind}, expected 6 (MultiPolygon)")
    for _ in range(polygons):
        (_, _, rings) = read(f"{order}BII", 9)
        for _ in range(rings):
            (points,) = read(f"{order}I", 4)
            flat = read(f"{order}{2 * points}d", 16 * points)
            found.append(list(zip(flat[::2], flat[1::2])))
    return found


def runs(ring):
    """[(first, last)] of the points of a ring, without its end, that follow one another at the package's edge."""
    is_edge = [abs(x) >= EDGE - 0.0005 for x, _ in ring]
    if all(is_edge) or not any(is_edge):
        return []
    size, found = len(ring), []
    for first in (i for i in range(size) if is_edge[i] and not is_edge[i - 1]):
        last = first
        while is_edge[(last + 1) % size]:
            last += 1
        found.append((first, last))
    return found


def bridged(rings):
    """The rings with the lands of ACROSS continued to the antimeridian in straight lines, where both parts meet."""
    rings, ends = [ring[:-1] for ring in rings], []
    for number, ring in enumerate(rings):
        for first, last in runs(ring):
            ends.append((ring[first][0] > 0, number, first, last, [ring[first][1], ring[last % len(ring)][1]]))
    changes = collections.defaultdict(dict)
    for east, west in ACROSS:
        # A ring has the land on its right, so the one in the east goes south there, and the other one north.
        eastern, western = (
            min((end for end in ends if end[0] == is_east), key=lambda end: abs(sum(end[4]) / 2 - latitude))
            for is_east, latitude in ((True, east), (False, west)))
        middles = [(a + b) / 2 for a, b in zip(eastern[4], reversed(western[4]))]
        for (_, number, first, last, _), x, latitudes in ((eastern, 180, middles), (western, -180, middles[::-1])):
            changes[number][first] = last, [(x, latitude) for latitude in latitudes]
    for number, found in changes.items():
        size = len(rings[number])
        gone = {i % size for first, (last, _) in found.items() for i in range(first + 1, last)}
        rings[number] = [point for i, own in enumerate(rings[number]) if i not in gone
                         for point in (own, *(found[i][1] if i in found else ()))]
    return [[*ring, ring[0]] for ring in rings]


def quantised(ring):
    """A ring on the grid, without points that repeat, and without edges that go back."""
    points = []
    for x, y in ring[:-1]:
        # The package's world ends before the pole, too.
        point = (round(x * SCALE), -90 * SCALE if y < -89.8 else round(y * SCALE))
        if points and points[-1] == point:
            continue
        if len(points) > 1 and points[-2] == point:
            points.pop()
            continue
        points.append(point)
    while len(points) > 2 and (points[0] == points[-1] or points[1] == points[-1]):
        points.pop()
    return [*points, points[0]] if len(points) > 2 else []


def square_kilometres(ring):
    """The signed area of a ring; it is positive where the ring runs clockwise."""
    twice = sum((b[0] - a[0]) * (math.sin(math.radians(a[1] / SCALE)) + math.sin(math.radians(b[1] / SCALE)))
                for a, b in zip(ring, ring[1:]))
    return math.degrees(twice) / 2 * DEGREE ** 2 / SCALE


class Graph:
    """Points and the edges between them, each with a kind; points are left out by `simplify`."""

    def __init__(self, edges, tolerance):
        """
        :param edges: Kinds by edge, a pair of points in the direction that has the land on its right.
        :param tolerance: A function of a kind and a point that gives the tolerance in kilometres.
        """
        self.tolerance = tolerance
        self.neighbours = collections.defaultdict(dict)
        for (a, b), kind in edges.items():
            self.neighbours[a][b] = (kind, True, [])
            self.neighbours[b][a] = (kind, False, [])
        self.cells = collections.defaultdict(set)
        for point in self.neighbours:
            self.cells[self.cell(point)].add(point)

    @staticmethod
    def cell(point):
        return point[0] // CELL, point[1] // CELL

    def is_fixed(self, point):
        """Whether a point has to stay: where lines meet or change their kind, and at the antimeridian."""
        around = list(self.neighbours[point].values())
        return (len(around) != 2 or around[0][0] != around[1][0] or around[0][1] == around[1][1]
                or abs(point[0]) == 180 * SCALE)

    def between(self, point):
        """Both neighbours of a point, and all points that an edge between them would replace, from one to the other."""
        (before, (kind, _, first)), (after, (_, _, second)) = self.neighbours[point].items()
        # The points of an edge are listed in the direction from its lesser end.
        first = first if before < point else first[::-1]
        second = second if point < after else second[::-1]
        return before, after, kind, [*first, point, *second]

    def error(self, point):
        """The largest distance of what would be left out with a point, in kilometres; infinite where it has to stay."""
        if self.is_fixed(point):
            return math.inf
        before, after, kind, replaced = self.between(point)
        if after in self.neighbours[before]:
            return math.inf
        shrink = math.cos(math.radians(point[1] / SCALE))
        plane = [(x * shrink, y) for x, y in (before, after, *replaced)]
        edge = [(*plane[0], *plane[1])]
        far = max(basemap.edge_distance(each, edge) for each in plane[2:]) * DEGREE / SCALE
        return far if far <= self.tolerance(kind, point) else math.inf

    def is_clear(self, point, before, after):
        """Whether no other point lies in the triangle of a point and its neighbours."""
        triangle = (point, before, after)
        xs, ys = [x for x, _ in triangle], [y for _, y in triangle]
        for i in range(min(xs) // CELL, max(xs) // CELL + 1):
            for j in range(min(ys) // CELL, max(ys) // CELL + 1):
                for other in self.cells.get((i, j), ()):
                    if other not in triangle and is_within(other, triangle):
                        return False
        return True

    def leave_out(self, point):
        """Replace a point and its two edges by an edge; of a triangle nothing is left."""
        before, after, kind, replaced = self.between(point)
        gone = [point, before, after] if after in self.neighbours[before] else [point]
        is_forward = self.neighbours[before][point][1]
        if len(gone) == 1:
            replaced = replaced if before < after else replaced[::-1]
            self.neighbours[before][after] = (kind, is_forward, replaced)
            self.neighbours[after][before] = (kind, not is_forward, replaced)
        for each in gone:
            for other in self.neighbours.pop(each):
                self.neighbours.get(other, {}).pop(each, None)
            self.cells[self.cell(each)].remove(each)

    def mend(self):
        """Leave out points until no edges cross, as a few of the package's do; each time the one that was nearest."""
        for _ in range(ROUNDS):
            edges = self.edges(*KINDS)
            found = crossings(edges)
            if not found:
                return
            for one, other in sorted(found):
                choices = []
                for (a, b), (c, d) in ((edges[one], edges[other]), (edges[other], edges[one])):
                    if not {a, b, c, d} <= self.neighbours.keys() or b not in self.neighbours[a]:
                        continue
                    for point in (point for point in (a, b) if not self.is_fixed(point)):
                        before, after, *_ = self.between(point)
                        if point in (c, d) or not do_cross(before, after, c, d) or after in self.neighbours[before]:
                            choices.append((basemap.edge_distance(point, [(*before, *after)]), point))
                if choices:
                    self.leave_out(min(choices)[1])
        raise SystemExit(f"{len(found)} pairs of lines cross: {[(edges[a], edges[b]) for a, b in found][:5]}")

    def simplify(self):
        """Leave out points, those first whose error is the smallest."""
        errors = {point: self.error(point) for point in self.neighbours}
        heap = [(error, point) for point, error in errors.items() if error < math.inf]
        heapq.heapify(heap)
        while heap:
            error, point = heapq.heappop(heap)
            if errors.get(point) != error:
                continue
            before, after, kind, replaced = self.between(point)
            if after in self.neighbours[before] or not self.is_clear(point, before, after):
                continue
            self.leave_out(point)
            del errors[point]
            for each in (before, after):
                errors[each] = self.error(each)
                if errors[each] < math.inf:
                    heapq.heappush(heap, (errors[each], each))

    def edges(self, *kinds):
        """The edges of some kinds, in their directions."""
        return [(a, b) for a, around in self.neighbours.items()
                for b, (kind, is_forward, _) in around.items() if is_forward and kind in kinds]

    def drop_small_islands(self):
        """Leave out the rings of coasts that meet nothing and are smaller than ISLAND."""
        for ring in rings(self.edges("coast")):
            if 0 < square_kilometres(ring) < ISLAND and all(len(self.neighbours[point]) == 2 for point in ring):
                for point in ring[1:]:
                    del self.neighbours[point]
                    self.cells[self.cell(point)].remove(point)


def side(a, b, c):
    """Positive where c is on the left of the line from a to b, zero on it."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def is_within(point, triangle):
    """Whether a point is inside of a triangle or on its edge."""
    a, b, c = triangle
    sides = side(a, b, point), side(b, c, point), side(c, a, point)
    if side(a, b, c) == 0:
        return sides == (0, 0, 0) and min(a, b, c) <= point <= max(a, b, c)
    return not (min(sides) < 0 < max(sides))


def rings(edges):
    """The rings of directed edges. Where two touch, each goes on by the first edge on its right."""
    onwards = collections.defaultdict(list)
    for a, b in edges:
        onwards[a].append(b)
    for start in sorted(onwards):
        while onwards[start]:
            ring = [start, onwards[start].pop()]
            while ring[-1] != start:
                before, here = ring[-2:]
                back = math.atan2(before[1] - here[1], before[0] - here[0])
                following = max(onwards[here], key=lambda to: (
                    back - math.atan2(to[1] - here[1], to[0] - here[0])) % (2 * math.pi))
                onwards[here].remove(following)
                ring.append(following)
            yield ring


def paths(edges):
    """The lines of edges, each as long as it can be between points where others than two edges meet."""
    around = collections.defaultdict(set)
    for a, b in edges:
        around[a].add(b)
        around[b].add(a)
    ends = [point for point in around if len(around[point]) != 2]
    for start in [*sorted(ends), *sorted(around)]:
        while around[start]:
            line = [start]
            while True:
                here = line[-1]
                to = min(around[here])
                around[here].remove(to)
                around[to].remove(here)
                line.append(to)
                if len(around[to]) != 1 or to == start:
                    break
            yield line


def cells_of(a, b):
    """The cells that an edge may touch."""
    columns, rows = (sorted((a[at] // CELL, b[at] // CELL)) for at in (0, 1))
    if columns[1] - columns[0] < 2 or rows[1] - rows[0] < 2:
        return {(i, j) for i in range(columns[0], columns[1] + 1) for j in range(rows[0], rows[1] + 1)}
    steps = max(abs(a[0] - b[0]), abs(a[1] - b[1])) // CELL + 1
    touched = set()
    for step in range(steps + 1):
        i, j = ((p + (q - p) * step / steps) // CELL for p, q in zip(a, b))
        touched |= {(i + di, j + dj) for di in (-1, 0, 1) for dj in (-1, 0, 1)}
    return touched


def crossings(edges):
    """The pairs of edges, by their numbers in the list, that have more than an end in common."""
    cells = collections.defaultdict(list)
    for number, (a, b) in enumerate(edges):
        west, east = (a[0], b[0]) if a[0] < b[0] else (b[0], a[0])
        south, north = (a[1], b[1]) if a[1] < b[1] else (b[1], a[1])
        for cell in cells_of(a, b):
            cells[cell].append((west, east, south, north, number))
    found = set()
    for boxes in cells.values():
        # From west to east, so that those which begin in the east of an edge end its search.
        boxes.sort()
        for at, (_, east, south, north, one) in enumerate(boxes):
            for other_west, _, other_south, other_north, other in itertools.islice(boxes, at + 1, None):
                if other_west > east:
                    break
                if other_north >= south and other_south <= north and do_cross(*edges[one], *edges[other]):
                    found.add((max(one, other), min(one, other)))
    return found


def do_cross(a, b, c, d):
    """Whether two edges have more than an end in common."""
    if {a, b} == {c, d}:
        return True
    shared = {a, b} & {c, d}
    if shared:
        (common,) = shared
        one, other = (b if a == common else a), (d if c == common else c)
        along = (one[0] - common[0]) * (other[0] - common[0]) + (one[1] - common[1]) * (other[1] - common[1])
        return side(common, one, other) == 0 and along > 0
    first, second, third, fourth = side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b)
    if first == second == third == fourth == 0:
        return max(min(a, b), min(c, d)) <= min(max(a, b), max(c, d))
    return (first > 0) != (second > 0) and (third > 0) != (fourth > 0) or any(
        way == 0 and min(p[0], q[0]) <= r[0] <= max(p[0], q[0]) and min(p[1], q[1]) <= r[1] <= max(p[1], q[1])
        for way, p, q, r in ((first, a, b, c), (second, a, b, d), (third, c, d, a), (fourth, c, d, b)))


def seismic_cells(lines):
    """The squares of a degree near plate boundaries."""
    cells = set()
    for line in lines:
        at = (0, 0)
        for number in range(0, len(line), 2):
            to = (at[0] + line[number], at[1] + line[number + 1])
            steps = 1 if number == 0 else max(1, math.ceil(math.dist(at, to) / basemap.SCALE))
            for step in range(1, steps + 1):
                x, y = (a + (b - a) * step / steps for a, b in zip(at, to))
                x, y = math.floor(x / basemap.SCALE), math.floor(y / basemap.SCALE)
                reach = math.ceil(NEAR / max(0.2, math.cos(math.radians(y))))
                cells |= {((x + i + 180) % 360 - 180, y + j)
                          for i in range(-reach, reach + 1) for j in range(-NEAR, NEAR + 1)}
            at = to
    return cells


def kinds(countries, provinces):
    """The kind of each edge that is shown.

    :param countries: A list of rings for each country.
    :param provinces: A pair for each province, of its country and a list of rings.
    """
    def users(shapes):
        found = collections.defaultdict(list)
        for owner, own in shapes:
            for ring in own:
                for edge in zip(ring, ring[1:]):
                    found[frozenset(edge)].append((owner, edge))
        return found

    borders = {edge for edge, own in users(enumerate(countries)).items() if len(own) > 1}
    areas = collections.defaultdict(list)
    for country, own in provinces:
        areas[country].append(sum(map(square_kilometres, own)))
    shown = {country for country, sizes in areas.items() if sum(sizes) / len(sizes) >= AREA}
    found = {}
    for edge, own in users(provinces).items():
        country, direction = own[0]
        if len(own) == 1:
            found[direction] = "coast"
        elif edge in borders:
            found[direction] = "border"
        elif country in shown and max(y for _, y in edge) > -89 * SCALE:
            found[direction] = "state" if country == "USA" else "province"
    return found


def read(content):
    """The rings of each country, and of each province with its country's code, from a GeoPackage."""
    with tempfile.NamedTemporaryFile(suffix=".gpkg") as file:
        file.write(content)
        file.flush()
        database = sqlite3.connect(f"file:{file.name}?mode=ro&immutable=1", uri=True)
        countries = [rings_of(blob) for (blob,) in database.execute("SELECT geom FROM countries ORDER BY fid")]
        provinces = [(code, rings_of(blob)) for code, blob in database.execute(
            "SELECT adm0_a3, geom FROM states_provinces ORDER BY fid")]
        database.close()
    return countries, provinces


def compact(content, plates):
    """
    :param plates: The packed lines of the plates.
    """
    countries, provinces = read(content)
    joined = iter(bridged([ring for _, own in provinces for ring in own]))
    provinces = [(code, [quantised(next(joined)) for _ in own]) for code, own in provinces]
    countries = [[quantised(ring) for ring in own] for own in countries]
    seismic = seismic_cells(plates)

    def tolerance(kind, point):
        is_near = (point[0] // SCALE, point[1] // SCALE) in seismic
        return (NEAR_TOLERANCE if is_near else FAR_TOLERANCE) * (1 if kind in ("coast", "border") else PROVINCE_FACTOR)

    graph = Graph(kinds(countries, provinces), tolerance)
    graph.drop_small_islands()
    graph.mend()
    graph.simplify()
    if crossings(graph.edges(*KINDS)):
        raise SystemExit("lines cross")
    outer, inner = [], []
    for ring in rings(graph.edges("coast")):
        (outer if square_kilometres(ring) > 0 else inner).append(ring)
    outer.sort(key=square_kilometres, reverse=True)
    holes = collections.defaultdict(list)
    for hole in inner:
        holes[owner(outer, hole)].append(packed(hole))
    return {
        "source": "Natural Earth 1:10m states and provinces, public domain, naturalearthdata.com",
        "scale": SCALE,
        "land": [packed(ring) for ring in outer],
        "holes": {str(number): found for number, found in sorted(holes.items())},
        **{name: [packed(line) for line in paths(graph.edges(kind))]
           for name, kind in (("borders", "border"), ("states", "state"), ("provinces", "province"))},
    }


def packed(points):
    """The differences between points as a text."""
    text = []
    for number in basemap.delta(points):
        left = 2 * number if number >= 0 else -2 * number - 1
        while left >= 32:
            text.append(LETTERS[32 + left % 32])
            left //= 32
        text.append(LETTERS[left])
    return "".join(text)


def owner(outer, hole):
    """The number of the smallest ring with a hole in it. A hole may touch its ring, but not everywhere."""
    for number in range(len(outer) - 1, -1, -1):
        known = set(outer[number])
        free = next((point for point in hole if point not in known), None)
        if free and basemap.contains(outer[number], free):
            return number
    raise SystemExit(f"the hole at {hole[0]} is in no land")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--package", type=pathlib.Path, help="the Debian package, already fetched")
    parser.add_argument("--output", type=pathlib.Path, default=basemap.FOLDER / "fine.json", help="the file to write")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        content = geopackage(arguments.package or download(folder))
    lines = json.loads((basemap.FOLDER / "lines.json").read_text(encoding="utf-8"))
    basemap.write(compact(content, lines["plates"]), arguments.output)


if __name__ == "__main__":
    main()
