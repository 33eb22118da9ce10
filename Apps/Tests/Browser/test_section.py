"""The depth section: a search term with two ends, its chart, its dialog, and its line on the map."""

import re
import urllib.parse

import pytest
from playwright.sync_api import expect

from accessibility import violations
from test_access import PHONE
from test_in_view import shown_event
from test_modules import opened, run  # noqa: F401
from test_statistics import drawn, show

#: A plate that sinks towards the west, north of the equator along 10 degrees; 111.19 km a degree.
DIPPING = [shown_event(number, 5.0, 150.0 - number, depth=float(20 + number * 50), magnitude=4.0 + number / 10)
           for number in range(1, 9)]
AWAY = [shown_event(20, 40.0, 100.0, depth=10.0), shown_event(21, 5.0, 145.5, depth=None)]
TERM = "section:5,151..5,141 80km"


def fragment(search):
    return "#q=" + urllib.parse.quote(search)


def search_of(page):
    return (urllib.parse.parse_qs(urllib.parse.urlparse(page.url).fragment).get("q") or [""])[0]


def section(made):
    return made.page.locator("#chart-section")


def rows(made):
    details = section(made).locator("details")
    if details.get_attribute("open") is None:
        details.locator("summary").click()
        # The table is filled after it opens.
        expect(details.locator("tbody tr").first).to_be_attached()
    return details.locator("tbody tr").evaluate_all(
        "(rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent))")


def place(made, dot):
    """The place of a dot in the window, from the axes' own ticks."""
    return made.page.evaluate("""([along, depth]) => {
      const svg = document.querySelector("#chart-section svg").getBoundingClientRect();
      const ticks = (name) => [...document.querySelectorAll(`#chart-section .axis-${name} .tick`)].map((tick) => {
        const [, x, y] = /translate\\(([\\d.]+),([\\d.]+)\\)/.exec(tick.getAttribute("transform"));
        return [Number(tick.textContent.replaceAll(",", "")), Number(name === "x" ? x : y)];
      });
      const at = (name, value) => {
        const all = ticks(name);
        const [[a, from], [b, to]] = [all[0], all[all.length - 1]];
        return from + (value - a) / (b - a) * (to - from);
      };
      return [svg.left + at("x", along), svg.top + at("y", depth)];
    }""", dot)


def test_places_beside_a_line_are_in_kilometres_over_the_date_line_too(run):
    told = run("""
      const made = new section.Section({ latitude: 0, longitude: 175 }, { latitude: 0, longitude: -175 }, 100);
      const { along, across } = made.place({ latitude: 1, longitude: -179 });
      const back = made.pointAt(along, across);
      return [made.length, along, across, back.latitude, back.longitude, made.line().at(-1)];
    """, ["section"])
    degree = 111.19508
    assert told == [pytest.approx(each, abs=1e-3) for each in (
        10 * degree, 6 * degree, degree, 1, -179)] + [[pytest.approx(185), pytest.approx(0)]]


@pytest.mark.parametrize("search, term, wanted", [
    ("", "section:1,2..3,4 5km", "section:1,2..3,4 5km"),
    ("m>4 section:1,2..3,4 50km japan", "section:5,6..7,8 1km", "m>4 japan section:5,6..7,8 1km"),
    ("SECTION:a..b 50 mi m>4", "", "m>4"),
    ("section:1,2..3,4 9999km m>4", "", "m>4"),
    ("-section:1,2..3,4 50km \"section:x\"", "", "-section:1,2..3,4 50km \"section:x\""),
    ("section: near:tokyo 50km", "", "near:tokyo 50km"),
])
def test_another_section_takes_the_place_of_the_former_one(run, search, term, wanted):
    assert run("return search.withTerm(input[0], 'section', input[1]);", ["search"], [search, term]) == wanted


def test_a_part_of_the_axis_is_a_shorter_section_or_a_box(run):
    body = "return section_dialog.narrowed(input[0], { depths: null, part: input[1] });"
    call = lambda search, axis, start, end: run(  # noqa: E731
        body, ["section-dialog"], [search, {"axis": axis, "from": start, "to": end}])
    assert call("m>4 section:0,0..0,10 50km", "along", 111.195, 555.975) == "m>4 section:0,1..0,5 50km"
    assert call("m>4", "longitude", 170.5, 190.25) == "m>4 box:-90,170.5..90,-169.75"
    assert call("box:1,2..3,4 m>4", "latitude", -91, 12.5) == "m>4 box:-90,-180..12.5,180"
    assert run("return section_dialog.narrowed(input, { depths: null });", ["section-dialog"], "m>4") == "m>4"


