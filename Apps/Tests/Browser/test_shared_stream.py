"""One event stream for all tabs, whichever tab or process ends."""

import contextlib
import time

import pytest
from playwright.sync_api import Error, expect

from test_tabs import Tabs, WAYS, rows

TABS = 8
LIVE = 2.0

#: Notes the time at which the page first shows a new event.
WATCH = """() => {
  window.seen = null;
  const look = () => {
    if (window.seen === null && document.querySelector('#list [data-mark=new]')) window.seen = Date.now();
  };
  new MutationObserver(look).observe(document.getElementById('list'),
    { childList: true, subtree: true, attributes: true });
}"""


@pytest.fixture
def tabs(visit):
    return lambda way: Tabs(visit(), WAYS[way])


def crash(page):
    """Ends the process of a tab, as the system does when memory is short."""
    with page.expect_event("crash"), contextlib.suppress(Error):
        page.goto("chrome://crash")


@pytest.mark.alone
@pytest.mark.parametrize("way", WAYS)
def test_eight_tabs_are_live_within_two_seconds(tabs, ready, way):
    opened = tabs(way)
    for _ in range(TABS):
        expect(rows(opened.open()).first).to_be_visible()
    for page in opened.pages:
        page.evaluate(WATCH)
    ready.advance()
    last = opened.pages[-1]
    with last.expect_response("**/api/refresh") as answer:
        last.get_by_role("button", name="Refresh").click()
    assert answer.value.status == 202
    for page in opened.pages:
        expect(page.locator("#list [data-mark=new]").first).to_be_visible()
    seen = [page.evaluate("window.seen") / 1_000 for page in opened.pages]
    spread = max(seen) - min(seen)
    print(f"{way}: {spread:.3f} s between the first and the last of {TABS} tabs")
    assert spread < LIVE


@pytest.mark.parametrize("way", WAYS)
def test_when_the_process_of_the_stream_is_killed_another_takes_over(tabs, ready, way):
    opened = tabs(way)
    for _ in range(4):
        expect(rows(opened.open()).first).to_be_visible()
    # The first tab leads, or its process has the worker.
    for page in opened.pages[:3]:
        crash(page)
    (left,) = opened.pages[3:]
    ready.advance()
    started = time.time()
    ready.refresh()
    left.evaluate(WATCH)
    expect(left.locator("#list [data-mark=new]").first).to_be_visible()
    print(f"{way}: {left.evaluate('window.seen') / 1_000 - started:.3f} s")
    expect(left.locator("#freshness[data-state=fresh]")).to_be_visible()
    opened.made.page = left
    opened.made.errors.clear()
