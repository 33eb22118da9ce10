"""Fixtures: a server, devices with their pages, and pages that end clean."""

import os
import pathlib
import sys

import pytest
from playwright.sync_api import expect

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Browser"))
pytest.register_assert_rewrite("browsers")
from browsers import LOADED, Tab, ending_clean  # noqa: E402
from quakes_server import Process, free_port  # noqa: E402, F401

pytest_plugins = ["browsers"]
TOKEN = "browser-0123456789abcdef"


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

    def device(self, name, port=0, *options):
        """Starts the page's program on the store of a name, which it keeps between starts."""
        process = Process(
            self.binary, "app", "--port", str(port), "--every", "1",
            "--server", f"http://127.0.0.1:{self.port}",
            "--store", str(self.folder / f"{name}.store"), *options, log=self.folder / f"{name}.log",
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


class Visit(Tab):
    """A page of a device."""

    def __init__(self, browser, url, has_map, **options):
        super().__init__(browser, has_map, **{"timezone_id": "America/Denver", **options})
        self.requested = set()
        # The addresses of the pages in its frames.
        self.framed = ()
        self.page.on("request", lambda request: self.requested.add(request.url))
        self.url = url
        self.page.goto(url)

    def loaded(self):
        """Waits for the list, and for the map, which a browser that could show it has."""
        expect(self.rows.first).to_be_visible(timeout=LOADED)
        if self.has_map:
            expect(self.page.locator("#map[data-state=ready]")).to_be_attached(timeout=LOADED)
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
        super().check_clean()
        assert [url for url in self.requested
                if not url.startswith((self.url, "blob:", "data:", *self.framed))] == []


@pytest.fixture
def visit(browser, browser_with_map):
    """Opens pages. Without `with_map`, the browser has no WebGL, and the page says so in the map's place."""
    def open_page(process, with_map=False, **options):
        return Visit(browser_with_map() if with_map else browser, process.url, with_map, **options)

    with ending_clean(open_page) as remembered:
        yield remembered
