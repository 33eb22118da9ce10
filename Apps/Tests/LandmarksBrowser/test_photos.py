"""Photos of visits: kept offline, shown, sent, removed, and never lost."""

import contextlib
import re
import sqlite3
import struct
import zlib

import pytest
from playwright.sync_api import expect

from accessibility import violations
from browsers import wait_for
from conftest import free_port
from test_kept import kept, reopened
from test_landmarks import in_sync, open_visit
from test_notes import landmarks

NIGHT = "2027-06-01T10:00"


def png(width=600, height=400, shade=90):
    """A PNG with a gradient, which browsers can decode."""
    rows = b"".join(
        b"\0" + bytes(value for x in range(width) for value in (x * 255 // width, y * 255 // height, shade))
        for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"tEXt", b"Location\0N 37.7 W 119.6") + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def add(page, caption, content=None, name="a.png"):
    page.page.locator("#visits .visit").get_by_role("button", name="Add a photo").click()
    sheet = page.page.get_by_role("dialog", name="Add a photo")
    sheet.get_by_label("Photo", exact=True).set_input_files(
        [{"name": name, "mimeType": "image/png", "buffer": content or png()}])
    sheet.get_by_label("Caption").fill(caption)
    sheet.get_by_role("button", name="Add", exact=True).click()
    return sheet


def photos(page):
    return page.page.locator("#visits .photo")


def is_shown(page, count=1):
    """Waits until as many images have pixels. The rows are drawn anew when their state changes."""
    page.page.wait_for_function("""(count) => {
      const images = [...document.querySelectorAll("#visits .photo img")];
      images[0]?.scrollIntoView({ block: "nearest" });
      return images.length === count && images.every((image) => image.complete && image.naturalWidth > 0);
    }""", arg=count)


def stored(world, name="a"):
    with contextlib.closing(sqlite3.connect(world.folder / f"{name}.store", timeout=30)) as store:
        return [caption for (caption,) in store.execute("SELECT caption FROM StoredPhoto ORDER BY added")]


def planned(world, visit, device=None, **options):
    """A page with a visit that is in sync."""
    page = visit(device or world.device("a"), **options).loaded()
    open_visit(page)
    if page.page.locator("#visits .visit").count() == 0:
        page.page.locator("#reserve-date").fill(NIGHT)
        page.page.get_by_role("button", name="Reserve").click()
    expect(page.page.locator("#visits .visit")).to_have_count(1)
    in_sync(page)
    return page


def test_a_photo_taken_offline_reaches_the_other_device(world, visit):
    world.start_server()
    one = planned(world, visit)
    two = visit(world.device("b")).loaded()
    open_visit(two)
    one.page.get_by_role("button", name="Work offline").click()
    expect(one.page.locator("#status-text")).to_contain_text("Working offline")
    add(one, "<b>The</b> wall", png(5_000, 300))
    expect(one.page.locator("#photo-add")).to_be_hidden()
    photo = photos(one)
    expect(photo).to_have_accessible_name("<b>The</b> wall (Waiting to be sent)")
    is_shown(one)
    expect(photos(two)).to_have_count(0)
    one.page.get_by_role("button", name="Work offline").click()
    in_sync(one)
    expect(photos(two)).to_have_accessible_name("<b>The</b> wall")
    is_shown(two)
    photos(two).click()
    sheet = two.page.get_by_role("dialog", name="Photo of the visit to El Capitan")
    image = sheet.get_by_role("img", name="<b>The</b> wall")
    expect(image).to_be_visible()
    # It was made smaller, and is a JPEG without what the file noted.
    assert image.evaluate("image => image.decode().then(() => [image.naturalWidth, image.naturalHeight])") \
        == [2_048, 123]
    source = two.page.evaluate(
        "fetch(document.getElementById('photo-image').src).then(async (answer) =>"
        " [answer.headers.get('content-type'), await answer.text()])")
    assert source[0] == "image/jpeg" and "Location" not in source[1]
    expect(sheet.locator("figcaption")).to_have_text("<b>The</b> wall")
    sheet.get_by_role("button", name="Close").click()
    expect(photos(two)).to_be_focused()
    assert stored(world) == stored(world, "b") == ["<b>The</b> wall"]


def test_a_photo_added_without_the_program_survives_a_new_tab(world, visit):
    port = free_port()
    world.start_server()
    device = world.device("a", port)
    page = planned(world, visit, device, service_workers="allow")
    page.page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    page.page.reload()
    in_sync(page.loaded())
    device.stop()
    expect(page.page.locator("#status-text")).to_contain_text("does not answer")
    add(page, "The wall")
    kept(page)
    expect(photos(page)).to_have_accessible_name("The wall (Kept in this browser)")
    is_shown(page)
    page = reopened(page)
    open_visit(page)
    expect(photos(page)).to_have_accessible_name("The wall (Kept in this browser)")
    is_shown(page)
    world.device("a", port)
    expect(page.page.locator("#kept")).to_be_hidden()
    in_sync(page)
    expect(photos(page)).to_have_accessible_name("The wall")
    is_shown(page)
    assert stored(world) == ["The wall"]
    page.errors.clear()
    page.page.evaluate("window.violations = []")


def test_an_answer_that_is_lost_adds_the_photo_once(world, visit):
    port = free_port()
    world.start_server()
    device = world.device("a", port)
    page = planned(world, visit, device)

    def lose(route):
        route.fetch()
        device.process.kill()
        route.abort()

    page.page.route(re.compile("/api/photos/.*reservation="), lose, times=1)
    add(page, "The wall")
    kept(page)
    # It is kept before it is sent.
    wait_for(page.page, lambda: device.process.poll() is not None)
    assert stored(world) == ["The wall"]
    world.device("a", port)
    expect(page.page.locator("#kept")).to_be_hidden()
    in_sync(page)
    is_shown(page)
    assert stored(world) == ["The wall"]
    page.errors.clear()
    page.page.evaluate("window.violations = []")


def test_other_files_and_the_21st_photo_are_refused_with_reasons(world, visit):
    world.start_server()
    page = planned(world, visit)
    sheet = add(page, "", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "a.svg")
    expect(sheet.get_by_role("alert")).to_have_text("This file can't be read as a photo.")
    sheet.get_by_role("button", name="Back").click()
    expect(photos(page)).to_have_count(0)
    identifier = landmarks(world, "a", "reserve")[:36]
    file = world.folder / "a.png"
    file.write_bytes(png(20, 20))
    for _ in range(20):
        landmarks(world, "a", "photo", identifier, str(file))
    expect(photos(page)).to_have_count(20)
    sheet = add(page, "One more")
    expect(sheet.get_by_role("alert")).to_contain_text("A visit has at most 20 photos")
    sheet.get_by_role("button", name="Back").click()
    refused = page.page.locator(".photo[data-state=refused]")
    expect(refused).to_have_accessible_name(
        "One more (Refused: A visit has at most 20 photos; remove one before.)")
    notice = page.page.locator(".notice.refusal")
    expect(notice).to_contain_text("The photo of the visit to El Capitan")
    notice.get_by_role("button", name="Dismiss").click()
    expect(photos(page)).to_have_count(20)
    page.errors.clear()


def test_a_photo_is_removed_and_taken_back(world, visit):
    world.start_server()
    page = planned(world, visit)
    add(page, "The wall")
    # It is an edit once its image has been drawn smaller.
    is_shown(page)
    in_sync(page)
    two = visit(world.device("b")).loaded()
    open_visit(two)
    expect(photos(two)).to_have_count(1)
    photos(page).click()
    page.page.get_by_role("dialog", name="Photo of the visit").get_by_role("button", name="Remove").click()
    expect(photos(page)).to_have_count(0)
    expect(photos(two)).to_have_count(0)
    notice = page.page.locator(".notice.undo")
    expect(notice).to_contain_text("The photo of the visit to El Capitan is removed.")
    notice.get_by_role("button", name="Undo").click()
    expect(photos(page)).to_have_accessible_name("The wall")
    is_shown(page)
    expect(photos(two)).to_have_accessible_name("The wall")
    is_shown(two)
    in_sync(page)


def change_caption(page, text):
    page.page.get_by_role("dialog", name="Photo of the visit").get_by_role("button", name="Caption", exact=True).click()
    sheet = page.page.get_by_role("dialog", name="Caption")
    sheet.get_by_label("Caption").fill(text)
    sheet.get_by_role("button", name="Save").click()
    return sheet


@pytest.mark.parametrize("options", [{}, {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}],
                         ids=["wide", "phone"])
def test_a_caption_is_changed_offline_by_keyboard_and_reaches_the_other_device(world, visit, options):
    world.start_server()
    page = planned(world, visit, **options)
    add(page, "The wall")
    # It is an edit once its image has been drawn smaller.
    is_shown(page)
    in_sync(page)
    two = visit(world.device("b")).loaded()
    open_visit(two)
    expect(photos(two)).to_have_accessible_name("The wall")
    page.page.get_by_role("button", name="Work offline").click()
    expect(page.page.locator("#status-text")).to_contain_text("Working offline")
    photos(page).click()
    page.page.get_by_role("button", name="Caption", exact=True).press("Enter")
    sheet = page.page.get_by_role("dialog", name="Caption")
    text = sheet.get_by_label("Caption")
    expect(text).to_be_focused()
    expect(text).to_have_value("The wall")
    assert violations(page.page) == []
    text.fill("<i>From</i> the bridge")
    page.page.keyboard.press("Enter")
    expect(sheet).to_have_count(0)
    expect(photos(page)).to_be_focused()
    expect(photos(page)).to_have_accessible_name("<i>From</i> the bridge (Waiting to be sent)")
    is_shown(page)
    expect(photos(two)).to_have_accessible_name("The wall")
    page.page.get_by_role("button", name="Work offline").click()
    in_sync(page)
    expect(photos(two)).to_have_accessible_name("<i>From</i> the bridge")
    # Without a caption again, there is a text in its place.
    photos(two).click()
    change_caption(two, "")
    expect(photos(page)).to_have_accessible_name("Photo 1, without a caption")
    in_sync(two)
    assert stored(world) == stored(world, "b") == [""]


def test_a_caption_changed_without_the_program_is_kept_and_made(world, visit):
    port = free_port()
    world.start_server()
    device = world.device("a", port)
    page = planned(world, visit, device)
    add(page, "The wall")
    # It is an edit once its image has been drawn smaller.
    is_shown(page)
    in_sync(page)
    device.stop()
    photos(page).click()
    change_caption(page, "From the bridge")
    expect(photos(page)).to_have_accessible_name("From the bridge (Kept in this browser)")
    world.device("a", port)
    in_sync(page)
    expect(photos(page)).to_have_accessible_name("From the bridge")
    assert stored(world) == ["From the bridge"]
    page.errors.clear()


def test_of_two_captions_each_device_offers_the_other(world, visit):
    world.start_server()
    one = planned(world, visit)
    add(one, "")
    in_sync(one)
    two = visit(world.device("b")).loaded()
    open_visit(two)
    expect(photos(two)).to_have_count(1)
    for page, caption in [(one, "The <b>wall</b>"), (two, "From two")]:
        page.page.get_by_role("button", name="Work offline").click()
        expect(page.page.locator("#status-text")).to_contain_text("Working offline")
        photos(page).click()
        change_caption(page, caption)
        expect(photos(page)).to_have_accessible_name(f"{caption} (Waiting to be sent)")
    for page in (one, two):
        page.page.get_by_role("button", name="Work offline").click()
        in_sync(page)
    lost, kept_mine = one.page.locator(".notice"), two.page.locator(".notice")
    expect(lost).to_contain_text(
        "Another caption of a photo of El Capitan You changed it here to “The <b>wall</b>”;"
        " since then it was changed elsewhere to “From two”.")
    expect(kept_mine).to_contain_text(
        "Two captions of a photo of El Capitan It was changed here to “From two” and elsewhere to “The <b>wall</b>”."
        " The caption of this device was kept.")
    expect(kept_mine.get_by_role("button", name="Use the other caption")).to_be_visible()
    lost.get_by_role("button", name="Use my caption").click()
    expect(lost).to_have_count(0)
    in_sync(one)
    for page in (one, two):
        expect(photos(page)).to_have_accessible_name("The <b>wall</b>")
    expect(kept_mine).to_contain_text("since then it was changed elsewhere to “The <b>wall</b>”.")
    kept_mine.get_by_role("button", name="Dismiss").click()
    expect(kept_mine).to_have_count(0)
    in_sync(two)
    two.page.reload()
    open_visit(two.loaded())
    expect(photos(two)).to_have_accessible_name("The <b>wall</b>")
    expect(kept_mine).to_have_count(0)


def test_a_photo_of_a_visit_that_was_removed_elsewhere_is_told(world, visit):
    world.start_server()
    page = planned(world, visit)
    server = f"http://127.0.0.1:{world.port}"
    landmarks(world, "b", "sync", "--server", server)
    page.page.get_by_role("button", name="Work offline").click()
    expect(page.page.locator("#status-text")).to_contain_text("Working offline")
    add(page, "The wall")
    identifier = landmarks(world, "b", "reserve")[:36]
    landmarks(world, "b", "reserve", "--remove", identifier)
    landmarks(world, "b", "sync", "--server", server)
    page.page.get_by_role("button", name="Work offline").click()
    notice = page.page.locator(".notice", has_text="The server refused a photo")
    expect(notice).to_contain_text("The visit of this photo was removed.")
    notice.get_by_role("button", name="Remove the photo").click()
    expect(notice).to_have_count(0)
    in_sync(page)
    assert stored(world) == []


@pytest.mark.parametrize("options", [
    {"viewport": {"width": 390, "height": 844}}, {"color_scheme": "dark"}, {"forced_colors": "active"}, {},
], ids=["phone", "dark", "forced", "light"])
def test_photos_work_by_keyboard_and_have_no_accessibility_violations(world, visit, options):
    world.start_server()
    page = planned(world, visit, **options)
    button = page.page.locator("#visits .visit").get_by_role("button", name="Add a photo")
    button.focus()
    page.page.keyboard.press("Enter")
    sheet = page.page.get_by_role("dialog", name="Add a photo")
    expect(sheet).to_be_visible()
    assert violations(page.page) == []
    file = sheet.get_by_label("Photo", exact=True)
    page.page.keyboard.press("Tab")
    with page.page.expect_file_chooser() as chosen:
        file.press("Enter")
    chosen.value.set_files([{"name": "a.png", "mimeType": "image/png", "buffer": png()}])
    page.page.keyboard.press("Tab")
    page.page.keyboard.type("From the meadow " + "x" * 200)
    page.page.keyboard.press("Enter")
    expect(sheet).to_have_count(0)
    expect(button).to_be_focused()
    is_shown(page)
    in_sync(page)
    assert violations(page.page) == []
    photos(page).focus()
    page.page.keyboard.press("Enter")
    shown = page.page.get_by_role("dialog", name="Photo of the visit")
    expect(shown.get_by_role("img")).to_be_visible()
    assert violations(page.page) == []
    assert page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.page.keyboard.press("Escape")
    expect(photos(page)).to_be_focused()
