"""Item `apps.12`: users sign in, sessions end when they should, and no edit is lost or sent for another user."""

import json
import random
import signal
import subprocess
import time
import urllib.error
import urllib.request

from .lines import check, note
from .programs import Landmarks, surroundings

#: The attempts of a name before a pause.
ATTEMPTS = 10
REFUSED = 77
DEVICES = {"a": "ann", "b": "ann", "c": "bob"}


class World:
    """A server with two users, and three devices of theirs."""

    def __init__(self, scene, folder, chance):
        self.landmarks, self.folder, self.chance = Landmarks(scene.product("landmarks")), folder, chance
        self.log, self.number, self.port = scene.log("sign-in-server"), 0, 0
        self.passwords = {user: f"first password of {user}" for user in ("ann", "bob")}
        self.marks = {user: set() for user in self.passwords}
        self.visits = {user: {} for user in self.passwords}
        # The landmarks that a device has edited since its edits were compared.
        self.edited = {device: set() for device in DEVICES}
        # The tokens that may not be accepted any more.
        self.ended = set()
        for user in self.passwords:
            self.users("add", user)
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.stop()

    def start(self):
        self.number += 1
        self.server = self.landmarks.serve(
            "--port", self.port, "--store", self.folder / "server.store",
            log=self.log.with_name(f"{self.log.stem}-{self.number}.txt"))
        self.port = self.server.url.rsplit(":", 1)[1]

    def users(self, action, user):
        words = ("users", action, user, "--store", self.folder / "server.store")
        self.landmarks.run(*words, text="" if action == "remove" else self.passwords[user] + "\n")

    def store(self, device):
        return self.folder / f"{device}.store"

    def attempt(self, device, *words, **more):
        return self.landmarks.attempt(*words, "--store", self.store(device), **more)

    def run(self, device, *words, **more):
        return self.landmarks.run(*words, "--store", self.store(device), **more)

    def status(self, device):
        return json.loads(self.run(device, "status", "--json"))

    def session(self, device):
        """The token that a device keeps."""
        file = self.store(device).with_name(f"{device}.store.session")
        check(file.stat().st_mode & 0o077 == 0, f"others may read {file.name}")
        return json.loads(file.read_text(encoding="utf-8"))["token"]

    def asked(self, path, token=None, body=None):
        """The status and the answer of a request to the server."""
        headers = {"Authorization": f"Bearer {token}"} if token else {"Content-Type": "application/json"}
        data = json.dumps(body).encode() if body else None
        try:
            with urllib.request.urlopen(
                urllib.request.Request(self.server.url + path, data=data, headers=headers), timeout=60
            ) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, dict(error.headers)

    def sign_in(self, device):
        user = DEVICES[device]
        wrong = self.attempt(device, "sign-in", "--user", user, "--server", self.server.url, text="wrong\n")
        check(wrong.returncode == REFUSED, f"a wrong password ends with {wrong.returncode}")
        self.run(device, "sign-in", "--user", user, "--server", self.server.url, text=self.passwords[user] + "\n")
        token = self.session(device)
        status, answer = self.asked("/session", token)
        check(status == 200 and answer["user"] == user, f"{device} has a session of {answer}")
        check(token not in self.ended, "a token was given twice")

    def edit(self, device):
        """Marks a landmark and plans a visit, or takes a mark away."""
        user, known = DEVICES[device], json.loads(self.run(device, "list", "--json"))
        # The devices of a user edit different landmarks.
        parts = [each for each in DEVICES if DEVICES[each] == user]
        mine = sorted(each["id"] for each in known)[parts.index(device)::len(parts)]
        # A second edit of the same mark would take the first one back, and nothing would wait.
        number = self.chance.choice([each for each in mine if each not in self.edited[device]])
        self.edited[device].add(number)
        if number in self.marks[user]:
            self.run(device, "favorite", number, "--remove")
        else:
            self.run(device, "favorite", number)
        self.marks[user] ^= {number}
        free = [each for each in mine if each not in self.visits[user]]
        if free and len(self.visits[user]) < 20:
            number = self.chance.choice(free)
            self.run(device, "reserve", number, "--on", "2027-06-01T10:00", "--note", f"of {user} on {device}")
            self.visits[user][number] = f"of {user} on {device}"

    def killed_exchange(self, device):
        """An exchange that is killed at some moment."""
        process = subprocess.Popen(
            [str(word) for word in (self.landmarks.binary, "sync", "--store", self.store(device))],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=surroundings())
        time.sleep(0.4 * self.chance.random())
        process.kill()
        return process.wait() == -signal.SIGKILL

    def end_sessions(self, kind):
        """Ends sessions in one of the ways; returns the devices whose sessions ended."""
        if kind == "password":
            user = self.chance.choice([*self.passwords])
            gone = [device for device in DEVICES if DEVICES[device] == user]
            self.ended |= {self.session(device) for device in gone}
            self.passwords[user] = f"password {self.chance.random()} of {user}"
            self.users("password", user)
        elif kind == "removal":
            user = self.chance.choice([*self.passwords])
            gone = [device for device in DEVICES if DEVICES[device] == user]
            self.ended |= {self.session(device) for device in gone}
            self.users("remove", user)
            self.users("add", user)
        else:
            gone = [self.chance.choice([*DEVICES])]
            self.ended.add(self.session(gone[0]))
            self.run(gone[0], "sign-out")
        return gone

    def check_sessions(self, gone):
        """That ended sessions count no more, after the server's death too, and the others do."""
        for token in self.ended:
            check(self.asked("/favorites", token)[0] == 401, "a session that has ended is accepted")
        for device in DEVICES:
            if device not in gone:
                status, answer = self.asked("/session", self.session(device))
                check(status == 200 and answer["user"] == DEVICES[device], f"the session of {device} is lost: {status}")

    def compare(self):
        """The data that server and devices have of each user, and of nobody else."""
        for device, user in DEVICES.items():
            self.run(device, "sync")
        for device, user in DEVICES.items():
            where, token = f"{device} of {user}", self.session(device)
            self.run(device, "sync")
            check(self.status(device)["pending"] == 0, f"{where}: something waits")
            favorites = {*self.asked("/favorites", token)[1]["favorites"]}
            check(favorites == self.marks[user], f"{where}: the server has the marks {favorites ^ self.marks[user]} wrong")
            shown = {each["id"] for each in json.loads(self.run(device, "list", "--json")) if each["isFavorite"]}
            check(shown == favorites, f"{where}: the marks differ from the server's")
            for visits in (self.asked("/reservations", token)[1], json.loads(self.run(device, "reserve", "--json"))):
                notes = sorted((each["landmarkID"], each["note"]) for each in visits)
                check(notes == sorted(self.visits[user].items()), f"{where}: {len(notes)} visits: {notes[:3]}")
            self.edited[device].clear()


