"""Items 10 and 11: a SQLite given as source, in a user's program and under the project's tests.

The source is that of `scripts/setup sqlite`, newer than Debian's stable library that the tests are linked with.
"""

import json
import os
import pathlib
import re
import subprocess

from . import package_cost
from .lines import ROOT, TESTS, check, findings, note, run

MANIFEST = """// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "user",
  dependencies: [{dependency}],
  targets: [
    .target(name: "CProbe"),
    .executableTarget(
      name: "user", dependencies: ["CProbe", .product(name: "SwiftData", package: "OpenSwiftData")]),
  ])
"""
HEADER = """const char *sqlite3_libversion(void);
int sqlite3_compileoption_used(const char *name);
"""
PROGRAM = r"""import CProbe
import Foundation
import SwiftData

@Model final class Plain {
  var name: String
  init(name: String) { self.name = name }
}

@Model final class Text {
  @Attribute(.spotlight) var name: String
  init(name: String) { self.name = name }
}

@Model final class Place {
  #Index<Place>(.rtree([\.latitude, \.longitude]))
  var latitude: Double
  var longitude: Double
  init(latitude: Double, longitude: Double) { (self.latitude, self.longitude) = (latitude, longitude) }
}

@main struct User {
  static func main() throws {
    let store = URL(fileURLWithPath: CommandLine.arguments[1])
    let names = CommandLine.arguments.dropFirst(2)
    let models = [Plain.self, Text.self, Place.self] as [any PersistentModel.Type]
    let chosen = models.filter { names.contains("\($0)") }
    let container: ModelContainer
    do {
      container = try ModelContainer(for: Schema(chosen), configurations: ModelConfiguration(url: store))
    } catch let error as StoreError {
      print("refused: \(error.code == .unsuitableLibrary): \(error)")
      return
    }
    let context = ModelContext(container)
    for each in ["Oslo", "Rome"] { context.insert(Plain(name: each)) }
    for each in ["Oslo Central", "Roma Termini"] { context.insert(Text(name: each)) }
    for each in [10.0, 50] { context.insert(Place(latitude: each, longitude: each)) }
    try context.save()
    let options = ["ENABLE_PREUPDATE_HOOK", "ENABLE_FTS5", "ENABLE_RTREE", "DQS=0", "OMIT_DEPRECATED"]
    let texts = #Predicate<Text> { $0.name.localizedStandardContains("central") }
    let (least, most) = (5.0, 20.0)
    let near = #Predicate<Place> { $0.latitude >= least && $0.latitude <= most && $0.longitude >= least }
    let history = HistoryDescriptor<DefaultHistoryTransaction>()
    let found: [String: Any] = [
      "version": String(cString: sqlite3_libversion()),
      "options": options.filter { sqlite3_compileoption_used($0) != 0 },
      "rows": try context.fetchCount(FetchDescriptor<Plain>()),
      "texts": try context.fetchCount(FetchDescriptor(predicate: texts)),
      "near": try context.fetchCount(FetchDescriptor(predicate: near)),
      "changes": try context.fetchHistory(history).flatMap(\.changes).count,
    ]
    print(String(decoding: try JSONSerialization.data(withJSONObject: found), as: UTF8.self))
  }
}
"""
MODELS = ("Plain", "Text", "Place")
# A SQLite without an option: how it is left out, and the models of a store that needs it.
LACKING = {
    "SQLITE_ENABLE_FTS5": ("-USQLITE_ENABLE_FTS5", ("Plain", "Text")),
    "SQLITE_ENABLE_RTREE": ("-USQLITE_ENABLE_RTREE", ("Plain", "Place")),
}
# The same where the program doesn't link, and a function that is missing then.
UNDEFINED = {
    "SQLITE_ENABLE_PREUPDATE_HOOK": ("-USQLITE_ENABLE_PREUPDATE_HOOK", "sqlite3_preupdate_hook"),
    "SQLITE_THREADSAFE": ("-DSQLITE_THREADSAFE=0", "sqlite3_mutex_enter"),
}
# The suites that need an option or call much of SQLite's interface; at a release, both targets.
SUITES = (
    r"SwiftDataSQLiteTests\.(SQLiteLibrary|Enclosed|SelfEnded|StatementRow|RowIDRange|SideTable|KeyedRow|IndexDeferral)",
    r"SwiftDataTests\.(SearchIndex|HistoryQuery|Upsert|RoundTrip|StoredFormMigration|BatchDelete|GroupedUpdate)",
)


def amalgamation(scene):
    """The folder with SQLite's source, and its version."""
    log = scene.log("sqlite-source")
    status, text = run(("scripts/setup", "sqlite"), log)
    check(status == 0, f"no source of SQLite: {text.strip()[-300:]}")
    folder = pathlib.Path(text.strip().splitlines()[-1])
    header = (folder / "sqlite3.h").read_text(encoding="utf-8", errors="replace")
    return folder, re.search(r'^#define SQLITE_VERSION +"([\d.]+)"', header, re.MULTILINE)[1]


