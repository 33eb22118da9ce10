"""The slider that plays the events: list and map follow a slice of time, which is a filter when it pauses."""

import re
import time
from datetime import datetime, timezone
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import expect

from accessibility import violations
from test_large import COUNT, serve_events, synthetic

HOUR = 3_600_000
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def moment(time):
    return datetime.fromtimestamp(time / 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M")


def middle_day(events):
    """A day of UTC in the middle of the events' times, as a slice with whole minutes."""
    times = sorted(event["time"] for event in events)
    start = times[len(times) // 2] // 60_000 * 60_000
    return start, start + 24 * HOUR


def fragment(start, end):
    return f"#times={moment(start)}..{moment(end)}"


def within(events, start, end):
    return [event["id"] for event in events if start <= event["time"] < end]


def slice_of(page):
    """The slice in the page's address; null without one."""
    ends = parse_qs(urlparse(page.url).fragment).get("times")
    return ends and [datetime.fromisoformat(f"{end}+00:00").timestamp() * 1000 for end in ends[0].split("..")]


def bar(page):
    return page.get_by_role("group", name="Time slider")


def slider(page):
    return page.get_by_role("slider", name="End of the time shown")


def test_the_slider_is_closed_at_first_and_closing_it_shows_all_times(visit):
    made = visit(with_map=True).open()
    page = made.page
    everything = made.shown()
    expect(bar(page)).to_be_hidden()
    page.keyboard.press("t")
    expect(bar(page)).to_be_visible()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_focused()
    expect(page).to_have_url(re.compile("#times="))
    assert made.shown() < everything
    expect(page.locator("#map")).to_have_attribute("data-count", str(made.shown()))
    assert violations(page) == []
    page.get_by_role("button", name="Close the time slider").click()
    expect(bar(page)).to_be_hidden()
    expect(page.get_by_role("button", name="Time", exact=True)).to_be_focused()
    expect(made.rows.first).to_have_attribute("aria-setsize", str(everything))
    assert slice_of(page) is None


def test_a_link_brings_a_slice_back_and_its_chip_takes_it_away(visit, ready):
    start, end = middle_day(ready.events())
    expected = within(ready.events(), start, end)
    made = visit(with_map=True).open(fragment(start, end))
    page = made.page
    expect(made.rows.first).to_have_attribute("aria-setsize", str(len(expected)))
    assert set(made.ids()) <= set(expected)
    expect(page.locator("#map")).to_have_attribute("data-count", str(len(expected)))
    expect(page.locator("#time-span")).to_have_value("1 day")
    export = parse_qs(urlparse(page.locator("#export-menu a").first.get_attribute("href")).query)
    assert (export["since"], export["until"]) == ([f"{moment(start)}:00.000Z"], [f"{moment(end)}:00.000Z"])
    page.locator(".ranges:visible button").click()
    expect(bar(page)).to_be_hidden()
    page.go_back()
    expect(bar(page)).to_be_visible()
    expect(made.rows.first).to_have_attribute("aria-setsize", str(len(expected)))


def test_the_keyboard_moves_the_slice_and_its_words_follow(visit, ready):
    start, end = middle_day(ready.events())
    made = visit().open(fragment(start, end))
    page = made.page
    before = slider(page).get_attribute("aria-valuetext")
    assert re.search(r"\d{4}.*\d\d:\d\d.*, [\d,]+ of [\d,]+ earthquakes$", before), before
    slider(page).press("ArrowLeft")
    expect(slider(page)).not_to_have_attribute("aria-valuetext", before)
    moved = slice_of(page)
    assert moved[1] - moved[0] == 24 * HOUR and start - 2 * HOUR < moved[0] < start
    expect(made.rows.first).to_have_attribute("aria-setsize", str(len(within(ready.events(), *moved))))
    made.announced(re.compile(r"^[\d,]+ of [\d,]+ earthquakes\.$"))
    page.get_by_label("Length of the time shown").select_option("6 hours")
    assert slice_of(page) == [moved[1] - 6 * HOUR, moved[1]]


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_it_plays_from_the_beginning_and_the_address_follows_when_it_pauses(visit, ready, motion):
    start, end = middle_day(ready.events())
    made = visit(reduced_motion=motion).open(fragment(start, end))
    page = made.page
    slider(page).press("End")
    last = slice_of(page)
    assert last[1] > max(event["time"] for event in ready.events())
    page.get_by_label("Speed").select_option("Fast")
    page.get_by_role("button", name="Play", exact=True).click()
    texts = set()
    while len(texts) < 3:
        texts.add(page.locator("#time-text").inner_text())
    assert slice_of(page) == last, "the address changes only when it pauses"
    page.get_by_role("button", name="Pause", exact=True).click()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    paused = slice_of(page)
    assert paused[1] - paused[0] == 24 * HOUR and paused[1] < last[1]
    shown = within(ready.events(), *paused)
    expect(made.page.locator("#count")).to_have_text(re.compile(rf"^{len(shown):,} of "))


def test_at_the_end_it_pauses_by_itself(visit, ready):
    start, end = middle_day(ready.events())
    made = visit(reduced_motion="no-preference").open(fragment(start, end))
    page = made.page
    page.get_by_label("Speed").select_option("Fast")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible(timeout=60_000)
    assert slice_of(page)[1] > max(event["time"] for event in ready.events())


@pytest.mark.alone
def test_a_picture_of_twenty_thousand_events_takes_less_than_a_frame(visit):
    events = list(synthetic())
    start, end = middle_day(events)
    made = visit(reduced_motion="no-preference")
    serve_events(made.context, events)
    made.open(fragment(start, end))
    page = made.page
    expect(page.locator("#count")).to_have_text(re.compile(rf" of {COUNT:,} earthquakes$"))
    page.evaluate("performance.clearMeasures('quakes-slice')")
    page.get_by_role("button", name="Play", exact=True).click()
    # Where pictures take long, all is played before there are thirty.
    deadline = time.monotonic() + 120
    while page.evaluate("""performance.getEntriesByName("quakes-slice").length < 30
          && document.querySelector("#time-play[data-state=paused]") === null"""):
        assert time.monotonic() < deadline, "it neither plays nor ends"
        page.evaluate("new Promise(requestAnimationFrame)")
    durations = page.evaluate("performance.getEntriesByName('quakes-slice').map(({ duration }) => duration)")
    assert len(durations) > 1
    # Other programs may hold some up.
    assert sorted(durations)[len(durations) // 2] < 16, durations


def test_on_a_phone_the_slider_fits_and_text_has_names(visit):
    made = visit(with_map=True, **PHONE).open()
    page = made.page
    page.get_by_role("button", name="Map", exact=True).click()
    page.get_by_role("button", name="Time", exact=True).click(timeout=60_000)
    box = bar(page).bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    zoom = page.get_by_role("button", name="Zoom out").bounding_box()
    assert zoom["y"] + zoom["height"] <= box["y"], "the slider covers the map's buttons"
    assert violations(page) == []
