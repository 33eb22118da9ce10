"""The landmarks page: a user's actions, with and without the server."""

import re
import sqlite3
import urllib.parse
import urllib.request

import pytest
from playwright.sync_api import expect

from accessibility import ENLARGED, beyond_the_edge, violations
from browsers import wait_for

EL_CAPITAN, YOSEMITE_FALLS = 1002, 1003

#: A tab with a stream of its own, so that a test can take its place.
OWN_STREAM = """delete window.SharedWorker;
  Object.defineProperty(Navigator.prototype, "locks", { get: () => undefined });"""


def reserve(page, number, time):
    page.row(number).locator(".open").click()
    page.page.locator("#reserve-date").fill(time)
    page.page.get_by_role("button", name="Reserve").click()
    expect(page.page.locator("#visits .visit")).to_have_count(1)


def open_visit(page):
    """Shows the landmark with the visit; a page whose address has it opens it itself, once its state is there."""
    if "landmark=" not in page.page.url:
        page.row(EL_CAPITAN).locator(".open").click()
    expect(page.page.locator("#details")).to_be_visible()


def waiting(page, text):
    expect(page.page.locator("#pending")).to_have_text(text)


def in_sync(page):
    expect(page.page.locator("#unstored")).to_be_hidden()
    expect(page.page.locator("#kept")).to_have_attribute("data-count", "0")
    expect(page.page.locator("#kept")).to_be_hidden()
    expect(page.page.locator("#pending")).to_be_hidden()
    expect(page.page.locator("#status[data-state=synced]")).to_be_visible()


def test_a_favorite_turns_before_the_next_frame_and_without_a_request(world, visit):
    world.start_server()
    page = visit(world.device("a"), with_map=True).loaded()
    result = page.page.evaluate(
        """async (number) => {
          let answered = false;
          const original = window.fetch;
          window.fetch = (...all) => original(...all).finally(() => { answered = true; });
          const find = () => document.querySelector(`[data-id="${number}"] .heart`);
          find().click();
          return [find().ariaPressed, answered];
        }""", EL_CAPITAN)
    assert result == ["true", False]
    expect(page.row(EL_CAPITAN).locator(".heart")).to_have_attribute("aria-pressed", "true")
    in_sync(page)


@pytest.mark.parametrize("means", ["mouse", "mouse, with the focus elsewhere", "space bar"])
def test_a_press_during_which_the_list_changes_is_a_click(world, visit, means):
    world.start_server()
    device = world.device("a")
    page = visit(device).loaded()
    in_sync(page)
    heart = page.row(YOSEMITE_FALLS).locator(".heart")
    # The focus scrolls its control into view, so the pointer comes after it.
    (page.row(EL_CAPITAN).locator(".open") if "elsewhere" in means else heart).focus()
    heart.hover()
    page.page.keyboard.down("Space") if means == "space bar" else page.page.mouse.down()
    # Another program marks a landmark, of which the page is told.
    request = urllib.request.Request(
        f"{device.url}/api/favorites/{EL_CAPITAN}", method="PUT", headers={"X-Requested-With": "landmarks"})
    with page.page.expect_response("**/api/state") as state:
        urllib.request.urlopen(request, timeout=30).read()
    state.value.finished()
    # The page has taken the state over when a later request of its own is answered.
    page.page.evaluate("fetch('/api/config').then((response) => response.json())")
    page.page.keyboard.up("Space") if means == "space bar" else page.page.mouse.up()
    for number in (EL_CAPITAN, YOSEMITE_FALLS):
        expect(page.row(number).locator(".heart")).to_have_attribute("aria-pressed", "true")
    in_sync(page)


