"""Times Quakes' page in Chromium, for `apps` item 3; run by Python with Playwright, with the page's address.

Prints JSON: for a fast and a slow line (1.6 Mbit/s, 150 ms, nothing cached) the milliseconds until the first row and
the whole list; the milliseconds from a filter, and from a range that is dragged in a chart, to the frame that shows
them; the MiB of the tab's JavaScript. Medians.
"""

import json
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Apps/Tests/Browser"))

from browsers import WITHOUT_WEBGL, chromium  # noqa: E402
from playwright.sync_api import expect, sync_playwright  # noqa: E402

LINES = {"fast": None, "slow": {"offline": False, "latency": 150, "downloadThroughput": 200_000,
                                "uploadThroughput": 200_000}}
RUNS = 3
#: Notes when the first row is there, and when the list is complete.
WATCH = """new MutationObserver(() => {
  const row = document.querySelector("#list [role=option]");
  if (row) window.firstRow ??= performance.now();
  if (row && !document.querySelector("#list").hasAttribute("aria-busy")) window.wholeList ??= performance.now();
}).observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ["aria-busy"] });"""
#: Does something, and gives the milliseconds until the frame in which the number of events has changed.
TIMED = """async (act) => {
  const count = document.getElementById("count");
  const changed = new Promise((resolve) => {
    new MutationObserver((_, observer) => { observer.disconnect(); resolve(); })
      .observe(count, { childList: true, characterData: true, subtree: true });
  });
  const begun = await act();
  await changed;
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - begun;
}"""
FILTER = """(text) => (%s)(() => {
  const search = document.getElementById("search");
  search.value = text;
  search.dispatchEvent(new Event("input", { bubbles: true }));
  return performance.now();
})""" % TIMED
RELEASE = """(%s)(() => new Promise((resolve) => {
  addEventListener("pointerup", () => resolve(performance.now()), { capture: true, once: true });
  addEventListener("mouseup", () => resolve(performance.now()), { capture: true, once: true });
}))""" % TIMED


def loads(browser, url, line):
    context = browser.new_context(viewport={"width": 1440, "height": 900}, service_workers="block")
    context.add_init_script(WATCH)
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    if line:
        session.send("Network.emulateNetworkConditions", line)
    page.goto(url, wait_until="commit")
    expect(page.locator("#list:not([aria-busy]) [role=option]").first).to_be_attached(timeout=120_000)
    times = page.evaluate("[window.firstRow, window.wholeList]")
    return context, page, session, times


def interactions(page, session):
    filters = [page.evaluate(FILTER, text) for text in ("alaska", "", "4.5+", "", "japan", "")]
    page.get_by_role("button", name="Statistics").click()
    expect(page.locator("#statistics:not([aria-busy]) #chart-tenths svg .overlay")).to_be_attached(timeout=60_000)
    box = page.locator("#chart-tenths svg .overlay").bounding_box()
    y, brushes = box["y"] + box["height"] / 2, []
    for start, end in ((0.2, 0.5), (0.3, 0.7), (0.1, 0.4)):
        page.mouse.move(box["x"] + start * box["width"], y)
        page.mouse.down()
        page.mouse.move(box["x"] + end * box["width"], y, steps=4)
        page.evaluate(f"window.brushed = {RELEASE}; 0")
        page.mouse.up()
        brushes.append(page.evaluate("window.brushed"))
    session.send("HeapProfiler.collectGarbage")
    heap = session.send("Runtime.getHeapUsage")["usedSize"] / (1 << 20)
    return statistics.median(filters), statistics.median(brushes), heap


def main(url):
    figures = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=WITHOUT_WEBGL)
        for name, line in LINES.items():
            times = []
            for _ in range(RUNS):
                context, page, session, found = loads(browser, url, line)
                times.append(found)
                if name == "fast" and len(times) == RUNS:
                    figures["filter"], figures["brush"], figures["heap"] = interactions(page, session)
                context.close()
            figures[name] = [statistics.median(values) for values in zip(*times)]
        browser.close()
    print(json.dumps(figures))


if __name__ == "__main__":
    main(sys.argv[1])
