"""The servers the browser tests drive: Quakes and its demo feed, or ones that already run."""

import contextlib
import json
import os
import random
import selectors
import signal
import socket
import sqlite3
import subprocess
import time
import urllib.request

FEED_PATH = "/earthquakes/feed/v1.0/summary/all_week.geojson"
START_SECONDS = 60
STOP_SECONDS = 10
#: The number of this worker of pytest-xdist, and that of all.
WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
WORKERS = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))


def free_port():
    """A port for programs that start again at one address: none of those that connections are given, nor of another
    worker's, whose program may be between its end and its start."""
    while True:
        port = random.randrange(20_000 + WORKER, 32_000, WORKERS)
        with socket.socket() as listener, contextlib.suppress(OSError):
            listener.bind(("127.0.0.1", port))
            return port


class Process:
    """A program that prints `listening on URL`; ended by its process id."""

    def __init__(self, *command, log, **environment):
        self.log = open(log, "wb")
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self.log, start_new_session=True,
            env={**os.environ, **environment},
        )
        try:
            self.url = self._address(command)
        except BaseException:
            self.stop()
            raise

    def _address(self, command):
        deadline = time.monotonic() + START_SECONDS
        text = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while time.monotonic() < deadline:
                if not selector.select(timeout=deadline - time.monotonic()):
                    break
                chunk = os.read(self.process.stdout.fileno(), 4096)
                text += chunk
                for line in text.decode(errors="replace").splitlines(keepends=True):
                    if line.startswith("listening on ") and line.endswith("\n"):
                        return line.split()[2].rstrip("/")
                if not chunk:
                    break
        raise AssertionError(
            f"{' '.join(command)} did not say where it listens; it printed {text!r}; "
            f"see {self.log.name}"
        )

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()
        self.log.close()


class World:
    """A running Quakes and its feed, with the operations of tests."""

    def __init__(self, folder):
        self.processes = []
        self.url = os.environ.get("OPENSWIFTDATA_TEST_BASE_URL", "").rstrip("/")
        self.control = os.environ.get("OPENSWIFTDATA_TEST_CONTROL_URL", self.url).rstrip("/")
        # Whether the feed fails, or the store may lack what the feed has.
        self.is_disturbed = False
        # The path of the server's store; unknown for a server that runs already.
        self.store = None
        if not self.url:
            self._start(folder)

    def _start(self, folder):
        binary = os.environ["OPENSWIFTDATA_TEST_QUAKES"]
        feed = self._run(binary, "demo-feed", "--port", "0", log=folder / "demo-feed.log")
        self.control = feed.url
        self.store = str(folder / "quakes.store")
        try:
            server = self._run(
                binary, "serve", "--port", "0", "--feed", feed.url + FEED_PATH,
                "--store", self.store, log=folder / "serve.log", QUAKES_SERVICE=feed.url,
            )
        except BaseException:
            self.stop()
            raise
        self.url = server.url

    def _run(self, *command, log, **environment):
        process = Process(*command, log=log, **environment)
        self.processes.append(process)
        return process

    def stop(self):
        while self.processes:
            self.processes.pop().stop()

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=30) as response:
            return json.load(response)

    def _post(self, url, headers=None):
        request = urllib.request.Request(url, data=b"", headers=headers or {}, method="POST")
        with urllib.request.urlopen(request, timeout=30) as response:
            response.read()

    def events(self, query=""):
        """All events that match, whatever the page size."""
        path, events = f"/api/events?limit=5000{query}", []
        while path:
            page = self.get(path)
            events += page["events"]
            path = page["next"]
        return events

    def advance(self):
        """The feed moves on by one step: new and revised events."""
        self.is_disturbed = True
        self._post(self.control + "/control/advance")

    def fault(self, kind):
        self.is_disturbed = True
        self._post(f"{self.control}/control/fault?kind={kind}")

    def refresh_elsewhere(self):
        """Another process, such as one of cron's, loads the feed into the server's store."""
        output = subprocess.run(
            [os.environ["OPENSWIFTDATA_TEST_QUAKES"], "refresh", "--force", "--json", "--store", self.store,
             "--feed", self.control + FEED_PATH],
            check=True, capture_output=True, timeout=60,
        ).stdout
        return json.loads(output)

    def delete_elsewhere(self, event_id):
        """Deletes an event with a tool that is unaware of Quakes."""
        self.is_disturbed = True
        with contextlib.closing(sqlite3.connect(self.store, timeout=30)) as database:
            with database:
                database.execute("DELETE FROM Quake WHERE eventID = ?", [event_id])

    def restore(self):
        """Ends faults of the feed, and loads it, after a test that caused some or changed the store."""
        if not self.is_disturbed:
            return
        self.fault("none")
        self.refresh()
        self.is_disturbed = False

    def refresh(self):
        """Starts a refresh, or joins the one that runs."""
        self._post(self.url + "/api/refresh", {"X-Requested-With": "quakes"})

    def refresh_to_the_end(self):
        end = time.monotonic() + 30
        self.refresh()
        while self.get("/api/status")["state"] == "refreshing":
            assert time.monotonic() < end, "the refresh didn't end"
