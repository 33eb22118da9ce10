"""Times in UTC or of the reader's zone, and distances in kilometres or miles, on the whole page."""

import re

import pytest
from playwright.sync_api import expect

from accessibility import violations
from test_list_and_map import open_with, quake

#: 21 September 2026, 03:56:40 in UTC, and two hours later in Berlin, the zone of the tests' browser.
TIME = 1_789_963_000_000
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def page_with(visit, **options):
    """A page with an event 12 km from a town, 100 km deep."""
    event = {**quake("xx1", "12 km NNW of Town, Alaska", -150, 60), "time": TIME, "updated": TIME, "depth": 100}
    return open_with(visit, [event], **options)


def choose(page, *names):
    page.get_by_role("button", name="Times and distances").click()
    for name in names:
        page.get_by_role("radio", name=name, exact=True).check()
    page.keyboard.press("Escape")
    expect(page.locator("#units-menu")).to_be_hidden()


def test_times_are_told_in_the_zone_that_is_chosen_everywhere(visit):
    made = page_with(visit).open("#event=xx1&times=2026-09-21T00:00..2026-09-21T06:00")
    page = made.page
    when, row = page.locator("#details .when"), made.rows.first
    expect(when).to_contain_text("21 Sept 2026, 05:56:40")
    assert row.get_attribute("title").endswith("21 Sept 2026, 05:56:40 (2026-09-21 03:56:40 UTC)")
    expect(page.locator("#time-text")).to_have_text("21 Sept 2026, 02:00–08:00")
    expect(page.locator("#details .facts")).to_contain_text("2026-09-21 03:56:40")
    choose(page, "UTC")
    expect(when).to_contain_text("21 Sept 2026, 03:56:40 UTC")
    assert row.get_attribute("title").endswith("2026-09-21 03:56:40 UTC (21 Sept 2026, 05:56:40 here)")
    expect(page.locator("#details .facts")).to_contain_text("Time here21 Sept 2026, 05:56:40")
    expect(page.locator("#time-text")).to_have_text("21 Sept 2026, 00:00–06:00 UTC")
    assert page.locator("#time-slider").get_attribute("aria-valuetext").startswith("21 Sept 2026, 00:00–06:00 UTC, 1")
    expect(page.locator(".side .ranges")).to_contain_text("00:00–06:00 UTC")
    expect(page.locator("#freshness")).to_have_attribute("title", re.compile(r"UTC \(.* here\)$"))


def test_distances_are_told_in_the_unit_that_is_chosen_everywhere(visit):
    made = page_with(visit).open("#event=xx1&depths=100..100")
    page = made.page
    row = made.rows.first
    page.get_by_role("button", name="Statistics", exact=True).first.click()
    depths = page.locator("#chart-depthBins")
    expect(depths.locator(".summary")).to_have_text(re.compile(r"at \d+ to \d+0 km; .* to \d+0 km\.$"))
    expect(page.locator(".side .ranges")).to_contain_text("100 to 110 km deep")
    choose(page, "Miles")
    expect(row).to_contain_text("7 mi NNW of Town, Alaska")
    expect(row).to_contain_text("62 mi deep")
    assert "7 mi NNW of Town, Alaska" in row.get_attribute("aria-label")
    assert "62 mi deep" in row.get_attribute("aria-label") and " km" not in row.get_attribute("aria-label")
    expect(page.locator("#details h2")).to_have_text("7 mi NNW of Town, Alaska")
    expect(page.locator("#details .facts")).to_contain_text("62.14 mi")
    expect(page.locator(".side .ranges")).to_contain_text("62.1 to 68.4 mi deep")
    expect(page.locator("#strongest")).to_have_text(re.compile(r"^Strongest: M [\d.]+ · \d+ mi [NESW]+ of "))
    expect(depths.locator(".summary")).to_have_text(re.compile(r"at [\d.]+ to [\d.]+ mi; .* mi\.$"))
    expect(depths.get_by_role("slider").first).to_have_attribute("aria-valuetext", "62.1 to 68.4 mi deep")
    # The address, and thus a link for others, keeps kilometres.
    expect(page).to_have_url(re.compile("depths=100..100"))
    choose(page, "Kilometres")
    expect(row).to_contain_text("12 km NNW of Town, Alaska")
    expect(row).to_contain_text("100 km deep")


def test_the_tip_on_the_map_has_the_chosen_unit(visit):
    made = page_with(visit, with_map=True).open("#event=xx1")
    page = made.page
    choose(page, "Miles")
    for _ in range(100):
        box = page.locator(".ring.selected").bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.move(box["x"] + box["width"] / 2 + 1, box["y"] + box["height"] / 2)
        if page.locator("#tip").is_visible():
            break
        page.evaluate("new Promise(requestAnimationFrame)")
    expect(page.locator("#tip")).to_contain_text("7 mi NNW of Town, Alaska")


@pytest.mark.parametrize("options", [{}, PHONE], ids=["wide", "phone"])
def test_the_settings_are_kept_and_their_menu_is_accessible(visit, options):
    made = page_with(visit, **options).open()
    page = made.page
    choose(page, "UTC", "Miles")
    page.reload()
    expect(made.rows.first).to_contain_text("62 mi deep")
    page.get_by_role("button", name="Times and distances").click()
    expect(page.get_by_role("radio", name="UTC")).to_be_checked()
    expect(page.get_by_role("radio", name="Miles")).to_be_checked()
    assert violations(page) == []
    if options:
        assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_unknown_settings_are_the_defaults(visit):
    made = page_with(visit)
    made.context.add_init_script(
        "localStorage.setItem('quakes.zone', 'moon'); localStorage.setItem('quakes.distance', '__proto__');")
    made.open()
    expect(made.rows.first).to_contain_text("100 km deep")
    assert made.rows.first.get_attribute("title").endswith("UTC)")