def test_the_section_of_a_link_has_its_events_in_kilometres_and_depths(visit):
    made = visit()
    made.serve([*DIPPING, *AWAY])
    made.open(fragment(TERM))
    show(made, "server")
    assert made.shown() == 9
    expect(section(made).locator(".summary")).to_have_text(re.compile(
        r"^8 events within 80 km of the line from A, 5\.000° N, 151\.000° E, to B, .*, 1,108 km long; "
        r"the deepest is 420 km deep; 1 without a depth; of those that the page has loaded\.$"))
    cells = rows(made)
    # The strongest first; the great circle runs a little north of the parallel.
    assert [row[2] for row in cells] == [f"{20 + number * 50}.0" for number in range(8, 0, -1)]
    assert all(float(row[1].replace(",", "")) == pytest.approx((1 + number) * 110.8, abs=1.5)
               for row, number in zip(cells, range(8, 0, -1)))
    # In miles, too.
    made.page.get_by_role("button", name="Times and distances").click()
    made.page.get_by_label("Miles", exact=True).check()
    expect(section(made).locator("thead")).to_contain_text("Depth, mi")
    assert rows(made)[0][2] == "261.0"


def test_a_dot_and_its_row_select_the_event(visit):
    made = visit()
    made.serve(DIPPING)
    made.open(fragment(TERM))
    show(made, "server")
    section(made).scroll_into_view_if_needed()
    made.page.mouse.click(*place(made, [4 * 110.8, 170]))
    expect(made.selected).to_have_attribute("data-id", DIPPING[2]["id"])
    expect(section(made).locator(".selected-dot")).to_be_attached()
    rows(made)
    section(made).locator("tbody button").first.press("Enter")
    expect(made.selected).to_have_attribute("data-id", DIPPING[7]["id"])
    expect(section(made).locator("tbody button").first).to_have_attribute("aria-pressed", "true")
    # The event that the list selects has the ring, too.
    before = section(made).locator(".selected-dot").get_attribute("cy")
    made.row(DIPPING[0]["id"]).click()
    expect(section(made).locator(".selected-dot")).not_to_have_attribute("cy", before)


def brush(made):
    """Chooses a part of the depth section."""
    section(made).scroll_into_view_if_needed()
    start, end = place(made, [200, 100]), place(made, [700, 300])
    made.page.mouse.move(*start)
    made.page.mouse.down()
    made.page.mouse.move(*[(a + b) / 2 for a, b in zip(start, end)])
    made.page.mouse.move(*end)
    made.page.mouse.up()


def test_a_brush_limits_depths_and_the_section(visit):
    made = visit()
    made.serve(DIPPING)
    page = made.open(fragment(TERM)).page
    show(made, "server")
    brush(made)
    # Depths of 120, 170, 220 and 270 km at 332 to 665 km.
    expect(page.locator("#list [role=option]").first).to_have_attribute("aria-setsize", "4")
    assert sorted(made.ids()) == sorted(each["id"] for each in DIPPING[1:5])
    assert re.fullmatch(r"section:5\.\d+,149\.\d+\.\.5\.\d+,144\.\d+ 80km", search_of(page))
    assert "depths=100..2" in page.url
    page.go_back()
    expect(page.locator("#list [role=option]").first).to_have_attribute("aria-setsize", "8")
    # A search that leaves no room for more characters stays as it is.
    long = f"{TERM} -{'x' * (198 - len(TERM))}"
    page.evaluate("(hash) => { location.hash = hash; }", fragment(long))
    expect(page.locator("#search")).to_have_value(long)
    # Until it is drawn anew, the chart may have the shorter section and the chosen depths, which a press would move.
    expect(section(made).locator(".summary")).to_contain_text("1,108 km long")
    brush(made)
    expect(page.locator("#message")).to_contain_text("The search has become too long")
    assert search_of(page) == long and "depths=100..2" in page.url


