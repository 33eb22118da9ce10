#!/usr/bin/env python3
"""Takes screenshots of a running Quakes page: light and dark, desktop and phone.

    scripts/screenshots.py http://127.0.0.1:8080 FOLDER [--readme docs/images/quakes.png]

Needs Playwright (Apps/Tests/Browser/requirements.txt; `.setup/venv/bin/python` has it after the browser
tests ran) and Debian's chromium; the font Inter (fonts-inter) when it is installed. With --readme
the light desktop picture is also written there.
"""

import argparse
import os
import pathlib
import sys

from playwright.sync_api import expect, sync_playwright

SIZES = {"desktop": (1440, 900), "phone": (390, 844)}
FLAGS = ["--no-sandbox", "--enable-unsafe-swiftshader", "--hide-scrollbars"]
#: The README's picture: strong events of the last week, one of them chosen.
SCENE = "#mag=2.5&since=7d"
README_SIZE = (1280, 800)


def open_page(browser, url, size, scheme, fragment=SCENE):
    """A page with list and map drawn."""
    width, height = size
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, locale="en-GB",
        reduced_motion="reduce", device_scale_factor=1,
    )
    page = context.new_page()
    page.goto(f"{url.rstrip('/')}/{fragment}")
    expect(page.locator("#list [role=option]").first).to_be_visible(timeout=60_000)
    if size != SIZES["phone"]:
        wait_for_map(page)
    return page


def wait_for_map(page):
    """On a phone the map is created when its tab is first opened."""
    expect(page.locator("#map:not([data-state=loading])")).to_be_attached(timeout=60_000)


def settle(page):
    """Waits until the map is drawn: until its picture stays the same for some frames."""
    before, same = None, 0
    while same < 3:
        picture = page.screenshot()
        same = same + 1 if picture == before else 0
        before = picture
    return before


def choose(page):
    """Opens the details of the strongest event."""
    page.get_by_label("Sort").select_option("magnitude-desc")
    page.locator("#list [role=option][aria-posinset='1']").click()
    page.get_by_label("Sort").select_option("time-desc")
    expect(page.locator("#details")).to_be_visible()
    page.mouse.move(0, 0)


def pictures(browser, url):
    """Yields a name and a PNG for each scene."""
    for size_name, size in SIZES.items():
        for scheme in ("light", "dark"):
            page = open_page(browser, url, size, scheme)
            yield f"{size_name}-{scheme}", settle(page)
            if size_name == "phone":
                page.get_by_role("button", name="Map", exact=True).click()
                wait_for_map(page)
                yield f"{size_name}-{scheme}-map", settle(page)
                page.get_by_role("button", name="List", exact=True).click()
            choose(page)
            yield f"{size_name}-{scheme}-details", settle(page)
            page.context.close()
    page = open_page(browser, url, SIZES["desktop"], "light")
    page.get_by_role("button", name="Flat").click()
    yield "desktop-light-flat", settle(page)
    page.context.close()


def readme_picture(browser, url):
    page = open_page(browser, url, README_SIZE, "light")
    choose(page)
    picture = settle(page)
    page.context.close()
    return picture


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url", help="where Quakes listens")
    parser.add_argument("folder", type=pathlib.Path, help="where the pictures go")
    parser.add_argument("--readme", type=pathlib.Path, help="also write the README's picture here")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        path = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        for name, picture in pictures(browser, arguments.url):
            (arguments.folder / f"{name}.png").write_bytes(picture)
            print(f"{name}.png: {len(picture):,} bytes")
        if arguments.readme:
            arguments.readme.parent.mkdir(parents=True, exist_ok=True)
            arguments.readme.write_bytes(readme_picture(browser, arguments.url))
            print(f"{arguments.readme}: {arguments.readme.stat().st_size:,} bytes")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
