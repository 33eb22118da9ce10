"""Figure 3.clients, pages: a thousand pages of Quakes at once while its feed fails half of the time."""

import json
import pathlib
import statistics
import sys
import threading

from .lines import answer, check
from .programs import Quakes, fetch

PAGES, CONNECTIONS = 1_000, 4_000
FEED = "/earthquakes/feed/v1.0/summary/all_day.geojson"
FAULTS = ("503", "truncated", "429", "malformed", "bad-gzip", "html")
# Seconds of a failing feed, then of one that works; a refresh comes every second.
TURN = 5
SLOWEST = 0.25
# The maximum growth of a process in the second half of the time.
GROWTH = 16 * 1024 * 1024


class Weather:
    """Lets the feed fail half of the time, and measures the server's memory meanwhile."""

    def __init__(self, feed, server):
        self.feed, self.status = feed, pathlib.Path(f"/proc/{server.process.pid}/status")
        self.ended = threading.Event()
        self.memory, self.faults = [], 0
        self.thread = threading.Thread(target=self.run)

    def resident(self):
        """The bytes of memory that the server has."""
        for line in self.status.read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        return 0

    def run(self):
        turn = 0
        while not self.ended.wait(TURN):
            turn += 1
            is_failing = turn % 2 == 1
            kind = FAULTS[turn // 2 % len(FAULTS)] if is_failing else "none"
            fetch(f"{self.feed.url}/control/fault?kind={kind}", post=True)
            self.faults += is_failing
            self.memory.append(self.resident())

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()

    def growth(self):
        """The growth in bytes from the third quarter of the time to the last one."""
        quarter = max(1, len(self.memory) // 4)
        return statistics.median(self.memory[-quarter:]) - statistics.median(self.memory[-2 * quarter:-quarter])


def pages(scene, seconds, rate, requests):
    """The results of a thousand pages."""
    quakes, folder = Quakes(scene.product("quakes")), scene.folder("clients")
    with quakes.demo_feed(
        "--port", 0, "--events", 5_000, "--max-age", 1, "--advance-every", "2s", log=folder / "feed.txt",
    ) as feed, quakes.serve(
        "--port", 0, "--feed", feed.url + FEED, "--store", folder / "clients.store", "--every", "1s",
        "--connections", CONNECTIONS, log=scene.log("clients-server"),
    ) as server, Weather(feed, server) as weather:
        script = pathlib.Path(__file__).with_name("web_load.py")
        found = answer(sys.executable, script, server.url, PAGES, seconds, rate, seconds=seconds + 600)
        check(server.process.poll() is None, "the server ended")
    scene.log("clients").write_text(
        json.dumps(found) + "\n" + "\n".join(map(str, weather.memory)) + "\n", encoding="utf-8"
    )
    figure = (
        f"{found['pages']} pages with a stream each for {found['seconds']:.0f} s, {weather.faults} failures of the"
        f" feed: {found['requests']} requests, {found['failures']} failed, median {found['median'] * 1e3:.0f} ms, p99"
        f" {found['p99'] * 1e3:.0f} ms, {found['messages']} messages on the streams; memory at the end"
        f" {weather.memory[-1] / 2**20:.0f} MiB, {weather.growth() / 2**20:+.1f} MiB in the last half"
    )
    check(found["failures"] == 0, f"{figure}; {'; '.join(found['examples'])}")
    check(found["changes"] > 0 and found["messages"] > PAGES, f"{figure}: nothing came on the streams")
    check(found["requests"] >= requests, f"{figure}; {requests} requests were wanted")
    check(weather.growth() < GROWTH, f"{figure}: memory grows")
    return found, figure


def figure(scene):
    if scene.scale == "ci":
        return pages(scene, 30, 500, 5_000)[1]
    found, text = pages(scene, 600, 1_900, 1_000_000)
    check(found["p99"] < SLOWEST, f"{text}: slower than {SLOWEST * 1e3:.0f} ms")
    return text
