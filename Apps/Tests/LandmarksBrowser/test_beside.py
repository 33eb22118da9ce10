"""Two devices in one page: both work in their frames, under strict policies."""

import pytest
from playwright.sync_api import expect

from accessibility import CONTRAST, violations
from conftest import Process, free_port
from test_forced_colours import PHONE
from test_landmarks import EL_CAPITAN


@pytest.fixture
def beside(world):
    """The page around the pages of two devices, which allow it."""
    world.start_server()
    port = free_port()
    for name in ("a", "b"):
        world.device(name, 0, "--framed-by", f"http://127.0.0.1:{port}")
    process = Process(
        world.binary, "beside", "--port", str(port), *(device.url for device in world.processes),
        log=world.folder / "beside.log")
    world.processes.append(process)
    return process


def opened(world, visit, beside, **options):
    page = visit(beside, **options)
    page.framed = tuple(process.url for process in world.processes)
    frames = [page.page.frame_locator(f"iframe[title='The {name} device']") for name in ("first", "second")]
    for frame in frames:
        expect(frame.locator("#list .row").first).to_be_visible()
        expect(frame.locator("#status[data-state=synced]")).to_be_visible()
    return page, frames


def test_one_device_works_offline_and_exchanges_with_the_other(world, visit, beside):
    page, (one, two) = opened(world, visit, beside)
    heart = f'#list .row[data-id="{EL_CAPITAN}"] .heart'
    switch = one.get_by_role("button", name="Work offline")
    switch.click()
    expect(one.locator("#status-text")).to_contain_text("Working offline")
    expect(two.locator("#status[data-state=synced]")).to_be_visible()
    one.locator(heart).click()
    expect(one.locator("#pending")).to_have_text("1 change waiting")
    expect(two.locator(heart)).to_have_attribute("aria-pressed", "false")
    switch.click()
    expect(two.locator(heart)).to_have_attribute("aria-pressed", "true")
    expect(one.locator("#pending")).to_be_hidden()


@pytest.mark.parametrize("options", [{}, {"color_scheme": "dark"}, PHONE, {"forced_colors": "active"}],
                         ids=["light", "dark", "phone", "forced"])
def test_the_page_is_accessible_and_has_both_in_its_window(world, visit, beside, options):
    page, _ = opened(world, visit, beside, **options)
    assert violations(page.page) == []
    if "forced_colors" not in options:
        assert page.page.evaluate(CONTRAST) == []
    assert page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    widths = [frame.bounding_box()["width"] for frame in page.page.locator("iframe").all()]
    assert min(widths) >= (360 if options is PHONE else 600)


def test_another_page_cannot_show_a_device(world, visit, beside):
    device = world.device("c")
    other = free_port()
    world.processes.append(Process(
        world.binary, "beside", "--port", str(other), device.url, world.processes[0].url,
        log=world.folder / "other.log"))
    page = visit(world.processes[-1])
    page.framed = tuple(process.url for process in world.processes)
    expect(page.page.locator("iframe")).to_have_count(2)
    page.page.wait_for_load_state("networkidle")
    for name in ("first", "second"):
        frame = page.page.frame_locator(f"iframe[title='The {name} device']")
        assert frame.locator("#list").count() == 0
    page.errors.clear()
