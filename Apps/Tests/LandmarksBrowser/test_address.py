"""The address names what is shown: reloads, Back and links keep it."""

import re

import pytest
from playwright.sync_api import expect

from accessibility import violations
from test_landmarks import EL_CAPITAN, YOSEMITE_FALLS, in_sync


@pytest.fixture
def page(world, visit):
    world.start_server()
    return visit(world.device("a")).loaded()


def chosen(page, name):
    expect(page.page.locator("#details-name")).to_have_text(name)
    expect(page.page.locator("#details")).to_be_visible()


def test_a_reload_keeps_the_list_the_filters_and_the_choice(page):
    page.page.locator("#category").select_option("mountains")
    page.page.locator("#state").select_option("California")
    page.page.locator("#search").fill("capitan")
    page.row(EL_CAPITAN).locator(".open").click()
    page.page.reload()
    expect(page.rows).to_have_count(1)
    expect(page.page.locator("#search")).to_have_value("capitan")
    expect(page.page.locator("#category")).to_have_value("mountains")
    expect(page.page.locator("#state")).to_have_value("California")
    chosen(page, "El Capitan")
    page.tab("reservations")
    page.page.reload()
    expect(page.page.locator('[data-tab="reservations"]')).to_have_attribute("aria-pressed", "true")


def test_back_returns_to_what_was_shown(page):
    page.row(EL_CAPITAN).locator(".open").click()
    page.row(YOSEMITE_FALLS).locator(".open").click()
    page.tab("favorites")
    page.page.go_back()
    expect(page.page.locator('[data-tab="all"]')).to_have_attribute("aria-pressed", "true")
    chosen(page, "Yosemite Falls")
    page.page.go_back()
    chosen(page, "El Capitan")
    page.page.go_back()
    expect(page.page.locator("#details")).to_be_hidden()
    page.page.go_forward()
    chosen(page, "El Capitan")


def test_a_link_opens_a_landmark_and_a_damaged_one_the_page(page):
    tab = page.context.new_page()
    tab.goto(f"{page.url}/#landmark={YOSEMITE_FALLS}")
    expect(tab.locator("#details-name")).to_have_text("Yosemite Falls")
    for damaged, told in [("landmark=7", "The landmark"), ("landmark=x", "The landmark"), ("visit=%00", "The visit"),
                          ("list=none&kind=no&state=%00", None), ("list", None)]:
        tab.goto("about:blank")
        tab.goto(f"{page.url}/#{damaged}")
        expect(tab.locator("#list .row").first).to_be_visible()
        expect(tab.locator("#details")).to_be_hidden()
        if told:
            expect(tab.locator(".notice")).to_contain_text(f"Not found {told} that the address names is not here.")
        else:
            expect(tab.locator(".notice")).to_have_count(0)


def several(page, count=6):
    """Visits to El Capitan, more than the details show at once, in the order of their dates."""
    page.row(EL_CAPITAN).locator(".open").click()
    for number in range(count):
        page.page.locator("#reserve-date").fill(f"2027-06-0{number + 1}T10:00")
        page.page.get_by_role("button", name="Reserve").click()
        expect(page.page.locator("#visits .visit")).to_have_count(number + 1)
    in_sync(page)
    return page.page.evaluate(
        "[...document.querySelectorAll('#visits .visit')].map((row) => row.dataset.reservation)")


def is_marked(page, visit):
    row = page.locator("#visits [aria-current=true]")
    expect(row).to_have_attribute("data-reservation", visit)
    expect(row).to_be_focused()
    expect(row).to_be_in_viewport(ratio=1)
    expect(page.locator("#details-name")).to_have_text("El Capitan")
    expect(page.locator("#visits .marked")).to_have_count(1)


