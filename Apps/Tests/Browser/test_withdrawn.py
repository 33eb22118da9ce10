"""Earthquakes that the feed revises, withdraws or gives under another identifier."""

import json
import os
import re
import subprocess
import urllib.request

import pytest
from playwright.sync_api import expect

from accessibility import violations
from quakes_server import FEED_PATH
from test_alerts import CLOCK, hide, open_with_stream, recent, serve
from test_live import stream, stream_changes


@pytest.fixture
def feed(ready, tmp_path):
    """Loads a document that differs from the demo feed's into the server's store."""
    if ready.store is None:
        pytest.skip("the store of a server that runs already isn't known")

    def load(change):
        with urllib.request.urlopen(ready.control + FEED_PATH, timeout=30) as response:
            document = json.load(response)
        change(document["features"])
        document["metadata"]["count"] = len(document["features"])
        file = tmp_path / "all_week.geojson"
        file.write_text(json.dumps(document), encoding="utf-8")
        subprocess.run(
            [os.environ["OPENSWIFTDATA_TEST_QUAKES"], "refresh", "--force", "--store", ready.store, "--feed", file],
            check=True, capture_output=True, timeout=60)

    yield load
    load(lambda features: None)


def without(event_id):
    def change(features):
        features[:] = [feature for feature in features if feature["id"] != event_id]

    return change


def renamed(event_id, new):
    def change(features):
        for feature in features:
            if feature["id"] == event_id:
                feature["id"] = new
                feature["properties"] |= {
                    "net": new[:2], "code": new[2:], "ids": f",{event_id},{new},"}

    return change


def test_an_event_gone_from_the_feed_leaves_list_and_count_and_shows_on_request(visit, ready, feed):
    made = visit().open()
    page = made.page
    gone = made.rows.nth(2).get_attribute("data-id")
    size = made.shown()
    feed(without(gone))
    expect(made.row(gone)).to_have_count(0)
    expect(page.locator("#count")).to_have_text(f"{size - 1:,} earthquakes")
    assert gone not in {event["id"] for event in ready.events()}
    # It is still available on request, and marked.
    page.locator("#withdrawn").check()
    expect(made.row(gone)).to_contain_text("withdrawn")
    made.row(gone).click()
    made.row(gone).dblclick()
    expect(page.locator("#details .note")).to_contain_text("Withdrawn: no longer listed by the feed")
    page.locator("#withdrawn").uncheck()
    expect(made.row(gone)).to_have_count(0)
    # It returns to the feed, and is no longer withdrawn.
    feed(lambda features: None)
    expect(made.row(gone)).to_be_visible()
    assert made.shown() == size


def revised(event_id):
    def change(features):
        for feature in features:
            if feature["id"] == event_id:
                feature["geometry"]["coordinates"][1] += 0.1
                feature["properties"] |= {
                    "mag": 5.25, "magType": "mww", "status": "reviewed",
                    "updated": feature["properties"]["updated"] + 1}

    return change


def test_the_details_tell_the_life_of_an_event(visit, ready, feed):
    # Not one of the newest: a document withdraws nothing that was updated after it was made.
    events = ready.events()
    old = events[0]["time"] - 3_600_000
    event_id = next(
        event["id"] for event in events if event["status"] == "automatic" and event["updated"] < old)
    # It may stand far below in the list: the link brings it into view.
    made = visit().open(f"#event={event_id}")
    page = made.page
    life = page.locator("#details .life")
    expect(page.locator("#details")).to_contain_text(event_id)
    feed(revised(event_id))
    # The open details follow.
    expect(life.locator("li").last).to_contain_text("→ M 5.25 mww, moved 11 km, reviewed")
    told = life.locator("li").all_inner_texts()
    assert len(told) == 2
    # Details that were opened while the program failed have it when they are opened again.
    failed = visit()
    failed.context.route(f"**/api/events/{event_id}", lambda route: route.fulfill(status=500), times=1)
    failed.open(f"#event={event_id}")
    expect(failed.page.locator("#details")).to_contain_text(event_id)
    failed.page.get_by_role("button", name="Close the details").click()
    expect(failed.page.locator("#details .life")).to_be_hidden()
    failed.row(event_id).dblclick()
    expect(failed.page.locator("#details .life li")).to_have_count(2)
    failed.errors.clear()
    # A page that is opened later has the same life from the store, and how it went on.
    feed(without(event_id))
    again = visit().open(f"#event={event_id}")
    later = again.page.locator("#details .life li")
    expect(later.last).to_contain_text("withdrawn")
    assert later.all_inner_texts()[:-1] == told
    # An event that nothing is known of but its present form has no history.
    again.row(ready.events()[0]["id"]).dblclick()
    expect(again.page.locator("#details .life")).to_be_hidden()


