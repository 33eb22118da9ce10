"""Item `apps.11`: photos of visits reach the other device as they are, with a server that fails and killed programs."""

import concurrent.futures
import contextlib
import hashlib
import http.client
import random
import secrets
import signal
import sqlite3
import struct
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
import zlib

from .lines import check, note
from .programs import Landmarks, fetch, fetch_json, wait_for

TOKEN = "accept-0123456789abcdef"
FAULTS = 30
#: The widths of photos of noise: less than what is sent as an attachment, one portion, several portions.
WIDTHS = (40, 120, 250, 600, 900)
VISIT, PATIENCE = 10, 120


def png(width, chance):
    """A square of noise, whose bytes can't be made smaller."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + chance.randbytes(3 * width) for _ in range(width))
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, width, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b""))


def key():
    """A UUID of version 7."""
    value = (time.time_ns() // 1_000_000) << 80 | secrets.randbits(80)
    return str(uuid.UUID(int=value & ~(0xF << 76) & ~(0x3 << 62) | 7 << 76 | 2 << 62))


class Program:
    """A program with a store and an address that it keeps between its starts."""

    def __init__(self, start, log):
        self.begin, self.log, self.server, self.number = start, log, None, 0
        self.start(0)
        self.port = urllib.parse.urlsplit(self.server.url).port

    def start(self, port):
        self.number += 1
        self.server = self.begin(port, self.log.with_name(f"{self.log.stem}-{self.number}.txt"))

    def kill(self):
        self.server.stop(signal.SIGKILL)
        self.start(self.port)

    @property
    def url(self):
        return self.server.url


def request(method, url, body=None):
    """Carries out a request to the page's program; false when the program ends meanwhile."""
    headers = {"X-Requested-With": "landmarks", "Idempotency-Key": key()}
    if body:
        headers["Content-Type"] = "image/png"
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url, data=body, headers=headers, method=method), timeout=60
        ) as answer:
            answer.read()
    except urllib.error.HTTPError as error:
        check(False, f"{method} {url}: {error.code} {error.read()[:200]}")
    except (urllib.error.URLError, http.client.HTTPException, OSError):
        return False
    return True


class Devices:
    """Two devices of a user, with what their photos have to be."""

    def __init__(self, scene, folder, chance):
        self.landmarks, self.folder, self.chance = Landmarks(scene.product("landmarks"), TOKEN), folder, chance
        self.kept, self.sent, self.programs, self.repeated = {}, {}, [], 0
        try:
            self.server = self.add(lambda port, log: self.landmarks.serve(
                "--port", port, "--store", folder / "server.store", "--faults", FAULTS, log=log), scene.log("photos-server"))
            self.devices = [
                self.add(lambda port, log, name=name: self.landmarks.app(
                    "--port", port, "--every", 1, "--server", self.server.url, "--store", self.store(name), log=log),
                    scene.log(f"photos-{name}"))
                for name in "ab"
            ]
        except BaseException:
            self.stop()
            raise

    def add(self, start, log):
        self.programs.append(Program(start, log))
        return self.programs[-1]

    def store(self, name):
        return self.folder / f"{name}.store"

    def stop(self):
        for program in self.programs:
            program.server.stop()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def state(self, device):
        return fetch_json(f"{device.url}/api/state")

    def plan(self, count):
        """Plans visits on the first device; returns their identifiers when both devices have them."""
        first, second = self.devices
        wait_for("landmarks", PATIENCE, lambda: self.state(first)["landmarks"])
        for number in [each["id"] for each in self.state(first)["landmarks"]][:count]:
            self.landmarks.run("reserve", number, "--on", "2027-06-01T10:00", "--store", self.store("a"))
        wait_for("visits", PATIENCE, lambda: len(self.state(second)["reservations"]) == count)
        return [visit["id"] for visit in self.state(second)["reservations"]]

    def put(self, index, visit, victim):
        """Adds a photo on a device, with a program that is killed at some moment; repeated until it is taken."""
        id, data = str(uuid.UUID(bytes=self.chance.randbytes(16), version=4)).upper(), png(
            self.chance.choice(WIDTHS), self.chance)
        device, caption = self.devices[index], f"Photo {len(self.sent)}"
        query = urllib.parse.urlencode(
            {"reservation": visit, "added": int(time.time() * 1_000), "caption": caption})
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            # The kill comes within the request, or in the exchange after it.
            future = pool.submit(request, "PUT", f"{device.url}/api/photos/{id}?{query}", data)
            time.sleep(self.chance.choice((0.02, 0.3, 1.5)) * self.chance.random())
            victim.kill()
            if not future.result():
                self.repeated += 1
                check(request("PUT", f"{device.url}/api/photos/{id}?{query}", data), "the program isn't there again")
        self.sent[id] = self.kept[id] = (caption, hashlib.sha256(data).hexdigest(), len(data))

    def put_by_command(self, index, visit, victim):
        """The same with the command line, whose photo gets its identifier from the program."""
        data, caption = png(self.chance.choice(WIDTHS), self.chance), f"Photo {len(self.sent)}"
        file = self.folder / "photo.png"
        file.write_bytes(data)
        line = self.landmarks.run("photo", visit, file, "--caption", caption, "--store", self.store("ab"[index]))
        time.sleep(self.chance.random())
        victim.kill()
        self.sent[line.split()[0]] = self.kept[line.split()[0]] = (caption, hashlib.sha256(data).hexdigest(), len(data))

    def remove(self):
        """Removes a photo on a device that has it."""
        index = self.chance.randrange(2)
        there = [each["id"] for each in self.state(self.devices[index])["photos"] if each["id"] in self.kept]
        if there:
            id = self.chance.choice(there)
            check(request("DELETE", f"{self.devices[index].url}/api/photos/{id}"), "the program isn't there")
            del self.kept[id]

    def settled(self):
        """Whether both devices show the same photos and nothing waits."""
        states = [self.state(device) for device in self.devices]
        shown = [{each["id"]: each["caption"] for each in state["photos"]} for state in states]
        return shown[0] == shown[1] and not any(state["status"]["pending"] for state in states) and len(
            shown[0]) == len(self.kept)

    def compare(self):
        """The bytes on both devices, by the page's program and by the command line, with those that were added."""
        for device in self.devices:
            photos = {each["id"]: each for each in self.state(device)["photos"]}
            check(photos.keys() == self.kept.keys(), f"{len(photos)} photos instead of {len(self.kept)}")
            for id, (caption, digest, _) in self.kept.items():
                found = hashlib.sha256(fetch(f"{device.url}/api/photos/{id}")).hexdigest()
                check(found == digest, f"{caption} has other bytes at {device.log.stem}")
                check(photos[id]["caption"] == caption, f"{caption} is called {photos[id]['caption']}")
                check(photos[id]["refusal"] is None, f"{caption} was refused: {photos[id]['refusal']}")


