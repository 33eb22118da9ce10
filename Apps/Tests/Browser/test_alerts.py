"""Alerts: rules that are kept, notifications of events that the stream brings, and what is new since the last visit."""

import json
import re
import time

import pytest
from playwright.sync_api import expect

from accessibility import violations
from test_list_and_map import open_with, quake
from test_live import STREAM, stream, stream_changes
from test_modules import HOUR, NOW

#: Records notifications, and lets tests put the page into the background.
STUBS = """
  window.told = [];
  window.permission = 'granted';
  window.Notification = class {
    static get permission() { return window.permission; }
    static async requestPermission() { window.permission = 'granted'; return 'granted'; }
    constructor(title, { body, tag }) { window.told.push({ title, body, tag, notification: this }); }
    addEventListener(_, act) { this.act = act; }
  };
  window.isHidden = false;
  Object.defineProperty(document, 'hidden', { get: () => window.isHidden });
"""
HOME = {"name": "Home", "latitude": 52.5, "longitude": 13.4, "radius": 300}


def open_page(visit, rules=None, script="", **options):
    made = visit(**options)
    made.context.add_init_script(STUBS + script)
    if rules is not None:
        made.context.add_init_script(f"localStorage.setItem('quakes.alerts', {json.dumps(json.dumps(rules))});")
    return made.open()


def hide(page, is_hidden):
    page.evaluate("(is) => { window.isHidden = is; document.dispatchEvent(new Event('visibilitychange')); }", is_hidden)


def told(page):
    return page.evaluate("window.told.map(({ title, body, tag }) => [title, body, tag])")


def test_a_new_event_that_meets_a_rule_is_told_once_and_counted_in_the_title(visit, world):
    made = open_page(visit, [{"magnitude": -2, "place": None}])
    page = made.page
    assert told(page) == [], "what the page loads first is no news"
    hide(page, True)
    before = {event["id"] for event in world.events()}
    while True:
        world.advance()
        world.refresh()
        made.announced(re.compile("new|revised"))
        fresh = [e for e in world.events() if e["id"] not in before and e["magnitude"] is not None]
        if fresh:
            break
    for _ in range(600):
        if told(page):
            break
        page.evaluate("new Promise((resolve) => setTimeout(resolve, 20))")
    title, body, _ = told(page)[0]
    assert re.match(r"M −?\d+\.\d · .+|\d+ earthquakes$", title) and body
    expect(page).to_have_title(re.compile(r"^\(\d+\) Quakes$"))
    tags = [tag for *_, tag in told(page)]
    assert len(tags) == len(set(tags))
    hide(page, False)
    expect(page).to_have_title("Quakes")
    # A click leads to the event.
    page.evaluate("window.told[0].notification.act()")
    expect(page.locator("#details")).to_be_visible()


#: A rule that each event of these tests meets.
STRONG = [{"magnitude": 5, "place": None}]


#: The time from which the ages of events count, so that the same event is equal whenever it is made.
START = int(time.time() * 1000)


def recent(event_id, passed=HOUR, **fields):
    """An event of some time ago."""
    time_of = START - passed
    return {
        **quake(event_id, event_id.upper(), 0, 0), "time": time_of, "updated": time_of, "withdrawn": None,
        "aliases": [], **fields,
    }


def serve(made, events, **more):
    """Answers as a server that has these events."""
    made.context.route("**/api/status", lambda route: route.fulfill(
        json=made.world.get("/api/status") | {"total": len(events)}))
    made.serve(events, **more)


def open_with_stream(visit, events, rules=STRONG, script="", fragment="", **options):
    """A page with these events, and with a stream controlled by the test."""
    made = visit(**options)
    serve(made, events)
    made.context.add_init_script(STUBS + STREAM + script)
    made.context.add_init_script(f"localStorage.setItem('quakes.alerts', {json.dumps(json.dumps(rules))});")
    return made.open(fragment)


def expect_told(page, *titles):
    """Waits until the page has told these events, and no other ones."""
    for _ in range(600):
        if len(told(page)) >= len(titles):
            break
        page.evaluate("new Promise((resolve) => setTimeout(resolve, 20))")
    assert [title for title, *_ in told(page)] == [f"M 5.0 · {title}" for title in titles]


