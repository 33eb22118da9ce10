"""Updates without an action: new and revised events, a feed that fails and recovers."""

import json
import re
import time

import pytest
from playwright.sync_api import expect

ROW_HEIGHT = 66

#: A tab with a stream of its own: what the browser's tests put in its place is not asked for by a worker.
OWN_STREAM = """delete window.SharedWorker;
  Object.defineProperty(Navigator.prototype, "locks", { get: () => undefined });"""

#: A stream controlled by the test.
STREAM = OWN_STREAM + """window.EventSource = class extends EventTarget {
    constructor() {
      super();
      window.stream = this;
      queueMicrotask(() => this.dispatchEvent(new Event("open")));
    }
    close() {}
  };"""


def stream(page, name, **data):
    """Tells the page a message of the stream."""
    page.evaluate(
        "([name, data]) => stream.dispatchEvent(new MessageEvent(name, { data }))", [name, json.dumps(data)])


def stream_changes(page, inserted=(), updated=(), deleted=(), reload=False):
    stream(page, "changes", inserted=list(inserted), updated=list(updated), deleted=list(deleted), reload=reload)



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
    made = visit(with_map=True).open()
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
    before = first_in_sight(made)
    ready.advance()
    ready.refresh()
    expect(made.page.locator("#news")).to_be_visible()
    # The list can be as long as before: a step also withdraws events.
    ids = [event["id"] for event in ready.events()]
    expect(made.page.locator("#count")).to_have_text(f"{len(ids):,} earthquakes")
    expect(made.row(chosen)).to_have_attribute("aria-posinset", str(ids.index(chosen) + 1))
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
    # The details have all they ask for before the event is gone: a later request would be an error of the browser's.
    with made.page.expect_response("**/api/events/*"), made.page.expect_response("**/api/events/*/details"):
        made.rows.nth(1).click()
    expect(made.page.locator("#details")).to_be_visible()
    gone = made.selected.get_attribute("data-id")
    size = made.shown()
    shared.delete_elsewhere(gone)
    expect(made.row(gone)).to_have_count(0)
    expect(made.page.locator("#details")).to_be_hidden()
    expect(made.page.get_by_role("alert")).to_contain_text(f"There is no earthquake {gone} in the local copy.")
    made.announced("1 earthquake is no longer listed.")
    assert made.shown() == size - 1
    # The browser's about the answer 404, by which the page knows.
    made.errors.clear()


def test_the_refresh_button_fetches_what_is_new(visit, ready):
    made = visit().open()
    ready.advance()
    made.page.get_by_role("button", name="Refresh").click()
    expect(made.page.locator("#list [data-mark=new]").first).to_be_visible()
    expect(made.page.locator("#freshness")).to_have_text("Updated just now")


