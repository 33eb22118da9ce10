"""Builds and runs the tests of the package, and reads what they say of themselves."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUMMARY = re.compile(r"Test run with (\d+) tests?(?: in \d+ suites?)? (passed|failed)")


class Short(Exception):
    """A check that did not hold; the message is the figure."""


def note(text):
    """Says what is happening, beside the results on standard output."""
    print(f"   {text}", file=sys.stderr, flush=True)


def check(condition, text):
    if not condition:
        raise Short(text)


class Swift:
    """The package manager, with its output kept in files."""

    def __init__(self, work, environment):
        self.work = pathlib.Path(work)
        self.environment = environment
        self.built = set()

    def run(self, name, *words, **more):
        """Runs `swift WORDS`; gives its exit status and all that it printed."""
        log = self.work / f"{name}.log"
        note(f"swift {' '.join(words)}; its output: {log}")
        with open(log, "wb") as output:
            done = subprocess.run(
                ["swift", *words], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, env={**self.environment, **more},
            )
        return done.returncode, log.read_text(errors="replace")

    def build(self, *options):
        """Builds the tests once for the same options."""
        if options in self.built:
            return
        name = "build" + "".join(options).replace("/", "-").replace("=", "-")
        status, text = self.run(name, "build", "--build-tests", *options)
        check(status == 0, f"the tests don't build: {last_error(text)}")
        self.built.add(options)

    def test(self, name, *filters, options=(), **more):
        """Runs the suites that match; gives the number of tests and the output. Short when one fails."""
        self.build(*options)
        words = ["test", "--skip-build", *options]
        for pattern in filters:
            words += ["--filter", pattern]
        status, text = self.run(name, *words, **more)
        summary = SUMMARY.findall(text)
        # The last line of a run that neither passed nor failed is where it broke off.
        check(summary, f"the tests broke off: {last_error(text)}")
        count = int(summary[-1][0])
        check(status == 0 and summary[-1][1] == "passed", f"of {count} tests: {failures(text)}")
        check(count > 0, f"no test matches {', '.join(filters)}")
        return count, text


def last_error(text):
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "error:" in line or "ERROR:" in line or "WARNING: " in line]
    return (errors or lines or ["no output"])[0][-300:]


def failures(text):
    names = re.findall(r"^✘ Test \"?(.+?)\"? (?:failed|with)", text, re.MULTILINE)
    return f"{len(names)} fail: " + "; ".join(names[:3]) if names else "one ended badly"
