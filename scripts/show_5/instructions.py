"""Instructions a row, counted by callgrind: they repeat exactly, whatever else the machine does."""

import os
import pathlib
import re
import shutil
import subprocess

from show_2.swift import Short, note

# What each is counted for: rows, or look-ups.
WORKLOADS = {"W1": "row", "W4": "row", "W6": "look-up"}
# As many look-ups as rows, at both sizes.
SIZES = (5_000, 10_000)


def show(work, programs, stores):
    if not shutil.which("valgrind"):
        raise Short("valgrind is missing: install Debian's package of that name")
    override = _override(work)
    figures = []
    for workload, unit in WORKLOADS.items():
        program, trials = next((p, t[workload]) for p, t in programs.items() if workload in t)
        stripped = work / f"{program.name}-stripped"
        shutil.copy(program, stripped)
        # valgrind 3.19 can't read the debugging information of this compiler.
        subprocess.run(["strip", "--strip-debug", stripped], check=True)
        counted = {}
        for name in ("floor", "openswiftdata"):
            note(f"counting {workload}, {name}")
            totals = [
                _count(stripped, override, stores, program, workload, name, trials[name], rows)
                for rows in SIZES
            ]
            # The difference leaves out what doesn't grow with the rows: the start of the program, opening the store.
            counted[name] = (totals[1] - totals[0]) / (SIZES[1] - SIZES[0])
        ratio = counted["openswiftdata"] / counted["floor"]
        figures.append(
            f"{workload} {counted['openswiftdata']:,.0f} instructions a {unit},"
            f" the floor {counted['floor']:,.0f}, ratio {ratio:.2f}"
        )
    return "; ".join(figures)


def _override(work):
    library = work / "sigsuspend.so"
    source = pathlib.Path(__file__).with_name("sigsuspend.c")
    compiler = shutil.which("cc") or "clang"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
    return library


def _count(binary, override, stores, program, workload, name, dataset, rows):
    place = stores.copy(program, dataset, rows)
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
         str(binary), "measure", workload, name, str(place), str(rows)],
        capture_output=True, text=True, stdin=subprocess.DEVNULL,
        env={**os.environ, "LD_PRELOAD": str(override)},
    )
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not found:
        raise Short(f"valgrind failed: {done.stderr.strip()[-300:]}")
    return int(found.group(1))
