"""Fixtures: one pair of servers for all tests of a worker, and pages of Quakes."""

import time
import urllib.parse

import pytest
from playwright.sync_api import expect

pytest.register_assert_rewrite("browsers")
from browsers import LOADED, WIDE, Tab, ending_clean  # noqa: E402
from quakes_server import World  # noqa: E402

pytest_plugins = ["browsers"]

#: The details of an event of which nothing is known beyond the feed.
NO_DETAILS = {
    "id": "x", "loaded": 1_790_000_000_000, "eventUpdated": 1_790_000_000_000, "isCurrent": True,
    "failure": None, "felt": None, "shaking": None, "alert": None, "mechanism": None, "towns": [], "contours": [],
    "missing": [],
}


@pytest.fixture(scope="session")
def world(tmp_path_factory):
    """Quakes with a filled store."""
    world = World(tmp_path_factory.mktemp("quakes"))
    yield world
    world.stop()


@pytest.fixture(scope="session")
def ready(world):
    """Waits until the store holds events (the first refresh runs when the server starts)."""
    deadline = time.monotonic() + 60
    while world.get("/api/status")["total"] == 0:
        assert time.monotonic() < deadline, "the store stayed empty"
    return world


@pytest.fixture(autouse=True)
def healthy(world, turn):
    """Each test starts from, and leaves behind, a feed without faults, and a store that has it."""
    yield
    world.restore()


class Visit(Tab):
    """A page of Quakes."""

    def __init__(self, browser, world, has_map, globe=False, **options):
        super().__init__(browser, has_map, **{"timezone_id": "Europe/Berlin", **options})
        self.world = world
        if has_map and not globe:
            self.context.add_init_script("localStorage['quakes.projection'] ??= 'mercator'")
        #: Whether responses without success, which the browser reports at any time after them, are expected.
        self.expects_failures = False
        self.page.on("console", self._console)

    def _console(self, message):
        is_failure = message.text.startswith("Failed to load resource")
        if message.type == "error" and not (is_failure and self.expects_failures):
            self.errors.append(message.text)

    def serve(self, events, beyond=()):
        """Answers the API's requests for events with these, and those for one event also with those beyond them."""
        page = {"events": events, "total": len(events), "limit": 5000, "offset": 0, "next": None}
        single = {event["id"]: {**event, "revisions": []} for event in [*events, *beyond]}

        def answer(route):
            id = urllib.parse.unquote(route.request.url.rsplit("/", 1)[1])
            if id in single:
                route.fulfill(json=single[id])
            else:
                route.fallback()

        self.context.route("**/api/events?*", lambda route: route.fulfill(json=page))
        self.context.route("**/api/events/*", answer)
        # Events that the program doesn't have.
        self.context.route("**/api/events/*/details", lambda route: route.fulfill(json=NO_DETAILS))

    def open(self, fragment="", map_state=None):
        """Loads the page and waits until the list is drawn, and the map or the reason why there is none. On a phone
        the map waits for its view."""
        self.page.goto(f"{self.world.url}/{fragment}")
        expect(self.rows.first).to_be_visible(timeout=LOADED)
        # The first events are shown before the others are there.
        expect(self.page.locator("#list:not([aria-busy])")).to_be_attached(timeout=LOADED)
        if map_state is None:
            is_wide = self.page.viewport_size["width"] >= WIDE
            map_state = "loading" if not is_wide else "ready" if self.has_map else "webgl"
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


@pytest.fixture
def visit(browser, browser_with_map, ready):
    """Makes pages. Without `with_map`, the browser has no WebGL, and the page says so in the map's place. The map is
    flat: the emulated GPU draws the globe, which users see first, in four times the time."""
    def make(with_map=False, browser=browser, globe=False, **options):
        return Visit(browser_with_map() if with_map else browser, ready, with_map, globe, **options)

    with ending_clean(make) as remembered:
        yield remembered
