"""Notes on visits: typed, kept, merged, and never lost."""

import contextlib
import sqlite3
import subprocess

from playwright.sync_api import expect

from accessibility import violations
from browsers import wait_for
from conftest import free_port
from test_landmarks import EL_CAPITAN, in_sync, open_visit, reserve

NIGHT = "2027-06-01T10:00"


def open_note(page, row=None):
    (row or page.page.locator("#visits .visit")).get_by_role("button", name="Note").click()
    return page.page.get_by_role("dialog", name="Note on the visit")


def write(page, text):
    sheet = open_note(page)
    sheet.get_by_label("Note", exact=True).fill(text)
    sheet.get_by_role("button", name="Save").click()
    expect(page.page.locator("#note")).to_be_hidden()


def note(page):
    return page.page.locator("#visits .note")


def stored(world, name="a"):
    with contextlib.closing(sqlite3.connect(world.folder / f"{name}.store", timeout=30)) as store:
        return store.execute("SELECT note FROM StoredReservation").fetchall()[0][0]


def count(world, table, name="a"):
    with contextlib.closing(sqlite3.connect(world.folder / f"{name}.store", timeout=30)) as store:
        return store.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0]


def landmarks(world, name, *arguments):
    """Runs the command line on a device's store, and returns what it prints."""
    return subprocess.run(
        [world.binary, *arguments, "--store", str(world.folder / f"{name}.store")],
        capture_output=True, check=True, text=True).stdout


def test_a_visit_is_planned_with_a_note_which_is_text_and_goes_to_the_calendar(world, visit):
    world.start_server()
    page = visit(world.device("a")).loaded()
    page.row(EL_CAPITAN).locator(".open").click()
    page.page.locator("#reserve-note").fill("Bring water\n\n<img src=x onerror=alert(1)>")
    page.page.locator("#reserve-date").fill(NIGHT)
    page.page.get_by_role("button", name="Reserve").click()
    expect(note(page)).to_have_text("Bring water\n\n<img src=x onerror=alert(1)>")
    assert note(page).locator("img").count() == 0
    expect(page.page.locator("#reserve-note")).to_have_value("")
    in_sync(page)
    page.tab("reservations")
    row = page.page.locator("#list .visit")
    expect(row.locator(".note")).to_contain_text("Bring water")
    sheet = open_note(page, row)
    expect(sheet).to_contain_text("El Capitan, Tue, 1 Jun 2027")
    sheet.get_by_label("Note", exact=True).fill("  Two tickets \n")
    sheet.get_by_role("button", name="Save").click()
    expect(row.locator(".note")).to_have_text("Two tickets")
    in_sync(page)
    assert stored(world) == "Two tickets"
    page.page.get_by_role("button", name="Activity").click()
    rows = page.page.get_by_role("dialog", name="Activity").get_by_role("listitem")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("The note on a visit to El Capitan changed")
    # An empty note is none.
    page.page.get_by_role("dialog", name="Activity").get_by_role("button", name="Close").click()
    sheet = open_note(page, row)
    sheet.get_by_label("Note", exact=True).fill(" ")
    sheet.get_by_role("button", name="Save").click()
    expect(row.locator(".note")).to_have_count(0)
    in_sync(page)


def test_two_devices_change_a_note_offline_and_both_get_both_edits(world, visit):
    world.start_server()
    one = visit(world.device("a")).loaded()
    two = visit(world.device("b")).loaded()
    reserve(one, EL_CAPITAN, NIGHT)
    write(one, "Tickets\nWater")
    in_sync(one)
    two.row(EL_CAPITAN).locator(".open").click()
    expect(note(two)).to_have_text("Tickets\nWater")
    for page in (one, two):
        page.page.get_by_role("button", name="Work offline").click()
        expect(page.page.locator("#status-text")).to_contain_text("Working offline")
    write(one, "Two tickets\nWater")
    write(two, "Tickets\nWater\nTent")
    for page in (one, two):
        page.page.get_by_role("button", name="Work offline").click()
    for page in (one, two):
        expect(note(page)).to_have_text("Two tickets\nWater\nTent")
        in_sync(page)
        expect(page.page.locator(".notice")).to_have_count(0)


