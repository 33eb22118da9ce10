/** The API's parameters (docs/openapi.yaml) for the page's filters and order. */

import { duration } from "./query.js";
import { limitsOf } from "./ranges.js";

const given = (fields) => Object.fromEntries(
  Object.entries(fields).filter(([, value]) => ![undefined, null, false, ""].includes(value)));

const text = (value) => (value === undefined ? undefined : String(value));

/** The later one of the beginning of the chosen days and that of the time window. */
function start(days, since, now) {
  if (days && !(now - duration(since) > days.least)) return new Date(days.least).toISOString();
  return since;
}

/** Those that choose events. */
export function filterParameters(state, now = Date.now()) {
  const { days, tenths, depthBins } = limitsOf(state);
  const least = [state.magnitude, tenths?.least].filter(Number.isFinite);
  return given({
    min_magnitude: least.length ? String(Math.max(...least)) : undefined,
    max_magnitude: text(tenths?.most),
    since: start(days, state.since, now),
    until: days && new Date(days.below).toISOString(),
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
