/** Loads the scripts and style sheets that the set-up installs beside the page. */

import { deadline } from "./request.js";

/** The message of the error of a file that isn't installed. */
export const MISSING = "not found";
/** The maximum time until the program says whether it has a file, in milliseconds. */
const DEADLINE = 10_000;

/**
 * Whether the program answers that it doesn't have a file.
 * @param {string} path
 */
async function isMissing(path) {
  try {
    const { status } = await fetch(path, { method: "HEAD", signal: deadline(DEADLINE) });
    return status === 404;
  } catch {
    return false;
  }
}

/**
 * Loads a file; after a failure, another call tries again.
 * @param {string} path of a script or style sheet
 * @returns {Promise<void>} rejects with MISSING where the program doesn't have it, else with what happened
 */
export function loadInstalled(path) {
  const element = document.createElement(path.endsWith(".css") ? "link" : "script");
  if (element instanceof HTMLLinkElement) {
    element.rel = "stylesheet";
    element.href = path;
  } else element.src = path;
  return new Promise((resolve, reject) => {
    element.addEventListener("load", () => resolve());
    element.addEventListener("error", async () => {
      element.remove();
      reject(new Error(await isMissing(path) ? MISSING : `${path} could not be loaded.`));
    });
    document.head.append(element);
  });
}
