"""Where the browser keeps nothing for a page, only edits that the program has are shown as stored."""

import re

import pytest
from playwright.sync_api import expect

from test_landmarks import EL_CAPITAN, YOSEMITE_FALLS, in_sync, reserve

CHANGES = re.compile("/api/(favorites|reservations|notices|sync)")
ACTIONS = ["favorite", "unfavorite", "reserve", "move", "note", "cancel", "remove", "sync"]
#: A browser that keeps nothing for the page, as some private windows.
NO_DATABASE = "Object.defineProperty(window, 'indexedDB', { get: () => undefined });"
#: A browser whose disk is full.
FULL_DISK = """IDBObjectStore.prototype.add = () => {
  throw new DOMException("full", "QuotaExceededError"); };"""
MESSAGE = {
    "favorite": "The mark of Yosemite Falls", "unfavorite": "The mark of El Capitan",
    "reserve": "The visit to El Capitan", "move": "The new time of the visit to El Capitan",
    "note": "The note on the visit to El Capitan",
    "cancel": "The cancellation of the visit to El Capitan",
    "remove": "The removal of the visit to El Capitan", "sync": "Sync was not started",
}


def prepared(world, visit, action, script=NO_DATABASE, port=0):
    """A page with a favorite, and a visit as the action needs it, all of it stored and sent."""
    world.start_server()
    device = world.device("a", port)
    page = visit(device)
    if script:
        page.context.add_init_script(script)
        page.page.reload()
    page.loaded()
    page.row(EL_CAPITAN).locator(".heart").click()
    if action in ("move", "note", "cancel", "remove"):
        reserve(page, EL_CAPITAN, "2027-06-01T10:00")
    else:
        page.row(EL_CAPITAN).locator(".open").click()
    if action == "remove":
        page.page.locator("#visits").get_by_role("button", name="Cancel").click()
        expect(page.page.locator("#visits .visit")).to_have_class(re.compile("cancelled"))
    expect(page.page.locator("#favorite-count")).to_have_text("1")
    in_sync(page)
    return device, page


def shown(page):
    """The edits that the page shows as stored."""
    return page.page.evaluate(
        """() => ({
          hearts: [...document.querySelectorAll('.heart[aria-pressed=true]:not(.unstored)')]
            .map((heart) => heart.closest('[data-id]')?.dataset.id ?? 'details'),
          visits: [...document.querySelectorAll('#visits .visit:not(.unstored)')]
            .map((visit) => visit.className + visit.querySelector('.text').textContent
              + (visit.querySelector('.note')?.textContent ?? '')),
          favorites: document.querySelector('#favorite-count').textContent,
          reservations: document.querySelector('#reservation-count').textContent,
        })""")


def act(page, action):
    visits = page.page.locator("#visits")
    if action == "favorite":
        page.row(YOSEMITE_FALLS).locator(".heart").click()
    elif action == "unfavorite":
        page.row(EL_CAPITAN).locator(".heart").click()
    elif action == "reserve":
        page.page.locator("#reserve-date").fill("2027-07-01T10:00")
        page.page.get_by_role("button", name="Reserve").click()
    elif action == "move":
        visits.get_by_role("button", name="Move").click()
        page.page.locator("#change-date").fill("2027-07-05T12:30")
        page.page.locator("#change-form").get_by_role("button", name="Move").click()
    elif action == "note":
        visits.get_by_role("button", name="Note").click()
        page.page.locator("#note-text").fill("Bring water\n<b>Two</b> tickets")
        page.page.locator("#note-form").get_by_role("button", name="Save").click()
    elif action == "cancel":
        visits.get_by_role("button", name="Cancel").click()
    elif action == "remove":
        visits.get_by_role("button", name="Remove").click()
    else:
        page.page.locator("#sync").click()


@pytest.mark.parametrize("script", [NO_DATABASE, FULL_DISK], ids=["no database", "full disk"])
def test_the_page_says_that_the_browser_keeps_nothing(world, visit, script):
    device, page = prepared(world, visit, "favorite", script)
    warning = page.page.locator(".notice.warning")
    expect(warning).to_contain_text("This browser keeps nothing for this page")
    warning.get_by_role("button", name="Dismiss").click()
    expect(warning).to_have_count(0)
    act(page, "favorite")
    expect(page.page.locator("#favorite-count")).to_have_text("2")
    in_sync(page)
    expect(warning).to_have_count(0)


