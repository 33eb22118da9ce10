"""The checks of `make acceptance ONLY=package`: the project as a package that others add. Needs a network.

Items: 1 a user of SwiftData alone resolves swift-syntax only, in seconds and megabytes beside those of
docs/building.md, and a user of any other product the packages of its trait; 2 the dependency by a path to a folder of
another name, and by address and version; 3 a product whose trait is off fails with an error that names it; 4 each
example builds with its own Package.swift; 5 `make install` and `make uninstall`; 6 the article "Getting started",
word by word, to a passing test and a server; 7 the documentation in numbers: pages, warnings, dead links, symbols
without a comment, blocks of code; 8 the seconds from a clean clone to a page with rows, once, or three times at a
release (run nothing else); 9 warnings are errors in the project's own builds only; 10 a user's program with a SQLite
given as source, and with one that lacks an option; 11 the project's suites with that SQLite; 12 the oldest and the
newest swift-syntax, in a user's program; 13 a user's program with the plugin of scripts/macros, which compiles no
swift-syntax. 4 to 13 need builds, and run at the counts of CI only when they are named.
"""

import json
import shutil
import subprocess
import time

from . import compiler_warnings, first_rows, getting_started, installed, own_sqlite, package_cost, site_figures
from .lines import ROOT, check, note, run, run_items

MODELS = {"swift-syntax"}
# The packages that traits add, which have dependencies of their own.
ADDED = {"Logging": {"swift-log"}, "Server": {"hummingbird"}}
# The oldest and the newest version of swift-syntax that docs/building.md says were tried.
SYNTAX = ("602.0.0", "603.0.1")
# The items that need builds.
NEED_BUILDS = {"4", "5", "6", "7", "8", "9", "10", "11", "12", "13"}


def packages(scene):
    check(not package_cost.problems(), f"package_cost.py and Package.swift differ: {package_cost.problems()}")
    figures, cost = [], ""
    for product, trait in package_cost.TRAITS.items():
        user = package_cost.User(scene.folder(product), product, package_cost.by_path(trait))
        found, seconds, size = user.resolve()
        if product == "SwiftData":
            cost = cost_of_models(user, found, seconds, size)
        shutil.rmtree(user.folder)
        if trait in (None, "Logging"):
            check(set(found) <= MODELS | ADDED.get(trait, set()), f"{product} resolves {', '.join(found)}")
        else:
            check(set(found) >= ADDED[trait], f"{product} resolves {', '.join(found)} only")
        figures.append(f"{product} {len(found)}")
    return f"SwiftData alone: {cost}; packages that are resolved: {', '.join(figures)}"


def cost_of_models(user, found, seconds, size):
    """The cost for a user of `SwiftData` alone, beside the row of docs/building.md. Sizes are judged."""
    note("a first build with SwiftData alone")
    taken, used, weight = user.build("debug")
    before = package_cost.written("SwiftData")
    check(len(found) <= before.packages, f"{len(found)} packages; docs/building.md has {before.packages}")
    for name, now, then in (("checkouts", size, before.checkouts), ("the program", weight, before.program)):
        check(now <= 1.1 * then, f"{name} {now:.1f} MB; docs/building.md has {then:g} MB")
    return (f"packages {len(found)} ({before.packages} in docs/building.md), "
            f"resolved in {seconds:.0f} s ({before.resolved} s), checkouts {size:.0f} MB ({before.checkouts:g} MB), "
            f"first build {taken:.0f} s ({before.build} s), of the processor {used:.0f} s ({before.processor} s), "
            f"program {weight:.1f} MB ({before.program:g} MB)")


def forms(scene):
    """A clone in a folder of another name, and one with a version."""
    clone, versioned = scene.work / "another-name", scene.work / "served" / "OpenSwiftData"
    for place in (clone, versioned):
        shutil.rmtree(place, ignore_errors=True)
        subprocess.run(["git", "clone", "--quiet", ROOT, place], check=True)
    subprocess.run(["git", "-C", versioned, "tag", "--force", "0.1.0"], check=True, capture_output=True)
    for name, dependency in (
        ("path", f'.package(name: "OpenSwiftData", path: "{clone}")'),
        ("version", f'.package(url: "file://{versioned}", from: "0.1.0")'),
    ):
        found, _, _ = package_cost.User(scene.folder(name), "SwiftData", dependency).resolve()
        check(set(found) <= MODELS | {"openswiftdata"}, f"by {name}: {', '.join(found)}")
    for place in (clone, versioned):
        shutil.rmtree(place)
    return "the committed tree, by a path to a folder of another name and by address and version"


