"""The page opens without its server, with the list that it last had, and never with old files."""

import os
import pathlib
import re
import shutil
import urllib.request

import pytest
from playwright.sync_api import expect

from browsers import wait_for
from quakes_server import FEED_PATH, Process, free_port
from test_alerts import STUBS, hide, recent, serve
from test_backfill import RUNNING
from test_live import STREAM, stream, stream_changes
from test_tabs import change

LOST = "#freshness[data-state=lost]"


class Server:
    """A server of Quakes that can be stopped and started at one address."""

    def __init__(self, world, folder):
        self.world, self.folder = world, folder
        self.port = free_port()
        self.process = None

    def start(self, binary=None):
        self.process = Process(
            binary or os.environ["OPENSWIFTDATA_TEST_QUAKES"], "serve", "--port", str(self.port),
            "--feed", self.world.control + FEED_PATH, "--store", self.world.store,
            log=self.folder / "without.log")
        self.url = self.process.url

    def stop(self):
        self.process.stop()


@pytest.fixture
def server(ready, tmp_path):
    server = Server(ready, tmp_path)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def page(server, visit):
    made = visit(service_workers="allow")
    made.page.goto(server.url)
    expect(made.rows.first).to_be_visible()
    made.page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    yield made.page
    made.page.evaluate("window.violations = []")
    made.errors.clear()


def kept(page, first=None):
    """Waits until the list is in the browser's database, with this event as the first one if any is given."""
    wait_for(page, lambda: page.evaluate("""async (first) => {
      const { LastData } = await import('/js/offline.js');
      const id = (await new LastData().read())?.events[0]?.id;
      return id !== undefined && [null, id].includes(first);
    }""", first))


def rows(page):
    return page.locator("#list [role=option]")


def test_a_reload_without_the_server_shows_the_last_list_and_says_so(server, page):
    kept(page)
    first = rows(page).first.get_attribute("data-id")
    server.stop()
    page.reload()
    expect(rows(page).first).to_have_attribute("data-id", first)
    expect(page.locator(LOST)).to_be_visible()
    expect(page.locator("#banner-text")).to_have_text(re.compile("The copy of .* stays usable"))
    server.start()
    expect(page.locator("#freshness[data-state=fresh]")).to_be_visible()
    expect(page.locator("#banner")).to_be_hidden()
    server.world.advance()
    server.world.refresh()
    expect(page.locator("#list [data-mark=new]").first).to_be_visible()


def test_events_beyond_the_kept_ones_are_not_new_after_the_return(visit):
    """Without a service worker, the page's files come from the server, whose interface alone is gone."""
    made = visit()
    page = made.page
    change(made.context, "loader", "KEPT = 5_000", "KEPT = 20")
    events = [recent(f"xx{number}", number * 60_000) for number in range(1, 101)]
    serve(made, events)
    made.open()
    kept(page)
    made.expects_failures = True
    made.context.route("**/api/**", lambda route: route.abort("connectionrefused"))
    page.reload()
    expect(page.locator(LOST)).to_be_visible()
    assert made.shown() == 20
    made.context.unroute("**/api/**")
    serve(made, [recent("xx0", 0), *events])
    expect(page.locator("#count")).to_have_text("101 earthquakes")
    expect(page.locator("#list [data-mark=new]")).to_have_count(1)
    made.announced("1 new earthquake.")
    made.errors.clear()


def test_what_the_stream_brought_is_kept_when_the_page_goes_into_the_background(visit):
    made = visit()
    page = made.page
    serve(made, [recent("xx1"), recent("xx2", withdrawn=1)])
    made.context.add_init_script(STUBS + STREAM)
    made.open("#withdrawn=1")
    stream(page, "status", **made.world.get("/api/status") | {"total": 2, "backfill": RUNNING})
    expect(page.locator("#backfill")).to_be_visible()
    stream_changes(page, inserted=[recent("xx0", 0)])
    expect(made.row("xx0")).to_be_visible()
    hide(page, True)
    kept(page, "xx0")
    made.expects_failures = True
    made.context.route("**/api/**", lambda route: route.abort("connectionrefused"))
    page.goto(made.world.url)
    expect(page.locator(LOST)).to_be_visible()
    assert made.ids() == ["xx0", "xx1"]
    expect(page.locator("#backfill")).to_be_hidden()
    made.errors.clear()


def test_no_answer_of_the_api_is_in_a_cache(server, page):
    paths = page.evaluate("""async () => {
      const found = [];
      for (const name of await caches.keys()) {
        for (const { url } of await (await caches.open(name)).keys()) found.push(new URL(url).pathname);
      }
      return found;
    }""")
    assert "/" in paths and "/bundle/main.js" in paths and "/js/app.js" in paths
    assert [path for path in paths if path.startswith("/api")] == []


def test_the_finer_map_is_there_without_the_server(server, page):
    server.stop()
    assert page.evaluate("""async () => {
      const response = await fetch("/basemap/fine.json");
      return [response.status, (await response.json()).land.length > 3_000];
    }""") == [200, True]


@pytest.mark.parametrize("saves", [False, True])
def test_a_browser_that_saves_data_keeps_all_files_but_the_finer_map(visit, ready, saves):
    made = visit().open()
    with urllib.request.urlopen(f"{ready.url}/service-worker.js") as answer:
        worker = answer.read().decode()
    stored, every = made.page.evaluate("""async (saves) => {
      const [handlers, stored, given] = [{}, [], []];
      const addEventListener = (name, handler) => { handlers[name] = handler; };
      const navigator = { connection: { saveData: saves } };
      const skipWaiting = async () => {};
      const caches = { open: async () => ({ put: async (path) => { stored.push(path); } }) };
      const fetch = async (path) => new Response("", { headers: { ETag: FILES[path] } });
      """ + worker + """
      handlers.install({ waitUntil: (done) => given.push(done) });
      await Promise.all(given);
      return [stored, Object.keys(FILES)];
    }""", saves)
    assert set(every) - set(stored) == ({"/basemap/fine.json"} if saves else set())
    assert "/basemap/towns.json" in stored


def updated(folder):
    """A copy of the program whose page has another title."""
    program = pathlib.Path(os.environ["OPENSWIFTDATA_TEST_QUAKES"])
    target = folder / "updated"
    target.mkdir()
    shutil.copy(program, target / "quakes")
    for bundle in program.parent.glob("OpenSwiftDataApps_*.resources"):
        shutil.copytree(bundle, target / bundle.name)
    index = target / "OpenSwiftDataApps_quakes.resources/web/index.html"
    index.write_text(index.read_text().replace("<title>Quakes<", "<title>Later Quakes<"))
    return target / "quakes"


def test_after_an_update_no_old_file_is_shown(server, page, tmp_path):
    names = page.evaluate("caches.keys()")
    server.stop()
    server.start(updated(tmp_path))
    page.reload()
    expect(page).to_have_title("Later Quakes")
    wait_for(page, lambda: names[0] in page.evaluate("caches.keys()"), False)
    server.stop()
    page.reload()
    expect(page).to_have_title("Later Quakes")
    server.start()


def test_a_page_that_opened_without_the_server_notices_another_version_of_it(server, page):
    kept(page)
    server.stop()
    page.reload()
    expect(page.locator(LOST)).to_be_visible()
    page.context.route("**/service-worker.js", lambda route: route.fulfill(
        content_type="text/javascript", body="// other files"))
    server.start()
    expect(page.locator("#message")).to_contain_text("Quakes was updated.", timeout=40_000)
    page.context.unroute_all()
