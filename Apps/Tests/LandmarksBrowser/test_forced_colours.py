"""Colours that the system forces on pages (contrast themes): everything stays distinguishable."""

import pytest
from playwright.sync_api import expect

from accessibility import background, colours, distinct, violations

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
EL_CAPITAN = 1002


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_map_and_what_is_chosen_are_distinguishable(world, visit, scheme):
    world.start_server()
    page = visit(world.device("a"), with_map=True, forced_colors="active", color_scheme=scheme).loaded()
    page.row(EL_CAPITAN).locator(".heart").click()
    # Sea, land, coasts, circles of landmarks, and that of the favorite.
    for _ in range(200):
        found = distinct(colours(page.page, page.page.locator("#map")), 60)
        if len(found) >= 5:
            break
        page.page.evaluate("new Promise(requestAnimationFrame)")
    assert len(found) >= 5, found
    page.row(EL_CAPITAN).locator(".open").click()
    expect(page.page.locator("#details")).to_be_visible()
    for chosen, other in [
        ("[data-tab][aria-pressed=true]", "[data-tab][aria-pressed=false]"),
        ("#list .row.chosen", "#list .row:not(.chosen)"),
    ]:
        first, second = page.page.locator(chosen), page.page.locator(other).first
        assert background(first) != background(second), chosen
    assert violations(page.page) == []


def test_on_a_phone_the_chosen_view_differs_from_the_other(world, visit):
    world.start_server()
    page = visit(world.device("a"), forced_colors="active", **PHONE).loaded()
    tabs = page.page.locator(".tabs button")
    assert background(tabs.nth(0)) != background(tabs.nth(1))
    assert violations(page.page) == []
