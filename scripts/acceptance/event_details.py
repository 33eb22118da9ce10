"""Item `apps.9`: details of events are loaded once, kept, and there without a network."""

import collections
import http.server
import json
import random
import signal
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from .lines import check, note
from .programs import Quakes, fetch, fetch_json

FEED = "/earthquakes/feed/v1.0/summary/all_month.geojson"
DETAILS = "/earthquakes/feed/v1.0/detail/"
# The requests that arrive at once for an event.
AT_ONCE = 4
# The time in seconds after which a server that is busy with other details must have begun to load these.
PATIENCE = 180


class Recorder:
    """A server in front of a demo feed, which hands its answers on under its own address and notes what is asked."""

    def __init__(self, demo):
        self.asked = collections.Counter()
        lock, recorder = threading.Lock(), self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                with lock:
                    recorder.asked[self.path] += 1
                try:
                    with urllib.request.urlopen(demo.url + self.path, timeout=60) as answer:
                        status, body = answer.status, answer.read()
                except urllib.error.HTTPError as error:
                    status, body = error.code, error.read()
                body = body.replace(demo.url.encode(), recorder.url.encode())
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def counts(self, start):
        """The number of requests by path, of the paths that begin so."""
        return {path: count for path, count in self.asked.items() if path.startswith(start)}


def wanted(document):
    """The contents of an event's document, read independently of the program."""
    products = document["properties"]["products"]

    def first(*kinds):
        return next((products[kind][0]["properties"] for kind in kinds if products.get(kind)), None)

    shaking, losses, reports = first("shakemap"), first("losspager"), first("dyfi")
    mechanism = first("moment-tensor", "focal-mechanism")
    return {
        "shaking": shaking and float(shaking["maxmmi"]),
        "alert": losses and losses["alertlevel"],
        "felt": reports and int(reports.get("num-responses") or reports["numResp"]),
        # A direction: 360 degrees are 0.
        "strike": mechanism and float(mechanism["nodal-plane-1-strike"]) % 360,
    }


def told(details):
    """The same of what the program tells."""
    return {
        "shaking": details["shaking"],
        "alert": details["alert"] and details["alert"]["level"],
        "felt": details["felt"] and details["felt"]["responses"],
        "strike": details["mechanism"] and details["mechanism"]["planes"][0]["strike"],
    }


def refused(url):
    """The status and the code of a request that must fail."""
    try:
        fetch(url)
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())["error"]["code"]
    return 200, None


def opened(url):
    """The details that a server answers with. It begins few loads a minute, and says when to ask again."""
    begun = time.monotonic()
    while True:
        try:
            return fetch_json(url)
        except urllib.error.HTTPError as error:
            check(error.code == 503, f"status {error.code} for {url}")
            code = json.loads(error.read())["error"]["code"]
            check(code == "details_busy", f"{code} for {url}")
            check(time.monotonic() - begun < PATIENCE, f"{url} is busy for {PATIENCE} s")
            time.sleep(int(error.headers["Retry-After"]))


def figure(scene, browsed):
    """The figure of the item.

    :param browsed: Runs tests of a page in a browser.
    """
    quakes, folder = Quakes(scene.product("quakes")), scene.folder("details")
    count, chance, store = scene.amount(40, 1_000), random.Random(scene.seed), folder / "a.store"
    products, told_of = collections.Counter(), {}
    demo = quakes.demo_feed("--port", 0, "--events", 10 * count, "--steps", log=scene.log("details-demo"))
    with demo, Recorder(demo) as recorder:
        feed = recorder.url + FEED
        words = ("--port", 0, "--feed", feed, "--store", store, "--all-magnitudes", "--every", "24h")
        quakes.refresh(feed, store, "--all-magnitudes")
        events = json.loads(quakes.run("list", "--json", "--sort", "magnitude", "--store", store))
        strong = [event["id"] for event in events[:count // 2]]
        others = [event["id"] for event in events[count // 2:]]
        chosen = strong + chance.sample(others, count - len(strong))
        unopened = next(id for id in others if id not in chosen)
        with quakes.serve(*words, log=scene.log("details-server")) as server, ThreadPoolExecutor(AT_ONCE) as pool:
            for number, id in enumerate(chance.sample(chosen, len(chosen))):
                if number % 10 == 0:
                    # Another program loads it, into the same store.
                    line = quakes.run("show", id, "--details", "--json", "--feed", feed, "--store", store)
                    shown = json.loads(line)["details"]
                    answers = [shown, *(opened(f"{server.url}/api/events/{id}/details") for _ in range(2))]
                else:
                    address = f"{server.url}/api/events/{id}/details"
                    answers = [*pool.map(opened, [address] * AT_ONCE)]
                found = [told(each) for each in answers]
                document = fetch_json(f"{demo.url}{DETAILS}{id}.geojson")
                check(all(each == wanted(document) for each in found), f"{id}: {found[0]} of {wanted(document)}")
                check(all(each["failure"] is None for each in answers), f"{id}: {answers[0]['failure']}")
                products.update(name for name, value in found[0].items() if value is not None)
                told_of[id] = found[0]
            for id in chance.sample(chosen, 10):
                quakes.run("show", id, "--details", "--json", "--feed", feed, "--store", store)
            server.stop(signal.SIGKILL)
        asked = recorder.counts(DETAILS)
        files = recorder.counts("/product/")
        others = [path for path in asked if path.removeprefix(DETAILS).removesuffix(".geojson") not in told_of]
        check(len(asked) == len(chosen) and not others, f"{len(asked)} documents were asked for, {len(chosen)} wanted")
        check({*asked.values(), *files.values()} == {1}, f"something was asked for {max(asked.values())} times")
    note(f"{len(asked)} documents and {len(files)} files of products, once each; now without the feed")
    with quakes.serve(*words, log=scene.log("details-later")) as server:
        for id in told_of:
            details = fetch_json(f"{server.url}/api/events/{id}/details")
            check(told(details) == told_of[id], f"{id}: {told(details)} without the feed instead of {told_of[id]}")
        status, code = refused(f"{server.url}/api/events/{unopened}/details")
        check((status, code) == (502, "details_unreachable"), f"an event that wasn't opened: {status} {code}")
        for id in chance.sample(chosen, 10):
            details = json.loads(quakes.run("show", id, "--details", "--json", "--feed", feed, "--store", store))
            check(told(details["details"]) == told_of[id], f"{id}: other details on the command line")
    passed = browsed(scene, "quakes", "opened_event_tells or steps_through or module_waits")
    kinds = ", ".join(f"{name} {number}" for name, number in sorted(products.items()))
    return (
        f"{count} events opened, {AT_ONCE} requests at once: {len(asked)} documents and {len(files)} files asked for,"
        f" each once; {kinds}, as an independent reader finds; all there after kill -9 and without the feed;"
        f" {passed} tests of the page"
    )
