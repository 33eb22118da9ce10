"""The lines that acceptance checks print, and the programs that they run."""

import os
import pathlib
import subprocess
import sys
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Short(Exception):
    """A check that didn't hold; its text is the figure."""


def note(text):
    print(f"   {text}", file=sys.stderr, flush=True)


def check(holds, text):
    if not holds:
        raise Short(text)


def item(name, show):
    """Prints an item's line; true when it is ok."""
    begun = time.monotonic()
    try:
        verdict, figure = "ok", show()
    except Short as short:
        verdict, figure = "short", str(short)
    except Exception as error:  # A check that broke down is a check that did not hold.
        traceback.print_exc()
        verdict, figure = "short", f"{type(error).__name__}: {error}"
    print(f"ACCEPT {name} {verdict} {' '.join(figure.split())}", flush=True)
    note(f"{name} took {time.monotonic() - begun:.0f} s")
    return verdict == "ok"


def run(words, log, seconds=None, **variables):
    """Runs a program in the project's folder; its status and all that it printed, which is in the file `log` too."""
    with open(log, "w", encoding="utf-8") as output:
        try:
            status = subprocess.run(
                [str(word) for word in words], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, env=os.environ | variables, timeout=seconds,
            ).returncode
        except subprocess.TimeoutExpired:
            status = -1
            output.write(f"\nerror: it didn't end within {seconds} s\n")
    return status, pathlib.Path(log).read_text(encoding="utf-8", errors="replace")
