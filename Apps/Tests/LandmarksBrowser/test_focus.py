"""The focus of those who use the keyboard: never lost when what has it is drawn anew or goes away."""

import re
import subprocess

from playwright.sync_api import expect

from test_landmarks import EL_CAPITAN, YOSEMITE_FALLS, in_sync, reserve, waiting

JUNE = "2027-06-01T10:00"


def visit_button(page, name, place="#visits"):
    return page.page.locator(place).get_by_role("button", name=name)


def press(button):
    """Presses a button by the keyboard, which leaves the focus there."""
    button.focus()
    button.page.keyboard.press("Enter")


def with_visit(world, visit):
    """The page of a device with a visit that the server has."""
    world.start_server()
    page = visit(world.device("a")).loaded()
    reserve(page, EL_CAPITAN, JUNE)
    in_sync(page)
    return page


def test_edits_of_a_visit_leave_the_focus_at_it(world, visit):
    page = with_visit(world, visit)
    press(visit_button(page, "Note"))
    page.page.locator("#note-text").fill("Bring water")
    press(page.page.locator("#note-form").get_by_role("button", name="Save"))
    expect(page.page.locator("#note")).to_be_hidden()
    expect(visit_button(page, "Note")).to_be_focused()
    press(visit_button(page, "Move"))
    page.page.locator("#change-date").fill("2027-06-02T10:00")
    press(page.page.locator("#change-form").get_by_role("button", name="Move"))
    expect(page.page.locator("#change")).to_be_hidden()
    expect(visit_button(page, "Move")).to_be_focused()
    in_sync(page)
    expect(visit_button(page, "Move")).to_be_focused()
    # The button is another one, which might be pressed by mistake.
    press(visit_button(page, "Cancel"))
    expect(visit_button(page, "Note")).to_be_focused()
    press(visit_button(page, "Remove"))
    expect(page.page.locator("#visits .visit")).to_have_count(0)
    expect(page.page.locator("#details-name")).to_be_focused()


def test_an_emptied_list_gives_the_focus_to_its_message(world, visit):
    world.start_server()
    page = visit(world.device("a")).loaded()
    page.row(EL_CAPITAN).locator(".heart").click()
    reserve(page, YOSEMITE_FALLS, JUNE)
    in_sync(page)
    page.tab("favorites")
    press(page.row(EL_CAPITAN).locator(".heart"))
    expect(page.page.locator("#nothing-title")).to_be_focused()
    page.tab("reservations")
    press(visit_button(page, "Cancel", "#list"))
    expect(visit_button(page, "Note", "#list")).to_be_focused()
    press(visit_button(page, "Remove", "#list"))
    expect(page.page.locator("#nothing-title")).to_be_focused()
    # The row from which the details were opened is filtered out.
    page.tab("all")
    press(page.row(EL_CAPITAN).locator(".open"))
    page.page.locator("#search").fill("no such landmark")
    press(page.page.locator("#details-close"))
    expect(page.page.locator("#nothing-title")).to_be_focused()


def test_the_next_notice_gets_the_focus_of_one_that_ends(world, visit):
    world.start_server("--places-a-day", "1", "--refuse-same-time")
    page = visit(world.device("a")).loaded()
    in_sync(page)
    for hour in (10, 11, 12):
        subprocess.run(
            [world.binary, "reserve", str(EL_CAPITAN), "--on", f"2027-06-01T{hour}:00",
             "--store", str(world.folder / "a.store")], check=True, stdout=subprocess.DEVNULL, timeout=60)
    notices = page.page.locator(".notice")
    expect(notices).to_have_count(2)
    press(notices.first.get_by_role("button", name="move the visit").nth(0))
    expect(notices).to_have_count(1)
    expect(notices.first).to_be_focused()
    # News leave the focus at the button.
    again = notices.first.get_by_role("button", name="Choose another time")
    again.focus()
    press(again)
    page.page.keyboard.press("Escape")
    expect(again).to_be_focused()
    page.row(YOSEMITE_FALLS).locator(".open").evaluate("(row) => row.parentElement.querySelector('.heart').click()")
    in_sync_but_refused(page)
    expect(again).to_be_focused()
    press(notices.first.get_by_role("button", name="move the visit").nth(2))
    expect(notices).to_have_count(0)
    expect(page.page.locator("#list")).to_be_focused()


def in_sync_but_refused(page):
    expect(page.row(YOSEMITE_FALLS).locator(".heart")).to_have_attribute("data-state", "")
    waiting(page, "1 change waiting")


def test_undo_and_the_end_of_waiting_leave_the_focus_on_the_page(world, visit):
    page = with_visit(world, visit)
    press(visit_button(page, "Cancel"))
    press(page.page.locator(".notice").get_by_role("button", name="Undo"))
    expect(page.page.locator(".notice")).to_have_count(0)
    expect(page.page.locator("#details-name")).to_be_focused()
    page.page.locator("#offline").click()
    expect(page.page.locator("#status[data-state=off]")).to_be_visible()
    page.row(YOSEMITE_FALLS).locator(".heart").click()
    waiting(page, "1 change waiting")
    press(page.page.locator("#pending"))
    press(page.page.get_by_role("button", name="Sync now"))
    expect(page.page.locator("#waiting-none")).to_be_visible()
    page.page.keyboard.press("Escape")
    expect(page.page.locator("#sync")).to_be_focused()


def test_a_click_beside_controls_gives_nothing_the_focus(world, visit):
    world.start_server()
    page = visit(world.device("a")).loaded()
    in_sync(page)
    page.row(EL_CAPITAN).locator(".heart").click()
    page.page.locator("#count").click()
    expect(page.page.locator("body")).to_be_focused()
    page.page.locator("#offline").evaluate("(button) => button.click()")
    expect(page.page.locator("#status[data-state=off]")).to_be_visible()
    page.row(EL_CAPITAN).locator(".heart").evaluate("(heart) => heart.click()")
    waiting(page, "1 change waiting")
    expect(page.page.locator("body")).to_be_focused()


def test_the_link_to_the_list_keeps_the_address(world, visit):
    world.start_server()
    page = visit(world.device("a")).loaded()
    page.page.locator("#search").fill("lake")
    expect(page.page).to_have_url(re.compile("#q=lake$"))
    address = page.page.url
    press(page.page.locator(".skip"))
    expect(page.page.locator("#list")).to_be_focused()
    assert page.page.url == address
    page.page.locator("#search").fill("no such landmark")
    press(page.page.locator(".skip"))
    expect(page.page.locator("#nothing-title")).to_be_focused()