def test_a_renamed_event_is_one_event_and_the_old_link_opens_it(visit, ready, feed):
    made = visit().open()
    old = made.rows.nth(3).get_attribute("data-id")
    size = made.shown()
    feed(renamed(old, "us7000zzzz"))
    expect(made.row("us7000zzzz")).to_be_visible()
    expect(made.row(old)).to_have_count(0)
    expect(made.page.locator("#count")).to_have_text(f"{size:,} earthquakes")
    again = visit().open(f"#event={old}")
    expect(again.page.locator("#details")).to_contain_text("us7000zzzz")
    expect(again.page.locator("#details")).to_contain_text(old)
    assert again.page.evaluate("location.hash") == "#event=us7000zzzz"
    again.page.locator("#withdrawn").check()
    expect(again.row(old)).to_have_count(0)


def test_a_link_to_a_withdrawn_event_says_that_it_was_withdrawn(visit, ready, feed):
    gone = ready.events()[5]["id"]
    feed(without(gone))
    made = visit().open(f"#event={gone}")
    expect(made.page.locator("#details .note")).to_contain_text("Withdrawn")
    expect(made.row(gone)).to_have_count(0)


def test_open_details_stay_with_an_event_that_is_withdrawn_and_listed_again(visit, ready, feed):
    made = visit().open()
    page = made.page
    gone = made.rows.nth(2).get_attribute("data-id")
    made.row(gone).click()
    details, note = page.locator("#details"), page.locator("#details .note")
    expect(details).to_contain_text(gone)
    close = page.get_by_role("button", name="Close the details")
    close.focus()
    feed(without(gone))
    expect(made.row(gone)).to_have_count(0)
    made.announced("1 earthquake was withdrawn.")
    expect(note).to_contain_text("Withdrawn: no longer listed by the feed")
    expect(details).to_contain_text(gone)
    expect(close).to_be_focused()
    assert page.evaluate("location.hash") == f"#event={gone}"
    feed(lambda features: None)
    expect(made.row(gone)).to_have_attribute("aria-selected", "true")
    expect(note).to_be_hidden()
    # With withdrawn earthquakes in the list, the announcement is the same.
    page.locator("#withdrawn").check()
    made.announced(re.compile("earthquakes"))
    feed(without(gone))
    made.announced("1 earthquake was withdrawn.")
    expect(made.row(gone)).to_contain_text("withdrawn")
    expect(note).to_contain_text("Withdrawn")


def test_selection_details_and_address_follow_an_event_to_its_new_identifier(visit, ready, feed):
    made = visit().open()
    page = made.page
    old, new = made.rows.nth(3).get_attribute("data-id"), "us7000yyyy"
    made.row(old).click()
    expect(page.locator("#details")).to_contain_text(old)
    close = page.get_by_role("button", name="Close the details")
    close.focus()
    feed(renamed(old, new))
    expect(made.row(new)).to_have_attribute("aria-selected", "true")
    expect(made.row(new)).to_have_attribute("data-mark", "revised")
    made.announced("1 revised.")
    expect(page.locator("#details")).to_contain_text(new)
    expect(page.locator("#details .note")).to_be_hidden()
    expect(close).to_be_focused()
    assert page.evaluate("location.hash") == f"#event={new}"
    # The step back leads to where the page was before the selection.
    page.go_back()
    expect(page.locator("#details")).to_be_hidden()


def test_the_rows_in_sight_stay_when_the_first_of_them_gets_another_identifier(visit):
    events = [recent(f"xx{number}", number * 60_000) for number in range(1, 60)]
    made = open_with_stream(visit, events, rules=[])
    made.scroll_to(20 * 66)
    expect(made.row("xx21")).to_be_in_viewport()
    stream_changes(
        made.page, inserted=[recent("new1", 0), {**events[20], "id": "us21", "aliases": ["xx21"]}], deleted=["xx21"])
    expect(made.row("us21")).to_have_attribute("data-mark", "revised")
    assert made.scroll_top() == 21 * 66
    made.announced("1 new earthquake, 1 revised.")


def test_among_withdrawn_earthquakes_none_is_under_its_former_identifier(visit):
    made = open_with_stream(visit, [recent("xx1"), recent("xx2")], rules=[], fragment="#withdrawn=1")
    stream_changes(
        made.page, inserted=[recent("us1", aliases=["xx1"])],
        updated=[recent("xx2", withdrawn=1_790_000_000_000)], deleted=["xx1"])
    expect(made.row("us1")).to_have_attribute("data-mark", "revised")
    expect(made.row("xx2")).to_contain_text("withdrawn")
    expect(made.row("xx1")).to_have_count(0)
    made.announced("1 revised. 1 earthquake was withdrawn.")


def test_a_withdrawn_earthquake_is_shown_also_if_another_one_has_its_identifier(visit):
    made = open_with_stream(visit, [recent("xx1")], rules=[], fragment="#withdrawn=1")
    stream_changes(
        made.page, inserted=[recent("us1", aliases=["xx1"])], updated=[recent("xx1", withdrawn=1_790_000_000_000)])
    expect(made.row("us1")).to_have_attribute("data-mark", "new")
    expect(made.row("xx1")).to_contain_text("withdrawn")
    made.announced("1 new earthquake. 1 earthquake was withdrawn.")