@pytest.mark.parametrize("message", ["reset", "changes"])
def test_what_an_interruption_brings_is_told_like_all_that_arrives(visit, message):
    weak = recent("xx1", magnitude=4)
    made = open_with_stream(visit, [weak, recent("xx2")])
    page = made.page
    old = recent("xx4", 25 * HOUR)
    serve(made, [{**weak, "magnitude": 5}, recent("xx2"), recent("xx3", 2 * HOUR), old])
    hide(page, True)
    if message == "reset":
        stream(page, "reset")
    else:
        stream_changes(page, reload=True)
    expect(page).to_have_title("(2) Quakes")
    expect_told(page, "XX3", "XX1")
    # The changes of the time of the load come after it, and the next load has the same events.
    stream_changes(page, inserted=[recent("xx3", 2 * HOUR)])
    stream(page, "reset")
    stream_changes(page, inserted=[recent("xx9")])
    expect_told(page, "XX3", "XX1", "XX9")


def test_an_interruption_during_a_load_hides_no_news(visit):
    made = open_with_stream(visit, [recent("xx1")])
    page = made.page
    serve(made, [recent("xx1"), recent("xx2")])
    held = []
    made.context.route("**/api/status", lambda route: held.append(route), times=1)
    with page.expect_request("**/api/status"):
        stream(page, "reset")
    stream(page, "reset")
    held[0].fallback()
    expect_told(page, "XX2")
    expect(made.row("xx2")).to_have_attribute("data-mark", "new")


def test_an_event_under_another_identifier_is_told_once_also_after_a_reload(visit):
    made = open_with_stream(visit, [recent("xx1")])
    page = made.page
    stream_changes(page, inserted=[recent("at2")])
    expect_told(page, "AT2")
    stream_changes(page, inserted=[recent("us2", aliases=["at2"])], deleted=["at2"])
    stream_changes(page, inserted=[recent("xx3")])
    expect_told(page, "AT2", "XX3")
    serve(made, [recent("xx1"), recent("us2")])
    made.open()
    # The feed no longer names the former identifier, and then names it only.
    stream_changes(page, updated=[recent("us2", magnitude=5.1)])
    stream_changes(page, inserted=[recent("at2")], deleted=["us2"])
    stream_changes(page, inserted=[recent("xx4")])
    expect_told(page, "XX4")


@pytest.mark.parametrize("kept", [
    "{", "null", '"xx2"', "{}", '[["xx2"], ["xx2", "soon"], ["xx2", null], [2, 3], null, 7, ["xx2", 1e300]]',
    # The names of the tests must be the same in all workers.
    pytest.param(f'[["xx2", {START - 25 * HOUR}]]', id="outdated"), pytest.param(f'[["", {START - HOUR}]]', id="nameless"),
])
def test_damaged_and_outdated_records_of_what_was_told_are_left_out(visit, kept):
    made = open_with_stream(
        visit, [recent("xx1")], script=f"localStorage.setItem('quakes.told', {json.dumps(kept)});")
    stream_changes(made.page, inserted=[recent("xx2", aliases=[""])])
    expect_told(made.page, "XX2")


def test_the_record_of_what_was_told_is_bounded_and_joined_with_that_of_other_tabs(visit):
    made = visit().open()
    sizes = made.page.evaluate("""async () => {
      const { Told } = await import("/js/told.js");
      const now = Date.now();
      const [one, other] = [new Told(), new Told()];
      const size = () => JSON.parse(localStorage.getItem("quakes.told")).length;
      one.add({ id: "xx1", aliases: Array.from({ length: 500 }, (_, number) => `alias${number}`) }, now);
      one.keep(now);
      const sizes = [size()];
      other.add({ id: "x".repeat(101) });
      for (let number = 0; number < 1_500; number += 1) other.add({ id: `yy${number}` }, now + 1);
      other.keep(now + 2);
      sizes.push(size());
      for (let number = 0; number < 1_500; number += 1) other.add({ id: `zz${number}` }, now + 3);
      other.keep(now + 4);
      sizes.push(size());
      const later = new Told(now + 5);
      sizes.push(["xx1", "zz0"].map((id) => later.has({ id })));
      return sizes;
    }""")
    assert sizes == [10, 1_510, 2_000, [False, True]]


