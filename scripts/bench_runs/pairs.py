"""Compares two implementations round by round: consecutive runs see the machine at the same speed."""

import math
import statistics

# The maximum width of a ratio's interval, relative to it; above it further rounds are run.
WIDTH = 0.1
# The confidence level of the interval.
CONFIDENCE = 0.95


def ratios(ours, theirs):
    """The ratio of each round's times."""
    return [own / other for own, other in zip(ours, theirs, strict=True)]


def interval(values):
    """The confidence interval of the median by the order of the values, for any distribution (David and Nagaraja,
    Order Statistics, section 7.1)."""
    values = sorted(values)
    count = len(values)
    left_out, chance = 0, 2 * 0.5**count
    while True:
        chance += 2 * math.comb(count, left_out + 1) * 0.5**count
        if chance > 1 - CONFIDENCE or 2 * (left_out + 1) >= count:
            return values[left_out], values[count - 1 - left_out]
        left_out += 1


def is_narrow(values):
    """Whether the interval of the median is narrow enough."""
    low, high = interval(values)
    return high - low <= WIDTH * statistics.median(values)