def test_the_axis_is_a_longitude_or_latitude_without_a_section(visit):
    made = visit()
    west = [shown_event(30, -20.0, -179.5, depth=200.0), shown_event(31, -20.0, 179.0, depth=400.0)]
    made.serve(west)
    made.open()
    show(made, "server")
    axis = section(made).get_by_label("Horizontal axis of the depth section")
    expect(axis).to_have_value("longitude")
    expect(section(made).locator(".axis-x")).to_contain_text("180°")
    assert [row[1:] for row in rows(made)] == [["179.5° W", "200.0"], ["179° E", "400.0"]]
    axis.select_option("latitude")
    assert [row[1] for row in rows(made)] == ["20° S", "20° S"]
    axis.select_option("along")
    expect(made.page.get_by_role("dialog", name="Section")).to_be_visible()
    expect(axis).to_have_value("latitude")


def test_the_dialog_sets_a_section_by_names_and_tells_what_cannot_be(visit):
    made = visit()
    page = made.open(fragment("m>0")).page
    show(made)
    section(made).get_by_role("button", name="Section…").click()
    dialog = page.get_by_role("dialog", name="Section")
    start, end, width = (dialog.get_by_label(name) for name in ("From, A", "To, B", "On each side"))
    error = dialog.get_by_role("alert")
    for values, text in [
        (("", "", "50"), "a section is its two ends"), (("10, 20", "10,20", "50"), "from 1 to 20000 km apart"),
        (("91 0", "0,0", "50"), "latitudes are from -90 to 90"), (("0,0", "1,1", "0"), "more than 0 and at most 1000"),
        (("0,0", "atlantis zz", "50"), "no populated place"),
    ]:
        for field, value in zip((start, end, width), values):
            field.fill(value)
        width.press("Enter")
        expect(error).to_contain_text(text)
    assert violations(page) == []
    start.fill("San Francisco")
    end.fill("38.5, -117")
    width.fill("150")
    width.press("Enter")
    expect(dialog).to_be_hidden()
    assert search_of(page) == "m>0 section:San_Francisco..38.5,-117 150km"
    expect(page.locator("#search-note")).to_contain_text("from San Francisco, California to 38.500° N")
    drawn(made)
    wanted = made.world.get("/api/events?search=" + urllib.parse.quote(search_of(page)))["total"]
    assert wanted > 0 and made.shown() == wanted
    page.reload()
    drawn(made)
    expect(section(made).locator(".summary")).to_contain_text("San Francisco, California")
    section(made).get_by_role("button", name="Section…").click()
    expect(start).to_have_value("San Francisco")
    dialog.get_by_role("button", name="Remove").click()
    assert search_of(page) == "m>0"


def test_the_map_shows_the_section_and_gives_its_ends(visit):
    made = visit(with_map=True)
    made.serve(DIPPING)
    page = made.open(fragment(TERM)).page
    expect(page.locator("#map[data-section=section]")).to_be_attached()
    page.get_by_role("button", name="Section", exact=True).click()
    dialog = page.get_by_role("dialog", name="Section")
    dialog.get_by_role("button", name="Choose on the map").click()
    canvas = page.locator("#map canvas").bounding_box()
    middle = canvas["x"] + canvas["width"] / 2, canvas["y"] + canvas["height"] / 2
    expect(page.get_by_text("Click where the section begins")).to_be_visible()
    page.mouse.click(middle[0] - 60, middle[1])
    expect(page.get_by_text("Click where the section ends")).to_be_visible()
    page.mouse.click(middle[0] + 60, middle[1] + 20)
    expect(dialog).to_be_visible()
    expect(dialog.get_by_label("To, B")).to_have_value(re.compile(r"^-?[\d.]+,-?[\d.]+$"))
    dialog.get_by_role("button", name="Show").click()
    expect(dialog).to_be_hidden()
    assert re.fullmatch(r"section:[-\d.,]+ 80km", search_of(page))
    expect(page.locator("#map[data-section=section]")).to_be_attached()
    page.locator("#search").fill("")
    expect(page.locator("#map[data-section='']")).to_be_attached()


@pytest.mark.parametrize("options", [{}, {"color_scheme": "dark"}, {"forced_colors": "active"}, PHONE])
def test_the_section_is_accessible(visit, options):
    made = visit(**options)
    made.serve(DIPPING)
    page = made.open(fragment(TERM)).page
    if options is PHONE:
        page.locator("[data-view=statistics]").click()
        drawn(made, "server")
    else:
        show(made, "server")
    rows(made)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
