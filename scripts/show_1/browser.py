"""Item 6: the tests that drive the page in a real browser."""

import subprocess

from .programs import ROOT, check, note, surroundings


def show(quakes, folder):
    runner = ROOT / "Tests" / "Browser" / "run"
    check(runner.exists(), f"{runner.relative_to(ROOT)} is missing")
    done = subprocess.run(
        [str(runner), str(quakes.binary)], stdin=subprocess.DEVNULL, capture_output=True,
        text=True, env=surroundings(), timeout=3_600,
    )
    (folder / "browser.log").write_text(done.stdout + done.stderr)
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    summary = lines[-1].strip("= ") if lines else done.stderr.strip()[-200:]
    note(summary)
    check(done.returncode == 0, f"browser tests: {summary}")
    return f"browser tests: {summary}"
