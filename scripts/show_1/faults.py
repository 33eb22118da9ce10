"""Item 3: over HTTP, every fault of the feed leaves the copy whole and is recovered from."""

import json
import time

from . import independent
from .programs import check, fetch, fetch_json, note, wait_for

FEED = "/earthquakes/feed/v1.0/summary/all_month.geojson"
EVENTS = 6_000
# The total deadline of a refresh is two minutes; then the next one has to come round.
PATIENCE = 240
FAILURES = ("429", "503", "truncated", "bad-gzip", "malformed", "html", "timeout", "slow-drip")


class Scene:
    """Quakes on the demo feed."""

    def __init__(self, feed, server, store):
        self.feed, self.server, self.store = feed, server, store

    def fault(self, kind):
        fetch(f"{self.feed.url}/control/fault?kind={kind}", post=True)

    def advance(self):
        fetch(f"{self.feed.url}/control/advance", post=True)

    def refresh(self):
        fetch(f"{self.server.url}/api/refresh", post=True, headers={"X-Requested-With": "quakes"})

    def status(self):
        return fetch_json(f"{self.server.url}/api/status")

    def feed_content(self):
        return independent.kept(json.loads(fetch(self.feed.url + FEED))["features"])

    def is_current(self):
        """Whether the copy is calm and holds all that the feed shows now."""
        status = self.status()
        if status["state"] != "fresh" or status["lastError"]:
            return False
        wanted = self.feed_content().items()
        return wanted <= independent.stored(self.store).items()


def show(quakes, folder):
    store = folder / "faults.store"
    with quakes.demo_feed(
        "--port", 0, "--events", EVENTS, "--max-age", 1, log=folder / "feed.log"
    ) as feed, quakes.serve(
        "--port", 0, "--feed", feed.url + FEED, "--store", store, "--every", "5s",
        log=folder / "server.log",
    ) as server:
        scene = Scene(feed, server, store)
        wait_for("the first copy", PATIENCE, scene.is_current)
        slowest = max(failure(scene, kind) for kind in FAILURES)
        skipped = malformed_feature(scene)
    return (
        f"{len(FAILURES)} faults: copy whole, reported as offline, recovered by itself within "
        f"{slowest:.0f} s; a malformed feature: {skipped} skipped, the rest in"
    )


def failure(scene, kind):
    before = independent.digest(scene.store)
    scene.fault(kind)
    scene.advance()
    scene.refresh()

    def is_reported():
        check(independent.digest(scene.store) == before, f"{kind}: the copy changed")
        status = scene.status()
        return status["lastError"] if status["state"] == "offline" else None

    error = wait_for(f"{kind} to be reported", PATIENCE, is_reported)
    note(f"{kind}: {error['message']}")
    check(independent.digest(scene.store) == before, f"{kind}: the copy changed")
    begun = time.monotonic()
    scene.fault("none")
    wait_for(f"recovery from {kind}", PATIENCE, scene.is_current)
    return time.monotonic() - begun


def malformed_feature(scene):
    scene.advance()
    wait_for("the copy to be current", PATIENCE, scene.is_current)
    scene.fault("malformed-feature")
    scene.advance()

    def is_skipped():
        report = scene.status()["lastReport"]
        return report["skipped"] if report else 0

    skipped = wait_for("a skipped feature", PATIENCE, is_skipped)
    check(scene.status()["state"] == "fresh", "a malformed feature made the copy offline")
    scene.fault("none")
    scene.advance()
    wait_for("recovery from a malformed feature", PATIENCE, scene.is_current)
    return skipped
