/** Loads D3, which the set-up installs beside the page. */

import { loadInstalled } from "./installed.js";

/** @type {Promise<D3Library> | null} */
let loading = null;

/**
 * After a failure, the next call tries again.
 * @returns {Promise<D3Library>} rejects with MISSING when it isn't installed
 */
export function loadCharts() {
  loading ??= loadInstalled("/vendor/d3.js").then(() => globalThis.d3, (error) => {
    loading = null;
    throw error;
  });
  return loading;
}
