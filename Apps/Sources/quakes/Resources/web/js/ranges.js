/**
 * Ranges of days, magnitudes and depths that are chosen in the charts. A range is the first and the last of its
 * bins, both included, or null: days of UTC since 1970, tenths of a magnitude, tens of kilometres.
 */

import { depthLimit } from "./format.js";
import { DAY, DEPTH_BIN, dayNumber, dayText } from "./statistics.js";
import { get } from "./units.js";

/** The bins are those of the statistics: from half a tenth below, to just below the next one. */
const BELOW = 0.0001;
/**
 * Binary fractions don't show in addresses.
 * @param {number} value
 */
const exact = (value) => Number(value.toFixed(4));

const dated = new Intl.DateTimeFormat("en-GB", {
  timeZone: "UTC", day: "numeric", month: "short", year: "numeric",
});
/** @param {string} value */
const minus = (value) => String(value).replace("-", "−");

/** @type {(text: string, scale: number, ends: [least: number, most: number]) => number | null} */
const number = (text, scale, [least, most]) => {
  const value = /^-?\d{1,6}(\.\d)?$/.test(text) ? Math.round(Number(text) * scale) : NaN;
  return value >= least && value <= most ? value : null;
};

/**
 * Without an end, for a range of one bin.
 * @type {(first: string, last: string, between: string) => string}
 */
const joined = (first, last, between) => (first === last ? first : `${first}${between}${last}`);

/**
 * The ranges: their names and texts, the limits that they set, and the form of an end in addresses.
 * @type {Record<RangeKey, RangeRules>}
 */
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

/** The keys of the ranges. */
export const RANGE_KEYS = /** @type {RangeKey[]} */ (Object.keys(RANGES));

/**
 * The state without any range.
 * @type {Ranges}
 */
export const NO_RANGES = { days: null, tenths: null, depthBins: null };

/**
 * Reads a range from an address, such as "2026-01-31..2026-02-03"; null for anything else.
 * @param {RangeKey} key
 * @param {string | null} text
 * @returns {Bins | null}
 */
export function readRange(key, text) {
  const [first = null, last = null, ...rest] = (text ?? "").split("..").map(RANGES[key].read);
  return rest.length === 0 && first !== null && last !== null && first <= last ? [first, last] : null;
}

/** @type {(key: RangeKey, range: Bins) => string} */
export const writeRange = (key, range) => range.map(RANGES[key].write).join("..");

/**
 * The limits that a state's ranges set, by range; null for one that isn't set.
 * @param {Partial<Ranges>} state
 * @returns {Record<RangeKey, RangeLimits | null>}
 */
export function limitsOf(state) {
  /** @param {RangeKey} key */
  const limits = (key) => {
    const range = state[key];
    return range ? RANGES[key].limits(range) : null;
  };
  return { days: limits("days"), tenths: limits("tenths"), depthBins: limits("depthBins") };
}
