"""Item 3: a figure for each kind of fault, at the counts of continuous integration or of a release."""

import re

from . import clients, models, mutations, sanitizers, scale, sync, sync_processes
from .lines import check

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
    for mode in ("full", "normal"):
        seeds = each if mode == "full" else max(10, each // 10)
        status, text = scene.program(
            f"power-{mode}", "power", "--seeds", seeds, "--synchronous", mode
        )
        total, lost, corrupt = sums(text, "seeds"), sums(text, "lost"), sums(text, "corrupt")
        check(
            status == 0 and total >= seeds * len(WORKLOADS),
            f"{mode}: {total} seeds, {lost} lost, {corrupt} corrupt{failures(text)}",
        )
        shorter = f", {sums(text, 'shorter')} without the last steps" if mode == "normal" else ""
        figures.append(f"{mode}: {total} seeds, {lost} lost, {corrupt} corrupt{shorter}")
    return f"{'; '.join(figures)} ({len(WORKLOADS)} workloads)"


def kills(scene):
    """SIGKILL at a system call, and of the sync client and server at any moment."""
    each = 1_400 if scene.scale == "release" else 140
    status, text = scene.program("kill", "kill", "--seeds", each)
    total = sums(text, "seeds")
    check(
        status == 0 and total == each * len(WORKLOADS),
        f"{total} kills, {sums(text, 'lost')} lost, {sums(text, 'corrupt')} corrupt{failures(text)}",
    )
    figure = f"{total} kills in {len(WORKLOADS)} workloads: 0 lost, 0 corrupt"
    if scene.scale == "release":
        figure += f"; sync: {sync_processes.figure(scene)}"
    return figure


def refused(scene):
    """Each call of each kind fails once, until a run in which none did."""
    whole = ",".join(name for name in WORKLOADS if name != "log")
    # The longest workload makes two thousand calls: at the counts of CI each 23rd of them fails.
    stride = 1 if scene.scale == "release" else 23
    total = 0
    for name, words in (("", ("--workload", whole)), ("-log", ("--workload", "log", "--stride", stride))):
        status, text = scene.program(f"refuse{name}", "refuse", *words)
        total += sums(text, "calls refused")
        # A line for each workload.
        counts = [int(count) for count in re.findall(r"^refuse \S+: (\d+) calls refused", text, re.MULTILINE)]
        check(
            status == 0 and len(counts) == len(words[1].split(",")) and min(counts) > 2,
            f"{total} calls refused, {sums(text, 'failures')} failures{failures(text)}",
        )
    share = "" if stride == 1 else f", of the long one each {stride}rd"
    return f"{total} calls refused in {len(WORKLOADS)} workloads{share}: 0 failures"


def writers(scene):
    saves = 10_000 if scene.scale == "release" else 1_000
    status, text = scene.program("writers", "writers", "--processes", 8, "--saves", saves)
    check(status == 0, f"8 × {saves}{failures(text)}")
    return text.strip().splitlines()[-1]


def fuzz(scene):
    """Randomly changed inputs never end a process."""
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
    return "at a release only" if scene.scale == "ci" else sanitizers.figure(scene)


def many_clients(scene):
    """A thousand pages at once, and at a release a thousand devices that sync."""
    pages = clients.figure(scene)
    return pages if scene.scale == "ci" else f"{pages}; sync: {sync.crowd(scene)}"


def soak(scene):
    """Long runs of imports, edits, undo, live lists, sync and kills: memory and files don't grow."""
    seconds = 3_600 if scene.scale == "release" else 20
    status, text = scene.program("soak", "soak", "--seconds", seconds, seconds=seconds + 600)
    found = re.search(r"^soak: (.*)$", text, re.MULTILINE)
    check(status == 0 and found, f"{found[1] if found else 'no result'}{failures(text)}")
    return found[1]


FIGURES = {
    "power": power, "kills": kills, "refused": refused, "writers": writers,
    "predicates": models.predicates, "sequences": models.sequences, "sync": sync.simulation, "fuzz": fuzz,
    "mutations": mutations.figure, "scale": scale.figure,
    "sanitizers": sanitized, "clients": many_clients, "soak": soak,
}
