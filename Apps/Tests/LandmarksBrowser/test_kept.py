"""Edits that the program hasn't acknowledged are kept in the browser: none is lost, none is made twice."""

import contextlib
import os
import signal
import sqlite3
import urllib.request

import pytest
from playwright.sync_api import Error, expect

from browsers import WITHOUT_WEBGL, chromium, wait_for
from conftest import free_port
from test_landmarks import EL_CAPITAN, YOSEMITE_FALLS, in_sync, open_visit
from test_not_stored import ACTIONS, CHANGES, act, prepared, shown

EDITS = [action for action in ACTIONS if action != "sync"]
EDITED = {"favorite": YOSEMITE_FALLS, "unfavorite": EL_CAPITAN}


@pytest.fixture
def port():
    """The same for all programs of a test, so that their pages have one origin."""
    return free_port()


def kept(page, count=1):
    expect(page.page.locator("#kept")).to_have_text(f"{count} kept in this browser")


def reopened(page):
    """Another tab of the same browser, instead of the present one."""
    tab = page.context.new_page()
    page.page.close()
    tab.set_default_timeout(15_000)
    tab.set_default_navigation_timeout(60_000)
    tab.goto(page.url)
    page.page = tab
    return page.loaded()


def rows(world, name, query):
    with contextlib.closing(sqlite3.connect(world.folder / f"{name}.store", timeout=30)) as store:
        return store.execute(query).fetchall()


def favorites(world, name="a"):
    query = "SELECT remoteID FROM StoredLandmark WHERE isFavorite ORDER BY remoteID"
    return [number for (number,) in rows(world, name, query)]


def made(world, name="a"):
    """The number of edits with keys that a store has made."""
    return rows(world, name, "SELECT count(*) FROM StoredEdit")[0][0]


def check_mark(page, action):
    """The edit is shown on what it is about as kept."""
    if action in EDITED:
        heart = page.row(EDITED[action]).locator(".heart")
        expect(heart).to_have_attribute("data-state", "kept")
        expect(heart).to_have_attribute("aria-pressed", str(action == "favorite").lower())
        expect(heart).to_have_accessible_name(f"Favorite: {heart_name(action)} (kept in this browser)")
    else:
        visit = page.page.locator("#visits .visit.kept")
        expect(visit).to_have_count(1)
        expect(visit).to_contain_text(
            "Removal kept in this browser" if action == "remove" else "Kept in this browser")


def heart_name(action):
    return "Yosemite Falls" if action == "favorite" else "El Capitan"


@pytest.mark.parametrize("action, order", [
    *((action, order) for action in EDITS for order in ("start", "close tab first")),
    ("reserve", "start then reload"), ("reserve", "close then start"),
])
def test_an_edit_made_with_the_program_ended_is_shown_and_made_once(world, visit, port, action, order):
    device, page = prepared(world, visit, action, script=None, port=port)
    before, count = shown(page), made(world)
    device.stop()
    expect(page.page.locator("#status-text")).to_contain_text("does not answer")
    act(page, action)
    kept(page)
    check_mark(page, action)
    assert page.page.locator(".notice.problem").count() == 0
    assert shown(page) != before
    if order == "close tab first":
        # The browser's own page for a program that doesn't answer, or the kept one.
        tab = page.context.new_page()
        page.page.close()
        page.page = tab
        tab.set_default_timeout(15_000)
        tab.set_default_navigation_timeout(60_000)
    world.device("a", port)
    if order == "start then reload":
        page.page.reload()
        page.loaded()
    elif order == "close then start":
        reopened(page)
    elif order == "close tab first":
        page.page.goto(page.url)
        page.loaded()
    if action in ("reserve", "move", "note", "cancel", "remove"):
        open_visit(page)
    in_sync(page)
    assert made(world) == count + 1
    assert page.page.locator(".notice.problem").count() == 0
    if action in EDITED:
        wanted = [EL_CAPITAN, YOSEMITE_FALLS] if action == "favorite" else []
        assert favorites(world) == wanted
    visits = page.page.locator("#visits .visit")
    if action == "reserve":
        expect(visits).to_contain_text(["1 Jul 2027"])
    elif action == "move":
        expect(visits).to_contain_text(["5 Jul 2027"])
    elif action == "note":
        expect(visits.locator(".note")).to_have_text("Bring water\n<b>Two</b> tickets")
    elif action == "cancel":
        expect(visits).to_contain_text(["Cancelled"])
    elif action == "remove":
        expect(visits).to_have_count(0)
    page.page.evaluate("window.violations = []")
    page.errors.clear()