def test_offline_edits_wait_survive_a_restart_and_reach_the_server(world, visit):
    world.start_server()
    first = world.device("a")
    page = visit(first).loaded()
    in_sync(page)
    world.stop_server()
    expect(page.page.locator("#status[data-state=offline]")).to_be_visible()
    page.row(EL_CAPITAN).locator(".heart").click()
    waiting(page, "1 change waiting")
    reserve(page, YOSEMITE_FALLS, "2027-06-01T10:00")
    waiting(page, "2 changes waiting")
    first.stop()

    page = visit(world.device("a")).loaded()
    waiting(page, "2 changes waiting")
    expect(page.row(EL_CAPITAN).locator(".heart")).to_have_attribute("aria-pressed", "true")
    page.tab("reservations")
    expect(page.page.locator("#list .visit")).to_contain_text(["Yosemite Falls"])
    expect(page.page.locator("#list .visit")).to_contain_text(["Waiting to be sent"])
    world.start_server()
    in_sync(page)
    expect(page.page.locator("#list .visit")).not_to_contain_text("Waiting")

    other = visit(world.device("b")).loaded()
    other.tab("favorites")
    expect(other.rows).to_have_count(1)


def test_the_waiting_count_falls_to_zero_and_the_others_edit_appears(world, visit):
    world.start_server()
    page = visit(world.device("a")).loaded()
    other = visit(world.device("b")).loaded()
    in_sync(page)
    in_sync(other)
    world.stop_server()
    for each in (page, other):
        expect(each.page.locator("#status[data-state=offline]")).to_be_visible()
    page.row(EL_CAPITAN).locator(".heart").click()
    waiting(page, "1 change waiting")
    reserve(page, EL_CAPITAN, "2027-06-01T10:00")
    waiting(page, "2 changes waiting")
    other.row(YOSEMITE_FALLS).locator(".heart").click()
    waiting(other, "1 change waiting")
    world.start_server()
    in_sync(page)
    in_sync(other)
    # Each page shows what the other did, without being loaded again.
    for each in (page, other):
        for number in (EL_CAPITAN, YOSEMITE_FALLS):
            expect(each.page.locator(f'#list .row[data-id="{number}"] .heart')).to_have_attribute(
                "aria-pressed", "true")
    other.tab("reservations")
    expect(other.page.locator("#list .visit")).to_contain_text(["El Capitan"])


def test_the_answer_to_sync_does_not_undo_later_events(world, visit):
    world.start_server()
    page = visit(world.device("a")).loaded()
    in_sync(page)
    state = page.page.evaluate("fetch('/api/state').then((response) => response.json())")
    state["status"] |= {"state": "synced", "pending": 0}
    # A stream without further events: the end of the exchange was reported before the response.
    page.context.add_init_script(OWN_STREAM + "window.EventSource = class extends EventTarget { close() {} };")
    page.context.route("**/api/state", lambda route: route.fulfill(json=state))
    page.context.route(
        "**/api/sync", lambda route: route.fulfill(json=state["status"] | {"state": "syncing"}))
    page.page.reload()
    page.loaded()
    in_sync(page)
    with page.page.expect_response("**/api/sync") as answered:
        page.page.locator("#sync").click()
    answered.value.finished()
    # The page has the response when a second one, requested after it, has arrived.
    page.page.evaluate("fetch('/api/config').then((response) => response.json())")
    expect(page.page.locator("#sync")).to_have_attribute("aria-busy", "false")
    in_sync(page)


def test_without_favorites_the_page_says_how_to_get_some(world, visit):
    world.start_server()
    page = visit(world.device("a")).loaded()
    page.tab("favorites")
    expect(page.page.locator("#nothing-title")).to_have_text("No Favorites")
    expect(page.page.locator("#nothing-text")).to_have_text("Landmarks you favorite will appear here.")
    page.tab("all")
    page.row(EL_CAPITAN).locator(".heart").click()
    page.tab("favorites")
    expect(page.rows).to_have_count(1)
    page.row(EL_CAPITAN).locator(".heart").click()
    expect(page.page.locator("#nothing-title")).to_be_visible()


