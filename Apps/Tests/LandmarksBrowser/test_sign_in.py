"""Signing in and out on the page, and what stays meanwhile."""

import contextlib
import json
import os
import sqlite3
import subprocess
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import expect

from accessibility import ENLARGED, beyond_the_edge, violations
from browsers import wait_for
from conftest import free_port
from test_forced_colours import PHONE
from test_landmarks import EL_CAPITAN, YOSEMITE_FALLS, in_sync, waiting

PASSWORD = "correct horse"
STATE = "**/api/state"


def users(world, *arguments, password=PASSWORD):
    """Runs `landmarks users` for the server's file."""
    subprocess.run(
        [world.binary, "users", *arguments, "--store", str(world.folder / "server.store")],
        input=password + "\n", text=True, check=True, stdout=subprocess.DEVNULL, timeout=60)


@pytest.fixture
def people(world):
    """A server with the user ann, and no tokens."""
    del os.environ["LANDMARKS_TOKEN"]
    users(world, "add", "ann")
    world.start_server()
    return world


def sign_in(page, password=PASSWORD, user="ann"):
    form = page.page.locator("#sign-in")
    expect(form).to_be_visible()
    page.page.get_by_label("Name", exact=True).fill(user)
    page.page.get_by_label("Password").fill(password)
    form.get_by_role("button", name="Sign in").click()


def signed_in(page):
    expect(page.page.locator("#sign-in")).to_be_hidden()
    expect(page.page.locator("#account")).to_have_accessible_name("Signed in as ann")
    page.loaded()
    in_sync(page)
    return page


def opened(world, visit, name="a", **options):
    """A page on which ann is signed in."""
    page = visit(world.device(name), **options)
    sign_in(page)
    return signed_in(page)


def favorites(world):
    """The favorites at the server."""
    with contextlib.closing(sqlite3.connect(world.folder / "server.store", timeout=30)) as store:
        return store.execute("SELECT user, landmarkID FROM ServedFavorite ORDER BY landmarkID").fetchall()


def test_a_first_visit_begins_with_the_form_which_works_by_keyboard(people, visit):
    page = visit(people.device("a"))
    expect(page.page.locator("#sign-in")).to_be_visible()
    expect(page.page.locator("#sign-in-user")).to_be_focused()
    page.page.keyboard.press("Escape")
    expect(page.page.locator("#nothing-text")).to_have_text("They come when you sign in.")
    page.page.locator("#account").press("Enter")
    expect(page.page.locator("#sign-in-user")).to_be_focused()
    assert page.page.locator("#sign-in-user").get_attribute("autocomplete") == "username"
    assert page.page.locator("#sign-in-password").get_attribute("autocomplete") == "current-password"
    page.page.keyboard.type("ann")
    page.page.keyboard.press("Tab")
    page.page.keyboard.type(PASSWORD)
    page.page.keyboard.press("Enter")
    signed_in(page)
    # The password is nowhere any more.
    assert page.page.locator("#sign-in-password").input_value() == ""
    assert PASSWORD not in (people.folder / "a.log").read_text()
    assert PASSWORD not in (people.folder / "serve.log").read_text()


def test_a_wrong_password_is_announced_and_can_be_typed_again(people, visit):
    page = visit(people.device("a"))
    sign_in(page, "wrong horse")
    error = page.page.get_by_role("alert")
    expect(error).to_have_text("The name or the password is wrong.")
    expect(page.page.locator("#sign-in-password")).to_be_focused()
    assert violations(page.page) == []
    page.page.keyboard.type(PASSWORD)
    page.page.keyboard.press("Enter")
    signed_in(page)


def test_without_the_server_the_form_says_so(people, visit):
    people.stop_server()
    page = visit(people.device("a"))
    sign_in(page)
    expect(page.page.get_by_role("alert")).to_contain_text("can't be reached")
    people.start_server()
    page.page.locator("#sign-in-submit").click()
    signed_in(page)


