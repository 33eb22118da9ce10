/** The user's settings in the browser's storage, if the browser has one. */

const prefix = document.documentElement.dataset.app;

export function read(name, allowed) {
  try {
    const value = localStorage.getItem(`${prefix}.${name}`);
    return allowed.includes(value) ? value : allowed[0];
  } catch {
    return allowed[0];
  }
}

/** A setting of any text, or null. */
export function readText(name) {
  try {
    return localStorage.getItem(`${prefix}.${name}`);
  } catch {
    return null;
  }
}

export function write(name, value) {
  try {
    localStorage.setItem(`${prefix}.${name}`, value);
  } catch {
    // Storage may be closed or full: the choice lasts as long as the page.
  }
}