def test_a_reservation_is_moved_cancelled_and_removed(world, visit):
    world.start_server()
    page = visit(world.device("a"), with_map=True).loaded()
    reserve(page, EL_CAPITAN, "2027-06-01T10:00")
    visits = page.page.locator("#visits .visit")
    expect(visits).to_contain_text(["1 Jun 2027"])
    visits.get_by_role("button", name="Move").click()
    page.page.locator("#change-date").fill("2027-06-05T12:30")
    page.page.locator("#change-form").get_by_role("button", name="Move").click()
    expect(visits).to_contain_text(["5 Jun 2027"])
    visits.get_by_role("button", name="Cancel").click()
    expect(visits).to_have_class(re.compile("cancelled"))
    visits.get_by_role("button", name="Remove").click()
    expect(visits).to_have_count(0)
    in_sync(page)


def test_the_list_follows_kind_state_and_text(world, visit):
    world.start_server()
    page = visit(world.device("a"), with_map=True).loaded()
    expect(page.page.locator("#count")).to_have_text("80 landmarks")
    page.page.locator("#category").select_option("lakes")
    page.page.locator("#state").select_option("California")
    expect(page.rows).to_have_count(2)
    page.page.locator("#search").fill("TÁHOE")
    expect(page.rows).to_have_count(1)
    page.page.locator("#search").fill("nothing like it")
    expect(page.page.locator("#nothing-title")).to_have_text("Nothing Matches")
    page.page.get_by_role("button", name="Clear the filters").click()
    expect(page.rows).to_have_count(80)


def test_two_dates_are_shown_and_the_other_one_can_be_chosen(world, visit):
    world.start_server()
    one = visit(world.device("a")).loaded()
    device = world.device("b")
    two = visit(device).loaded()
    reserve(one, EL_CAPITAN, "2027-06-01T10:00")
    in_sync(one)
    two.tab("reservations")
    expect(two.page.locator("#list .visit")).to_have_count(1)
    world.stop_server()
    for page, place, time in [(one, "#visits", "2027-06-02T10:00"), (two, "#list", "2027-06-03T10:00")]:
        expect(page.page.locator("#status[data-state=offline]")).to_be_visible()
        page.page.locator(f"{place} .visit").get_by_role("button", name="Move").click()
        page.page.locator("#change-date").fill(time)
        page.page.locator("#change-form").get_by_role("button", name="Move").click()
        waiting(page, "1 change waiting")
    world.start_server()
    in_sync(one)
    in_sync(two)
    # The second one to exchange has decided by the time that both are in sync; the first one is told later.
    decided = one.page.locator(".notice.decision", has_text="Two dates for El Capitan")
    page = one if decided.count() else two
    other = two if page is one else one
    expect(page.page.locator(".notice.decision")).to_contain_text("Two dates for El Capitan")
    told = other.page.locator(".notice.decision")
    expect(told).to_contain_text("A visit to El Capitan was moved")
    expect(told.get_by_role("button", name="Use my date")).to_be_visible()
    theirs = "2 Jun 2027" if page is two else "3 Jun 2027"
    page.page.get_by_role("button", name="Use the other date").click()
    expect(page.page.locator(".notice.decision")).to_have_count(0)
    expect(told).to_have_count(0)
    other.tab("reservations")
    expect(other.page.locator("#list .visit")).to_contain_text([theirs])


def test_a_refused_favorite_is_shown_with_the_reason_and_retried_on_request(world, visit):
    world.start_server()
    page = visit(world.device("a")).loaded()
    in_sync(page)
    with sqlite3.connect(world.folder / "server.store") as store:
        store.execute("DELETE FROM ServedLandmark WHERE number = ?", (EL_CAPITAN,))
    page.row(EL_CAPITAN).locator(".heart").click()
    notice = page.page.locator(".notice.decision")
    expect(notice).to_contain_text("The server refused the mark of El Capitan")
    expect(notice).to_contain_text("There is no landmark with this number.")
    waiting(page, "1 change waiting")
    expect(page.row(EL_CAPITAN).locator(".heart")).to_have_attribute("aria-pressed", "true")
    # A server that starts offers all landmarks of its program again.
    world.stop_server()
    world.start_server()
    page.page.get_by_role("button", name="Try again").click()
    in_sync(page)
    expect(notice).to_have_count(0)


