"""The map as a filter: only what is in view, the map fitted to the results, and circles over one another."""

import re
import time
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import expect

from accessibility import violations
from test_list_and_map import PHONE, wait_for_ring_at_centre
from test_modules import event, opened, query, run  # noqa: F401

PACIFIC = "-40,150..10,-150"


def place(number, latitude, longitude, **more):
    return event(number, latitude=latitude, longitude=longitude, **more)


def shown_event(number, latitude, longitude, **more):
    """An event as the server sends it."""
    now = int(time.time() * 1_000)
    return {
        "id": f"us{number:08}", "magnitude": 4.0, "magnitudeType": "mb", "place": f"{number} km N of Town",
        "time": now - number * 3_600_000, "updated": now, "longitude": longitude, "latitude": latitude, "depth": 10.0,
        "type": "earthquake", "status": "reviewed", "alert": None, "tsunami": False, "felt": None, "significance": 1,
        "url": None, **more,
    }


def box_of(page):
    """The box in the page's address; null without one."""
    text = parse_qs(urlparse(page.url).fragment).get("box")
    return text and [float(number) for number in re.split(r",|\.\.", text[0])]


def contains(box, each):
    south, west, north, east = box
    longitude = each["longitude"]
    inside = west <= longitude <= east if west <= east else longitude >= west or longitude <= east
    return south <= each["latitude"] <= north and inside


@pytest.mark.parametrize("view, box", [
    ([10, 20, 30, 40], [10, 20, 30, 40]),
    ([-10.123456, 170, 30, 190], [-10.1235, 170, 30, -170]),
    ([0, -200, 10, -170], [0, 160, 10, -170]),
    ([-95, -300, 95, 100], [-90, -180, 90, 180]),
    ([0, 530, 10, 560], [0, 170, 10, -160]),
])
def test_the_box_of_a_view_is_within_the_globe(run, view, box):
    names = ["south", "west", "north", "east"]
    assert run("return box.boxOf(input);", ["box"], dict(zip(names, view))) == dict(zip(names, box))


@pytest.mark.parametrize("places, box", [
    ([(0, 10), (5, 20)], [0, 10, 5, 20]),
    ([(0, 170), (5, -170), (-3, 179)], [-3, 170, 5, 190]),
    ([(7, -120)], [7, -120, 7, -120]),
    ([(0, -170), (0, -60), (0, 60), (0, 160)], [0, 60, 0, 300]),
])
def test_the_box_round_events_is_the_smallest_over_the_date_line_too(run, places, box):
    points = [{"latitude": latitude, "longitude": longitude} for latitude, longitude in places]
    assert run("return Object.values(box.boxRound(input));", ["box"], points) == box


def test_a_box_limits_the_list_over_the_date_line_too(run):
    events = [place(1, 0, 170), place(2, 0, -170), place(3, 0, 0), place(4, 20, 175), place(5, -10, -175.5)]
    box = {"south": -10, "west": 170, "north": 10, "east": -170}
    assert query(run, events, box=box) == ["t1", "t2", "t5"]
    assert query(run, events, box={**box, "west": 0, "east": 10}) == ["t3"]
    # A whole identifier finds its event beside other words, but not beside another place.
    assert query(run, events, box=box, search="t3") == []
    assert query(run, events, search="box:-10,170..10,-170 -t2") == ["t1", "t2", "t5"]


def test_a_box_that_cannot_be_read_is_left_out_of_a_link(run):
    texts = ["", "1,2", "10,0..-10,0", "0,0..1,181", "0,0..1,1..2,2", "a,b..c,d"]
    body = "return input.map((text) => address.parse(`#box=${encodeURIComponent(text)}`).box);"
    found = run(body, ["address"], texts)
    assert found == [None] * len(texts)


def test_the_server_and_exports_get_the_box(run):
    assert run(
        "return parameters.filterParameters({ ...address.parse(''), search: 'japan',"
        " box: { south: -40, west: 150, north: 10.5, east: -150 } });", ["parameters", "address"],
    ) == {"search": "japan", "box": "-40,150..10.5,-150"}


@pytest.mark.parametrize("longitudes", [(-20, 20), (160, 200)])
def test_a_fitted_view_has_the_room_of_the_results(run, longitudes):
    west, east = longitudes
    view = run("return map_views.flatView(input, 800, 600);", ["map-views"],
               {"south": -10, "west": west, "north": 10, "east": east})
    # 40 degrees in 800 pixels: 20 pixels a degree.
    assert view["center"][0] == (west + east) / 2 and abs(view["center"][1]) < 1e-9
    assert abs(512 * 2 ** view["zoom"] / 360 - 20) < 1e-6


def test_on_the_globe_a_view_with_a_pole_has_the_half_that_is_seen(run):
    whole = {"south": -60, "west": -315, "north": 90, "east": 45}
    body = "return Object.values(map_views.seen(...input));"
    assert run(body, ["map-views"], [whole, [-135, 22], True]) == [-60, -225, 90, -45]
    assert run(body, ["map-views"], [whole, [-135, 80], True]) == [-60, -315, 90, 45]
    assert run(body, ["map-views"], [{**whole, "south": -85.05, "north": 85.05}, [0, 0], False]) == [-90, -315, 90, 45]


