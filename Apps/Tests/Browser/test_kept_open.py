"""A page that stays open for days, and tabs that share their settings."""

import json
import re

from playwright.sync_api import expect

from test_alerts import START, STUBS, open_with_stream, recent, serve, told
from test_live import STREAM, stream, stream_changes
from test_modules import opened, run  # noqa: F401

ROW_HEIGHT = 66


def open_with_clock(visit, events, fragment=""):
    """A page with a stream and a clock controlled by the test, from the time on before which the events are."""
    made = visit()
    serve(made, events)
    made.context.add_init_script(STREAM)
    made.page.clock.install(time=START / 1000)
    return made.open(fragment)


def test_a_selection_that_becomes_too_old_for_the_filters_is_dropped(visit):
    minute = 60_000
    events = [recent("xx1", 5 * minute), recent("xx2", 50 * minute), recent("xx3", 55 * minute)]
    made = open_with_clock(visit, events, "#since=1h")
    page = made.page
    page.locator("#list").focus()
    page.keyboard.press("End")
    expect(made.row("xx3")).to_have_attribute("aria-selected", "true")
    expect(page).to_have_url(re.compile("event=xx3"))
    page.clock.fast_forward("06:00")
    expect(page.locator("#count")).to_have_text("2 of 3 earthquakes")
    expect(page).to_have_url(re.compile("#since=1h$"))
    # Open details stay, and tell it.
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.clock.fast_forward("09:00:00")
    expect(page.locator("#nothing")).to_contain_text("Nothing fits the past hour")
    expect(page.locator("#details .note")).to_have_text("The filters leave this event out of the list.")
    expect(page).to_have_url(re.compile("event=xx2"))


def test_a_selection_that_is_revised_out_of_the_filters_is_dropped(visit):
    first, second = recent("xx1"), recent("xx2")
    made = open_with_stream(visit, [first, second], rules=[], fragment="#mag=4.5")
    made.page.locator("#list").focus()
    made.page.keyboard.press("Home")
    expect(made.page).to_have_url(re.compile("event=xx1"))
    stream_changes(made.page, updated=[{**first, "magnitude": 4.1}])
    expect(made.row("xx1")).to_have_count(0)
    expect(made.page).to_have_url(re.compile("#mag=4.5$"))


def test_a_selection_beyond_what_is_loaded_is_not_dropped(visit):
    made = visit()
    serve(made, [recent("xx1")], beyond=[recent("xx9")])
    made.context.add_init_script(STREAM)
    made.open("#event=xx9")
    made.page.get_by_role("button", name="Close the details").click()
    made.page.evaluate("history.replaceState(null, '', '#since=30d&event=xx1'); dispatchEvent(new Event('popstate'))")
    expect(made.row("xx1")).to_have_attribute("aria-selected", "true")
    stream_changes(made.page, inserted=[recent("xx2")])
    expect(made.row("xx2")).to_be_visible()
    expect(made.page).to_have_url(re.compile("event=xx1"))


def test_after_a_sleep_of_the_computer_the_page_tells_what_is_new(visit):
    made = open_with_clock(visit, [recent("xx1")])
    page = made.page
    page.clock.fast_forward("05:00")
    stream_changes(page, inserted=[recent("xx2", -4 * 60_000)])
    expect(made.row("xx2")).to_be_visible()
    expect(page.locator("#visit")).to_be_hidden()
    page.clock.fast_forward("09:00:00")
    stream_changes(page, inserted=[recent("xx3", -9 * 3_600_000)])
    expect(page.locator("#visit-show")).to_have_text(re.compile("^1 new earthquake since your last visit, 9 h ago"))
    for _ in range(15):
        page.clock.fast_forward("04:01")
    expect(page.locator("#visit-show")).to_have_text(re.compile("visit, 10 h ago"))
    page.locator("#visit-show").click()
    expect(made.rows).to_have_count(1)
    expect(made.row("xx3")).to_be_visible()


def test_marked_text_of_the_details_stays_marked_while_the_page_ages(visit):
    made = open_with_clock(visit, [recent("xx1", 90 * 60_000)])
    page = made.page
    made.rows.first.click()
    expect(page.locator("#details")).to_contain_text("Loaded ")
    page.evaluate("getSelection().selectAllChildren([...document.querySelectorAll('#details dd')]"
                  ".find((cell) => cell.textContent === 'xx1'))")
    for _ in range(3):
        page.clock.fast_forward("00:21")
    expect(page.locator("#details .facts").first).to_contain_text("Event id")
    assert page.evaluate("getSelection().toString()") == "xx1"
    # Ages are written anew.
    page.clock.fast_forward("01:00:00")
    expect(page.locator("#details .when")).to_have_text(re.compile("^2 h ago"))


