"""Older earthquakes from the archive: what the list is complete for, the dialog, its progress, and its failures."""

import datetime
import re
import time
import urllib.request

import pytest
from playwright.sync_api import expect

from accessibility import violations
from browsers import ending_clean
from conftest import Visit
from quakes_server import World
from test_list_and_map import PHONE
from test_live import open_with_own_stream
from test_modules import opened, run  # noqa: F401

DAY = 86_400_000
NOW = 1_781_913_600_000  # 2026-06-20
RUNNING = {
    "state": "running", "since": NOW - 900 * DAY, "until": None, "minimumMagnitude": 2.5, "share": 0.427, "parts": 3,
    "events": 1234, "inserted": 1200, "failure": None,
}
BUSY = {"summary": "The archive is busy.", "message": "The server answered 503."}


def filters(**wanted):
    return {"search": "", "magnitude": None, "since": "", **wanted}


def loaded(since, until, magnitude=None):
    return {"since": NOW - since * DAY, "until": NOW - until * DAY, "minimumMagnitude": magnitude}


@pytest.mark.parametrize("wanted, ranges, note", [
    ({}, [], "The past week, and what was kept from earlier."),
    ({"search": "japan"}, [loaded(900, 3, 2.5)],
     "The past week, and 2024-01-02 to 2026-06-17, M 2.5+."),
    ({"search": "until:2020"}, [], "The past week, and what was kept from earlier."),
    ({"search": "since:6d"}, [], ""),
    ({"search": "since:8d"}, [], "The feed has the past week only; what is older was kept from earlier."),
    ({"search": "-until:2024"}, [], "The feed has the past week only; what is older was kept from earlier."),
    ({"search": "2026-05"}, [], "The feed has the past week only; what is older was kept from earlier."),
    ({"search": "-2026-05"}, [], "The past week, and what was kept from earlier."),
    ({"search": "2026-06-19"}, [], ""),
    ({"since": "30d"}, [loaded(900, 3)], ""),
    ({"since": "30d"}, [loaded(900, 20), loaded(20, 3)], ""),
    ({"since": "30d"}, [loaded(900, 20), loaded(19, 3)],
     "The feed has the past week only; older earthquakes were loaded for 2024-01-02 to 2026-05-31 and 2026-06-01 to"
     " 2026-06-17."),
    # Touching ranges are one; of many, the longest are named.
    ({"since": "30d"},
     [loaded(900, 20), loaded(20, 17), loaded(16, 14), loaded(13, 12.5), loaded(12, 8), loaded(8, 7.5),
      loaded(7.3, 7.2)],
     "The feed has the past week only; older earthquakes were loaded for 2024-01-02 to 2026-06-03, 2026-06-04 to"
     " 2026-06-06, 2026-06-08 to 2026-06-12, and 2 more ranges."),
    ({"since": "30d", "magnitude": 2.5}, [loaded(900, 3, 2.5)], ""),
    ({"since": "30d", "tenths": [30, 50]}, [loaded(900, 3, 2.5)], ""),
    ({"since": "30d", "magnitude": 1}, [loaded(900, 3, 2.5)],
     "The feed has the past week only; older earthquakes were loaded for 2024-01-02 to 2026-06-17, M 2.5+."),
    ({"days": [NOW // DAY - 9, NOW // DAY]}, [],
     "The feed has the past week only; what is older was kept from earlier."),
    ({"days": [NOW // DAY - 3, NOW // DAY]}, [], ""),
    ({"slice": {"from": NOW - 8 * DAY, "to": NOW - 7 * DAY}}, [],
     "The feed has the past week only; what is older was kept from earlier."),
    # Times that end before the feed's begin have to be loaded up to their end only.
    ({"slice": {"from": NOW - 80 * DAY, "to": NOW - 70 * DAY}}, [loaded(900, 60)], ""),
    ({"search": "since:2026-02 until:2026-03"}, [loaded(900, 60)], ""),
    ({"search": "2026-03"}, [loaded(900, 60)], ""),
    ({"search": "-since:2026-03 since:2026-02"}, [loaded(900, 60)], ""),
    ({"days": [NOW // DAY - 90, NOW // DAY - 80]}, [loaded(900, 60)], ""),
    # Magnitudes of the search count as those of the chips do; the range has M 2.5 and above.
    ({"search": "m>5 since:30d"}, [loaded(900, 0, 2.5)], ""),
    ({"search": "m:3..4 since:30d"}, [loaded(900, 0, 2.5)], ""),
    ({"search": "m:3.5 since:30d"}, [loaded(900, 0, 2.5)], ""),
    # The narrowest of several times counts.
    ({"slice": {"from": NOW - 2 * DAY, "to": NOW}, "since": "30d", "search": "since:2024"}, [], ""),
])
def test_the_times_of_all_filters_are_compared_with_what_is_there(run, wanted, ranges, note):
    status = {"feed": {"name": "all_week"}, "coverage": ranges, "archive": "http://a.example/fdsnws/event/1"}
    told = run("return coverage.coverage(...input);", ["coverage"], [filters(**wanted), status, NOW])
    assert told["text"] == note
    assert told["isQuiet"] == note.startswith("The past week, and")


@pytest.mark.parametrize("wanted, offer", [
    ({"since": "30d"}, ("Get the month", 30, None, None)),
    ({"since": "30d", "magnitude": 2.5}, ("Get the month", 30, None, 2.5)),
    ({"since": "7d"}, None),
    ({"since": "90d"}, ("Get what is missing", 90, None, None)),
    ({"search": "since:30d m>4"}, ("Get what is missing", 30, None, 4)),
    ({"search": "since:30d -m>4 m<6 m>15"}, ("Get what is missing", 30, None, 10)),
    ({"search": "since:30d -m>4 m<6"}, ("Get what is missing", 30, None, None)),
    ({"search": "since:30d until:20d"}, ("Get what is missing", 30, 20, None)),
    ({"search": "since:30d until:6d"}, ("Get what is missing", 30, None, None)),
    ({"since": "30d", "search": "since:10d", "tenths": [30, 50]}, ("Get what is missing", 10, None, 2.95)),
    ({"slice": {"from": NOW - 600 * DAY, "to": NOW - 590 * DAY}}, ("Get what is missing", 600, 590, None)),
    # Such a long time is asked for in the dialog.
    ({"search": "since:2020"}, None),
])
def test_one_press_loads_what_the_filters_ask_for(run, wanted, offer):
    status = {"feed": {"name": "all_week"}, "coverage": [], "archive": "http://a.example/fdsnws/event/1"}
    told = run("return coverage.coverage(...input);", ["coverage"], [filters(**wanted), status, NOW])["offer"]
    if offer is None:
        assert told is None
        return
    text, since, until, magnitude = offer
    assert told == {"text": text, "wish": {
        "since": NOW - since * DAY, "until": None if until is None else NOW - until * DAY,
        "minimumMagnitude": magnitude}}
    no_archive = status | {"archive": None}
    assert run("return coverage.coverage(...input);", ["coverage"],
               [filters(**wanted), no_archive, NOW])["offer"] is None


@pytest.mark.parametrize("change, text", [
    ({}, "Getting earthquakes of the past: 42 %, 3 parts, 1,234 earthquakes."),
    ({"failure": BUSY},
     "Getting earthquakes of the past: 42 %, 3 parts, 1,234 earthquakes. The archive is busy. Trying again."),
    ({"state": "waiting"}, "Asking for earthquakes of the past…"),
    ({"state": "done"}, "Got 1,234 earthquakes of the past, 1,200 of them new."),
    ({"state": "done", "parts": 0}, "These earthquakes were loaded before."),
    ({"state": "stopped", "events": 1},
     "Stopped. 1 earthquake came and is kept. Continue begins where it was."),
    ({"state": "failed", "failure": BUSY, "events": 0},
     "The archive is busy. Continue begins where it was."),
])
def test_the_line_tells_the_progress_and_the_end(run, change, text):
    assert run("return backfill.describe(input);", ["backfill"], RUNNING | change) == text


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """Quakes of its own, whose store grows."""
    world = World(tmp_path_factory.mktemp("backfill"))
    try:
        if world.store is None:
            pytest.skip("the server runs already; its store stays as it is")
        end = time.monotonic() + 60
        while world.get("/api/status")["total"] == 0:
            assert time.monotonic() < end, "the store stayed empty"
        yield world
    finally:
        world.stop()


@pytest.fixture
def own(browser, archive):
    def make(**options):
        return Visit(browser, archive, False, **options)

    with ending_clean(make) as remembered:
        yield remembered


@pytest.fixture
def stopped(archive):
    """Ends faults and back-fills that a test has left."""
    yield
    archive.fault("none")
    request = urllib.request.Request(
        archive.url + "/api/backfill", headers={"X-Requested-With": "quakes"}, method="DELETE")
    urllib.request.urlopen(request, timeout=30).close()


def ask(page, magnitude="4", days=20):
    since = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=days)
    page.get_by_role("button", name="Get more…").click()
    page.get_by_label("From", exact=True).fill(since.date().isoformat())
    page.locator("#more").get_by_label("Magnitude from").fill(magnitude)
    page.get_by_role("button", name="Get them").click()


def test_older_earthquakes_are_loaded_and_appear(own, archive):
    made = own().open()
    page = made.page
    line, note = page.locator("#backfill"), page.locator("#coverage")
    expect(note).to_have_text(re.compile("^The past week, and "))
    expect(line).to_be_hidden()
    page.locator("#windows").get_by_label("Month", exact=True).check()
    expect(note).to_have_text("The feed has the past week only; what is older was kept from earlier.")
    page.get_by_role("button", name="Get more…").click()
    asked = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=30)
    shown = page.get_by_label("From", exact=True).input_value()
    assert shown in {asked.date().isoformat(), (asked - datetime.timedelta(seconds=60)).date().isoformat()}
    page.locator("#more").get_by_label("Magnitude from").fill("4")
    before = len(archive.events())
    page.keyboard.press("Enter")
    expect(page.locator("#more")).to_be_hidden()
    expect(page.locator("#get-more")).to_be_focused()
    expect(page.locator("#backfill-text")).to_have_text(
        re.compile(r"^Got [\d,]+ earthquakes of the past, [\d,]+ of them new\.$"), timeout=30_000)
    assert len(archive.events()) > before
    expect(note).to_have_text(re.compile(r"older earthquakes were loaded for .*, M 4(\.0)?\+\.$"))
    page.locator("#windows input[value='']").check()
    expect(page.locator("#count")).to_have_text(f"{len(archive.events()):,} earthquakes")
    page.get_by_role("button", name="Dismiss", exact=True).click()
    expect(line).to_be_hidden()
    expect(page.locator("#list")).to_be_focused()
    # Its success is no news for a page that comes later.
    page.reload()
    expect(note).to_have_text(re.compile("^The past week, and .* M 4"))
    expect(line).to_be_hidden()


def test_a_range_that_cannot_be_meant_is_told_in_the_dialog(own):
    made = own().open()
    page = made.page
    page.get_by_role("button", name="Get more…").press("Enter")
    error = page.locator("#more-error")
    expect(error).to_be_hidden()
    page.get_by_label("From", exact=True).fill("2024-05-03")
    page.get_by_label("Until").fill("2024-05-02")
    page.get_by_role("button", name="Get them").click()
    expect(error).to_have_text("The end is before the start.")
    expect(page.get_by_label("Until")).to_be_focused()
    page.get_by_label("From", exact=True).fill("1990-01-01")
    page.get_by_label("Until").fill("")
    page.get_by_role("button", name="Get them").click()
    expect(error).to_have_text("At most 20 years can be loaded at once.")
    page.keyboard.press("Escape")
    expect(page.locator("#more")).to_be_hidden()
    expect(page.locator("#get-more")).to_be_focused()
    page.get_by_role("button", name="Get more…").click()
    expect(error).to_be_hidden()
    # The browser reports the refused request.
    assert len(made.errors) == 1
    made.errors.clear()


def test_one_press_gets_the_chosen_month(own, archive):
    made = own().open("#since=7d&mag=2.5")
    page = made.page
    expect(page.locator("#count")).to_have_text(re.compile(" of "))
    button = page.locator("#get-window")
    expect(button).to_be_hidden()
    page.locator("#windows").get_by_label("Month", exact=True).check()
    expect(button).to_have_text("Get the month")
    button.press("Enter")
    expect(page.locator("#get-more")).to_be_focused()
    expect(page.locator("#backfill-text")).to_have_text(re.compile("^Got "), timeout=30_000)
    # The month is there now, and nothing is left to be told.
    expect(page.locator("#coverage-line")).to_be_hidden()
    assert 2.5 in {each["minimumMagnitude"] for each in archive.get("/api/status")["coverage"]}
    page.locator("#magnitudes").get_by_label("1+", exact=True).check()
    expect(button).to_be_visible()


def test_a_second_tab_and_a_reload_show_the_same(own, archive, stopped):
    first = own().open()
    page = first.page
    archive.fault("503")
    ask(page, magnitude="2", days=40)
    second = first.context.new_page()
    second.goto(archive.url)
    for each in (page, second):
        expect(each.locator("#backfill-text")).to_contain_text("Trying again.", timeout=20_000)
        expect(each.locator("#backfill-end")).to_have_text("Stop")
    page.reload()
    expect(page.locator("#backfill-text")).to_contain_text("Trying again.", timeout=20_000)
    second.locator("#backfill-end").click()
    for each in (page, second):
        expect(each.locator("#backfill-text")).to_have_text("Stopped. Continue begins where it was.")
    page.reload()
    expect(page.locator("#backfill-text")).to_have_text("Stopped. Continue begins where it was.")
    archive.fault("none")
    page.locator("#backfill-go-on").press("Enter")
    expect(page.locator("#backfill-end")).to_be_focused()
    for each in (page, second):
        expect(each.locator("#backfill-text")).to_have_text(re.compile("^Got "), timeout=30_000)
        expect(each.locator("#backfill-go-on")).to_be_hidden()
    assert archive.get("/api/status")["backfill"]["minimumMagnitude"] == 2
    first.errors.clear()


def test_a_dismissed_failure_stays_away(own, archive, stopped):
    made = own().open()
    page = made.page
    archive.fault("404")
    ask(page, magnitude="1", days=50)
    line = page.locator("#backfill")
    expect(page.locator("#backfill-text")).to_contain_text("There is no archive at its address.", timeout=20_000)
    page.locator("#backfill-end").click()
    expect(line).to_be_hidden()
    page.reload()
    expect(page.locator("#coverage")).to_be_visible()
    expect(line).to_be_hidden()
    # The same failure of another attempt is news.
    ask(page, magnitude="1", days=50)
    expect(page.locator("#backfill-text")).to_contain_text("There is no archive at its address.", timeout=20_000)
    made.errors.clear()


def test_failures_are_told_and_a_back_fill_is_stopped(own, archive, stopped):
    made = own().open()
    page = made.page
    text = page.locator("#backfill-text")
    archive.fault("503")
    ask(page, magnitude="3")
    expect(text).to_contain_text("The archive is busy. Trying again.", timeout=20_000)
    expect(page.get_by_role("progressbar", name="Earthquakes of the past")).to_be_visible()
    ask(page, magnitude="3")
    expect(page.locator("#more-error")).to_have_text(
        "Earthquakes of the past are being loaded; stop that first.")
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(text).to_have_text("Stopped. Continue begins where it was.")
    expect(page.locator("#backfill-end")).to_be_focused()
    archive.fault("404")
    ask(page, magnitude="3")
    expect(text).to_have_text(
        "There is no archive at its address. Continue begins where it was.", timeout=20_000)
    page.locator("#backfill summary").click()
    expect(page.locator("#backfill-message")).to_contain_text("404")
    archive.fault("none")
    ask(page, magnitude="3")
    expect(text).to_have_text(re.compile("^Got "), timeout=30_000)
    made.errors.clear()


@pytest.mark.parametrize("options", [
    {}, {"color_scheme": "dark"}, {**PHONE, "color_scheme": "light"}, {**PHONE, "color_scheme": "dark"},
], ids=["light", "dark", "phone", "dark-phone"])
def test_the_dialog_and_the_line_are_accessible(visit, ready, options):
    def make(**more):
        return visit(**options, **more)

    made, tell, status = open_with_own_stream(make, ready)
    page = made.page
    tell(status("fresh") | {"backfill": RUNNING | {"failure": BUSY}})
    expect(page.locator("#backfill-text")).to_contain_text("42 %")
    assert violations(page) == []
    tell(status("fresh") | {"backfill": RUNNING | {"state": "failed", "failure": BUSY}})
    expect(page.get_by_role("button", name="Dismiss", exact=True)).to_be_visible()
    page.locator("#windows").get_by_label("Month", exact=True).check()
    assert violations(page) == []
    page.get_by_role("button", name="Get more…").click()
    page.get_by_label("Until").fill("2000-01-01")
    page.get_by_role("button", name="Get them").click()
    expect(page.locator("#more-error")).to_be_visible()
    assert violations(page) == []
    width = page.viewport_size["width"]
    box = page.locator("#more").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= width
