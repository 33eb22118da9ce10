"""The program is exchanged for another version while its page is open, and pages meet programs of other versions."""

import json

import pytest
from playwright.sync_api import expect

from test_kept import favorites, kept, reopened
from test_landmarks import EL_CAPITAN, YOSEMITE_FALLS, in_sync
from test_without_program import heart, open_kept

OTHER = "// other files"


@pytest.fixture
def page(world, visit):
    world.start_server()
    page = visit(world.device("a"), service_workers="block").loaded()
    in_sync(page)
    yield page
    # A handler that fetches the program's answer may still be at it.
    page.context.unroute_all(behavior="ignoreErrors")
    page.errors.clear()
    page.page.evaluate("window.violations = []")


def exchange(page):
    """The program answers as one of another version does."""
    page.context.route("**/service-worker.js", lambda route: route.fulfill(
        content_type="text/javascript", body=OTHER))


def updated(page):
    return page.page.locator(".notice.exchanged")


def refuse(page, status=404, address="**/api/favorites/*"):
    """The program has no such address, as one that has renamed it."""
    page.context.route(address, lambda route: route.fulfill(status=status, json={
        "error": {"code": "not_found", "message": "There is nothing at this address."}}))


def add_edit(page, kind):
    """Keeps an edit as a page of a later version does."""
    page.page.evaluate("""async (kind) => {
      const opening = indexedDB.open('landmarks', 1);
      await new Promise((done) => { opening.onsuccess = done; });
      const { store } = await (await fetch('/api/config')).json();
      const transaction = opening.result.transaction('edits', 'readwrite');
      transaction.objectStore('edits').add({
        kind, store, what: 'The colour of the visit to El Capitan', name: 'El Capitan', made: Date.now(),
        id: '01900000-0000-7000-8000-000000000000', state: 'waiting', failures: 0, colour: 'red',
      });
      await new Promise((done) => { transaction.oncomplete = done; });
      opening.result.close();
    }""", kind)


def test_an_edit_that_another_version_refuses_waits_for_the_reload(world, page):
    exchange(page)
    refuse(page)
    heart(page, EL_CAPITAN).click()
    expect(updated(page)).to_contain_text("Landmarks was updated")
    kept(page)
    expect(page.page.locator(".notice.refusal")).to_have_count(0)
    # It holds up no other edit that the program takes.
    page.context.unroute("**/api/favorites/*")
    refuse(page, address=f"**/api/favorites/{EL_CAPITAN}")
    with page.page.expect_response(f"**/api/favorites/{YOSEMITE_FALLS}") as answer:
        heart(page, YOSEMITE_FALLS).click()
    assert answer.value.ok
    assert favorites(world) == [YOSEMITE_FALLS]
    page.context.unroute_all()
    with page.page.expect_navigation():
        updated(page).get_by_role("button", name="Reload").click()
    page.loaded()
    expect(page.page.locator("#kept")).to_be_hidden()
    in_sync(page)
    assert favorites(world) == [EL_CAPITAN, YOSEMITE_FALLS]
    expect(updated(page)).to_have_count(0)


def test_a_refusal_by_the_program_of_the_page_is_told_as_before(page):
    refuse(page)
    heart(page, EL_CAPITAN).click()
    expect(page.page.locator(".notice.refusal")).to_contain_text("There is nothing at this address.")
    expect(updated(page)).to_have_count(0)


def test_a_page_that_opened_without_its_program_notices_another_version(world, visit):
    device, port, page = open_kept(world, visit)
    device.stop()
    reopened(page)
    heart(page, EL_CAPITAN).click()
    kept(page)
    exchange(page)
    world.device("a", port)
    expect(updated(page)).to_be_visible(timeout=30_000)
    in_sync(page)
    assert favorites(world) == [EL_CAPITAN]
    page.context.unroute_all()
    page.errors.clear()
    page.page.evaluate("window.violations = []")


def test_an_edit_of_a_later_version_is_kept_and_told_and_holds_up_no_other(world, page):
    add_edit(page, "colour")
    page.page.reload()
    page.loaded()
    notice = page.page.locator(".notice.later")
    expect(notice).to_contain_text("The colour of the visit to El Capitan")
    expect(notice).to_contain_text("a newer one does")
    with page.page.expect_response(f"**/api/favorites/{EL_CAPITAN}") as answer:
        heart(page, EL_CAPITAN).click()
    assert answer.value.ok
    kept(page)
    assert favorites(world) == [EL_CAPITAN]
    page.page.locator("#kept").click()
    expect(page.page.locator("#waiting-list")).to_contain_text("The colour of the visit to El Capitan")
    page.page.locator("#waiting-close").click()
    notice.get_by_role("button", name="Discard").click()
    expect(page.page.locator("#kept")).to_be_hidden()


def test_answers_of_a_later_program_are_told_in_true_words(page):
    def later(route):
        answer = route.fetch()
        state = answer.json()
        state["notices"] = [{
            "kind": "sharedElsewhere", "reservationID": None, "photoID": None, "landmarkID": EL_CAPITAN, "mine": None,
            "theirs": None, "note": None, "detail": None, "made": 1}]
        state["waiting"] = [{
            "kind": "share", "landmarkID": EL_CAPITAN, "reservationID": None, "isFavorite": None, "reason": "waits",
            "detail": None}]
        state["status"] |= {"pending": 1, "state": "dreaming"}
        route.fulfill(response=answer, body=json.dumps(state))

    page.context.route("**/api/state", later)
    page.page.reload()
    page.loaded()
    expect(page.page.locator(".notice.decision")).to_contain_text("A notice about El Capitan")
    expect(page.page.locator("#notices")).not_to_contain_text("refused")
    page.page.locator("#pending").click()
    expect(page.page.locator("#waiting-list li strong")).to_have_text("A change")
    page.page.locator("#waiting-close").click()
    expect(page.page.locator("body")).not_to_contain_text("undefined")


def test_a_store_that_a_newer_program_changed_is_told_and_edits_wait(page):
    message = "The store cannot be written: another version of Landmarks changed its form while this one ran"
    for address in ["**/api/state", "**/api/favorites/*"]:
        page.context.route(address, lambda route: route.fulfill(
            status=503, json={"error": {"code": "store_changed", "message": f"{message}."}}))
    for _ in range(4):
        heart(page, EL_CAPITAN).click()
    heart(page, YOSEMITE_FALLS).click()
    expect(page.page.locator(".notice.trouble")).to_contain_text(message, timeout=20_000)
    expect(page.page.locator("#status-text")).to_contain_text("Landmarks can't use its store")
    expect(page.page.locator("#kept")).to_be_visible()
    expect(page.page.locator(".notice.refusal")).to_have_count(0)
    page.context.unroute_all()
    expect(page.page.locator("#kept")).to_be_hidden(timeout=40_000)
    expect(heart(page, YOSEMITE_FALLS)).to_have_attribute("aria-pressed", "true")
    expect(page.page.locator(".notice.trouble")).to_have_count(0)
