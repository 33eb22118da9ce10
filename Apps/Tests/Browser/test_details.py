"""Details that the program loads when an event is opened, and the lines of equal shaking on the map."""

import re

import pytest
from playwright.sync_api import expect

from accessibility import CONTRAST, beyond_the_edge, violations
from conftest import NO_DETAILS
from test_access import PHONE

MODULE = "/js/event-details.js"
PLANES = [{"strike": 350, "dip": 45, "rake": -90}, {"strike": 170, "dip": 45, "rake": -90}]
MECHANISM = {
    "kind": "moment-tensor", "source": "us", "tensor": None, "planes": PLANES, "moment": 1e18, "magnitude": 6.05,
    "magnitudeType": "Mww", "doubleCouple": 0.94,
}


@pytest.fixture
def strong(ready):
    """Events with all products, strongest first."""
    events = [event for event in ready.events("&min_magnitude=5.5&sort=magnitude") if event["alert"] in ("green", "yellow")]
    assert len(events) >= 2, "the demo feed has too few strong events"
    return events


def more(made):
    return made.page.get_by_role("region", name="Further details")


def loaded(made):
    expect(more(made)).to_contain_text("Loaded ", timeout=15_000)
    return more(made)


def answer_with(made, **fields):
    """Answers questions for details with these values."""
    made.context.route("**/api/events/*/details", lambda route: route.fulfill(json={**NO_DETAILS, **fields}))


def test_an_opened_event_tells_what_its_document_has(visit, strong):
    made = visit().open(f"#event={strong[0]['id']}")
    section = loaded(made)
    facts = section.locator("dl.facts")
    expect(facts).to_contain_text(re.compile(r"Shaking\s*up to [IVX]+ \([a-z ]+\)"))
    expect(made.page.locator("#details > dl.facts")).to_contain_text(re.compile(r"Impact alert\s*(Green|Yellow): "))
    expect(section.locator("figcaption")).to_contain_text(
        re.compile(r"(Reverse|Normal|Strike-slip) faulting.*moment tensor of .*strike \d+°, dip \d+°, rake −?\d+°"))
    expect(section.get_by_role("img", name=re.compile(r"^Beach ball: strike \d+°.*, or strike"))).to_be_visible()
    towns = section.locator(".towns li")
    expect(towns).to_have_count(5)
    expect(towns.first).to_contain_text(re.compile(r"\d+ km [NESW]{1,3}$"))
    expect(section).to_contain_text(re.compile(r"Lines of equal shaking are on the map, from III to [IVX]+\."))
    # Other units are told without another question.
    asked = []
    made.page.on("request", lambda request: asked.append(request.url) if "/details" in request.url else None)
    made.page.get_by_role("button", name="Times and distances").click()
    made.page.get_by_label("Miles").check()
    expect(towns.first).to_contain_text(re.compile(r"\d+ mi [NESW]{1,3}$"))
    assert asked == []


def test_the_module_waits_until_an_event_is_opened(visit):
    made = visit()
    asked = []
    made.page.on("request", lambda request: asked.append(request.url))
    made.open()
    assert not any(url.endswith(MODULE) or "/details" in url for url in asked)
    made.rows.nth(3).click()
    made.page.keyboard.press("Enter")
    loaded(made)
    assert sum(url.endswith(MODULE) for url in asked) == 1
    # Of the modules that all share there is one copy.
    assert sum("/js/units.js" in url or "/js/format.js" in url for url in asked) <= 2


def test_steps_through_the_list_ask_for_the_event_where_they_end(visit):
    made = visit().open()
    asked = []
    made.context.route("**/api/events/*/details", lambda route: (
        asked.append(route.request.url.split("/")[-2]), route.fulfill(json=NO_DETAILS)))
    made.rows.first.click()
    made.page.keyboard.press("Enter")
    loaded(made)
    # One after the other at once: on a busy machine, keys that are pressed may come a second apart.
    made.page.evaluate("""for (let count = 0; count < 8; count += 1) {
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true, cancelable: true }));
    }""")
    last = made.selected.get_attribute("data-id")
    expect(more(made)).to_have_attribute("aria-busy", "true")
    expect(more(made)).to_have_attribute("aria-busy", "false")
    assert asked[-1] == last and len(asked) == 2, asked


