"""The map after its graphics context was lost, through quick zooms, and on screens with a high resolution."""

import pytest
from playwright.sync_api import expect

from accessibility import colours
from test_fine_map import FILE, SMALL, asked
from test_list_and_map import quake

#: Ikaria, which the coarse map hasn't.
IKARIA = (37.6, 26.15)
AEGEAN = "#box=36,24..39.5,28"
COLOURS = """async () => {
  const { colour } = await import("/js/theme.js");
  const names = ["map-water", "map-land"];
  return Object.fromEntries(names.map((name) => [name, colour(name).match(/\\d+/g).slice(0, 3).join()]));
}"""
CONTEXT = """(name) => {
  window.lost ??= document.querySelector(".maplibregl-canvas").getContext("webgl2").getExtension("WEBGL_lose_context");
  window.lost[name]();
}"""


def shown(page):
    """The number of pixels of the map by what they show."""
    names = page.evaluate(COLOURS)
    counts = colours(page, page.locator("#map"))
    return {name: counts.get(colour, 0) for name, colour in names.items()}


def until(page, holds):
    for _ in range(60):
        told = shown(page)
        if holds(told):
            return told
        page.evaluate("new Promise((done) => setTimeout(done, 100))")
    raise AssertionError(told)


def is_map(told):
    return told["map-water"] > 5_000 and told["map-land"] > 5_000


@pytest.fixture
def aegean(visit):
    """A page whose map shows the Aegean, with finer coasts, and with an earthquake."""
    def make(**options):
        made = visit(with_map=True, globe=True, viewport=SMALL, **options)
        made.serve([quake("xx1", "Ikaria", IKARIA[1], IKARIA[0])])
        with made.page.expect_response(f"**{FILE}"):
            made.open(AEGEAN)
        return made
    return make


def test_a_map_whose_context_was_lost_is_drawn_again(aegean):
    page = aegean().page
    before = until(page, is_map)
    page.evaluate(CONTEXT, "loseContext")
    until(page, lambda told: told["map-water"] == told["map-land"] == 0)
    # The list works meanwhile.
    page.locator("#list [role=option]").first.click()
    expect(page.locator("#details h2")).to_have_text("Ikaria")
    page.get_by_role("button", name="Close the details").click()
    page.evaluate(CONTEXT, "restoreContext")
    after = until(page, is_map)
    assert abs(after["map-land"] - before["map-land"]) < before["map-land"] / 3
    # Other colours reach the new style, and so does the next zoom.
    page.locator("#theme").click()
    page.locator("#theme").click()
    until(page, is_map)
    page.get_by_role("button", name="Zoom out").click()
    until(page, is_map)
    # The earthquake is there: a click on it opens it.
    box = page.locator(".ring.selected").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator("#details h2")).to_have_text("Ikaria")


def test_quick_zooms_end_with_a_drawn_map_and_one_request(visit):
    made = visit(with_map=True, globe=True, viewport=SMALL)
    made.serve([quake("xx1", "Ikaria", IKARIA[1], IKARIA[0])])
    found = asked(made)
    page = made.open("#event=xx1").page
    page.get_by_role("button", name="Close the details").click()
    area = page.locator("#map").bounding_box()
    page.mouse.move(area["x"] + area["width"] / 2, area["y"] + area["height"] / 2)
    for step in range(20):
        page.mouse.wheel(0, -600 if step % 10 < 7 else 600)
    until(page, lambda _: found)
    for _ in range(10):
        page.mouse.wheel(0, -600)
    for _ in range(3):
        page.mouse.wheel(0, 600)
    page.evaluate("location.hash = '" + AEGEAN + "'")
    until(page, is_map)
    assert len(found) == 1


def test_the_map_has_the_resolution_of_the_screen(aegean):
    page = aegean(device_scale_factor=2).page
    until(page, is_map)
    assert page.evaluate("""() => {
      const { width, height, clientWidth, clientHeight } = document.querySelector(".maplibregl-canvas");
      return [width / clientWidth, height / clientHeight];
    }""") == [2, 2]
    box = page.locator("#list [role=option]").first
    box.click()
    expect(page.locator(".ring.selected")).to_be_visible()
