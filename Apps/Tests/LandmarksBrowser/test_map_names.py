"""Names on the map: those of countries, states and places, and the landmarks' own."""

import re

import pytest
from playwright.sync_api import expect

from accessibility import colours
from test_landmarks import EL_CAPITAN

#: A map of its own in the page, of the page's modules, at a place and zoom; gives the names that it shows by layer.
SHOWN = """async ({ center, zoom, landmarks }) => {
  const [{ MapNames }, { mapStyle, provideRoom, LABELS }, { loadBaseMap }] = await Promise.all(
    ["map-names", "map-style", "base-map"].map((name) => import(`/js/${name}.js`)));
  const container = document.createElement("div");
  container.style.cssText = "position: fixed; inset: 0; z-index: 9";
  document.body.append(container);
  const names = new MapNames(maplibregl);
  const features = landmarks.map(([name, longitude, latitude, isFavorite], id) => ({
    type: "Feature", properties: { id, name, isFavorite },
    geometry: { type: "Point", coordinates: [longitude, latitude] },
  }));
  const map = new maplibregl.Map({
    container, center, zoom, fadeDuration: 0,
    style: mapStyle(await loadBaseMap(), names, { type: "FeatureCollection", features }),
  });
  provideRoom(map);
  const failed = new Promise((_, reject) => map.on("error", ({ error }) => reject(error)));
  await Promise.race([map.once("load"), failed]);
  await names.start(map);
  // The map may be idle again already.
  map.triggerRepaint();
  await Promise.race([map.once("idle"), failed]);
  const told = (layer, key) =>
    [...new Set(map.queryRenderedFeatures({ layers: [layer] }).map(({ properties }) => properties[key]))];
  const shown = Object.fromEntries(["countries", "states", "places", "towns"].map((name) =>
    [name, told(`names-${name}`, "n")]));
  shown.landmarks = told(LABELS, "name");
  map.remove();
  container.remove();
  return shown;
}"""

YOSEMITE = [["El Capitan", -119.638, 37.734, False], ["Half Dome", -119.533, 37.746, True]]


def test_more_names_come_with_the_zoom_and_the_landmarks_own_from_five_on(world, visit):
    world.start_server()
    made = visit(world.device("a"), with_map=True, viewport={"width": 900, "height": 700}).loaded()

    def shown(zoom, landmarks=()):
        return made.page.evaluate(
            SHOWN, {"center": [-119.6, 37.7], "zoom": zoom, "landmarks": [*YOSEMITE, *landmarks]})

    far, middle, near, close = shown(2.5), shown(4.8), shown(5.2), shown(8.5)
    assert "United States of America" in far["countries"], far
    assert far["towns"] == far["landmarks"] == middle["landmarks"] == []
    assert {"California", "Nevada"} <= set(middle["states"]) and "San Francisco" in middle["places"], middle
    assert "Half Dome" in near["landmarks"], near
    assert set(close["landmarks"]) == {"El Capitan", "Half Dome"} and close["towns"], close
    # Where there is no room for all, favorites come first.
    crowd = [[f"Landmark {number}", -118, 37, number == 9] for number in range(10)]
    told = shown(5.5, crowd)["landmarks"]
    assert "Landmark 9" in told and len(told) < 8, told
    # A name isn't covered by circles.
    round_about = [["", -122.42 + x, 37.78 + y, False] for x, y in [(0.7, 0), (-0.7, 0), (0, 0.5), (0, -0.5)]]
    assert "San Francisco" not in shown(4.8, round_about)["places"]
    # But for that of a country, seen from afar.
    assert "United States of America" in shown(2.5, [["", x, 39.5, False] for x in range(-110, -80)])["countries"]


def test_the_map_names_the_source_of_its_places(world, visit):
    world.start_server()
    made = visit(world.device("a"), with_map=True).loaded()
    expect(made.page.locator(".maplibregl-ctrl-attrib")).to_contain_text("GeoNames (CC BY)")


def test_other_colours_reach_the_names(world, visit):
    world.start_server()
    made = visit(world.device("a"), with_map=True).loaded()
    for _ in range(3):
        made.page.locator("#theme").click()
    # The map would tell of a layer that it lacks.
    made.page.evaluate("new Promise(requestAnimationFrame)")
    assert [text for text in made.messages if "Landmarks map" in text] == []


def test_without_the_names_the_map_works_and_says_why_in_the_console(world, visit):
    world.start_server()
    device = world.device("a")
    made = visit(device, with_map=True).loaded()
    made.context.route("**/basemap/names.json", lambda route: route.fulfill(body="{"))
    with made.page.expect_console_message(
            lambda message: re.match("The map has no names: ", message.text) is not None):
        made.page.reload()
    made.loaded()
    made.row(EL_CAPITAN).locator(".open").click()
    expect(made.page.locator("#details-name")).to_have_text("El Capitan")