def test_lines_of_equal_shaking_are_on_the_map_while_the_event_is_open(visit, strong):
    made = visit(with_map=True).open(f"#event={strong[0]['id']}")
    page = made.page
    expect(page.locator("#map[data-overlay=shaking]")).to_be_attached()
    legend = page.locator("#shaking-legend")
    expect(legend).to_contain_text(re.compile("ShakingIII \\(weak\\)IV \\(light\\)"))
    shades = legend.locator(".line").evaluate_all("(all) => all.map((line) => getComputedStyle(line).backgroundColor)")
    assert len(set(shades)) == len(shades) >= 2
    assert legend.locator(".line").first.bounding_box()["width"] == 16
    page.get_by_role("button", name="Close the details").click()
    expect(page.locator("#map[data-overlay='']")).to_be_attached()
    expect(legend).to_be_hidden()
    answer_with(made)
    made.rows.nth(5).click()
    page.keyboard.press("Enter")
    loaded(made)
    expect(legend).to_be_hidden()


def test_a_failure_is_told_and_the_next_attempt_may_succeed(visit, ready, strong):
    made = visit().open()
    ready.fault("503")
    made.page.goto(f"{ready.url}/#event={strong[-1]['id']}")
    section = more(made)
    expect(section).to_contain_text("No details: 127.0.0.1 is busy; try again later.", timeout=15_000)
    # Parts that don't need the document are there: the map's own places.
    expect(section.get_by_role("link", name="Earthquakes nearby, before and after")).to_be_visible()
    assert violations(made.page) == []
    ready.fault("none")
    made.page.get_by_role("button", name="Try again").focus()
    made.page.keyboard.press("Enter")
    loaded(made)
    expect(section.locator("h3")).to_be_focused()
    expect(section.get_by_role("button", name="Try again")).to_be_hidden()
    made.errors[:] = [error for error in made.errors if "503" not in error]


def test_kept_details_are_shown_with_their_age_when_they_cannot_be_renewed(visit):
    made = visit()
    answer_with(
        made, loaded=0, isCurrent=False, shaking=6.2, mechanism=MECHANISM, alert={"level": "orange", "intensity": 7},
        felt={"responses": 1234, "intensity": 4.6},
        failure={"code": "details_unreachable", "message": "a.example can't be reached"})
    made.open()
    made.rows.first.click()
    made.page.keyboard.press("Enter")
    section = more(made)
    expect(section.get_by_role("status")).to_have_text(re.compile(r"Kept from .*1970: a\.example can't be reached\."))
    expect(section).to_contain_text("up to VI (strong)")
    expect(section).to_contain_text("Normal faulting")
    expect(section).to_contain_text("1,234 reports, up to V (moderate)")
    # A level that the feed doesn't have yet, in words and with a dot of its colour.
    expect(section).to_contain_text("Orange: significant damage likely, regional response")
    expect(section.locator(".alert[data-alert=orange]")).to_be_visible()
    expect(section.get_by_role("button", name="Try again")).to_be_visible()


def test_without_towns_in_the_document_those_of_the_map_are_told(visit):
    made = visit()
    event = {
        "id": "nc1", "magnitude": 3, "magnitudeType": "ml", "place": "10 km N of Oakland, CA", "time": 1_790_000_000_000,
        "updated": 1_790_000_000_000, "longitude": -122.27, "latitude": 37.9, "depth": 5, "type": "earthquake",
        "status": "reviewed", "alert": None, "tsunami": False, "felt": None, "significance": 100, "url": None,
        "aliases": [], "withdrawn": None,
    }
    made.serve([event])
    made.open("#event=nc1")
    towns = loaded(made).locator(".towns li")
    expect(towns).to_have_count(5)
    expect(towns.first).to_contain_text(re.compile(r"^San Francisco\d+ km NE$"))


def test_earthquakes_nearby_before_and_after_are_a_filter(visit, strong):
    made = visit().open(f"#event={strong[0]['id']}")
    page = made.page
    link = loaded(made).get_by_role("link", name="Earthquakes nearby, before and after")
    link.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#search")).to_have_value(re.compile(r"^near:-?[\d.]+,-?[\d.]+ 100km$"))
    expect(page.locator(".side .ranges li")).to_have_count(1)
    expect(made.rows.first).to_be_visible()
    expect(page.locator("#details-title")).to_be_visible()
    assert made.shown() < len(made.world.events())


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("options", [
    {}, {"forced_colors": "active"}, PHONE, {"viewport": {"width": 320, "height": 256}, "device_scale_factor": 4},
], ids=["wide", "forced", "phone", "400 %"])
def test_the_details_are_accessible(visit, strong, scheme, options):
    made = visit(color_scheme=scheme, **options).open(f"#event={strong[0]['id']}", map_state=None)
    loaded(made)
    assert violations(made.page) == []
    assert beyond_the_edge(made.page) == []
    if "forced_colors" not in options:
        assert made.page.evaluate(CONTRAST) == []