@pytest.mark.parametrize("size", ENLARGED)
def test_enlarged_the_page_has_everything_within_its_width(world, visit, size):
    world.start_server()
    page = visit(world.device("a"), **ENLARGED[size]).loaded()
    in_sync(page)
    assert beyond_the_edge(page.page) == []
    reserve(page, EL_CAPITAN, "2027-06-01T10:00")
    assert beyond_the_edge(page.page) == []
    page.page.locator("#visits .visit").get_by_role("button", name="Note").click()
    expect(page.page.locator("#note")).to_be_visible()
    assert beyond_the_edge(page.page) == []
    assert violations(page.page) == []


def test_the_page_works_by_keyboard_and_at_the_width_of_a_phone(world, visit):
    world.start_server()
    page = visit(world.device("a"), with_map=True, viewport={"width": 390, "height": 844}).loaded()
    page.page.locator("#list .open").first.focus()
    page.page.keyboard.press("Enter")
    expect(page.page.locator("#details")).to_be_visible()
    expect(page.page.locator("#details-name")).to_be_focused()
    page.page.keyboard.press("Escape")
    expect(page.page.locator("#details")).to_be_hidden()
    expect(page.page.locator("#list .open").first).to_be_focused()
    page.page.keyboard.press("Tab")
    page.page.keyboard.press("Space")
    expect(page.page.locator("#list .heart").first).to_have_attribute("aria-pressed", "true")
    assert page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.page.get_by_role("button", name="Map", exact=True).click()
    expect(page.page.locator("#map[data-state=ready]")).to_be_visible(timeout=60_000)


def test_two_devices_work_offline_and_exchange_when_they_go_online(world, visit):
    world.start_server()
    device = world.device("a")
    one = visit(device).loaded()
    two = visit(world.device("b")).loaded()
    in_sync(one)
    in_sync(two)
    switch = one.page.get_by_role("button", name="Work offline")
    expect(switch).to_have_attribute("aria-pressed", "false")
    switch.click()
    expect(one.page.locator("#status-text")).to_contain_text("Working offline")
    expect(switch).to_have_attribute("aria-pressed", "true")
    one.row(EL_CAPITAN).locator(".heart").click()
    waiting(one, "1 change waiting")
    # The address of a page's own tabs: what one switches, all show.
    again = visit(device).loaded()
    expect(again.page.get_by_role("button", name="Work offline")).to_have_attribute("aria-pressed", "true")
    switch.click()
    in_sync(one)
    expect(two.row(EL_CAPITAN).locator(".heart")).to_have_attribute("aria-pressed", "true")


def test_a_second_press_takes_the_first_one_back_before_it_is_answered(world, visit):
    world.start_server()
    page = visit(world.device("a")).loaded()
    in_sync(page)
    held, sent = [], []
    page.context.route("**/api/offline", lambda route: route.continue_() if held else held.append(route))
    page.page.on("request", lambda request: request.url.endswith("/api/offline") and sent.append(request.method))
    switch = page.page.get_by_role("button", name="Work offline")
    with page.page.expect_request("**/api/offline"):
        switch.click()
    with page.page.expect_response(lambda answer: answer.request.method == "DELETE"):
        switch.click()
        wait_for(page.page, lambda: len(held), 1)
        held[0].continue_()
    assert sent == ["PUT", "DELETE"]
    expect(switch).to_have_attribute("aria-pressed", "false")
    in_sync(page)
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "true")


