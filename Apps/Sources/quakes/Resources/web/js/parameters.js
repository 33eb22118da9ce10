/** The API's parameters (docs/openapi.yaml) for the page's filters and order. */

import { writeBox } from "./box.js";
import { duration } from "./query.js";
import { limitsOf } from "./ranges.js";
import { readSearch } from "./search.js";

/**
 * Those that are given.
 * @param {Record<string, string | false | undefined>} fields
 * @returns {Record<string, string>}
 */
function given(fields) {
  /** @type {Record<string, string>} */
  const found = {};
  for (const [name, value] of Object.entries(fields)) if (value) found[name] = value;
  return found;
}

/** @param {number | undefined} value */
const text = (value) => (value === undefined ? undefined : String(value));

/**
 * The latest of the beginnings of the chosen days, of the slice of time, and of the time window.
 * @param {RangeLimits | null} days
 * @param {TimeSlice | null | undefined} slice
 * @param {string} since
 * @param {number} now
 */
function start(days, slice, since, now) {
  const least = Math.max(days?.least ?? -Infinity, slice?.from ?? -Infinity);
  if (least > -Infinity && !(now - duration(since) > least)) return new Date(least).toISOString();
  return since;
}

/**
 * @param {RangeLimits | null} days
 * @param {TimeSlice | null | undefined} slice
 */
function end(days, slice) {
  const below = Math.min(days?.below ?? Infinity, slice?.to ?? Infinity);
  return below < Infinity ? new Date(below).toISOString() : undefined;
}

/**
 * Those that choose events.
 * @param {QuakeState} state
 */
export function filterParameters(state, now = Date.now()) {
  const { days, tenths, depthBins } = limitsOf(state);
  const least = [state.magnitude ?? NaN, tenths?.least ?? NaN].filter(Number.isFinite);
  return given({
    min_magnitude: least.length ? String(Math.max(...least)) : undefined,
    max_magnitude: text(tenths?.most),
    since: start(days, state.slice, state.since, now),
    until: end(days, state.slice),
    min_depth: text(depthBins?.least),
    max_depth: text(depthBins?.most),
    box: state.box ? writeBox(state.box) : undefined,
    search: readSearch(state.search, now).sent,
    withdrawn: state.withdrawn && "true",
  });
}

/**
 * Those of the order.
 * @param {{sort: string}} state
 */
export function orderParameters({ sort }) {
  const [key, order] = sort.split("-");
  return { sort: key, order };
}