def test_an_ended_session_keeps_what_is_shown_and_edits_are_sent_once_after_the_next(people, visit):
    page = opened(people, visit)
    users(people, "password", "ann", password="another horse")
    page.row(EL_CAPITAN).locator(".heart").click()
    notice = page.page.locator(".notice", has_text="Signed out")
    expect(notice).to_contain_text("The sign-in has ended")
    waiting(page, "1 change waiting")
    # Everything remains usable.
    expect(page.rows).to_have_count(80)
    page.row(YOSEMITE_FALLS).locator(".heart").click()
    waiting(page, "2 changes waiting")
    assert violations(page.page) == []
    page.page.reload()
    page.loaded()
    waiting(page, "2 changes waiting")
    # With something to look at, the form waits until it is asked for.
    expect(page.page.locator("#sign-in")).to_be_hidden()
    notice.get_by_role("button", name="Sign in").click()
    expect(page.page.locator("#sign-in-user")).to_have_value("ann")
    expect(page.page.locator("#sign-in-password")).to_be_focused()
    sign_in(page, "another horse")
    signed_in(page)
    expect(notice).to_have_count(0)
    assert favorites(people) == [("ann", EL_CAPITAN), ("ann", YOSEMITE_FALLS)]
    with contextlib.closing(sqlite3.connect(people.folder / "a.store", timeout=30)) as store:
        assert store.execute("SELECT count(*) FROM StoredEdit").fetchone() == (2,)


def test_signing_out_asks_while_changes_wait_and_keeps_them(people, visit):
    page = opened(people, visit)
    page.page.locator("#offline").click()
    expect(page.page.locator("#status[data-state=off]")).to_be_visible()
    page.row(EL_CAPITAN).locator(".heart").click()
    waiting(page, "1 change waiting")
    page.page.locator("#account").click()
    sheet = page.page.locator("#signed-in")
    expect(sheet).to_contain_text("Signed in as ann")
    assert violations(page.page) == []
    sheet.get_by_role("button", name="Sign out").click()
    expect(page.page.get_by_role("alert")).to_have_text(
        "1 change waiting: kept on this device until ann signs in again.")
    sheet.get_by_role("button", name="Sign out anyway").click()
    expect(sheet).to_be_hidden()
    expect(page.page.locator("#account")).to_have_accessible_name("Sign in")
    expect(page.rows).to_have_count(80)
    waiting(page, "1 change waiting")
    assert favorites(people) == []
    assert not (people.folder / "a.store.session").exists()
    page.page.locator("#account").click()
    sign_in(page)
    signed_in(page)
    assert favorites(people) == [("ann", EL_CAPITAN)]


def test_without_waiting_changes_one_press_signs_out(people, visit):
    page = opened(people, visit)
    page.page.locator("#account").click()
    page.page.locator("#sign-out").click()
    expect(page.page.locator(".notice", has_text="Signed out")).to_be_visible()
    expect(page.page.locator("#account")).to_be_focused()


def test_signing_out_ends_when_the_page_offers_to_sign_in(people, visit):
    page = opened(people, visit)
    page.page.evaluate("""() => {
        const account = document.querySelector("#account");
        document.querySelector("#signed-in").addEventListener("close", () => {
            window.offered = account.getAttribute("aria-label");
        });
    }""")
    held = []
    page.context.route(STATE, lambda route: held.append(route))
    page.page.locator("#account").click()
    with page.page.expect_response("**/api/session") as answer:
        page.page.locator("#sign-out").click()
    answer.value.finished()
    wait_for(page.page, lambda: bool(held))
    for route in held:
        route.continue_()
    page.context.unroute(STATE)
    expect(page.page.locator("#signed-in")).to_be_hidden()
    assert page.page.evaluate("window.offered") == "Sign in"
    page.page.locator("#account").click()
    sign_in(page)
    signed_in(page)


