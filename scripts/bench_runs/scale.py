"""Time a row at several sizes: a table, and a plot."""

import math

from . import report, runner

WORKLOADS = ["W1", "W2", "W4", "W6", "W7", "W13"]
# The workloads with a fixed number of requests; all others are proportional to the rows.
REQUESTS = {"W6": 10_000, "W7": 1_000}
COLOURS = ["#0b6e99", "#c2410c", "#4d7c0f", "#7c3aed", "#b45309", "#be185d"]


def run(programs, stores, options):
    """Measures, prints and draws.

    Returns the times a row in microseconds, {workload: [(rows, time)]}, and the peaks of memory, {workload: [MB]}.
    """
    known = {workload for program in programs.values() for workload in program}
    wanted = [w for w in options.only or WORKLOADS if w in known]
    lines, peaks = ({workload: [] for workload in wanted} for _ in range(2))
    for rows in sorted(options.sizes):
        for workload in wanted:
            found = runner.measure(
                programs, stores, workload, rows, options.rounds, options.implementations or ["openswiftdata"]
            )
            report.table(f"{workload} at {rows} rows", found)
            right = report.matches(found)
            if right.get("openswiftdata"):
                each = found["openswiftdata"].median / REQUESTS.get(workload, rows)
                lines[workload].append((rows, each * 1e6))
                peaks[workload].append(found["openswiftdata"].peak)
        stores.forget(rows)
    print("\nµs a row, or a request (W6, W7)")
    print("  " + "".join(f"{rows:>14,}" for rows in sorted(options.sizes)))
    for workload, points in lines.items():
        print(f"  {workload:<4}" + "".join(f"{time:>14.2f}" for _, time in points))
    file = runner.PACKAGE / "scale.svg"
    file.write_text(plot(lines), encoding="utf-8")
    print(f"written: {file}")
    return lines, peaks


def plot(lines):
    """Both axes are logarithmic."""
    width, height, left, bottom, top, right = 720, 420, 70, 50, 30, 90
    points = [point for line in lines.values() for point in line]
    if not points:
        return "<svg xmlns='http://www.w3.org/2000/svg'/>\n"
    spans = []
    for values in zip(*points):
        low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        spans.append((low, max(high, low + 1)))

    def x(rows):
        low, high = spans[0]
        return left + (math.log10(rows) - low) / (high - low) * (width - left - right)

    def y(time):
        low, high = spans[1]
        return height - bottom - (math.log10(time) - low) / (high - low) * (height - bottom - top)

    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' font-family='sans-serif' font-size='12'>",
        "<title>Time per row by number of rows</title>",
        f"<rect width='{width}' height='{height}' fill='#ffffff'/>",
    ]
    for power in range(spans[0][0], spans[0][1] + 1):
        place = x(10 ** power)
        parts.append(f"<path d='M{place:.1f} {top}V{height - bottom}' stroke='#dddddd'/>")
        parts.append(
            f"<text x='{place:.1f}' y='{height - bottom + 18}' text-anchor='middle'>{10 ** power:,}</text>")
    for power in range(spans[1][0], spans[1][1] + 1):
        place = y(10 ** power)
        parts.append(f"<path d='M{left} {place:.1f}H{width - right}' stroke='#dddddd'/>")
        parts.append(f"<text x='{left - 8}' y='{place + 4:.1f}' text-anchor='end'>{10 ** power:g} µs</text>")
    drawn = [(*item, colour) for item, colour in zip(lines.items(), COLOURS) if item[1]]
    for workload, line, colour in drawn:
        path = " ".join(f"{x(rows):.1f},{y(time):.1f}" for rows, time in line)
        parts.append(f"<polyline points='{path}' fill='none' stroke='{colour}' stroke-width='2'/>")
        parts += [f"<circle cx='{x(rows):.1f}' cy='{y(time):.1f}' r='3' fill='{colour}'/>" for rows, time in line]
    # The names of lines that end at the same height are written below each other.
    lowest = -math.inf
    for workload, line, colour in sorted(drawn, key=lambda each: y(each[1][-1][1])):
        rows, time = line[-1]
        lowest = max(y(time) + 4, lowest + 13)
        parts.append(f"<text x='{x(rows) + 8:.1f}' y='{lowest:.1f}' fill='{colour}'>{workload}</text>")
    parts.append(
        f"<text x='{(left + width - right) / 2:.0f}' y='{height - 10}' text-anchor='middle'>rows in the store</text>")
    return "\n".join(parts + ["</svg>"]) + "\n"
