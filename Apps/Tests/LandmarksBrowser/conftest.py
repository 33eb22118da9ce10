"""Fixtures: a server, devices with their pages, and a fresh browser for each test."""

import os
import pathlib
import sys

import pytest
from playwright.sync_api import expect, sync_playwright

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Browser"))
from quakes_server import Process, free_port  # noqa: E402, F401

TOKEN = "browser-0123456789abcdef"
FLAGS = ["--no-sandbox", "--enable-unsafe-swiftshader"]
NO_WEBGL = ["--no-sandbox", "--disable-gpu", "--disable-webgl", "--disable-3d-apis"]
LOADED = 60_000

expect.set_options(timeout=20_000)


class World:
    """A server that can be stopped and restarted, and the devices that use it."""

    def __init__(self, folder):
        self.folder = folder
        self.binary = os.environ["OPENSWIFTDATA_TEST_LANDMARKS"]
        self.port = free_port()
        self.server = None
        self.processes = []
        os.environ["LANDMARKS_TOKEN"] = TOKEN

    def start_server(self, *rules):
        self.server = Process(
            self.binary, "serve", "--port", str(self.port),
            "--store", str(self.folder / "server.store"), *rules, log=self.folder / "serve.log",
        )

    def stop_server(self):
        if self.server:
            self.server.stop()
            self.server = None

    def device(self, name, port=0):
        """Starts the page's program on the store of a name, which it keeps between starts."""
        process = Process(
            self.binary, "app", "--port", str(port), "--every", "1",
            "--server", f"http://127.0.0.1:{self.port}",
            "--store", str(self.folder / f"{name}.store"), log=self.folder / f"{name}.log",
        )
        self.processes.append(process)
        return process

    def stop(self):
        self.stop_server()
        while self.processes:
            self.processes.pop().stop()


@pytest.fixture
def world(tmp_path):
    world = World(tmp_path)
    yield world
    world.stop()


@pytest.fixture(scope="session")
def playwright():
    with sync_playwright() as playwright:
        yield playwright


def launch(playwright, flags):
    path = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    return playwright.chromium.launch(executable_path=path, args=flags)


@pytest.fixture
def browser(playwright):
    browser = launch(playwright, FLAGS)
    yield browser
    browser.close()


@pytest.fixture
def browser_without_webgl(playwright):
    """A browser whose tabs show no map, which would take the processors from each other."""
    browser = launch(playwright, NO_WEBGL)
    yield browser
    browser.close()


class Visit:
    """A page of a device, with the browser's errors and warnings."""

    def __init__(self, browser, url, **options):
        settings = {
            "viewport": {"width": 1440, "height": 900}, "locale": "en-GB",
            "timezone_id": "America/Denver", "reduced_motion": "reduce",
            # Requests of a service worker pass the tests' own answers.
            "service_workers": "block", **options,
        }
        self.context = browser.new_context(**settings)
        self.context.add_init_script(
            "window.violations = [];"
            "document.addEventListener('securitypolicyviolation', (event) =>"
            " window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));"
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(15_000)
        self.errors = []
        self.requested = set()
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requested.add(request.url))
        self.url = url
        self.page.goto(url)

    def loaded(self):
        expect(self.rows.first).to_be_visible(timeout=LOADED)
        return self

    @property
    def rows(self):
        return self.page.locator("#list .row")

    def row(self, number):
        return self.page.locator(f'#list .row[data-id="{number}"]')

    def tab(self, name):
        self.page.locator(f'[data-tab="{name}"]').click()

    def check_clean(self):
        """No errors, no violations of the policy, and no request to another place."""
        assert self.page.evaluate("window.violations") == []
        assert self.errors == []
        assert [url for url in self.requested
                if not url.startswith((self.url, "blob:", "data:"))] == []


@pytest.fixture
def visit(browser):
    """Opens pages; each must end clean."""
    visits = []

    def open_page(process, with_browser=browser, **options):
        visits.append(Visit(with_browser, process.url, **options))
        return visits[-1]

    yield open_page
    for visit in visits:
        try:
            visit.check_clean()
        finally:
            visit.context.close()
