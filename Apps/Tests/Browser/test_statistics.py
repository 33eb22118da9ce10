"""The statistics: the numbers of the API, and charts in which days, magnitudes and depths are chosen."""

import math
import re
import urllib.parse

import pytest
from playwright.sync_api import expect

from accessibility import CONTRAST, background, violations
from test_access import NAMES, PHONE
from test_tabs import make_small

DAY = 86_400_000
CHARTS = ["days", "tenths", "depthBins", "moment"]
STATE = "#statistics[data-state={}]:not([aria-busy])"


def show(made, state="page"):
    """Opens the statistics of a wide page and waits until they are drawn."""
    made.page.get_by_role("button", name="Statistics").click()
    return drawn(made, state)


def drawn(made, state="page"):
    expect(made.page.locator(STATE.format(state))).to_be_attached()
    return made.page.locator("#statistics")


def api(made, parameters):
    return made.world.get("/api/statistics?" + urllib.parse.urlencode(parameters))


def chart(made, key):
    return made.page.locator(f"#chart-{key}")


def table(made, key):
    """The cells of a chart's table."""
    details = chart(made, key).locator("details")
    if details.get_attribute("open") is None:
        details.locator("summary").click()
    expect(details.locator("tbody tr").first).to_be_visible()
    return details.locator("tbody tr").evaluate_all(
        "(rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent))")


def drag(made, key, start, end):
    """Drags over a chart, from one share of its picture's width to another."""
    overlay = chart(made, key).locator("svg .overlay").bounding_box()
    y = overlay["y"] + overlay["height"] / 2
    made.page.mouse.move(overlay["x"] + start * overlay["width"], y)
    made.page.mouse.down()
    made.page.mouse.move(overlay["x"] + (start + end) / 2 * overlay["width"], y)
    made.page.mouse.move(overlay["x"] + end * overlay["width"], y)
    made.page.mouse.up()


def close(left, right):
    """Whether two values of JSON are the same; sums of moments may differ in their last digits."""
    if left != right and all(type(value) in (int, float) for value in (left, right)):
        return not (type(left) is type(right) is int and abs(left) < 1e15) and math.isclose(left, right, rel_tol=1e-9)
    if isinstance(left, dict):
        return isinstance(right, dict) and left.keys() == right.keys() and all(close(left[k], right[k]) for k in left)
    if isinstance(left, list):
        return isinstance(right, list) and len(left) == len(right) and all(map(close, left, right))
    return left == right