@pytest.mark.parametrize("projection", ["globe", "mercator"])
def test_the_list_has_only_what_the_map_shows_and_follows_it(visit, ready, projection):
    made = visit(with_map=True)
    made.context.add_init_script(f"localStorage.setItem('quakes.projection', '{projection}')")
    page = made.open().page
    events = ready.events()
    switch = page.get_by_role("button", name="Only what is in view")
    expect(switch).to_have_attribute("aria-pressed", "false")
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "true")
    first = box_of(page)
    within = [each for each in events if contains(first, each)]
    if projection == "globe":
        assert len(within) < len(events)
    expect(page.locator("#map")).to_have_attribute("data-count", str(len(within)))
    # The list follows when the reader moves the map, and not when the page does.
    for _ in range(1 if projection == "globe" else 3):
        before = page.url
        page.locator(".maplibregl-ctrl-zoom-in").click()
        expect(page).not_to_have_url(before)
    box = box_of(page)
    assert box != first
    within = [each for each in events if contains(box, each)]
    assert 0 < len(within) < len(events)
    expect(page.locator("#count")).to_have_text(f"{len(within):,} of {len(events):,} earthquakes")
    made.announced(f"{len(within):,} of {len(events):,} earthquakes.")
    expect(page.locator("#export-menu a").first).to_have_attribute("href", re.compile("box="))
    asked = parse_qs(urlparse(page.url).fragment)["box"][0]
    assert ready.get(f"/api/events?limit=1&box={asked}")["total"] == len(within)
    made.rows.first.click()
    wait_for_ring_at_centre(page)
    assert box_of(page) == box
    chip = page.locator(".side .ranges").get_by_role("button", name=re.compile("^Remove the filter: in the box"))
    expect(chip).to_be_visible()
    chip.click()
    expect(switch).to_have_attribute("aria-pressed", "false")
    assert box_of(page) is None
    expect(page.locator("#count")).to_have_text(f"{len(events):,} earthquakes")
    page.go_back()
    expect(switch).to_have_attribute("aria-pressed", "true")
    assert box_of(page) == box


def test_a_link_with_a_box_shows_it_on_the_map_and_keeps_it(visit, ready):
    made = visit(with_map=True)
    made.context.add_init_script("localStorage.setItem('quakes.projection', 'mercator')")
    page = made.open(f"#box={PACIFIC}").page
    box = [-40, 150, 10, -150]
    assert box_of(page) == box
    within = [each for each in ready.events() if contains(box, each)]
    assert within
    expect(page.locator("#map")).to_have_attribute("data-count", str(len(within)))
    expect(page.get_by_role("button", name="Only what is in view")).to_have_attribute("aria-pressed", "true")
    # The part that the map shows now has the box.
    page.get_by_role("button", name="Only what is in view").click()
    page.get_by_role("button", name="Only what is in view").click()
    south, west, north, east = box_of(page)
    assert south <= -39.9 and north >= 9.9 and 100 <= west <= 150.1 and -150.1 <= east <= -100


def test_the_map_is_fitted_to_the_results(visit):
    made = visit(with_map=True)
    made.serve([shown_event(1, -10, 178), shown_event(2, -20, -178), shown_event(3, 50, 10, place="Far")])
    made.context.add_init_script("localStorage.setItem('quakes.projection', 'mercator')")
    page = made.open("#q=town").page
    expect(made.rows).to_have_count(2)
    page.get_by_role("button", name="Fit", exact=True).click()
    page.get_by_role("button", name="Only what is in view").click()
    south, west, north, east = box_of(page)
    assert -25 < south < -20 and -10 < north < -5 and 160 < west < 178 and -178 < east < -160
    expect(made.rows).to_have_count(2)
    # By the key, too.
    page.get_by_role("searchbox").fill("")
    expect(made.rows).to_have_count(2)
    page.keyboard.press("Tab")
    page.locator("#list").focus()
    page.keyboard.press("v")
    expect(made.rows).to_have_count(3)
    page.keyboard.press("f")
    page.keyboard.press("v")
    expect(made.rows).to_have_count(3)
    south, west, north, east = box_of(page)
    assert north > 50 and south < -20


def test_circles_over_one_another_are_offered_as_a_list(visit):
    made = visit(with_map=True)
    made.serve([shown_event(number, 20, -150, magnitude=number + 2.0) for number in (1, 2, 3)])
    page = made.open("#event=us00000002").page
    x, y = wait_for_ring_at_centre(page)
    page.get_by_role("button", name="Close the details").click()
    expect(page.locator("#details")).to_be_hidden()
    x, y = wait_for_ring_at_centre(page)
    for _ in range(100):
        page.mouse.click(x, y)
        if page.locator("#overlap").is_visible():
            break
        page.evaluate("new Promise(requestAnimationFrame)")
    menu = page.locator("#overlap")
    expect(menu.get_by_role("heading")).to_have_text("3 earthquakes here")
    items = menu.get_by_role("button")
    expect(items).to_have_text([re.compile("^M 3.0 1 km"), re.compile("^M 4.0 2 km"), re.compile("^M 5.0 3 km")])
    expect(items.nth(0)).to_be_focused()
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    page.mouse.click(x, y)
    expect(items.nth(0)).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    expect(items.nth(2)).to_be_focused()
    page.keyboard.press("Enter")
    expect(menu).to_be_hidden()
    expect(page.locator("#details")).to_contain_text("us00000003")
    expect(made.row("us00000003")).to_have_attribute("aria-selected", "true")


def test_on_a_phone_the_switch_is_on_the_map_and_its_chip_above_the_list(visit, ready):
    made = visit(with_map=True, **PHONE).open()
    page = made.page
    page.get_by_role("button", name="Map", exact=True).click()
    expect(page.locator("#map[data-state=ready]")).to_be_attached(timeout=60_000)
    page.get_by_role("button", name="Only what is in view").click()
    assert violations(page) == []
    page.get_by_role("button", name="List", exact=True).click()
    box = box_of(page)
    within = [each for each in ready.events() if contains(box, each)]
    expect(page.locator("#count")).to_have_text(re.compile(f"^{len(within):,} of "))
    page.locator(".side .ranges button").click()
    expect(page.locator("#count")).to_have_text(f"{len(ready.events()):,} earthquakes")