def test_without_locks_and_channels_an_edit_is_kept_and_made_once(world, visit, port):
    script = """Object.defineProperty(Navigator.prototype, "locks", { get: () => undefined });
      delete window.BroadcastChannel;"""
    device, page = prepared(world, visit, "favorite", script=script, port=port)
    count = made(world)
    tabs_of(page, 1)
    device.stop()
    expect(page.page.locator("#status-text")).to_contain_text("does not answer")
    act(page, "favorite")
    kept(page)
    world.device("a", port)
    in_sync(page)
    assert favorites(world) == [EL_CAPITAN, YOSEMITE_FALLS]
    assert made(world) == count + 1
    page.errors.clear()


class Profile:
    """A browser with a folder of its own, which can be killed and started again."""

    def __init__(self, playwright, folder, url):
        self.playwright, self.folder, self.url = playwright, folder / "profile", url
        self.errors = []
        self.launch()

    def launch(self):
        self.context = self.playwright.chromium.launch_persistent_context(
            self.folder, executable_path=chromium(), args=[*WITHOUT_WEBGL, "--remote-debugging-port=0"],
            service_workers="block", locale="en-GB", timezone_id="America/Denver")
        self.page = self.context.pages[0]
        self.page.goto(self.url)
        self.loaded()

    def loaded(self):
        expect(self.page.locator("#list .row").first).to_be_visible(timeout=60_000)
        return self

    def row(self, number):
        return self.page.locator(f'#list .row[data-id="{number}"]')

    def kill(self):
        browser = self.context.browser
        session = browser.new_browser_cdp_session() if browser else self.context.new_cdp_session(self.page)
        processes = session.send("SystemInfo.getProcessInfo")
        process = next(one["id"] for one in processes["processInfo"] if one["type"] == "browser")
        os.kill(process, signal.SIGKILL)
        self.close()
        for lock in self.folder.glob("Singleton*"):
            lock.unlink()

    def close(self):
        with contextlib.suppress(Exception):
            self.context.close()


@pytest.fixture
def profile(playwright, tmp_path):
    """Starts a browser that can be killed."""
    started = []

    def start(device):
        started.append(Profile(playwright, tmp_path, device.url))
        return started[0]

    yield start
    for one in started:
        one.close()


def test_an_edit_survives_a_killed_browser(world, profile, port):
    world.start_server()
    device = world.device("a", port)
    page = profile(device)
    device.stop()
    heart = page.row(EL_CAPITAN).locator(".heart")
    heart.click()
    expect(heart).to_have_attribute("data-state", "kept")
    page.kill()
    world.device("a", port)
    page.launch()
    expect(page.row(EL_CAPITAN).locator(".heart")).to_have_attribute("aria-pressed", "true", timeout=60_000)
    expect(page.page.locator("#kept")).to_be_hidden()
    wait_for(page.page, lambda: favorites(world), [EL_CAPITAN])


class Gate:
    """Lets edits through to the program or not; `swallow` keeps the answers of the next ones back."""

    def __init__(self, context, edits=CHANGES):
        self.edits = edits
        self.open = True
        self.swallow = 0
        self.swallowed = 0
        self.delivered = []
        self.after = lambda: None
        self.guard(context)

    def guard(self, context):
        context.route(self.edits, self._take)

    def wait(self, page):
        """Waits until an answer was kept back."""
        wait_for(page.page, lambda: self.swallowed > 0)

    def _take(self, route):
        if route.request.method == "GET":
            return route.continue_()
        if not self.open:
            return route.abort("connectionrefused")
        self.delivered.append(route.request.headers.get("idempotency-key"))
        if self.swallow == 0:
            return route.continue_()
        self.swallow -= 1
        # Before the answer is waited for: meanwhile the test may open the gate again.
        self.open = False
        # The program may have been killed.
        with contextlib.suppress(Error):
            assert route.fetch().status == 200
        self.swallowed += 1
        self.after()
        return route.abort("connectionreset")


