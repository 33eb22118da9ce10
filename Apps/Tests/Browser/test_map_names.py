"""Names on the map: where they are, from which zoom on, and how their letters are drawn."""

import gzip
import json
import pathlib
import re

import pytest
from playwright.sync_api import expect

from test_list_and_map import open_with, quake

SHARED = pathlib.Path(__file__).resolve().parent.parent.parent / "Sources/LocalApp/Resources/web"

#: A map of its own in the page, of the page's modules, at a place and zoom; gives the names that it shows by layer.
SHOWN = """async ({ center, zoom, projection }) => {
  const [{ MapNames }, { plainStyle }, { loadBaseMap }] = await Promise.all(
    ["map-names", "map-style", "base-map"].map((name) => import(`/js/${name}.js`)));
  const container = document.createElement("div");
  container.style.cssText = "position: fixed; inset: 0; z-index: 9";
  document.body.append(container);
  const names = new MapNames(maplibregl);
  const events = { data: { type: "FeatureCollection", features: [] }, slice: null };
  const style = plainStyle(await loadBaseMap(), names, events, Date.now());
  const map = new maplibregl.Map({
    container, center, zoom, fadeDuration: 0, style: { ...style, projection: { type: projection } },
  });
  const failed = new Promise((_, reject) => map.on("error", ({ error }) => reject(error)));
  await Promise.race([map.once("load"), failed]);
  await names.start(map);
  // The map may be idle again already.
  map.triggerRepaint();
  await Promise.race([map.once("idle"), failed]);
  const layers = ["names-countries", "names-states", "names-places", "names-towns"];
  const shown = Object.fromEntries(layers.map((layer) => [layer.replace("names-", ""),
    [...new Set(map.queryRenderedFeatures({ layers: [layer] }).map(({ properties }) => properties.n))]]));
  map.remove();
  container.remove();
  return shown;
}"""


def points(kind):
    """[(name, zoom, longitude, latitude)] of a list of the map's names."""
    x = y = 0
    for name, zoom, dx, dy in zip(kind["names"], kind["zooms"], kind["points"][::2], kind["points"][1::2], strict=True):
        x, y = x + dx, y + dy
        yield name, zoom, x / 100, y / 100


def read(name):
    return json.loads((SHARED / "basemap" / name).read_text(encoding="utf-8"))


def test_the_map_data_stay_within_a_megabyte():
    sizes = [len(gzip.compress(file.read_bytes())) for file in (SHARED / "basemap").iterdir()]
    assert len(sizes) == 5 and sum(sizes) < 1_000_000, sizes


@pytest.mark.parametrize("kind, name, zoom, x, y, reach", [
    ("countries", "Japan", 3, 138, 37, 4), ("countries", "Chile", 2, -71, -35, 15),
    ("states", "Nevada", 4, -117, 39, 2),
    ("places", "Tokyo", 2, 139.69, 35.69, 0.02), ("places", "Reykjavík", 4, -21.9, 64.14, 0.05),
    ("places", "Anchorage", 3, -149.9, 61.22, 0.02), ("places", "Unalaska", 3, -166.53, 53.87, 0.05),
])
def test_names_stand_in_the_right_places(kind, name, zoom, x, y, reach):
    found = [each for each in points(read("names.json")[kind]) if each[0] == name]
    assert len(found) == 1, found
    _, least, longitude, latitude = found[0]
    assert abs(longitude - x) <= reach and abs(latitude - y) <= reach
    assert least <= zoom


def test_every_name_is_on_the_globe_and_towns_come_later():
    first, second = read("names.json"), read("towns.json")
    for kind in [*(first[name] for name in ("countries", "states", "places")), second["places"]]:
        assert len(kind["names"]) > 40
        for name, zoom, x, y in points(kind):
            assert name.strip() == name != "" and 1 <= zoom <= 7
            assert -180 <= x <= 180 and -85 <= y <= 85
    assert max(first["places"]["zooms"]) < 6 == min(second["places"]["zooms"])