@pytest.mark.parametrize("options", [
    {"color_scheme": "light"}, {"color_scheme": "dark"}, {"forced_colors": "active", "color_scheme": "dark"},
], ids=["light", "dark", "forced"])
def test_names_differ_from_land_and_water(world, visit, options):
    world.start_server()
    made = visit(world.device("a"), **options).loaded()
    shown = made.page.evaluate("""async () => {
      const { colour } = await import("/js/theme.js");
      const names = ["map-country", "map-place", "accent", "heart", "map-land", "map-water", "map-halo"];
      return Object.fromEntries(names.map((name) => [name, colour(name)]));
    }""")

    def light(text):
        parts = [int(part) / 255 for part in re.findall(r"\d+", text)[:3]]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(part * share for part, share in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))

    for name in ("map-country", "map-place", "accent", "heart"):
        # Landmarks stand on land.
        for ground in ("map-land", "map-halo", *(["map-water"] if name.startswith("map") else [])):
            low, high = sorted([light(shown[name]), light(shown[ground])])
            # Names of countries stand under the others, and are large.
            least = 3 if name == "map-country" else 4.5
            assert (high + 0.05) / (low + 0.05) >= least, (name, ground, shown)


def test_a_near_map_gets_finer_coasts_and_without_them_keeps_the_coarse_ones(world, visit):
    world.start_server()
    made = visit(world.device("a"), with_map=True, viewport={"width": 920, "height": 600})
    asked, broken = [], [True]

    def answer(route):
        asked.append(route.request.url)
        return route.fulfill(status=404) if broken.pop() else route.fallback()

    made.context.route("**/basemap/fine.json", answer)
    made.loaded()
    assert asked == []
    with made.page.expect_console_message(lambda message: "no finer coasts from zoom 4 on: " in message.text):
        made.row(EL_CAPITAN).locator(".open").click()
    expect(made.page.locator("#details-name")).to_have_text("El Capitan")
    broken.append(False)
    with made.page.expect_response("**/basemap/fine.json") as response:
        made.page.get_by_role("button", name="Zoom in").click()
    assert response.value.status == 200 and response.value.finished() is None
    made.page.get_by_role("button", name="Zoom out").click()
    made.page.evaluate("new Promise(requestAnimationFrame)")
    assert len(asked) == 2


def test_the_landmarks_own_map_shows_small_islands(world, visit):
    world.start_server()
    made = visit(world.device("a"), with_map=True, viewport={"width": 900, "height": 420}).loaded()
    # Santa Catalina, which the coarse map hasn't, and the provinces round the Gulf of California.
    told = made.page.evaluate("""async ([longitude, latitude]) => {
      const [{ MapNames }, { mapStyle }, { loadBaseMap }] = await Promise.all(
        ["map-names", "map-style", "base-map"].map((name) => import(`/js/${name}.js`)));
      const container = document.createElement("div");
      container.style.cssText = "position: fixed; inset: 0 auto auto 0; width: 360px; height: 260px; z-index: 9";
      document.body.append(container);
      const base = await loadBaseMap();
      const style = mapStyle(base, new MapNames(maplibregl), { type: "FeatureCollection", features: [] });
      const map = new maplibregl.Map({ container, center: [longitude, latitude], zoom: 6, fadeDuration: 0, style });
      const isLand = async () => {
        map.triggerRepaint();
        await map.once("idle");
        return map.queryRenderedFeatures(map.project([longitude, latitude]), { layers: ["land"] }).length > 0;
      };
      const told = [await isLand()];
      await base.start(map);
      told.push(await isLand());
      map.jumpTo({ center: [-114.5, 31.5], zoom: 6.5 });
      await isLand();
      told.push(map.queryRenderedFeatures({ layers: ["provinces"] }).length > 0);
      return told;
    }""", [-118.42, 33.38])
    assert told == [False, True, True]


def test_a_map_whose_graphics_context_was_lost_is_drawn_again(world, visit):
    world.start_server()
    made = visit(world.device("a"), with_map=True, viewport={"width": 920, "height": 480}).loaded()
    page = made.page
    water, accent = page.evaluate("""async () => {
      const { colour } = await import("/js/theme.js");
      return ["map-water", "accent"].map((name) => colour(name).match(/\\d+/g).slice(0, 3).join());
    }""")

    def until(holds):
        for _ in range(60):
            counts = colours(page, page.locator("#map"))
            told = counts.get(water, 0), counts.get(accent, 0)
            if holds(*told):
                return told
            page.evaluate("new Promise((done) => setTimeout(done, 100))")
        raise AssertionError(told)

    context = """(name) => {
      const canvas = document.querySelector(".maplibregl-canvas");
      window.lost ??= canvas.getContext("webgl2").getExtension("WEBGL_lose_context");
      window.lost[name]();
    }"""
    made.row(EL_CAPITAN).locator(".open").click()
    page.locator("#details").get_by_role("button", name="Close").click()
    _, before = until(lambda sea, circles: sea > 3_000 and circles > 30)
    page.evaluate(context, "loseContext")
    until(lambda _, circles: circles == 0)
    page.evaluate(context, "restoreContext")
    _, after = until(lambda sea, circles: sea > 3_000 and circles > 30)
    assert abs(after - before) < before / 2
