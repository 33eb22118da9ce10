/** Loads MapLibre GL JS, which the set-up installs beside the page, or reports the reason for the failure. */

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

/** @param {HTMLLinkElement | HTMLScriptElement} element */
function load(element) {
  return new Promise((resolve, reject) => {
    element.addEventListener("load", resolve);
    element.addEventListener("error", () => reject(new Error("not found")));
    document.head.append(element);
  });
}

/** @returns {Promise<MapLibrary>} rejects when a file is missing */
export async function loadLibrary() {
  const sheet = document.createElement("link");
  sheet.rel = "stylesheet";
  sheet.href = "/vendor/maplibre-gl.css";
  const script = document.createElement("script");
  script.src = "/vendor/maplibre-gl.js";
  await Promise.all([load(sheet), load(script)]);
  return globalThis.maplibregl;
}