@pytest.mark.parametrize("action", ACTIONS)
def test_with_the_program_ended_nothing_is_shown_as_stored(world, visit, action):
    device, page = prepared(world, visit, action)
    before = shown(page)
    device.stop()
    expect(page.page.locator("#status-text")).to_contain_text("does not answer")
    act(page, action)
    notice = page.page.locator(".notice.problem")
    expect(notice).to_contain_text(MESSAGE[action])
    expect(notice).to_contain_text("Landmarks does not answer")
    expect(page.page.locator("#unstored")).to_be_hidden()
    assert page.page.locator(".unstored:not([hidden])").count() == 0
    assert shown(page) == before
    assert "Waiting" not in page.page.locator("main").inner_text()
    page.errors.clear()
    page.page.goto("about:blank")
    page.page.evaluate("window.violations = []")
    page.errors.clear()


@pytest.mark.parametrize("action", ACTIONS)
def test_with_a_slow_program_a_change_is_shown_as_not_stored_until_it_is(world, visit, action):
    device, page = prepared(world, visit, action)
    before = shown(page)
    held = []
    page.context.route(CHANGES, lambda route: held.append(route))
    with page.page.expect_request(CHANGES):
        act(page, action)
    if action == "sync":
        expect(page.page.locator("#sync")).to_have_attribute("aria-busy", "true")
    else:
        expect(page.page.locator("#unstored")).to_have_text("1 not stored yet")
        # Earlier edits are shown as stored, or as being changed; none is added.
        now = shown(page)
        assert set(now["hearts"]) <= set(before["hearts"]) and set(now["visits"]) <= set(before["visits"])
        assert [now["favorites"], now["reservations"]] == [before["favorites"], before["reservations"]]
        if action in ("reserve", "move", "note", "cancel", "remove"):
            expect(page.page.locator("#visits .visit.unstored")).to_contain_text(
                re.compile("not stored yet", re.IGNORECASE))
    for route in held:
        route.continue_()
    page.context.unroute(CHANGES)
    expect(page.page.locator("#unstored")).to_be_hidden()
    in_sync(page)
    assert page.page.locator(".notice.problem").count() == 0
    if action != "sync":
        assert shown(page) != before


def test_changes_behind_one_without_an_answer_are_taken_back_with_it(world, visit):
    device, page = prepared(world, visit, "favorite")
    before = shown(page)
    page.context.route(CHANGES, lambda route: None)
    act(page, "favorite")
    act(page, "unfavorite")
    act(page, "reserve")
    expect(page.page.locator("#unstored")).to_have_text("3 not stored yet")
    notices = page.page.locator(".notice.problem")
    expect(notices).to_have_count(3, timeout=15_000)
    expect(notices.last).to_contain_text("no answer within 10 seconds")
    expect(page.page.locator("#unstored")).to_be_hidden()
    assert shown(page) == before
    page.context.unroute(CHANGES)


def test_a_change_that_the_program_refuses_is_reverted_and_reported(world, visit):
    device, page = prepared(world, visit, "reserve")
    before = shown(page)
    page.context.route(CHANGES, lambda route: route.fulfill(
        status=422, json={"error": {"code": "refused", "message": "The date has passed."}}))
    act(page, "reserve")
    expect(page.page.locator("#reserve-error")).to_contain_text("The date has passed.")
    expect(page.page.locator(".notice.problem")).to_contain_text("was not stored: The date has passed.")
    assert shown(page) == before
    page.context.unroute(CHANGES)
    page.errors.clear()