def test_withdrawn_earthquakes_that_the_reader_asks_for_are_no_news(visit):
    made = open_with_stream(visit, [recent("xx1")])
    page = made.page
    serve(made, [recent("xx1"), recent("xx2", withdrawn=NOW)])
    page.locator("#withdrawn").check()
    expect(made.row("xx2")).to_contain_text("withdrawn")
    expect(made.row("xx2")).not_to_have_attribute("data-mark", re.compile("."))
    assert told(page) == []


#: As on phones: only service workers show notifications.
NO_CONSTRUCTOR = """window.Notification = class {
  static get permission() { return 'granted'; }
  constructor() { throw new TypeError('Illegal constructor. Use ServiceWorkerRegistration.showNotification().'); }
};"""
#: Takes hold of the notification as soon as it is there: browsers without a notification centre close it by themselves.
HOLD = """async () => {
  globalThis.shown ??= (await registration.getNotifications())[0];
  return globalThis.shown !== undefined;
}"""
#: Clicks the notification, or one with an identifier of its own, and tells what the service worker does. A browser
#: lets a worker focus and open windows only after a click of the reader's, which tests can't make.
CLICK = """async (id) => {
  const calls = [];
  WindowClient.prototype.focus = async function () { calls.push(`focus ${new URL(this.url).pathname}`); return this; };
  clients.openWindow = async (address) => { calls.push(`open ${address}`); return null; };
  const { data, close } = globalThis.shown;
  const notification = {
    data: id === null ? data : { event: id },
    close() {
      calls.push("close");
      close.call(globalThis.shown);
    },
  };
  const event = Object.assign(new Event("notificationclick"), {
    notification, waitUntil(promise) { this.done = promise; },
  });
  dispatchEvent(event);
  await event.done;
  return [...calls, (await registration.getNotifications()).length];
}"""


def test_a_click_on_a_notification_of_the_service_worker_leads_to_the_event(whole_browser, visit, ready):
    made = visit(browser=whole_browser, service_workers="allow", permissions=["notifications"])
    made.context.add_init_script(STUBS + NO_CONSTRUCTOR + STREAM)
    made.context.add_init_script(f"localStorage.setItem('quakes.alerts', {json.dumps(json.dumps(STRONG))});")
    made.open()
    page = made.page
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    [worker] = made.context.service_workers
    event = ready.events()[3]
    stream_changes(page, updated=[{**event, "magnitude": 9.5, "time": int(time.time() * 1000)}])
    for _ in range(600):
        if is_shown := worker.evaluate(HOLD):
            break
        page.evaluate("new Promise((resolve) => setTimeout(resolve, 20))")
    assert is_shown, "no notification came"
    # A tab with an answer of the API shows no event.
    other = made.context.new_page()
    other.goto(f"{ready.url}/api/status")
    page.get_by_role("button", name="Alerts").click()
    assert worker.evaluate(CLICK, None) == ["close", "focus /", 0]
    expect(page.locator("#details")).to_contain_text(event["id"])
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(made.row(event["id"])).to_have_attribute("aria-selected", "true")
    # The event may no longer be on the page under this identifier.
    assert worker.evaluate(CLICK, "unknown") == ["close", "focus /", 0]
    expect(page.get_by_role("alert")).to_contain_text("There is no earthquake unknown in the local copy.")
    made.errors.clear()
    made.page = other
    page.close()
    assert worker.evaluate(CLICK, 'x"1 &2') == ["close", "open /#event=x%221+%262", 0]
    other.goto(f"{ready.url}/")


def test_without_a_rule_and_without_permission_nothing_is_told(visit, world):
    quiet = open_page(visit)
    blocked = open_page(visit, [{"magnitude": -2, "place": None}], "window.permission = 'denied';")
    world.advance()
    world.refresh()
    for made in (quiet, blocked):
        made.announced(re.compile("new|revised"))
        assert told(made.page) == []