@pytest.fixture
def module(visit):
    made = visit()
    made.page.goto(made.world.url)

    def run(name, body, value=None):
        return made.page.evaluate(f"async (input) => {{ const it = await import('/js/{name}.js'); {body} }}", value)

    return run


@pytest.mark.parametrize("plane, filled, empty", [
    # Strike-slip on a vertical plane to the north: the quadrants to the north-east and south-west.
    ((0, 90, 0), [(0.5, -0.5), (-0.5, 0.5)], [(-0.5, -0.5), (0.5, 0.5)]),
    # Reverse: the middle; normal: the sides.
    ((0, 45, 90), [(0, 0)], [(0.99, 0), (-0.99, 0)]),
    ((0, 45, -90), [(0.99, 0), (-0.99, 0)], [(0, 0)]),
    # A thrust to the west, which dips flatly to the east: the steep plane is in the west.
    ((0, 20, 90), [(0.3, 0), (0, 0)], [(0.99, 0), (-0.9, 0)]),
])
def test_a_beach_ball_is_filled_where_the_first_motion_goes_away(module, plane, filled, empty):
    strike, dip, rake = plane
    values = module("beach-ball", """
      const moment = it.momentOf({ tensor: null, planes: [input.plane] });
      const share = () => {
        let [all, away] = [0, 0];
        for (let x = -1; x <= 1; x += 0.01) for (let y = -1; y <= 1; y += 0.01) {
          if (x * x + y * y > 1) continue;
          all += 1;
          if (it.motion(moment, x, y) > 0) away += 1;
        }
        return away / all;
      };
      return { share: share(), at: input.points.map(([x, y]) => it.motion(moment, x, y) > 0) };
    """, {"plane": {"strike": strike, "dip": dip, "rake": rake}, "points": filled + empty})
    assert values["at"] == [True] * len(filled) + [False] * len(empty)
    # A double couple fills half of the sphere, and the projection keeps areas.
    assert abs(values["share"] - 0.5) < 0.01


def test_a_tensor_is_that_of_its_plane_and_an_explosion_is_all_filled(module):
    assert module("beach-ball", """
      const { momentOf, motion, outline } = it;
      const [strike, dip, rake] = [30, 60, 20];
      const m = momentOf({ tensor: null, planes: [{ strike, dip, rake }] });
      const tensor = { rr: m.dd, tt: m.nn, pp: m.ee, rt: m.nd, rp: -m.ed, tp: -m.ne };
      const same = momentOf({ tensor, planes: [] });
      const explosion = momentOf({ tensor: { rr: 1, tt: 1, pp: 1, rt: 0, rp: 0, tp: 0 }, planes: [] });
      const points = [[0, 0], [0.7, 0.7], [-0.2, 0.9]];
      return [JSON.stringify(same) === JSON.stringify(m), points.every(([x, y]) => motion(explosion, x, y) > 0),
        /^(M[-\\d. L]+Z)+$/.test(outline(m)), momentOf({ tensor: null, planes: [] })];
    """) == [True, True, True, None]


def test_intensities_and_their_words(module):
    assert module("shaking", "return [0, 3.5, 6.4, 12, 99].map(it.inWords);") == [
        "I (not felt)", "IV (light)", "VI (strong)", "XII (extreme)", "XII (extreme)"]
    assert module("shaking", "return [0, 3.9, 9.5, 12].map(it.shade);") == ["shake-3", "shake-3", "shake-9", "shake-9"]


def test_the_place_and_days_of_nearby_earthquakes(module):
    event = {"id": "us1", "latitude": -41.28654, "longitude": 174.00004, "time": 1_790_000_000_000}
    assert module("event-details", "return it.nearby(input);", event) == (
        "#q=near%3A-41.287%2C174+100km&days=2026-09-14..2026-10-21&event=us1")
    assert module("event-details", """return [[1, 0], [0, 1], [-1, -1], [0, 359]].map(([latitude, longitude]) =>
      it.direction({ latitude: 0, longitude: 0 }, { latitude, longitude }));""") == ["N", "E", "SW", "W"]
