#!/usr/bin/env python3
"""Many clients of a sync server at once, each on a connection of its own: pushes, pulls, and looks at what it gets.

    load.py PORT CLIENTS SECONDS

Prints a JSON object. A failed request is one that isn't answered with 200 within 60 seconds, whose changes aren't
accepted, or that brings what isn't the client's own.
"""

import asyncio
import json
import resource
import sys
import time
import uuid

ANSWER = 60
HEAD = 65_536


class Failed(Exception):
    """A request that wasn't answered as it has to be."""


class Client:
    """A user with one connection that stays open."""

    def __init__(self, number, port):
        self.user = f"user-{number}"
        self.token = f"the-token-of-{self.user}-0123456789"
        self.port = port
        self.cursor = None
        self.mine = {}
        self.seen = {}
        self.delays = []

    async def connect(self):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)

    async def send(self, method, path, body=b""):
        head = (
            f"{method} /sync{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self.token}\r\n"
            f"Sync-Contract: 1\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        begun = time.monotonic()
        self.writer.write(head.encode() + body)
        async with asyncio.timeout(ANSWER):
            answer = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            length = int(answer.split("content-length:")[1].split("\r\n")[0])
            text = await self.reader.readexactly(length)
        self.delays.append(time.monotonic() - begun)
        status = answer.split(" ", 2)[1]
        if status != "200":
            raise Failed(f"{method} {path} was answered {status}: {text[:200]!r}")
        return json.loads(text)

    async def push(self):
        """Makes an object, or changes the last one."""
        known = list(self.mine)
        key = known[-1] if known and len(known) % 3 == 2 and self.mine[known[-1]][1] == 0 \
            else str(uuid.uuid4()).upper()
        version, count = self.mine.get(key, (None, -1))
        change = {
            "id": str(uuid.uuid4()), "entity": "Memo", "key": key, "baseVersion": version,
            "values": {"key": key, "text": f"of {self.user}", "owner": self.user, "count": count + 1},
        }
        body = json.dumps({"client": self.user, "changes": [change]}).encode()
        results = (await self.send("POST", "/push", body))["results"]
        if len(results) != 1 or results[0]["outcome"] != "accepted":
            raise Failed(f"a push was answered {results}")
        self.mine[key] = (results[0]["version"], count + 1)

    async def pull(self):
        while True:
            page = await self.send("GET", f"/pull?client={self.user}" + (
                f"&cursor={self.cursor}" if self.cursor else ""))
            for change in page["changes"]:
                values = change.get("values") or {}
                if values.get("owner") != self.user:
                    raise Failed(f"{self.user} got {change}")
                self.seen[change["key"]] = values["count"]
            self.cursor = page["cursor"]
            if not page["hasMore"]:
                return

    async def work(self, end):
        while time.monotonic() < end:
            await self.push()
            await self.pull()
        for key, (_, count) in self.mine.items():
            if self.seen.get(key) != count:
                raise Failed(f"{self.user} has lost {key}: {self.seen.get(key)} instead of {count}")


async def run(port, count, seconds):
    clients = [Client(number + 1, port) for number in range(count)]
    for start in range(0, count, 100):
        await asyncio.gather(*(client.connect() for client in clients[start:start + 100]))
    begun = time.monotonic()
    results = await asyncio.gather(
        *(client.work(begun + seconds) for client in clients), return_exceptions=True)
    spent = time.monotonic() - begun
    for client in clients:
        client.writer.close()
    failures = [f"{type(result).__name__}: {result}" for result in results if result is not None]
    delays = sorted(delay for client in clients for delay in client.delays)
    return {
        "clients": count, "seconds": spent, "requests": len(delays), "failures": len(failures),
        "examples": failures[:3], "objects": sum(len(client.mine) for client in clients),
        "median": delays[len(delays) // 2] if delays else 0,
        "p99": delays[int(len(delays) * 0.99)] if delays else 0,
    }


def main():
    port, count, seconds = (int(word) for word in sys.argv[1:4])
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < count + 100:
        sys.exit(f"only {most} open files are allowed, and {count} clients need more: ulimit -n")
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    print(json.dumps(asyncio.run(run(port, count, seconds))))


if __name__ == "__main__":
    main()
