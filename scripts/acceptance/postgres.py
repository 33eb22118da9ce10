"""The checks of `make acceptance ONLY=postgres`: a store on a PostgreSQL server. Needs Debian's `postgresql`.

Items: 1 the suites that aren't about files, random predicates answered in memory, by SQLite and by PostgreSQL, and
random sequences of edits that agree with a dictionary;
2 the same through pgbouncer in transaction mode; 3 processes that add to one number, and consumers of the history;
4 the server's processes are killed and connections ended meanwhile, transactions refused with 40001 and 40P01, answers
to COMMIT lost; then pg_amcheck; 5 the benchmarks against libpq; 6 three servers of Quakes on one store, and a thousand
pages.
"""

import collections
import contextlib
import functools
import json
import os
import pathlib
import random
import re
import signal
import statistics
import subprocess
import sys
import threading
import time

from bench_runs.cluster import Cluster

from . import clients
from .lines import ROOT, answer, check, run, run_items
from .programs import Quakes

# The seconds within which every process ends.
LIMIT = 7_200
WRITERS, READERS = 8, 2
PREDICATES = ("RandomPredicateTests",)


class Server(Cluster):
    """A cluster with requests by `psql`."""

    def query(self, sql):
        done = subprocess.run(
            [self.programs / "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql, self.url], stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False,
        )
        check(done.returncode == 0, f"psql: {done.stderr.strip()[-300:]}")
        return done.stdout.split()

    def backends(self):
        """The processes that serve the writers."""
        with contextlib.suppress(Exception):
            return self.query("SELECT pid FROM pg_stat_activity WHERE application_name = 'postgres-program'")
        return []

    def wait(self):
        """Waits until the server accepts connections again."""
        for _ in range(1_200):
            with contextlib.suppress(Exception):
                return self.query("SELECT 1")
            time.sleep(0.05)
        raise TimeoutError("the server doesn't start again")


class Crowd:
    """Writers on one store, and what they say is stored."""

    def __init__(self, scene, server, name):
        self.program, self.server, self.name = scene.product("postgres-program"), server, name
        self.folder = scene.folder(name)
        self.acknowledged, self.counts, self.failures = collections.Counter(), [0, 0, 0], []
        self.call("seed")

    def call(self, word, *more):
        done = subprocess.run(
            [self.program, word, self.server.url, self.name, *map(str, more)], stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False, timeout=LIMIT,
        )
        check(done.returncode == 0, f"{word}: {done.stderr.strip()[-300:]}")
        return done.stdout

    def write(self, writer, saves):
        process = subprocess.Popen(
            [self.program, "write", self.server.url, self.name, str(writer), str(saves)], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        with process:
            for line in process.stdout:
                words = line.split()
                if words[0] == "a":
                    self.acknowledged[f"{words[1]} {words[2]}"] += 1
                else:
                    self.counts = [old + int(new) for old, new in zip(self.counts, words[1:])]
            text = process.stderr.read()
        if process.returncode != 0:
            self.failures.append(f"writer {writer}: {text.strip()[-300:]}")

    def run(self, writers, saves, meanwhile=lambda: None):
        """Lets writers write, and repeats `meanwhile` until they have ended."""
        threads = [threading.Thread(target=self.write, args=(writer, saves)) for writer in range(writers)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            meanwhile()
            time.sleep(0.005)
        for thread in threads:
            thread.join()
        check(not self.failures, "; ".join(self.failures[:3]))

    def verify(self, writers, saves):
        found = json.loads(self.call("check"))
        stored, total = collections.Counter(found["additions"]), writers * saves
        lost, doubled = set(self.acknowledged) - set(stored), [key for key, count in stored.items() if count > 1]
        check(not lost, f"{len(lost)} acknowledged saves aren't stored: {sorted(lost)[:5]}")
        check(not doubled, f"{len(doubled)} saves are stored twice: {sorted(doubled)[:5]}")
        check(len(stored) == total, f"{len(stored)} saves of {total} are stored")
        check(found["total"] == total, f"the number is {found['total']} after {total} additions: updates were lost")
        check(
            not found["gap"] and found["transactions"] == total + 1,
            f"the history has {found['transactions']} transactions of {total + 1}",
        )
        conflicts, failures, uncertain = self.counts
        return f"{conflicts} conflicts and {failures} failures repeated, {uncertain} found stored"


def start(scene, name):
    """A server in a folder that its user may enter."""
    folder = scene.folder(name)
    for place in (scene.work, folder):
        place.chmod(0o755)
    return Server(folder)


@functools.cache
def both_suites(scene):
    """All that `make test-postgres` prints: its suites on the server, then behind pgbouncer."""
    status, text = run((ROOT / "scripts/test", "postgres"), scene.log("suites"), LIMIT)
    check(status == 0, f"the suites: {text.strip().splitlines()[-1:]}; see {scene.log('suites')}")
    return text


#: The random sequences of one server.
PART = 250


def suites(scene, name, kinds):
    found = re.findall(rf"Passed on {name}: (\d+) tests", both_suites(scene))
    check(found, f"the suites on {name} printed no figure; see {scene.log('suites')}")
    number, sequences = scene.amount((4_000, 40), (200_000, 2_000))
    # The same predicates for each store, which has to agree with the evaluation in memory.
    for kind in kinds:
        scene.tests(
            f"predicates-{kind}", *PREDICATES, options=("--skip-build",), OPENSWIFTDATA_TEST_PREDICATES=number,
            OPENSWIFTDATA_TEST_PREDICATE_SEED=scene.seed, OPENSWIFTDATA_TEST_STORE=kind,
        )
    # Each part has a new server: a server's processes keep what they know of schemas that are gone, and become slow.
    for first in range(0, sequences, PART):
        scene.tests(
            f"sequences-{kinds[-1]}-{first}", "StatefulTests", options=("--skip-build",),
            OPENSWIFTDATA_TEST_SEQUENCE_FIRST_SEED=first, OPENSWIFTDATA_TEST_SEQUENCES=min(PART, sequences - first),
            OPENSWIFTDATA_TEST_SEQUENCE_STEPS=100, OPENSWIFTDATA_TEST_STORE=kinds[-1],
        )
    return (
        f"{found[-1]} tests pass; {number} random predicates (seed {scene.seed}) in memory, {', '.join(kinds)}: 0"
        f" differences; {sequences} random sequences of 100 steps on {kinds[-1]}: 0 differences"
    )


def plain_suites(scene):
    return suites(scene, "PostgreSQL", ("sqlite", "postgresql"))


def pooled_suites(scene):
    return suites(scene, "PostgreSQL behind PgBouncer", ("postgresql-pooled",))


def crowd(scene):
    saves = scene.amount(250, 5_000)
    with start(scene, "crowd") as server:
        crowd = Crowd(scene, server, "shared")
        readers = [
            subprocess.Popen(
                [crowd.program, "read", server.url, "shared", str(WRITERS * saves)], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, text=True,
            )
            for _ in range(READERS)
        ]
        begun = time.monotonic()
        crowd.run(WRITERS, saves)
        seconds = time.monotonic() - begun
        figure = crowd.verify(WRITERS, saves)
        for reader in readers:
            answer, _ = reader.communicate(timeout=LIMIT)
            found = json.loads(answer)
            check(
                found == {"transactions": WRITERS * saves, "complete": True},
                f"a consumer got {found['transactions']} transactions of {WRITERS * saves}, once each: {found['complete']}",
            )
    return (
        f"{WRITERS} processes × {saves} saves: no update lost, no gap, {READERS} consumers with each transaction once;"
        f" {figure}; {WRITERS * saves / seconds:.0f} saves a second"
    )


# Transactions that the server refuses at random, as it does when others are in their way.
REFUSALS = """
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF random() < 0.05 THEN RAISE EXCEPTION 'refused' USING ERRCODE = '40001'; END IF;
  IF random() < 0.05 THEN RAISE EXCEPTION 'refused' USING ERRCODE = '40P01'; END IF;
  RETURN NULL; END $$;
CREATE TRIGGER refuse AFTER INSERT ON "{name}"."Addition" FOR EACH STATEMENT EXECUTE FUNCTION refuse();
"""


def disturbed(scene, server, name, saves, disturb, most):
    """Saves while connections or the server end; the number of times."""
    crowd, chance, done = Crowd(scene, server, name), random.Random(scene.seed), 0

    def once():
        nonlocal done
        backends = server.backends() if done < most else []
        if not backends:
            return
        time.sleep(chance.random() * 0.05)
        done += disturb(chance.choice(backends))

    crowd.run(WRITERS, saves, once)
    server.wait()
    return done, crowd.verify(WRITERS, saves)


def faults(scene):
    refused, ended, killed = scene.amount((60, 200, 80), (1_250, 4_000, 4_000))
    most_ended, most_killed = scene.amount((50, 5), (1_000, 200))
    with start(scene, "faults") as server:
        crowd = Crowd(scene, server, "refused")
        server.query(REFUSALS.format(name="refused"))
        crowd.run(WRITERS, refused)
        texts = [f"{WRITERS * refused} saves with 40001 and 40P01: {crowd.verify(WRITERS, refused)}"]

        def end(backend):
            with contextlib.suppress(Exception):
                return len(server.query(f"SELECT pg_terminate_backend({backend}) WHERE true"))
            return 0

        def kill(backend):
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(backend), signal.SIGKILL)
                # The others end, too, and the server starts again.
                server.wait()
                return 1
            return 0

        number, figure = disturbed(scene, server, "ended", ended, end, most_ended)
        check(number >= most_ended, f"only {number} connections of {most_ended} were ended")
        texts.append(f"{number} connections ended during {WRITERS * ended} saves: {figure}")
        number, figure = disturbed(scene, server, "killed", killed, kill, most_killed)
        check(number >= most_killed, f"only {number} processes of {most_killed} were killed")
        texts.append(f"{number} server processes killed during {WRITERS * killed} saves: {figure}")
        server.query("CREATE EXTENSION IF NOT EXISTS amcheck")
        try:
            server.call("pg_amcheck", "--heapallindexed", "-h", server.data, "-U", "postgres", "-d", "postgres")
        except SystemExit as end:
            check(False, f"{end}")
    count, _ = scene.tests("answers", "RepeatedSaveTests", "ExclusiveTransactionTests")
    return f"{'; '.join(texts)}; pg_amcheck finds nothing; {count} tests with lost answers to COMMIT pass"


#: The workloads of small saves. Their goals are from a disk with 190 flushes a second, so a flush takes 5 ms for them.
SMALL_SAVES, FLUSH_MILLISECONDS = ("P7", "P7-8", "P7-32", "P8"), 5
#: There is a save for each twenty rows.
ROWS = 20_000


def benchmarks(scene, name, *words):
    """Runs benchmarks; the ratios by workload, and the workloads that miss their goals."""
    rounds, log = scene.amount(3, 7), scene.log(name)
    status, _ = run(
        (ROOT / "scripts/bench", "--postgres", "--rounds", rounds, "--most-rounds", 3 * rounds, *words), log, LIMIT
    )
    check(status == 0, f"the benchmarks failed or their checksums differ: {log}")
    text = pathlib.Path(log).read_text(encoding="utf-8")
    missed = set()
    for part in re.split(r"^(?=P\d\S*  )", text, flags=re.MULTILINE):
        if re.search(r"^  openswiftdata\S* .*missed", part, re.MULTILINE):
            missed.add(part.split()[0])
    found = json.loads((ROOT / "Benchmarks/results-postgres.json").read_text(encoding="utf-8"))
    return [
        (each["workload"], each["ratio"]) for each in found if each["implementation"].startswith("openswiftdata")
    ], missed


def speed(scene):
    """The goals of small saves count with slow flushes; without them their ratios are told."""
    ratios, missed = benchmarks(scene, "bench")
    waiting, also_missed = benchmarks(
        scene, "bench-flush", "--flush-milliseconds", FLUSH_MILLISECONDS, "--rows", ROWS, "--only", *SMALL_SAVES
    )
    missed = missed - set(SMALL_SAVES) | also_missed

    def listed(ratios):
        return ", ".join(f"{workload} {ratio:.2f}" for workload, ratio in ratios)

    text = f"{listed(ratios)}; with flushes of {FLUSH_MILLISECONDS} ms: {listed(waiting)}"
    check(not missed, f"goals are missed by {', '.join(sorted(missed))}: {text}")
    return f"ratios to libpq: {text}"


# The servers of the page, and the maximum median of the time from a commit to a page, in seconds.
SERVERS, SOON = 3, 0.1


def pages(scene):
    """Each connection goes to another server. One of them at a time loads the feed, and the pages of all show it."""
    seconds, rate = scene.amount((30, 100), (120, 300))
    quakes, folder = Quakes(scene.product("quakes")), scene.folder("pages-feed")
    with start(scene, "pages") as database, contextlib.ExitStack() as stack:
        # For the moments of the commits.
        database.query("ALTER SYSTEM SET track_commit_timestamp = on")
        database.call("pg_ctl", "-D", database.data, "-l", database.data / "log", "-w", "restart")
        feed = stack.enter_context(
            quakes.demo_feed(
                "--port", 0, "--events", 5_000, "--max-age", 1, "--advance-every", "2s", log=folder / "feed.txt"
            )
        )
        servers = [
            stack.enter_context(
                quakes.serve(
                    "--port", 0, "--feed", feed.url + clients.FEED, "--store", database.url, "--every", "1s",
                    "--connections", clients.CONNECTIONS, log=scene.log(f"pages-server-{number}"),
                )
            )
            for number in range(SERVERS)
        ]
        script = pathlib.Path(__file__).with_name("web_load.py")
        found = answer(
            sys.executable, script, ",".join(server.url for server in servers), clients.PAGES, seconds, rate,
            seconds=seconds + 600,
        )
        check(all(server.process.poll() is None for server in servers), "a server ended")
        commits = dict(
            line.split("|") for line in database.query(
                'SELECT "eventID", extract(epoch FROM pg_xact_commit_timestamp(xmin)) FROM quakes."Quake"'
            )
        )
    scene.log("pages").write_text(json.dumps(found) + "\n", encoding="utf-8")
    delays = sorted(
        arrival - float(commits[event]) for event, arrivals in found["arrivals"].items() if event in commits
        # Those of an earlier change of the event are before its last commit.
        for arrival in arrivals if arrival > float(commits[event])
    )
    check(delays, "no change reached a page")
    figure = (
        f"{SERVERS} servers, {found['pages']} pages with a stream each for {found['seconds']:.0f} s: {found['requests']}"
        f" requests, {found['failures']} failed, median {found['median'] * 1e3:.0f} ms, p99 {found['p99'] * 1e3:.0f} ms;"
        f" {len(delays)} arrivals of changed events, from the commit to the page: median"
        f" {statistics.median(delays) * 1e3:.0f} ms, p99 {delays[len(delays) * 99 // 100] * 1e3:.0f} ms"
    )
    check(found["failures"] == 0, f"{figure}; {'; '.join(found['examples'])}")
    check(statistics.median(delays) <= SOON, f"{figure}; {SOON * 1e3:.0f} ms were wanted")
    return figure


def main(words):
    items = {"1": plain_suites, "2": pooled_suites, "3": crowd, "4": faults, "5": speed, "6": pages}
    return run_items("postgres", __doc__, items, words, lambda item, scale: item == "5")