def test_rules_are_made_kept_and_removed_in_a_dialog(visit):
    made = open_page(visit, script="window.permission = 'default';")
    page = made.page
    page.get_by_role("button", name="Alerts").click()
    dialog = page.get_by_role("dialog", name="Alerts")
    expect(dialog).to_contain_text("There is no rule yet.")
    page.get_by_role("button", name="Allow notifications").click()
    expect(page.get_by_role("button", name="Allow notifications")).to_be_hidden()
    dialog.get_by_label("Magnitude from").fill("6.5")
    page.get_by_role("button", name="Add the rule").click()
    expect(dialog.locator("li")).to_contain_text(["M 6.5 or more anywhere"])
    dialog.get_by_label("Near a place only").check()
    dialog.get_by_label("Magnitude from").fill("4")
    dialog.get_by_label("Name").fill("<b>Home</b>")
    dialog.get_by_label("Latitude").fill("52.5")
    dialog.get_by_label("Longitude").fill("13.4")
    assert violations(page) == []
    page.get_by_role("button", name="Add the rule").click()
    expect(dialog.locator("li")).to_contain_text(["anywhere", "M 4.0 or more within 300 km of <b>Home</b>"])
    page.keyboard.press("Escape")
    page.reload()
    page.get_by_role("button", name="Alerts").click()
    expect(dialog.locator("li")).to_have_count(2)
    page.get_by_role("button", name="Remove: M 6.5 or more anywhere").click()
    expect(dialog.locator("li")).to_have_count(1)
    # Letters in the dialog are no shortcuts.
    page.keyboard.press("j")
    expect(made.selected).to_have_count(0)


def test_the_place_of_a_rule_can_be_chosen_on_the_map(visit):
    made = open_with(visit, [quake("xx1", "Hawaii", -155, 19)], with_map=True).open("#event=xx1")
    page = made.page
    page.get_by_role("button", name="Close the details").click()
    page.get_by_role("button", name="Alerts").click()
    dialog = page.get_by_role("dialog", name="Alerts")
    dialog.get_by_label("Near a place only").check()
    page.get_by_role("button", name="Choose on the map").click()
    expect(page.locator("#message")).to_contain_text("Click the place on the map")
    # Neither a refresh nor a message takes the way out away.
    made.context.route("**/api/refresh", lambda route: route.fulfill(json=made.world.get("/api/status")))
    with page.expect_response("**/api/refresh"):
        page.keyboard.press("r")
    expect(page.locator("#refresh")).to_have_attribute("aria-busy", "false")
    expect(page.locator("#message")).to_contain_text("Click the place on the map")
    box = page.locator(".ring.selected").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(dialog).to_be_visible()
    expect(dialog.get_by_label("Latitude")).to_have_value(re.compile(r"^1[89]\.\d{3}$|^20\.\d{3}$"))
    assert abs(float(dialog.get_by_label("Longitude").input_value()) + 155) < 2
    expect(page.locator("#details")).to_be_hidden()
    page.get_by_role("button", name="Choose on the map").click()
    page.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_visible()


def open_form(visit, **options):
    """A page with the form for the place of a rule."""
    made = visit(**options).open()
    made.page.get_by_role("button", name="Alerts").click()
    dialog = made.page.get_by_role("dialog", name="Alerts")
    dialog.get_by_label("Near a place only").check()
    return made, dialog


def expect_place(dialog, latitude, longitude, note):
    expect(dialog.get_by_label("Latitude")).to_have_value(latitude)
    expect(dialog.get_by_label("Longitude")).to_have_value(longitude)
    expect(dialog.get_by_role("status")).to_have_text(note)


def test_the_name_of_a_place_fills_its_empty_coordinates(visit):
    made, dialog = open_form(visit)
    name, longitude = dialog.get_by_label("Name"), dialog.get_by_label("Longitude")
    tokyo = made.world.get("/api/places?name=tokyo")["place"]
    name.fill("Tokyp")
    name.press("Tab")
    expect_place(dialog, "", "", "No populated place has the name “Tokyp”. There are: tokyo.")
    # The next name replaces what the last one has found.
    for text in ("Kyoto", "Tokyo"):
        name.fill(text)
        name.press("Tab")
        expect(dialog.get_by_role("status")).to_have_text(f"Coordinates of {text}, Japan.")
    expect_place(dialog, f"{tokyo['latitude']:.3f}", f"{tokyo['longitude']:.3f}", "Coordinates of Tokyo, Japan.")
    assert violations(made.page) == []
    # The reader's text stays.
    longitude.fill("12.5")
    expect(dialog.get_by_role("status")).to_have_count(0)
    name.fill("Kyoto")
    name.press("Tab")
    made.page.get_by_role("button", name="Add the rule").click()
    expect(dialog.locator("li")).to_contain_text(["within 300 km of Kyoto"])
    expect(longitude).to_have_value("")
    # A place of a rule comes before others of its name.
    name.fill("kyoto")
    name.press("Tab")
    expect_place(dialog, f"{tokyo['latitude']:.3f}", "12.500", "Coordinates of Kyoto.")


