"""Visits: two at one time, and a cancellation that is taken back."""

import pathlib
import re
import urllib.request
import uuid

import pytest
from playwright.sync_api import expect

from accessibility import beyond_the_edge, violations
from test_landmarks import EL_CAPITAN, YOSEMITE_FALLS, in_sync, reserve, waiting


def test_a_second_visit_at_the_same_time_is_refused_in_words(world, visit):
    world.start_server()
    page = visit(world.device("a")).loaded()
    reserve(page, EL_CAPITAN, "2027-06-01T10:00")
    page.page.locator("#reserve-date").fill("2027-06-01T10:00")
    page.page.get_by_role("button", name="Reserve").click()
    expect(page.page.locator("#reserve-error")).to_have_text(
        "There is a visit to El Capitan on Tue, 1 Jun 2027, 10:00 already.")
    expect(page.page.locator("#visits .visit")).to_have_count(1)
    page.page.locator("#reserve-date").fill("2027-06-01T11:00")
    page.page.get_by_role("button", name="Reserve").click()
    expect(page.page.locator("#visits .visit")).to_have_count(2)
    expect(page.page.locator("#reserve-error")).to_be_hidden()
    # Neither can it be moved there.
    page.page.locator("#visits .visit").last.get_by_role("button", name="Move").click()
    page.page.locator("#change-date").fill("2027-06-01T10:00")
    page.page.locator("#change-form").get_by_role("button", name="Move").click()
    expect(page.page.locator("#change-error")).to_contain_text("already")


def test_a_cancellation_can_be_taken_back(world, visit):
    world.start_server()
    page = visit(world.device("a")).loaded()
    reserve(page, EL_CAPITAN, "2027-06-01T10:00")
    row = page.page.locator("#visits .visit")
    row.get_by_role("button", name="Cancel").click()
    expect(row).to_contain_text("Cancelled")
    offer = page.page.locator(".notice.undo")
    expect(offer).to_contain_text("The visit to El Capitan on Tue, 1 Jun 2027, 10:00 is cancelled.")
    offer.get_by_role("button", name="Undo").click()
    expect(offer).to_have_count(0)
    expect(row).not_to_contain_text("Cancelled")
    expect(row.get_by_role("button", name="Cancel")).to_be_visible()
    in_sync(page)
    expect(row).not_to_contain_text("Cancelled")


def test_visits_can_be_added_to_a_calendar(world, visit):
    world.start_server()
    page = visit(world.device("a")).loaded()
    in_sync(page)
    page.tab("reservations")
    link = page.page.get_by_role("link", name="Add to a calendar")
    expect(link).to_have_count(0)
    page.tab("all")
    reserve(page, EL_CAPITAN, "2027-06-01T10:00")
    in_sync(page)
    page.tab("reservations")
    with page.page.expect_download() as downloading:
        link.click()
    calendar = downloading.value
    assert calendar.suggested_filename == "visits.ics"
    lines = pathlib.Path(calendar.path()).read_bytes().decode().split("\r\n")
    # The browser is in Denver.
    assert "DTSTART:20270601T160000Z" in lines and "SUMMARY:El Capitan" in lines


def test_a_visit_that_the_server_refuses_can_be_moved_from_the_notice(world, visit):
    world.start_server("--places-a-day", "1")
    page = visit(world.device("a")).loaded()
    reserve(page, EL_CAPITAN, "2027-06-01T10:00")
    in_sync(page)
    page.page.locator("#reserve-date").fill("2027-06-01T15:00")
    page.page.get_by_role("button", name="Reserve").click()
    notice = page.page.locator(".notice.decision")
    expect(notice).to_contain_text(
        "All places at El Capitan on 2027-06-01 are taken; 2027-06-02, 2027-06-03 and 2027-06-04 are free.")
    page.context.route("**/api/reservations/*", lambda route: route.abort("connectionrefused"))
    notice.get_by_role("button", name="Choose another time").click()
    page.page.locator("#change-date").fill("2027-06-02T15:00")
    page.page.locator("#change-form").get_by_role("button", name="Move").click()
    expect(page.page.locator("#visits .visit").last).to_contain_text("2 Jun 2027, 15:00")
    # It closes when no refusal has come for a while.
    expect(page.page.locator("#change")).to_be_hidden()
    # The notice stays until the server has the new time, from which its button begins.
    notice.get_by_role("button", name="Choose another time").click()
    expect(page.page.locator("#change-date")).to_have_value("2027-06-02T15:00")
    page.page.locator("#change-close").click()
    page.context.unroute("**/api/reservations/*")
    in_sync(page)
    expect(notice).to_have_count(0)
    page.errors.clear()


