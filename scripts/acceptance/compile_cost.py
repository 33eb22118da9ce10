"""The compiler's cost of `@Model`: generated classes are compiled, and the processor's time is split into parts.

The plugin is a process of its own, whose time is part of the compiler's. To separate the two, the compiler's messages
to the plugin are recorded and sent to it again.
"""

import os
import pathlib
import resource
import stat
import subprocess
import tempfile

from .lines import ROOT

PROPERTIES = 12
# The text around the classes. A model refers to its two neighbours, so every class is also used from outside.
HEAD = """\
import Foundation
import SwiftData

enum Kind: String, Codable { case plain, rare }
struct Spot: Codable { var latitude: Double; var longitude: Double }
"""
MODEL = """
@Model
final class Model{here} {{
  @Attribute(.unique) var code: String
  var count: Int = 0
  var weight: Double = 1.5
  var isOpen: Bool = false
  var seen: Date
  var key: UUID
  var note: String?
  @Attribute(.externalStorage) var picture: Data?
  var kind: Kind
  var spot: Spot
  var parent: Model{before}?
  @Relationship(deleteRule: .cascade, inverse: \\Model{after}.parent) var children: [Model{after}] = []

  init(code: String, seen: Date, key: UUID, kind: Kind, spot: Spot) {{
    self.code = code
    self.seen = seen
    self.key = key
    self.kind = kind
    self.spot = spot
  }}
}}
"""
# Records the compiler's messages to the plugin.
WRAPPER = """\
#!/bin/sh
/usr/bin/tee '{record}' | '{plugin}' "$@"
"""


class Refused(Exception):
    """The reason why the measurement isn't possible."""


def source(count):
    """The classes as a user writes them."""
    models = (
        MODEL.format(here=here, before=(here - 1) % count, after=(here + 1) % count)
        for here in range(count)
    )
    return HEAD + "".join(models)


def without_macros(text):
    """The same classes without `@Model`: the cost of the classes themselves."""
    lines = (line for line in text.splitlines() if line != "@Model")
    return "\n".join(
        "  " + line[line.index("var "):] if line.startswith("  @") else line for line in lines
    ) + "\n"


class Build:
    """The package manager's build, and the compiler's options to find it."""

    def __init__(self, configuration, folder):
        answer = subprocess.run(
            ["swift", "build", "--configuration", configuration, "--show-bin-path"], cwd=ROOT,
            stdout=subprocess.PIPE, text=True, check=True)
        products = pathlib.Path(answer.stdout.strip())
        self.modules = products / "Modules"
        self.plugin = products / "SwiftDataMacros-tool"
        if not (self.modules / "SwiftData.swiftmodule").exists() or not self.plugin.exists():
            raise Refused(f"there is no build in {products}; "
                          "run OPENSWIFTDATA_MACROS=package scripts/swift build --target SwiftData.")
        self.record = folder / "messages"
        self.wrapper = folder / "plugin"
        self.wrapper.write_text(WRAPPER.format(plugin=self.plugin, record=self.record))
        self.wrapper.chmod(self.wrapper.stat().st_mode | stat.S_IXUSR)

    def words(self, plugin):
        maps = ("CLibcrypto", "CSQLite", "CSwiftRuntime/include", "CMappedFiles/include")
        words = ["-I", str(self.modules)]
        for folder in maps:
            words += ["-Xcc", f"-fmodule-map-file={ROOT / 'Sources' / folder / 'module.modulemap'}"]
        return words + ["-load-plugin-executable", f"{plugin}#SwiftDataMacros"]


def seconds(words, folder, read=os.devnull):
    """The processor's time of a command and of all that it started and waited for.

    :param read: The file that it reads.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(read, "rb") as source_file:
        answer = subprocess.run(
            words, cwd=folder, stdin=source_file, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if answer.returncode:
        output = answer.stdout.decode("utf-8", "replace")
        raise Refused(f"{words[0]} ended with {answer.returncode}:\n{output}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


class Measurement:
    """The least time of several runs, by kind."""

    def __init__(self, build, folder, language):
        self.build, self.folder = build, folder
        self.common = ["swiftc", "-module-name", "Models", "-parse-as-library", "-swift-version", language]
        self.least = {}

    def note(self, kind, taken):
        self.least[kind] = min(taken, self.least.get(kind, taken))

    def compile(self, kind, file, words, plugin=None):
        command = self.common + words + self.build.words(plugin or self.build.plugin) + [str(file)]
        self.note(kind, seconds(command, self.folder))

    def keep_messages(self, models):
        self.compile("with the messages kept", models, ["-typecheck"], self.build.wrapper)

    def round(self, models, plain):
        check, make = ["-typecheck"], ["-c", "-Onone", "-o", "models.o"]
        self.compile("check", models, check)
        self.compile("make", models, make)
        self.compile("plain check", plain, check)
        self.compile("plain make", plain, make)
        self.note("plugin", seconds([str(self.build.plugin)], self.folder, self.build.record))


def rows(least):
    """The parts of the time: a name and seconds."""
    check, make, plugin = least["check"], least["make"], least["plugin"]
    return [
        ("type-check (-typecheck)", check),
        ("  the plugin", plugin),
        ("  the compiler", check - plugin),
        ("compile (-c -Onone)", make),
        ("  after the type-check", make - check),
        ("without macros: type-check", least["plain check"]),
        ("without macros: compile", least["plain make"]),
    ]


def table(count, runs, language, configuration):
    """The lines of a table: seconds of the processor, and milliseconds for a property."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        text = source(count)
        models, plain = folder / "Models.swift", folder / "Plain.swift"
        models.write_text(text, encoding="utf-8")
        plain.write_text(without_macros(text), encoding="utf-8")
        measurement = Measurement(Build(configuration, folder), folder, language)
        measurement.keep_messages(models)
        for _ in range(runs):
            measurement.round(models, plain)
    lines = [f"{count} models of {PROPERTIES} properties, the least of {runs} runs",
             f"{'':28} {'s':>7} {'ms/property':>12}"]
    for part, taken in rows(measurement.least):
        lines.append(f"{part:28} {taken:7.2f} {1000 * taken / (count * PROPERTIES):12.1f}")
    return lines
