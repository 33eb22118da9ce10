"""The suites under the address and the thread sanitizer: those of the framework, at a release all.

Each sanitizer builds into a folder of its own. `LEFT_OUT` names the excluded suites, with reasons.

On Linux, Swift's `Mutex` is a futex of the standard library's own, which the thread sanitizer doesn't see: a dictionary
in a `Mutex` that two threads use is enough for a report. So reports of two accesses that both happen under a `Mutex`
are counted apart; every other one is a finding.
"""

import pathlib
import re

from .lines import APPS, ROOT, SWIFT, check, findings, note, run

SUITES = (
    "SwiftDataCoreTests", "SwiftDataSQLTests", "SwiftDataStoreTests", "SwiftDataSQLiteTests", "SwiftDataTests",
    "DataStoreConformanceTests",
)
LEFT_OUT = {
    "SeedListingTests": "it runs the compiler on programs that link products built without a sanitizer",
    "AcceptedSourceTests": "it runs the compiler, and nothing of what that compiles",
    "RefusedSourceTests": "it runs the compiler, and nothing of what that compiles",
    "GoneModelTests/noEmptyValue": "it ends a process on purpose, which a sanitizer reports",
}
# The same for the thread sanitizer alone.
LEFT_OUT_OF_THREADS = {
    "^FaultTests\\.": "its program goes on in forked children, which the thread sanitizer doesn't support",
    "ConcurrencyDebuggingTests": "it uses a context from two threads on purpose, and wants that reported",
    "MappedFileTests": "the thread sanitizer delivers signals later, so a read of a missing page doesn't come back",
}
REPORT = re.compile(r"^(?:==\d+==ERROR: AddressSanitizer|WARNING: ThreadSanitizer): ?(.*)$", re.MULTILINE)
# A report of the thread sanitizer, as far as its summary.
RACE = re.compile(r"^WARNING: ThreadSanitizer: .*\n(?P<body>(?:.*\n)*?)SUMMARY: ", re.MULTILINE)
# The closure that `Mutex.withLock` calls, by its mangled type: it takes the value `inout sending`.
LOCKED = re.compile(r"zYuK?YTXEfU")
# Foundation's `Process.run` (6.3.1) copies whole `dirent`s out of the last of a folder's entries.
KNOWN = pathlib.Path(__file__).resolve().with_name("sanitizer-address.supp")
SETTINGS = {
    # Swift's runtime never frees metadata, which the leak check reports.
    "address": {"ASAN_OPTIONS": f"detect_leaks=0:suppressions={KNOWN}"},
    # This script evaluates the reports, so they must not change the run's exit status.
    "thread": {"TSAN_OPTIONS": "halt_on_error=0 exitcode=0"},
}


def figure(scene):
    suites = scene.amount([f"^{suite}\\." for suite in SUITES], [])
    for name, reason in (LEFT_OUT | LEFT_OUT_OF_THREADS).items():
        note(f"{name} is left out: {reason}")
    figures = [one(scene, sanitizer, suites) for sanitizer in SETTINGS]
    return f"{'; '.join(figures)}; left out: {', '.join(LEFT_OUT | LEFT_OUT_OF_THREADS)}"


def one(scene, sanitizer, suites):
    words = ["test", f"--sanitize={sanitizer}"]
    for suite in suites:
        words += ["--filter", suite]
    for suite in LEFT_OUT | (LEFT_OUT_OF_THREADS if sanitizer == "thread" else {}):
        words += ["--skip", suite]
    status, text = 0, ""
    for swift in (SWIFT,) if suites else (SWIFT, APPS):
        # Few at once: each test is many times slower under the same time limit.
        ended, printed = run(
            [swift, *words], scene.log(f"sanitize-{sanitizer}-{pathlib.Path(swift).name}"),
            SWIFTPM_BUILD_DIR=ROOT / ".build" / f"sanitize-{sanitizer}", OPENSWIFTDATA_DEBUG_INFO=1,
            SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4, **SETTINGS[sanitizer],
        )
        status, text = status or ended, text + printed
    races = [match["body"] for match in RACE.finditer(text)]
    locked = sum(is_locked(race) for race in races)
    reports = REPORT.findall(RACE.sub("", text)) + [
        race.splitlines()[1].strip() for race in races if not is_locked(race)
    ]
    check(not reports, f"{sanitizer}: {len(reports)} findings, the first: {reports[:1]}")
    count = re.findall(r"Test run with (\d+) tests?.* passed", text)
    check(status == 0 and count, f"{sanitizer}: {findings(text)}; see {scene.work}/sanitize-{sanitizer}-*.txt")
    beside = f" ({locked} reports of what is under a Mutex)" if locked else ""
    return f"{sanitizer} sanitizer: {sum(map(int, count))} tests, no finding{beside}"


def is_locked(race):
    """Whether both accesses of a report happen under a `Mutex`."""
    accesses = race.split("\n\n")[:2]
    return len(accesses) == 2 and all(LOCKED.search(stack) for stack in accesses)
