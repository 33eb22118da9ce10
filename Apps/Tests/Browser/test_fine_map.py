"""The finer coasts and borders of the map: the data, the script that makes them, and when a page has them."""

import collections
import importlib
import json
import math
import pathlib
import random
import re
import sqlite3
import struct
import sys

import pytest
from playwright.sync_api import expect

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDER = ROOT / "Apps/Sources/LocalApp/Resources/web/basemap"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
FILE = "/basemap/fine.json"

sys.path.insert(0, str(ROOT / "scripts"))
script = importlib.import_module("make-fine-map")


def points(text):
    """The points of a packed line, on the file's grid."""
    numbers, bits = [], []
    for letter in text:
        digit = LETTERS.index(letter)
        bits.append(f"{digit % 32:05b}")
        if digit < 32:
            value = int("".join(reversed(bits)), 2)
            numbers.append(value >> 1 ^ -(value & 1))
            bits = []
    assert not bits and len(numbers) % 2 == 0
    x = y = 0
    found = []
    for dx, dy in zip(numbers[::2], numbers[1::2]):
        x, y = x + dx, y + dy
        found.append((x, y))
    return found


class Fine:
    """The file, unpacked."""

    def __init__(self, base):
        self.scale = base["scale"]
        self.land = [points(text) for text in base["land"]]
        self.holes = [points(text) for texts in base["holes"].values() for text in texts]
        self.lines = {kind: [points(text) for text in base[kind]] for kind in ("borders", "states", "provinces")}

    @property
    def rings(self):
        return [*self.land, *self.holes]

    def is_land(self, x, y):
        x, y, inside = x * self.scale, y * self.scale, False
        for ring in self.rings:
            for (ax, ay), (bx, by) in zip(ring, ring[1:]):
                if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
                    inside = not inside
        return inside

    def distance(self, kind, x, y):
        """Degrees from a place to the nearest line of a kind."""
        edges = ((*a, *b) for line in self.lines[kind] for a, b in zip(line, line[1:]))
        return script.basemap.edge_distance((x * self.scale, y * self.scale), edges) / self.scale


@pytest.fixture(scope="module")
def fine():
    return Fine(json.loads((FOLDER / "fine.json").read_text(encoding="utf-8")))


def edges(lines):
    return [pair for line in lines for pair in zip(line, line[1:])]


def test_land_is_closed_rings_and_all_lines_are_in_range(fine):
    assert len(fine.land) > 3_500 and 1 <= len(fine.holes) < 20
    for ring in fine.rings:
        assert ring[0] == ring[-1] and len(ring) > 3
        # A few lagoons touch the sea in a point.
        assert len(ring) - 1 - len(set(ring)) < 10
    for line in [*fine.rings, *(line for lines in fine.lines.values() for line in lines)]:
        assert len(line) > 1 and all(a != b for a, b in zip(line, line[1:]))
        assert all(abs(x) <= 180 * fine.scale and abs(y) <= 90 * fine.scale for x, y in line)
    # Land is on the right of its rings.
    assert all(script.square_kilometres(ring) > 0 for ring in fine.land)
    assert all(script.square_kilometres(ring) < 0 for ring in fine.holes)


def test_no_line_crosses_another_one_and_all_meet_where_they_end(fine):
    every = [*fine.rings, *(line for lines in fine.lines.values() for line in lines)]
    # Also that no edge is there twice: what several countries share is one line.
    assert script.crossings(edges(every)) == set()
    meeting = collections.Counter(point for line in every for point in set(line))
    for kind, lines in fine.lines.items():
        loose = [line for line in lines for end in (line[0], line[-1]) if line[0] != line[-1] and meeting[end] < 2]
        assert loose == [], kind


@pytest.mark.parametrize("name, x, y", [
    ("Chios", 26.05, 38.4), ("Santorini", 25.45, 36.36), ("Miyake", 139.52, 34.08), ("Lombok", 116.3, -8.55),
    ("Taveuni, over the date line", 179.99, -16.87), ("Chukotka", 179.97, 67), ("Chukotka", -179.97, 67),
    ("Stewart Island", 167.9, -46.95), ("Kauai", -159.5, 22.05), ("Mono County", -119, 38),
    ("the South Pole", 0, -89.95), ("Marin", -122.6, 38.1), ("Lesotho", 28.2, -29.6),
])
def test_land_is_in_the_right_places(fine, name, x, y):
    assert fine.is_land(x, y)


