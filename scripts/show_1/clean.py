"""Item 1: from a clean clone to tested code and a page, and a start without a network."""

import os
import signal
import socket
import subprocess
import time
import urllib.error

from .programs import ROOT, check, end, fetch, fetch_json, note, surroundings, wait_for

PAGE_SECONDS = 600
TEST_SECONDS = 3_600


def show(quakes, folder, skip_clean):
    offline = without_network(quakes, folder)
    check(not skip_clean, f"{offline}; the clean clone was left out (--skip-clean)")
    clone = folder / "clone"
    subprocess.run(
        ["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(clone)], check=True
    )
    page = page_from_clean_clone(clone, folder)
    tests = tests_in(clone, folder)
    return f"clean clone: page up after {page:.0f} s, tests passed in {tests:.0f} s; {offline}"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def without_network(quakes, folder):
    """An empty store and a feed that nobody serves: the page says so and what to do."""
    feed = f"http://127.0.0.1:{free_port()}/all_day.geojson"
    with quakes.serve(
        "--port", 0, "--feed", feed, "--store", folder / "empty.store", log=folder / "offline.log"
    ) as server:
        error = wait_for(
            "the failure to be reported", 120,
            lambda: fetch_json(f"{server.url}/api/status")["lastError"],
        )
        note(f"without a network: {error['message']}")
        wait_for("a word about make demo", 10, lambda: "make demo" in server.output())
    return "without a network it says so and points to make demo"


def page_from_clean_clone(clone, folder):
    port = free_port()
    log = folder / "make-run.log"
    begun = time.monotonic()
    with open(log, "wb") as output:
        process = subprocess.Popen(
            ["make", "run", f"PORT={port}", f"STORE={folder / 'run.store'}"], cwd=clone,
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            env=surroundings(), start_new_session=True,
        )
    try:
        wait_for("the page", PAGE_SECONDS, lambda: is_up(process, port, log))
        return time.monotonic() - begun
    finally:
        # make, the script and Quakes are one process group, which is ours alone.
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        end(process)


def is_up(process, port, log):
    check(process.poll() is None, f"make run ended: {log.read_text(errors='replace')[-400:]}")
    try:
        return b"<html" in fetch(f"http://127.0.0.1:{port}/").lower()
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def tests_in(clone, folder):
    log = folder / "make-test.log"
    begun = time.monotonic()
    with open(log, "wb") as output:
        done = subprocess.run(
            ["make", "test"], cwd=clone, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, env=surroundings(), timeout=TEST_SECONDS,
        )
    check(done.returncode == 0, f"make test failed: {log.read_text(errors='replace')[-400:]}")
    return time.monotonic() - begun