@pytest.mark.parametrize("options", [{}, {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}],
                         ids=["wide", "phone"])
def test_a_free_date_of_a_refusal_is_taken_with_one_press(world, visit, options):
    world.start_server("--places-a-day", "1")
    page = visit(world.device("a"), **options).loaded()
    reserve(page, EL_CAPITAN, "2027-06-01T10:00")
    in_sync(page)
    page.page.locator("#reserve-date").fill("2027-06-01T15:00")
    page.page.get_by_role("button", name="Reserve").click()
    notice = page.page.locator(".notice.decision")
    choices = notice.get_by_role("button", name="move the visit to El Capitan")
    expect(choices).to_have_count(3)
    expect(choices.first).to_have_text("Wed 2 Jun, 15:00")
    assert violations(page.page) == []
    assert page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert beyond_the_edge(page.page) == []
    choices.nth(1).press("Enter")
    in_sync(page)
    expect(notice).to_have_count(0)
    expect(page.page.locator("#visits .visit").last).to_contain_text("Thu, 3 Jun 2027, 15:00")


def test_a_refused_visit_is_removed_from_its_notice(world, visit):
    world.start_server("--places-a-day", "1")
    page = visit(world.device("a")).loaded()
    reserve(page, EL_CAPITAN, "2027-06-01T10:00")
    in_sync(page)
    notice = page.page.locator(".notice.decision")
    page.page.locator("#reserve-date").fill("2027-06-01T16:00")
    page.page.get_by_role("button", name="Reserve").click()
    expect(notice).to_contain_text("are taken")
    page.page.get_by_role("button", name="1 change waiting").click()
    sheet = page.page.get_by_role("dialog", name="Waiting changes")
    expect(sheet.get_by_role("button", name="Remove the visit")).to_be_visible()
    sheet.get_by_role("button", name="Close").click()
    notice.get_by_role("button", name="Remove the visit").click()
    expect(page.page.locator(".notice.undo")).to_contain_text("The visit to El Capitan on")
    in_sync(page)
    expect(notice).to_have_count(0)
    expect(page.page.locator("#visits .visit")).to_have_count(1)


def test_a_free_date_that_is_past_or_taken_here_is_no_choice(world, visit):
    world.start_server("--places-a-day", "1")
    page = visit(world.device("a")).loaded()
    reserve(page, EL_CAPITAN, "2027-06-01T10:00")
    in_sync(page)
    page.page.get_by_role("button", name="Work offline").click()
    for number, time in enumerate(["2027-06-03T15:00", "2027-06-01T15:00"], 2):
        page.page.locator("#reserve-date").fill(time)
        page.page.get_by_role("button", name="Reserve").click()
        expect(page.page.locator("#visits .visit")).to_have_count(number)
    waiting(page, "2 changes waiting")
    state = page.page.evaluate("fetch('/api/state').then((response) => response.json())")
    refused = min(state["reservations"], key=lambda each: (each["date"] % 86_400_000 != 75_600_000, each["date"]))
    day = 86_400_000
    state["notices"] = [{
        "kind": "refused", "reservationID": refused["id"], "photoID": None, "landmarkID": EL_CAPITAN, "mine": None,
        "theirs": None, "note": None, "detail": "No place.", "made": 1_790_000_000_000,
        "choices": [1_700_000_000_000, *(refused["date"] + days * day for days in (1, 2, 240))],
    }]
    page.context.route("**/api/state", lambda route: route.fulfill(json=state))
    page.page.reload()
    choices = page.page.locator(".notice").get_by_role("button", name="move the visit to El Capitan")
    expect(choices).to_have_text(["Wed 2 Jun, 15:00", re.compile("2028, ")])


def test_the_activity_tells_what_happened_here_and_elsewhere(world, visit):
    world.start_server()
    one = visit(world.device("a")).loaded()
    two = visit(world.device("b")).loaded()
    reserve(one, EL_CAPITAN, "2027-06-01T10:00")
    in_sync(one)
    two.tab("reservations")
    expect(two.page.locator("#list .visit")).to_have_count(1)
    two.page.locator("#list .visit").get_by_role("button", name="Cancel").click()
    in_sync(two)
    one.tab("reservations")
    expect(one.page.locator("#list .visit")).to_contain_text(["Cancelled"])
    one.page.get_by_role("button", name="Activity").click()
    sheet = one.page.get_by_role("dialog", name="Activity")
    rows = sheet.get_by_role("listitem")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("A visit to El Capitan cancelled")
    expect(rows.first).to_contain_text("elsewhere")
    expect(rows.last).to_contain_text("A visit to El Capitan planned")
    expect(rows.last).to_contain_text("on this device")
    sheet.get_by_role("button", name="Close").click()
    expect(sheet).to_have_count(0)