@pytest.mark.parametrize("name, x, y", [
    ("San Francisco Bay", -122.25, 37.63), ("Tokyo Bay", 139.85, 35.5), ("Cook Strait", 174.4, -41.2),
    ("the Aegean", 25.2, 38.4), ("the Strait of Lombok", 115.8, -8.7), ("the Caspian Sea", 51, 41.5),
    ("the Bering Sea", 180, 62), ("the Sea of Marmara", 28.1, 40.75),
])
def test_water_is_in_the_right_places(fine, name, x, y):
    assert not fine.is_land(x, y)


def test_lines_are_in_the_right_places(fine):
    # A border on a meridian, the corner of four states, Tokyo and Kanagawa, Attica and Boeotia, California and Nevada.
    assert fine.distance("borders", -141, 65) < 0.01
    assert fine.distance("states", -109.045, 36.999) < 0.05
    assert fine.distance("provinces", 139.7, 35.54) < 0.1
    assert fine.distance("states", -120, 40) < 0.05
    assert fine.distance("provinces", 172.8, -42) < 0.5
    # The middle of Kansas, and a country whose provinces are too small to be shown: Slovenia.
    assert fine.distance("states", -98.5, 38.5) > 1
    assert fine.distance("provinces", 14.8, 46) > 0.3
    assert len(fine.lines["borders"]) > 200 and len(fine.lines["provinces"]) > 3_000


def test_land_on_both_sides_of_the_antimeridian_meets(fine):
    edge = 180 * fine.scale
    sides = {x: sorted(y for ring in fine.rings for px, y in ring[1:] if px == x) for x in (edge, -edge)}
    assert sides[edge] == sides[-edge] and len(sides[edge]) >= 8
    # The pole, Antarctica's coast, Taveuni, Chukotka and Wrangel Island.
    assert [round(y / fine.scale) for y in sides[edge]] == [-90, -84, -17, -17, 65, 69, 71, 72]


def test_fine_coasts_run_where_the_coarse_ones_do(fine):
    base = json.loads((FOLDER / "countries.json").read_text(encoding="utf-8"))
    near = set()
    for a, b in edges(fine.rings):
        steps = math.ceil(max(1, math.dist(a, b) / fine.scale))
        for step in range(steps + 1):
            x, y = (p + (q - p) * step / steps for p, q in zip(a, b))
            near.add((round(x / fine.scale), round(y / fine.scale)))
    for line in base["coast"]:
        x = y = 0
        for dx, dy in zip(line[::2], line[1::2]):
            x, y = x + dx, y + dy
            if y < -60 * base["scale"]:
                # The coarse coasts of Antarctica are those of its ice shelves.
                continue
            column, row = round(x / base["scale"]), round(y / base["scale"])
            assert any((column + i, row + j) in near for i in (-1, 0, 1) for j in (-1, 0, 1)), (x, y)


# The script


def wave(a, b, count, height, seed):
    """A line from a to b with points beside it."""
    draw = random.Random(seed)
    found = [a]
    for step in range(1, count):
        share = step / count
        found.append((a[0] + (b[0] - a[0]) * share + draw.uniform(-height, height),
                      a[1] + (b[1] - a[1]) * share + draw.uniform(-height, height)))
    return [*found, b]


class Atlas:
    """A GeoPackage as the Debian package's, with shapes of a test."""

    def __init__(self):
        self.countries, self.provinces = [], []

    def add(self, country, *provinces):
        """A country of one province for each list of rings; the first ring of a province is its outer one."""
        for rings in provinces:
            self.provinces.append((country, rings))

    def outline(self, *rings):
        self.countries.append(rings)

    @staticmethod
    def blob(rings):
        """Each ring as a polygon with an envelope before it, as the package has them."""
        xs, ys = zip(*(point for ring in rings for point in ring))
        head = b"GP\0\x03" + struct.pack("<i4d", 4326, min(xs), max(xs), min(ys), max(ys))
        body = struct.pack("<BII", 1, 6, len(rings))
        for ring in rings:
            flat = [value for point in ring for value in point]
            body += struct.pack("<BIII", 1, 3, 1, len(ring)) + struct.pack(f"<{len(flat)}d", *flat)
        return head + body

    def content(self, folder):
        file = folder / "atlas.gpkg"
        with sqlite3.connect(file) as database:
            database.execute("CREATE TABLE countries (fid INTEGER PRIMARY KEY, geom BLOB)")
            database.execute("CREATE TABLE states_provinces (fid INTEGER PRIMARY KEY, geom BLOB, adm0_a3 TEXT)")
            for rings in self.countries:
                database.execute("INSERT INTO countries (geom) VALUES (?)", (self.blob(rings),))
            for country, rings in self.provinces:
                values = self.blob(rings), country
                database.execute("INSERT INTO states_provinces (geom, adm0_a3) VALUES (?, ?)", values)
        database.close()
        return file.read_bytes()


