"""The page's requests until its first rows are shown, which decide how long they take over a slow line."""

import os
import pathlib
import shutil
import urllib.parse

import pytest
from playwright.sync_api import expect

from browsers import LOADED
from quakes_server import FEED_PATH, Process
from test_alerts import recent
from test_large import serve_events
from test_tabs import change

BUNDLE = "/bundle/main.js"
FIRST = "/api/events?limit=200&layout=differences"
#: The modules that aren't in the file of all: the program makes one, and two are those of the stream's worker.
SEPARATE = {"/js/boot.js", "/js/place-names.js", "/js/stream-worker.js", "/js/stream-source.js"}


@pytest.fixture
def noted(visit):
    """Makes pages, with the paths that each asks for in a list."""
    def make(**options):
        made, paths = visit(**options), []

        def note(request):
            parts = urllib.parse.urlsplit(request.url)
            paths.append(parts.path + (f"?{parts.query}" if parts.query else ""))

        made.context.on("request", note)
        return made, paths

    return make


class Gate:
    """Holds a page's requests until it opens."""

    def __init__(self, context, *patterns):
        self.held, self.is_open = [], False
        for pattern in patterns:
            context.route(pattern, lambda route: route.continue_() if self.is_open else self.held.append(route))

    def open(self):
        self.is_open = True
        for route in self.held:
            route.continue_()


def modules(paths):
    return {path for path in paths if path.startswith("/js/")}


def test_the_page_loads_its_modules_as_one_file(noted):
    made, paths = noted()
    made.open()
    assert BUNDLE in paths, "the program has no file of modules: scripts/install-web-assets.sh says why"
    assert modules(paths) - SEPARATE == set()


def test_the_page_works_with_separate_modules_and_asks_for_all_at_once(noted):
    """Over a slow line, a module that another one has to name first costs a round trip."""
    made, paths = noted()
    made.open("index.html")
    assert BUNDLE not in paths
    page = made.page
    asked = page.evaluate(
        "[...document.querySelectorAll('link[rel=modulepreload]')].map(({ href }) => new URL(href).pathname)")
    assert set(asked) == modules(paths) - {"/js/boot.js", "/js/main.js", "/js/stream-worker.js"}
    assert len(asked) == len(set(asked))


def test_a_program_with_other_modules_does_not_run_the_old_ones(noted, ready, tmp_path):
    """As after an edit of a module, without esbuild."""
    program = pathlib.Path(os.environ["OPENSWIFTDATA_TEST_QUAKES"])
    shutil.copy(program, tmp_path / "quakes")
    for bundle in program.parent.glob("OpenSwiftDataApps_*.resources"):
        shutil.copytree(bundle, tmp_path / bundle.name)
    module = tmp_path / "OpenSwiftDataApps_quakes.resources/web/js/format.js"
    text = module.read_text(encoding="utf-8")
    assert "just now" in text
    module.write_text(text.replace("just now", "at this moment"), encoding="utf-8")
    server = Process(
        tmp_path / "quakes", "serve", "--port", "0", "--feed", ready.control + FEED_PATH, "--store", ready.store,
        log=tmp_path / "log")
    try:
        made, paths = noted()
        made.page.goto(server.url)
        expect(made.rows.first).to_be_visible(timeout=LOADED)
        assert BUNDLE not in paths and "/js/format.js" in paths
        assert made.page.request.get(server.url + BUNDLE).status == 404
    finally:
        made.page.goto("about:blank")
        made.page.evaluate("window.violations = []")
        server.stop()


