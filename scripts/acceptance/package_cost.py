"""The cost for a user of each product: packages that are resolved, time, and sizes.

For each product, a new package in a temporary folder depends on the project by its path, with an empty cache of
SwiftPM.
"""

import datetime
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import time
from typing import NamedTuple

from .lines import ROOT, check

PAGE = ROOT / "docs" / "building.md"
# The trait that each public product needs.
TRAITS = {
    "SwiftData": None, "SwiftDataExtras": None, "SwiftDataPostgres": None, "DataStoreConformance": None,
    "SwiftDataSync": None, "WireFormats": None, "FoundationStandIns": None, "OSLogStandIns": "Logging",
    "LocalCopy": None, "SwiftDataSyncHTTP": None, "SwiftDataSyncServer": "Server", "HTTPLimits": "Server",
}
MANIFEST = """// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "user",
  dependencies: [{dependency}],
  targets: [
    .executableTarget(
      name: "user", dependencies: [{products}])
  ])
"""
PROGRAM = """{imports}

@main struct User {{
  static func main() {body}
}}
"""
MODELS = """throws {
    let container = try ModelContainer(
      for: Place.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.insert(Place(name: "Oslo"))
    try context.save()
    print(try context.fetchCount(FetchDescriptor<Place>()))
  }"""
PLACE = """
@Model final class Place {
  var name: String
  init(name: String) { self.name = name }
}
"""


def problems():
    """The public products that have no row here, and rows without a product."""
    declared = re.findall(r'\.library\(name: "([A-Z]\w+)"', (ROOT / "Package.swift").read_text(encoding="utf-8"))
    return sorted(set(declared) ^ set(TRAITS))


def processor_seconds():
    """The seconds of the processor that ended child processes have taken; other load adds little to them."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def by_path(trait):
    """The dependency on the project's folder."""
    traits = f', traits: ["{trait}"]' if trait else ""
    return f'.package(name: "OpenSwiftData", path: "{ROOT}"{traits})'


class Row(NamedTuple):
    """A row of the table in docs/building.md: seconds and megabytes of a first debug build."""

    packages: int
    resolved: int
    checkouts: float
    build: int
    processor: int
    program: float


def written(product):
    """The figures of a product in docs/building.md."""
    cells = r"(\d+) \| (\d+) s \| ([\d.]+) MB \| (\d+) s \((\d+) s\) \| ([\d.]+) MB \| [\d-]+"
    text = PAGE.read_text(encoding="utf-8")
    found = re.search(rf"^\| `{product}` \| [^|]*\| {cells} \|$", text, re.MULTILINE)
    check(found, f"{PAGE.name} has no figures of {product}")
    packages, resolved, checkouts, build, processor, program = found.groups()
    return Row(int(packages), int(resolved), float(checkouts), int(build), int(processor), float(program))


