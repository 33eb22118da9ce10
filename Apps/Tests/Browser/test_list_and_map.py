"""Selecting, filtering, sorting and searching, in the list and on the map."""

import math
import re
import time

import pytest
from playwright.sync_api import expect

RING = ".ring.selected"


def centre(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def map_centre(page):
    """The middle of the part of the map that the details leave free."""
    stage = page.locator("#map").bounding_box()
    details = page.locator("#details").bounding_box()
    right = details["x"] if details else stage["x"] + stage["width"]
    return (stage["x"] + right) / 2, stage["y"] + stage["height"] / 2


def wait_for_ring_at_centre(page):
    page.wait_for_selector(RING)
    for _ in range(200):
        (x, y), (mx, my) = centre(page.locator(RING)), map_centre(page)
        if abs(x - mx) < 24 and abs(y - my) < 24:
            return x, y
        page.evaluate("new Promise(requestAnimationFrame)")
    raise AssertionError(f"the ring is at {(x, y)}, the middle of the free map at {(mx, my)}")


def test_a_row_chosen_in_the_list_is_highlighted_and_panned_to_on_the_map(visit):
    page = (made := visit(with_map=True, globe=True).open()).page
    event_id = made.ids()[3]
    made.row(event_id).click()
    expect(made.row(event_id)).to_have_attribute("aria-selected", "true")
    expect(made.selected).to_have_count(1)
    expect(page.locator("#details")).to_contain_text(event_id)
    wait_for_ring_at_centre(page)


@pytest.mark.parametrize("projection", ["Globe", "Flat"])
def test_a_circle_clicked_on_the_map_is_chosen_and_scrolled_to_in_the_list(
    visit, ready, projection
):
    strongest = max(ready.events(), key=lambda event: event["magnitude"] or 0)
    made = visit(with_map=True, globe=True).open(f"#mag={strongest['magnitude']}&event={strongest['id']}")
    page = made.page
    page.get_by_role("button", name=projection, exact=True).click()
    made.row(strongest["id"]).click()
    x, y = wait_for_ring_at_centre(page)
    # All events, another row selected and the list scrolled: then the circle is clicked.
    other = next(
        event["id"] for event in ready.events() if event["id"] != strongest["id"]
    )
    page.evaluate("(id) => { location.hash = `sort=magnitude-asc&event=${id}`; }", other)
    expect(made.row(other)).to_have_attribute("aria-selected", "true")
    page.evaluate("(id) => { location.hash = `sort=magnitude-asc&event=${id}`; }", strongest["id"])
    x, y = wait_for_ring_at_centre(page)
    page.get_by_role("button", name="Close the details").click()
    made.scroll_to(0)
    expect(made.row(strongest["id"])).to_have_count(1)
    expect(made.row(strongest["id"])).not_to_be_in_viewport()
    x, y = wait_for_ring_at_centre(page)
    page.mouse.click(x, y)
    # Others may lie over it.
    details, menu = page.locator("#details"), page.locator("#overlap")
    expect(details.or_(menu).filter(visible=True)).to_be_visible()
    if menu.is_visible():
        menu.get_by_role("button", name=f"M {strongest['magnitude']:.1f} ").first.click()
    expect(details).to_be_visible()
    expect(made.selected).to_be_in_viewport()


def test_the_magnitude_filter_keeps_what_the_api_keeps(visit, ready):
    made = visit(with_map=True, globe=True).open()
    everything = made.shown()
    made.page.get_by_role("radio", name="2.5+").check()
    expected = [e for e in ready.events() if e["magnitude"] is not None and e["magnitude"] >= 2.5]
    assert 0 < len(expected) < everything
    expect(made.rows.first).to_have_attribute("aria-setsize", str(len(expected)))
    expect(made.page.locator("#count")).to_have_text(
        f"{len(expected):,} of {everything:,} earthquakes"
    )
    expect(made.page.locator("#map")).to_have_attribute("data-count", str(len(expected)))


def test_the_time_window_keeps_recent_events_only(visit, ready):
    made = visit().open()
    now = made.page.evaluate("Date.now()")
    made.page.get_by_role("radio", name="Day").check()
    recent = [e for e in ready.events() if e["time"] >= now - 86_400_000]
    everything = made.page.locator("#count").inner_text().split(" of ")[-1]
    assert recent
    # Events may cross the line between the two looks at the clock.
    expect(made.page.locator("#count")).to_have_text(re.compile(r" of |^" + re.escape(everything)))
    assert abs(made.shown() - len(recent)) <= 2


def test_the_search_finds_all_words_in_any_case_and_without_accents(visit, ready):
    made = visit().open()
    place = next(e["place"] for e in ready.events() if e["place"] and " of " in e["place"])
    words = place.split(" of ", 1)[1].replace(",", " ").split()
    made.page.get_by_role("searchbox").fill(" ".join(reversed(words)).upper())
    expected = sum(
        all(word.lower() in (e["place"] or "").lower() for word in words) for e in ready.events()
    )
    expect(made.rows.first).to_have_attribute("aria-setsize", str(expected))
    made.announced(re.compile(r"^[\d,]+ (of [\d,]+ )?earthquakes?\.$"))


@pytest.mark.parametrize("order, key, sign", [
    ("Strongest first", "magnitude", -1),
    ("Weakest first", "magnitude", 1),
    ("Newest first", "time", -1),
    ("Oldest first", "time", 1),
])
def test_the_list_is_sorted_as_chosen(visit, ready, order, key, sign):
    made = visit().open()
    made.page.get_by_label("Sort").select_option(order)
    events = [e for e in ready.events() if e[key] is not None]
    extreme = (max if sign < 0 else min)(e[key] for e in events)
    by_id = {e["id"]: e for e in events}
    values = [by_id[i][key] for i in made.ids()]
    assert values[0] == extreme
    assert values == sorted(values, reverse=sign < 0)


def test_sorting_by_place_ignores_the_distance_from_it(visit):
    made = visit().open()
    made.page.get_by_label("Sort").select_option("Place, A to Z")
    places = made.page.locator("#list .place").all_inner_texts()
    keys = [p.split(" of ", 1)[-1].lower() for p in places if p.isascii()]
    assert len(keys) > 5 and keys == sorted(keys)


def test_a_search_without_a_match_says_so_and_offers_a_way_back(visit):
    made = visit().open()
    everything = made.shown()
    made.page.get_by_role("searchbox").fill("no such place anywhere")
    expect(made.page.get_by_role("heading", name="No earthquakes match")).to_be_visible()
    expect(made.page.locator("#nothing-text")).to_have_text(
        "Nothing fits the search “no such place anywhere”. Try other words.")
    made.page.get_by_role("button", name="Clear the filters").click()
    expect(made.rows.first).to_have_attribute("aria-setsize", str(everything))
    expect(made.page.get_by_role("searchbox")).to_have_value("")


def test_a_link_brings_back_filters_and_selection_and_back_undoes_a_step(visit, ready):
    chosen = next(e["id"] for e in ready.events() if (e["magnitude"] or 0) >= 2.5)
    made = visit().open(f"#mag=2.5&sort=magnitude-asc&event={chosen}")
    page = made.page
    expect(page.locator("input[name=magnitudes][value='2.5']")).to_be_checked()
    expect(page.get_by_label("Sort")).to_have_value("magnitude-asc")
    expect(made.row(chosen)).to_have_attribute("aria-selected", "true")
    expect(page.locator("#details")).to_contain_text(chosen)
    page.get_by_role("radio", name="4.5+").check()
    expect(page).to_have_url(re.compile(r"mag=4\.5"))
    page.go_back()
    expect(page.locator("input[name=magnitudes][value='2.5']")).to_be_checked()
    expect(page).to_have_url(re.compile(r"mag=2\.5"))


def test_a_damaged_link_falls_back_to_the_defaults(visit):
    made = visit().open("#mag=1e99&since=soon&sort=colour&q=&event=%00%3Cb%3E")
    expect(made.page.get_by_label("Sort")).to_have_value("time-desc")
    expect(made.selected).to_have_count(0)


def test_only_the_rows_in_sight_are_in_the_document(visit):
    made = visit().open()
    assert made.shown() > 60, "the feed is too small for this test"
    assert made.rows.count() < 40
    made.scroll_to(1e9)
    last = made.page.locator(f"#list [aria-posinset='{made.shown()}']")
    expect(last).to_be_in_viewport()
    assert made.rows.count() < 40


def test_a_selection_that_the_filters_leave_out_is_dropped_unless_its_details_tell_it(visit, ready):
    weak = next(e["id"] for e in ready.events() if e["magnitude"] is not None and e["magnitude"] < 2)
    made = visit(with_map=True, globe=True).open(f"#event={weak}")
    page = made.page
    expect(page.locator(RING)).to_be_visible()
    page.get_by_role("radio", name="4.5+").check()
    expect(page.locator("#details .note")).to_have_text("The filters leave this event out of the list.")
    expect(page.locator(RING)).to_have_count(1)
    page.get_by_role("button", name="Close the details").click()
    expect(page.locator(RING)).to_have_count(0)
    expect(page).to_have_url(re.compile(r"#mag=4\.5$"))
    page.locator("input[name=magnitudes][value='']").check()
    made.rows.first.click()
    page.get_by_role("button", name="Close the details").click()
    expect(page.locator(RING)).to_have_count(1)
    page.get_by_role("searchbox").fill("no such place anywhere")
    expect(page.locator(RING)).to_have_count(0)
    expect(page).to_have_url(re.compile(r"#q=[^&]*$"))


def quake(event_id, place, longitude, latitude):
    return {
        "id": event_id, "magnitude": 5, "magnitudeType": "ml", "place": place,
        "time": 1_790_000_000_000, "updated": 1_790_000_000_000, "longitude": longitude,
        "latitude": latitude, "depth": 10, "type": "earthquake", "status": None, "alert": None,
        "tsunami": False, "felt": None, "significance": 1, "url": None,
    }


def open_with(visit, events, **options):
    """A page with these events."""
    made = visit(**options)
    made.serve(events)
    return made


@pytest.mark.parametrize("projection", ["Globe", "Flat"])
def test_results_on_the_far_side_are_brought_into_sight(visit, projection):
    made = open_with(visit, [
        quake("xx1", "Hawaii", -155, 19), quake("xx2", "Central Turkey", 36, 39)], with_map=True, globe=True).open()
    page = made.page
    page.get_by_role("button", name=projection, exact=True).click()
    if projection == "Flat":
        for _ in range(4):
            page.get_by_role("button", name="Zoom in").click()
    page.get_by_role("searchbox").fill("turkey")
    expect(page.locator("#map")).to_have_attribute("data-count", "1")
    # The only result is now in the middle of the map.
    x, y = centre(page.locator("#map"))
    for _ in range(300):
        page.mouse.click(x, y)
        if page.locator("#details").is_visible():
            break
        page.evaluate("new Promise(requestAnimationFrame)")
    expect(page.locator("#details h2")).to_have_text("Central Turkey")


def test_the_tooltip_of_a_row_gives_the_whole_place(visit):
    made = visit().open()
    row = made.rows.first
    place = row.locator(".place").inner_text()
    assert row.get_attribute("title").startswith(place + "\n")


PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def open_map(page):
    page.get_by_role("button", name="Map", exact=True).click()
    expect(page.locator("#map[data-state=ready]")).to_be_attached(timeout=60_000)


def test_on_a_phone_a_circle_is_not_covered_by_the_details_that_it_opens(visit):
    # Below the middle of the map, which starts over the Pacific.
    made = open_with(visit, [quake("xx1", "South of the middle", -135, -20)], with_map=True, globe=True, **PHONE)
    made.open()
    page = made.page
    open_map(page)
    expect(page.locator("#map")).to_have_attribute("data-count", "1")
    x, middle = centre(page.locator("#map"))
    # 42 degrees south of the middle of a globe that fills the width.
    south = middle + 0.97 * x * math.sin(math.radians(42))
    for _ in range(60):
        for step in (0, 10, -10, 20, -20, 30, -30, 40, -40):
            page.mouse.click(x, south + step)
            if page.locator("#details").is_visible():
                break
        else:
            continue
        break
    expect(page.locator("#details")).to_be_visible()
    for _ in range(300):
        ring, sheet = page.locator(RING).bounding_box(), page.locator("#details").bounding_box()
        if ring and ring["y"] + ring["height"] < sheet["y"]:
            break
        page.evaluate("new Promise(requestAnimationFrame)")
    else:
        raise AssertionError(f"the ring at {ring} lies under the details at {sheet}")


def test_on_a_phone_closed_details_stay_closed_when_the_map_first_opens(visit):
    made = visit(with_map=True, globe=True, **PHONE).open()
    page = made.page
    made.rows.first.click()
    page.get_by_role("button", name="Close the details").click()
    open_map(page)
    expect(page.locator(RING)).to_be_attached()
    expect(page.locator("#details")).to_be_hidden()


def test_on_a_phone_show_on_the_map_shows_the_whole_map(visit):
    made = visit(with_map=True, globe=True, **PHONE).open()
    page = made.page
    made.rows.first.click()
    page.get_by_role("button", name="Show on the map").click()
    expect(page.locator(RING)).to_be_visible(timeout=60_000)
    expect(page.locator("#details")).to_be_hidden()


def test_a_window_beyond_the_feed_is_told_below_the_count(visit):
    # The feed of these tests has a week.
    made = visit().open()
    note = made.page.locator("#coverage")
    made.page.get_by_role("radio", name="Week").check()
    expect(note).to_be_hidden()
    made.page.get_by_role("radio", name="Month").check()
    expect(note).to_have_text(re.compile("^The feed has the past week only"))
    made.page.locator("input[name=windows][value='']").check()
    expect(note).to_have_text(re.compile("^The past week, and "))


def test_the_map_draws_thousands_of_circles_with_few_commands(visit):
    made = visit(with_map=True, globe=True)
    made.context.add_init_script(
        """window.commands = [];
        const { drawElements } = WebGL2RenderingContext.prototype;
        let frame = 0;
        WebGL2RenderingContext.prototype.drawElements = function (...parameters) {
          frame || requestAnimationFrame(() => { commands.push(frame); frame = 0; });
          frame += 1;
          return drawElements.apply(this, parameters);
        };"""
    )
    made.open()
    expect(made.page.locator(f"#map[data-count='{made.shown()}']")).to_be_attached()
    made.page.locator("#map canvas").focus()
    before = made.page.evaluate("commands.length")
    made.page.keyboard.press("ArrowRight")
    deadline = time.monotonic() + 60
    while made.page.evaluate("commands.length") < before + 3:
        assert time.monotonic() < deadline, "the map wasn't drawn"
    frames = made.page.evaluate("commands")[before:]
    assert made.shown() > 1000 and max(frames) < 500, frames
