"""The printed sheet: the filtered list with a heading and the map, and no controls."""

import re

import pytest
from playwright.sync_api import expect

from test_in_view import shown_event


def to_paper(page):
    """The browser's event before it prints."""
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_sheet_has_the_list_with_a_heading_and_no_controls(visit, scheme):
    made = visit(color_scheme=scheme)
    hostile = "<img src=x onerror=alert(1)>"
    made.serve([
        shown_event(1, 10, 20, magnitude=6.25, depth=33.0, place=hostile),
        shown_event(2, 10, 20, magnitude=4.0, place="10 km N of Weaktown"),
        shown_event(3, 10, 20, magnitude=5.5, place=None, type="quarry blast"),
    ])
    page = made.open("#mag=4.5&since=30d&sort=magnitude-asc").page
    sheet = page.locator("#print")
    expect(sheet).to_be_hidden()
    to_paper(page)
    expect(sheet.get_by_role("heading", include_hidden=True)).to_have_text("Earthquakes")
    lines = sheet.locator("header p").all_inner_texts()
    assert lines[0] == "Magnitude 4.5 or more and the past month."
    assert lines[1] == "2 of 3 earthquakes. Weakest first."
    assert re.match(r"Printed \d+ \w+ \d{4}.*, with data of the feed from \d+ .*\.", lines[2])
    assert lines[2].endswith(" Times are those of Europe/Berlin.")
    assert lines[3].startswith("The feed has the past week only")
    expect(sheet.locator("thead th")).to_have_text(["Time", "Magnitude", "Depth", "Place"])
    expect(sheet.locator("tbody tr")).to_have_text([
        re.compile(r"5\.510 km deepPlace not named \(quarry blast\)$"),
        re.compile(r"6\.333 km deep" + re.escape(hostile) + "$"),
    ])
    shown = page.evaluate("""[...document.querySelectorAll("button, input, select, a, [role=listbox]")]
      .filter((element) => element.checkVisibility()).length""")
    assert shown == 0
    assert page.evaluate("getComputedStyle(document.querySelector('#print td')).color") == "rgb(27, 35, 48)"
    assert page.locator("#print figure").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert sheet.inner_html() == ""


def test_all_rows_are_on_paper_and_a_very_long_list_ends_with_a_note(visit):
    made = visit()
    made.serve([shown_event(number, 10, 20) for number in range(2_100)])
    page = made.open().page
    to_paper(page)
    assert page.locator("#print tbody tr").count() == 2_000
    expect(page.locator("#print > p")).to_have_text("The first 2,000 are printed. Exports have all.")
    # The sheet is as long as its rows.
    assert page.evaluate("document.documentElement.scrollHeight") > 20_000


def test_the_browser_prints_the_sheet_by_itself(visit):
    made = visit()
    made.serve([shown_event(number, 10, 20) for number in range(500)])
    page = made.open().page
    pages = page.pdf().count(b"/Type /Page\n")
    assert 5 <= pages <= 20, pages
    expect(page.locator("#print")).to_be_empty()


def test_the_map_is_on_paper_as_it_is_on_the_page(visit):
    made = visit(with_map=True, color_scheme="dark").open()
    page = made.page
    to_paper(page)
    figure = page.locator("#print figure")
    expect(figure.locator("figcaption span")).to_have_text(["Past hour", "Past day", "Past week", "Older"])
    assert page.evaluate("getComputedStyle(document.querySelector('#print figure')).colorScheme") == "dark"
    colours = page.evaluate("""() => {
      const copy = document.querySelector("#print canvas");
      const { data } = copy.getContext("2d").getImageData(0, 0, copy.width, copy.height);
      return new Set(new Uint32Array(data.buffer)).size;
    }""")
    assert colours > 20