def test_an_edit_whose_answer_was_lost_is_not_made_again(world, visit, port):
    device, page = prepared(world, visit, "favorite", script=None, port=port)
    gate = Gate(page.context)
    gate.swallow = 1
    page.row(YOSEMITE_FALLS).locator(".heart").click()
    gate.wait(page)
    expect(page.row(YOSEMITE_FALLS).locator(".heart")).to_have_attribute("data-state", "kept")
    assert favorites(world) == [EL_CAPITAN, YOSEMITE_FALLS]
    # Another program takes the mark away before the edit is delivered again.
    request = urllib.request.Request(
        f"{device.url}/api/favorites/{YOSEMITE_FALLS}", method="DELETE",
        headers={"X-Requested-With": "landmarks"})
    urllib.request.urlopen(request, timeout=30).read()
    gate.open = True
    expect(page.row(YOSEMITE_FALLS).locator(".heart")).to_have_attribute("aria-pressed", "false")
    in_sync(page)
    assert len(gate.delivered) > 1 and len(set(gate.delivered)) == 1
    assert favorites(world) == [EL_CAPITAN]
    page.context.unroute(CHANGES)
    page.errors.clear()


def test_a_program_killed_before_its_answer_gets_the_edit_once(world, visit, port):
    device, page = prepared(world, visit, "reserve", script=None, port=port)
    count = made(world)
    gate = Gate(page.context)
    gate.after = device.process.kill
    gate.swallow = 1
    act(page, "reserve")
    gate.wait(page)
    kept(page)
    assert made(world) == count + 1
    gate.open = True
    world.device("a", port)
    in_sync(page)
    expect(page.page.locator("#visits .visit")).to_have_count(1)
    assert made(world) == count + 1
    assert rows(world, "a", "SELECT count(*) FROM StoredReservation") == [(1,)]
    page.context.unroute(CHANGES)
    page.errors.clear()


def refused(page):
    return page.page.locator(".notice.refusal")


def test_a_refused_date_is_told_with_the_visit_and_can_be_dismissed(world, visit, port):
    device, page = prepared(world, visit, "reserve", script=None, port=port)
    device.stop()
    expect(page.page.locator("#status-text")).to_contain_text("does not answer")
    # Later than the program takes reservations for.
    page.page.locator("#reserve-date").fill("2033-07-01T10:00")
    page.page.get_by_role("button", name="Reserve").click()
    kept(page)
    world.device("a", port)
    notice = refused(page)
    expect(notice).to_contain_text("The visit to El Capitan on Fri, 1 Jul 2033")
    expect(notice).to_contain_text("Reservations are taken for the next 730 days.")
    row = page.page.locator("#visits .visit.refused")
    expect(row).to_contain_text("Refused: Reservations are taken for the next 730 days")
    expect(page.page.locator("#reservation-count")).to_be_empty()
    # It stays until it is dismissed, in every tab.
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.locator(".notice.refusal")).to_contain_text("El Capitan")
    notice.get_by_role("button", name="Try again").click()
    expect(notice).to_contain_text("Reservations are taken for the next 730 days.")
    notice.get_by_role("button", name="Dismiss").click()
    expect(notice).to_have_count(0)
    expect(row).to_have_count(0)
    expect(other.locator(".notice.refusal")).to_have_count(0)
    page.page.reload()
    page.loaded()
    expect(refused(page)).to_have_count(0)
    in_sync(page)
    page.errors.clear()


def test_an_edit_of_an_unknown_landmark_is_refused_and_blocks_no_other(world, visit, port):
    device, page = prepared(world, visit, "favorite", script=None, port=port)
    world.stop_server()
    device.stop()
    expect(page.page.locator("#status-text")).to_contain_text("does not answer")
    with contextlib.closing(sqlite3.connect(world.folder / "a.store")) as store, store:
        store.execute("DELETE FROM StoredLandmark WHERE remoteID = ?", (YOSEMITE_FALLS,))
    act(page, "favorite")
    act(page, "unfavorite")
    kept(page, 2)
    world.device("a", port)
    expect(refused(page)).to_contain_text("The mark of Yosemite Falls was not stored")
    expect(refused(page)).to_contain_text("There is no such landmark in the store.")
    expect(page.row(EL_CAPITAN).locator(".heart")).to_have_attribute("aria-pressed", "false")
    expect(page.page.locator("#kept")).to_be_hidden()
    assert favorites(world) == []
    refused(page).get_by_role("button", name="Dismiss").click()
    expect(refused(page)).to_have_count(0)
    page.errors.clear()


