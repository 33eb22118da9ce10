"""The page opens without its program, with what it last had and the edits that wait."""

import re

import pytest
from playwright.sync_api import expect

from browsers import wait_for
from conftest import free_port
from test_kept import favorites, kept, made, reopened
from test_landmarks import EL_CAPITAN, YOSEMITE_FALLS, in_sync


def keep_files(page):
    """Waits until the browser has the page's files and data."""
    page.page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    wait_for(page.page, lambda: page.page.evaluate("""async () => {
      const { LastData } = await import('/js/offline.js');
      return (await new LastData().read())?.state?.landmarks?.length > 0;
    }"""))


def open_kept(world, visit):
    """The program, its port, and its page, which is kept in the browser."""
    world.start_server()
    port = free_port()
    device = world.device("a", port)
    page = visit(device, service_workers="allow").loaded()
    in_sync(page)
    keep_files(page)
    return device, port, page


@pytest.fixture
def opened(world, visit):
    device, port, page = open_kept(world, visit)
    yield device, port, page
    page.page.evaluate("window.violations = []")
    page.errors.clear()


def heart(page, number):
    return page.row(number).locator(".heart")


def test_a_reload_with_the_program_ended_shows_the_edits_that_wait(world, opened):
    device, port, page = opened
    device.stop()
    heart(page, EL_CAPITAN).click()
    kept(page)
    page.page.reload()
    page.loaded()
    expect(page.page.locator("#status-text")).to_contain_text("Landmarks does not answer")
    expect(page.page.locator("#status-text")).to_contain_text("as of")
    # The time is there on a phone, too, and whole in the tooltip.
    size = page.page.viewport_size
    page.page.set_viewport_size({"width": 390, "height": 844})
    assert page.page.locator("#status-text").evaluate("(line) => line.scrollWidth <= line.clientWidth")
    page.page.set_viewport_size(size)
    expect(page.page.locator("#status")).to_have_attribute("title", re.compile(" · as of .*20"))
    expect(heart(page, EL_CAPITAN)).to_have_attribute("data-state", "kept")
    # Another edit, on the page that was opened without the program.
    heart(page, YOSEMITE_FALLS).click()
    kept(page, 2)
    page.page.close()
    page.page = page.context.new_page()
    page.page.goto(page.url)
    page.loaded()
    kept(page, 2)
    world.device("a", port)
    in_sync(page)
    assert favorites(world) == [EL_CAPITAN, YOSEMITE_FALLS]


def test_an_edit_of_the_last_moment_is_shown_without_the_program(world, opened):
    """The program has the edit, and ends before the browser keeps a state that contains it."""
    device, port, page = opened
    # The state that the page has isn't read any more, so the browser keeps the earlier one.
    page.page.evaluate("""() => {
      const original = window.fetch;
      window.fetch = (...all) => (String(all[0]).includes("/api/state") ? new Promise(() => {}) : original(...all));
    }""")
    heart(page, EL_CAPITAN).click()
    expect(page.page.locator("#kept")).to_have_attribute("data-count", "0")
    expect(heart(page, EL_CAPITAN)).to_have_attribute("aria-pressed", "true")
    wait_for(page.page, lambda: favorites(world), [EL_CAPITAN])
    device.process.kill()
    page = reopened(page)
    expect(page.page.locator("#status-text")).to_contain_text("Landmarks does not answer")
    expect(heart(page, EL_CAPITAN)).to_have_attribute("aria-pressed", "true")
    expect(page.page.locator("#kept")).to_be_hidden()
    # It isn't made again, and the browser forgets it when it keeps a later state.
    world.device("a", port)
    in_sync(page)
    assert favorites(world) == [EL_CAPITAN] and made(world) == 1
    wait_for(page.page, lambda: page.page.evaluate("""async () => {
      const { answer, Database } = await import("/js/database.js");
      const database = new Database("landmarks", { edits: { keyPath: "number", autoIncrement: true } });
      return database.use("edits", "readonly", (store) => answer(store.count()));
    }"""), 0)


def test_the_files_are_kept_after_the_list_is_there(world, visit):
    """Over a slow line, those of the map alone take seconds."""
    world.start_server()
    made = visit(world.device("a"), service_workers="allow")
    made.context.add_init_script("""
      const { register } = ServiceWorkerContainer.prototype;
      ServiceWorkerContainer.prototype.register = function(...given) {
        window.rows = document.querySelectorAll("#list .row").length;
        return register.apply(this, given);
      };""")
    waiting = []
    made.context.route("**/api/state*", lambda route: waiting.append(route) if not waiting else route.fallback())
    with made.page.expect_request("**/api/state*"):
        made.page.goto(made.url, wait_until="commit")
    made.page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    assert made.page.evaluate("window.rows") is None
    waiting[0].fallback()
    made.loaded()
    made.page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    assert made.page.evaluate("window.rows") == 80