@pytest.mark.parametrize("script", ["", "delete window.SharedWorker;"], ids=["worker", "elected"])
def test_seven_tabs_store_what_they_show(world, visit, script):
    world.start_server()
    device = world.device("a")
    first = visit(device)
    first.context.add_init_script(script)
    first.page.reload()
    first.loaded()
    tabs = [first.page]
    for _ in range(6):
        page = first.context.new_page()
        page.goto(device.url)
        expect(page.locator("#list .row").first).to_be_visible(timeout=60_000)
        tabs.append(page)
    heart = f'#list .row[data-id="{EL_CAPITAN}"] .heart'
    tabs[-1].locator(heart).click()
    for page in tabs:
        expect(page.locator(heart)).to_have_attribute("aria-pressed", "true")
        expect(page.locator("#favorite-count")).to_have_text("1")
    tabs[-1].reload()
    expect(tabs[-1].locator(heart)).to_have_attribute("aria-pressed", "true", timeout=60_000)
    for page in tabs[1:]:
        page.close()
    first.row(YOSEMITE_FALLS).locator(".heart").click()
    expect(first.page.locator("#favorite-count")).to_have_text("2")


def test_a_program_that_never_answered_is_not_called_an_empty_store(world, visit):
    world.start_server()
    device = world.device("a")
    page = visit(device)
    page.loaded()
    page.context.route("**/api/state", lambda route: route.abort("connectionrefused"))
    page.page.reload()
    expect(page.page.locator("#nothing-title")).to_have_text("Landmarks Does Not Answer")
    page.context.unroute("**/api/state")
    # It tries again by itself.
    expect(page.rows.first).to_be_visible()
    page.errors.clear()


@pytest.mark.parametrize("pending, waits", [(0, False), (1, True)])
def test_a_stored_edit_waits_only_while_the_status_counts_one(world, visit, pending, waits):
    world.start_server()
    page = visit(world.device("a")).loaded()
    assert page.page.evaluate(
        """async (pending) => {
          const { Model } = await import('/js/model.js');
          const { edit } = await import('/js/edits.js');
          const model = new Model();
          const load = (contained) => model.replace(
            { landmarks: [], reservations: [], notices: [], status: { pending: 0 } }, contained);
          load();
          const made = edit('reserve', { reservationID: 'v', landmarkID: 1, date: 0 }, { store: null, status: null });
          const end = model.begin(made);
          const sent = model.reservations[0].isUnstored;
          end();
          model.acknowledge(made, { pending });
          const confirmed = model.reservations[0];
          // A state that was read before the edit, and one that was read later.
          load([]);
          const early = model.reservations[0].isWaiting;
          load(model.acknowledged);
          return [sent, Boolean(confirmed.isUnstored), confirmed.isWaiting, early,
            model.reservations.length];
        }""", pending) == [True, False, waits, False, 0]


#: A disk that has become full: what is new was written, and nothing is changed any more.
FULL_SINCE = """() => {
  IDBObjectStore.prototype.put = () => { throw new DOMException("full", "QuotaExceededError"); }; }"""


@pytest.mark.parametrize("other", [False, True], ids=["one tab", "two tabs"])
def test_a_sent_edit_does_not_wait_in_the_browser_when_its_end_cannot_be_written(world, visit, other):
    world.start_server()
    device = world.device("a")
    page = visit(device).loaded()
    in_sync(page)
    tabs = [page.page]
    if other:
        tabs.append(page.context.new_page())
        tabs[1].goto(device.url)
        expect(tabs[1].locator("#list .row").first).to_be_visible()
    # The tab that sends is the first one with something to send.
    for tab in tabs:
        tab.evaluate(FULL_SINCE)
    for number, landmark in enumerate([EL_CAPITAN, YOSEMITE_FALLS], 1):
        tabs[0].locator(f'#list .row[data-id="{landmark}"] .heart').click()
        for tab in tabs:
            expect(tab.locator("#favorite-count")).to_have_text(str(number))
            expect(tab.locator(f'#list .row[data-id="{landmark}"] .heart')).to_have_attribute("data-state", "")
            expect(tab.locator("#kept")).to_have_attribute("data-count", "0")
    # A refusal ends an edit, too.
    page.row(EL_CAPITAN).locator(".open").click()
    page.page.locator("#reserve-date").fill("2031-06-01T10:00")
    page.page.get_by_role("button", name="Reserve").click()
    for tab in tabs:
        expect(tab.locator(".notice.refusal")).to_contain_text("for the next 730 days")
    page.page.get_by_role("button", name="Dismiss").click()
    for tab in tabs:
        expect(tab.locator(".notice")).to_have_count(0)
        expect(tab.locator("#status[data-state=synced]")).to_be_visible()
