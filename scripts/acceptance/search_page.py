"""Searches on Quakes' page in Chromium, for `apps` item 10; run by Python with Playwright, with the page's address.

Reads a JSON array from the standard input: `search`, the `ids` of the events to be shown, and `isWrong` when a term
can't be read. Every other search is typed, the others come from the address. Prints JSON: the number of `searches`,
and `problems`.
"""

import json
import pathlib
import sys
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Apps/Tests/Browser"))

from browsers import WITHOUT_WEBGL, chromium  # noqa: E402
from playwright.sync_api import TimeoutError as Late  # noqa: E402
from playwright.sync_api import expect, sync_playwright  # noqa: E402

#: Lists of at most this length have all of their rows in the document.
FEW = 8
PATIENCE = 10_000
#: The parts of the page that show its search.
SHOWN = """() => ({
  count: document.getElementById("count").textContent,
  note: document.getElementById("search-note").textContent,
  isWrong: document.getElementById("search").getAttribute("aria-invalid") === "true",
  typed: document.getElementById("search").value,
  address: new URLSearchParams(location.hash.slice(1)).get("q") ?? "",
  ids: [...document.querySelectorAll("#list [role=option]")].map((row) => row.dataset.id),
})"""
#: Whether the number of events that is shown is the one that is wanted, and no place is being looked up.
SETTLED = """([wanted, search]) => {
  const count = document.getElementById("count").textContent;
  return document.getElementById("search").value === search
    && new URLSearchParams(location.hash.slice(1)).get("q") === search
    && !document.getElementById("search-note").textContent.includes("Looking up")
    && (count.startsWith(`${wanted} of `) || count.startsWith(`${wanted} earthquake`));
}"""


def search(page, case, is_typed):
    """The faults of the page for a search; nothing when all is as it should be."""
    text, wanted = case["search"], case["ids"]
    if is_typed:
        page.get_by_role("searchbox").fill(text)
    else:
        page.evaluate("(hash) => { location.hash = hash; }", f"q={urllib.parse.quote(text)}")
    try:
        page.wait_for_function(SETTLED, arg=[f"{len(wanted):,}", text], timeout=PATIENCE)
    except Late:
        return f"{text}: {page.evaluate(SHOWN)} instead of {len(wanted)} events"
    shown = page.evaluate(SHOWN)
    if shown["isWrong"] != case["isWrong"]:
        return f"{text}: it {'is' if shown['isWrong'] else 'is not'} told as wrong: {shown['note']}"
    if 0 < len(wanted) <= FEW and sorted(shown["ids"]) != sorted(wanted):
        return f"{text}: {shown['ids']} instead of {wanted}"
    return None


def main(url):
    cases, problems = json.load(sys.stdin), []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=WITHOUT_WEBGL)
        page = browser.new_context(viewport={"width": 1440, "height": 900}, service_workers="block").new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(url)
        expect(page.locator("#list:not([aria-busy]) [role=option]").first).to_be_attached(timeout=60_000)
        for number, case in enumerate(cases):
            if problem := search(page, case, number % 2 == 0):
                problems.append(problem)
        browser.close()
    print(json.dumps({"searches": len(cases), "problems": problems}))


if __name__ == "__main__":
    main(sys.argv[1])
