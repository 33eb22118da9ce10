"""The checks of `make acceptance ONLY=sync`.

Items: 1 simulated devices and servers converge over any network; 2 killed clients and servers lose and repeat
nothing; 3 the speed of a client's pulls and pushes, beside SQLite's C interface (a measurement: run nothing else);
4 a thousand clients at once, and attacks meanwhile.
"""

import pathlib
import re
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor

from . import sync_processes
from .lines import TESTS, answer, check, note, run_items

# The faults and actions that have to occur at least once in a run with many seeds.
TROUBLES = (
    "messages lost", "doubled", "late", "overtaken", "cut off", "replicas killed", "server killed", "clocks wrong",
    "edits", "conflicts", "changes acknowledged", "huts", "photos", "photos late", "portions sent", "portions fetched",
    "parents unknown",
)
# Objects a second.
GOAL, ROUNDS = 50_000, 3
CLIENTS, ATTACKS = 1_000, 40


def simulation(scene):
    """Simulated devices, network and server, in virtual time; with families and attachments."""
    figures = []
    many, few = scene.amount(200, 100_000), scene.amount(3, 300)
    for kind, seeds in (("", many), ("over SQLite ", few)):
        words = ("--seeds", seeds, *(("--stores",) if kind else ()))
        status, text = scene.program(f"simulate{'-stores' if kind else ''}", "simulate", *words)
        found = re.search(r"^simulate[^:]*: (.*)$", text, re.MULTILINE)
        failed = re.findall(r"^FAILED (.*)$", text, re.MULTILINE)
        check(status == 0 and found, f"{kind}{found[1] if found else 'no result'} {'; '.join(failed)[:300]}")
        missing = [trouble for trouble in TROUBLES if not re.search(rf"\d+ {trouble}\b", found[1])]
        check(kind or seeds <= 200 or not missing, f"never happened: {', '.join(missing)}")
        figures.append(f"{kind}{found[1]}")
    return "; ".join(figures)


def speed(scene):
    count, edits = scene.amount((20_000, 2_000), (100_000, 10_000))
    program, folder = scene.product("sync-speed", "release"), scene.folder("speed")
    recorded = answer(program, "record", folder, count)
    check(recorded["objects"] == count, f"{recorded['objects']:.0f} of {count} objects were recorded")
    rounds = []
    for _ in range(ROUNDS):
        for file in [*folder.glob("client.store*"), *folder.glob("raw.store*")]:
            file.unlink()
        pulled, pushed = answer(program, "pull", folder), answer(program, "push", folder, edits)
        check((pulled["objects"], pushed["edits"]) == (count, edits), f"{pulled} and {pushed} instead of all")
        raw = answer(program, "raw", folder, count, edits)
        rounds.append((pulled["persecond"], pushed["persecond"], raw["insert"], raw["update"]))
        note("{:.0f} objects/s, {:.0f} edits/s; raw {:.0f}/s, {:.0f}/s".format(*rounds[-1]))
    pull, push, insert, update = (statistics.median(rates) for rates in zip(*rounds))
    figure = (
        f"first pull of {count} objects from recorded pages: {pull:.0f} objects/s (goal {GOAL}), raw upsert of the rows"
        f" {insert:.0f}/s; push of {edits} edits in batches of 500: {push:.0f} edits/s, raw {update:.0f}/s; medians of"
        f" {ROUNDS} rounds; a real server makes the pages at {count / recorded['server']:.0f} objects/s"
    )
    check(pull >= GOAL, figure)
    return figure


def crowd(scene):
    seconds, script = scene.amount(60, 600), pathlib.Path(__file__).with_name("sync_load.py")
    program = scene.product("sync-service")
    # Built before the clients start.
    scene.product(TESTS)
    with sync_processes.serve(program, scene.folder("crowd"), users=CLIENTS) as server, ThreadPoolExecutor() as pool:
        clients = pool.submit(answer, sys.executable, script, server.url, CLIENTS, seconds, seconds=seconds + 300)
        _, text = scene.tests(
            "attacks", "AttackTests", OPENSWIFTDATA_TEST_SYNC_SERVER=f"http://127.0.0.1:{server.url}/sync"
        )
        found = clients.result()
        check(server.process.poll() is None, "the server ended")
    attacks = text.count("Test case passing 1 argument attack")
    figure = (
        f"{found['clients']} clients for {found['seconds']:.0f} s: {found['requests']} requests, {found['failures']}"
        f" failed, median {found['median']:.2f} s, p99 {found['p99']:.2f} s, every client got all of its objects,"
        f" {found['objects']} in all, and nothing else; {attacks} attacks meanwhile get and change nothing"
    )
    check(found["failures"] == 0, f"{figure}; {'; '.join(found['examples'])}")
    check(attacks >= ATTACKS, f"{attacks} attacks instead of {ATTACKS}; {figure}")
    return figure


def main(words):
    items = {"1": simulation, "2": sync_processes.figure, "3": speed, "4": crowd}
    return run_items("sync", __doc__, items, words)
