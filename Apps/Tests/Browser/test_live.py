"""Updates without an action: new and revised events, a feed that fails and recovers."""

import json
import re

import pytest
from playwright.sync_api import expect

ROW_HEIGHT = 66

#: A tab with a stream of its own: what the browser's tests put in its place is not asked for by a worker.
OWN_STREAM = """delete window.SharedWorker;
  Object.defineProperty(Navigator.prototype, "locks", { get: () => undefined });"""


def first_in_sight(made):
    """The id and the offset of the first row in sight."""
    return made.page.evaluate(
        """() => {
          const list = document.getElementById("list");
          const top = list.getBoundingClientRect().top;
          const rows = [...list.querySelectorAll("[role=option]")]
            .map((row) => [row.dataset.id, row.getBoundingClientRect().top - top])
            .filter(([, offset]) => offset > -66)
            .sort((a, b) => a[1] - b[1]);
          return rows[0];
        }"""
    )


def test_new_events_appear_by_themselves_and_are_marked_and_announced(visit, ready):
    made = visit().open()
    known = {e["id"] for e in ready.events()}
    ready.advance()
    ready.refresh()
    expect(made.page.locator("#list [data-mark=new]").first).to_be_visible()
    made.announced(re.compile(r"\d+ new earthquakes?"))
    fresh = {e["id"] for e in ready.events()} - known
    assert fresh
    # Events that a step withdraws from the feed leave the list.
    expect(made.page.locator("#count")).to_have_text(f"{len(ready.events()):,} earthquakes")
    marked = made.page.locator("#list [data-mark=new]").first.get_attribute("data-id")
    assert marked in fresh


def test_new_events_disturb_neither_the_selection_nor_the_scroll_position(visit, ready):
    made = visit().open()
    made.scroll_to(20 * ROW_HEIGHT + 17)
    expect(made.page.locator("#list [aria-posinset='24']")).to_be_in_viewport()
    chosen = made.page.locator("#list [aria-posinset='24']").get_attribute("data-id")
    made.row(chosen).click()
    expect(made.row(chosen)).to_have_attribute("aria-selected", "true")
    before, size = first_in_sight(made), made.shown()
    ready.advance()
    ready.refresh()
    expect(made.page.locator("#news")).to_be_visible()
    assert made.shown() > size
    after = first_in_sight(made)
    assert after[0] == before[0] and abs(after[1] - before[1]) < 1
    expect(made.row(chosen)).to_have_attribute("aria-selected", "true")
    expect(made.row(chosen)).to_be_in_viewport()
    expect(made.page.locator("#details")).to_contain_text(chosen)
    made.page.locator("#news").click()
    expect(made.page.locator("#news")).to_be_hidden()
    assert made.scroll_top() == 0


@pytest.fixture
def shared(ready):
    """The store, for other programs to write to."""
    if ready.store is None:
        pytest.skip("the store of a server that runs already isn't known")
    return ready


def test_what_another_process_loads_appears_in_the_open_page(visit, shared):
    made = visit().open()
    known = {e["id"] for e in shared.events()}
    shared.advance()
    report = shared.refresh_elsewhere()
    assert report["inserted"] > 0
    expect(made.page.locator("#list [data-mark=new]").first).to_be_visible()
    made.announced(re.compile(r"\d+ new earthquakes?"))
    fresh = {e["id"] for e in shared.events()} - known
    # Withdrawn events leave the list, and earlier withdrawn ones may return.
    assert fresh and report["inserted"] <= len(fresh)
    expect(made.page.locator("#count")).to_have_text(f"{len(shared.events()):,} earthquakes")
    marked = made.page.locator("#list [data-mark=new]").first.get_attribute("data-id")
    assert marked in fresh
    # The state is that of the other process's refresh; this server has made none.
    last = shared.get("/api/status")["lastReport"]
    assert [last["inserted"], last["unchanged"]] == [report["inserted"], report["unchanged"]]
    expect(made.page.locator("#freshness")).to_have_text("Updated just now")