def test_a_line_that_both_devices_changed_is_told_and_can_be_put_right(world, visit):
    world.start_server()
    device = world.device("b")
    page = visit(device).loaded()
    reserve(page, EL_CAPITAN, NIGHT)
    write(page, "Meet at noon")
    in_sync(page)
    server = f"http://127.0.0.1:{world.port}"
    landmarks(world, "a", "sync", "--server", server)
    identifier = landmarks(world, "a", "reserve")[:36]
    page.page.get_by_role("button", name="Work offline").click()
    expect(page.page.locator("#status-text")).to_contain_text("Working offline")
    write(page, "Meet at two")
    landmarks(world, "a", "note", identifier, "Meet at one")
    landmarks(world, "a", "sync", "--server", server)
    page.page.get_by_role("button", name="Work offline").click()
    notice = page.page.locator(".notice.decision")
    expect(notice).to_contain_text("Two notes on a visit to El Capitan")
    expect(note(page)).to_have_text("Meet at one\nMeet at two")
    notice.get_by_role("button", name="Edit the note").click()
    page.page.locator("#note-text").fill("Meet at one")
    page.page.locator("#note-form").get_by_role("button", name="Save").click()
    expect(page.page.locator("#note")).to_be_hidden()
    # The notice stays: its button begins from the note as it is now.
    notice.get_by_role("button", name="Edit the note").click()
    expect(page.page.locator("#note-text")).to_have_value("Meet at one")
    page.page.keyboard.press("Escape")
    notice.get_by_role("button", name="Dismiss").click()
    expect(notice).to_have_count(0)
    in_sync(page)
    landmarks(world, "a", "sync", "--server", server)
    assert landmarks(world, "a", "note", identifier) == "Meet at one\n"


def test_a_note_typed_without_the_program_is_merged_with_what_came_since(world, visit):
    port = free_port()
    world.start_server()
    device = world.device("a", port)
    page = visit(device).loaded()
    reserve(page, EL_CAPITAN, NIGHT)
    write(page, "Water")
    in_sync(page)
    device.stop()
    expect(page.page.locator("#status-text")).to_contain_text("does not answer")
    write(page, "Camera\nWater")
    write(page, "Camera\nWater\nFood")
    expect(page.page.locator("#kept")).to_have_text("2 kept in this browser")
    landmarks(world, "a", "note", landmarks(world, "a", "reserve")[:36], "Water\nTent")
    world.device("a", port)
    page.page.reload()
    page.loaded()
    expect(page.page.locator("#kept")).to_be_hidden()
    open_visit(page)
    expect(note(page)).to_have_text("Camera\nWater\nFood\nTent")
    assert stored(world) == "Camera\nWater\nFood\nTent"
    in_sync(page)
    page.errors.clear()
    page.page.evaluate("window.violations = []")


def test_what_was_typed_and_not_saved_is_there_again(world, visit):
    world.start_server()
    page = visit(world.device("a")).loaded()
    reserve(page, EL_CAPITAN, NIGHT)
    write(page, "Water")
    sheet = open_note(page)
    text = sheet.get_by_label("Note", exact=True)
    expect(sheet.get_by_text("isn't saved yet")).to_be_hidden()
    text.fill("Water\nCamera")
    page.page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    expect(note(page)).to_have_text("Water")
    open_note(page)
    expect(text).to_have_value("Water\nCamera")
    expect(sheet.get_by_text("isn't saved yet")).to_be_visible()
    sheet.get_by_role("button", name="Discard it").click()
    expect(text).to_have_value("Water")
    expect(sheet.get_by_text("isn't saved yet")).to_be_hidden()
    # Another note, meanwhile, is merged with what was typed.
    text.fill("Water\nCamera")
    sheet.get_by_role("button", name="Back").click()
    identifier = landmarks(world, "a", "reserve")[:36]
    landmarks(world, "a", "note", identifier, "Tent\nWater")
    expect(note(page)).to_have_text("Tent\nWater")
    open_note(page)
    sheet.get_by_role("button", name="Save").click()
    expect(note(page)).to_have_text("Tent\nWater\nCamera")
    in_sync(page)
    assert stored(world) == "Tent\nWater\nCamera"


