"""Keyboard, names and roles, colours, phone width, and browsers without WebGL."""

import json
import re

import pytest
from playwright.sync_api import expect

from accessibility import CONTRAST, ENLARGED, beyond_the_edge, violations
from test_list_and_map import open_with, quake

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}

#: Every element a person can act on, with its accessible name as far as the page gives one.
NAMES = """() => [...document.querySelectorAll(
    "button, input, select, a[href], [role], nav, aside, section, fieldset, dialog, img")]
  .filter((element) => element.getAttribute("role") !== "presentation"
    && !element.closest(".maplibregl-map") && element.getAttribute("alt") !== "")
  .filter((element) => {
    const by = element.getAttribute("aria-labelledby");
    const name = element.getAttribute("aria-label")
      ?? (by && document.getElementById(by)?.textContent)
      ?? element.labels?.[0]?.textContent
      ?? element.querySelector("legend")?.textContent
      ?? element.textContent;
    const isQuiet = element.matches("[role=status], [hidden]");
    return !isQuiet && !name?.trim();
  })
  .map((element) => element.outerHTML.slice(0, 120))"""


def test_everything_can_be_done_with_the_keyboard(visit):
    made = visit().open()
    page = made.page
    ids = made.ids()
    page.keyboard.press("j")
    expect(page.locator("#list")).to_be_focused()
    expect(made.row(ids[0])).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("j")
    expect(made.row(ids[2])).to_have_attribute("aria-selected", "true")
    page.keyboard.press("k")
    expect(made.row(ids[1])).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(page.locator("#details h2")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#details")).to_be_hidden()
    expect(page.locator("#list")).to_be_focused()
    page.keyboard.press("End")
    expect(made.selected).to_have_attribute("aria-posinset", str(made.shown()))
    expect(made.selected).to_be_in_viewport()
    page.keyboard.press("Home")
    expect(made.selected).to_have_attribute("aria-posinset", "1")
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("rj?")
    expect(page.get_by_role("searchbox")).to_have_value("rj?")
    page.keyboard.press("Escape")
    expect(page.get_by_role("searchbox")).to_have_value("")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_the_active_row_is_named_to_screen_readers_even_when_scrolled_away(visit):
    made = visit().open()
    made.page.keyboard.press("j")
    expect(made.selected).to_have_count(1)
    made.scroll_to(60 * 66)
    expect(made.page.locator("#list [aria-posinset='65']")).to_be_in_viewport()
    active = made.page.locator("#list").get_attribute("aria-activedescendant")
    expect(made.page.locator(f"#{active}")).to_have_attribute("aria-selected", "true")
    name = made.selected.get_attribute("aria-label")
    assert re.match(r"Magnitude (not known|−?\d+\.\d), .+, .+(ago|now|\d{4}), ", name)


def test_single_key_shortcuts_can_be_switched_off_and_stay_off(visit):
    made = visit().open()
    made.page.keyboard.press("?")
    made.page.get_by_label("Single-key shortcuts").uncheck()
    made.page.keyboard.press("Escape")
    expect(made.page.get_by_role("dialog")).to_be_hidden()
    made.page.keyboard.press("/")
    expect(made.page.get_by_role("searchbox")).not_to_be_focused()
    made.page.reload()
    expect(made.rows.first).to_be_visible()
    made.page.keyboard.press("/")
    expect(made.page.get_by_role("searchbox")).not_to_be_focused()


def test_every_control_and_region_has_a_name(visit):
    made = visit(with_map=True).open()
    made.rows.first.click()
    expect(made.page.locator("#details")).to_be_visible()
    assert made.page.evaluate(NAMES) == []
    assert made.page.evaluate("document.querySelectorAll('h1').length") == 1
    duplicates = made.page.evaluate(
        "[...document.querySelectorAll('[id]')].map((e) => e.id)"
        ".filter((id, i, all) => all.indexOf(id) !== i)"
    )
    assert duplicates == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("options", [{}, PHONE], ids=["wide", "phone"])
def test_text_has_the_contrast_that_wcag_aa_asks_for(visit, scheme, options):
    made = visit(with_map=options is not PHONE, color_scheme=scheme, **options).open()
    assert made.page.evaluate(CONTRAST) == []
    made.rows.first.click()
    expect(made.page.locator("#details")).to_be_visible()
    assert made.page.evaluate(CONTRAST) == []


def test_the_colour_scheme_can_be_chosen_and_is_kept(visit):
    made = visit(with_map=True, color_scheme="light").open()
    background = "getComputedStyle(document.body).backgroundColor"
    light = made.page.evaluate(background)
    button = made.page.get_by_role("button", name=re.compile("Colour scheme"))
    button.click()
    button.click()
    expect(button).to_have_accessible_name("Colour scheme: dark")
    dark = made.page.evaluate(background)
    assert dark != light
    made.page.reload()
    assert made.page.evaluate(background) == dark


def test_the_projection_can_be_chosen_and_is_kept(visit):
    made = visit(with_map=True, globe=True).open()
    made.page.get_by_role("button", name="Flat").click()
    made.page.reload()
    expect(made.page.locator("#map[data-state=ready]")).to_be_attached()
    expect(made.page.get_by_role("button", name="Flat")).to_have_attribute("aria-pressed", "true")
    made.page.keyboard.press("g")
    expect(made.page.get_by_role("button", name="Globe")).to_have_attribute("aria-pressed", "true")


def test_on_a_phone_list_and_map_are_two_views_without_sideways_scrolling(visit):
    made = visit(with_map=True, **PHONE).open()
    page = made.page
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    expect(page.locator("#map-controls")).to_be_hidden()
    page.get_by_role("button", name="Map", exact=True).click()
    expect(page.locator("#map-controls")).to_be_visible(timeout=60_000)
    expect(page.locator("#list")).to_be_hidden()
    page.get_by_role("button", name="List", exact=True).click()
    made.rows.first.click()
    page.get_by_role("button", name="Show on the map").click()
    expect(page.locator(".ring.selected")).to_be_visible()
    small = page.evaluate(
        "[...document.querySelectorAll('button, select, input[type=search]')]"
        ".filter((e) => e.checkVisibility({ visibilityProperty: true })"
        " && !e.closest('.maplibregl-map'))"
        ".filter((e) => e.getBoundingClientRect().height < 32).map((e) => e.id || e.textContent)"
    )
    assert small == []


@pytest.mark.parametrize("size", ENLARGED)
def test_enlarged_the_page_has_everything_within_its_width(visit, size):
    page = visit(**ENLARGED[size]).open().page
    assert beyond_the_edge(page) == []
    for tab in page.locator(".tabs button").all():
        if tab.is_visible():
            tab.click()
            assert beyond_the_edge(page) == []
    page.locator(".tabs button[data-view=list]").click()
    page.locator("#list [role=option]").first.click()
    expect(page.locator("#details")).to_be_visible()
    assert beyond_the_edge(page) == []
    assert violations(page) == []


def test_without_webgl_the_page_says_so_and_the_list_works(visit):
    made = visit().open()
    expect(made.page.locator("#map-notice")).to_contain_text("WebGL")
    everything = made.shown()
    made.page.get_by_role("radio", name="2.5+").check()
    expect(made.rows.first).not_to_have_attribute("aria-setsize", str(everything))
    made.rows.nth(1).click()
    expect(made.page.locator("#details")).to_be_visible()


def test_without_the_map_library_the_page_says_what_to_do(visit):
    made = visit()
    made.context.route("**/api/config", lambda route: route.fulfill(
        json={"version": "0", "tileStyle": None, "mapAvailable": False}))
    made.open(map_state="missing")
    expect(made.page.locator("#map-notice")).to_contain_text("scripts/install-web-assets.sh")


def test_an_online_style_can_be_switched_off(visit):
    style = {"version": 8, "sources": {}, "layers": [
        {"id": "sea", "type": "background", "paint": {"background-color": "#123456"}}]}
    made = visit(with_map=True)
    made.context.route("**/api/config", lambda route: route.fulfill(
        json={"version": "0", "tileStyle": f"{made.world.url}/style.json", "mapAvailable": True}))
    made.context.route("**/style.json", lambda route: route.fulfill(body=json.dumps(style)))
    made.open()
    page = made.page
    expect(page.get_by_role("button", name="Online")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Plain").click()
    expect(page.get_by_role("button", name="Plain")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".maplibregl-ctrl-attrib")).to_contain_text("Natural Earth")


def test_the_page_works_under_its_strict_policy(visit, ready):
    made = visit(with_map=True)
    response = made.page.goto(ready.url)
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    expect(made.page.locator("#map[data-state=ready]")).to_be_attached()
    assert made.page.evaluate("document.querySelectorAll('script:not([src]), style').length") == 0


RIGHT_TO_LEFT = "١٢ كم شمال مدينة الرياض، المملكة العربية السعودية، منطقة الرياض"


def test_a_place_from_right_to_left_is_cut_at_its_end(visit):
    made = open_with(visit, [quake("xx1", RIGHT_TO_LEFT, 46, 24), quake("xx2", "x" * 300, 0, 0)], **PHONE).open()
    place = made.row("xx1").locator(".place")
    # Its first letter is in sight, at the right.
    assert place.evaluate("""(line) => {
      const range = document.createRange();
      range.setStart(line.firstChild, 0);
      range.setEnd(line.firstChild, 1);
      const { left, right } = range.getBoundingClientRect();
      const box = line.getBoundingClientRect();
      return left >= box.left && right <= box.right + 1;
    }""")
    made.row("xx2").click()
    assert made.page.locator("#details").evaluate("(panel) => panel.scrollWidth <= panel.clientWidth")


@pytest.mark.parametrize("width", [320, 360])
def test_on_a_narrow_phone_all_choices_are_in_sight(visit, width):
    made = open_with(visit, [quake("xx1", "One", 0, 0)], viewport={"width": width, "height": 640}).open()
    page = made.page
    outside = """(root) => {
      const { right } = root.getBoundingClientRect();
      return [...root.querySelectorAll("label, input, p, button, fieldset")]
        .filter((part) => part.checkVisibility() && part.getBoundingClientRect().right > right)
        .map((part) => part.outerHTML.slice(0, 80));
    }"""
    assert page.locator("#filters").evaluate(outside) == []
    page.get_by_role("button", name="Alerts").click()
    page.get_by_label("Near a place only").check()
    assert page.locator("#alerts").evaluate(outside) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Get more…").click()
    assert page.locator("#more").evaluate(outside) == []
