"""Item 1: every symbol of Apple's interface compiles, and docs/public-api.md has a row for each state."""

import re
import subprocess
import sys

from .swift import ROOT, check, note

PROBES = ROOT.parent / "shared" / "acceptance" / "api-probe" / "check"
STATES = ("same", "better", "absent", "part")


def show(swift, work):
    check(PROBES.exists(), f"the probes are not here: {PROBES}")
    log = work / "probes.log"
    note(f"{PROBES}; its output: {log}")
    with open(log, "wb") as output:
        done = subprocess.run(
            [sys.executable, str(PROBES), "--all", str(ROOT)], cwd=ROOT, env=swift.environment,
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
        )
    measured = re.findall(r"^API_PROBE (\d+)/(\d+)", log.read_text(errors="replace"), re.MULTILINE)
    check(measured, "the probes could not be measured")
    passed, total = measured[-1]
    rows = states()
    figure = f"{passed} of {total} probes pass; public-api.md: " + ", ".join(
        f"{rows[state]} {state}" for state in STATES
    )
    check(done.returncode == 0 and passed == total and rows["part"] == 0, figure)
    return figure


def states():
    """How many rows of the page have each state."""
    page = (ROOT / "docs" / "public-api.md").read_text(encoding="utf-8")
    found = re.findall(r"^\|.*?\| (same|better|absent|part) \|", page, re.MULTILINE)
    return {state: found.count(state) for state in STATES}