@pytest.fixture
def compacted(tmp_path, monkeypatch):
    """Gives the script's result for an atlas, without the lands that are cut in two in the real one."""
    monkeypatch.setattr(script, "ACROSS", ())

    def make(atlas, plates=()):
        return Fine(script.compact(atlas.content(tmp_path), plates))

    return make


def clockwise(ring):
    return ring if script.square_kilometres(ring) > 0 else ring[::-1]


def test_shared_borders_stay_shared_and_lose_the_same_points(compacted):
    # Two countries side by side; the left one has two provinces. Nothing is near a plate boundary.
    south, north = (5.0, 0.0), (5.0, 6.0)
    border = wave(south, north, 400, 0.004, 1)
    middle = border[200]
    across = wave((0.0, 3.0), middle, 300, 0.004, 2)
    west = wave((0.0, 0.0), (0.0, 3.0), 200, 0.004, 3) + wave((0.0, 3.0), (0.0, 6.0), 200, 0.004, 4)[1:]
    upper = [(0.0, 3.0), *west[201:], *border[:199:-1], *across[-2::-1]]
    lower = [(0.0, 0.0), *west[1:201], *across[1:], *border[199::-1], (0.0, 0.0)]
    right = [*border, (10.0, 6.0), (10.0, 0.0), south]
    atlas = Atlas()
    atlas.add("AAA", [clockwise(upper)], [clockwise(lower)])
    atlas.add("BBB", [clockwise(right)])
    atlas.outline(clockwise([(0.0, 0.0), *west[1:], *border[::-1], (0.0, 0.0)]))
    atlas.outline(clockwise(right))
    made = compacted(atlas)
    assert len(made.land) == 1 and made.holes == [] and made.lines["states"] == []
    [province] = made.lines["provinces"]
    [border_line] = made.lines["borders"]
    corner = (round(middle[0] * script.SCALE), round(middle[1] * script.SCALE))
    assert corner in (province[0], province[-1]) and corner in border_line[1:-1]
    assert {province[0], province[-1], border_line[0], border_line[-1]} - {corner} <= set(made.land[0])
    assert len(made.land[0]) + len(province) + len(border_line) < 60, "hardly any point was left out"
    reach = script.FAR_TOLERANCE * script.PROVINCE_FACTOR / script.DEGREE * script.SCALE + 1
    kept = [(*a, *b) for a, b in edges([made.land[0], province, border_line])]
    for x, y in [*border, *across, *west]:
        assert script.basemap.edge_distance((x * script.SCALE, y * script.SCALE), kept) <= reach
    assert script.crossings(edges([*made.land, province, border_line])) == set()


def test_coasts_near_plate_boundaries_keep_more_points(compacted):
    def atlas():
        made = Atlas()
        # Circles of 500 points, one far from the other.
        for x in (-60.0, 60.0):
            turns = [number / 250 * math.pi for number in range(500)]
            ring = [(x + 0.4 * math.cos(turn), 0.4 * math.sin(turn)) for turn in turns]
            ring = clockwise([*ring, ring[0]])
            made.add(f"C{x}", [ring])
            made.outline(ring)
        return made

    rings = compacted(atlas(), plates=[[6_300, -100, 0, 200]]).land
    west, east = sorted(rings)
    assert len(west) < len(east) < 100


