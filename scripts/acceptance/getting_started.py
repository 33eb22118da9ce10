"""The article "Getting started", followed word by word in an empty folder. Only the port is another one."""

import contextlib
import os
import re
import signal
import subprocess
import time

from .installed import free_port
from .lines import ROOT, check, note

ARTICLE = ROOT / "Sources/SwiftData/SwiftData.docc/GettingStarted.md"
#: A block with the paragraph before it and the comment between them.
BLOCK = re.compile(r"([^\n]*(?:\n[^\n]+)*)\n\n((?:<!--.*?-->\n)*)```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"`((?:Sources|Tests)/[\w./-]+\.swift)`")
#: The lines of SwiftPM for a module that it compiles.
COMPILED = re.compile(r"^\[\d+/\d+\] (?:Compiling|Emitting module) (?!plugin )(\S+)", re.MULTILINE)
PORT = "8080"


def steps():
    """The article's files, by path, and its commands."""
    files, commands = {}, []
    for paragraph, comment, language, text in BLOCK.findall(ARTICLE.read_text(encoding="utf-8")):
        named = FILE.match(paragraph.strip())
        if language == "sh":
            commands.append(text)
        elif "manifest" in comment:
            files["Package.swift"] = text
        else:
            check(named, f"{ARTICLE.name}: a block of {language} without the path of its file before it")
            files[named[1]] = text
    return files, commands


def figure(scene):
    files, commands = steps()
    check("Package.swift" in files and len(files) > 2 and commands, f"{ARTICLE.name}: no package, or no commands")
    place, port = scene.folder("newcomer"), str(free_port())
    package = place / "stations"
    subprocess.run(["git", "clone", "--quiet", ROOT, place / "OpenSwiftData"], check=True)
    for path, text in files.items():
        file = package / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace(PORT, port), encoding="utf-8")
    # A folder that the caller builds in isn't the newcomer's.
    surroundings = {key: value for key, value in os.environ.items() if key != "SWIFTPM_BUILD_DIR"}
    note("swift test, which builds everything")
    begun = time.monotonic()
    log = scene.log("newcomer-test")
    with open(log, "w", encoding="utf-8") as output:
        tested = subprocess.run(
            ["swift", "test"], cwd=package, env=surroundings, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, check=False, timeout=3_600)
    passed = re.search(r"Test run with (\d+) tests? .*passed", log.read_text(encoding="utf-8", errors="replace"))
    check(tested.returncode == 0 and passed and int(passed[1]) > 0, f"the test doesn't pass; see {log}")
    seconds = time.monotonic() - begun
    rebuild(package, surroundings)
    answers = [shell(block.replace(PORT, port), package, surroundings, scene) for block in commands]
    check('"KBS"' in answers[-1], f"the server doesn't answer with the station: {answers[-1][-300:]!r}")
    answer = answers[-1].strip().splitlines()[-1]
    return (f"{len(files)} files; {passed[1]} test passed after {seconds:.0f} s, two more builds compiled nothing; "
            f"the server answers {answer}")


def rebuild(package, surroundings):
    """Builds twice again: SwiftPM compiles anew what gets several traits, in most of the builds."""
    for _ in range(2):
        note("swift build, which compiles nothing")
        built = subprocess.run(
            ["swift", "build", "--build-tests"], cwd=package, env=surroundings, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=3_600)
        check(built.returncode == 0, f"a second build fails: {built.stdout.strip()[-300:]}")
        compiled = sorted(set(COMPILED.findall(built.stdout)))
        check(not compiled, f"a second build compiles {len(compiled)} modules, as {', '.join(compiled[:5])}")


def shell(block, package, surroundings, scene):
    """The output of the commands of a block; those that they leave running are ended."""
    note(block.splitlines()[0])
    log = scene.log("newcomer-shell")
    with open(log, "w", encoding="utf-8") as errors:
        process = subprocess.Popen(
            ["bash", "-euc", block], cwd=package, env=surroundings, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True)
        try:
            process.wait(timeout=600)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
        text = process.stdout.read()
    check(process.returncode == 0, f"the commands fail; see {log}")
    return text