def test_a_refusal_that_comes_at_once_is_told_in_the_form(world, visit):
    device, page = prepared(world, visit, "reserve", script=None)
    page.page.locator("#reserve-date").fill("2033-07-01T10:00")
    page.page.get_by_role("button", name="Reserve").click()
    expect(page.page.locator("#reserve-error")).to_contain_text("for the next 730 days")
    expect(refused(page)).to_contain_text("The visit to El Capitan")
    # Where the browser's database fails, the page says so, and the button can be pressed again.
    page.page.evaluate("""() => {
      window.usual = IDBObjectStore.prototype.delete;
      IDBObjectStore.prototype.delete = () => { throw new DOMException("out of order"); };
    }""")
    refused(page).get_by_role("button", name="Dismiss").click()
    expect(page.page.locator(".notice.problem", has_text="That did not work")).to_contain_text(
        "The browser's database failed: out of order")
    page.page.evaluate("() => { IDBObjectStore.prototype.delete = usual; }")
    refused(page).get_by_role("button", name="Dismiss").click()
    expect(refused(page)).to_have_count(0)
    page.errors.clear()


def test_an_edit_at_which_the_program_fails_is_set_aside(world, visit):
    device, page = prepared(world, visit, "favorite", script=None)
    page.context.route(f"**/api/favorites/{YOSEMITE_FALLS}", lambda route: route.fulfill(
        status=500, json={"error": {"code": "internal", "message": "Its log says why."}}))
    act(page, "favorite")
    act(page, "unfavorite")
    expect(refused(page)).to_contain_text("Its log says why.")
    expect(page.row(EL_CAPITAN).locator(".heart")).to_have_attribute("aria-pressed", "false")
    page.context.unroute(f"**/api/favorites/{YOSEMITE_FALLS}")
    expect(page.row(YOSEMITE_FALLS).locator(".heart")).to_have_attribute("aria-pressed", "false")
    refused(page).get_by_role("button", name="Try again").click()
    # The page has the edit again before it is sent.
    expect(page.row(YOSEMITE_FALLS).locator(".heart")).to_have_attribute("aria-pressed", "true")
    in_sync(page)
    assert favorites(world) == [YOSEMITE_FALLS]
    page.errors.clear()


def tabs_of(page, count):
    """Further tabs of the same browser."""
    tabs = []
    for _ in range(count):
        tab = page.context.new_page()
        tab.set_default_timeout(15_000)
        tab.set_default_navigation_timeout(60_000)
        tab.goto(page.url)
        expect(tab.locator("#list .row").first).to_be_visible(timeout=60_000)
        tabs.append(tab)
    return tabs


def test_all_tabs_show_the_same_state_and_one_sends(world, visit, port):
    device, page = prepared(world, visit, "favorite", script=None, port=port)
    tabs = [page.page, *tabs_of(page, 3)]
    sent = []
    page.context.on("request", lambda request: CHANGES.search(request.url) and sent.append(request))
    device.stop()
    expect(tabs[-1].locator("#status-text")).to_contain_text("does not answer")
    heart = f'#list .row[data-id="{YOSEMITE_FALLS}"] .heart'
    tabs[-1].locator(heart).click()
    for tab in tabs:
        expect(tab.locator(heart)).to_have_attribute("data-state", "kept")
        expect(tab.locator("#kept")).to_have_text("1 kept in this browser")
        expect(tab.locator("#favorite-count")).to_have_text("2")
    world.device("a", port)
    for tab in tabs:
        expect(tab.locator("#kept")).to_be_hidden()
        expect(tab.locator(heart)).to_have_attribute("aria-pressed", "true")
    assert len(sent) == 1
    assert favorites(world) == [EL_CAPITAN, YOSEMITE_FALLS]
    page.errors.clear()


