"""Items 1 and 4: real feeds through background imports, history and live lists."""

import re

from show_2.swift import ROOT, check

CAPTURES = ROOT.parent / "shared" / "data" / "usgs"
POLLS = 496


def flow(swift):
    check((CAPTURES / "large").is_dir(), f"the captures of real feeds are not here: {CAPTURES}")
    count, text = swift.test("large-feed", "LargeFeedTests")
    figures = re.findall(r"^large feed: (.+)$", text, re.MULTILINE)
    check(len(figures) == 2, f"{len(figures)} of 2 real feeds were imported")
    month = [figure for figure in figures if figure.startswith("19816 events")]
    pair = [figure for figure in figures if not figure.startswith("19816 events")]
    check(month and pair, "; ".join(figures))
    return f"month: {month[0]}; 24 hours apart: {pair[0]}; history, models and list agree, {count} tests"


def replay(swift):
    check((CAPTURES / "replay").is_dir(), f"the captures of real feeds are not here: {CAPTURES}")
    _, text = swift.test("polls", "PollReplayTests", OPENSWIFTDATA_TEST_POLLS=str(POLLS))
    figures = re.findall(r"^polls: ((\d+), .+)$", text, re.MULTILINE)
    check(figures and int(figures[-1][1]) == POLLS, "the test printed no figure")
    return f"each poll's transactions are the log's: {figures[-1][0]}, bound 32768"
