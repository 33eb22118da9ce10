"""Item 5: a thousand clients at once, attacks meanwhile, and tokens that are compared in constant time."""

import json
import pathlib
import subprocess
import sys

from show_2.swift import check

from .built import program
from .service import Service

ATTACKS = 40


def show(swift, work, clients, seconds):
    swift.build()
    folder = work / "server"
    folder.mkdir()
    service = Service(program("sync-service"), folder, clients).start()
    try:
        load = subprocess.Popen(
            [sys.executable, str(pathlib.Path(__file__).with_name("load.py")), str(service.port),
             str(clients), str(seconds)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        try:
            _, text = swift.test(
                "attacks", "AttackTests", OPENSWIFTDATA_TEST_SYNC_SERVER=f"http://127.0.0.1:{service.port}/sync")
            output, complaint = load.communicate(timeout=seconds + 300)
        finally:
            load.kill()
        check(load.returncode == 0, f"the clients: {complaint.strip()[-300:]}")
        check(service.process.poll() is None, "the server died")
    finally:
        service.kill()
    attacks = text.count("Test case passing 1 argument attack")
    found = json.loads(output)
    figure = (
        f"{found['clients']} clients for {found['seconds']:.0f} s: {found['requests']} requests,"
        f" {found['failures']} failed, median {found['median']:.2f} s, p99 {found['p99']:.2f} s, every"
        f" client got all of its {found['objects']} objects in all and nothing else"
    )
    check(found["failures"] == 0, f"{figure}; {'; '.join(found['examples'])}")
    check(attacks >= ATTACKS, f"{attacks} attacks instead of {ATTACKS}; {figure}")
    tokens, _ = swift.test("tokens", "SyncTokensTests")
    return (
        f"{figure}; {attacks} attacks meanwhile get and change nothing; a look-up of a token reads every byte"
        f" of every digest ({tokens} tests)"
    )
