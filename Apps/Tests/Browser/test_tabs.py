"""Many tabs of one page: they share one event stream, so that requests have connections left."""

import pathlib
import re
import urllib.parse

import pytest
from playwright.sync_api import expect

#: Ways without the way before: a worker, tabs that elect one of them.
WAYS = {
    "worker": "",
    "elected": "delete window.SharedWorker;",
}
NO_WORKER_NO_LOCKS = """delete window.SharedWorker;
  Object.defineProperty(Navigator.prototype, "locks", { get: () => undefined });"""
TABS = 7
DATA_STATE = "#freshness[data-state=fresh]"


class Tabs:
    """Tabs of one browser window, without a map."""

    def __init__(self, made, script):
        self.made = made
        made.context.add_init_script(script)
        self.pages = []

    def open(self):
        page = self.made.context.new_page() if self.pages else self.made.page
        page.set_default_timeout(15_000)
        page.set_default_navigation_timeout(60_000)
        page.goto(self.made.world.url)
        self.pages.append(page)
        return page


def rows(page):
    return page.locator("#list [role=option]")


@pytest.fixture
def tabs(visit):
    def make(way):
        made = visit()
        return Tabs(made, WAYS[way])

    return make


@pytest.mark.parametrize("way", WAYS)
def test_seven_tabs_all_load_and_the_first_still_refreshes(tabs, ready, way):
    opened = tabs(way)
    for _ in range(TABS):
        expect(rows(opened.open()).first).to_be_visible()
    ready.advance()
    first = opened.pages[0]
    with first.expect_response("**/api/refresh") as answer:
        first.get_by_role("button", name="Refresh").click()
    assert answer.value.status == 202
    for page in opened.pages:
        expect(page.locator("#list [data-mark=new]").first).to_be_visible()


@pytest.mark.parametrize("way", WAYS)
def test_when_tabs_close_the_others_still_receive_events(tabs, ready, way):
    opened = tabs(way)
    for _ in range(3):
        expect(rows(opened.open()).first).to_be_visible()
    first, second, last = opened.pages
    expect(last.locator(DATA_STATE)).to_be_visible()
    first.goto("about:blank")
    second.close()
    ready.advance()
    ready.refresh()
    expect(last.locator("#list [data-mark=new]").first).to_be_visible()
    expect(last.locator(DATA_STATE)).to_be_visible()
    first.goto(ready.url)


def test_a_refresh_without_an_answer_says_so(visit):
    made = visit()
    made.context.route("**/api/refresh", lambda route: None)
    made.open()
    made.page.get_by_role("button", name="Refresh").click()
    expect(made.page.get_by_role("button", name="Refresh")).to_have_attribute("aria-busy", "true")
    message = made.page.locator("#message")
    expect(message).to_contain_text("Refresh was not started: Quakes does not answer")
    expect(message).to_contain_text("no answer within 10 seconds")
    expect(made.page.get_by_role("button", name="Refresh")).to_have_attribute("aria-busy", "false")
    message.get_by_role("button", name="Dismiss").click()
    expect(message).to_be_hidden()


MODULES = pathlib.Path(__file__).resolve().parents[2] / "Sources/quakes/Resources/web/js"


def change(context, name, old, new):
    """Gives pages a module with another value of a constant."""
    text = (MODULES / f"{name}.js").read_text(encoding="utf-8")
    assert old in text
    body = text.replace(old, new)
    # The file of all modules has the value that they were made with.
    context.route("**/bundle/main.js", lambda route: route.fulfill(
        content_type="text/javascript", body='import "/js/main.js";'))
    context.route(f"**/js/{name}.js", lambda route: route.fulfill(content_type="text/javascript", body=body))


def make_small(context):
    """The page holds 400 events at most, so that any store is larger than it."""
    change(context, "event-store", "CAPACITY = 100_000", "CAPACITY = 400")
    change(context, "api", "PAGE = 5000", "PAGE = 100")


@pytest.mark.parametrize("program", ["gone", "slow", "broken"])
@pytest.mark.parametrize("action", ["refresh", "order", "withdrawn", "link"])
def test_no_action_shows_an_unstored_change_as_stored(visit, action, program):
    """Each request that a user's action causes, with a failing program."""
    made = visit()
    if program == "slow":
        change(made.context, "api", "SHORT = 10_000", "SHORT = 2_000")
    made.open()
    size = made.shown()
    made.expects_failures = True
    answers = {
        "gone": lambda route: route.abort("connectionrefused"),
        "slow": lambda route: None,
        "broken": lambda route: route.fulfill(status=500, json={"error": {"message": "Broken."}}),
    }
    made.context.route(re.compile("/api/(refresh|events|status)"), answers[program])
    page = made.page
    if action == "refresh":
        page.get_by_role("button", name="Refresh").click()
        busy = page.get_by_role("button", name="Refresh")
        if program == "slow":
            expect(busy).to_have_attribute("aria-busy", "true")
        expect(page.locator("#message")).to_contain_text("Refresh was not started")
        expect(busy).to_have_attribute("aria-busy", "false")
    elif action == "order":
        # Everything is loaded, so order and filters need no program.
        page.locator("#sort").select_option("magnitude-desc")
        assert made.shown() == size
    elif action == "withdrawn":
        page.locator("#withdrawn").check()
        expect(page.locator("#message")).to_contain_text("could not be loaded anew")
        assert made.shown() == size
    else:
        page.evaluate("location.hash = '#event=zz1'; dispatchEvent(new PopStateEvent('popstate'))")
        expect(page.locator("#message")).to_contain_text("The earthquake zz1 could not be loaded")
        expect(page.locator("#details")).to_be_hidden()
    made.context.unroute(re.compile("/api/(refresh|events|status)"))


