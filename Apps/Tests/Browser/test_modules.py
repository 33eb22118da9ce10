"""Unit tests of the page's modules, for rules that rarely show on the whole page."""

import datetime
import json
import pathlib

import pytest

from conftest import Visit

NOW = 1_790_000_000_000
MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000


@pytest.fixture(scope="module")
def opened(browser, ready):
    """One page for all tests, since the modules keep nothing."""
    made = Visit(browser, ready, has_map=False)
    made.page.goto(ready.url)
    yield made
    made.close()


@pytest.fixture
def run(opened):
    """Runs a function body on the modules named; it gets the arguments as `input`."""

    def call(body, modules, value=None):
        imports = "".join(
            f"const {name.replace('-', '_')} = await import('/js/{name}.js');" for name in modules
        )
        return opened.page.evaluate(f"async (input) => {{ {imports} {body} }}", value)

    yield call
    opened.check_clean()


@pytest.mark.parametrize("passed, text", [
    (0, "just now"), (59_000, "just now"), (MINUTE, "1 min ago"), (59 * MINUTE, "59 min ago"),
    (HOUR, "1 h ago"), (23 * HOUR, "23 h ago"), (DAY, "1 day ago"), (6 * DAY, "6 days ago"),
])
def test_ages_are_told_in_the_largest_fitting_unit(run, passed, text):
    assert run("return format.ago(input[0], input[1]);", ["format"], [NOW - passed, NOW]) == text


def test_numbers_that_are_missing_or_negative_have_a_text(run):
    assert run(
        "return [format.magnitude(null), format.magnitude(-0.52), format.exactMagnitude(null),"
        " format.depth(null), format.coordinates(-1.5, -170)];", ["format"],
    ) == ["–", "−0.5", "not known", "depth not known", "1.500° S, 170.000° W"]


def test_magnitudes_have_one_decimal_as_in_the_titles_of_the_feed(run):
    values = [6.35, 3.05, 8.45, -0.35, -1.15, -0.04, 0, 6.34, 7]
    assert run("return input.map(format.magnitude);", ["format"], values) == [
        "6.4", "3.1", "8.5", "−0.4", "−1.2", "0.0", "0.0", "6.3", "7.0"]
    # Each hundredth is shown as the tenth by which a search finds it.
    hundredths = [number / 100 for number in range(5, 1_000, 10)]
    assert run("return input.map(format.magnitude);", ["format"], hundredths) == [
        f"{number / 10:.1f}" for number in range(1, 101)]


@pytest.mark.parametrize("depth, short, exact", [
    (12.4, "12 km deep", "12.4 km"), (0.5, "1 km deep", "0.5 km"),
    (0.49, "near sea level", "0.49 km"), (0, "near sea level", "0 km, sea level"),
    (-0.3, "near sea level", "0.3 km above sea level"),
    (-1.24, "1 km above sea level", "1.24 km above sea level"),
    (None, "depth not known", "not known"),
])
def test_depths_about_sea_level_are_told_in_words(run, depth, short, exact):
    told = run("return [format.depth(input), format.exactDepth(input)];", ["format"], depth)
    assert told == [short, exact]


@pytest.mark.parametrize("filters, text", [
    ({"search": " xyz "}, "Nothing fits the search “xyz”. Try other words."),
    ({"magnitude": 6}, "Nothing fits magnitude 6 or more. Try a lower magnitude."),
    ({"magnitude": -1, "since": "24h"},
     "Nothing fits magnitude −1 or more and the past day. Try a lower magnitude or a longer time."),
    ({"search": "x", "magnitude": 2.5, "since": "90m"},
     "Nothing fits the search “x”, magnitude 2.5 or more, and the past 90 minutes."
     " Try other words, a lower magnitude, or a longer time."),
    ({}, ""),
])
def test_the_advice_for_an_empty_result_names_the_filters_that_are_set(run, filters, text):
    filters = {"search": "", "magnitude": None, "since": "", **filters}
    assert run("return list_panel.advice(input);", ["list-panel"], filters) == text