def test_an_earthquake_that_one_on_the_page_replaces_is_not_told_as_removed(visit):
    made = open_with_stream(visit, [recent("xx1"), recent("us1", aliases=["xx1"])], rules=[])
    page = made.page
    made.row("xx1").click()
    expect(page.locator("#details")).to_contain_text("Loaded ")
    stream_changes(page, deleted=["xx1"])
    expect(made.row("xx1")).to_have_count(0)
    expect(made.row("us1")).to_have_attribute("aria-selected", "true")
    expect(made.row("us1")).not_to_have_attribute("data-mark", "revised")
    expect(page.locator("#message")).to_be_hidden()
    assert page.evaluate("location.hash") == "#event=us1"


@pytest.fixture
def interrupted(visit):
    """Opens details of an event, and loads anew after an interruption."""
    def interrupt(events, beyond=()):
        made = open_with_stream(visit, [recent("xx1"), recent("xx2")], rules=[])
        made.row("xx1").click()
        expect(made.page.locator("#details")).to_contain_text("xx1")
        expect(made.page.locator("#details")).to_contain_text("Loaded ")
        made.context.route("**/api/events/xx1", lambda route: route.fulfill(
            status=404, json={"error": {"code": "not_found", "message": "There is no such earthquake."}}))
        serve(made, events, beyond=beyond)
        stream(made.page, "reset")
        return made

    return interrupt


def test_an_interruption_that_withdraws_an_event_keeps_its_details(interrupted):
    made = interrupted([recent("xx2")], [recent("xx1", withdrawn=1_790_000_000_000)])
    expect(made.page.locator("#details .note")).to_contain_text("Withdrawn")
    expect(made.row("xx1")).to_have_count(0)
    made.announced("1 earthquake is no longer listed.")
    expect(made.page.locator("#message")).to_be_hidden()


def test_an_interruption_that_renames_an_event_moves_its_details(interrupted):
    made = interrupted([recent("us1", aliases=["xx1"]), recent("xx2")])
    expect(made.row("us1")).to_have_attribute("aria-selected", "true")
    expect(made.row("us1")).to_have_attribute("data-mark", "revised")
    expect(made.page.locator("#details")).to_contain_text("us1")
    made.announced("1 revised.")
    assert made.page.evaluate("location.hash") == "#event=us1"


def test_an_interruption_that_removes_an_event_closes_its_details_and_says_so(interrupted):
    made = interrupted([recent("xx2")])
    expect(made.page.get_by_role("alert")).to_contain_text("There is no earthquake xx1 in the local copy.")
    expect(made.page.locator("#details")).to_be_hidden()
    made.errors.clear()


def test_details_of_a_removed_event_close_and_the_page_says_so(visit):
    made = open_with_stream(visit, [recent("xx1"), recent("xx2")], rules=[])
    made.row("xx1").click()
    expect(made.page.locator("#details")).to_contain_text("Loaded ")
    stream_changes(made.page, deleted=["xx1"])
    expect(made.page.get_by_role("alert")).to_contain_text("The earthquake xx1 was removed from the local copy.")
    expect(made.page.locator("#details")).to_be_hidden()
    made.announced("1 earthquake was removed.")
    assert made.page.evaluate("location.hash") == ""


def test_the_row_of_a_revised_event_tells_for_some_minutes_what_has_changed(visit):
    first = recent("xx1", magnitude=4.2)
    made = open_with_stream(visit, [first, recent("xx2")], rules=[], script=CLOCK)
    page = made.page
    row = made.row("xx1")
    revised = {**first, "magnitude": 4.6, "latitude": 0.1}
    stream_changes(page, updated=[revised])
    expect(row.locator(".meta")).to_have_text("1 h ago · M 4.2 → 4.6, moved 11 km · 10 km deep")
    expect(row).to_have_attribute(
        "aria-label", "Magnitude 4.6, XX1, 1 h ago, revised: M 4.2 to 4.6, moved 11 km, 10 km deep")
    expect(row).to_have_attribute("title", re.compile(r"\nRevised: M 4.2 → 4.6, moved 11 km$"))
    assert violations(page) == []
    # A second revision is told together with the first, also under another identifier and after an interruption.
    renamed = {**revised, "id": "us1", "aliases": ["xx1"], "status": "reviewed"}
    stream_changes(page, inserted=[renamed], deleted=["xx1"])
    row = made.row("us1")
    expect(row.locator(".meta")).to_contain_text("M 4.2 → 4.6, moved 11 km, reviewed")
    serve(made, [{**renamed, "depth": 35}, recent("xx2")])
    stream(page, "reset")
    expect(row.locator(".meta")).to_contain_text("moved 11 km, was 10 km deep, reviewed · 35 km deep")
    page.evaluate("window.passed = 5 * 60_000 + 1_000")
    hide(page, False)
    expect(row.locator(".meta")).to_have_text("1 h ago · 35 km deep")
    # Changes that the row doesn't show are marked as revised only.
    stream_changes(page, updated=[{**renamed, "depth": 35, "felt": 3}])
    expect(row).to_have_attribute("data-mark", "revised")
    expect(row.locator(".meta")).to_have_text("1 h ago · 35 km deep")
