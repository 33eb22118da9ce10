"""Colours that the system forces on pages (contrast themes): everything stays distinguishable."""

import pytest
from playwright.sync_api import expect

from accessibility import background, colours, distinct, violations

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_map_shows_land_coasts_and_circles(visit, scheme):
    made = visit(with_map=True, forced_colors="active", color_scheme=scheme).open()
    page = made.page
    for scheme in ["depth", "magnitude", "age"]:
        page.get_by_label("Colour of the circles").select_option(scheme)
        swatches = page.locator("#colour-legend .swatch").all()
        assert len({background(swatch) for swatch in swatches}) == len(swatches) == (4 if scheme == "age" else 5)
    page.locator("#legend, #map-controls").evaluate_all("(all) => all.forEach((e) => { e.hidden = true; })")
    # Sea, land, coasts, and circles of an age.
    for _ in range(200):
        found = distinct(colours(page, page.locator("#map")), 60)
        if len(found) >= 4:
            break
        page.evaluate("new Promise(requestAnimationFrame)")
    assert len(found) >= 4, found


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_chosen_differs_from_its_neighbours(visit, scheme):
    made = visit(with_map=True, forced_colors="active", color_scheme=scheme).open()
    page = made.page
    made.rows.nth(1).click()
    expect(page.locator("#details")).to_be_visible()
    pairs = [
        ("#magnitudes input:checked + span", "#magnitudes input:not(:checked) + span"),
        ("#windows input:checked + span", "#windows input:not(:checked) + span"),
        ("#flat[aria-pressed=true]", "#globe[aria-pressed=false]"),
        ("#list .row[aria-selected=true]", "#list .row:not([aria-selected=true])"),
    ]
    for chosen, other in pairs:
        assert background(page.locator(chosen)) != background(page.locator(other).first), chosen
    assert violations(page) == []


def test_on_a_phone_the_chosen_view_differs_from_the_other(visit):
    made = visit(forced_colors="active", **PHONE).open()
    tabs = made.page.locator(".tabs button")
    assert background(tabs.nth(0)) != background(tabs.nth(1))
    assert violations(made.page) == []