def test_the_first_events_are_asked_for_before_any_module_runs(noted):
    made, paths = noted()
    warnings = []
    made.page.on("console", lambda message: warnings.append(message.text) if message.type == "warning" else None)
    gate, load = Gate(made.context, f"**{BUNDLE}", "**/js/main.js"), Gate(made.context, "**/api/status")
    with made.page.expect_response(f"**{FIRST}"):
        made.page.goto(made.world.url, wait_until="commit")
    expect(made.page.locator("#list")).to_be_attached()
    gate.open()
    expect(made.rows.first).to_be_visible(timeout=LOADED)
    # The script has taken that answer.
    assert paths.count(FIRST) == 1
    load.open()
    expect(made.page.locator("#list:not([aria-busy])")).to_be_attached(timeout=LOADED)
    assert not [text for text in warnings if "preload" in text]


def test_the_first_rows_are_shown_before_the_load_begins_which_reads_them_again(noted, ready):
    """The load waits for the stream: what changes before that is told by nobody."""
    made, paths = noted()
    gate = Gate(made.context, "**/api/status")
    made.page.goto(ready.url)
    expect(made.rows.first).to_be_visible(timeout=LOADED)
    expect(made.page.locator("#list")).to_have_attribute("aria-busy", "true")
    assert [path for path in paths if path.startswith("/api/events?")] == [FIRST]
    with made.page.expect_response("**/api/events?limit=5000*"):
        gate.open()
    expect(made.page.locator("#list:not([aria-busy])")).to_be_attached(timeout=LOADED)
    assert made.shown() == len(ready.events())


def test_the_files_of_the_map_come_after_the_first_rows(noted):
    made, paths = noted()
    gate = Gate(made.context, "**/api/events?*")
    with made.page.expect_response("**/api/config"):
        made.page.goto(made.world.url, wait_until="commit")
    # The page has had a turn since.
    made.page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    files = ("/vendor/", "/basemap/")
    assert not [path for path in paths if path.startswith(files)]
    with made.page.expect_request("**/vendor/maplibre-gl.js"):
        gate.open()
    expect(made.rows.first).to_be_visible(timeout=LOADED)


def test_without_the_first_events_the_list_still_loads(noted, ready):
    made, paths = noted()
    broken = []

    def answer(route):
        if broken:
            return route.fallback()
        broken.append(route.request.url)
        return route.abort("connectionreset")

    made.context.route(f"**{FIRST}", answer)
    made.open()
    assert broken and paths.count(FIRST) >= 2
    assert made.shown() == len(ready.events())
    made.errors.clear()


#: More than are shown at first. The load reads them in pages of 20.
MANY = [recent(f"xx{number}", number * 60_000) for number in range(1, 301)]


def small_pages(visit):
    made = visit()
    change(made.context, "api", "PAGE = 5000", "PAGE = 20")
    return made


def test_an_event_is_there_when_another_one_is_withdrawn_during_the_load(visit):
    """The following ones move ahead, and the next page begins behind one of them."""
    made, events = small_pages(visit), list(MANY)
    serve_events(made.context, events)

    def withdraw(route):
        if len(events) == len(MANY) and "offset=" in route.request.url:
            del events[3]
        route.fallback()

    made.context.route("**/api/events?*", withdraw)
    page = made.open().page
    expect(page.locator("#count")).to_have_text("299 earthquakes")
    expect(page.locator("#list [data-mark=new]")).to_have_count(0)
    for name, count in ("xx21", 1), ("xx4", 0):
        page.get_by_role("searchbox").fill(f"id:{name}")
        expect(page.locator("#count")).to_have_text(f"{count} of 299 earthquakes")


class OneMore(list):
    """Events of which one more is told than there are."""

    def __len__(self):
        return super().__len__() + 1


def test_a_program_whose_count_is_never_right_is_not_asked_for_ever(visit):
    made, rounds = small_pages(visit), []
    serve_events(made.context, OneMore(MANY))

    def count(route):
        if "offset=200" in route.request.url:
            rounds.append(route.request.url)
        route.fallback()

    made.context.route("**/api/events?*", count)
    page = made.open().page
    expect(page.locator("#count")).to_have_text("300 earthquakes")
    assert len(rounds) == 3