@pytest.mark.parametrize("seed", range(10))
def test_no_island_gets_to_the_other_side_of_a_coast(compacted, monkeypatch, seed):
    monkeypatch.setattr(script, "FAR_TOLERANCE", 15)
    monkeypatch.setattr(script, "ISLAND", 0)
    draw = random.Random(seed)
    # Land in the south, and an island in each bay that has room for it.
    shore = [(step / 15, draw.uniform(-0.1, 0.1)) for step in range(600)]
    coast = clockwise([(-1.0, -1.0), *shore, (41.0, -1.0), (-1.0, -1.0)])
    places, rings = [], [coast]
    for (_, left), (x, y), (_, right) in list(zip(shore, shore[1:], shore[2:]))[::3]:
        if y + 0.06 < min(left, right):
            places.append((x, y + 0.04))
            corners = [(x - 0.004, y + 0.03), (x + 0.004, y + 0.03), (x, y + 0.05)]
            rings.append(clockwise([*corners, corners[0]]))
    atlas = Atlas()
    for ring in rings:
        atlas.add("AAA", [ring])
        atlas.outline(ring)
    made = compacted(atlas)
    assert len(places) > 10 and len(made.land) == len(places) + 1 and made.holes == []
    assert len(made.land[0]) < 300 and script.crossings(edges(made.land)) == set()
    mainland = Fine.__new__(Fine)
    mainland.scale, mainland.land, mainland.holes = made.scale, made.land[:1], []
    assert [place for place in places if mainland.is_land(*place)] == []


def test_specks_are_left_out_and_lakes_stay(compacted):
    atlas = Atlas()
    # A square of 300 m, an island, and an island with a lake.
    for x, size in ((1.0, 0.003), (2.0, 0.05)):
        ring = clockwise([(x, 0.0), (x, size), (x + size, size), (x + size, 0.0), (x, 0.0)])
        atlas.add("AAA", [ring])
        atlas.outline(ring)
    outer = clockwise([(4.0, 0.0), (4.0, 1.0), (5.0, 1.0), (5.0, 0.0), (4.0, 0.0)])
    lake = clockwise([(4.4, 0.4), (4.4, 0.6), (4.6, 0.6), (4.6, 0.4), (4.4, 0.4)])[::-1]
    atlas.add("AAA", [outer, lake])
    atlas.outline(outer, lake)
    made = compacted(atlas)
    assert len(made.land) == 2 and len(made.holes) == 1
    assert made.is_land(4.2, 0.2) and not made.is_land(4.5, 0.5) and made.is_land(2.02, 0.02)


def test_lines_that_cross_are_separated(compacted):
    atlas = Atlas()
    # A ring like an 8 in one place, as a few of the package's.
    knot = [(1.0, 2.02), (1.1, 1.98), (1.05, 1.95), (1.04, 2.06), (1.2, 2.0)]
    ring = [(0.0, 0.0), (0.0, 2.0), *knot, (2.0, 2.0), (2.0, 0.0), (0.0, 0.0)]
    assert len(script.crossings(edges([script.quantised(ring)]))) > 0
    atlas.add("AAA", [ring])
    atlas.outline(ring)
    made = compacted(atlas)
    assert len(made.land) == 1 and script.crossings(edges(made.land)) == set()


def test_land_that_is_cut_before_the_antimeridian_is_continued_to_it(compacted, monkeypatch):
    monkeypatch.setattr(script, "ACROSS", ((10.5, 10.7),))
    atlas = Atlas()
    east = [(179.0, 10.0), (179.0, 11.0), (179.9, 11.0), (179.9, 10.6), (179.9, 10.0), (179.0, 10.0)]
    west = [(-179.9, 10.2), (-179.9, 10.8), (-179.9, 11.2), (-179.0, 11.2), (-179.0, 10.2), (-179.9, 10.2)]
    # An island that has nothing on the other side.
    alone = [(179.8, 0.0), (179.8, 0.5), (179.9, 0.5), (179.9, 0.0), (179.8, 0.0)]
    for ring in (east, west, alone):
        atlas.add("AAA", [clockwise(ring)])
        atlas.outline(clockwise(ring))
    made = compacted(atlas)
    ends = {x: sorted(y for ring in made.land for px, y in ring[1:] if px == x * made.scale) for x in (180, -180)}
    assert ends[180] == ends[-180] == [round(10.1 * made.scale), round(11.1 * made.scale)]
    assert made.is_land(179.95, 10.6) and made.is_land(-179.95, 10.6) and not made.is_land(179.95, 0.2)


def test_another_package_is_refused(tmp_path):
    package = tmp_path / "qgis-common.deb"
    package.write_bytes(b"another version")
    with pytest.raises(SystemExit, match="SHA-256 .* expected 8c46e9da"):
        script.geopackage(package)


# The page