@pytest.mark.parametrize("filters", [
    {}, {"magnitude": 2.5}, {"search": "california"}, {"tenths": [10, 24]}, {"depthBins": [0, 2]},
    {"tenths": [5, 5], "depthBins": [-1, 0], "search": "of"}, {"magnitude": 9.9},
])
def test_the_page_computes_what_the_api_gives(visit, filters):
    made = visit()
    made.page.goto(made.world.url)
    days = sorted({event["time"] // DAY for event in made.world.events()})
    ranges = [None, [days[1], days[3]], [days[2], days[2]]]
    # The page fetches the events itself: as arguments they would take far longer than what is tested.
    outcomes = made.page.evaluate("""async ([filters, ranges]) => {
      const { fetchEvents } = await import("/js/api.js");
      const { EventStore } = await import("/js/event-store.js");
      const { Query } = await import("/js/query.js");
      const { statistics } = await import("/js/statistics.js");
      const { filterParameters } = await import("/js/parameters.js");
      const store = new EventStore();
      for await (const { events } of fetchEvents(Infinity)) store.apply(events);
      const outcomes = [];
      for (const days of ranges) {
        const state = { magnitude: null, since: "", search: "", sort: "time-desc", withdrawn: false, ...filters, days };
        const address = `/api/statistics?${new URLSearchParams(filterParameters(state))}`;
        outcomes.push([statistics(new Query(store).run(state), store), await (await fetch(address)).json()]);
      }
      return outcomes;
    }""", [filters, ranges])
    for chosen, (page, server) in zip(ranges, outcomes, strict=True):
        assert close(page, server), (filters, chosen)
        assert page["count"] > 0 or filters.get("magnitude") == 9.9 or chosen


def test_the_charts_say_in_words_and_tables_what_the_api_gives(visit):
    made = visit().open()
    panel = show(made)
    wanted = api(made, {})
    assert wanted["law"]
    expect(panel.locator("#statistics-text")).to_have_text(
        f"{wanted['count']:,} events, {wanted['earthquakes']:,} earthquakes with a magnitude.")
    expect(panel.get_by_role("button", name="Strongest")).to_contain_text(f"M {wanted['strongest']['magnitude']:.1f} ")
    law = wanted["law"]
    places = next(each for each in range(2, 7) if law["error"] >= 10 ** -each)
    expect(chart(made, "tenths").locator(".summary")).to_have_text(
        f"Complete from magnitude {wanted['completeness']:.1f}; b value {law['b']:.{places}f} ±"
        f" {law['error']:.{places}f}, of {law['count']:,} earthquakes.")
    expect(chart(made, "moment").locator(".summary")).to_contain_text(
        f"as of one earthquake of magnitude {wanted['momentMagnitude']:.1f}.")
    rows = table(made, "tenths")
    assert [[row[0].replace("−", "-"), row[1]] for row in rows] == [
        [f"{bin['magnitude']:.1f}", f"{bin['count']:,}"] for bin in wanted["magnitudes"]]
    assert rows[0][2] == f"{wanted['earthquakes']:,}"
    assert [row[1] for row in table(made, "days")] == [f"{day['count']:,}" for day in wanted["days"]]
    assert [row[1] for row in table(made, "depthBins")] == [f"{bin['count']:,}" for bin in wanted["depths"]]
    assert len(table(made, "moment")) == len(wanted["days"])
    for key, bins in (("days", wanted["days"]), ("tenths", wanted["magnitudes"])):
        expect(chart(made, key).locator(".column")).to_have_count(len(bins))


def test_words_fit_many_earthquakes_and_few(visit):
    made = visit()
    made.page.goto(made.world.url)
    law = {"completeness": 1.3, "count": 123_495, "a": 5, "b": 0.39148, "error": 0.00112}
    many, few, power, negative = made.page.evaluate("""async (law) => {
      const { magnitudes, power, depths } = await import("/js/chart-contents.js");
      const bins = [{ magnitude: 1.1, count: 200_000 }, { magnitude: 1.3, count: 123_495 }];
      const statistics = { magnitudes: bins, earthquakes: 323_495, completeness: 1.3 };
      return [magnitudes(null, { ...statistics, law }).summary, magnitudes(null, { ...statistics, law: null }).summary,
        [power(2.13e19), power(1e-3)], depths(null, { depths: [{ depth: -10, count: 3 }] }).summary];
    }""", law)
    assert many == "Complete from magnitude 1.3; b value 0.391 ± 0.001, of 123,495 earthquakes."
    assert few == "Complete from magnitude 1.3. A b value needs 50 earthquakes of several magnitudes from there."
    assert power == ["2.1×10¹⁹", "1×10⁻³"]
    assert negative == "Most, 3, at −10 to 0 km; the deepest at −10 to 0 km."


def test_a_range_that_is_dragged_filters_list_map_and_the_other_charts(visit):
    made = visit(with_map=True).open()
    show(made)
    page = made.page
    before = api(made, {})
    drag(made, "tenths", 0.4, 0.7)
    chip = page.locator(".side .ranges button")
    expect(chip).to_have_text(re.compile(r"^Magnitude \d\.\d to \d\.\d×$"))
    first, last = map(float, re.findall(r"\d\.\d", chip.text_content()))
    chosen = {"min_magnitude": f"{first - 0.05:.2f}", "max_magnitude": f"{last + 0.0499:.4f}"}
    wanted = api(made, chosen)
    assert 0 < wanted["count"] < before["count"]
    expect(page.locator("#count")).to_have_text(f"{wanted['count']:,} of {before['count']:,} earthquakes")
    expect(page.locator("#map")).to_have_attribute("data-count", str(wanted["count"]))
    assert f"mags={first:g}..{last:g}" in page.evaluate("location.hash")
    drawn(made)
    # The chart in which the range is chosen still shows what is outside of it; the others only what is inside.
    expect(chart(made, "tenths").locator(".column")).to_have_count(len(before["magnitudes"]))
    inside = sum(each["count"] for each in before["magnitudes"] if first <= each["magnitude"] <= last)
    assert wanted["earthquakes"] == inside
    assert sum(int(row[1].replace(",", "")) for row in table(made, "days")) == wanted["count"]
    # A second range narrows the first; back takes it away again.
    drag(made, "days", 0.3, 0.6)
    expect(chip).to_have_count(2)
    page.go_back()
    expect(chip).to_have_count(1)
    expect(page.locator("#count")).to_have_text(f"{wanted['count']:,} of {before['count']:,} earthquakes")
    chip.click()
    expect(page.locator("#count")).to_have_text(f"{before['count']:,} earthquakes")
    expect(chip).to_have_count(0)
    assert "mags" not in page.evaluate("location.hash")


def test_a_range_is_chosen_by_keyboard_and_taken_back(visit):
    made = visit().open()
    page = made.page
    page.keyboard.press("s")
    drawn(made)
    days = api(made, {})["days"]
    first = page.get_by_role("slider", name="First of the range, Events a day")
    last = page.get_by_role("slider", name="Last of the range, Events a day")
    first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#count")).to_have_text(re.compile(r"^[\d,]+ of "))
    page.keyboard.press("ArrowRight")
    last.focus()
    page.keyboard.press("ArrowLeft")
    assert f"days={days[2]['day']}..{days[-2]['day']}" in page.evaluate("location.hash")
    shown = sum(day["count"] for day in days[2:-1])
    expect(page.locator("#count")).to_have_text(re.compile(f"^{shown:,} of "))
    expect(last).to_be_focused()
    name = last.get_attribute("aria-valuetext")
    assert re.fullmatch(r"\d+ \w+ \d{4} UTC", name), name
    # The end that passes the other one takes it along.
    page.keyboard.press("Home")
    expect(page.locator("#count")).to_have_text(re.compile(f"^{days[0]['count']:,} of "))
    passed = last.get_attribute("aria-valuetext")
    page.keyboard.press("Delete")
    expect(page.locator(".ranges button")).to_have_count(0)
    # The chart follows a frame later.
    expect(last).not_to_have_attribute("aria-valuetext", passed)
    # Once more, and taken away by the chip.
    page.keyboard.press("ArrowLeft")
    chip = page.locator(".side .ranges button")
    chip.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#list")).to_be_focused()
    page.keyboard.press("s")
    expect(page.locator("#statistics")).to_be_hidden()


def test_a_link_restores_the_ranges_and_nothing_else_does(visit):
    made = visit()
    day = made.world.get("/api/statistics")["days"][2]["day"]
    made.open(f"#days={day}..{day}&mags=0.5..9&depths=0..600")
    chips = made.page.locator(".side .ranges button")
    expect(chips).to_have_count(3)
    expect(chips.nth(1)).to_have_text("Magnitude 0.5 to 9.0×")
    expect(chips.nth(2)).to_have_text("0 to 610 km deep×")
    export = made.page.locator("#export-menu a").first.get_attribute("href")
    fields = dict(urllib.parse.parse_qsl(export.split("?")[1]))
    assert fields["since"] == f"{day}T00:00:00.000Z" and fields["until"] > fields["since"]
    assert (fields["min_magnitude"], fields["max_magnitude"]) == ("0.45", "9.0499")
    assert (fields["min_depth"], fields["max_depth"]) == ("0", "609.9999")
    show(made)
    for key in CHARTS:
        expect(chart(made, key).locator("svg")).to_be_visible()
    for damaged in ("days=2026-02-30..2026-03-01", "mags=5..2", "mags=x..2", "depths=0", "mags=1..99", "days=.."):
        made.page.goto(f"{made.world.url}/#{damaged}")
        expect(chips).to_have_count(0)


def test_days_are_narrowed_by_the_time_window(visit):
    made = visit()
    made.page.goto(made.world.url)
    found = made.page.evaluate("""async () => {
      const { filterParameters } = await import("/js/parameters.js");
      const state = {
        magnitude: 4, since: "24h", search: " ", withdrawn: false, days: [20_000, 20_001], tenths: [5, 60],
      };
      return [20_000.5, 20_003].map((day) => filterParameters(state, day * 86_400_000));
    }""")
    least = {"min_magnitude": "4", "max_magnitude": "6.0499", "until": "2024-10-06T00:00:00.000Z"}
    assert found == [{**least, "since": "2024-10-04T00:00:00.000Z"}, {**least, "since": "24h"}]


def test_a_large_copy_is_counted_by_the_server(visit):
    made = visit()
    make_small(made.context)
    asked = []
    made.page.on("request", lambda request: asked.append(request.url) if "/api/statistics" in request.url else None)
    made.open("#mags=1..3")
    show(made, "server")
    whole, narrowed = api(made, {}), api(made, {"min_magnitude": 0.95, "max_magnitude": 3.0499})
    expect(made.page.locator("#statistics-text")).to_contain_text(f"{narrowed['count']:,} events")
    expect(chart(made, "tenths").locator(".column")).to_have_count(len(whole["magnitudes"]))
    assert [url.split("?")[1] for url in asked[:2]] == ["min_magnitude=0.95&max_magnitude=3.0499", ""]


def test_the_charts_follow_new_events(visit):
    made = visit().open()
    show(made)
    text = made.page.locator("#statistics-text")
    before = api(made, {})["count"]
    # A step can withdraw as many events as it adds.
    for _ in range(10):
        made.world.advance()
        made.world.refresh_to_the_end()
        if api(made, {})["count"] != before:
            break
    assert (count := api(made, {})["count"]) != before
    expect(text).to_contain_text(f"{count:,} events")


def test_the_strongest_opens_its_details(visit):
    made = visit().open()
    show(made)
    strongest = api(made, {})["strongest"]
    made.page.get_by_role("button", name="Strongest").click()
    expect(made.page.locator("#details h2")).to_contain_text(strongest["place"])
    expect(made.row(strongest["id"])).to_have_attribute("aria-selected", "true")


def test_without_the_library_the_page_says_what_is_missing(visit):
    made = visit()
    made.context.route("**/vendor/d3.js", lambda route: route.fulfill(status=404))
    made.open()
    show(made, "failed")
    expect(made.page.locator("#statistics-text")).to_contain_text("run scripts/install-web-assets.sh")
    # Neither is it missing for ever, nor is a file that doesn't arrive a missing one.
    made.context.unroute("**/vendor/d3.js")
    made.context.route("**/vendor/d3.js", lambda route: route.abort("connectionrefused"))
    made.page.get_by_label("2.5+", exact=True).check()
    expect(made.page.locator("#statistics-text")).to_have_text(
        "The statistics could not be loaded: /vendor/d3.js could not be loaded.")
    made.context.unroute("**/vendor/d3.js")
    made.page.get_by_label("4.5+", exact=True).check()
    expect(made.page.locator("#statistics[data-state=page]")).to_be_attached()
    made.errors.clear()


def test_the_list_that_a_range_leaves_empty_says_so(visit):
    made = visit()
    made.page.goto(f"{made.world.url}/#days=1970-01-02..1970-01-03")
    expect(made.page.locator("#nothing-text")).to_have_text(
        "Nothing fits 2 Jan 1970 to 3 Jan 1970 UTC. Try other days.")
    made.page.get_by_role("button", name="Clear the filters").click()
    expect(made.rows.first).to_be_visible()


@pytest.mark.parametrize("options", [
    {}, {"color_scheme": "dark"}, {"forced_colors": "active"}, {"forced_colors": "active", "color_scheme": "dark"},
], ids=["light", "dark", "forced", "forced-dark"])
def test_the_statistics_are_accessible(visit, options):
    made = visit(**options).open("#mags=1..3")
    show(made)
    page = made.page
    for key in CHARTS:
        table(made, key)
    assert page.evaluate(NAMES) == []
    if "forced_colors" not in options:
        assert page.evaluate(CONTRAST) == []
    assert violations(page) == []
    for key in CHARTS:
        expect(page.get_by_role("group", name=chart(made, key).locator("h3").text_content())).to_be_visible()
    fills = page.locator("#chart-tenths").evaluate(
        "(chart) => ['.column:not(.outside)', '.column.outside']"
        ".map((name) => getComputedStyle(chart.querySelector(name)).fill)")
    assert fills[0] != fills[1]


@pytest.mark.parametrize("width", [320, 390])
def test_on_a_phone_the_statistics_are_a_view_of_their_own(visit, width):
    made = visit(**{**PHONE, "viewport": {"width": width, "height": 844}}).open()
    page = made.page
    expect(page.locator("#show-statistics")).to_be_hidden()
    tab = page.locator(".tabs").get_by_role("button", name="Statistics")
    tab.tap()
    panel = drawn(made)
    expect(panel).to_be_in_viewport()
    expect(page.locator("#list")).to_be_hidden()
    assert background(tab) != background(page.locator(".tabs button").first)
    assert panel.evaluate("(panel) => panel.scrollWidth <= panel.clientWidth")
    page.get_by_role("slider", name="First of the range, Earthquakes by magnitude").focus()
    page.keyboard.press("ArrowRight")
    expect(panel.locator(".ranges button")).to_have_count(1)
    assert violations(page) == []
