"""Where the programs of a build are."""

import pathlib
import subprocess

from show_2.swift import ROOT, check


def program(name, configuration="debug"):
    found = subprocess.run(
        ["swift", "build", "--configuration", configuration, "--show-bin-path"], cwd=ROOT, check=True,
        capture_output=True, text=True,
    )
    path = pathlib.Path(found.stdout.strip()) / name
    check(path.exists(), f"{path} isn't built")
    return path
