"""Fixtures: one pair of servers for all tests, a fresh browser for each."""

import os
import time

import pytest
from playwright.sync_api import expect, sync_playwright

from quakes_server import World

FLAGS = ["--no-sandbox", "--enable-unsafe-swiftshader"]
NO_WEBGL = ["--no-sandbox", "--disable-gpu", "--disable-webgl", "--disable-3d-apis"]
LOADED = 60_000

expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
def world(tmp_path_factory):
    """Quakes with a filled store."""
    world = World(tmp_path_factory.mktemp("quakes"))
    yield world
    world.stop()


@pytest.fixture(autouse=True)
def healthy(world):
    """Each test starts from, and leaves behind, a feed without faults."""
    yield
    world.fault("none")
    world.refresh()


@pytest.fixture(scope="session")
def playwright():
    with sync_playwright() as playwright:
        yield playwright


def launch(playwright, flags):
    path = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    return playwright.chromium.launch(executable_path=path, args=flags)


@pytest.fixture
def browser(playwright):
    """A browser of its own for each test: the emulated GPU outlives a page and slows the next."""
    browser = launch(playwright, FLAGS)
    yield browser
    browser.close()


@pytest.fixture
def browser_without_webgl(playwright):
    browser = launch(playwright, NO_WEBGL)
    yield browser
    browser.close()


class Visit:
    """A page of Quakes, with the browser's errors and warnings."""

    def __init__(self, browser, world, **options):
        settings = {
            "viewport": {"width": 1440, "height": 900},
            "locale": "en-GB",
            "timezone_id": "Europe/Berlin",
            "reduced_motion": "reduce",
            # Requests of a service worker pass the tests' own answers.
            "service_workers": "block",
            **options,
        }
        self.context = browser.new_context(**settings)
        self.context.add_init_script(
            "window.violations = [];"
            "document.addEventListener('securitypolicyviolation', (event) =>"
            " window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));"
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(15_000)
        self.world = world
        self.errors = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._console)

    def _console(self, message):
        if message.type == "error":
            self.errors.append(message.text)

    def open(self, fragment="", map_state="ready"):
        """Loads the page and waits until list and map are drawn."""
        self.page.goto(f"{self.world.url}/{fragment}")
        expect(self.rows.first).to_be_visible(timeout=LOADED)
        expect(self.page.locator(f"#map[data-state={map_state}]")).to_be_attached(timeout=LOADED)
        return self

    @property
    def rows(self):
        return self.page.locator("#list [role=option]")

    def row(self, event_id):
        return self.page.locator(f'#list [role=option][data-id="{event_id}"]')

    @property
    def selected(self):
        return self.page.locator("#list [role=option][aria-selected=true]")

    def ids(self):
        """The ids of the rows in the document, in the order of the list."""
        return self.page.evaluate(
            "[...document.querySelectorAll('#list [role=option]')]"
            ".sort((a, b) => a.ariaPosInSet - b.ariaPosInSet).map((row) => row.dataset.id)"
        )

    def shown(self):
        """The number of events in the list, from the rows themselves."""
        return int(self.rows.first.get_attribute("aria-setsize"))

    def scroll_top(self):
        return self.page.evaluate("document.getElementById('list').scrollTop")

    def scroll_to(self, top):
        self.page.evaluate("(top) => { document.getElementById('list').scrollTop = top; }", top)

    def announced(self, pattern):
        expect(self.page.locator("#announcer")).to_have_text(pattern)

    def check_clean(self):
        """The browser reported neither errors nor violations of the content security policy."""
        assert self.page.evaluate("window.violations") == []
        assert self.errors == []

    def close(self):
        self.context.close()


@pytest.fixture
def ready(world):
    """Waits until the store holds events (the first refresh runs when the server starts)."""
    deadline = time.monotonic() + 60
    while world.get("/api/status")["total"] == 0:
        assert time.monotonic() < deadline, "the store stayed empty"
    return world


@pytest.fixture
def visit(browser, ready):
    """Makes pages; each must end without errors and violations."""
    visits = []

    def make(with_browser=browser, **options):
        visits.append(Visit(with_browser, ready, **options))
        return visits[-1]

    yield make
    for made in visits:
        try:
            made.check_clean()
        finally:
            made.close()
