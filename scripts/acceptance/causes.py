"""The controls of the sweeps: with a fixed defect reintroduced, the sweep of its family has to fail.

Each row is an edit of the sources and the tests that must not pass with it. The edits are made together in a copy of the
tree, which is built once; each sweep runs by itself. A row whose text isn't in the sources once is out of date, which is a
failure of the check.
"""

import re
import shutil
import subprocess

from .lines import ROOT, SWIFT, check, note, run

# Sweep, defect, file, its text, the text with the defect, tests.
CAUSES = (
    (
        "sweep.1", "code that fetches its own class goes on until the stack is used up",
        "Sources/SwiftDataCore/1-Errors/OperationDepth.swift",
        "static let limit = 16",
        "static let limit = 10_000_000",
        "SwiftDataTests.ReentranceSweepTests",
    ),
    (
        "sweep.2", "a save is written to a file that no path leads to",
        "Sources/SwiftDataSQLite/1-Database/Files/StoreFiles.swift",
        "guard status.identity == main else { throw failure(Self.replaced) }\n    if given != path, FileStatus(path)?.identity != main { throw failure(Self.gone) }",
        "if status.identity != main { return }",
        "SwiftDataSQLiteTests.FileSweepTests",
    ),
    (
        "sweep.3", "a change in the history is read behind the end of its bytes",
        "Sources/SwiftDataStore/1-History/HistoryUnpacker.swift",
        "guard offset < bytes.count else { throw Damaged() }\n      let byte",
        "let byte",
        "SwiftDataTests.HostileStoreTests",
    ),
    (
        "sweep.4", "an upload at the end of all numbers ends the server",
        "Sources/SwiftDataSyncServer/SyncRoutes+Attachments.swift",
        "let (end, isBeyond) = offset.addingReportingOverflow(bytes.count)",
        "let (end, isBeyond) = (offset + bytes.count, false)",
        "SwiftDataSyncServerTests.WireTests",
    ),
    (
        "sweep.5", "two savers take two stores in different orders",
        "Sources/SwiftDataCore/4-StoreInterface/JointSave.swift",
        "return left.store.identifier < right.store.identifier",
        "return false",
        "SwiftDataTests.SeveralTests",
    ),
    (
        "sweep.6", "models in a chain are let go of one inside the other",
        "Sources/CSwiftRuntime/destroy-in-turn.c",
        "#if defined(__linux__) && __has_attribute(swiftcall)",
        "#if 0 && __has_attribute(swiftcall)",
        "SwiftDataTests.ReleaseTests",
    ),
)


def copy(scene):
    """A copy of the tree's files, without builds."""
    place = scene.work / "causes"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
        check=True, capture_output=True, text=True,
    ).stdout.split("\0")
    for name in filter(None, listed):
        if (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, place / name)
    return place


def show(scene):
    place = copy(scene)
    for sweep, _, name, text, cause, _ in CAUSES:
        file = place / name
        source = file.read_text(encoding="utf-8")
        check(source.count(text) == 1, f"{sweep}: {name} doesn't have the text that is to be put back")
        file.write_text(source.replace(text, cause), encoding="utf-8")
    note("building the copy with its causes")
    status, _ = run(
        (place / SWIFT, "build", "--build-tests"), scene.log("causes-build"), 3600
    )
    check(status == 0, f"the copy doesn't build; see {scene.log('causes-build')}")
    blind, figures = [], []
    for sweep, cause, _, _, _, tests in CAUSES:
        status, text = run(
            (place / SWIFT, "test", "--skip-build", "--filter", re.escape(tests) + "/"),
            scene.log(f"causes-{sweep}"), 1800, SWIFT_BACKTRACE="enable=no",
        )
        issues = len(re.findall(r"recorded an issue", text))
        has_signal = "unexpected signal" in text
        ended = "ended by a signal" if has_signal else f"{issues} issues"
        # A run that didn't end in time, or had no tests, has no result.
        is_seen = status != 0 and (issues > 0 or has_signal)
        print(f"  {sweep}\t{'fails' if is_seen else 'tells nothing'}\t{cause}\t{ended}", flush=True)
        (figures if is_seen else blind).append(f"{sweep}: {ended}")
    shutil.rmtree(place, ignore_errors=True)
    check(not blind, f"with its cause put back, no issue and no signal of {', '.join(blind)}")
    return f"{len(CAUSES)} causes put back, each sweep fails: {'; '.join(figures)}"