def compiled(scene, source, prefix, further="", flags="-O1"):
    """Runs `scripts/sqlite`."""
    log = scene.log("sqlite")
    status, text = run(("scripts/sqlite", source, prefix), log, SQLITE_OPTIONS=further, CFLAGS=flags)
    check(status == 0, f"scripts/sqlite {further} fails: {text.strip()[-300:]}")


def build(folder, prefix, macros):
    """Builds the user's program with the SQLite in a folder; the status and what SwiftPM printed.

    :param macros: The path of the macros' plugin; empty where SwiftPM has to build it.
    """
    surroundings = {key: value for key, value in os.environ.items() if key != "SWIFTPM_BUILD_DIR"}
    surroundings["PKG_CONFIG_PATH"] = str(prefix / "lib" / "pkgconfig")
    options = []
    if macros:
        surroundings["OPENSWIFTDATA_MACROS"] = macros
        options = ["-Xswiftc", "-load-plugin-library", "-Xswiftc", macros]
    done = subprocess.run(
        ["swift", "build", "--package-path", folder, *options],
        env=surroundings, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False)
    return done.returncode, done.stdout


def ran(program, store, models):
    done = subprocess.run([program, store, *models], capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"the program fails: {done.stderr.strip()[-300:]}")
    return done.stdout.strip()


def user(scene):
    """A user's program with a SQLite of its own, and with one that lacks each of the options."""
    source, version = amalgamation(scene)
    folder, prefix = scene.folder("own-sqlite-user"), scene.folder("own-sqlite")
    for path, text in {
        "Package.swift": MANIFEST.replace("{dependency}", package_cost.by_path(None)),
        "Sources/CProbe/include/probe.h": HEADER, "Sources/CProbe/probe.c": '#include "probe.h"\n',
        "Sources/user/User.swift": PROGRAM,
    }.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    note(f"a program with SQLite {version}")
    compiled(scene, source, prefix)
    # Without it, SwiftPM builds the plugin in each of the builds.
    status, text = run(("scripts/macros",), scene.log("macros"))
    macros = text.strip() if status == 0 else ""
    status, output = build(folder, prefix, macros)
    check(status == 0, f"the program doesn't build: {output.strip()[-400:]}")
    program = folder / ".build" / "debug" / "user"
    loaded = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    check("libsqlite3" not in loaded, "the program loads the system's SQLite")
    found = json.loads(ran(program, folder / "all.store", MODELS))
    expected = {
        "version": version, "rows": 2, "texts": 1, "near": 1, "changes": 6,
        "options": ["ENABLE_PREUPDATE_HOOK", "ENABLE_FTS5", "ENABLE_RTREE", "DQS=0", "OMIT_DEPRECATED"],
    }
    check(found == expected, f"the program found {found}")
    for option, (further, models) in LACKING.items():
        note(f"without {option}")
        compiled(scene, source, prefix, further, "-O0")
        program.unlink()
        status, output = build(folder, prefix, macros)
        check(status == 0, f"the program doesn't build without {option}: {output.strip()[-400:]}")
        said = ran(program, folder / f"{option}.store", models)
        check(said.startswith("refused: true: ") and option in said, f"without {option}: {said}")
    for option, (further, function) in UNDEFINED.items():
        note(f"without {option}")
        compiled(scene, source, prefix, further, "-O0")
        program.unlink(missing_ok=True)
        status, output = build(folder, prefix, macros)
        check(status != 0 and f"undefined reference to '{function}'" in output,
              f"without {option}: {output.strip()[-400:]}")
    return (f"SQLite {version} from source in a user's program, which loads none: history, text index and R*Tree work; "
            f"without {', '.join(LACKING)} the error names the option; without {', '.join(UNDEFINED)} it doesn't link")


def suites(scene):
    """The tests' program, made to load that SQLite in place of the system's."""
    source, version = amalgamation(scene)
    prefix = scene.folder("own-sqlite-tests")
    compiled(scene, source, prefix)
    library = prefix / "libsqlite3.so.0"
    status, text = run(
        ("cc", "-shared", "-o", library, "-Wl,--whole-archive", prefix / "lib" / "libsqlite3.a",
         "-Wl,--no-whole-archive", "-lm", "-lpthread", "-ldl"), scene.log("sqlite-shared"))
    check(status == 0, f"the library can't be linked: {text.strip()[-300:]}")
    program = scene.product(TESTS, "debug")
    patterns = scene.amount(SUITES, (r"SwiftData(SQLite)?Tests\.",))
    words = [program, "--testing-library", "swift-testing"]
    for pattern in patterns:
        words += ["--filter", pattern]
    note(f"suites with SQLite {version}")
    status, text = run(
        words, scene.log("suites"), LD_PRELOAD=library, OPENSWIFTDATA_TEST_SQLITE_VERSION=version,
        SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=8 * (os.cpu_count() or 2))
    count = re.findall(r"Test run with ([1-9]\d*) tests?.* passed", text)
    check(status == 0 and count, f"{findings(text)}; see {scene.log('suites')}")
    return f"{count[-1]} tests passed with SQLite {version} in place of the system's"
