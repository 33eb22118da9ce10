/** The user's settings in the browser's storage, if the browser has one. */

const prefix = document.documentElement.dataset.app;

/**
 * A setting of several values, the first being the default.
 * @template {string} T
 * @param {string} name
 * @param {T[]} allowed the values
 * @returns {T}
 */
export function read(name, allowed) {
  try {
    const value = /** @type {T} */ (localStorage.getItem(`${prefix}.${name}`));
    return allowed.includes(value) ? value : allowed[0];
  } catch {
    return allowed[0];
  }
}

/**
 * A setting of any text, or null.
 * @param {string} name
 */
export function readText(name) {
  try {
    return localStorage.getItem(`${prefix}.${name}`);
  } catch {
    return null;
  }
}

/**
 * Follows what other tabs do with a setting.
 * @param {string} name
 * @param {() => void} changed called when another tab has changed it
 */
export function watch(name, changed) {
  addEventListener("storage", ({ key }) => {
    // All of them were deleted where there is no key.
    if (key === `${prefix}.${name}` || key === null) changed();
  });
}

/**
 * Keeps a setting.
 * @param {string} name
 * @param {string} value
 */
export function write(name, value) {
  try {
    localStorage.setItem(`${prefix}.${name}`, value);
  } catch {
    // Storage may be closed or full: the choice lasts as long as the page.
  }
}
