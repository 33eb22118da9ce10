"""Item 6: the probes of Apple's interface for migrations, concurrency, history, observers and queries."""

import re
import subprocess
import sys

from show_2.swift import ROOT, check, note

PROBES = ROOT.parent / "shared" / "acceptance" / "api-probe"
GROUPS = "FGIKM"


def show(swift, work):
    program = PROBES / "check"
    check(program.exists(), f"the probes are not here: {program}")
    log = work / "probes.log"
    note(f"{program}; its output: {log}")
    with open(log, "wb") as output:
        subprocess.run(
            [sys.executable, str(program), "--all", str(ROOT)], cwd=ROOT, env=swift.environment,
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
        )
    text = log.read_text(errors="replace")
    measured = re.findall(r"^API_PROBE (\d+)/(\d+)", text, re.MULTILINE)
    check(measured, "the probes could not be measured")
    reasons = dict(re.findall(r"^  (\S.*)\n      (.*)$", text, re.MULTILINE))
    counts, failed = {}, []
    for group in GROUPS:
        for file in PROBES.glob(f"Probe{group}_*.swift"):
            names = re.findall(r"^\s*// ID: (.+?)\s*$", file.read_text(encoding="utf-8"), re.MULTILINE)
            counts[group] = len(names)
            failed += [f"{name}: {reasons[name]}" for name in names if name in reasons]
    check(len(counts) == len(GROUPS) and all(counts.values()), f"groups without probes: {counts}")
    check(not failed, f"{len(failed)} fail: {'; '.join(failed[:2])}")
    groups = ", ".join(f"{group} {count}" for group, count in counts.items())
    return f"all probes of the groups pass: {groups}; {measured[-1][0]} of {measured[-1][1]} in all"
