"""Removed visits: taken back with note, state and photos, or asked about where that isn't possible."""

import contextlib
import sqlite3

import pytest
from playwright.sync_api import expect

from accessibility import violations
from conftest import free_port
from test_kept import kept
from test_landmarks import in_sync, open_visit
from test_photos import NIGHT, add, is_shown, photos, planned, png, stored

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def visits(page):
    return page.page.locator("#visits .visit")


def cancelled(world, visit, device=None, note="Bring water\nand a map", **options):
    """A page with a cancelled visit that is in sync."""
    page = planned(world, visit, device, **options)
    visits(page).get_by_role("button", name="Note").click()
    page.page.locator("#note-text").fill(note)
    page.page.locator("#note-form").get_by_role("button", name="Save").click()
    expect(page.page.locator("#note")).to_be_hidden()
    visits(page).get_by_role("button", name="Cancel").click()
    expect(visits(page)).to_contain_text("Cancelled")
    in_sync(page)
    return page


def remove(page):
    visits(page).get_by_role("button", name="Remove").click()


def offered(page, text):
    offer = page.page.locator(".notice.undo")
    expect(offer).to_contain_text(text)
    return offer.get_by_role("button", name="Undo")


def rows(world, name="a"):
    with contextlib.closing(sqlite3.connect(world.folder / f"{name}.store", timeout=30)) as store:
        return store.execute("SELECT status, note FROM StoredReservation").fetchall()


def test_a_removed_visit_is_taken_back_with_its_note_and_state(world, visit):
    world.start_server()
    page = cancelled(world, visit)
    two = visit(world.device("b")).loaded()
    open_visit(two)
    expect(visits(two)).to_contain_text(["Cancelled"])
    remove(page)
    undo = offered(page, "The visit to El Capitan on Tue, 1 Jun 2027, 10:00 is removed.")
    expect(visits(page)).to_have_count(0)
    expect(visits(two)).to_have_count(0)
    undo.click()
    expect(page.page.locator(".notice.undo")).to_have_count(0)
    for shown in (page, two):
        expect(visits(shown)).to_have_count(1)
        expect(visits(shown)).to_contain_text("Tue, 1 Jun 2027, 10:00")
        expect(visits(shown)).to_contain_text("Cancelled")
        expect(visits(shown).locator(".note")).to_have_text("Bring water\nand a map")
    in_sync(page)
    assert rows(world) == rows(world, "b") == [("cancelled", "Bring water\nand a map")]


def test_both_photos_of_a_removed_visit_come_back_with_it(world, visit):
    world.start_server()
    page = cancelled(world, visit)
    for number, caption in enumerate(["The wall", ""], 1):
        add(page, caption, png(400, 300, 60 * number))
        expect(photos(page)).to_have_count(number)
    in_sync(page)
    # Not those that this page has in memory.
    page.page.reload()
    is_shown(page.loaded(), 2)
    remove(page)
    undo = offered(page, "is removed with its 2 photos.")
    in_sync(page)
    assert stored(world) == []
    undo.click()
    is_shown(page, 2)
    expect(photos(page).first).to_have_accessible_name("The wall")
    expect(photos(page).last).to_have_accessible_name("Photo 2, without a caption")
    in_sync(page)
    assert stored(world) == ["The wall", ""]
    two = visit(world.device("b")).loaded()
    open_visit(two)
    is_shown(two, 2)


def test_a_removal_is_taken_back_while_the_program_has_ended(world, visit):
    port = free_port()
    world.start_server()
    device = world.device("a", port)
    page = cancelled(world, visit, device)
    add(page, "The wall")
    is_shown(page)
    in_sync(page)
    remove(page)
    undo = offered(page, "is removed with its photo.")
    in_sync(page)
    device.stop()
    expect(page.page.locator("#status-text")).to_contain_text("does not answer")
    undo.click()
    expect(visits(page)).to_contain_text("Cancelled · Kept in this browser")
    expect(photos(page)).to_have_accessible_name("The wall (Kept in this browser)")
    kept(page, 3)
    world.device("a", port)
    expect(page.page.locator("#kept")).to_be_hidden()
    in_sync(page)
    expect(visits(page)).to_contain_text("Cancelled")
    is_shown(page)
    assert rows(world) == [("cancelled", "Bring water\nand a map")] and stored(world) == ["The wall"]
    page.errors.clear()
    page.page.evaluate("window.violations = []")