#: A map of its own in the page, of the page's modules. `step` tells what it shows at the place, after going to a zoom.
MAP = """async ({ center, zoom }) => {
  const [{ MapNames }, { plainStyle }, { loadBaseMap }] = await Promise.all(
    ["map-names", "map-style", "base-map"].map((name) => import(`/js/${name}.js`)));
  const container = document.createElement("div");
  container.style.cssText = "position: fixed; inset: 0 auto auto 0; width: 360px; height: 260px; z-index: 9";
  document.body.append(container);
  const events = { data: { type: "FeatureCollection", features: [] }, slice: null };
  const base = await loadBaseMap();
  const plain = () => plainStyle(base, new MapNames(maplibregl), events, Date.now());
  const map = new maplibregl.Map({ container, center, zoom, fadeDuration: 0, style: plain() });
  const errors = [];
  map.on("error", ({ error }) => errors.push(String(error)));
  await map.once("load");
  await base.start(map);
  const idle = async () => {
    map.triggerRepaint();
    await map.once("idle");
  };
  const shown = async () => {
    await idle();
    const { x, y } = map.project(center);
    const of = (layer) => map.queryRenderedFeatures({ layers: [layer] }).length;
    return {
      isLand: map.queryRenderedFeatures([x, y], { layers: ["land"] }).length > 0,
      coasts: of("coast"), provinces: of("provinces"), errors,
    };
  };
  window.own = { map, base, plain, shown, idle };
  return shown();
}"""
GO = """async (zoom) => {
  const moved = own.map.once("moveend");
  own.map.jumpTo({ zoom });
  await moved;
  return own.shown();
}"""
CHIOS = {"center": [26.05, 38.4], "zoom": 3}
SMALL = {"width": 920, "height": 420}


def asked(made):
    """The requests for the finer shapes of a page, from now on."""
    found = []
    made.page.on("request", lambda request: found.append(request.url) if request.url.endswith(FILE) else None)
    return found


def until(page, is_true):
    for _ in range(200):
        if is_true():
            return
        page.evaluate("new Promise(requestAnimationFrame)")
    raise AssertionError("it didn't become true")


def test_a_map_that_is_near_gets_finer_shapes_once(visit):
    made = visit(with_map=True, viewport=SMALL)
    found = asked(made)
    made.open()
    page = made.page
    far = page.evaluate(MAP, CHIOS)
    assert found == [] and not far["isLand"] and far["coasts"] > 0
    with page.expect_response(f"**{FILE}"):
        page.evaluate("own.map.jumpTo({ zoom: 4.2 })")
    until(page, lambda: page.evaluate("own.shown()")["isLand"])
    # The provinces come later than the coasts, and in place of nothing.
    assert page.evaluate(GO, 4.9)["provinces"] == 0
    near = page.evaluate(GO, 6.5)
    assert near["isLand"] and near["provinces"] > 0
    # Farther away the fine coasts stay: nothing changes with the zoom.
    assert page.evaluate(GO, 3.9)["isLand"]
    assert len(found) == 1 and near["errors"] == []


def test_there_is_never_a_second_coast(visit):
    made = visit(with_map=True, viewport=SMALL).open()
    page = made.page
    page.evaluate(MAP, {**CHIOS, "zoom": 5})
    page.evaluate("own.shown()")
    told = page.evaluate("""async () => {
      const { features } = await own.map.getSource("base").getData();
      const isClosing = ([a, b]) => Math.abs(a[0]) === 180 && Math.abs(b[0]) === 180 || Math.max(a[1], b[1]) <= -89;
      const edges = (kind) => features.filter(({ properties }) => properties.kind === kind).flatMap(({ geometry }) =>
        (kind === "land" ? geometry.coordinates : [geometry.coordinates])
          .flatMap((line) => line.slice(1).map((point, at) => [line[at], point])));
      const kinds = {};
      for (const { properties: { kind } } of features) kinds[kind] = (kinds[kind] ?? 0) + 1;
      const [land, coast] = [edges("land"), edges("coast")];
      return {
        kinds, land: land.length, coast: coast.length,
        closing: land.filter(isClosing).length, drawnClosing: coast.filter(isClosing).length,
      };
    }""")
    fine = Fine(json.loads((FOLDER / "fine.json").read_text(encoding="utf-8")))
    kinds = told["kinds"]
    assert kinds["land"] == len(fine.land)
    assert {kind: kinds[kind] for kind in fine.lines} == {kind: len(lines) for kind, lines in fine.lines.items()}
    assert kinds["plates"] > 100 and kinds["graticule"] == 1
    # Coasts are the edges of the land, but for those that only close it.
    assert told["land"] == len(edges(fine.rings))
    assert 5 < told["closing"] < 50 and told["drawnClosing"] == 0
    assert told["coast"] == told["land"] - told["closing"]


