"""Item 3: a figure for each kind of fault, at the counts of continuous integration or of a release."""

import os
import re

from show_2 import predicates, sanitizers
from show_2.swift import Short as ShowShort
from show_2.swift import Swift

from . import clients, mutations, scale
from .lines import Short, check, run

WORKLOADS = ("save", "batch", "first-opening", "migration", "history", "external", "log", "attachments")
FUZZ = ("feed", "query", "sync-page", "history-token", "store-file", "apple-store")


def sums(text, word):
    """The sum of the numbers before a word; a rate such as `12.3 seeds/s` isn't one."""
    return sum(int(number) for number in re.findall(rf"(\d+) {word}\b(?!/)", text))


def failures(text):
    found = re.findall(r"^FAILED (.*)$", text, re.MULTILINE)
    return f"; the first: {found[0][:300]}" if found else ""


def power(scene):
    """Nothing acknowledged is lost under FULL; only the last steps under NORMAL."""
    each = 1_430 if scene.scale == "release" else 43
    figures = []
    for sync in ("full", "normal"):
        seeds = each if sync == "full" else max(10, each // 10)
        status, text = scene.program(
            f"power-{sync}", "power", "--seeds", seeds, "--synchronous", sync
        )
        total, lost, corrupt = sums(text, "seeds"), sums(text, "lost"), sums(text, "corrupt")
        check(
            status == 0 and total >= seeds * len(WORKLOADS),
            f"{sync}: {total} seeds, {lost} lost, {corrupt} corrupt{failures(text)}",
        )
        shorter = f", {sums(text, 'shorter')} without the last steps" if sync == "normal" else ""
        figures.append(f"{sync}: {total} seeds, {lost} lost, {corrupt} corrupt{shorter}")
    return f"{'; '.join(figures)} ({len(WORKLOADS)} workloads)"


def kills(scene):
    """SIGKILL at a call of the system, and of the sync's client and server at any moment."""
    each = 1_400 if scene.scale == "release" else 140
    status, text = scene.program("kill", "kill", "--seeds", each)
    total = sums(text, "seeds")
    check(
        status == 0 and total == each * len(WORKLOADS),
        f"{total} kills, {sums(text, 'lost')} lost, {sums(text, 'corrupt')} corrupt{failures(text)}",
    )
    figure = f"{total} kills in {len(WORKLOADS)} workloads: 0 lost, 0 corrupt"
    if scene.scale == "release":
        status, text = run(
            ("scripts/show-4", "--only", 2, "--kills", 200, "--work", scene.work / "show-4"),
            scene.log("kills-sync"),
        )
        line = re.search(r"^SHOW 4.2 (.*)$", text, re.MULTILINE)
        check(status == 0 and line, f"sync: {line[1] if line else 'no result'}")
        figure += f"; sync: {line[1]}"
    return figure


def refused(scene):
    """Each call of each kind fails once, until a run in which none did."""
    whole = ",".join(name for name in WORKLOADS if name != "log")
    # The longest workload makes two thousand calls: where time is short each 23rd of them is refused.
    stride = 1 if scene.scale == "release" else 23
    total = 0
    for name, words in (("", ("--workload", whole)), ("-log", ("--workload", "log", "--stride", stride))):
        status, text = scene.program(f"refuse{name}", "refuse", *words)
        total += sums(text, "calls refused")
        check(
            status == 0 and sums(text, "calls refused"),
            f"{total} calls refused, {sums(text, 'failures')} failures{failures(text)}",
        )
    share = "" if stride == 1 else f", of the long one each {stride}rd"
    return f"{total} calls refused in {len(WORKLOADS)} workloads{share}: 0 failures"


def writers(scene):
    saves = 10_000 if scene.scale == "release" else 1_000
    status, text = scene.program("writers", "writers", "--processes", 8, "--saves", saves)
    check(status == 0, f"8 × {saves}{failures(text)}")
    return text.strip().splitlines()[-1]


def swift_tests(scene, name, *filters, **variables):
    """Runs suites; the number of their tests."""
    words = ["swift", "test"]
    for suite in filters:
        words += ["--filter", suite]
    status, text = run(words, scene.log(name), **variables)
    count = re.findall(r"Test run with (\d+) tests?.* passed", text)
    check(status == 0 and count, f"{name}: see {scene.log(name)}")
    return int(count[-1])


def shown(scene, name, *words):
    """A line of an earlier check."""
    script, number = words[0], words[2]
    status, text = run((f"scripts/{script}", *words[1:]), scene.log(name))
    line = re.search(rf"^SHOW {script[-1]}\.{number} (.*)$", text, re.MULTILINE)
    check(status == 0 and line, f"{line[1] if line else 'no result'}; see {scene.log(name)}")
    return line[1].removeprefix("ok ")


def random_predicates(scene):
    try:
        return predicates.show(1_000_000 if scene.scale == "release" else 20_000)
    except ShowShort as short:
        raise Short(str(short)) from None


def sequences(scene):
    count = "10000" if scene.scale == "release" else "500"
    tests = swift_tests(scene, "sequences", "StatefulTests", OPENSWIFTDATA_TEST_SEQUENCES=count, OPENSWIFTDATA_TEST_SEQUENCE_STEPS="100")
    return f"{tests} tests, {count} sequences of 100 steps, with undo"


def sync(scene):
    """Devices, a server and what is between them, in a time of their own; with families and attachments."""
    figures = []
    many, few = (100_000, 300) if scene.scale == "release" else (200, 3)
    for kind, seeds in (("", many), ("over SQLite ", few)):
        words = ("--seeds", seeds, *(("--stores",) if kind else ()))
        status, text = scene.program(f"simulate{'-stores' if kind else ''}", "simulate", *words)
        found = re.search(r"^simulate[^:]*: (.*)$", text, re.MULTILINE)
        check(status == 0 and found, f"{kind}{found[1] if found else 'no result'}{failures(text)}")
        for trouble in ("huts", "photos late", "parents unknown") if not kind and seeds > 200 else ():
            check(re.search(rf"\d+ {trouble}", found[1]), f"never happened: {trouble}")
        figures.append(f"{kind}{found[1]}")
    return "; ".join(figures)


def fuzz(scene):
    """Inputs that are changed at random end nothing."""
    figures = []
    for target in FUZZ:
        is_file = target in ("store-file", "apple-store")
        count = (1_000_000 if is_file else 10_000_000) if scene.scale == "release" else 10_000_000
        seconds = 1_200 if scene.scale == "release" else 4
        status, text = scene.program(
            f"fuzz-{target}", "fuzz", "--target", target, "--count", count, "--seconds", seconds
        )
        found = re.search(r"^fuzz \S+: (.*)$", text, re.MULTILINE)
        check(status == 0 and found, f"{target}: {found[1] if found else 'no result'}{failures(text)}")
        figures.append(f"{target}: {found[1]}")
    return "; ".join(figures)


def sanitized(scene):
    if scene.scale == "ci":
        return "at a release only"
    try:
        return sanitizers.show(Swift(scene.work, dict(os.environ)), suites=())
    except ShowShort as short:
        raise Short(str(short)) from None


def many_clients(scene):
    """A thousand pages at once, and at a release a thousand devices that sync."""
    pages = clients.figure(scene)
    if scene.scale == "ci":
        return pages
    return f"{pages}; sync: {shown(scene, 'clients-sync', 'show-4', '--only', '5', '--seconds', '600')}"


def soak(scene):
    """Imports, edits, undo, live lists, sync and kills for long: memory and files don't grow."""
    seconds = 3_600 if scene.scale == "release" else 20
    status, text = scene.program("soak", "soak", "--seconds", seconds, seconds=seconds + 600)
    found = re.search(r"^soak: (.*)$", text, re.MULTILINE)
    check(status == 0 and found, f"{found[1] if found else 'no result'}{failures(text)}")
    return found[1]


FIGURES = {
    "power": power, "kills": kills, "refused": refused, "writers": writers,
    "predicates": random_predicates, "sequences": sequences, "sync": sync, "fuzz": fuzz,
    "mutations": mutations.figure, "scale": scale.figure,
    "sanitizers": sanitized, "clients": many_clients, "soak": soak,
}
