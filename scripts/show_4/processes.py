"""Item 2: a server and clients as processes: without the server, and killed."""

import random
import time
import uuid

from show_2.swift import check, note

from .built import program
from .service import Client, Service

# The longest pause between the beginning of a push and the kill, in seconds.
LATEST = 0.08


def key():
    return str(uuid.uuid4()).upper()


def offline(binary, work, service):
    """Two clients edit the same objects while the server is dead; gives how many conflicts were decided."""
    one = Client(binary, work, "one", service, "serverWins")
    two = Client(binary, work, "two", service, "clientWins")
    try:
        same, other, gone = key(), key(), key()
        for name in (same, other, gone):
            one.save(f"put {name} first")
        one.sync()
        two.sync()
        check(one.list()["memos"] == two.list()["memos"], "the clients differ before anything happens")
        service.kill()
        new = [key(), key()]
        for client, text, made in ((one, "one's", new[0]), (two, "two's", new[1])):
            client.save(f"put {same} {text}")
            client.save(f"put {made} new {text}")
            answer = client.ask("sync")
            check(answer.startswith("failed"), f"{client.name} reaches a server that is dead: {answer}")
        one.save(f"put {other} one's")
        two.save(f"count {other}")
        one.save(f"delete {gone}")
        two.save(f"count {gone}")
        waiting = [client.list()["waiting"] for client in (one, two)]
        check(waiting == [4, 4], f"{waiting} changes wait instead of 4 each")
        check(one.ask("list") and two.list()["memos"][same][0] == "two's", "an edit is lost offline")
        service.start()
        for client in (one, two, one):
            client.sync()
        memos = [client.list() for client in (one, two)]
        check(memos[0]["memos"] == memos[1]["memos"], f"the clients don't converge: {memos}")
        check([each["waiting"] for each in memos] == [0, 0], f"changes still wait: {memos}")
        expected = {
            # The second to come lets its own edit win; what the two didn't both change is kept of both.
            same: ["two's", "0"], other: ["one's", "1"], gone: ["first", "1"],
            new[0]: ["new one's", "0"], new[1]: ["new two's", "0"],
        }
        check(memos[0]["memos"] == expected, f"{memos[0]['memos']} instead of {expected}")
        conflicts = sum(each["conflicts"] for each in memos)
        check(conflicts == 2, f"{conflicts} conflicts were written down instead of 2")
        # The other policy, with the roles the other way round.
        two.save(f"put {same} two's again")
        one.save(f"put {same} one's again")
        two.sync()
        one.sync()
        text = one.list()["memos"][same][0]
        check(text == "two's again", f"serverWins keeps {text!r}")
        return conflicts + 1
    finally:
        one.kill()
        two.kill()


def kills(binary, work, service, count, chance):
    """Kills a client in the middle of pushes; gives how many objects, edits and attachments it had made."""
    said = set()
    for number in range(count):
        client = Client(binary, work, "killed", service, user="bob")
        try:
            client.process.stdin.write("churn\n")
            for _ in range(chance.randint(1, 3)):
                said.add(client.line().removeprefix("saved "))
            time.sleep(chance.uniform(0, LATEST))
        finally:
            client.process.kill()
            # What it had said before it died was saved.
            said.update(
                line.removeprefix("saved ").strip() for line in client.process.stdout if line.endswith("\n"))
            client.kill()
        if number % 10 == 9:
            note(f"{number + 1} kills")
    client = Client(binary, work, "killed", service, user="bob")
    witness = Client(binary, work, "witness", service, user="bob")
    try:
        before = client.list()
        client.sync()
        witness.sync()
        here, there = client.list(), witness.list()
        check(before["memos"] == here["memos"], "the server changed what only the client had edited")
        check(here["memos"] == there["memos"], "the server hasn't what the client has")
        check(here["waiting"] == 0 and here["conflicts"] == 0, f"waits or is in conflict: {here}")
        lost = said - set(there["memos"])
        check(not lost, f"{len(lost)} of {len(said)} saved objects are lost")
        memos = there["memos"].values()
        texts = [memo[0] for memo in memos]
        check(len(set(texts)) == len(texts), "an object is there twice")
        scans = sum(len(memo) == 3 for memo in memos)
        check(scans > 0, "no object has an attachment")
        return len(texts), sum(int(memo[1]) for memo in memos), scans
    finally:
        client.kill()
        witness.kill()


def show(swift, work, count, seed):
    swift.build()
    folder = work / "processes"
    folder.mkdir()
    binary = program("sync-client")
    service = Service(program("sync-service"), folder).start()
    try:
        conflicts = offline(binary, folder, service)
        objects, edits, scans = kills(binary, folder, service, count, random.Random(seed))
    finally:
        service.kill()
    return (
        f"the server killed, two clients edit the same objects without it, and converge after it is back,"
        f" {conflicts} conflicts by the policies; {count} × kill -9 of a client in a push (seed {seed}):"
        f" {objects} objects with {edits} edits and {scans} attachments of 90,000 bytes, none lost, none doubled"
    )
