#!/usr/bin/env python3
"""Many pages of Quakes at once, each with an open stream of changes and a connection for requests:

    web_load.py URL[,URL]... PAGES SECONDS REQUESTS-A-SECOND

With several servers, each connection goes to the next one, as a proxy does it. Prints a JSON object; its `arrivals` are
the times at which the last change of each event reached the pages (seconds since 1970). A failed request is one that isn't answered with 200 or 304 within 60 seconds, or whose body has
another length than announced; a failed stream is one that ends, or that hasn't received the newest changes at the end.
"""

import asyncio
import functools
import itertools
import json
import random
import re
import sys
import time
import urllib.parse

import load

# The maximum time until the last changes reach every stream.
QUIET = 20


@functools.lru_cache(maxsize=1_000)
def events(data):
    """The identifiers of the events in a message of changes, which all pages get."""
    changes = json.loads(data)
    return [event["id"] for kind in ("inserted", "updated") for event in changes[kind]]


class Counts:
    """The results of all pages."""

    def __init__(self):
        self.delays = []
        self.failures = []
        self.messages = 0
        self.statuses = {}

    def failed(self, text):
        self.failures.append(text)


class Page:
    """A page: a stream, and requests one after the other on another connection."""

    def __init__(self, places, counts, number):
        self.places = places
        self.counts = counts
        self.random = random.Random(number)
        # The server of the stream, and the number of the last change.
        self.server, self.last = None, -1
        self.arrivals = {}
        self.identifiers = []
        self.tag = None

    async def connect(self):
        """A connection to the next server, and that server."""
        place = next(self.places)
        reader, writer = await asyncio.open_connection(*place)
        return reader, writer, place

    @staticmethod
    def head(place, path, more=""):
        return f"GET {path} HTTP/1.1\r\nHost: {place[0]}:{place[1]}\r\n{more}\r\n".encode()

    async def listen(self, opened):
        """Reads the stream until it is cancelled."""
        try:
            reader, writer, place = await self.connect()
            self.server = place
            writer.write(self.head(place, "/api/stream"))
            status, _, _ = await load.answer(reader)
            if status != "200":
                raise load.Failed(f"the stream was answered {status}")
            opened.set()
            is_change = False
            while line := await reader.readline():
                if line.startswith(b"id: "):
                    self.last = int(line.strip().rsplit(b"-", 1)[1])
                elif line.startswith(b"data: ") and is_change:
                    self.arrivals |= dict.fromkeys(events(line[6:]), time.time())
                elif line.startswith(b"event: "):
                    self.counts.messages += 1
                    is_change = line.startswith(b"event: changes")
                    if line.startswith(b"event: reset"):
                        raise load.Failed("the stream was reset")
            raise load.Failed("the stream ended")
        except load.BROKEN as error:
            self.counts.failed(f"stream: {type(error).__name__} {error}")
        finally:
            opened.set()

    def choice(self):
        """The next request of a page."""
        number = self.random.random()
        if number < 0.3:
            return "/api/status", ""
        if number < 0.5 and self.identifiers:
            return f"/api/events/{urllib.parse.quote(self.random.choice(self.identifiers))}", ""
        if number < 0.8:
            magnitude = self.random.choice(("0", "1", "2.5", "4.5"))
            return f"/api/events?limit=50&min_magnitude={magnitude}", ""
        return "/", f"If-None-Match: {self.tag}\r\n" if self.tag else ""

    async def ask(self, reader, writer, place):
        path, more = self.choice()
        begun = time.monotonic()
        writer.write(self.head(place, path, more))
        status, answer, body = await load.answer(reader)
        self.counts.delays.append(time.monotonic() - begun)
        self.counts.statuses[status] = self.counts.statuses.get(status, 0) + 1
        if status not in ("200", "304"):
            raise load.Failed(f"{path} was answered {status}: {body[:200]!r}")
        if path.startswith("/api/events?"):
            self.identifiers = [event["id"] for event in json.loads(body)["events"]][:20]
        if path == "/" and (tag := re.search(r"(?i)^etag: (\S+)", answer, re.MULTILINE)):
            self.tag = tag[1]

    async def use(self, end, pause):
        """Sends requests until the end, at random moments."""
        connection = await self.connect()
        # The pages don't start at once.
        await asyncio.sleep(self.random.uniform(0, 2 * pause))
        while time.monotonic() < end:
            begun = time.monotonic()
            try:
                await self.ask(*connection)
            except load.BROKEN as error:
                self.counts.failed(f"{type(error).__name__} {error}")
                connection[1].close()
                connection = await self.connect()
            left = begun + self.random.uniform(0, 2 * pause) - time.monotonic()
            if left > 0:
                await asyncio.sleep(left)
        connection[1].close()


async def main(urls, pages, seconds, rate):
    # A stream and a connection each, and a few files.
    load.allow(2 * pages + 64)
    addresses = [urllib.parse.urlsplit(url) for url in urls.split(",")]
    places = itertools.cycle([(address.hostname, address.port) for address in addresses])
    counts = Counts()
    all_pages = [Page(places, counts, number) for number in range(pages)]
    streams = []
    for page in all_pages:
        opened = asyncio.Event()
        streams.append(asyncio.create_task(page.listen(opened)))
        await opened.wait()
    begun = time.monotonic()
    end = begun + seconds
    await asyncio.gather(*(page.use(end, pages / rate) for page in all_pages))
    elapsed = time.monotonic() - begun
    # Changes continue, so the streams of a server are compared by the number at the end of their identifiers.
    newest = {}
    for page in all_pages:
        newest[page.server] = max(page.last, newest.get(page.server, -1))

    def is_behind(page):
        return page.last < newest[page.server]

    deadline = time.monotonic() + QUIET
    while any(map(is_behind, all_pages)) and time.monotonic() < deadline:
        await asyncio.sleep(0.1)
    behind = sum(map(is_behind, all_pages))
    if behind:
        counts.failed(f"{behind} streams never heard of the changes {sorted(newest.values())}")
    for stream in streams:
        stream.cancel()
    await asyncio.gather(*streams, return_exceptions=True)
    load.report(
        counts.delays, counts.failures, pages=pages, seconds=elapsed, messages=counts.messages,
        changes=min(newest.values()), statuses=counts.statuses,
        arrivals={
            event: [page.arrivals[event] for page in all_pages if event in page.arrivals]
            for event in sorted({event for page in all_pages for event in page.arrivals})
        },
    )


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])))
