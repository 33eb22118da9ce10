"""Time a row as the store grows."""

import contextlib
import sys

from bench_runs import scale
from show_2.swift import Short

MOST = 1.3


def show(programs, stores, options):
    with contextlib.redirect_stdout(sys.stderr):
        lines = scale.run(programs, stores, options)
    small, large = sorted(options.sizes)[-2:]
    figures, isShort = [], False
    for workload, points in lines.items():
        times = dict(points)
        if small not in times or large not in times:
            raise Short(f"{workload} wasn't measured at both sizes")
        ratio = times[large] / times[small]
        isShort |= ratio > MOST
        figures.append(f"{workload} {ratio:.2f}")
    text = f"time a row at {large:,} rows over that at {small:,}: {', '.join(figures)} (at most {MOST})"
    if isShort:
        raise Short(text)
    return text