@pytest.mark.parametrize("since, feed, note", [
    ("24h", "all_day", ""), ("", "all_day", "The past day, and what was kept from earlier."),
    ("7d", "all_week.geojson", ""),
    ("30d", "my-feed", ""), ("30d", None, ""),
    ("7d", "2.5_day", "The feed has the past day only; what is older was kept from earlier."
                      " quakes serve --feed 2.5_week fetches the past week."),
    ("30d", "all_hour", "The feed has the past hour only; what is older was kept from earlier."
                        " quakes serve --feed all_month fetches the past month."),
    ("90d", "all_month", "The feed has the past month only; what is older was kept from earlier."),
])
def test_a_time_that_the_feed_does_not_cover_is_told(run, since, feed, note):
    filters = {"search": "", "magnitude": None, "since": since}
    told = run("return coverage.coverage(...input);", ["coverage"],
               [filters, {"feed": {"name": feed}, "coverage": [], "archive": None}, NOW])
    assert told["text"] == note


def milliseconds(text):
    return int(datetime.datetime.fromisoformat(text).timestamp() * 1000)


def event(number, **fields):
    return {
        "id": f"t{number}", "magnitude": 1.0, "place": f"{number} km N of Town",
        "type": "earthquake", "time": NOW - number * HOUR, "updated": NOW, **fields,
    }


def query(run, events, **wanted):
    filters = {"magnitude": None, "since": "", "search": "", "sort": "time-desc", **wanted}
    return run(
        "const store = new event_store.EventStore(); store.apply(input.events);"
        "const view = new query.Query(store).run(input.filters, input.now);"
        "return [...view].map((index) => store.events[index].id);",
        ["event-store", "query"], {"events": events, "filters": filters, "now": NOW},
    )


def test_events_that_are_removed_are_gone_and_the_others_are_found(run):
    left = run(
        "const store = new event_store.EventStore(); store.apply(input);"
        "const removed = store.remove(['t2', 'unknown']).map(({ id }) => id);"
        "return [store.size, store.find('t2') ?? null, store.find('t3').id,"
        " store.times[1] === input[2].time, removed];",
        ["event-store"], [event(1), event(2), event(3)],
    )
    assert left == [2, None, "t3", True, ["t2"]]


def test_events_without_a_magnitude_come_last_in_both_directions(run):
    events = [event(1, magnitude=None), event(2, magnitude=3.0), event(3, magnitude=-0.5)]
    assert query(run, events, sort="magnitude-desc") == ["t2", "t3", "t1"]
    assert query(run, events, sort="magnitude-asc") == ["t3", "t2", "t1"]
    assert query(run, events, magnitude=-1) == ["t2", "t3"]


def test_a_magnitude_equal_to_the_threshold_passes_and_one_below_does_not(run):
    events = [event(1, magnitude=2.3), event(2, magnitude=2.2999999)]
    assert query(run, events, magnitude=2.3) == ["t1"]


def test_a_search_takes_words_in_any_order_kinds_and_whole_ids(run):
    events = [
        event(1, place="4 km S of Pāhala, Hawaii"),
        event(2, place=None, type="quarry blast"),
        event(12, place="7 km E of Volcano, Hawaii"),
    ]
    assert query(run, events, search="hawaii PAHALA") == ["t1"]
    assert query(run, events, search="blast") == ["t2"]
    assert query(run, events, search=" t12 ") == ["t12"]
    assert query(run, events, search="t1") == ["t1"]


#: Asks the program for the places that searches name.
LOOK_UP = """
const lookUp = async (texts) => {
  for (const name of texts.flatMap((text) => search.readSearch(text).missing)) {
    await new Promise((done) => { places.lookUp(name, () => done()); if (places.knownPlace(name)) done(); });
  }
};
"""

