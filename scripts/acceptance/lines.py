"""The lines that acceptance checks print, the options that they share, and the programs and tests that they run."""

import argparse
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The program with all tests of the package.
TESTS = "OpenSwiftDataPackageTests.xctest"
# The beginnings of a command of SwiftPM for the package, and for that of the applications.
SWIFT, APPS = "scripts/swift", "scripts/apps"
APPLICATIONS = ("quakes", "landmarks")
# Captures of real feeds; without them, the items that need them are skipped.
CAPTURES = ROOT.parent / "shared" / "data" / "usgs"
SKIPPED = f"skipped: the captures of real feeds aren't in {CAPTURES}"


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


def run_items(name, page, items, words, is_left_out=lambda item, scale: False, extend=lambda parser: None):
    """Runs the selected items of a check; returns the exit status.

    :param items: What shows an item, by its name: a number, or a number and a part of it.
    :param is_left_out: Whether an item runs only when it is named in full.
    """
    parser = argparse.ArgumentParser(
        prog=f"scripts/acceptance/run {name}", description=page, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = list(dict.fromkeys([*(each.split(".")[0] for each in items), *items]))
    parser.add_argument("--items", metavar="K", nargs="+", choices=names, default=[], help=f"of {', '.join(names)}")
    parser.add_argument("--scale", choices=("ci", "release"), default="ci", help="how much")
    parser.add_argument(
        "--configuration", choices=("debug", "release"), default="debug", help="the build of the programs that are run"
    )
    parser.add_argument(
        "--products", metavar="FOLDER", type=pathlib.Path, help="where the programs are, when they are built already"
    )
    parser.add_argument("--seed", type=int, help="what chance begins with (default: another one each time)")
    parser.add_argument("--work", metavar="FOLDER", type=pathlib.Path, help="keep here what programs print")
    extend(parser)
    scene = Scene(name, parser.parse_args(words))
    note(f"what programs print is in {scene.work}")
    named = scene.options.items
    wanted = [
        each for each in items if each in named
        or ((not named or each.split(".")[0] in named) and not is_left_out(each, scene.scale))
    ]
    results = [item(f"{name}.{each}", lambda show=items[each]: show(scene)) for each in wanted]
    if all(results) and scene.options.work is None:
        # The programs' output stays; stores may be large.
        for place in scene.folders:
            shutil.rmtree(place, ignore_errors=True)
    return 0 if all(results) else 1


class Scene:
    """The options, folders and programs that the items of a check share."""

    def __init__(self, name, options):
        self.options, self.scale, self.configuration = options, options.scale, options.configuration
        self.seed = random.randrange(1, 1_000_000) if options.seed is None else options.seed
        self.work = options.work or pathlib.Path(tempfile.mkdtemp(prefix=f"accept-{name}-"))
        self.work.mkdir(parents=True, exist_ok=True)
        self.built, self.folders = {}, []

    def amount(self, ci, release):
        return release if self.scale == "release" else ci

    def log(self, name):
        return self.work / f"{name}.txt"

    def folder(self, name):
        """An empty folder."""
        place = self.work / name
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        self.folders.append(place)
        return place

    def product(self, name, configuration=None):
        """Builds a program of either package, or all tests of the first; where it is."""
        if self.options.products and configuration is None:
            return self.options.products / name
        options = ("--configuration", configuration or self.configuration)
        if (name, options) not in self.built:
            part = ("--build-tests",) if name == TESTS else ("--product", name)
            swift = APPS if name in APPLICATIONS else SWIFT
            status, text = run((swift, "build", *options, *part), self.log(f"build-{name}"))
            check(status == 0, f"the build failed: {self.log(f'build-{name}')}")
            status, text = run((SWIFT, "build", *options, "--show-bin-path"), self.log("products"))
            check(status == 0, "swift build --show-bin-path failed")
            self.built[name, options] = pathlib.Path(text.strip().splitlines()[-1]) / name
        return self.built[name, options]

    def program(self, name, *words, seconds=None):
        """Runs `fault-program`."""
        # The backtrace of a trap takes a second and isn't used.
        return run((self.product("fault-program"), *words), self.log(name), seconds, SWIFT_BACKTRACE="enable=no")

    def tests(self, name, *filters, options=(), swift=SWIFT, **variables):
        """Runs the suites of a package that match; how many tests they have, and all that they printed."""
        words = [swift, "test", *options]
        for pattern in filters:
            words += ["--filter", pattern]
        status, text = run(words, self.log(name), **variables)
        count = re.findall(r"Test run with ([1-9]\d*) tests?.* passed", text)
        check(status == 0 and count, f"{name}: {findings(text)}; see {self.log(name)}")
        return int(count[-1]), text


def findings(text):
    """The first lines with failures of tests or of a build."""
    found = re.findall(r"^.*(?:recorded an issue|↳|error:|Fatal error|unexpected signal).*$", text, re.MULTILINE)
    return " ".join(line.strip() for line in (found or text.strip().splitlines()[-1:] or ["no output"])[:3])[:400]


def run(words, log, seconds=None, **variables):
    """Runs a program in the project's folder; its status and all that it printed, which is in the file `log` too."""
    with open(log, "w", encoding="utf-8") as output:
        try:
            status = subprocess.run(
                [str(word) for word in words], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, env=os.environ | {key: str(value) for key, value in variables.items()},
                timeout=seconds,
            ).returncode
        except subprocess.TimeoutExpired:
            status = -1
            output.write(f"\nerror: it didn't end within {seconds} s\n")
    return status, pathlib.Path(log).read_text(encoding="utf-8", errors="replace")


def answer(*words, seconds=1_800):
    """The JSON object that a program prints."""
    done = subprocess.run(
        [str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds,
        check=False,
    )
    check(done.returncode == 0, f"{pathlib.Path(str(words[0])).name} {words[1]}: {done.stderr.strip()[-300:]}")
    return json.loads(done.stdout)
