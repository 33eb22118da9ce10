"""The search's terms on the page: notes, distances, help, links."""

import re

import pytest
from playwright.sync_api import expect

from accessibility import violations

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def total(made, search):
    return made.world.get("/api/events?limit=1&" + search)["total"]


def test_a_place_and_comparisons_choose_the_same_as_the_server(visit):
    made = visit().open()
    page = made.page
    page.get_by_role("searchbox").fill("m>3 depth<200 near:tokyo 2000km -type:blast")
    expect(page.locator("#search-note")).to_have_text("Within 2,000 km of Tokyo, Japan.")
    found = total(made, "search=m>3+depth<200+near:tokyo+2000km+-type:blast")
    assert found > 0
    expect(page.locator("#count")).to_have_text(re.compile(f"^{found:,} of "))
    expect(made.rows.first).to_contain_text(re.compile(r"· [\d,.]+ km away"))
    expect(page.get_by_role("searchbox")).not_to_have_attribute("aria-invalid", "true")
    assert violations(page) == []
    # The address keeps the text as typed.
    page.reload()
    expect(page.get_by_role("searchbox")).to_have_value("m>3 depth<200 near:tokyo 2000km -type:blast")
    expect(page.locator("#count")).to_have_text(re.compile(f"^{found:,} of "))
    expect(page.locator("#export-menu a").first).to_have_attribute("href", re.compile("search=m%3E3"))


def test_a_term_that_cannot_be_read_is_told_and_left_out(visit):
    made = visit().open()
    page = made.page
    box = page.get_by_role("searchbox")
    box.fill("california m>x near:tokyp")
    note = page.get_by_role("status").filter(has_text="m>x")
    expect(note).to_contain_text("“m>x”: magnitudes are numbers, as in m>4")
    expect(note).to_contain_text("“near:tokyp”: no populated place has this name; there are near:tokyo")
    expect(box).to_have_attribute("aria-invalid", "true")
    expect(box).to_have_accessible_description(re.compile("magnitudes are numbers"))
    found = total(made, "search=california")
    expect(page.locator("#count")).to_have_text(re.compile(f"^{found:,} of "))
    assert violations(page) == []
    box.fill("california")
    expect(page.locator("#search-note")).to_be_hidden()
    assert box.get_attribute("aria-invalid") is None


def test_without_the_program_a_name_is_told_as_not_looked_up(visit):
    made = visit().open()
    page = made.page
    made.context.route("**/api/places?*", lambda route: route.abort("connectionrefused"))
    page.get_by_role("searchbox").fill("near:kyoto")
    expect(page.locator("#search-note")).to_contain_text("“near:kyoto”: the place could not be looked up")
    # Of several names, none is asked for again and again.
    page.get_by_role("searchbox").fill("near:new york")
    expect(page.locator("#search-note")).to_contain_text("“near:new”: the place could not be looked up")
    made.errors.clear()


def test_the_help_works_by_keyboard(visit):
    made = visit().open()
    page = made.page
    page.get_by_role("searchbox").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#search-help")).to_be_visible()
    expect(page.get_by_role("heading", name="Search", exact=True)).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(page.locator("#search-help")).to_be_hidden()
    expect(page.get_by_role("button", name="Terms of the search")).to_be_focused()


@pytest.mark.parametrize("options", [{}, PHONE], ids=["wide", "phone"])
def test_the_details_lead_to_the_earthquakes_near_one(visit, options):
    made = visit(**options).open()
    page = made.page
    first = made.ids()[0]
    event = made.world.get(f"/api/events/{first}")
    made.row(first).click()
    page.get_by_role("button", name="Earthquakes near here").click()
    point = f"near:{round(event['latitude'], 3):g},{round(event['longitude'], 3):g} 100km"
    box = page.get_by_role("searchbox")
    expect(box).to_have_value(point)
    expect(made.row(first)).to_contain_text("km away")
    assert made.shown() == total(made, "search=" + point.replace(" ", "+"))


def test_the_middle_of_the_map_is_a_place_too(visit):
    made = visit(with_map=True).open()
    page = made.page
    page.get_by_role("button", name="Terms of the search").click()
    page.get_by_role("button", name="Earthquakes near the map's centre").click()
    expect(page.get_by_role("searchbox")).to_have_value(re.compile(r"^near:-?[\d.]+,-?[\d.]+ 100km$"))
    expect(page.locator("#search-help")).to_be_hidden()
