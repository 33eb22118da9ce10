"""The menu of exports: what the list shows, in formats for other programs."""

import csv
import io
import re
import urllib.request

import pytest
from playwright.sync_api import expect

from accessibility import violations

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
FORMATS = {"csv": "csv", "usgs-csv": "csv", "geojson": "geojson", "kml": "kml", "quakeml": "xml", "atom": "atom"}


def fetch(made, address):
    with urllib.request.urlopen(made.world.url + address, timeout=30) as response:
        return response.headers, response.read().decode()


def test_what_is_exported_are_the_events_of_the_list_in_its_order(visit):
    made = visit().open("#mag=2.5&q=of&sort=time-asc")
    page = made.page
    page.get_by_role("button", name="Export").click()
    links = page.locator("#export-menu a")
    expect(links).to_have_count(len(FORMATS))
    _, text = fetch(made, links.first.get_attribute("href"))
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == made.shown() > 0
    assert [row["id"] for row in rows][: len(made.ids())] == made.ids()
    for link, (name, ending) in zip(links.all(), FORMATS.items(), strict=True):
        headers, text = fetch(made, link.get_attribute("href"))
        assert headers["Content-Disposition"] == f'attachment; filename="earthquakes.{ending}"', name
        # An Atom feed has 200 entries at most.
        named = [row["id"] for row in rows][: 200 if name == "atom" else None]
        assert all(each in text for each in named), name


def test_the_links_follow_the_filters_and_so_does_the_feed_of_news(visit):
    made = visit().open()
    page = made.page
    feed = page.locator("head link[rel=alternate][type='application/atom+xml']")
    expect(feed).to_have_attribute("href", "/api/export?format=atom&sort=time&order=desc")
    page.get_by_role("radio", name="4.5+").check()
    page.get_by_label("Sort").select_option("place-asc")
    expect(page.locator("#export-menu a").first).to_have_attribute(
        "href", "/api/export?format=csv&min_magnitude=4.5&sort=place&order=asc")
    expect(feed).to_have_attribute("href", "/api/export?format=atom&min_magnitude=4.5&sort=time&order=desc")
    page.get_by_label("Withdrawn earthquakes, too").check()
    page.get_by_role("searchbox").fill("Tōwn & x")
    expect(feed).to_have_attribute("href", re.compile(r"&search=T%C5%8Dwn\+%26\+x&withdrawn=true&"))
    _, text = fetch(made, feed.get_attribute("href"))
    assert "<feed " in text


def test_the_menu_works_by_keyboard_and_gives_files(visit):
    made = visit().open()
    page = made.page
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator("#details")).to_be_visible()
    page.get_by_role("button", name="Export").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="CSV spreadsheets")).to_be_focused()
    # Escape closes the menu, not the details behind it.
    page.keyboard.press("Escape")
    expect(page.locator("#export-menu")).to_be_hidden()
    expect(page.locator("#details")).to_be_visible()
    expect(page.get_by_role("button", name="Export")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.suggested_filename == "earthquakes.csv"
    expect(page.locator("#export-menu")).to_be_hidden()


@pytest.mark.parametrize("options", [
    {}, PHONE, {"color_scheme": "dark"}, {"forced_colors": "active"},
], ids=["wide", "phone", "dark", "forced-colours"])
def test_the_menu_is_accessible_at_every_width_and_colour(visit, options):
    made = visit(with_map=options in ({}, {"color_scheme": "dark"}), **options).open()
    page = made.page
    page.get_by_role("button", name="Export").click()
    box = page.locator("#export-menu").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= page.viewport_size["width"]
    assert violations(page) == []


@pytest.mark.parametrize("width", [320, 360, 380, 390])
def test_on_a_phone_the_age_of_the_data_has_room_beside_the_buttons(visit, width):
    made = visit(**{**PHONE, "viewport": {"width": width, "height": 844}}).open()
    made.world.refresh()
    text = made.page.locator("#freshness-text")
    expect(text).to_have_text("Updated just now")
    assert text.evaluate("(text) => text.scrollWidth <= text.clientWidth")
