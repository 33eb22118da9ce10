"""The browser's clock is wrong, or changes while the page is open."""

import datetime

import pytest
from playwright.sync_api import expect

from test_kept import favorites, kept, rows
from test_landmarks import EL_CAPITAN, YOSEMITE_FALLS, in_sync, open_visit
from test_without_program import heart

YEAR = 365 * 86_400
WRONG = {"three years slow": -3 * YEAR, "a day slow": -86_400, "five hours fast": 5 * 3_600, "three years fast": 3 * YEAR}


def shift(page, seconds):
    """Sets the clock of the page, which goes on from there."""
    page.page.evaluate("""(seconds) => {
      const now = window.rightNow ??= Date.now.bind(Date);
      window.shift = seconds * 1_000;
      const Real = window.RealDate ??= Date;
      window.Date = class extends Real {
        constructor(...values) { values.length ? super(...values) : super(now() + window.shift); }
        static now() { return now() + window.shift; }
      };
    }""", seconds)


@pytest.fixture
def page(world, visit):
    world.start_server()
    page = visit(world.device("a"), service_workers="block").loaded()
    in_sync(page)
    return page


def again(page):
    """Another state is read."""
    with page.page.expect_response("**/api/state"):
        page.page.locator("#sync").click()


@pytest.mark.parametrize("seconds", WRONG.values(), ids=WRONG.keys())
def test_edits_of_a_browser_with_a_wrong_clock_are_made_and_told_by_the_programs(world, page, seconds):
    shift(page, seconds)
    again(page)
    expect(page.page.locator("#status-text")).to_have_text("Updated just now")
    heart(page, EL_CAPITAN).click()
    heart(page, YOSEMITE_FALLS).click()
    in_sync(page)
    expect(page.page.locator(".notice.problem")).to_have_count(0)
    assert favorites(world) == [EL_CAPITAN, YOSEMITE_FALLS]
    # A visit of the coming week is offered and taken, whatever year it is in the browser.
    open_visit(page)
    date = datetime.datetime.now() + datetime.timedelta(days=7)
    field = page.page.locator("#reserve-date")
    low = datetime.datetime.fromisoformat(field.get_attribute("min"))
    assert abs(low - datetime.datetime.now(datetime.UTC).replace(tzinfo=None)) < datetime.timedelta(days=1)
    field.fill(f"{date:%Y-%m-%dT10:00}")
    page.page.locator("#reserve").get_by_role("button", name="Reserve").click()
    visit = page.page.locator("#visits .visit")
    expect(visit).to_contain_text(f"{date:%Y}")
    in_sync(page)
    assert len(rows(world, "a", "SELECT 1 FROM StoredReservation")) == 1
    visit.get_by_role("button", name="Cancel").click()
    expect(visit).to_contain_text("Cancelled")
    visit.get_by_role("button", name="Remove").click()
    # It is to come by the program's clock, so its removal can be taken back.
    expect(page.page.locator(".notice.undo")).to_contain_text("is removed")


def test_a_clock_that_is_set_back_hides_no_edit_that_waits(page):
    page.context.route("**/api/favorites/*", lambda route: route.abort("connectionrefused"))
    heart(page, EL_CAPITAN).click()
    shift(page, -YEAR)
    heart(page, YOSEMITE_FALLS).click()
    shift(page, -2 * YEAR)
    kept(page, 2)
    expect(heart(page, EL_CAPITAN)).to_have_attribute("data-state", "kept")
    page.context.unroute_all()
    expect(page.page.locator("#kept")).to_be_hidden(timeout=40_000)
    in_sync(page)
    page.errors.clear()


def test_an_edit_that_counts_as_too_old_is_made_when_it_is_repeated(world, page):
    page.context.route("**/api/favorites/*", lambda route: route.abort("connectionrefused"))
    shift(page, -3 * YEAR)
    heart(page, EL_CAPITAN).click()
    shift(page, 0)
    kept(page)
    page.context.unroute_all()
    notice = page.page.locator(".notice.refusal")
    expect(notice).to_contain_text("more than a year ago", timeout=40_000)
    notice.get_by_role("button", name="Try again").click()
    expect(notice).to_have_count(0)
    in_sync(page)
    assert favorites(world) == [EL_CAPITAN]
    page.errors.clear()


def test_a_form_that_is_saved_unchanged_keeps_the_second_hour_of_the_night_that_has_it_twice(world, page):
    year = datetime.datetime.now().year + 1
    # The first Sunday of November, 01:30 in winter time.
    day = next(day for day in range(1, 8) if datetime.date(year, 11, day).weekday() == 6)
    second = datetime.datetime(year, 11, day, 8, 30, tzinfo=datetime.UTC)
    answer = page.page.evaluate("""async ([id, date]) => (await fetch(`/api/reservations/${id}`, {
      method: 'PUT', headers: {'X-Requested-With': 'landmarks', 'Content-Type': 'application/json'},
      body: JSON.stringify({ landmarkID: 1002, date }),
    })).status""", ["6F9619FF-8B86-D011-B42D-00CF4FC964FF", second.timestamp() * 1_000])
    assert answer == 200
    open_visit(page)
    visit = page.page.locator("#visits .visit")
    expect(visit).to_contain_text("1:30")
    visit.get_by_role("button", name="Move").click()
    page.page.locator("#change-form").get_by_role("button", name="Move").click()
    expect(page.page.locator("#change")).to_be_hidden()
    in_sync(page)
    ((date,),) = rows(world, "a", "SELECT date FROM StoredReservation")
    assert date == second.timestamp() - 978_307_200
