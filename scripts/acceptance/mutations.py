"""Figure 3.mutations: store files damaged at any place, each by its number, and all operations on each."""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

from .lines import check, note

# The maximum number of processes: one that ends is replaced by one that begins after the damage that ended it.
PATIENCE = 10


class Worker:
    """A process that tries the damages of a range of numbers, one after the other."""

    def __init__(self, program, folder, numbers):
        self.program, self.folder = program, folder
        self.first, self.end = numbers.start, numbers.stop
        self.cases = self.errors = 0
        self.failures = []
        self.process = None
        folder.mkdir()
        self.begin()

    def begin(self):
        self.output = open(self.folder / "output", "w+", encoding="utf-8", errors="replace")
        self.process = subprocess.Popen(
            [self.program, self.folder, "mutations", str(self.first), "1", str(self.end - self.first)],
            stdin=subprocess.DEVNULL, stdout=self.output,
            # Unreadable rows are reported there, many times for each damage.
            stderr=subprocess.DEVNULL, env=os.environ | {"SWIFT_BACKTRACE": "enable=no"},
        )

    def finish(self):
        """Waits for the last of its processes."""
        while True:
            status = self.process.wait()
            self.output.seek(0)
            text = self.output.read()
            self.output.close()
            if found := re.search(r"(\d+) cases, \d+ refused by SQLite, (\d+) typed errors", text):
                self.cases += int(found[1])
                self.errors += int(found[2])
                if status:
                    self.failures += [line for line in text.splitlines() if line != found[0]]
                return
            case = re.search(r"seed (\d+)", (self.folder / "case").read_text(encoding="utf-8"))
            if case is None:
                self.failures.append(f"ended with {status} before the first damage: {text[-300:]}")
                return
            number = int(case[1])
            self.failures.append(f"{self.program} FOLDER mutations {number} 1 1: ended with {status}")
            self.cases += number + 1 - self.first
            self.first = number + 1
            if self.first >= self.end or len(self.failures) >= PATIENCE:
                return
            self.begin()


def figure(scene):
    """A file that is damaged anywhere gives a typed error or an answer."""
    count = 1_000_000 if scene.scale == "release" else 20_000
    # Optimised: most of the time for a damage is generic Swift code, 31 ms in a debug build.
    program = scene.product("hostile-program", "release")
    memory = pathlib.Path("/dev/shm")
    parent = memory if os.access(memory, os.W_OK) else None
    folder = pathlib.Path(tempfile.mkdtemp(prefix="mutations-", dir=parent))
    jobs = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        made = subprocess.run([program, folder / "making", "make"], capture_output=True, text=True)
        check(made.returncode == 0, f"no store to damage: {made.stdout}")
        begun = time.monotonic()
        shares = [range(1 + count * job // jobs, 1 + count * (job + 1) // jobs) for job in range(jobs)]
        workers = [Worker(program, folder / str(job), share) for job, share in enumerate(shares)]
        with concurrent.futures.ThreadPoolExecutor(jobs) as waiting:
            list(waiting.map(Worker.finish, workers))
        seconds = time.monotonic() - begun
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    failures = [failure for worker in workers for failure in worker.failures]
    for failure in failures:
        note(failure[:500])
    cases, errors = (sum(getattr(worker, name) for worker in workers) for name in ("cases", "errors"))
    text = (
        f"{cases} damages in {seconds:.0f} s, {1000 * seconds * jobs / max(1, cases):.1f} ms of one of"
        f" {jobs} processes each; {errors} typed errors, {len(failures)} failures"
    )
    check(cases == count and not failures, text + (f"; the first: {failures[0][:300]}" if failures else ""))
    return text
