"""Item 3: two devices in a browser, with and without the server."""

import re
import subprocess

from show_2.swift import ROOT, check

from .built import program

TESTS = (
    "test_the_waiting_count_falls_to_zero_and_the_others_edit_appears",
    "test_offline_edits_wait_survive_a_restart_and_reach_the_server",
)


def show(swift, work):
    swift.build()
    done = subprocess.run(
        [str(ROOT / "Tests" / "Browser" / "run"), str(program("landmarks")), "-k", " or ".join(TESTS)],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=1_800,
    )
    (work / "browser.log").write_text(done.stdout + done.stderr)
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    summary = lines[-1].strip("= ") if lines else done.stderr.strip()[-200:]
    passed = re.match(r"(\d+) passed", summary)
    check(done.returncode == 0 and passed, f"browser tests: {summary}")
    check(int(passed[1]) == len(TESTS), f"{summary} instead of {len(TESTS)}")
    return (
        f"favorite and reservation without the server, the waiting count, the server back, none waiting, the"
        f" other device's edit on the open page: {summary}"
    )
