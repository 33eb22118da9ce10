"""Outcomes that come late: each belongs to its own attempt."""

import contextlib

from playwright.sync_api import expect

from test_landmarks import EL_CAPITAN, YOSEMITE_FALLS, in_sync, reserve
from test_notes import open_note

MORNING, NOON = "2027-06-01T10:00", "2027-06-01T12:00"


@contextlib.contextmanager
def held(page, address):
    """Holds the page's requests to an address, of which there is one at least, until the end."""
    requests = []
    is_over = False

    def hold(route):
        if is_over:
            route.continue_()
        else:
            requests.append(route)

    page.context.route(address, hold)
    with page.page.expect_request(address):
        yield
    is_over = True
    for request in requests:
        request.continue_()
    page.context.unroute(address, hold)


def test_the_outcome_of_a_visit_does_not_hide_why_the_next_one_is_refused(world, visit):
    world.start_server()
    page = visit(world.device("a")).loaded()
    in_sync(page)
    with held(page, "**/api/reservations/*"):
        reserve(page, EL_CAPITAN, MORNING)
        page.page.locator("#reserve-date").fill(MORNING)
        page.page.get_by_role("button", name="Reserve").click()
        error = page.page.locator("#reserve-error")
        expect(error).to_contain_text("already")
    in_sync(page)
    expect(error).to_contain_text("already")
    # The note of the refused one is still there for another time, unless the landmark is another one.
    page.page.locator("#reserve-note").fill("Two tickets")
    page.page.get_by_role("button", name="Reserve").click()
    expect(page.page.locator("#reserve-note")).to_have_value("Two tickets")
    page.row(YOSEMITE_FALLS).locator(".open").click()
    expect(error).to_be_hidden()
    expect(page.page.locator("#reserve-note")).to_have_value("")


def test_the_outcome_of_a_move_does_not_close_the_form_of_another_visit(world, visit):
    world.start_server()
    page = visit(world.device("a")).loaded()
    reserve(page, EL_CAPITAN, MORNING)
    in_sync(page)
    page.page.locator("#reserve-date").fill(NOON)
    page.page.get_by_role("button", name="Reserve").click()
    rows = page.page.locator("#visits .visit")
    expect(rows).to_have_count(2)
    in_sync(page)
    form = page.page.locator("#change-form")
    with held(page, "**/api/reservations/*"):
        rows.last.get_by_role("button", name="Move").click()
        page.page.locator("#change-date").fill("2027-06-01T15:00")
        form.get_by_role("button", name="Move").click()
        expect(rows.last).to_contain_text("15:00")
        page.page.locator("#change-close").click()
        rows.first.get_by_role("button", name="Move").click()
        page.page.locator("#change-date").fill("2027-06-01T09:00")
    in_sync(page)
    expect(page.page.locator("#change-date")).to_have_value("2027-06-01T09:00")
    expect(page.page.locator("#change")).to_be_visible()
    form.get_by_role("button", name="Move").click()
    expect(page.page.locator("#change")).to_be_hidden()
    expect(rows.first).to_contain_text(" 9:00")


def test_what_is_typed_while_a_note_is_stored_is_not_lost(world, visit):
    world.start_server()
    page = visit(world.device("a")).loaded()
    reserve(page, EL_CAPITAN, MORNING)
    in_sync(page)
    sheet = open_note(page)
    text = sheet.get_by_label("Note", exact=True)
    with held(page, "**/api/reservations/*/note"):
        text.fill("Two tickets")
        sheet.get_by_role("button", name="Save").click()
        expect(page.page.locator("#visits .note")).to_have_text("Two tickets")
        text.fill("Two tickets and water")
    in_sync(page)
    expect(sheet).to_be_visible()
    expect(text).to_have_value("Two tickets and water")
    # It stays a draft when the form is closed, which begins from what was stored.
    sheet.get_by_role("button", name="Back").click()
    sheet = open_note(page)
    expect(sheet.get_by_label("Note", exact=True)).to_have_value("Two tickets and water")
    sheet.get_by_role("button", name="Save").click()
    expect(page.page.locator("#note")).to_be_hidden()
    expect(page.page.locator("#visits .note")).to_have_text("Two tickets and water")
    in_sync(page)
    expect(page.page.locator(".notice.decision")).to_have_count(0)


def test_a_notice_that_appears_during_a_press_does_not_move_the_button_away(world, visit):
    world.start_server()
    page = visit(world.device("a")).loaded()
    reserve(page, EL_CAPITAN, MORNING)
    in_sync(page)
    row = page.page.locator("#visits .visit")
    with held(page, "**/api/reservations/*/cancel"):
        row.get_by_role("button", name="Cancel").click()
        expect(row).to_contain_text("Cancelled")
        remove = row.get_by_role("button", name="Remove")
        expect(remove).to_be_enabled()
        remove.hover()
        page.page.mouse.down()
    # The cancellation is stored, and the offer to take it back is due.
    page.page.evaluate("fetch('/api/config').then((response) => response.json())")
    page.page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))")
    page.page.mouse.up()
    expect(row).to_have_count(0)
    in_sync(page)