def test_the_sheet_says_what_waits_and_why(world, visit):
    world.start_server()
    page = visit(world.device("a")).loaded()
    in_sync(page)
    world.stop_server()
    expect(page.page.locator("#status[data-state=offline]")).to_be_visible()
    page.row(EL_CAPITAN).locator(".heart").click()
    reserve(page, YOSEMITE_FALLS, "2027-06-01T10:00")
    waiting(page, "2 changes waiting")
    page.page.get_by_role("button", name="2 changes waiting").click()
    sheet = page.page.get_by_role("dialog", name="Waiting changes")
    rows = sheet.get_by_role("listitem")
    expect(rows).to_have_count(2)
    expect(rows.filter(has_text="El Capitan as a favorite")).to_contain_text("Waits until the server answers.")
    expect(rows.filter(has_text="The visit to Yosemite Falls on")).to_contain_text("Waits until the server answers.")
    # It follows what happens while it is open.
    world.start_server()
    expect(rows).to_have_count(0)
    expect(sheet).to_contain_text("Nothing waits")
    sheet.get_by_role("button", name="Close").click()
    in_sync(page)
    with sqlite3.connect(world.folder / "server.store") as store:
        store.execute("DELETE FROM ServedLandmark WHERE number = ?", (YOSEMITE_FALLS,))
    page.row(YOSEMITE_FALLS).locator(".heart").click()
    expect(page.page.locator(".notice.decision")).to_contain_text("refused")
    page.page.get_by_role("button", name="1 change waiting").click()
    expect(rows).to_contain_text(["Refused by the server: There is no landmark with this number."])


@pytest.mark.parametrize(
    ("state", "words"),
    [("offline", "Waits until the server answers."), ("off", "Waits until you go online."),
     ("paused", "Waits: the disk is full."), ("syncing", "Sent; the server hasn't answered yet.")],
)
def test_a_change_of_an_exchange_that_failed_waits_like_others(world, visit, state, words):
    world.start_server()
    page = visit(world.device("a")).loaded()
    in_sync(page)
    world.stop_server()
    page.row(EL_CAPITAN).locator(".heart").click()
    waiting(page, "1 change waiting")
    answer = page.page.evaluate("fetch('/api/state').then((response) => response.json())")
    answer["waiting"][0]["reason"] = "underWay"
    answer["status"] |= {"state": state, "message": "the disk is full."}
    page.context.route("**/api/state", lambda route: route.fulfill(json=answer))
    page.page.reload()
    page.page.get_by_role("button", name="1 change waiting").click()
    row = page.page.get_by_role("dialog", name="Waiting changes").get_by_role("listitem")
    expect(row).to_have_text(f"El Capitan as a favorite{words}")


@pytest.mark.parametrize("path", ["", "index.html"])
def test_the_page_works_with_one_file_of_its_modules_and_with_separate_ones(world, visit, path):
    world.start_server()
    page = visit(world.device("a"))
    page.requested.clear()
    page.page.goto(f"{page.url}/{path}")
    page.loaded()
    in_sync(page)
    paths = {urllib.parse.urlsplit(url).path for url in page.requested}
    own = {"/js/boot.js", "/js/stream-worker.js", "/js/stream-source.js"}
    assert ("/bundle/main.js" in paths) == (path == "")
    assert ({name for name in paths if name.startswith("/js/")} - own == set()) == (path == "")


@pytest.mark.parametrize("size", [(320, 480), (320, 568), (360, 640), (1000, 480), (390, 844)])
def test_beside_notices_the_list_has_room(world, visit, size):
    world.start_server("--places-a-day", "1")
    page = visit(world.device("a"), viewport=dict(zip(("width", "height"), size))).loaded()
    in_sync(page)
    page.page.evaluate("""async (landmark) => {
      for (const [number, hour] of [10, 11, 12].entries()) {
        const id = `0000000${number}-0000-4000-8000-000000000000`;
        await fetch(`/api/reservations/${id}`, { method: "PUT",
          headers: { "X-Requested-With": "landmarks", "Content-Type": "application/json" },
          body: JSON.stringify({ landmarkID: landmark, date: Date.UTC(2027, 5, 1, hour + 6) }) });
      }
    }""", EL_CAPITAN)
    expect(page.page.locator(".notice")).to_have_count(2)
    row = page.row(EL_CAPITAN)
    row.locator(".open").click()
    expect(page.page.locator("#details-name")).to_have_text("El Capitan")
    page.page.locator("#details-close").click()
    row.locator(".heart").click()
    expect(row.locator(".heart")).to_have_attribute("aria-pressed", "true")
    assert page.page.locator("#list").evaluate("(list) => list.clientHeight") >= 120
    assert beyond_the_edge(page.page) == []