def test_no_frame_between_coarse_and_fine_lacks_the_land(visit):
    made = visit(with_map=True, viewport=SMALL).open()
    page = made.page
    page.evaluate(MAP, CHIOS)
    frames = page.evaluate("""async ([chios, lydia]) => {
      own.map.jumpTo({ zoom: 3.9 });
      await own.idle();
      const frames = [];
      const isLand = (place) => own.map.queryRenderedFeatures(own.map.project(place), { layers: ["land"] }).length > 0;
      const look = () => { frames.push([isLand(chios), isLand(lydia)]); };
      own.map.on("render", look);
      own.map.jumpTo({ zoom: 4 });
      while (!isLand(chios)) {
        own.map.triggerRepaint();
        await own.map.once("render");
      }
      await own.idle();
      own.map.off("render", look);
      return frames;
    }""", [CHIOS["center"], [28.1, 38.4]])
    island = [frame[0] for frame in frames]
    # The island comes once and stays; the mainland is never missing.
    assert island == sorted(island) and not island[0] and island[-1]
    assert all(frame[1] for frame in frames)


def test_the_finer_shapes_stay_with_another_style_and_come_to_one_that_is_being_loaded(visit):
    made = visit(with_map=True, viewport=SMALL).open()
    page = made.page
    page.evaluate(MAP, CHIOS)
    # Another style begins while the file is on its way.
    page.evaluate("""async () => {
      own.map.jumpTo({ zoom: 5 });
      own.map.setStyle(own.plain(), { diff: false });
      await own.map.once("style.load");
    }""")
    until(page, lambda: page.evaluate("own.shown()")["isLand"])
    page.evaluate("""async () => {
      own.map.setStyle(own.plain(), { diff: false });
      await own.map.once("style.load");
    }""")
    assert page.evaluate("own.shown()")["isLand"]


def test_without_the_file_the_coarse_map_stays_and_the_next_zoom_tries_again(visit):
    made = visit(with_map=True, viewport=SMALL).open()
    page = made.page
    broken = ["{", "{}", '{"scale": 500, "land": ["AAAA"], "holes": {}}']
    made.context.route(f"**{FILE}", lambda route: route.fulfill(body=broken.pop()) if broken else route.fallback())
    page.evaluate(MAP, CHIOS)
    for zoom in (5, 5.5, 5.2):
        with page.expect_console_message(lambda message: "no finer coasts from zoom 4 on: " in message.text):
            page.evaluate("(zoom) => own.map.jumpTo({ zoom })", zoom)
        told = page.evaluate("own.shown()")
        assert not told["isLand"] and told["coasts"] > 0 and told["errors"] == []
    page.evaluate("own.map.jumpTo({ zoom: 6 })")
    until(page, lambda: page.evaluate("own.shown()")["isLand"])


def test_a_browser_that_saves_data_keeps_the_coarse_map(visit):
    made = visit(with_map=True, viewport=SMALL)
    made.context.add_init_script(
        "Object.defineProperty(Navigator.prototype, 'connection', { value: { saveData: true }, configurable: true })")
    found = asked(made)
    made.open()
    made.page.evaluate(MAP, {**CHIOS, "zoom": 6})
    assert not made.page.evaluate(GO, 6.5)["isLand"] and found == []


def test_the_pages_own_map_asks_for_finer_shapes_when_it_is_near(visit):
    made = visit(with_map=True, viewport=SMALL)
    found = asked(made)
    made.open()
    page = made.page
    page.get_by_role("button", name="Zoom out").click()
    assert found == []
    with page.expect_response(f"**{FILE}") as answer:
        page.evaluate("location.hash = '#box=36,22..41,28'")
    assert answer.value.status == 200
    expect(page.locator("#map[data-state=ready]")).to_be_visible()
    for name in ("Zoom in", "Zoom out"):
        page.get_by_role("button", name=name).click()
    assert len(found) == 1
