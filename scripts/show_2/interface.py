"""Item 1: every symbol of Apple's interface compiles, and docs/public-api has a row for each."""

import re
import subprocess
import sys

from . import public_api
from .swift import ROOT, check, note

PROBES = ROOT.parent / "shared" / "acceptance" / "api-probe" / "check"


def probe(swift, work):
    """Compiles the probes; gives the exit status, how many pass, how many there are, and all that was printed."""
    check(PROBES.exists(), f"the probes are not here: {PROBES}")
    log = work / "probes.log"
    note(f"{PROBES}; its output: {log}")
    with open(log, "wb") as output:
        done = subprocess.run(
            [sys.executable, str(PROBES), "--all", str(ROOT)], cwd=ROOT, env=swift.environment,
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
        )
    text = log.read_text(errors="replace")
    measured = re.findall(r"^API_PROBE (\d+)/(\d+)", text, re.MULTILINE)
    check(measured, "the probes could not be measured")
    return (done.returncode, *measured[-1], text)


def show(swift, work):
    check(public_api.CHECKLIST.exists(), f"the list of symbols is not here: {public_api.CHECKLIST}")
    status, passed, total, _ = probe(swift, work)
    symbols = public_api.symbols(public_api.CHECKLIST.read_text(encoding="utf-8"))
    found = public_api.problems(symbols, public_api.rows())
    check(not found, f"public-api: {len(found)} problems; {'; '.join(found[:3])}")
    figure = (
        f"{passed} of {total} probes pass; public-api: {len(symbols)} symbols, {public_api.summary()}"
    )
    check(status == 0 and passed == total and public_api.states()["part"] == 0, figure)
    return figure