@pytest.mark.parametrize("projection", ["globe", "mercator"])
def test_more_names_come_with_the_zoom(visit, projection):
    made = visit(with_map=True, viewport={"width": 900, "height": 700}).open()

    def shown(zoom):
        return made.page.evaluate(SHOWN, {"center": [13, 42.5], "zoom": zoom, "projection": projection})

    far, near, close = shown(2.2), shown(5.2), shown(7.2)
    assert {"Algeria", "Libya"} & set(far["countries"]) and len(far["places"]) < 60
    assert "Italy" in near["countries"] and "Rome" in near["places"]
    assert far["towns"] == near["towns"] == []
    # A town of 70,000 in the middle, which no one would look for on the globe.
    assert "L'Aquila" in close["towns"] and "L'Aquila" not in [*near["places"], *far["places"]]


def test_a_name_does_not_cover_the_circle_below_it(visit):
    # The middle of the map at the start, moved to Honolulu, where a name stands.
    made = open_with(visit, [quake("xx1", "Honolulu", -157.858, 21.307)], with_map=True)
    made.open("#event=xx1")
    page = made.page
    expect(page.locator(".ring.selected")).to_be_visible()
    page.get_by_role("button", name="Close the details").click()
    expect(page.locator("#details")).to_be_hidden()
    for _ in range(100):
        box = page.locator(".ring.selected").bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        if page.locator("#details").is_visible():
            break
        page.evaluate("new Promise(requestAnimationFrame)")
    expect(page.locator("#details h2")).to_have_text("Honolulu")


def test_the_map_names_the_source_of_its_places(visit):
    made = visit(with_map=True).open()
    expect(made.page.locator(".maplibregl-ctrl-attrib")).to_contain_text("GeoNames (CC BY)")


def test_without_the_names_the_map_works_and_says_why_in_the_console(visit):
    made = visit(with_map=True)
    told = []
    made.page.on("console", lambda message: told.append(message.text))
    made.context.route("**/basemap/names.json", lambda route: route.fulfill(body="{"))
    made.open()
    made.page.get_by_role("button", name="Zoom in").click()
    assert any(re.match("The map has no names: ", text) for text in told), told


def fields(data):
    """The fields of a protobuf message as [(number, value)]."""
    found, at = [], 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        value = varint()
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        found.append((key >> 3, value))
    return found


def test_letters_are_drawn_as_distance_fields_with_their_sizes(visit):
    made = visit().open()
    made_bytes = bytes(made.page.evaluate(
        "async () => [...await (await import('/js/local-glyphs.js')).glyphs('600', 0, 255)]"))
    [(_, stack)] = fields(made_bytes)
    glyphs = {}
    for number, value in fields(stack):
        if number == 3:
            facts = dict(fields(value))
            glyphs[chr(facts[1])] = facts
    assert {"A", "z", "é", "Å", " "} <= set(glyphs) and "\n" not in glyphs
    for letter in "lHé":
        facts = glyphs[letter]
        width, height = facts[3] + 6, facts[4] + 6
        field = facts[2]
        assert len(field) == width * height
        # Inside of the stroke, and far from it at the corners.
        assert max(field) > 191 and field[0] < 191 and field[-1] < 191
    space = glyphs[" "]
    assert space[3] == 0 and 2 not in space and space[7] > 0
    assert glyphs["W"][7] > glyphs["i"][7]


def test_a_distance_field_has_the_distances_of_a_disc(visit):
    made = visit().open()
    size, radius = 21, 6
    told = made.page.evaluate(
        """async ({ size, radius }) => {
          const { distanceField } = await import("/js/distance-field.js");
          const middle = (size - 1) / 2;
          const distance = (index) => Math.hypot((index % size) - middle, Math.floor(index / size) - middle) - radius;
          const field = distanceField((index) => Math.max(0, Math.min(1, 0.5 - distance(index))), size, size);
          return [...field].map((value, index) => [(0.75 - value / 255) * 8, distance(index)]);
        }""", {"size": size, "radius": radius})
    for found, true in told:
        assert abs(found - max(-2, min(6, true))) < 0.6, (found, true)
