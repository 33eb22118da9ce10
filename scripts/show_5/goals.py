"""The goals of `make bench`: all workloads, twice, with the tables on standard error."""

import contextlib
import sys

from bench_runs import report, runner
from show_2.swift import Short

# The longest that a start and a search may take, in seconds, whatever the floor does.
MOST_SECONDS = {("W14", "openswiftdata"): 0.015, ("W15", "openswiftdata-spotlight"): 0.005 * 3}
# An import never needs more memory, in MB.
MOST_MEMORY = {("W13", "openswiftdata"): 64}
PEERS = "grdb"


class Goals:
    """What two runs found: [{workload: {implementation: Found}}]."""

    def __init__(self, programs, stores, rounds, most, rows):
        self.programs, self.stores, self.rounds, self.most, self.rows = programs, stores, rounds, most, rows
        self._runs = None

    @property
    def runs(self):
        if self._runs is None:
            self._runs = [self._run() for _ in range(2)]
        return self._runs

    def _run(self):
        found = {}
        known = {workload for program in self.programs.values() for workload in program}
        for workload in sorted(known, key=runner.order):
            found[workload] = runner.measure(
                self.programs, self.stores, workload, self.rows, self.rounds, most=self.most,
                exact=report.aimed(workload),
            )
            with contextlib.redirect_stdout(sys.stderr):
                report.table(workload, found[workload])
            if not all(report.matches(found[workload]).values()):
                raise Short(f"{workload}: checksums differ")
        return found

    def reached(self):
        """Ratios to the floor, and what has a limit of its own; both runs count."""
        lines, missed = [], 0
        limits = [(key, goal, self._ratio, "") for key, goal in report.GOALS.items() if key[0] != "JSON"]
        limits += [(key, goal * 1_000, self._milliseconds, " ms") for key, goal in MOST_SECONDS.items()]
        limits += [(key, goal, self._memory, " MB") for key, goal in MOST_MEMORY.items()]
        for (workload, name), goal, value, unit in limits:
            values = [value(run, workload, name) for run in self.runs]
            isMissed = max(values) > goal
            missed += isMissed
            title = workload + name.removeprefix("openswiftdata")
            lines.append(
                f"{title} {' and '.join(f'{each:.2f}' for each in values)}{unit}"
                f" (goal {goal:g}{', missed' if isMissed else ''})"
            )
        if missed:
            raise Short(f"{missed} of {len(limits)} missed: {'; '.join(lines)}")
        return "; ".join(lines)

    def json(self):
        goals = {key: goal for key, goal in report.GOALS.items() if key[0] == "JSON"}
        lines, isShort = [], False
        for (workload, name), goal in goals.items():
            speeds = [1 / self._ratio(run, workload, name) for run in self.runs]
            isShort |= min(speeds) < 1 / goal - 0.05
            lines.append(f"{name} {' and '.join(f'{each:.1f}' for each in speeds)} × JSONDecoder")
        if isShort:
            raise Short("; ".join(lines))
        return "; ".join(lines)

    def peers(self):
        """Ahead of the best of the peers wherever there is one."""
        lines, isShort = [], False
        for workload in sorted(self.runs[0], key=runner.order):
            best = [
                min((self._ratio(run, workload, name), name) for name in run[workload] if name.startswith(PEERS))
                for run in self.runs
                if any(name.startswith(PEERS) for name in run[workload])
            ]
            if not best:
                continue
            own = [self._ratio(run, workload, "openswiftdata") for run in self.runs]
            isBehind = any(
                run[workload]["openswiftdata"].ratio(run[workload][name]) >= 1
                for run, (_, name) in zip(self.runs, best)
            )
            isShort |= isBehind
            lines.append(
                f"{workload} {' and '.join(f'{mine:.2f} against {other:.2f}' for mine, (other, _) in zip(own, best))}"
                + (" (behind)" if isBehind else "")
            )
        if isShort:
            raise Short("; ".join(lines))
        return "; ".join(lines)

    @staticmethod
    def _ratio(run, workload, name):
        return run[workload][name].ratio(run[workload]["floor"])

    @staticmethod
    def _milliseconds(run, workload, name):
        return run[workload][name].median * 1_000

    @staticmethod
    def _memory(run, workload, name):
        return run[workload][name].peak
