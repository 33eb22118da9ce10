"""A server that goes on with an older copy of its data: nothing is lost, and the page says what happened."""

import contextlib
import pathlib
import shutil
import sqlite3

from playwright.sync_api import expect

from accessibility import violations
from browsers import wait_for
from test_landmarks import EL_CAPITAN, YOSEMITE_FALLS, in_sync
from test_without_program import heart


def served(world):
    """The favorites at the server."""
    with contextlib.closing(sqlite3.connect(world.folder / "server.store", timeout=30)) as store:
        return [id for id, in store.execute("SELECT landmarkID FROM ServedFavorite ORDER BY landmarkID")]


def files(folder):
    return pathlib.Path(folder).glob("server.store*")


def test_a_server_with_an_older_copy_gets_back_what_it_lost_and_the_page_says_so(world, visit, tmp_path):
    world.start_server()
    page = visit(world.device("a")).loaded()
    heart(page, EL_CAPITAN).click()
    wait_for(page.page, lambda: served(world), [EL_CAPITAN])
    copy = tmp_path / "copy"
    copy.mkdir()
    world.stop_server()
    for file in files(world.folder):
        shutil.copy(file, copy)
    world.start_server()
    heart(page, YOSEMITE_FALLS).click()
    wait_for(page.page, lambda: served(world), [EL_CAPITAN, YOSEMITE_FALLS])
    in_sync(page)
    notice = page.page.locator(".notice.restored")
    expect(notice).to_have_count(0)
    world.stop_server()
    for file in files(world.folder):
        file.unlink()
    for file in files(copy):
        shutil.copy(file, world.folder)
    assert served(world) == [EL_CAPITAN]
    world.start_server()
    expect(notice).to_contain_text("The server went on with an older copy of its data", timeout=60_000)
    assert violations(page.page) == []
    wait_for(page.page, lambda: served(world), [EL_CAPITAN, YOSEMITE_FALLS])
    in_sync(page)
    # A dismissed notice stays so in a new page of the same program.
    notice.get_by_role("button", name="Dismiss").click()
    expect(notice).to_have_count(0)
    page.page.reload()
    in_sync(page)
    expect(notice).to_have_count(0)
