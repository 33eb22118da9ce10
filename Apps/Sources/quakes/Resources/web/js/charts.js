/** Loads D3, which the set-up installs beside the page. */

/** @type {Promise<D3Library> | null} */
let loading = null;

/** @returns {Promise<D3Library>} rejects when it is missing */
export function loadCharts() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = "/vendor/d3.js";
    script.addEventListener("load", () => resolve(globalThis.d3));
    script.addEventListener("error", () => reject(new Error("not found")));
    document.head.append(script);
  });
  return loading;
}
