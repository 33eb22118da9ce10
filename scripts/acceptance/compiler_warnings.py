"""Item 9: a warning, in a copy of the project, is an error in each build of the project, and none in a user's build."""

import os
import subprocess

from . import package_cost
from .lines import ROOT, check, note

# A module that needs no other, so that little is compiled; each package of the repository builds it.
MODULE = "FoundationStandIns"
NAME = "injectedWarning"
INJECTED = f"\nfunc {NAME}() {{ let unused = 1 }}\n"
TEXT = "initialization of immutable value 'unused' was never used"
OWN = {
    "scripts/swift": (),
    "scripts/apps": (),
    # As scripts/examples does.
    "bash": ("-c", 'source scripts/common.sh; source scripts/beside.sh; swift_beside Examples "$@"', "examples"),
}


def figure(scene):
    clone = scene.folder("warned") / "OpenSwiftData"
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    source = sorted((clone / "Sources" / MODULE).rglob("*.swift"))[0]
    source.write_text(source.read_text(encoding="utf-8") + INJECTED, encoding="utf-8")
    surroundings = {key: value for key, value in os.environ.items() if key != "SWIFTPM_BUILD_DIR"}
    for name, words in OWN.items():
        label = "Examples" if words else name
        note(f"{label}: the warning is an error")
        done = subprocess.run(
            [name if words else clone / name, *words, "build", "--target", MODULE], cwd=clone, env=surroundings,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        check(done.returncode != 0 and f"error: {TEXT}" in done.stdout,
              f"{label} builds {MODULE} with a warning: {done.stdout.strip()[-300:]}")
    note("a user's build: the warning is a warning")
    dependency = f'.package(name: "OpenSwiftData", path: "{clone}")'
    status, output, _ = package_cost.User(scene.folder("warned-user"), MODULE, dependency).swift("build")
    check(status == 0 and f"warning: {TEXT}" in output, f"a user's build with a warning: {output.strip()[-300:]}")
    return f"a warning fails {len(OWN)} builds of the project, and not that of a user by path"
