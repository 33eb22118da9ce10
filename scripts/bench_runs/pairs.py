"""Compares two implementations round by round: what runs right after another meets the machine at the same speed."""

import math
import statistics

# How wide the interval of a ratio may be, relative to it, before further rounds are run.
WIDTH = 0.1
# The chance that the interval has the ratio.
CONFIDENCE = 0.95


def ratios(ours, theirs):
    """The ratio of each round's times."""
    return [own / other for own, other in zip(ours, theirs, strict=True)]


def interval(values):
    """Where the median lies by the order of the values, whatever they are distributed like (David and Nagaraja, Order
    Statistics, section 7.1): the smallest and the largest possible one."""
    values = sorted(values)
    count = len(values)
    left_out, chance = 0, 2 * 0.5**count
    while True:
        chance += 2 * math.comb(count, left_out + 1) * 0.5**count
        if chance > 1 - CONFIDENCE or 2 * (left_out + 1) >= count:
            return values[left_out], values[count - 1 - left_out]
        left_out += 1


def is_narrow(values):
    """Whether the median is known well enough."""
    low, high = interval(values)
    return high - low <= WIDTH * statistics.median(values)
