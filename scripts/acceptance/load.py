"""Functions of the load programs: a request without a response within a minute has failed."""

import asyncio
import json
import re
import resource

LIMIT = 60


class Failed(Exception):
    """An invalid response."""


# The errors of a failing connection.
BROKEN = (OSError, Failed, asyncio.IncompleteReadError, TimeoutError, ValueError, KeyError)


async def answer(reader):
    """The status, the head and the body of the next answer."""
    async with asyncio.timeout(LIMIT):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        status = head.split(" ", 2)[1]
        length = re.search(r"(?i)^content-length: (\d+)", head, re.MULTILINE)
        return status, head, await reader.readexactly(int(length[1])) if length and status != "304" else b""


def allow(files):
    """Sets the process's limit of open files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < files:
        raise SystemExit(f"only {hard} open files are allowed, and {files} are needed: ulimit -n")
    if soft != resource.RLIM_INFINITY and soft < files:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))


def report(delays, failures, **more):
    """Prints the results as JSON: seconds for a request, and the number of failures."""
    ordered = sorted(delays) or [0.0]
    print(json.dumps(more | {
        "requests": len(delays), "failures": len(failures), "examples": failures[:5], "longest": ordered[-1],
        "median": ordered[len(ordered) // 2], "p99": ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)],
    }))
