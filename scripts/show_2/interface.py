"""Item 1: every symbol of Apple's interface compiles, and docs/public-api has a row for each."""

import re
import subprocess
import sys

from . import public_api
from .swift import ROOT, check, note

PROBES = ROOT.parent / "shared" / "acceptance" / "api-probe" / "check"


def show(swift, work):
    check(PROBES.exists(), f"the probes are not here: {PROBES}")
    check(public_api.CHECKLIST.exists(), f"the list of symbols is not here: {public_api.CHECKLIST}")
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
    symbols = public_api.symbols(public_api.CHECKLIST.read_text(encoding="utf-8"))
    found = public_api.problems(symbols, public_api.rows())
    check(not found, f"public-api: {len(found)} problems; {'; '.join(found[:3])}")
    figure = (
        f"{passed} of {total} probes pass; public-api: {len(symbols)} symbols, {public_api.summary()}"
    )
    check(done.returncode == 0 and passed == total and public_api.states()["part"] == 0, figure)
    return figure