class User:
    """A package that uses a product, in a folder of its own.

    :ivar macros: The path of the plugin that scripts/macros has made, or none.
    """

    def __init__(self, folder, product, dependency):
        self.folder, self.product, self.macros = pathlib.Path(folder), product, None
        self.cache = self.folder / "cache"
        place = self.folder / "Sources" / "user"
        place.mkdir(parents=True)
        is_model = product.startswith("SwiftData")
        products = dict.fromkeys([product, "SwiftData"] if is_model else [product])
        (self.folder / "Package.swift").write_text(MANIFEST.format(
            dependency=dependency,
            products=", ".join(f'.product(name: "{name}", package: "OpenSwiftData")' for name in products),
        ), encoding="utf-8")
        imports = "\n".join(f"import {name}" for name in products) + ("\n" + PLACE.rstrip() if is_model else "")
        (place / "User.swift").write_text(
            PROGRAM.format(imports=imports, body=MODELS if is_model else '{ print("started") }'), encoding="utf-8")

    def swift(self, *words):
        """Runs a command of SwiftPM for the package; its output and its seconds."""
        begun = time.monotonic()
        # Without a folder that the caller builds in, and its plugin.
        own = {"SWIFTPM_BUILD_DIR", "OPENSWIFTDATA_MACROS"}
        surroundings = {key: value for key, value in os.environ.items() if key not in own}
        options = []
        if self.macros:
            surroundings["OPENSWIFTDATA_MACROS"] = self.macros
            options = ["-Xswiftc", "-load-plugin-library", "-Xswiftc", self.macros]
        done = subprocess.run(
            ["swift", words[0], "--package-path", self.folder, "--cache-path", self.cache, *words[1:], *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
            env=surroundings,
        )
        return done.returncode, done.stdout, time.monotonic() - begun

    def resolve(self):
        """The names of the packages that are resolved, the seconds, and the megabytes of their checkouts."""
        status, output, seconds = self.swift("package", "resolve")
        check(status == 0, f"{self.product}: the packages can't be resolved: {output.strip()[-400:]}")
        resolved = self.folder / "Package.resolved"
        pins = json.loads(resolved.read_text(encoding="utf-8"))["pins"] if resolved.exists() else []
        checkouts = self.folder / ".build" / "checkouts"
        size = sum(file.lstat().st_size for file in checkouts.rglob("*")) if checkouts.exists() else 0
        return sorted(pin["identity"] for pin in pins), seconds, size / 1e6

    def build(self, configuration):
        """The seconds of a first build, those of the processor, and the program's megabytes (`release`: stripped)."""
        before = processor_seconds()
        status, output, seconds = self.swift("build", "--configuration", configuration)
        used = processor_seconds() - before
        check(status == 0, f"{self.product}: the build failed: {output.strip()[-400:]}")
        program = self.folder / ".build" / configuration / "user"
        if configuration == "release":
            program = shutil.copy(program, self.folder / "stripped")
            subprocess.run(["strip", program], check=True)
        ran = subprocess.run([program], capture_output=True, text=True, check=False)
        check(ran.returncode == 0, f"{self.product}: the program failed: {ran.stderr.strip()[-300:]}")
        return seconds, used, pathlib.Path(program).stat().st_size / 1e6


def row(folder, product, configurations):
    """A row of the table, for each configuration with a build."""
    user = User(folder, product, by_path(TRAITS[product]))
    packages, seconds, size = user.resolve()
    cells = [f"`{product}`", f"`{TRAITS[product]}`" if TRAITS[product] else "", f"{len(packages)}", f"{seconds:.0f} s",
             f"{size:.0f} MB"]
    for configuration in configurations:
        taken, used, weight = user.build(configuration)
        cells += [f"{taken:.0f} s ({used:.0f} s)", f"{weight:.1f} MB"]
    return f"| {' | '.join([*cells, datetime.date.today().isoformat()])} |"


def heading(configurations):
    """The first two lines of the table."""
    names = ["product", "trait", "packages", "resolved in", "checkouts"]
    for configuration in configurations:
        program = "program, stripped" if configuration == "release" else "program"
        names += [f"first {configuration} build (processor)", program]
    return f"| {' | '.join([*names, 'measured'])} |\n|---|---|{'--:|' * (len(names) - 2)}---|"


def with_row(text, line):
    """The page with a row in place of its product's, or added in the order of the products."""
    head = heading(["debug"])
    check(head in text, f"{PAGE.name} has no table with the columns {head.splitlines()[0]}")
    before, after = text.split(head + "\n", 1)
    rows, rest = after.split("\n\n", 1)
    by_name = {each.split("|")[1].strip().strip("`"): each for each in [*rows.splitlines(), line]}
    unknown = set(by_name) - set(TRAITS)
    check(not unknown, f"{PAGE.name} has rows of {', '.join(unknown)}, which are no products")
    ordered = [by_name[name] for name in TRAITS if name in by_name]
    return "\n".join([f"{before}{head}", *ordered, "", rest])