def figure(scene, browsed):
    """The figure of the item.

    :param browsed: Runs tests of a page in a browser.
    """
    folder, chance, rounds, kills = scene.folder("sign-in"), random.Random(scene.seed), scene.amount(4, 60), 0
    with World(scene, folder, chance) as world:
        for device in DEVICES:
            world.sign_in(device)
            world.run(device, "sync")
        for number in range(rounds):
            kind = ("password", "sign-out", "removal")[number % 3]
            for device in DEVICES:
                world.edit(device)
            kills += world.killed_exchange(chance.choice([*DEVICES]))
            gone = world.end_sessions(kind)
            world.check_sessions(gone)
            if chance.random() < 0.7:
                world.server.stop(signal.SIGKILL)
                world.start()
                kills += 1
                world.check_sessions(gone)
            for device in DEVICES:
                world.edit(device)
                done = world.attempt(device, "sync")
                wanted = REFUSED if device in gone else 0
                check(done.returncode == wanted, f"{device} after {kind}: {done.returncode} {done.stderr[-200:]}")
                waiting = world.status(device)["pending"]
                check((waiting > 0) == (device in gone), f"{device} after {kind}: {waiting} edits wait")
            for device in gone:
                world.sign_in(device)
                kills += world.killed_exchange(device)
            world.compare()
            note(f"round {number + 1} (--seed {scene.seed}): {kind} ended the sessions of {', '.join(gone)}")
        # A store belongs to one user.
        other = world.attempt(
            "a", "sign-in", "--user", "bob", "--server", world.server.url, text=world.passwords["bob"] + "\n")
        check(other.returncode not in (0, 70), f"a store of ann's is taken for bob: {other.returncode}")
        world.compare()
        body = {"user": "bob", "password": "wrong"}
        answers = [world.asked("/session", body=body) for _ in range(ATTEMPTS + 2)]
        check(answers[-1][0] == 429 and "Retry-After" in answers[-1][1], f"no pause after {len(answers)} attempts")
        statuses = {status for status, _ in answers}
        check(statuses == {401, 429}, f"wrong passwords are answered with {statuses}")
        visits = sum(map(len, world.visits.values()))
        output = "".join(file.read_text() for file in world.log.parent.glob(f"{world.log.stem}*.txt"))
        spoken = [word for word in (*world.passwords.values(), *world.ended) if word in output]
        check(not spoken, "the server's output has a password or a token")
    passed = browsed(scene, "landmarks", "ended_session_keeps or begins_with_the_form")
    return (
        f"{rounds} rounds, {kills} × kill -9 (seed {scene.seed}): {len(world.ended)} ended sessions accepted nowhere, the"
        f" others kept; {sum(map(len, world.marks.values()))} marks and {visits} visits of two users on three devices, each"
        f" once, at the right user; a pause after {ATTEMPTS} wrong passwords; {passed} tests of the page"
    )
