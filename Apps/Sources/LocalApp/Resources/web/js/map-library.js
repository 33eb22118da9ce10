/** Loads MapLibre GL JS, which the set-up installs beside the page, or reports the reason for the failure. */

import { loadInstalled } from "./installed.js";

/** The reason why there is no map; the page shows it instead. */
export const REASONS = {
  webgl: {
    title: "No map in this browser",
    text: "The map needs WebGL, which is switched off or missing here. The list shows everything.",
  },
  missing: {
    title: "The map is not installed",
    text: "MapLibre GL JS is missing: run scripts/install-web-assets.sh and start the program again. "
      + "The list shows everything.",
  },
  failed: {
    title: "The map could not start",
    text: "The list shows everything. Reloading the page may help.",
  },
};

/**
 * Whether an error of the library's constructor says that there is no WebGL context.
 * @param {Error | undefined} error
 */
export const lacksWebGL = (error) => /webgl/i.test(error?.message ?? "");

/** @returns {Promise<MapLibrary>} rejects with MISSING when a file isn't installed */
export async function loadLibrary() {
  await Promise.all([loadInstalled("/vendor/maplibre-gl.css"), loadInstalled("/vendor/maplibre-gl.js")]);
  return globalThis.maplibregl;
}
