"""A sync server and its clients as processes that are killed."""

import json
import random
import signal
import subprocess
import time

from .lines import check, note
from .programs import Server

# The longest pause from the beginning of a push to the kill, in seconds. Every fifth time the server is killed, too.
LATEST, SERVER = 0.08, 5


def serve(program, folder, port=0, users=0):
    """A `sync-service`, whose address is its port."""
    return Server(program, folder / "server.store", port, users, log=folder / "service.txt")


class Client:
    """A `sync-client` of bob's on a store of its own."""

    def __init__(self, program, name, folder, port):
        self.name = name
        with open(folder / f"{name}.txt", "ab") as log:
            self.process = subprocess.Popen(
                [str(program), str(folder / f"{name}.store"), port, "bob", "serverWins"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, bufsize=1,
            )

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        return self.line()

    def line(self):
        answer = self.process.stdout.readline()
        check(answer, f"the client {self.name} has ended")
        return answer.strip()

    def sync(self):
        answer = self.ask("sync")
        check(answer == "synced", f"{self.name}: {answer}")
        return json.loads(self.ask("list"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def churn(client, chance, victim):
    """Kills a client during pushes, with `victim` also the server before it; returns the keys that the client saved."""
    with client:
        said = [client.ask("churn"), *(client.line() for _ in range(chance.randint(0, 2)))]
        time.sleep(chance.uniform(0, LATEST))
        if victim:
            victim.stop(signal.SIGKILL)
        client.process.kill()
        # Keys printed before the kill were saved.
        said += [line.strip() for line in client.process.stdout if line.endswith("\n")]
    return {line.removeprefix("saved ") for line in said}


def figure(scene):
    program, service, folder = scene.product("sync-client"), scene.product("sync-service"), scene.folder("processes")
    count, said, chance = scene.amount(20, 200), set(), random.Random(scene.seed)
    server = serve(service, folder)
    try:
        for number in range(1, count + 1):
            victim = server if number % SERVER == 0 else None
            said |= churn(Client(program, "killed", folder, server.url), chance, victim)
            if victim:
                server = serve(service, folder, server.url)
                note(f"{number} kills")
        with Client(program, "killed", folder, server.url) as client:
            before, here = json.loads(client.ask("list")), client.sync()
        with Client(program, "witness", folder, server.url) as witness:
            memos = witness.sync()["memos"]
    finally:
        server.stop()
    check(before["memos"] == here["memos"], "the server changed what only the client had edited")
    check(here["memos"] == memos, "the server hasn't what the client has")
    check(here["waiting"] == here["conflicts"] == 0, f"{here['waiting']} changes wait, {here['conflicts']} in conflict")
    check(said <= set(memos), f"{len(said - set(memos))} of {len(said)} saved objects are lost")
    check(len({memo[0] for memo in memos.values()}) == len(memos), "an object is there twice")
    scans = sum(len(memo) == 3 for memo in memos.values())
    check(scans > 0, "no object has an attachment")
    return (
        f"{count} × kill -9 of a client in a push, {count // SERVER} of the server (seed {scene.seed}): {len(memos)}"
        f" objects with {sum(int(memo[1]) for memo in memos.values())} edits and {scans} attachments of 90,000 bytes,"
        f" none lost, none doubled"
    )