def test_when_the_sending_tab_is_closed_another_sends(world, visit, port):
    device, page = prepared(world, visit, "favorite", script=None, port=port)
    tabs = [page.page, *tabs_of(page, 1)]
    held = []
    page.context.route(CHANGES, lambda route: held.append(route))
    heart = f'#list .row[data-id="{YOSEMITE_FALLS}"] .heart'
    page.page.locator(heart).click()
    # All tabs show what is kept before it is sent.
    for tab in tabs:
        expect(tab.locator(heart)).to_have_attribute("data-state", "kept", timeout=60_000)
    wait_for(page.page, lambda: bool(held))
    assert len(held) == 1 and favorites(world) == [EL_CAPITAN]
    # Either tab may be the one that sends.
    sender = held[0].request.frame.page
    (other,) = (tab for tab in tabs if tab != sender)
    page.context.unroute(CHANGES)
    sender.close()
    expect(other.locator("#kept")).to_be_hidden(timeout=60_000)
    expect(other.locator(heart)).to_have_attribute("aria-pressed", "true")
    assert favorites(world) == [EL_CAPITAN, YOSEMITE_FALLS]
    page.page = other


def test_edits_for_another_store_wait_for_it(world, visit, port):
    device, page = prepared(world, visit, "favorite", script=None, port=port)
    device.stop()
    expect(page.page.locator("#status-text")).to_contain_text("does not answer")
    act(page, "favorite")
    kept(page)
    other = world.device("b", port)
    strange = page.page.locator(".notice.strange")
    expect(strange).to_contain_text("Kept for another store")
    expect(strange).to_contain_text("The mark of Yosemite Falls")
    expect(page.row(YOSEMITE_FALLS).locator(".heart")).to_have_attribute("aria-pressed", "false")
    other.stop()
    assert made(world, "b") == 0
    world.device("a", port)
    expect(strange).to_have_count(0)
    in_sync(page)
    assert favorites(world) == [EL_CAPITAN, YOSEMITE_FALLS]
    page.errors.clear()


@pytest.mark.parametrize("choice", ["Make them here", "Discard"])
def test_edits_for_another_store_can_be_made_here_or_discarded(world, visit, port, choice):
    device, page = prepared(world, visit, "favorite", script=None, port=port)
    device.stop()
    expect(page.page.locator("#status-text")).to_contain_text("does not answer")
    act(page, "favorite")
    kept(page)
    world.device("b", port)
    strange = page.page.locator(".notice.strange")
    strange.get_by_role("button", name=choice).click()
    expect(strange).to_have_count(0)
    in_sync(page)
    pressed = str(choice != "Discard").lower()
    expect(page.row(YOSEMITE_FALLS).locator(".heart")).to_have_attribute("aria-pressed", pressed)
    assert made(world, "b") == (0 if choice == "Discard" else 1)
    page.errors.clear()


#: Notes the time at which the page first counts a favorite.
WATCH = """() => {
  window.seen = null;
  const count = document.getElementById('favorite-count');
  new MutationObserver(() => {
    if (window.seen === null && count.textContent === '1') window.seen = Date.now();
  }).observe(count, { childList: true, characterData: true, subtree: true });
}"""


@pytest.mark.alone
@pytest.mark.parametrize("script", ["", "delete window.SharedWorker;"], ids=["worker", "elected"])
def test_eight_tabs_show_and_store_an_edit_of_the_eighth_within_two_seconds(world, visit, script):
    world.start_server()
    device = world.device("a")
    page = visit(device)
    page.context.add_init_script(script)
    page.page.reload()
    page.loaded()
    tabs = [page.page, *tabs_of(page, 7)]
    for tab in tabs:
        tab.evaluate(WATCH)
    heart = f'#list .row[data-id="{EL_CAPITAN}"] .heart'
    clicked = tabs[-1].evaluate(
        "(heart) => { document.querySelector(heart).click(); return Date.now(); }", heart)
    for tab in tabs:
        expect(tab.locator("#favorite-count")).to_have_text("1")
    latest = max(tab.evaluate("window.seen") for tab in tabs) - clicked
    in_sync(page)
    print(f"the last of eight tabs shows it after {latest} ms")
    assert latest < 2_000
    assert favorites(world) == [EL_CAPITAN]
    # News from the program reach all tabs, too.
    for tab in tabs:
        expect(tab.locator("#status[data-state=synced]")).to_be_visible()
