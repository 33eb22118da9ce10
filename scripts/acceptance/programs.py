"""Starts servers, among them Quakes and its feed, monitors them, and ends only those."""

import json
import os
import pathlib
import re
import signal
import subprocess
import time
import urllib.request

from .lines import ROOT, check


def surroundings(**variables):
    """This process's environment without what would change the defaults of the programs, and with these variables."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("QUAKES_", "LANDMARKS_"))}
    return kept | variables


def wait_for(what, seconds, probe):
    """Calls `probe` until it returns a value; `what` names the value in the error."""
    deadline = time.monotonic() + seconds
    while not (found := probe()):
        check(time.monotonic() < deadline, f"waited {seconds:.0f} s for {what}")
        time.sleep(0.1)
    return found


class Server:
    """A program that prints `listening on URL` and runs until it is stopped, with all that it has started."""

    def __init__(self, *command, log, folder=ROOT, patience=60, **variables):
        self.log = pathlib.Path(log)
        with open(self.log, "wb") as output:
            self.process = subprocess.Popen(
                [str(word) for word in command], cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, env=surroundings(**variables), start_new_session=True,
            )
        try:
            self.url = wait_for(f"{command[1]} to listen", patience, self._address)
        except BaseException:
            self.stop()
            raise

    def _address(self):
        if found := re.search(r"^listening on (\S+)$", self.output(), re.MULTILINE):
            return found[1].rstrip("/")
        check(self.process.poll() is None, f"it ended at once: {self.output().strip()[-300:]}")
        return None

    def output(self):
        return self.log.read_text(errors="replace")

    def stop(self, first=signal.SIGTERM):
        # The process leads a group of its own, which contains only its child processes.
        for number in (first, signal.SIGKILL):
            if self.process.poll() is None:
                os.killpg(self.process.pid, number)
                try:
                    self.process.wait(10)
                except subprocess.TimeoutExpired:
                    continue

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Quakes:
    """The program `quakes`."""

    def __init__(self, binary):
        self.binary = binary

    def start(self, *words):
        """Starts a command without reading its output."""
        return subprocess.Popen(
            [str(word) for word in (self.binary, *words)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env=surroundings(),
        )

    def run(self, *words):
        """The output of a command that must succeed."""
        done = subprocess.run(
            [str(word) for word in (self.binary, *words)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=1_800, env=surroundings(), check=False,
        )
        check(done.returncode == 0, f"quakes {' '.join(map(str, words))}: {done.stderr.strip()[-300:]}")
        return done.stdout

    def refresh(self, feed, store, *more):
        """The report of a refresh."""
        return json.loads(self.run("refresh", "--feed", feed, "--store", store, "--json", *more))

    def serve(self, *words, log):
        return Server(self.binary, "serve", *words, log=log)

    def demo_feed(self, *words, log):
        return Server(self.binary, "demo-feed", *words, log=log)


class Landmarks:
    """The program `landmarks`, as the devices of one user have it.

    :param token: The user's token; without one, devices sign in.
    """

    def __init__(self, binary, token=None):
        self.binary = binary
        self.variables = {"LANDMARKS_TOKEN": token} if token else {}

    def attempt(self, *words, text=""):
        """A command's end: its status and output, with `text` as its standard input."""
        return subprocess.run(
            [str(word) for word in (self.binary, *words)], input=text, capture_output=True, text=True, timeout=600,
            env=surroundings(**self.variables), check=False,
        )

    def run(self, *words, text=""):
        """The output of a command that must succeed."""
        done = self.attempt(*words, text=text)
        check(done.returncode == 0, f"landmarks {' '.join(map(str, words))}: {done.stderr.strip()[-300:]}")
        return done.stdout

    def serve(self, *words, log):
        return Server(self.binary, "serve", *words, log=log, **self.variables)

    def app(self, *words, log):
        return Server(self.binary, "app", *words, log=log, **self.variables)


def fetch(url, *, post=False):
    with urllib.request.urlopen(url, data=b"" if post else None, timeout=60) as answer:
        return answer.read()


def fetch_json(url):
    return json.loads(fetch(url))
