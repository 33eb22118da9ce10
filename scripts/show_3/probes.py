"""Item 6: the probes of Apple's interface for migrations, concurrency, history, observers and queries."""

import re

from show_2.interface import PROBES, probe
from show_2.swift import check

GROUPS = "FGIKM"


def show(swift, work):
    _, passed, total, text = probe(swift, work)
    reasons = dict(re.findall(r"^  (\S.*)\n      (.*)$", text, re.MULTILINE))
    counts, failed = {}, []
    for group in GROUPS:
        for file in PROBES.parent.glob(f"Probe{group}_*.swift"):
            names = re.findall(r"^\s*// ID: (.+?)\s*$", file.read_text(encoding="utf-8"), re.MULTILINE)
            counts[group] = len(names)
            failed += [f"{name}: {reasons[name]}" for name in names if name in reasons]
    check(len(counts) == len(GROUPS) and all(counts.values()), f"groups without probes: {counts}")
    check(not failed, f"{len(failed)} fail: {'; '.join(failed[:2])}")
    groups = ", ".join(f"{group} {count}" for group, count in counts.items())
    return f"all probes of the groups pass: {groups}; {passed} of {total} in all"