@pytest.fixture
def small(visit, ready):
    made = visit()
    make_small(made.context)
    assert len(ready.events()) > 500, "the demo feed's week has more"
    return made


def test_a_copy_that_does_not_fit_has_a_visible_note(small, ready):
    small.open()
    total = len(ready.events())
    expect(small.page.locator("#part")).to_contain_text(f"The newest 400 of {total:,} are loaded")
    expect(small.page.locator("#count")).to_have_text(f"400 of {total:,} earthquakes")


def test_the_strongest_of_a_large_copy_come_first(small, ready):
    small.open()
    small.page.locator("#sort").select_option("magnitude-desc")
    expect(small.page.locator("#part")).to_contain_text("The strongest 400 of")
    wanted = ready.get("/api/events?sort=magnitude&limit=400")["events"]
    expect(small.row(wanted[0]["id"])).to_be_visible()
    # Equal magnitudes have the same order on the page and in the pages of the API.
    shown = small.ids()
    assert shown == [event["id"] for event in wanted][:len(shown)]
    small.scroll_to(1e9)
    expect(small.row(wanted[-1]["id"])).to_be_visible()
    last = small.ids()
    assert last == [event["id"] for event in wanted][-len(last):]
    # Filters ask the whole copy, too.
    small.page.get_by_label("4.5+").check()
    strong = ready.get("/api/events?min_magnitude=4.5&limit=5000")["total"]
    assert 0 < strong < 400
    expect(small.page.locator("#part")).to_be_hidden()
    assert small.shown() == strong


def test_the_search_asks_the_whole_of_a_large_copy(small, ready):
    small.open()
    expect(small.page.locator("#part")).to_be_visible()
    oldest = ready.get("/api/events?order=asc&limit=1")["events"][0]
    point = f"near:{oldest['latitude']},{oldest['longitude']} 20km"
    expect(small.row(oldest["id"])).to_be_hidden()
    small.page.get_by_role("searchbox").fill(point)
    expect(small.row(oldest["id"])).to_be_visible()
    found = ready.get("/api/events?limit=5000&" + urllib.parse.urlencode({"search": point}))["events"]
    assert sorted(small.ids()) == sorted(event["id"] for event in found)
    expect(small.page.locator("#part")).to_be_hidden()
    # A name is asked for first, and a term that cannot be read isn't sent.
    small.page.get_by_role("searchbox").fill("near:tokyo 2000km m>x")
    found = ready.get("/api/events?limit=5000&search=near:tokyo+2000km")["total"]
    expect(small.page.locator("#count")).to_have_text(re.compile(f"^{found:,} of "))
    expect(small.page.locator("#search-note")).to_contain_text("“m>x”: magnitudes are numbers")


def test_a_link_to_an_event_beyond_what_is_loaded_opens_it(small, ready):
    oldest = ready.get("/api/events?order=asc&limit=1")["events"][0]
    small.open(f"#event={oldest['id']}")
    details = small.page.locator("#details")
    expect(details).to_be_visible()
    expect(details).to_contain_text(oldest["id"])
    expect(details.locator(".note")).to_contain_text("not among those loaded")


def test_what_is_new_appears_on_a_full_page(small, ready):
    small.open()
    expect(small.page.locator("#part")).to_be_visible()
    ready.advance()
    ready.refresh()
    expect(small.page.locator("#list [data-mark=new]").first).to_be_visible()


def test_a_link_to_an_event_that_does_not_exist_says_so(visit):
    made = visit()
    made.open("#event=zz1")
    expect(made.page.locator("#message")).to_contain_text("There is no earthquake zz1")
    made.errors.clear()


@pytest.mark.parametrize("link", ["zz1", "a%20b"])
def test_a_link_to_no_event_leaves_no_other_one_open(visit, ready, link):
    made = visit()
    made.open()
    newest = made.ids()[0]
    details = made.page.locator("#details")
    made.page.evaluate("(id) => { location.hash = `#event=${id}`; }", newest)
    expect(details).to_contain_text(newest)
    made.page.evaluate("(id) => { location.hash = `#event=${id}`; }", link)
    expect(made.page.get_by_role("alert")).to_contain_text("earthquake")
    expect(details).to_be_hidden()
    made.page.go_back()
    expect(details).to_contain_text(newest)
    expect(details).to_be_visible()
    made.errors.clear()


def test_without_workers_and_locks_each_tab_has_its_own_stream(visit, ready):
    made = visit()
    made.context.add_init_script(NO_WORKER_NO_LOCKS)
    made.open()
    ready.advance()
    ready.refresh()
    expect(made.page.locator("#list [data-mark=new]").first).to_be_visible()
