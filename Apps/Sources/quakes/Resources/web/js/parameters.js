/** The API's parameters (docs/openapi.yaml) for the page's filters and order. */

import { duration } from "./query.js";
import { limitsOf } from "./ranges.js";

const given = (fields) => Object.fromEntries(
  Object.entries(fields).filter(([, value]) => ![undefined, null, false, ""].includes(value)));

const text = (value) => (value === undefined ? undefined : String(value));

/** The latest of the beginnings of the chosen days, of the slice of time, and of the time window. */
function start(days, slice, since, now) {
  const least = Math.max(days?.least ?? -Infinity, slice?.from ?? -Infinity);
  if (least > -Infinity && !(now - duration(since) > least)) return new Date(least).toISOString();
  return since;
}

function end(days, slice) {
  const below = Math.min(days?.below ?? Infinity, slice?.to ?? Infinity);
  return below < Infinity ? new Date(below).toISOString() : undefined;
}

/** Those that choose events. */
export function filterParameters(state, now = Date.now()) {
  const { days, tenths, depthBins } = limitsOf(state);
  const least = [state.magnitude, tenths?.least].filter(Number.isFinite);
  return given({
    min_magnitude: least.length ? String(Math.max(...least)) : undefined,
    max_magnitude: text(tenths?.most),
    since: start(days, state.slice, state.since, now),
    until: end(days, state.slice),
    min_depth: text(depthBins?.least),
    max_depth: text(depthBins?.most),
    search: state.search.trim(),
    withdrawn: state.withdrawn && "true",
  });
}

/** Those of the order. */
export function orderParameters({ sort }) {
  const [key, order] = sort.split("-");
  return { sort: key, order };
}
