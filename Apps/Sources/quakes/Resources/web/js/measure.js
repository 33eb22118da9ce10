/** Measures for the browser's tools and the tests; the browser would keep them as long as the page is open. */

const MOST = 100;

/**
 * Records the time since `start`.
 * @param {string} name
 * @param {number} start
 */
export function measure(name, start) {
  if (performance.getEntriesByName(name, "measure").length >= MOST) performance.clearMeasures(name);
  performance.measure(name, { start });
}
