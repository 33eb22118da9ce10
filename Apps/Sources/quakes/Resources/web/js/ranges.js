/**
 * Ranges of days, magnitudes and depths that are chosen in the charts. A range is the first and the last of its
 * bins, both included, or null: days of UTC since 1970, tenths of a magnitude, tens of kilometres.
 */

import { depthLimit } from "./format.js";
import { DAY, DEPTH_BIN, dayNumber, dayText } from "./statistics.js";
import { get } from "./units.js";

/** The bins are those of the statistics: from half a tenth below, to just below the next one. */
const BELOW = 0.0001;
/** Binary fractions don't show in addresses. */
const exact = (value) => Number(value.toFixed(4));

const dated = new Intl.DateTimeFormat("en-GB", {
  timeZone: "UTC", day: "numeric", month: "short", year: "numeric",
});
const minus = (value) => String(value).replace("-", "−");

const number = (text, scale, [least, most]) => {
  const value = /^-?\d{1,6}(\.\d)?$/.test(text) ? Math.round(Number(text) * scale) : NaN;
  return value >= least && value <= most ? value : null;
};

/** Without an end, for a range of one bin. */
const joined = (first, last, between) => (first === last ? first : `${first}${between}${last}`);

export const RANGES = {
  days: {
    name: "Days",
    text: ([first, last]) => `${joined(dated.format(first * DAY), dated.format(last * DAY), " to ")} UTC`,
    limits: ([first, last]) => ({ least: first * DAY, below: (last + 1) * DAY }),
    write: dayText,
    read: dayNumber,
  },
  tenths: {
    name: "Magnitudes",
    text: ([first, last]) => `magnitude ${
      joined(minus((first / 10).toFixed(1)), minus((last / 10).toFixed(1)), " to ")}`,
    limits: ([first, last]) => ({ least: exact(first / 10 - 0.05), most: exact(last / 10 + 0.05 - BELOW) }),
    write: (bin) => String(bin / 10),
    read: (text) => number(text, 10, [-50, 120]),
  },
  depthBins: {
    name: "Depths",
    text: ([first, last]) => `${depthLimit(first * DEPTH_BIN)} to ${depthLimit((last + 1) * DEPTH_BIN)} ${
      get("distance")} deep`,
    limits: ([first, last]) => ({ least: first * DEPTH_BIN, most: exact((last + 1) * DEPTH_BIN - BELOW) }),
    write: (bin) => String(bin * DEPTH_BIN),
    read: (text) => number(text, 1 / DEPTH_BIN, [-1000, 1000]),
  },
};

/** The state without any range. */
export const NO_RANGES = Object.fromEntries(Object.keys(RANGES).map((key) => [key, null]));

/** Reads a range from an address, such as "2026-01-31..2026-02-03"; null for anything else. */
export function readRange(key, text) {
  const ends = (text ?? "").split("..").map(RANGES[key].read);
  return ends.length === 2 && !ends.includes(null) && ends[0] <= ends[1] ? ends : null;
}

export const writeRange = (key, range) => range.map(RANGES[key].write).join("..");

/** The limits that a state's ranges set, by range; null for one that isn't set. */
export const limitsOf = (state) => Object.fromEntries(Object.entries(RANGES).map(
  ([key, { limits }]) => [key, state[key] ? limits(state[key]) : null]));