SEARCH = json.loads((pathlib.Path(__file__).parent.parent / "SearchCases/search.json").read_text())


def test_the_page_searches_by_the_same_words_as_the_command_line(run):
    events = [
        {"type": "earthquake", **given, "updated": NOW,
         "time": milliseconds(given["time"])}
        for given in SEARCH["events"]
    ]
    found = run(
        LOOK_UP + "await lookUp(input.searches);"
        "const store = new event_store.EventStore(); store.apply(input.events);"
        "const made = new query.Query(store);"
        "return input.searches.map((search) => [...made.run({ magnitude: null, since: '', search,"
        " sort: 'time-desc' }, input.now)].map((index) => store.events[index].id));",
        ["event-store", "query", "search", "places"],
        {"events": events, "searches": list(SEARCH["searches"]), "now": milliseconds(SEARCH["now"])},
    )
    for (search, wanted), ids in zip(SEARCH["searches"].items(), found):
        assert sorted(ids) == sorted(wanted), search


def test_of_several_failed_loads_the_last_is_repeated(run):
    assert run(
        "const store = new event_store.EventStore(); store.apply([input]);"
        "const { setTimeout, clearTimeout } = window; const { warn } = console;"
        "const timers = new Set(); let number = 0;"
        "window.setTimeout = () => { number += 1; timers.add(number); return number; };"
        "window.clearTimeout = (timer) => timers.delete(timer);"
        "console.warn = () => {};"
        "try {"
        " const made = new loader.Loader(store, {"
        "  askStatus: async () => { throw new Error('refused'); }, failed: () => {} });"
        " for (let key = 0; key < 20; key += 1) await made.load();"
        " return timers.size;"
        "} finally { Object.assign(window, { setTimeout, clearTimeout }); console.warn = warn; }",
        ["event-store", "loader"], event(1),
    ) == 1