def test_a_name_that_cannot_be_looked_up_is_told_and_asked_for_again(visit):
    made, dialog = open_form(visit)
    made.context.route("**/api/places?*", lambda route: route.abort("connectionrefused"), times=1)
    name = dialog.get_by_label("Name")
    name.fill("Kyoto")
    name.press("Tab")
    expect(dialog.get_by_role("status")).to_contain_text("“Kyoto”: the place could not be looked up")
    name.fill("kyoto ")
    name.press("Tab")
    expect(dialog.get_by_role("status")).to_have_text("Coordinates of Kyoto, Japan.")
    made.errors.clear()


def test_the_position_of_the_reader_is_asked_for_only_when_the_button_is_pressed(visit):
    made = visit(geolocation={"latitude": 52.52, "longitude": 13.40512}, permissions=["geolocation"])
    made.context.add_init_script("""
      window.asked = 0;
      const ask = Geolocation.prototype.getCurrentPosition;
      Geolocation.prototype.getCurrentPosition = function (...rest) { window.asked += 1; ask.apply(this, rest); };""")
    made.open()
    page = made.page
    page.get_by_role("button", name="Alerts").click()
    dialog = page.get_by_role("dialog", name="Alerts")
    dialog.get_by_label("Near a place only").check()
    assert page.evaluate("window.asked") == 0
    page.get_by_role("button", name="Use my position").click()
    expect_place(dialog, "52.520", "13.405", "Coordinates of your position.")
    expect(dialog.get_by_label("Name")).to_be_focused()
    assert page.evaluate("window.asked") == 1
    assert violations(page) == []


def test_a_position_that_the_browser_does_not_tell_leaves_the_fields_as_they_are(visit):
    made, dialog = open_form(visit, permissions=[])
    dialog.get_by_label("Latitude").fill("7")
    button = made.page.get_by_role("button", name="Use my position")
    button.click()
    expect_place(dialog, "7", "", re.compile("The browser doesn't tell this page your position"))
    expect(button).to_be_focused()
    expect(button).to_be_enabled()


@pytest.fixture
def rules(visit):
    """Evaluates an expression with the module of the rules."""
    made = visit().open()
    return lambda body, value=None: made.page.evaluate(
        "async (input) => { const rules = { ...await import('/js/alert-rules.js'),"
        f" ...await import('/js/great-circle.js') }}; return {body}; }}", value)


def test_rules_are_met_by_magnitude_distance_and_age(rules):
    def met(rule, **fields):
        event = {"magnitude": 4.0, "latitude": 52.5, "longitude": 13.4, "time": NOW - HOUR, **fields}
        return rules("rules.metRule([input[0]], input[1], input[2]) !== undefined", [rule, event, NOW])

    near, anywhere = {"magnitude": 4.0, "place": HOME}, {"magnitude": 4.0, "place": None}
    assert met(near) and met(anywhere)
    assert not met(near, magnitude=3.9) and not met(near, magnitude=None)
    # 2.6 and 2.8 degrees of latitude are 289 and 311 km.
    assert met(near, latitude=55.1) and not met(near, latitude=55.3)
    assert not met(near, longitude=-166.6) and met(anywhere, longitude=-166.6)
    assert not met(anywhere, time=NOW - 25 * HOUR) and not met(anywhere, withdrawn=NOW)


def test_distances_are_those_on_the_sphere_also_across_the_date_line(rules):
    def distance(*ends):
        return rules("rules.distance(...input)", [{"latitude": y, "longitude": x} for x, y in ends])

    assert abs(distance((179.5, 0), (-179.5, 0)) - 111.2) < 0.2
    assert abs(distance((0, 90), (100, -90)) - 20_015) < 1
    # London to New York.
    assert abs(distance((-0.1276, 51.5072), (-74.006, 40.7128)) - 5_570) < 10


