"""Each state of the page: no accessibility violation (axe), contrast, and everything within the window, with room.

With OPENSWIFTDATA_TEST_SCREENSHOTS, the path of a folder, each state is kept as a picture there.
"""

import os
import pathlib
import subprocess

import pytest
from playwright.sync_api import expect

from accessibility import CONTRAST, beyond_the_edge, violations
from conftest import free_port
from test_forced_colours import PHONE
from test_landmarks import EL_CAPITAN, YOSEMITE_FALLS, in_sync, waiting
from test_photos import is_shown, photos, png
from test_sign_in import PASSWORD, people, sign_in, signed_in  # noqa: F401

WAYS = {
    "light": {"color_scheme": "light"}, "dark": {"color_scheme": "dark"},
    "phone light": {"color_scheme": "light", **PHONE}, "phone dark": {"color_scheme": "dark", **PHONE},
    "forced": {"forced_colors": "active"},
}
PICTURES = os.environ.get("OPENSWIFTDATA_TEST_SCREENSHOTS")


#: The parts that scroll sideways, which none should, and texts that have too little room.
CRAMPED = """() => [
  ...[...document.querySelectorAll("body, main, .notices, #list, #details, dialog[open], dialog[open] form")]
    .filter((part) => part.scrollWidth > part.clientWidth + 1).map((part) => `${part.id || part.tagName} is wider`),
  ...[...document.querySelectorAll(".visit .text, .notice p")]
    .filter((text) => text.checkVisibility() && text.getBoundingClientRect().width < 120)
    .map((text) => `too narrow: ${text.textContent}`),
]"""


class States:
    """A page that is looked at in each of its states."""

    def __init__(self, page, way):
        self.page, self.way, self.found = page, way, []

    def look(self, name):
        # Parts that fade in are measured when they are there.
        self.page.page.evaluate("Promise.all(document.getAnimations().map((each) => each.finished.catch(() => {})))")
        problems = violations(self.page.page) + beyond_the_edge(self.page.page) + self.page.page.evaluate(CRAMPED)
        # Forced colours are the system's.
        if self.way != "forced":
            problems += self.page.page.evaluate(CONTRAST)
        if problems:
            self.found.append((name, problems))
        if PICTURES:
            self.page.page.screenshot(path=pathlib.Path(PICTURES) / f"{self.way} {name}.png")

    def dialog(self, opener, name, closes=True):
        opener.click()
        dialog = self.page.page.locator("dialog[open]")
        expect(dialog).to_be_visible()
        self.look(name)
        if closes:
            self.page.page.keyboard.press("Escape")
            expect(dialog).to_have_count(0)


def elsewhere(world, *words, password=None):
    return subprocess.run(
        [world.binary, *words, "--store", str(world.folder / "b.store")], input=password, capture_output=True,
        check=True, text=True).stdout


def reserve(page, time, note=""):
    page.page.locator("#reserve-date").fill(time)
    page.page.locator("#reserve-note").fill(note)
    page.page.get_by_role("button", name="Reserve", exact=True).click()