def missing_traits(scene):
    # Those that need no other part of the package, so that nothing has to be built.
    for product in ("OSLogStandIns", "HTTPLimits"):
        user = package_cost.User(scene.folder(product), product, package_cost.by_path(None))
        status, output, _ = user.swift("build")
        message = f"{product} needs the package trait {package_cost.TRAITS[product]}"
        check(status != 0 and message in output, f"{product} without its trait: {output.strip()[-300:]}")
    return "OSLogStandIns and HTTPLimits without their traits: the error names them"


def examples(scene):
    """Copies, so that nothing is left in the tree; one folder for all builds, in which they share what they can."""
    found = sorted(manifest.parent for manifest in (ROOT / "Examples").glob("*/Package.swift"))
    copies = scene.folder("examples")
    for example in found:
        place = copies / example.name
        shutil.copytree(example, place, ignore=shutil.ignore_patterns(".build", "Package.resolved"))
        manifest = place / "Package.swift"
        text = manifest.read_text(encoding="utf-8")
        check(text.count('path: "../.."') == 1, f"{example.name}: the dependency isn't by path: ../..")
        manifest.write_text(text.replace('path: "../.."', f'path: "{ROOT}"'), encoding="utf-8")
        note(f"building {example.name}")
        # SwiftPM would take up the plan of the package before.
        (copies / "build" / "debug.yaml").unlink(missing_ok=True)
        status, _ = run(
            ("swift", "build", "--build-tests", "--package-path", place, "--scratch-path", copies / "build"),
            scene.log(f"example-{example.name}"), 3_600,
        )
        check(status == 0, f"{example.name} doesn't build; see {scene.log(f'example-{example.name}')}")
    return f"{len(found)} examples build by themselves: {', '.join(example.name for example in found)}"


def versions_of_syntax(scene):
    """A user whose other packages want one version of swift-syntax."""
    manifest = (ROOT / "Package.swift").read_text(encoding="utf-8")
    address = "https://github.com/swiftlang/swift-syntax"
    check(f'url: "{address}", "{SYNTAX[0]}"..<' in manifest, f"Package.swift doesn't begin with {SYNTAX[0]}")
    taken = []
    for version in SYNTAX:
        note(f"a first build with swift-syntax {version}")
        place = scene.folder(f"syntax-{version}")
        dependencies = f'{package_cost.by_path(None)}, .package(url: "{address}", exact: "{version}")'
        user = package_cost.User(place, "SwiftData", dependencies)
        seconds, _, _ = user.build("debug")
        pins = json.loads((place / "Package.resolved").read_text(encoding="utf-8"))["pins"]
        check([pin["state"].get("version") for pin in pins] == [version], f"{pins} in place of {version}")
        taken.append(f"{version} in {seconds:.0f} s")
        shutil.rmtree(place)
    return f"a program with models builds and runs with swift-syntax {', '.join(taken)}"


def plugin_of_toolchain(scene):
    """The first build of a user's program without a plugin made beforehand, and with one."""
    figures = []
    for is_made in (False, True):
        user = package_cost.User(scene.folder(f"macros-{is_made}"), "SwiftData", package_cost.by_path(None))
        user.resolve()
        before, begun = package_cost.processor_seconds(), time.monotonic()
        if is_made:
            note("the plugin, and a first build with it")
            status, text = run(("scripts/macros", user.folder / "macros"), scene.log("macros"))
            check(status == 0, f"scripts/macros fails: {text.strip()[-300:]}")
            user.macros = text.strip().splitlines()[-1]
        else:
            note("a first build that makes the plugin")
        user.build("debug")
        used, seconds = package_cost.processor_seconds() - before, time.monotonic() - begun
        compiled = {folder.name for folder in (user.folder / ".build").glob("*/debug/SwiftSyntax*.build")}
        check(bool(compiled) != is_made, f"compiled {compiled or 'no swift-syntax'}")
        figures.append(f"{seconds:.0f} s ({used:.0f} s of the processor)")
        shutil.rmtree(user.folder)
    return f"a first build with SwiftData alone: {figures[0]}; with the plugin of scripts/macros: {figures[1]}"


def main(words):
    items = {"1": packages, "2": forms, "3": missing_traits, "4": examples, "5": installed.figure,
             "6": getting_started.figure, "7": site_figures.figure, "8": first_rows.figure,
             "9": compiler_warnings.figure, "10": own_sqlite.user, "11": own_sqlite.suites,
             "12": versions_of_syntax, "13": plugin_of_toolchain}
    return run_items(
        "package", __doc__, items, words, is_left_out=lambda item, scale: item in NEED_BUILDS and scale == "ci")