def figure(scene, browsed):
    """The figure of the item.

    :param browsed: Runs tests of a page in a browser.
    """
    folder, chance, kills = scene.folder("photos"), random.Random(scene.seed), scene.amount(12, 200)
    with Devices(scene, folder, chance) as world:
        visits = world.plan(kills // VISIT + 1)
        for number in range(kills):
            victim = chance.choice((*world.devices, world.server))
            add = world.put_by_command if chance.random() < 0.3 else world.put
            add(chance.randrange(2), visits[number % len(visits)], victim)
            if chance.random() < 0.3:
                world.remove()
            note(f"kill {number + 1} (--seed {scene.seed}): {victim.log.stem}; {len(world.kept)} photos")
        begun = time.monotonic()
        wait_for(f"both devices to have all photos (--seed {scene.seed})", PATIENCE + kills, world.settled)
        waited = time.monotonic() - begun
        world.compare()
    saved = folder / "saved"
    for visit in visits:
        world.landmarks.run("photo", visit, "--save", saved, "--store", world.store("b"))
    digests = {file.stem: hashlib.sha256(file.read_bytes()).hexdigest() for file in saved.iterdir()}
    wanted = {id: digest for id, (_, digest, _) in world.kept.items()}
    check(digests == wanted, f"the command line saves {len(digests)} photos, of which some are others")
    for name in ("a", "b", "server"):
        with contextlib.closing(sqlite3.connect(world.store(name))) as database:
            found = database.execute("PRAGMA integrity_check").fetchall()
        check(found == [("ok",)], f"{name}.store: {found[:3]}")
    size = sum(length for _, _, length in world.kept.values()) / 1e6
    passed = browsed(scene, "landmarks", "photo_taken_offline or photo_added_without_the_program")
    return (
        f"{kills} × kill -9 of devices and server, {FAULTS} % of requests failing (seed {scene.seed}): {len(wanted)}"
        f" photos of {size:.1f} MB have the same SHA-256 on both devices, {len(world.sent) - len(wanted)} removed ones"
        f" are gone, {world.repeated} sent twice and there once; settled {waited:.1f} s after the last kill;"
        f" {passed} tests of the page"
    )
