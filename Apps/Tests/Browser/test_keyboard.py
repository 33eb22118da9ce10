"""The keyboard on the map, and where the focus goes when what has it is gone."""

import re

import pytest
from playwright.sync_api import expect

from test_alerts import recent, serve
from test_in_view import shown_event
from test_list_and_map import RING, centre, open_with, quake, wait_for_ring_at_centre

#: The map's canvas lies within a box that cuts what is outside of it.
OUTLINE = """(canvas) => {
  const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(canvas);
  return outlineStyle === "solid" && parseFloat(outlineWidth) + parseFloat(outlineOffset) <= 0;
}"""


def cross(page):
    """The middle of the cross, or null where none is shown."""
    return page.locator("#map").evaluate("""(map) => {
      const style = getComputedStyle(map, "::after");
      if (style.content === "none") return null;
      const { left, top } = map.getBoundingClientRect();
      return [left + parseFloat(style.left), top + parseFloat(style.top)];
    }""")


def test_enter_on_the_map_opens_the_earthquake_under_the_cross(visit):
    made = open_with(visit, [quake("xx1", "One", -150, 20)], with_map=True).open("#event=xx1")
    page = made.page
    wait_for_ring_at_centre(page)
    page.keyboard.press("Escape")
    expect(page.locator("#details")).to_be_hidden()
    x, y = wait_for_ring_at_centre(page)
    canvas = page.locator("#map canvas")
    assert cross(page) is None
    page.locator("#list").focus()
    page.keyboard.press("Tab")
    expect(canvas).to_be_focused()
    assert canvas.evaluate(OUTLINE)
    shown = cross(page)
    assert abs(shown[0] - x) < 24 and abs(shown[1] - y) < 24
    page.keyboard.press("Enter")
    expect(page.locator("#details h2")).to_be_focused()
    expect(page.locator("#details h2")).to_have_text("One")
    page.keyboard.press("Escape")
    expect(canvas).to_be_focused()
    # North stays above: on the way up, the longitude stays.
    _, y = wait_for_ring_at_centre(page)
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowUp")
    for _ in range(300):
        if centre(page.locator(RING))[1] - y > 60:
            break
        page.evaluate("new Promise(requestAnimationFrame)")
    page.get_by_role("button", name="Terms of the search").click()
    page.get_by_role("button", name="Earthquakes near the map's centre").click()
    latitude, longitude = map(float, page.locator("#search").input_value().split()[0].removeprefix("near:").split(","))
    assert latitude > 21 and abs(longitude + 150) < 1


def test_circles_over_one_another_are_chosen_by_keys_alone(visit):
    made = visit(with_map=True)
    made.serve([shown_event(number, 20, -150, magnitude=number + 2.0) for number in (1, 2, 3)])
    page = made.open("#event=us00000002").page
    wait_for_ring_at_centre(page)
    page.keyboard.press("Escape")
    wait_for_ring_at_centre(page)
    page.locator("#map canvas").focus()
    page.keyboard.press("Enter")
    menu = page.locator("#overlap")
    expect(menu.get_by_role("button").nth(0)).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#map canvas")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    expect(page.locator("#details h2")).to_be_focused()
    expect(page.locator("#details")).to_contain_text("us00000003")


def test_a_place_is_taken_on_the_map_by_keys_alone(visit):
    made = open_with(visit, [quake("xx1", "One", -150, 20)], with_map=True).open()
    page = made.page
    bell = page.get_by_role("button", name="Alerts")
    bell.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Alerts")
    dialog.get_by_label("Near a place only").check()
    dialog.get_by_role("button", name="Choose on the map").press("Enter")
    canvas = page.locator("#map canvas")
    expect(canvas).to_be_focused()
    expect(page.locator("#message")).to_contain_text("press Enter")
    assert cross(page) is not None
    # Escape takes it back, and nothing else.
    page.keyboard.press("Escape")
    expect(dialog).to_be_visible()
    assert dialog.get_by_label("Latitude").input_value() == ""
    dialog.get_by_role("button", name="Choose on the map").press("Enter")
    page.keyboard.press("Enter")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_label("Name")).to_be_focused()
    assert abs(float(dialog.get_by_label("Longitude").input_value()) + 135) < 1
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(bell).to_be_focused()


def test_the_focus_returns_to_what_opened_the_details(visit, ready):
    made = visit().open()
    page = made.page
    page.keyboard.press("s")
    strongest = page.locator("#strongest")
    expect(strongest).to_be_visible()
    strongest.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#details h2")).to_be_focused()
    page.keyboard.press("Escape")
    expect(strongest).to_be_focused()
    # Details that another choice has opened since lead back to the list.
    page.keyboard.press("Enter")
    expect(page.locator("#details h2")).to_be_focused()
    made.rows.nth(3).click()
    page.keyboard.press("Escape")
    expect(page.locator("#list")).to_be_focused()


def test_the_focus_returns_from_a_message_that_is_gone(visit):
    made = visit()
    serve(made, [recent("xx1")])
    page = made.open().page
    page.evaluate("location.hash = '#event=%07'")
    expect(page.locator("#message")).to_contain_text("no identifier")
    page.locator("#help").focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Dismiss", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#message")).to_be_hidden()
    expect(page.locator("#help")).to_be_focused()


def test_escape_closes_the_time_slider_that_has_the_focus(visit, ready):
    made = visit(with_map=True).open()
    page = made.page
    page.keyboard.press("t")
    expect(page.get_by_role("button", name="Play")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#time")).to_be_hidden()
    expect(page.locator("#show-time")).to_be_focused()


@pytest.mark.parametrize("width", [1440, 390])
def test_the_link_to_the_list_keeps_filters_order_and_address(visit, width):
    made = visit(viewport={"width": width, "height": 844})
    page = made.open("#mag=2.5&sort=magnitude-desc").page
    page.locator(f".tabs button[data-view={'list' if width > 900 else 'statistics'}]").evaluate("(tab) => tab.click()")
    count, address = page.locator("#count").text_content(), page.url
    page.locator("#skip").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#list")).to_be_focused()
    assert page.url == address
    # As another program, or a link of an earlier version, leads to it.
    page.evaluate("location.hash = '#list'")
    expect(page).to_have_url(re.compile("#list$"))
    page.evaluate("new Promise(requestAnimationFrame)")
    expect(page.locator("#count")).to_have_text(count)
    expect(page.locator("#sort")).to_have_value("magnitude-desc")
    page.get_by_role("searchbox").fill("no such place")
    expect(page.locator("#nothing")).to_be_visible()
    page.locator("#skip").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#nothing-title")).to_be_focused()