def test_an_edit_of_a_visit_that_is_gone_says_so(world, visit):
    world.start_server()
    page = visit(world.device("a")).loaded()
    in_sync(page)
    state = page.page.evaluate("fetch('/api/state').then((response) => response.json())")
    state["notices"] = [{
        "kind": "bookedElsewhere", "reservationID": str(uuid.uuid4()).upper(), "landmarkID": EL_CAPITAN, "mine": None,
        "theirs": 1_800_000_000_000, "note": None, "detail": None, "made": 1_790_000_000_000,
    }]
    page.context.route("**/api/state", lambda route: route.fulfill(json=state))
    page.page.reload()
    page.page.get_by_role("button", name="Cancel it again").click()
    expect(page.page.locator(".notice.problem")).to_contain_text("This visit is not there any more.")
    expect(page.page.locator("#notices")).not_to_contain_text("Invalid Date")


def test_a_visit_to_a_landmark_that_is_no_longer_listed_is_not_planned(world, visit):
    world.start_server()
    device = world.device("a")
    page = visit(device).loaded()
    in_sync(page)
    page.row(EL_CAPITAN).locator(".open").click()
    page.page.locator("#reserve-date").fill("2027-06-01T10:00")
    state = page.page.evaluate("fetch('/api/state').then((response) => response.json())")
    state["landmarks"] = [each for each in state["landmarks"] if each["id"] != EL_CAPITAN]
    page.context.route("**/api/state", lambda route: route.fulfill(json=state))
    page.page.get_by_role("button", name="Reserve").focus()
    page.page.keyboard.down("Space")
    # Another program marks a landmark, so that the page reads the state, which it draws after the press.
    with page.page.expect_response("**/api/state") as told:
        urllib.request.urlopen(urllib.request.Request(
            f"{device.url}/api/favorites/{YOSEMITE_FALLS}", method="PUT",
            headers={"X-Requested-With": "landmarks"}), timeout=30).read()
    told.value.finished()
    page.page.evaluate("fetch('/api/config').then((response) => response.json())")
    page.page.keyboard.up("Space")
    expect(page.page.locator("#details")).to_be_hidden()
    expect(page.page.locator("#reservation-count")).to_be_empty()
    page.check_clean()


def test_a_page_that_stays_open_offers_a_date_to_come(world, visit):
    world.start_server()
    device = world.device("a")
    page = visit(device)

    def timeless(route):
        # The program's clock, which the page follows, doesn't go with the page's.
        answer = route.fetch()
        route.fulfill(response=answer, json={name: value for name, value in answer.json().items() if name != "now"})

    page.context.route("**/api/state", timeless)
    page.page.clock.install(time="2027-03-01T18:00:00Z")
    page.page.reload()
    page.loaded()
    page.row(EL_CAPITAN).locator(".open").click()
    date = page.page.locator("#reserve-date")
    expect(date).to_have_value("2027-03-02T10:00")
    page.page.clock.fast_forward(3 * 86_400_000)
    expect(date).to_have_value("2027-03-05T10:00")
    assert date.get_attribute("min") == "2027-03-04T11:01"
    # A chosen date stays.
    date.fill("2027-03-05T09:00")
    page.page.clock.fast_forward(86_400_000)
    expect(date).to_have_attribute("min", "2027-03-05T11:01")
    expect(date).to_have_value("2027-03-05T09:00")
    page.context.unroute_all(behavior="ignoreErrors")


def test_the_activity_says_that_there_is_more(world, visit):
    world.start_server()
    page = visit(world.device("a")).loaded()
    page.page.evaluate("""async (number) => {
      for (let count = 0; count < 101; count += 1) {
        const method = count % 2 ? "DELETE" : "PUT";
        await fetch(`/api/favorites/${number}`, { method, headers: { "X-Requested-With": "landmarks" } });
      }
    }""", EL_CAPITAN)
    page.page.locator("#activity-open").click()
    expect(page.page.locator("#activity-list li")).to_have_count(100)
    expect(page.page.locator("#activity-note")).to_contain_text("the last 100")