def test_each_magnitude_rounds_to_one_tenth_halves_up(run):
    found = run(
        "const tenths = Array.from({ length: 101 }, (_, tenth) => search_words.magnitudesOf((tenth / 10).toFixed(1)));"
        "return Array.from({ length: 1000 }, (_, each) => tenths.flatMap(({ least, below }, tenth) =>"
        " each / 100 >= least && each / 100 < below ? [tenth] : []));",
        ["search-words"], None,
    )
    assert found == [[(hundredths + 5) // 10] for hundredths in range(1_000)]


def test_the_page_tells_the_same_errors_as_the_command_line_and_leaves_the_term_out(run):
    told = run(
        LOOK_UP + "await lookUp(input);"
        "return input.map((text) => { const { errors, sent } = search.readSearch(text); return { errors, sent }; });",
        ["search", "places"], list(SEARCH["errors"]),
    )
    for (search, message), reading in zip(SEARCH["errors"].items(), told):
        assert reading["errors"][:1] == [message], search
    by_search = dict(zip(SEARCH["errors"], told))
    assert by_search["california m>"]["sent"] == "california"
    assert by_search["near:tokyp 30km"]["sent"] == by_search["near:tokyo 20001 km"]["sent"] == ""


def test_a_place_of_the_readers_own_alerts_is_sent_as_a_point(run):
    told = run(
        "alert_rules.writeRules([{ magnitude: 4, place: { name: 'My Home', latitude: 35.5, longitude: -120.25,"
        " radius: 50 } }]);"
        "const reading = search.readSearch('near:my_home 30mi m>3 -near:\"my home\"');"
        "alert_rules.writeRules([]);"
        "return reading;",
        ["search", "alert-rules"],
    )
    assert told["sent"] == "near:35.5,-120.25 30mi m>3 -near:35.5,-120.25"
    assert told["missing"] == [] and told["errors"] == []
    assert [place["name"] for place in told["places"]] == ["My Home"]


def test_of_equal_magnitudes_the_newest_are_first_and_then_the_lesser_identifier(run):
    events = [event(1, magnitude=4), event(2, magnitude=4, time=NOW), event(3, magnitude=4, time=NOW),
              event(4, magnitude=5), event(5, magnitude=None)]
    assert query(run, events[::-1], sort="magnitude-desc") == ["t4", "t2", "t3", "t1", "t5"]
    assert query(run, events, sort="magnitude-asc") == ["t2", "t3", "t1", "t4", "t5"]
    assert query(run, events[::-1], sort="time-asc") == ["t5", "t4", "t1", "t2", "t3"]
    assert query(run, events[::-1]) == ["t2", "t3", "t1", "t4", "t5"]


def test_events_without_a_place_come_last_in_both_directions(run):
    events = [event(1, place=None), event(2, place="9 km N of Alta"), event(3, place="Zeta Ridge")]
    assert query(run, events, sort="place-asc") == ["t2", "t3", "t1"]
    assert query(run, events, sort="place-desc") == ["t3", "t2", "t1"]


def test_all_who_ask_for_a_place_are_answered_once(run):
    assert run("""
      const calls = [];
      const one = () => calls.push("one");
      for (const answered of [one, one, () => calls.push("other")]) places.lookUp("antofagasta", answered);
      while (!places.knownPlace("antofagasta")) await new Promise((done) => setTimeout(done, 5));
      return [calls, places.knownPlace("antofagasta")?.place !== null];""", ["places"]) == [["one", "other"], True]


def test_a_changed_event_replaces_the_known_one_even_if_updated_went_back(run):
    result = run(
        "const store = new event_store.EventStore(); store.apply([input[0]]);"
        "const done = store.apply([input[1]]);"
        "return [store.size, store.find('t1').place, { ...done, former: [...done.former] }];",
        ["event-store"], [event(1), event(1, place="moved", updated=NOW - DAY)],
    )
    assert result == [1, "moved", {"inserted": [], "updated": ["t1"], "former": [["t1", event(1)]]}]


def test_after_an_interruption_only_what_differs_counts_as_changed(run):
    result = run(
        "const store = new event_store.EventStore(); store.apply(input.before);"
        "const done = store.replaceAll(input.after); return [store.size, { ...done, former: [...done.former] }];",
        ["event-store"],
        {"before": [event(1), event(2), event(3)],
         "after": [event(1), event(2, magnitude=4.0), event(4)]},
    )
    assert result == [3, {
        "inserted": ["t4"], "updated": ["t2"], "former": [["t2", event(2)]], "removed": [event(3)]}]


FORM = {"magnitude": 4.2, "latitude": 35, "longitude": 139, "depth": 10, "status": "automatic", "withdrawn": None}


@pytest.mark.parametrize("change, text", [
    ({"magnitude": 4.6, "latitude": 35.1}, "M 4.2 → 4.6, moved 11 km"),
    ({"magnitude": 4.24, "latitude": 35.005, "depth": 10.4, "updated": NOW}, ""),
    ({"magnitude": None}, "M 4.2 → –"), ({"magnitude": -0.5}, "M 4.2 → −0.5"),
    ({"depth": 35.2}, "was 10 km deep"), ({"depth": None}, "was 10 km deep"),
    ({"status": "reviewed"}, "reviewed"), ({"status": None}, ""),
])
def test_the_difference_of_two_forms_is_told_in_short_as_a_row_shows_them(run, change, text):
    told = run("return life.changeInShort(input[0], input[1]);", ["life"], [FORM, {**FORM, **change}])
    assert told == text


def test_an_event_that_returns_is_told_as_listed_again(run):
    told = run("return life.changeInShort(input[0], input[1]);", ["life"], [{**FORM, "withdrawn": NOW}, FORM])
    assert told == "listed again"


def test_an_event_succeeds_the_removed_ones_among_its_aliases(run):
    found = run(
        "return [...event_store.successors(input.gone, input.events)].map(([id, event]) => [id, event.id]);",
        ["event-store"],
        {"gone": ["t1", "t2", "t9"], "events": [event(3, aliases=["t1", "t7"]), event(4), event(5, aliases=["t2"])]},
    )
    assert found == [["t1", "t3"], ["t2", "t5"]]


STATUS = {"state": "fresh", "lastUpdated": NOW - 3 * MINUTE, "lastError": None, "progress": None}


@pytest.mark.parametrize("change, connected, state, text", [
    ({}, True, "fresh", "Updated 3 min ago"),
    ({"state": "stale", "lastUpdated": NOW - 2 * HOUR}, True, "stale", "Updated 2 h ago"),
    ({"state": "empty", "lastUpdated": None}, True, "empty", "No data yet"),
    ({"state": "offline", "lastUpdated": None, "lastError": {"kind": "no-connection"}}, True,
     "offline", "Offline: no data yet"),
    ({"state": "offline", "lastUpdated": None, "lastError": {"kind": "unusable"}}, True,
     "offline", "Not updated: no data yet"),
    ({"state": "refreshing", "progress": {"bytes": 1_200_000, "events": 3400}}, True,
     "refreshing", "Updating… 1.2 MB, 3,400 events"),
    ({}, False, "lost", "Connection to Quakes lost, trying again…"),
])
def test_the_freshness_text_follows_the_state(run, change, connected, state, text):
    told = run(
        "return freshness.describe(input[0], input[1], input[2]);", ["freshness"],
        [{**STATUS, **change}, connected, NOW],
    )
    assert (told["state"], told["text"]) == (state, text)


def test_an_address_keeps_every_state_through_writing_and_reading(run):
    state = {"magnitude": 2.5, "since": "7d", "search": "São & Söhne #1", "sort": "place-asc",
             "withdrawn": True, "selected": "us7000\"x", "days": [-1, 20_000], "tenths": [-5, 64], "depthBins": [-1, 0],
             "slice": {"from": NOW - NOW % MINUTE - DAY, "to": NOW - NOW % MINUTE},
             "box": {"south": -40.5, "west": 150, "north": 10, "east": -150}}
    assert run("return address.parse(address.format(input));", ["address"], state) == state


@pytest.mark.parametrize("text, is_one", [
    ("us7000abcd", True), ("a+b c/é", True), (" ", True), ("a" * 200, True), ("é" * 100, True), ("地" * 66, True),
    ("", False), ("a" * 201, False), ("é" * 101, False), ("地" * 67, False), ("a\0b", False), ("a\nb", False),
    ("\x7f", False), ("\x9b", False),
])
def test_an_identifier_is_what_the_program_takes(run, text, is_one):
    assert run("return address.isIdentifier(input);", ["address"], text) is is_one
    read = "const {selected} = address.parse(`event=${encodeURIComponent(input)}`);"
    told = run(read + " return [selected, address.isIdentifier(selected ?? '')];", ["address"], text)
    assert told == [text[:201] or None, is_one]


@pytest.mark.parametrize("times", [
    "soon", "2026-01-31T06:00..2026-01-30T06:00", "2026-01-31T06:00", "2026-01-31T06:00..", "9999-01-31T06:00..x",
    "2026-02-31T06:00..2026-02-99T06:00", "2026-01-31T06:00..2026-01-31T07:00..2026-01-31T08:00",
])
def test_a_damaged_slice_is_none(run, times):
    assert run("return slice.readSlice(input);", ["slice"], times) is None


def test_the_range_of_the_slider_has_whole_steps_round_the_events(run):
    for length in (0, 1, HOUR, DAY, 30 * DAY, 3_650 * DAY):
        early = 1_790_000_123_456
        told = run("return slice.rangeOf(...input);", ["slice"], [early, early + length])
        assert told["first"] <= early and early + length < told["last"]
        assert (told["last"] - told["first"]) % told["step"] == 0
        assert HOUR <= told["span"] <= max(HOUR, told["last"] - told["first"])
        assert (told["last"] - told["first"]) / told["step"] <= 600


def test_links_are_followed_only_to_web_pages(run):
    urls = ["https://earthquake.usgs.gov/x", "http://a.example/", "javascript:alert(1)",
            "data:text/html,x", "nonsense", None]
    assert run(
        "return input.map((url) => details.safeLink(url)?.href ?? null);", ["details"], urls,
    ) == [*urls[:2], None, None, None, None]


def decode(deltas, scale):
    x = y = 0
    points = []
    for dx, dy in zip(deltas[::2], deltas[1::2]):
        x, y = x + dx, y + dy
        points.append((x / scale, y / scale))
    return points


def test_the_base_map_has_closed_land_in_range_and_in_the_right_places():
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    file = root / "Sources/LocalApp/Resources/web/basemap/countries.json"
    assert file.stat().st_size < 200_000
    base = json.loads(file.read_text())
    rings = [decode(ring, base["scale"]) for ring in base["land"]]
    for ring in rings:
        assert ring[0] == ring[-1] and len(ring) > 3
    for line in [*base["land"], *base["coast"], *base["borders"]]:
        for x, y in decode(line, base["scale"]):
            assert -180 <= x <= 180 and -90 <= y <= 90

    def is_land(x, y):
        inside = False
        for ring in rings:
            for (ax, ay), (bx, by) in zip(ring, ring[1:]):
                if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
                    inside = not inside
        return inside

    assert all(is_land(*place) for place in [(2.3, 48.8), (-100, 40), (135, -25), (0, -85)])
    assert not any(is_land(*place) for place in [(-150, 0), (-30, 30), (80, -30), (-90, 25)])


def test_the_map_has_state_borders_and_plate_boundaries_in_the_right_places():
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    file = root / "Sources/LocalApp/Resources/web/basemap/lines.json"
    assert file.stat().st_size < 100_000
    base = json.loads(file.read_text())
    points = {name: [decode(line, base["scale"]) for line in base[name]] for name in ("states", "plates")}
    for lines in points.values():
        for line in lines:
            assert len(line) > 1
            assert all(-180 <= x <= 180 and -90 <= y <= 90 for x, y in line)

    def distance(name, x, y):
        """Degrees from a place to the nearest of the lines."""
        def to(a, b):
            (ax, ay), (bx, by) = a, b
            length = (bx - ax) ** 2 + (by - ay) ** 2
            share = 0 if length == 0 else max(0, min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length))
            return ((ax + share * (bx - ax) - x) ** 2 + (ay + share * (by - ay) - y) ** 2) ** 0.5
        return min(to(a, b) for line in points[name] for a, b in zip(line, line[1:]))

    # The corner of four states, the border of the Dakotas, and the middle of Kansas.
    assert distance("states", -109.045, 36.999) < 0.05
    assert distance("states", -100, 45.944) < 0.05
    assert distance("states", -98.5, 38.5) > 1
    # The San Andreas fault, Iceland's ridge, the trench off Japan, and the middle of Brazil.
    assert distance("plates", -119.8, 35.2) < 0.5
    assert distance("plates", -19, 64.5) < 1.5
    assert distance("plates", 144, 38) < 1
    assert distance("plates", -52, -12) > 10


def test_an_event_that_a_load_and_the_stream_both_bring_is_new_once(run):
    found = run("""
      const store = new event_store.EventStore();
      const event = { id: "a", magnitude: 4, time: 1, place: "1 km N of X", updated: 2 };
      const told = ({ inserted, updated, former }) => [inserted, updated, [...former.keys()]];
      return [
        told(store.replaceAll([event])), told(store.apply([{ ...event }])),
        told(store.apply([{ ...event, magnitude: 5 }])), store.find("a").magnitude,
      ];
    """, ["event-store"])
    assert found == [[["a"], [], []], [[], [], []], [[], ["a"], ["a"]], 5]