def test_an_event_that_a_tool_deletes_leaves_the_page_with_its_details(visit, shared):
    made = visit().open()
    made.rows.nth(1).click()
    expect(made.page.locator("#details")).to_be_visible()
    gone = made.selected.get_attribute("data-id")
    size = made.shown()
    shared.delete_elsewhere(gone)
    expect(made.row(gone)).to_have_count(0)
    expect(made.page.locator("#details")).to_be_hidden()
    assert made.shown() == size - 1


def test_the_refresh_button_fetches_what_is_new(visit, ready):
    made = visit().open()
    ready.advance()
    made.page.get_by_role("button", name="Refresh").click()
    expect(made.page.locator("#list [data-mark=new]").first).to_be_visible()
    expect(made.page.locator("#freshness")).to_have_text("Updated just now")


@pytest.mark.parametrize("kind, reason", [
    ("503", "is busy"), ("429", "is busy"), ("malformed", "something other than"),
    ("truncated", "something other than"), ("bad-gzip", "something other than"),
    ("html", "something other than"),
])
def test_a_failing_feed_is_told_and_recovery_clears_it(visit, ready, kind, reason):
    made = visit().open()
    size = made.shown()
    ready.advance()
    ready.fault(kind)
    ready.refresh()
    banner = made.page.locator("#banner")
    expect(banner).to_be_visible(timeout=60_000)
    # The server answers: nothing is offline.
    expect(banner).to_have_text(re.compile(r"Not updated: showing data from \d\d:\d\d"))
    told = made.page.locator("#banner [role=status]")
    expect(told).to_contain_text(reason)
    assert not re.search(r"https?:|byte|\$|JSON", told.inner_text())
    message = ready.get("/api/status")["lastError"]["message"]
    expect(made.page.locator("#banner-message")).to_be_hidden()
    made.page.locator("#banner summary").click()
    expect(made.page.locator("#banner-message")).to_have_text(message)
    expect(made.page.locator("#freshness")).to_have_attribute("data-state", "offline")
    assert made.page.locator("#banner-text").inner_text().strip()
    assert made.shown() == size, "a failed refresh must not change what is shown"
    ready.fault("none")
    made.page.get_by_role("button", name="Refresh").click()
    expect(banner).to_be_hidden(timeout=60_000)
    expect(made.page.locator("#freshness")).to_have_text("Updated just now")


def open_with_own_stream(visit, ready):
    """A page with a stream controlled by the test: for events in a given order, or at a given moment.

    Returns the visit, a function that tells the page a status, and one that makes such a status.
    """
    made = visit()
    made.context.add_init_script(
        OWN_STREAM + """window.EventSource = class extends EventTarget {
          constructor() {
            super();
            window.stream = this;
            queueMicrotask(() => this.dispatchEvent(new Event("open")));
          }
          close() {}
        };"""
    )
    made.open()
    known = ready.get("/api/status")

    def status(state, **more):
        return known | {"state": state, "progress": None, "lastError": None} | more

    def tell(news):
        made.page.evaluate(
            "(data) => stream.dispatchEvent(new MessageEvent('status', { data }))",
            json.dumps(news),
        )
        expect(made.page.locator("#freshness")).to_have_attribute("data-state", news["state"])

    return made, tell, status


def test_an_answer_that_comes_late_does_not_undo_what_the_stream_has_told(visit, ready):
    made, tell, status = open_with_own_stream(visit, ready)
    button = made.page.get_by_role("button", name="Refresh")
    held = []
    made.context.route("**/api/refresh", lambda route: held.append(route))
    with made.page.expect_request("**/api/refresh"):
        button.click()
    tell(status("refreshing"))
    tell(status("fresh"))
    with made.page.expect_response("**/api/refresh") as answered:
        held[0].fulfill(json=status("refreshing"))
    answered.value.finished()
    # The page has the response when a second one, requested after it, has arrived.
    made.page.evaluate("fetch('/api/config').then((response) => response.json())")
    expect(made.page.locator("#freshness")).to_have_attribute("data-state", "fresh")
    expect(button).to_have_attribute("aria-busy", "false")


