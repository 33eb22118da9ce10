"""Item 8: from a clean clone to the page of `make demo` with rows, in seconds."""

import json
import os
import re
import signal
import statistics
import subprocess
import time
import urllib.error
import urllib.request

from .installed import free_port
from .lines import ROOT, check, note
from .programs import surroundings

# The most seconds on two quiet cores, for the median of the rounds.
LIMIT = 240
PATIENCE = 1_800
# The lines that scripts/demo prints when a step has ended.
STEPS = {"set-up": re.compile(r"^== (?:Fetching|Building)", re.MULTILINE),
         "build": re.compile(r"^== Starting the demo feed", re.MULTILINE)}


def answer(address):
    """A server's answer; nothing as long as there is none."""
    try:
        with urllib.request.urlopen(address, timeout=10) as found:
            return found.read().decode()
    except (urllib.error.URLError, OSError):
        return None


def has_rows(address):
    text = answer(f"{address}/api/events?limit=1")
    return bool(text) and bool(json.loads(text).get("events"))


def wait(process, address, log, begun):
    """The seconds from the beginning to the end of each step, to the page, and to its rows."""
    ends = {}
    while "rows" not in ends:
        time.sleep(0.1)
        seconds, text = time.monotonic() - begun, log.read_text(encoding="utf-8", errors="replace")
        check(process.poll() is None, f"make demo ended with {process.returncode}: {text.strip()[-300:]}")
        check(seconds < PATIENCE, f"no rows within {PATIENCE} s; see {log}")
        ends |= {name: seconds for name, pattern in STEPS.items() if name not in ends and pattern.search(text)}
        if "build" not in ends:
            continue
        if "page" not in ends and "<title>Quakes</title>" in (answer(f"{address}/") or ""):
            ends["page"] = time.monotonic() - begun
        if "page" in ends and has_rows(address):
            ends["rows"] = time.monotonic() - begun
    return ends


def stop(process):
    """Ends `make demo` as Ctrl-C does, with all that it has started."""
    for number in (signal.SIGINT, signal.SIGKILL):
        if process.poll() is None:
            os.killpg(process.pid, number)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                continue


def one_round(scene, number):
    clone, log = scene.folder(f"clone-{number}"), scene.log(f"demo-{number}")
    # Without a folder that the caller builds in.
    variables = {key: value for key, value in surroundings().items()
                 if key not in ("SWIFTPM_BUILD_DIR", "EVENTS", "CONFIG")}
    begun = time.monotonic()
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    port = free_port()
    with open(log, "wb") as output:
        process = subprocess.Popen(
            ["make", "demo"], cwd=clone, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            env=variables | {"PORT": str(port)}, start_new_session=True)
    try:
        ends = wait(process, f"http://127.0.0.1:{port}", log, begun)
    finally:
        stop(process)
    before, took = 0, {}
    for name, seconds in ends.items():
        took[name], before = seconds - before, seconds
    return ends["rows"], took


def figure(scene):
    totals, lines = [], []
    for number in range(1, scene.amount(1, 3) + 1):
        note(f"round {number}: git clone, make demo")
        total, took = one_round(scene, number)
        totals.append(total)
        lines.append(f"{total:.0f} s ({', '.join(f'{name} {seconds:.0f}' for name, seconds in took.items())})")
    median = statistics.median(totals)
    text = f"clone to rows: {'; '.join(lines)}; at most {LIMIT} s"
    check(median <= LIMIT, text)
    return text