def test_a_store_of_another_user_is_not_taken(people, visit):
    users(people, "add", "bob")
    page = opened(people, visit)
    page.page.locator("#account").click()
    page.page.locator("#sign-out").click()
    page.page.locator("#account").click()
    sign_in(page, user="bob")
    expect(page.page.get_by_role("alert")).to_contain_text("This store belongs to ann")
    page.page.keyboard.press("Escape")
    expect(page.page.locator("#sign-in")).to_be_hidden()


def test_another_site_cannot_sign_in_or_out(people, visit):
    device = people.device("a")
    for method in ("POST", "DELETE"):
        request = urllib.request.Request(
            f"{device.url}/api/session", json.dumps({"user": "ann", "password": PASSWORD}).encode(),
            {"Content-Type": "text/plain", "Origin": "https://evil.example"}, method=method)
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=30)
        assert refused.value.code == 403
        assert refused.value.headers["Access-Control-Allow-Origin"] is None


@pytest.mark.parametrize("options", [
    {"color_scheme": "light"}, {"color_scheme": "dark"}, {"color_scheme": "dark", **PHONE},
    {"forced_colors": "active"}, {"forced_colors": "active", **PHONE},
], ids=["light", "dark", "phone", "forced", "forced phone"])
def test_the_form_is_accessible(people, visit, options):
    page = visit(people.device("a"), **options)
    expect(page.page.locator("#sign-in")).to_be_visible()
    assert violations(page.page) == []
    assert beyond_the_edge(page.page) == []
    sign_in(page)
    signed_in(page)
    page.page.locator("#account").click()
    assert violations(page.page) == []


@pytest.mark.parametrize("size", ENLARGED)
def test_enlarged_the_form_is_within_the_width(people, visit, size):
    page = visit(people.device("a"), **ENLARGED[size])
    sign_in(page)
    signed_in(page)
    assert beyond_the_edge(page.page) == []
    page.page.locator("#account").click()
    assert beyond_the_edge(page.page) == []


def test_with_a_token_there_is_nothing_to_sign_in_or_out(world, visit):
    world.start_server()
    page = visit(world.device("a")).loaded()
    in_sync(page)
    expect(page.page.locator("#account")).to_be_hidden()


def test_another_user_of_the_browser_sees_and_sends_nothing_of_the_first(people, visit):
    """The program is started with the store of another user while edits of the first wait in the browser."""
    users(people, "add", "bob")
    port = free_port()
    device = people.device("a", port)
    page = visit(device, service_workers="block")
    sign_in(page)
    signed_in(page)
    device.stop()
    page.row(EL_CAPITAN).locator(".heart").click()
    expect(page.page.locator("#kept")).to_have_text("1 kept in this browser")
    other = people.device("b", port)
    expect(page.page.locator("#account")).to_have_accessible_name("Sign in")
    page.page.locator("#account").click()
    sign_in(page, user="bob")
    expect(page.page.locator("#account")).to_have_accessible_name("Signed in as bob")
    notice = page.page.locator(".notice.others")
    expect(notice).to_contain_text("A change that another user made here is kept in this browser.")
    expect(notice.get_by_role("button")).to_have_count(0)
    expect(page.page.locator("#notices")).not_to_contain_text("El Capitan")
    expect(page.page.locator("#kept")).to_be_hidden()
    page.row(YOSEMITE_FALLS).locator(".heart").click()
    wait_for(page.page, lambda: favorites(people), [("bob", YOSEMITE_FALLS)])
    in_sync(page)
    page.page.locator("#account").click()
    page.page.locator("#sign-out").click()
    expect(page.page.locator("#account")).to_have_accessible_name("Sign in")
    expect(page.page.locator("#notices")).not_to_contain_text("El Capitan")
    # The first user's store again: the edit is sent.
    other.stop()
    people.device("a", port)
    expect(page.page.locator("#account")).to_have_accessible_name("Signed in as ann")
    wait_for(page.page, lambda: sorted(favorites(people)), [("ann", EL_CAPITAN), ("bob", YOSEMITE_FALLS)])
    in_sync(page)
    page.errors.clear()