@pytest.mark.parametrize("kind, reason", [
    ("503", "is busy"), ("429", "is busy"), ("malformed", "something other than"),
    ("truncated", "broke off"), ("bad-gzip", "something other than"),
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
    made.context.add_init_script(STREAM)
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


def test_a_first_load_that_breaks_off_is_repeated_and_brings_no_news(visit, ready):
    made = visit()
    broken = []

    def answer(route):
        # The first rows are there already.
        if "limit=5000" in route.request.url and not broken:
            broken.append(route.request.url)
            route.abort("connectionreset")
        else:
            route.fallback()

    made.context.route("**/api/events?*", answer)
    made.context.add_init_script(
        """window.announced = [];
        addEventListener("DOMContentLoaded", () => {
          const announcer = document.getElementById("announcer");
          new MutationObserver(() => announced.push(announcer.textContent))
            .observe(announcer, { childList: true, characterData: true, subtree: true });
        });"""
    )
    made.open()
    expect(made.page.locator("#message")).to_contain_text("The list could not be loaded as a whole: ")
    expect(made.page.locator("#count")).to_have_text(f"{len(ready.events()):,} earthquakes")
    expect(made.page.locator("#message")).to_be_hidden()
    assert broken
    # A later announcement comes after one of the load would have come.
    made.page.locator("input[name=magnitudes]").last.check()
    made.announced(re.compile("earthquakes?"))
    assert not [text for text in made.page.evaluate("announced") if "new" in text]
    made.errors.clear()


def test_the_ranges_that_back_fills_have_loaded_are_told_with_a_window_beyond_the_feeds(visit, ready):
    made, tell, status = open_with_own_stream(visit, ready)
    ranges = [
        {"since": 1451606400000, "until": 1767225600000, "minimumMagnitude": 2.5, "allMagnitudes": False},
        {"since": 1767225600000, "until": 1769817600000, "minimumMagnitude": None, "allMagnitudes": True},
    ]
    known = status("fresh")
    feed = known["feed"] | {"name": "all_day"}
    tell(known | {"feed": feed, "archive": None, "coverage": [one | {"loaded": 0, "service": "x"} for one in ranges]})
    note = made.page.locator("#coverage")
    expect(note).to_have_text("The past day, and 2016-01-01 to 2026-01-01, M 2.5+ and 2026-01-01 to 2026-01-31.")
    made.page.get_by_label("Week", exact=True).check()
    expect(note).to_have_text(
        "The feed has the past day only; older earthquakes were loaded for 2016-01-01 to 2026-01-01, M 2.5+ and"
        " 2026-01-01 to 2026-01-31. quakes serve --feed all_week fetches the past week.")


def test_a_press_during_which_an_event_arrives_opens_the_pressed_row(visit, ready):
    made, _, _ = open_with_own_stream(visit, ready)
    newest = ready.events()[0]
    fresh = {**newest, "id": "us7000fresh", "time": newest["time"] + 1_000}
    made.page.route("**/api/events/us7000fresh", lambda route: route.fulfill(json={**fresh, "revisions": []}))
    pressed = made.rows.nth(1).get_attribute("data-id")
    made.row(pressed).hover()
    made.page.mouse.down()
    made.page.evaluate(
        "(data) => stream.dispatchEvent(new MessageEvent('changes', { data }))",
        json.dumps({"inserted": [fresh], "updated": [], "deleted": [], "reload": False}),
    )
    made.page.mouse.up()
    expect(made.row("us7000fresh")).to_be_visible()
    expect(made.page.locator("#details")).to_contain_text(pressed)
    expect(made.row(pressed)).to_have_attribute("aria-selected", "true")


def test_a_press_during_which_the_feed_fails_opens_the_pressed_row(visit, ready):
    made, _, status = open_with_own_stream(visit, ready)
    pressed = made.rows.nth(1).get_attribute("data-id")
    made.row(pressed).hover()
    made.page.mouse.down()
    # The banner moves the list down by about a row.
    made.page.evaluate(
        "(data) => stream.dispatchEvent(new MessageEvent('status', { data }))", json.dumps(status("offline")))
    made.page.mouse.up()
    expect(made.page.locator("#banner")).to_be_visible()
    expect(made.page.locator("#details")).to_contain_text(pressed)


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
    expect(banner).to_contain_text("Trying again: showing data from")
    expect(banner).not_to_contain_text("Offline")
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


def open_empty(visit, **options):
    """A page without events and with a stream controlled by the test."""
    made = visit(**options)
    made.context.add_init_script(STREAM)
    status = {
        "state": "offline", "lastUpdated": None, "nextRefresh": 1_790_000_000_000, "progress": None,
        "lastError": {
            "kind": "no-connection", "summary": "The feed's server can't be reached.",
            "message": "The server can't be reached"
                       " (https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/all_day.geojson)."
                       " Check the connection.",
            "at": 1,
        },
        "feed": {"name": "all_day", "url": "https://earthquake.usgs.gov/"}, "every": 300,
        "maximumAge": 900, "total": 0, "lastReport": None,
    }
    made.context.route("**/api/status", lambda route: route.fulfill(json=status))
    made.serve([])
    made.page.goto(made.world.url)
    expect(made.page.get_by_role("heading", name="No data yet")).to_be_visible()

    def tell(state, **more):
        made.page.evaluate(
            "(data) => stream.dispatchEvent(new MessageEvent('status', { data }))",
            json.dumps({**status, "state": state, "lastError": None, **more}),
        )
        expect(made.page.locator("#freshness")).to_have_attribute("data-state", state)

    return made, tell


@pytest.mark.parametrize("width, height", [(1440, 900), (390, 844), (360, 640)])
def test_an_empty_store_without_a_network_says_so_once_and_what_to_do(visit, width, height):
    made, _ = open_empty(visit, viewport={"width": width, "height": height})
    nothing = made.page.locator("#nothing")
    expect(nothing).to_contain_text("The feed's server can't be reached. Next try at")
    expect(made.page.locator("#banner")).to_be_hidden()
    expect(made.page.locator("#nothing-hint")).to_contain_text("make demo")
    expect(made.page.locator("#nothing-hint")).to_be_in_viewport(ratio=1)
    expect(made.page.locator("#nothing-message")).to_be_hidden()
    made.page.locator("#nothing summary").click()
    expect(made.page.locator("#nothing-message")).to_contain_text("all_day.geojson")
    assert nothing.evaluate("(panel) => panel.scrollWidth <= panel.clientWidth")
    assert made.page.evaluate("document.documentElement.scrollWidth") == width


def test_an_empty_page_tells_how_far_its_first_refresh_is(visit):
    made, tell = open_empty(visit)
    nothing = made.page.locator("#nothing")
    tell("refreshing")
    expect(nothing).to_have_text(re.compile("Fetching earthquakes….*Waiting for the feed's server", re.S))
    # Nothing says that it is offline while it tries.
    expect(made.page.locator("#banner")).to_be_hidden()
    expect(made.page.get_by_text("Offline")).to_have_count(0)
    tell("refreshing", progress={"bytes": 130_000, "events": 767})
    expect(nothing).to_contain_text(
        "767 earthquakes so far (130 kB). The list appears when all have arrived.")
    tell("offline", lastError={"kind": "unusable", "summary": "It sends nonsense.", "message": "x", "at": 2})
    expect(nothing).to_contain_text("It sends nonsense.")
    expect(made.page.locator("#freshness")).to_have_text("Not updated: no data yet")


def test_a_refresh_asked_for_while_one_runs_says_so_and_can_be_stopped(visit, ready):
    made, tell, status = open_with_own_stream(visit, ready)
    page = made.page
    asked = []
    made.context.route("**/api/refresh", lambda route: (
        asked.append(route.request.method), route.fulfill(json=status("fresh"))))
    tell(status("refreshing", progress={"bytes": 1000, "events": 2}))
    page.get_by_role("button", name="Refresh").click()
    expect(page.get_by_role("alert")).to_contain_text("being fetched already")
    assert asked == []
    page.get_by_role("button", name="Stop fetching").click()
    expect(page.locator("#freshness")).to_have_attribute("data-state", "fresh")
    expect(page.locator("#message")).to_be_hidden()
    assert asked == ["DELETE"]
    # The offer goes when the refresh ends by itself.
    tell(status("refreshing"))
    page.keyboard.press("r")
    expect(page.get_by_role("button", name="Stop fetching")).to_be_visible()
    tell(status("fresh"))
    expect(page.locator("#message")).to_be_hidden()


def test_a_feed_that_never_arrives_can_be_stopped(visit, ready):
    made = visit().open()
    size = made.shown()
    ready.fault("timeout")
    made.page.get_by_role("button", name="Refresh").click()
    expect(made.page.locator("#freshness")).to_have_attribute("data-state", "refreshing")
    made.page.get_by_role("button", name="Refresh").click()
    made.page.get_by_role("button", name="Stop fetching").click()
    expect(made.page.locator("#freshness-text")).to_have_text(re.compile("^Updated"))
    assert made.shown() == size


def odd_event(**values):
    return {
        "id": "us1", "magnitude": 5, "magnitudeType": "mb", "place": "Here", "time": 0, "updated": 0,
        "longitude": 0, "latitude": 0, "depth": 10, "type": "earthquake", "status": None,
        "alert": None, "tsunami": False, "felt": None, "significance": None, "url": None, **values,
    }


def test_a_time_to_come_is_told_once(visit):
    soon = (int(time.time()) + 30 * 86_400) * 1_000
    made = visit()
    made.serve([odd_event(time=soon, updated=soon)])
    made.open()
    made.rows.first.click()
    expect(made.page.locator("#details .when")).to_have_text(re.compile("^[^·]+$"))


def test_text_from_the_feed_does_not_reverse_what_follows_it(visit):
    made = visit()
    made.serve([odd_event(place="Izu \u202enapaJ\u0007 \u2067\u05d9\u05e8")])
    made.open()
    made.rows.first.click()
    shown = "Izu \ufffdnapaJ\ufffd \ufffd\u05d9\u05e8"
    expect(made.page.locator("#details").get_by_role("heading", level=2)).to_have_text(shown)
    expect(made.rows.first.locator(".place")).to_have_text(shown)


def test_text_from_the_feed_is_never_markup_and_odd_links_are_not_followed(visit):
    hostile = {
        "id": "x'\"><b>1", "magnitude": 5, "magnitudeType": "<i>mb</i>",
        "place": "<img src=x onerror=alert(1)>", "time": 0, "updated": 0, "longitude": 0,
        "latitude": 0, "depth": None, "type": "<b>quake</b>", "status": None, "alert": "pink",
        "tsunami": True, "felt": None, "significance": None, "url": "javascript:alert(1)",
    }
    made = visit(with_map=True)
    made.serve([hostile])
    made.open()
    made.rows.first.click()
    details = made.page.locator("#details")
    expect(details.get_by_role("heading", level=2)).to_have_text("<img src=x onerror=alert(1)>")
    expect(details).to_contain_text("Pink")
    expect(details).to_contain_text("Loaded ")
    # The only link leads to other events on the page.
    links = details.get_by_role("link").evaluate_all("(all) => all.map((link) => link.getAttribute('href'))")
    assert len(links) == 1 and links[0].startswith("#q=near%3A") and "<" not in links[0]
    assert made.page.locator("#list img, #list b, #details img, #details b").count() == 0