def test_notes_work_by_keyboard_and_have_no_accessibility_violations(world, visit):
    world.start_server()
    for options in ({"viewport": {"width": 390, "height": 844}}, {"color_scheme": "dark"},
                    {"forced_colors": "active"}):
        page = visit(world.device("a"), **options).loaded()
        open_visit(page)
        if page.page.locator("#visits .visit").count() == 0:
            page.page.locator("#reserve-date").fill(NIGHT)
            page.page.locator("#reserve-note").fill("Bring water\n" + "x" * 300)
            page.page.locator("#reserve-note").press("Shift+Tab")
            page.page.keyboard.press("Enter")
        expect(note(page)).to_contain_text("Bring water")
        assert page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert violations(page.page) == []
        page.page.locator("#visits").get_by_role("button", name="Note").press("Enter")
        expect(page.page.locator("#note-text")).to_be_focused()
        page.page.keyboard.press("Control+End")
        page.page.keyboard.type("!")
        assert violations(page.page) == []
        page.page.keyboard.press("Escape")
        expect(page.page.locator("#visits").get_by_role("button", name="Note")).to_be_focused()
        world.processes.pop().stop()
        page.page.goto("about:blank")
        page.page.evaluate("window.violations = []")
        page.errors.clear()


def test_a_visit_that_was_removed_elsewhere_is_planned_again_with_its_note(world, visit):
    world.start_server()
    page = visit(world.device("a")).loaded()
    reserve(page, EL_CAPITAN, NIGHT)
    write(page, "Water\nTent")
    in_sync(page)
    server = f"http://127.0.0.1:{world.port}"
    landmarks(world, "b", "sync", "--server", server)
    landmarks(world, "b", "reserve", "--remove", landmarks(world, "b", "reserve")[:36])
    landmarks(world, "b", "sync", "--server", server)
    notice = page.page.locator(".notice.decision")
    expect(notice).to_contain_text("A visit to El Capitan was removed")
    expect(note(page)).to_have_count(0)
    notice.get_by_role("button", name="Plan it again").click()
    expect(note(page)).to_have_text("Water\nTent")
    in_sync(page)
    landmarks(world, "b", "sync", "--server", server)
    assert landmarks(world, "b", "reserve").endswith("\n    Water\n    Tent\n")


def test_a_dismissal_kept_in_the_browser_leaves_the_notice_of_a_later_removal(world, visit):
    world.start_server()
    port = free_port()
    device = world.device("a", port)
    page = visit(device).loaded()
    reserve(page, EL_CAPITAN, NIGHT)
    write(page, "Water\nTent")
    in_sync(page)
    server = f"http://127.0.0.1:{world.port}"
    landmarks(world, "b", "sync", "--server", server)
    number = landmarks(world, "b", "reserve")[:36]
    landmarks(world, "b", "reserve", "--cancel", number)
    landmarks(world, "b", "sync", "--server", server)
    notice = page.page.locator(".notice.decision")
    expect(notice).to_contain_text("was cancelled")
    device.stop()
    expect(page.page.locator("#status-text")).to_contain_text("does not answer")
    notice.get_by_role("button", name="Dismiss").click()
    expect(page.page.locator("#kept")).to_have_text("1 kept in this browser")
    landmarks(world, "b", "reserve", "--remove", number)
    landmarks(world, "b", "sync", "--server", server)
    # The program learns of the removal before any page sends the dismissal.
    tab = page.context.new_page()
    page.page.close()
    page.page = tab
    world.device("a", port)
    wait_for(tab, lambda: count(world, "StoredReservation"), 0)
    tab.goto(page.url)
    page.loaded()
    open_visit(page)
    in_sync(page)
    expect(page.page.locator("#kept")).to_be_hidden()
    notice = page.page.locator(".notice.decision")
    expect(notice).to_contain_text("A visit to El Capitan was removed")
    notice.get_by_role("button", name="Plan it again").click()
    expect(note(page)).to_have_text("Water\nTent")
    page.errors.clear()


def test_notes_and_captions_run_in_the_direction_of_their_script(world, visit):
    world.start_server()
    page = visit(world.device("a")).loaded()
    reserve(page, EL_CAPITAN, NIGHT)
    direction = "(element) => getComputedStyle(element).direction"
    for text, wanted in [("שלום: gate 3", "rtl"), ("Gate 3: שלום", "ltr")]:
        open_note(page)
        page.page.locator("#note-text").fill(text)
        assert page.page.locator("#note-text").evaluate(direction) == wanted
        page.page.locator("#note-form").get_by_role("button", name="Save").click()
        expect(note(page)).to_have_text(text)
        expect(note(page)).to_have_css("direction", wanted)
    for field in ["reserve-note", "photo-text", "caption-text", "photo-caption"]:
        assert page.page.locator(f"#{field}").get_attribute("dir") == "auto"