def test_damaged_rules_are_left_out(rules):
    kept = [
        {"magnitude": 4, "place": HOME}, None, 7, {"magnitude": "4"}, {"magnitude": 99, "place": None},
        {"magnitude": 4, "place": {**HOME, "latitude": 91}}, {"magnitude": 4, "place": {**HOME, "name": " "}},
        {"magnitude": 4, "place": {**HOME, "radius": None}}, {"magnitude": 6.5},
    ]
    read = "(localStorage.setItem('quakes.alerts', input), rules.readRules())"
    assert rules(read, json.dumps(kept)) == [kept[0], {"magnitude": 6.5, "place": None}]
    for damaged in ("{", "null", "{}", '"x"'):
        assert rules(read, damaged) == []


@pytest.mark.parametrize("absence, text", [
    (2 * HOUR, "1 new earthquake since your last visit, 2 h ago."), (60_000, None), ("soon", None), (-HOUR, None),
])
def test_what_is_new_since_the_last_visit_stands_above_the_list(visit, absence, text):
    now = int(time.time() * 1000)
    made = open_with(visit, [
        {**quake("xx1", "New", 0, 0), "time": now - HOUR}, {**quake("xx2", "Old", 0, 0), "time": now - 5 * HOUR}])
    last = absence if isinstance(absence, str) else now - absence
    made.context.add_init_script(f"localStorage.setItem('quakes.last-visit', '{last}');")
    made.open()
    line = made.page.locator("#visit")
    expect(made.page.locator("#count")).to_contain_text("2 ")
    if text:
        expect(line.get_by_role("button").first).to_have_text(text)
        made.page.get_by_role("searchbox").fill("Old")
        expect(line).to_be_hidden()
    else:
        expect(line).to_be_hidden()


#: Lets tests set the clock forward.
CLOCK = "window.passed = 0; const now = Date.now.bind(Date); Date.now = () => now() + window.passed;"


def test_a_tab_that_was_in_the_background_tells_what_is_new_since_and_shows_it(visit):
    made = open_with_stream(visit, [recent("xx1", 0), recent("xx2", 3 * HOUR)], rules=[], script=CLOCK)
    page = made.page
    line = page.locator("#visit")
    hide(page, True)
    page.evaluate("window.passed = 5 * 60_000")
    hide(page, False)
    expect(line).to_be_hidden()
    hide(page, True)
    page.evaluate("window.passed = 10 * 3_600_000")
    stream_changes(page, inserted=[
        recent("xx3", -5 * HOUR, magnitude=1), recent("xx4", -6 * HOUR), recent("xx5", -7 * HOUR)])
    expect(made.row("xx5")).to_be_visible()
    expect(line).to_be_hidden()
    hide(page, False)
    show = line.get_by_role("button", name="3 new earthquakes since your last visit, 9 h ago.")
    expect(show).to_be_visible()
    # More arrive, and filters leave some out.
    stream_changes(page, inserted=[recent("xx6", -8 * HOUR)])
    page.get_by_role("radio", name="2.5+").check()
    expect(line).to_contain_text("3 new earthquakes")
    assert violations(page) == []
    show.press("Enter")
    expect(page.locator("#count")).to_have_text("3 of 6 earthquakes")
    assert made.ids() == ["xx6", "xx5", "xx4"]
    expect(line).to_be_hidden()
    expect(page.locator("#list")).to_be_focused()
    # An address with the same slice chooses the same events.
    slice_ = page.evaluate("location.hash")
    page.evaluate("(hash) => { location.hash = hash.replace('mag=2.5&', ''); }", slice_)
    expect(page.locator("#count")).to_have_text("4 of 6 earthquakes")
    page.locator(".side .ranges button").click()
    expect(line).to_contain_text("4 new earthquakes")
    line.get_by_role("button", name="Dismiss what is new").click()
    expect(line).to_be_hidden()
    expect(page.locator("#list")).to_be_focused()
    stream_changes(page, inserted=[recent("xx7", -9 * HOUR)])
    expect(made.row("xx7")).to_be_visible()
    expect(line).to_be_hidden()


def test_without_storage_an_absence_is_known_as_long_as_the_page_is_open(visit):
    closed = "Storage.prototype.getItem = Storage.prototype.setItem = () => { throw new DOMException('closed'); };"
    made = open_with(visit, [recent("xx1", -HOUR)])
    made.context.add_init_script(STUBS + CLOCK + closed)
    page = made.open().page
    hide(page, True)
    page.evaluate("window.passed = 2 * 3_600_000")
    hide(page, False)
    expect(page.locator("#visit")).to_contain_text("1 new earthquake since your last visit, 2 h ago.")
