"""Figure 3.scale: depth and width, as times for n, 2n and 4n models; sweep 6 at its full size.

The tests are those of the suites below. They run one after the other, on a stack of 512 KiB.
"""

import os
import re
import subprocess

from .lines import ROOT, SWIFT, check

SUITES = "DepthTests|ReleaseTests|WorkTests|DeepDeletionTests"
PASSED = re.compile(r"Test (?!run with)(?:case passing )?(.+?) passed after ([0-9.]+) seconds")
FAILED = re.compile(r"Test .+ (?:failed|recorded an issue)|Fatal error|signal code|unexpected signal")
# The ratio of 4n to n: 4 is linear, 16 is quadratic. Shorter times aren't compared.
GROWTH, SHORTEST = 8, 0.5


def times(count, configuration="debug"):
    """The seconds that each test took, by its name, and what failed."""
    answer = subprocess.run(
        [SWIFT, "test", "--skip-build", "--configuration", configuration, "--no-parallel", "--filter",
         f"SwiftDataTests.({SUITES})/"],
        cwd=ROOT, env=os.environ | {"OPENSWIFTDATA_TEST_SCALE": str(count)},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )
    found, failures = {}, []
    for line in answer.stdout.splitlines():
        if passed := PASSED.search(line):
            found[passed[1].replace('"', "")] = float(passed[2])
        elif FAILED.search(line):
            failures.append(f"{count}: {line}")
    if answer.returncode:
        failures.append(f"{count}: the tests ended with {answer.returncode}")
    return found, failures


def table(start, configuration="debug"):
    """The lines of a table, and its problems."""
    counts = [start, 2 * start, 4 * start]
    results, wrong = [], []
    for count in counts:
        found, failures = times(count, configuration)
        results.append(found)
        wrong += failures
    names = list(results[0])
    width = max((len(name) for name in names), default=4)
    lines = [f"{'test':{width}}  " + "  ".join(f"{count:>9,}" for count in counts)]
    for name in names:
        cells = [f"{found[name]:9.2f}" if name in found else "        –" for found in results]
        lines.append(f"{name:{width}}  " + "  ".join(cells))
        first, last = results[0][name], results[2].get(name)
        if last is None:
            wrong.append(f"{name}: not finished with {counts[2]:,}")
        elif last > max(first, SHORTEST) * GROWTH:
            wrong.append(f"{name}: {first:.2f} s for {counts[0]:,}, {last:.2f} s for {counts[2]:,}")
    if not names:
        wrong.append("no test has passed; are they built? (scripts/swift build --build-tests)")
    return lines, wrong


def figure(scene):
    """Chains, lists and pending models of up to a million; times grow linearly."""
    start = 250_000 if scene.scale == "release" else 2_500
    log = scene.log("scale-build")
    with open(log, "w", encoding="utf-8") as output:
        built = subprocess.run(
            [SWIFT, "build", "--build-tests"], cwd=ROOT, stdout=output, stderr=output, check=False
        )
    check(built.returncode == 0, f"the tests don't build: {log}")
    lines, wrong = table(start)
    scene.log("scale").write_text("\n".join(lines + wrong) + "\n", encoding="utf-8")
    for line in lines:
        print(f"  {line}", flush=True)
    check(not wrong, "; ".join(wrong))
    return f"{len(lines) - 1} tests with {start:,}, {2 * start:,} and {4 * start:,} models: see {scene.log('scale')}"
