"""The address names what is shown: reloads, Back and links keep it."""

import pytest
from playwright.sync_api import expect

from test_landmarks import EL_CAPITAN, YOSEMITE_FALLS


@pytest.fixture
def page(world, visit):
    world.start_server()
    return visit(world.device("a")).loaded()


def chosen(page, name):
    expect(page.page.locator("#details-name")).to_have_text(name)
    expect(page.page.locator("#details")).to_be_visible()


def test_a_reload_keeps_the_list_the_filters_and_the_choice(page):
    page.page.locator("#category").select_option("mountains")
    page.page.locator("#state").select_option("California")
    page.page.locator("#search").fill("capitan")
    page.row(EL_CAPITAN).locator(".open").click()
    page.page.reload()
    expect(page.rows).to_have_count(1)
    expect(page.page.locator("#search")).to_have_value("capitan")
    expect(page.page.locator("#category")).to_have_value("mountains")
    expect(page.page.locator("#state")).to_have_value("California")
    chosen(page, "El Capitan")
    page.tab("reservations")
    page.page.reload()
    expect(page.page.locator('[data-tab="reservations"]')).to_have_attribute("aria-pressed", "true")


def test_back_returns_to_what_was_shown(page):
    page.row(EL_CAPITAN).locator(".open").click()
    page.row(YOSEMITE_FALLS).locator(".open").click()
    page.tab("favorites")
    page.page.go_back()
    expect(page.page.locator('[data-tab="all"]')).to_have_attribute("aria-pressed", "true")
    chosen(page, "Yosemite Falls")
    page.page.go_back()
    chosen(page, "El Capitan")
    page.page.go_back()
    expect(page.page.locator("#details")).to_be_hidden()
    page.page.go_forward()
    chosen(page, "El Capitan")


def test_a_link_opens_a_landmark_and_a_damaged_one_the_page(page):
    tab = page.context.new_page()
    tab.goto(f"{page.url}/#landmark={YOSEMITE_FALLS}")
    expect(tab.locator("#details-name")).to_have_text("Yosemite Falls")
    for damaged in ["landmark=7", "landmark=x", "list=none&kind=no&state=%00", "list"]:
        tab.goto("about:blank")
        tab.goto(f"{page.url}/#{damaged}")
        expect(tab.locator("#list .row").first).to_be_visible()
        expect(tab.locator("#details")).to_be_hidden()
