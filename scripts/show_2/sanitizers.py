"""Item 7: the suites of the framework under the address and the thread sanitizer.

Each sanitizer builds into a folder of its own. Left out, here and for a reason each, are what `LEFT_OUT` names.
"""

import re

from .swift import check, last_error, note

SUITES = ("SwiftDataCoreTests", "SwiftDataSQLTests", "SwiftDataTests", "DataStoreConformanceTests")
LEFT_OUT = {
    "SeedListingTests": "it runs the compiler on programs that link products built without a sanitizer",
    "AcceptedSourceTests": "it runs the compiler, and nothing of what that compiles",
    "RefusedSourceTests": "it runs the compiler, and nothing of what that compiles",
    "GoneModelTests/noEmptyValue": "it ends a process on purpose, which a sanitizer reports",
}
REPORT = re.compile(r"^(?:==\d+==ERROR: AddressSanitizer|WARNING: ThreadSanitizer): ?(.*)$", re.MULTILINE)
SETTINGS = {
    # Swift's runtime keeps metadata for ever, which the leak check takes for leaks.
    "address": {"ASAN_OPTIONS": "detect_leaks=0"},
    "thread": {"TSAN_OPTIONS": "halt_on_error=0"},
}


def show(swift):
    for name, reason in LEFT_OUT.items():
        note(f"{name} is left out: {reason}")
    figures = [one(swift, sanitizer) for sanitizer in SETTINGS]
    return f"{'; '.join(figures)}; left out: {', '.join(LEFT_OUT)}"


def one(swift, sanitizer):
    options = (f"--sanitize={sanitizer}", "--scratch-path", f".build/sanitize-{sanitizer}")
    swift.build(*options)
    words = ["test", "--skip-build", *options]
    for suite in SUITES:
        words += ["--filter", f"^{suite}\\."]
    for suite in LEFT_OUT:
        words += ["--skip", suite]
    status, text = swift.run(f"sanitize-{sanitizer}", *words, **SETTINGS[sanitizer])
    reports = REPORT.findall(text)
    check(not reports, f"{sanitizer}: {len(reports)} findings, the first: {reports[:1]}")
    count = re.findall(r"Test run with (\d+) tests?.* passed", text)
    check(status == 0 and count, f"{sanitizer}: {last_error(text)}")
    return f"{sanitizer} sanitizer: {count[-1]} tests, no finding"