@pytest.mark.parametrize("options", [{}, {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
                                     {"viewport": {"width": 640, "height": 400}}, {"forced_colors": "active"}],
                         ids=["wide", "phone", "low", "forced"])
def test_a_link_opens_a_visit_scrolls_to_it_and_marks_it(world, visit, options):
    world.start_server()
    page = visit(world.device("a"), **options).loaded()
    visits = several(page)
    tab = page.context.new_page()
    for wanted in [visits[-1].lower(), visits[0]]:
        tab.goto("about:blank")
        tab.goto(f"{page.url}/#visit={wanted}")
        is_marked(tab, wanted.upper())
    assert violations(tab) == []
    # News of the visit, drawn anew, keep mark and focus.
    tab.evaluate("""(id) => fetch(`/api/reservations/${id}/cancel`,
      { method: "POST", headers: { "X-Requested-With": "landmarks" } }).then(() => null)""", visits[0])
    expect(tab.locator("#visits .marked")).to_contain_text("Cancelled")
    is_marked(tab, visits[0])


def test_names_of_reservations_are_links_to_their_visits(page):
    visits = several(page)
    page.tab("reservations")
    link = page.page.locator("#list .visit").nth(4).get_by_role("link", name="El Capitan")
    href = link.get_attribute("href")
    assert href == f"#landmark={EL_CAPITAN}&visit={visits[4]}"
    link.click()
    is_marked(page.page, visits[4])
    # The list stays, and the address has both.
    expect(page.page.locator('[data-tab="reservations"]')).to_have_attribute("aria-pressed", "true")
    assert page.page.url.endswith(f"#list=reservations&landmark={EL_CAPITAN}&visit={visits[4]}")
    page.page.reload()
    is_marked(page.page, visits[4])
    page.page.keyboard.press("Escape")
    expect(link).to_be_focused()
    link.press("Enter")
    is_marked(page.page, visits[4])
    page.page.locator("#list .visit").nth(1).get_by_role("link", name="El Capitan").click()
    is_marked(page.page, visits[1])
    page.page.go_back()
    is_marked(page.page, visits[4])
    with page.context.expect_page() as opened:
        link.click(modifiers=["ControlOrMeta"])
    expect(opened.value.locator("#visits .marked")).to_have_attribute("data-reservation", visits[4])


def test_rows_of_the_activity_are_links_to_what_is_still_there(page):
    visits = several(page, 2)
    page.page.locator("#visits .visit").first.get_by_role("button", name="Cancel").click()
    page.page.locator("#visits .visit").first.get_by_role("button", name="Remove").click()
    expect(page.page.locator("#visits .visit")).to_have_count(1)
    page.row(YOSEMITE_FALLS).locator(".heart").click()
    in_sync(page)
    page.page.get_by_role("button", name="Activity").click()
    sheet = page.page.get_by_role("dialog", name="Activity")
    rows = sheet.get_by_role("listitem")
    expect(rows).to_have_count(5)
    # The removed visit's landmark is there.
    assert [row.get_by_role("link").get_attribute("href") for row in rows.all()] == [
        f"#landmark={YOSEMITE_FALLS}", *[f"#landmark={EL_CAPITAN}"] * 2,
        f"#landmark={EL_CAPITAN}&visit={visits[1]}", f"#landmark={EL_CAPITAN}"]
    assert violations(page.page) == []
    rows.nth(3).get_by_role("link").click()
    expect(sheet).to_have_count(0)
    is_marked(page.page, visits[1])
    page.page.get_by_role("button", name="Activity").click()
    rows.first.get_by_role("link").press("Enter")
    chosen(page, "Yosemite Falls")
    expect(page.page.locator("#visits .marked")).to_have_count(0)


def test_an_unknown_visit_is_told_and_shown_when_it_arrives(world, visit):
    world.start_server()
    one = visit(world.device("a")).loaded()
    two = visit(world.device("b")).loaded()
    [known] = several(one, 1)
    two.row(EL_CAPITAN).locator(".open").click()
    expect(two.page.locator("#visits .visit")).to_have_count(1)
    two.page.get_by_role("button", name="Work offline").click()
    one.page.locator("#reserve-date").fill("2027-07-01T10:00")
    one.page.get_by_role("button", name="Reserve").click()
    expect(one.page.locator("#visits .visit")).to_have_count(2)
    in_sync(one)
    later = one.page.locator("#visits .visit").last.get_attribute("data-reservation")
    two.page.goto(f"{two.url}/#landmark={EL_CAPITAN}&visit={later}")
    notice = two.page.locator(".notice.lost")
    expect(notice).to_contain_text("The visit that the address names is not here.")
    chosen(two, "El Capitan")
    expect(two.page.locator("#announcer")).to_contain_text("The visit that the address names")
    two.page.get_by_role("button", name="Work offline").click()
    is_marked(two.page, later)
    expect(notice).to_have_count(0)
    # Dismissed, it isn't told again by news.
    two.page.goto(f"{two.url}/#visit={known[:-1]}")
    expect(notice).to_be_visible()
    notice.get_by_role("button", name="Dismiss").click()
    two.row(YOSEMITE_FALLS).locator(".heart").click()
    in_sync(two)
    expect(notice).to_have_count(0)
    # The user's next choice is the address.
    two.tab("favorites")
    assert two.page.url.endswith("#list=favorites")


def test_a_removed_visit_leaves_the_address(page):
    [known] = several(page, 1)
    page.page.goto(f"{page.url}/#visit={known}")
    is_marked(page.page, known)
    page.page.locator("#visits .visit").get_by_role("button", name="Cancel").click()
    page.page.locator("#visits .visit").get_by_role("button", name="Remove").click()
    expect(page.page.locator("#visits .visit")).to_have_count(0)
    expect(page.page).to_have_url(f"{page.url}/#landmark={EL_CAPITAN}")
    page.page.reload()
    chosen(page, "El Capitan")
    expect(page.page.locator(".notice.lost")).to_have_count(0)


def test_filters_of_an_address_hold_when_the_landmarks_come_later(world, visit):
    device = world.device("a")
    page = visit(device)
    page.page.goto(f"{device.url}/#kind=lakes&state=Minnesota")
    page.page.reload()
    expect(page.page.locator("#nothing-title")).to_have_text("No Landmarks Yet")
    page.tab("favorites")
    expect(page.page).to_have_url(re.compile("#list=favorites&kind=lakes&state=Minnesota$"))
    page.tab("all")
    world.start_server()
    expect(page.page.locator("#count")).to_have_text("1 of 80 landmarks")
    expect(page.page.locator("#category")).to_have_value("lakes")
    expect(page.page.locator("#state")).to_have_value("Minnesota")
    # Another choice takes their place.
    page.page.locator("#category").select_option("")
    expect(page.page).to_have_url(re.compile("#state=Minnesota$"))
