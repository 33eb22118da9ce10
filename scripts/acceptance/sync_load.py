#!/usr/bin/env python3
"""Many clients of a sync server at once, each on a connection of its own: pushes, pulls and checks of the responses.

    sync_load.py PORT CLIENTS SECONDS

Prints a JSON object. A failed request is one that isn't answered with 200 in time, whose changes aren't accepted, or
whose response has other users' data.
"""

import asyncio
import json
import sys
import time
import uuid

import load


class Client:
    """A user with one persistent connection."""

    def __init__(self, number, port):
        self.user, self.port, self.cursor = f"user-{number}", port, None
        self.mine, self.seen, self.delays = {}, {}, []

    async def connect(self):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)

    async def send(self, method, path, body=b""):
        begun = time.monotonic()
        self.writer.write(
            f"{method} /sync{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nSync-Contract: 1\r\nContent-Length: {len(body)}\r\n"
            f"Authorization: Bearer the-token-of-{self.user}-0123456789\r\n\r\n".encode() + body
        )
        status, _, text = await load.answer(self.reader)
        self.delays.append(time.monotonic() - begun)
        if status != "200":
            raise load.Failed(f"{method} {path} was answered {status}: {text[:200]!r}")
        return json.loads(text)

    async def push(self):
        """Makes an object; every third time changes the last one."""
        last = next(reversed(self.mine), None)
        is_change = len(self.mine) % 3 == 2 and self.mine[last][1] == 0
        key = last if is_change else str(uuid.uuid4()).upper()
        version, count = self.mine.get(key, (None, -1))
        change = {
            "id": str(uuid.uuid4()), "entity": "Memo", "key": key, "baseVersion": version,
            "values": {"key": key, "text": f"of {self.user}", "owner": self.user, "count": count + 1},
        }
        answer = await self.send("POST", "/push", json.dumps({"client": self.user, "changes": [change]}).encode())
        if [result["outcome"] for result in answer["results"]] != ["accepted"]:
            raise load.Failed(f"a push was answered {answer}")
        self.mine[key] = (answer["results"][0]["version"], count + 1)

    async def pull(self):
        has_more = True
        while has_more:
            page = await self.send(
                "GET", f"/pull?client={self.user}" + (f"&cursor={self.cursor}" if self.cursor else "")
            )
            for change in page["changes"]:
                values = change.get("values") or {}
                if values.get("owner") != self.user:
                    raise load.Failed(f"{self.user} got {change}")
                self.seen[change["key"]] = values["count"]
            self.cursor, has_more = page["cursor"], page["hasMore"]

    async def work(self, end):
        while time.monotonic() < end:
            await self.push()
            await self.pull()
        lost = [key for key, (_, count) in self.mine.items() if self.seen.get(key) != count]
        if lost:
            raise load.Failed(f"{self.user} has lost {lost[:3]}")


async def run(port, count, seconds):
    load.allow(count + 100)
    clients = [Client(number + 1, port) for number in range(count)]
    for start in range(0, count, 100):
        await asyncio.gather(*(client.connect() for client in clients[start:start + 100]))
    begun = time.monotonic()
    results = await asyncio.gather(*(client.work(begun + seconds) for client in clients), return_exceptions=True)
    load.report(
        [delay for client in clients for delay in client.delays],
        [f"{type(result).__name__}: {result}" for result in results if result is not None],
        clients=count, seconds=time.monotonic() - begun, objects=sum(len(client.mine) for client in clients),
    )


if __name__ == "__main__":
    asyncio.run(run(*map(int, sys.argv[1:4])))
