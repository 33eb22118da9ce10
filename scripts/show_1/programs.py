"""Starts the programs under test, watches them, and ends exactly those."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT.parent / "shared" / "data" / "usgs"
POLL_SECONDS = 0.1


class Short(Exception):
    """A check that did not hold; the message is the figure."""


def note(text):
    """Says what is happening, beside the results on standard output."""
    print(f"   {text}", file=sys.stderr, flush=True)


def check(condition, text):
    if not condition:
        raise Short(text)


def surroundings(**more):
    """This process's environment without what would change Quakes' defaults."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("QUAKES_")}
    return {**kept, **more}


def wait_for(what, seconds, probe):
    """Calls `probe` until it gives something; a short figure says what never came."""
    deadline = time.monotonic() + seconds
    while True:
        found = probe()
        if found:
            return found
        check(time.monotonic() < deadline, f"waited {seconds:.0f} s for {what}")
        time.sleep(POLL_SECONDS)


class Server:
    """A program that prints `listening on URL` and runs until it is stopped."""

    def __init__(self, *command, log):
        self.log = pathlib.Path(log)
        with open(self.log, "wb") as output:
            self.process = subprocess.Popen(
                [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, env=surroundings(), start_new_session=True,
            )
        try:
            self.url = wait_for(f"{command[1]} to listen", 60, self._address)
        except BaseException:
            self.stop()
            raise

    def _address(self):
        found = re.search(r"^listening on (\S+)$", self.output(), re.MULTILINE)
        if found:
            return found[1].rstrip("/")
        check(self.process.poll() is None, f"it ended at once: {self.output().strip()[-300:]}")
        return None

    def output(self):
        return self.log.read_text(errors="replace")

    def stop(self):
        end(self.process)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def end(process, seconds=10):
    """Ends a process that this script started, and nothing else."""
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Quakes:
    """The program `quakes`."""

    def __init__(self, binary):
        self.binary = pathlib.Path(binary).resolve()

    def run(self, *arguments, seconds=600):
        return subprocess.run(
            [str(self.binary), *map(str, arguments)], stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=seconds, env=surroundings(),
        )

    def refresh(self, feed, store, *more):
        """The report of a refresh that must succeed."""
        done = self.run("refresh", "--feed", feed, "--store", store, "--json", *more)
        check(
            done.returncode == 0,
            f"refresh of {pathlib.Path(str(feed)).name} ended with {done.returncode}: "
            f"{done.stderr.strip()[-300:]}",
        )
        try:
            return json.loads(done.stdout)
        except ValueError as error:
            raise Short(f"the report is no JSON ({error}): {done.stdout[:200]!r}") from error

    def serve(self, *arguments, log):
        return Server(self.binary, "serve", *arguments, log=log)

    def demo_feed(self, *arguments, log):
        return Server(self.binary, "demo-feed", *arguments, log=log)


def fetch(url, *, post=False, headers=None):
    request = urllib.request.Request(
        url, data=b"" if post else None, headers=headers or {}, method="POST" if post else "GET"
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        return response.read()


def fetch_json(url, **options):
    return json.loads(fetch(url, **options))
