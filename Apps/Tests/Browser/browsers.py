"""Browsers, pages and turns that the tests of both pages share; a plugin of pytest."""

import contextlib
import fcntl
import os
import time

import pytest
from playwright.sync_api import Error as PlaywrightError, expect, sync_playwright

#: Debian's browser, and its engine without windows, a page of which takes less time (docs/testing.md).
BROWSER, ENGINE = "/usr/bin/chromium", "/usr/bin/chromium-headless-shell"
#: The suggestions of the browser's address bar are two pages of their own for each window; nobody sees them here, and
#: they take more time than most tests' pages. The switch replaces Playwright's, so the rest of its list follows.
NOT_NEEDED = "--disable-features=" + ",".join([
    "WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup",
    "AimEnabled", "AvoidCorsURLLoaderRestartOnRedirect", "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose", "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades", "LensOverlay", "MediaRouter",
    "NetworkTimeServiceQuerying", "OptimizationHints", "PaintHolding", "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
])
FLAGS = ["--no-sandbox", NOT_NEEDED]
WITH_WEBGL = [*FLAGS, "--enable-unsafe-swiftshader"]
WITHOUT_WEBGL = [*FLAGS, "--disable-gpu", "--disable-webgl", "--disable-3d-apis"]
LOADED = 60_000
#: The width in pixels from which the map of Quakes stands beside the list.
WIDE = 900

expect.set_options(timeout=20_000)


def pytest_configure(config):
    config.addinivalue_line("markers", "alone: measures time, so no other worker runs a test meanwhile")


@pytest.fixture(scope="session")
def playwright():
    with sync_playwright() as playwright:
        yield playwright


def chromium(is_whole=False):
    """The program that CHROMIUM names, or Debian's.

    :param is_whole: Whether the browser is needed, not its engine alone.
    """
    return os.environ.get("CHROMIUM") or (ENGINE if os.path.exists(ENGINE) and not is_whole else BROWSER)


def launch(playwright, flags, is_whole=False):
    return playwright.chromium.launch(executable_path=chromium(is_whole), args=flags)


@pytest.fixture(scope="session")
def browser(playwright):
    """The browser of all tests that aren't about the map. Without WebGL, which is emulated in software, a page costs a
    fraction of the time."""
    browser = launch(playwright, WITHOUT_WEBGL)
    yield browser
    browser.close()


@pytest.fixture
def whole_browser(playwright):
    """The browser of tests about permissions, which its engine alone doesn't give to service workers."""
    browser = launch(playwright, WITHOUT_WEBGL, is_whole=True)
    yield browser
    browser.close()


@pytest.fixture
def browser_with_map(playwright):
    """Launches a browser with WebGL for a test's pages: the emulated GPU outlives a page and slows the next test's."""
    launched = []

    def get():
        if not launched:
            launched.append(launch(playwright, WITH_WEBGL))
        return launched[0]

    yield get
    for browser in launched:
        browser.close()


def wait_for(page, read, wanted=True, seconds=60):
    """Reads until a value is there; the page's requests are answered meanwhile."""
    deadline = time.monotonic() + seconds
    while (found := read()) != wanted:
        assert time.monotonic() < deadline, f"{found!r} in place of {wanted!r} after {seconds} s"
        page.wait_for_timeout(50)


class Turns:
    """Lets tests of several workers run at a time, and those that measure time alone."""

    def __init__(self, folder):
        # A test that waits for a turn holds the gate, so a test alone isn't overtaken until it ends.
        self.gate, self.hall = open(folder / "gate", "w"), open(folder / "hall", "w")

    @contextlib.contextmanager
    def take(self, alone):
        fcntl.flock(self.gate, fcntl.LOCK_EX)
        fcntl.flock(self.hall, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        fcntl.flock(self.gate, fcntl.LOCK_UN)
        try:
            yield
        finally:
            fcntl.flock(self.hall, fcntl.LOCK_UN)


@pytest.fixture(scope="session")
def turns(tmp_path_factory):
    """Null without workers of pytest-xdist, whose temporary folders have one parent."""
    folder = tmp_path_factory.getbasetemp().parent
    return Turns(folder) if "PYTEST_XDIST_WORKER" in os.environ else None


@pytest.fixture(autouse=True)
def turn(turns, request):
    with turns.take(request.node.get_closest_marker("alone") is not None) if turns else contextlib.nullcontext():
        yield


class Tab:
    """A page in a context of its own, with the browser's errors and warnings."""

    def __init__(self, browser, has_map, **options):
        self.has_map = has_map
        settings = {
            # The emulated GPU draws a small map in two thirds of a large one's time.
            "viewport": {"width": 1024, "height": 640} if has_map else {"width": 1440, "height": 900},
            "locale": "en-GB",
            "reduced_motion": "reduce",
            # Requests of a service worker pass the tests' own answers.
            "service_workers": "block",
            **options,
        }
        self.context = browser.new_context(**settings)
        self.context.add_init_script(
            "window.violations = [];"
            "document.addEventListener('securitypolicyviolation', (event) =>"
            " window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));"
        )
        self.page = self.context.new_page()
        # While the emulated GPU draws, the page answers late.
        self.page.set_default_timeout(LOADED if has_map else 15_000)
        self.page.set_default_navigation_timeout(LOADED)
        self.errors = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.messages = []
        self.page.on("console", lambda message: self.messages.append(f"{message.type}: {message.text}"))

    def evidence(self):
        """The page as it is now, in words, with its last messages."""
        try:
            text = self.page.evaluate("""[location.href, document.activeElement?.outerHTML.slice(0, 200),
              ...[...document.querySelectorAll("dialog[open]")].map(({ id }) => `dialog ${id} is open`),
              document.body.innerText].join("\\n")""")
        except PlaywrightError as error:
            text = f"The page doesn't answer: {error.message}"
        return "\n".join([*self.messages[-30:], *self.errors, text[:6_000]])

    def check_clean(self):
        """The browser reported neither errors nor violations of the content security policy."""
        assert self.page.evaluate("window.violations") == []
        assert self.errors == []

    def close(self):
        self.context.close()


#: The tabs of the test that runs.
open_tabs = []


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Adds to the report of a failed test how its pages look, and what its programs printed last."""
    report = (yield).get_result()
    if call.when != "call" or not report.failed:
        return
    for number, tab in enumerate(open_tabs, 1):
        report.sections.append((f"page {number}", tab.evidence()))
    folder = item.funcargs.get("tmp_path")
    for log in sorted(folder.glob("*.log")) if folder else []:
        report.sections.append((log.name, log.read_text(errors="replace")[-2_000:]))


@contextlib.contextmanager
def ending_clean(make):
    """Gives a function that makes tabs; each must end without errors and violations."""
    tabs = open_tabs
    tabs.clear()

    def remember(*arguments, **options):
        tabs.append(make(*arguments, **options))
        return tabs[-1]

    yield remember
    while tabs:
        tab = tabs.pop(0)
        try:
            tab.check_clean()
        finally:
            tab.close()