@pytest.mark.parametrize("options", [{}, {"color_scheme": "dark", **PHONE}, {"forced_colors": "active"}],
                         ids=["light", "phone", "forced"])
def test_the_removal_of_a_past_visit_is_asked_about(world, visit, options):
    world.start_server()
    page = cancelled(world, visit, **options)
    state = page.page.evaluate("fetch('/api/state').then((response) => response.json())")
    state["reservations"][0]["date"] = 1_700_000_000_000
    # The program may be exchanging just now.
    state["status"] |= {"state": "synced", "pending": 0}
    visit_of_state = state.pop("reservations")
    page.context.route("**/api/state", lambda route: route.fulfill(
        json={**state, "reservations": visit_of_state if rows(world) else []}))
    page.page.reload()
    page.loaded()
    open_visit(page)
    visits(page).get_by_role("button", name="Remove").press("Enter")
    sheet = page.page.get_by_role("dialog", name="Remove the visit?")
    expect(sheet).to_contain_text("El Capitan, ")
    expect(sheet).to_contain_text("This can't be taken back. It is in the past")
    assert violations(page.page) == []
    sheet.get_by_role("button", name="Back").click()
    expect(visits(page).get_by_role("button", name="Remove")).to_be_focused()
    assert len(rows(world)) == 1
    visits(page).get_by_role("button", name="Remove").press("Enter")
    sheet.get_by_role("button", name="Remove").click()
    expect(visits(page)).to_have_count(0)
    expect(page.page.locator(".notice.undo")).to_have_count(0)
    in_sync(page)
    assert rows(world) == []


def test_a_removal_is_asked_about_while_photos_cannot_be_read_or_the_time_is_taken(world, visit):
    world.start_server()
    page = cancelled(world, visit)
    add(page, "The wall")
    # It is an edit once its image has been drawn smaller.
    is_shown(page)
    in_sync(page)
    page.page.reload()
    is_shown(page.loaded())
    page.context.route("**/api/photos/*", lambda route: route.abort())
    remove(page)
    sheet = page.page.get_by_role("dialog", name="Remove the visit?")
    expect(sheet).to_contain_text("and its photo")
    expect(sheet).to_contain_text("Its photos can't be read now.")
    page.page.keyboard.press("Escape")
    page.context.unroute("**/api/photos/*")
    # A program that never answers is no longer waited for than in other requests.
    page.page.evaluate("""() => {
      window.usual = AbortSignal.timeout;
      AbortSignal.timeout = (limit) => usual.call(AbortSignal, limit / 20);
    }""")
    page.context.route("**/api/photos/*", lambda route: None)
    remove(page)
    expect(sheet).to_contain_text("Its photos can't be read now.")
    page.page.evaluate("() => { AbortSignal.timeout = usual; }")
    page.page.keyboard.press("Escape")
    page.context.unroute("**/api/photos/*")
    page.page.locator("#reserve-date").fill(NIGHT)
    page.page.get_by_role("button", name="Reserve").click()
    expect(visits(page)).to_have_count(2)
    remove(page)
    expect(sheet).to_contain_text("There is another visit at this time.")
    sheet.get_by_role("button", name="Remove").click()
    expect(visits(page)).to_have_count(1)
    expect(visits(page)).not_to_contain_text("Cancelled")
    in_sync(page)
    assert stored(world) == [] and len(rows(world)) == 1
    page.errors.clear()