def test_the_button_for_new_events_counts_those_that_are_there(visit):
    made = open_with_stream(visit, [recent(f"old{number}", (number + 1) * 60_000) for number in range(60)], rules=[])
    page = made.page
    made.scroll_to(20 * ROW_HEIGHT)
    news = page.locator("#news")
    stream_changes(page, inserted=[recent(f"new{number}", number, magnitude=2 + number) for number in range(4)])
    expect(news).to_have_text("↑ 4 new earthquakes")
    stream_changes(page, deleted=["new0"])
    expect(news).to_have_text("↑ 3 new earthquakes")
    stream_changes(page, updated=[recent("new1", 1, withdrawn=1_790_000_000_000)])
    expect(news).to_have_text("↑ 2 new earthquakes")
    stream_changes(page, deleted=["new2", "new3"])
    expect(news).to_be_hidden()


def test_the_marks_of_rows_that_are_never_seen_end(run):
    left = run("""
      const list = document.createElement("div");
      list.append(Object.assign(document.createElement("div"), { role: "presentation" }));
      document.body.append(list);
      const entries = [];
      const set = Map.prototype.set;
      Map.prototype.set = function (key, value) {
        if (value?.kind === "new" && !entries.includes(this)) entries.push(this);
        return set.call(this, key, value);
      };
      const rows = new virtual_list.VirtualList(list, () => null, {});
      for (let batch = 0; batch < 500; batch += 1) {
        rows.mark(Array.from({ length: 100 }, (_, at) => `x${batch * 100 + at}`), "new", batch + 10, batch);
      }
      Map.prototype.set = set;
      list.remove();
      return entries.map(({ size }) => size);""", ["virtual-list"])
    assert left == [1_000]


def test_measures_do_not_add_up(run):
    assert run("for (let round = 0; round < 1_000; round += 1) measure.measure('x', performance.now());"
               "return performance.getEntriesByName('x').length;", ["measure"]) <= 100


def test_a_failed_load_is_told_once_and_taken_back_when_the_next_one_succeeds(visit):
    made = open_with_stream(visit, [recent("xx1")], rules=[])
    page = made.page
    message = page.locator("#message")
    page.evaluate("""() => {
      window.said = 0;
      new MutationObserver(() => { window.said += 1; }).observe(
        document.getElementById("message-text"), { childList: true, characterData: true, subtree: true });
    }""")
    fails = made.context.route
    fails("**/api/events?*", lambda route: route.fulfill(status=500, json={"error": {"message": "out of order"}}))
    page.clock.install()
    stream(page, "reset")
    expect(message).to_contain_text("The list could not be loaded anew: ")
    for _ in range(2):
        with page.expect_response("**/api/events?*"):
            page.clock.fast_forward("00:06")
    assert page.evaluate("window.said") == 1
    serve(made, [recent("xx1"), recent("xx2")])
    page.clock.fast_forward("00:06")
    expect(made.row("xx2")).to_be_visible()
    expect(message).to_be_hidden()
    made.errors.clear()


def test_a_program_of_another_version_is_told_with_a_way_to_it(visit):
    made = open_with_stream(visit, [recent("xx1")], rules=[], fragment="#mag=4.5")
    page = made.page
    lost = "stream.dispatchEvent(new Event('error'))"
    back = "stream.dispatchEvent(new Event('open'))"
    # The program is the same after an interruption.
    for _ in range(2):
        page.evaluate(lost)
        with page.expect_response("**/service-worker.js"):
            page.evaluate(back)
    expect(page.locator("#message")).to_be_hidden()
    made.context.route("**/service-worker.js", lambda route: route.fulfill(
        content_type="text/javascript", body="// other files"))
    page.evaluate(lost)
    page.evaluate(back)
    expect(page.locator("#message")).to_contain_text("Quakes was updated.")
    # Another message takes its place for a time only.
    refresh = page.locator("#refresh")
    made.context.route("**/api/refresh", lambda route: route.abort("connectionrefused"))
    refresh.click()
    expect(page.locator("#message")).to_contain_text("Refresh was not started")
    made.context.unroute("**/api/refresh")
    made.context.route("**/api/refresh", lambda route: route.fulfill(json=made.world.get("/api/status")))
    with page.expect_response("**/api/refresh"):
        refresh.click()
    expect(refresh).to_have_attribute("aria-busy", "false")
    expect(page.locator("#message")).to_contain_text("Quakes was updated.")
    made.errors.clear()
    with page.expect_navigation():
        page.get_by_role("button", name="Reload").click()
    expect(made.row("xx1")).to_be_visible()
    assert page.url.endswith("#mag=4.5")
    expect(page.locator("#message")).to_be_hidden()