@pytest.mark.parametrize("way", WAYS)
def test_each_state_is_accessible(people, visit, way):  # noqa: F811
    world = people
    world.stop_server()
    world.start_server("--places-a-day", "1")
    server = f"http://127.0.0.1:{world.port}"
    port = free_port()
    device = world.device("a", port)
    page = visit(device, **WAYS[way])
    states = States(page, way)
    shown = page.page
    visits = shown.locator("#visits .visit")

    expect(shown.locator("#sign-in")).to_be_visible()
    states.look("sign-in")
    sign_in(page, "wrong horse")
    expect(shown.get_by_role("alert")).to_be_visible()
    states.look("sign-in refused")
    shown.locator("#sign-in-password").fill(PASSWORD)
    shown.locator("#sign-in-submit").click()
    signed_in(page)
    states.look("list")
    states.dialog(shown.locator("#account"), "signed in")
    page.tab("favorites")
    states.look("no favorites")
    page.tab("all")
    shown.locator("#search").fill("nothing like it")
    expect(shown.locator("#nothing")).to_be_visible()
    states.look("nothing matches")
    shown.locator("#clear").click()

    page.row(EL_CAPITAN).locator(".heart").click()
    page.row(EL_CAPITAN).locator(".open").click()
    states.look("details")
    reserve(page, "2027-06-01T10:00", "Bring water\nTwo tickets")
    expect(visits).to_have_count(1)
    in_sync(page)
    reserve(page, "2027-06-01T10:00")
    expect(shown.locator("#reserve-error")).to_be_visible()
    states.look("form refused")
    if not shown.locator("#reserve-error").evaluate("""(error) => {
      const { bottom } = error.getBoundingClientRect();
      return bottom <= document.getElementById("details").getBoundingClientRect().bottom + 1;
    }"""):
        states.found.append(("form refused", "the reason is out of sight"))
    reserve(page, "2027-06-01T15:00")
    notice = shown.locator(".notice.decision")
    expect(notice.get_by_role("button", name="move the visit to El Capitan")).to_have_count(3)
    states.look("refusal with choices")
    notice.get_by_role("button", name="move the visit to El Capitan").nth(1).click()
    expect(notice).to_have_count(0)
    in_sync(page)

    first = visits.first
    states.dialog(first.get_by_role("button", name="Note"), "note", closes=False)
    shown.locator("#note-text").fill("Bring water\nTwo tickets\nA map")
    shown.keyboard.press("Escape")
    states.dialog(first.get_by_role("button", name="Note"), "note not saved", closes=False)
    shown.locator("#note-discard").click()
    shown.locator("#note-close").click()
    states.dialog(first.get_by_role("button", name="Move"), "move")
    states.dialog(first.get_by_role("button", name="Add a photo"), "add a photo")
    for caption in ("The wall, from the meadow", ""):
        add_to_first(page, caption)
    is_shown(page, 2)
    in_sync(page)
    states.look("photos")
    states.dialog(photos(page).first, "photo", closes=False)
    states.dialog(shown.locator("#photo-change"), "caption")
    visits.last.get_by_role("button", name="Cancel").click()
    expect(shown.locator(".notice.undo")).to_be_visible()
    states.look("cancelled, with undo")
    shown.locator(".notice.undo").get_by_role("button", name="Dismiss").click()
    shown.context.route("**/api/photos/*", lambda route: route.abort())
    first.get_by_role("button", name="Cancel").click()
    shown.locator(".notice.undo").get_by_role("button", name="Dismiss").click()
    states.dialog(first.get_by_role("button", name="Remove"), "removal")
    shown.context.unroute("**/api/photos/*")
    first.get_by_role("button", name="Book again").click()
    shown.locator("#change-form").get_by_role("button", name="Move").click()
    in_sync(page)

    # Two devices change the same visit, its note and the caption of its photo.
    elsewhere(world, "sign-in", "--user", "ann", "--server", server, password=f"{PASSWORD}\n")
    elsewhere(world, "sync")
    identifier = next(
        line[:36] for line in elsewhere(world, "reserve").splitlines() if "confirmed" in line)
    photo = next(line[:36] for line in elsewhere(world, "photo", identifier).splitlines() if "The wall" in line)
    elsewhere(world, "reserve", "--change", identifier, "--on", "2027-07-05T10:00")
    elsewhere(world, "note", identifier, "Bring much water\nTwo tickets")
    elsewhere(world, "photo", "--change", photo, "--caption", "From elsewhere")
    shown.get_by_role("button", name="Work offline").click()
    expect(shown.locator("#status[data-state=off]")).to_be_visible()
    first.get_by_role("button", name="Note").click()
    shown.locator("#note-text").fill("Bring some water\nTwo tickets")
    shown.locator("#note-form").get_by_role("button", name="Save").click()
    expect(shown.locator("#note")).to_be_hidden()
    photos(page).first.click()
    shown.locator("#photo-change").click()
    shown.locator("#caption-text").fill("From here")
    shown.locator("#caption-form").get_by_role("button", name="Save").click()
    expect(shown.locator("#caption")).to_be_hidden()
    first.get_by_role("button", name="Move").click()
    shown.locator("#change-date").fill("2027-06-20T10:00")
    shown.locator("#change-form").get_by_role("button", name="Move").click()
    waiting(page, "2 changes waiting")
    states.look("working offline")
    states.dialog(shown.locator("#pending"), "waiting changes")
    elsewhere(world, "sync")
    shown.get_by_role("button", name="Work offline").click()
    in_sync(page)
    expect(shown.locator(".notice", has_text="Two captions")).to_be_visible()
    expect(shown.locator(".notice.decision")).to_have_count(2)
    states.look("conflicts")
    shown.locator("#details-close").click()
    page.tab("reservations")
    states.look("reservations")
    page.tab("all")
    states.dialog(shown.locator("#activity-open"), "activity")

    shown.goto(f"{page.url}/#landmark=9999")
    expect(shown.locator(".notice.lost")).to_be_visible()
    states.look("not found")
    world.stop_server()
    expect(shown.locator("#status[data-state=offline]")).to_be_visible()
    page.row(YOSEMITE_FALLS).locator(".heart").click()
    waiting(page, "1 change waiting")
    states.look("without the server")
    shown.locator("#account").click()
    shown.locator("#sign-out").click()
    states.look("signing out with changes that wait")
    shown.locator("#sign-out").click()
    expect(shown.locator(".notice", has_text="Signed out")).to_be_visible()
    states.look("signed out")
    device.stop()
    expect(shown.locator("#status-text")).to_contain_text("does not answer")
    page.row(EL_CAPITAN).locator(".heart").click()
    page.row(EL_CAPITAN).locator(".open").click()
    reserve(page, "2033-06-05T10:00")
    expect(shown.locator("#kept")).to_have_text("2 kept in this browser")
    states.look("without the program")
    states.dialog(shown.locator("#kept"), "kept in the browser")
    world.device("a", port)
    expect(shown.locator(".notice.refusal")).to_be_visible()
    states.look("refused by the program")
    assert states.found == []
    page.errors.clear()
    shown.evaluate("window.violations = []")


def add_to_first(page, caption):
    page.page.locator("#visits .visit").first.get_by_role("button", name="Add a photo").click()
    sheet = page.page.get_by_role("dialog", name="Add a photo")
    sheet.get_by_label("Photo", exact=True).set_input_files(
        [{"name": "a.png", "mimeType": "image/png", "buffer": png()}])
    sheet.get_by_label("Caption").fill(caption)
    sheet.get_by_role("button", name="Add", exact=True).click()
    expect(page.page.locator("#photo-add")).to_be_hidden()