def test_the_banner_stays_while_the_feed_is_tried_again(visit, ready):
    made, tell, status = open_with_own_stream(visit, ready)
    banner = made.page.locator("#banner")
    tell(status("offline", lastError={
        "kind": "no-connection", "summary": "The feed's server can't be reached.",
        "message": "feed.example could not be reached.", "at": 1}))
    expect(banner).to_be_visible()
    expect(banner).to_contain_text("Offline: showing data from")
    expect(banner).to_contain_text("can't be reached")
    tell(status("refreshing"))
    expect(banner).to_be_visible()
    tell(status("fresh"))
    expect(banner).to_be_hidden()


def test_a_lost_connection_is_told_and_the_list_stays_usable(visit):
    made = visit()
    made.context.add_init_script(OWN_STREAM)
    # The response is no event stream, as from a proxy without its server.
    made.context.route("**/api/stream", lambda route: route.fulfill(status=204))
    made.open()
    expect(made.page.locator("#freshness")).to_have_text(re.compile("Connection to Quakes lost"))
    made.rows.nth(1).click()
    expect(made.page.locator("#details")).to_be_visible()
    made.context.unroute("**/api/stream")
    expect(made.page.locator("#freshness-text")).to_have_text(re.compile("^Updated"))
    expect(made.page.locator("#banner")).to_be_hidden()


def test_an_empty_store_without_a_network_says_so_and_points_to_the_demo(visit):
    made = visit()
    status = {
        "state": "offline", "lastUpdated": None, "nextRefresh": None, "progress": None,
        "lastError": {"kind": "no-connection", "summary": "The feed's server can't be reached.",
                      "message": "earthquake.usgs.gov could not be reached.", "at": 1},
        "feed": {"name": "all_day", "url": "https://earthquake.usgs.gov/"}, "every": 300,
        "maximumAge": 900, "total": 0, "lastReport": None,
    }
    made.context.route("**/api/status", lambda route: route.fulfill(json=status))
    made.context.route("**/api/events?*", lambda route: route.fulfill(
        json={"events": [], "total": 0, "limit": 5000, "offset": 0, "next": None}))
    made.context.add_init_script(OWN_STREAM)
    made.context.route("**/api/stream", lambda route: route.fulfill(
        content_type="text/event-stream", body="retry: 60000\n\n"))
    made.page.goto(made.world.url)
    expect(made.page.get_by_role("heading", name="No data yet")).to_be_visible()
    expect(made.page.locator("#nothing")).to_contain_text("can't be reached")
    expect(made.page.locator("#nothing")).to_contain_text("make demo")


def test_text_from_the_feed_is_never_markup_and_odd_links_are_not_followed(visit):
    hostile = {
        "id": "x'\"><b>1", "magnitude": 5, "magnitudeType": "<i>mb</i>",
        "place": "<img src=x onerror=alert(1)>", "time": 0, "updated": 0, "longitude": 0,
        "latitude": 0, "depth": None, "type": "<b>quake</b>", "status": None, "alert": "pink",
        "tsunami": True, "felt": None, "significance": None, "url": "javascript:alert(1)",
    }
    made = visit()
    made.context.route("**/api/events?*", lambda route: route.fulfill(
        json={"events": [hostile], "total": 1, "limit": 5000, "offset": 0, "next": None}))
    made.open()
    made.rows.first.click()
    details = made.page.locator("#details")
    expect(details.get_by_role("heading")).to_have_text("<img src=x onerror=alert(1)>")
    expect(details).to_contain_text("Pink")
    assert details.get_by_role("link").count() == 0
    assert made.page.locator("#list img, #list b, #details img, #details b").count() == 0