def test_what_a_link_lacks_is_taken_back_with_the_link(visit, ready):
    made = visit().open()
    page = made.page
    page.evaluate("location.hash = '#event=%07'")
    expect(page.locator("#message")).to_contain_text("no identifier")
    page.go_back()
    expect(page.locator("#message")).to_be_hidden()


def test_units_colours_and_the_scheme_are_those_of_the_other_tabs(visit, ready):
    made = visit().open()
    first, second = made.page, made.context.new_page()
    second.goto(made.page.url)
    place = second.locator("#list [role=option]").first
    expect(place).to_contain_text(" km deep")
    first.locator("#units").click()
    first.get_by_label("Miles").check()
    first.get_by_label("UTC").check()
    first.keyboard.press("Escape")
    expect(place).to_contain_text(" mi deep")
    assert place.get_attribute("title").index(" UTC (") > 0
    for value in ["mi", "utc"]:
        expect(second.locator(f"#units-menu input[value={value}]")).to_be_checked()
    first.locator("#theme").click()
    expect(second.locator("html")).to_have_attribute("data-theme", "light")
    expect(second.get_by_role("button", name="Colour scheme: light")).to_be_attached()
    second.keyboard.press("?")
    second.get_by_label("Single-key shortcuts").uncheck()
    expect(first.locator("#single-keys")).not_to_be_checked()
    first.keyboard.press("?")
    expect(first.get_by_role("dialog", name="Keyboard shortcuts")).to_be_hidden()


def add_rule(page, magnitude):
    page.get_by_role("button", name="Alerts").click()
    dialog = page.get_by_role("dialog", name="Alerts")
    dialog.get_by_label("Magnitude from").fill(str(magnitude))
    dialog.get_by_role("button", name="Add the rule").click()
    dialog.get_by_role("button", name="Close").click()


def test_the_rules_of_two_tabs_are_kept_and_met_in_both(visit):
    made = visit()
    serve(made, [recent("xx1")])
    made.context.add_init_script(STUBS + STREAM)
    first = made.open().page
    second = made.context.new_page()
    second.goto(first.url)
    expect(second.locator("#list [role=option]").first).to_be_visible()
    add_rule(first, 6)
    add_rule(second, 7)
    kept = json.loads(first.evaluate("localStorage.getItem('quakes.alerts')"))
    assert [rule["magnitude"] for rule in kept] == [6, 7]
    first.get_by_role("button", name="Alerts").click()
    expect(first.locator("#alerts-rules li")).to_have_count(2)
    first.get_by_role("button", name="Remove: M 6.0 or more anywhere").click()
    first.get_by_role("button", name="Remove: M 7.0 or more anywhere").click()
    add_rule(second, 4)
    expect(first.locator("#alerts-rules li")).to_have_text([re.compile("M 4.0 or more anywhere")])
    stream_changes(first, inserted=[recent("xx2", magnitude=5)])
    expect(first.locator("[data-id=xx2]")).to_be_attached()
    assert [title for title, *_ in told(first)] == ["M 5.0 · XX2"]


def test_a_rate_that_is_not_zero_does_not_look_like_zero(visit):
    page = open_with_stream(visit, [recent("xx1"), recent("xx2", time=-2_500_000_000_000)], rules=[]).page
    page.keyboard.press("s")
    summary = page.locator("#chart-days .summary")
    expect(summary).to_have_text(re.compile(r"^0\.0000\d a day on average"))
    page.locator("#chart-days summary").click()
    expect(page.locator("#chart-days tbody tr").first).to_have_text(re.compile(r"0\.00\d+$"))
