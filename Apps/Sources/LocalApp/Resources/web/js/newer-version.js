/**
 * Notices that the program was exchanged for another version while the page was open. The program answers the service
 * worker with the entity tags of all files, and their version.
 */

import { deadline } from "./request.js";

const FILES = "/service-worker.js";
/** The maximum time until the program answers, in milliseconds. */
const DEADLINE = 10_000;
/** The beginning of the name of the service worker's cache; the version follows. */
const CACHE = "files-";

/** @returns {Promise<string | null>} null when the program doesn't answer */
async function present() {
  try {
    const response = await fetch(FILES, { cache: "no-store", signal: deadline(DEADLINE) });
    if (!response.ok) return null;
    const text = await response.text();
    return text.match(/^const VERSION = "(.*)";$/m)?.[1] ?? text;
  } catch {
    return null;
  }
}

/** The version of the files that the browser keeps; null without any. */
async function kept() {
  try {
    const name = (await caches.keys()).find((key) => key.startsWith(CACHE));
    return name?.slice(CACHE.length) ?? null;
  } catch {
    return null; // Closed to the page, or no secure context.
  }
}

export class NewerVersion {
  #changed;
  /**
   * The version that the page is of.
   * @type {string | null}
   */
  #own = null;
  /** Whether another version was told. */
  #isTold = false;

  /** @param {() => void} changed called once when the program has other files than the page was opened with */
  constructor(changed) {
    this.#changed = changed;
  }

  /**
   * Remembers the version, or compares that of now with it.
   * @returns {Promise<boolean>} whether the program is of another version than the page
   */
  async check() {
    const now = await present();
    // A page that opens without its program is of the kept files.
    this.#own ??= now ?? await kept();
    if (now === null || this.#own === null) return this.#isTold;
    const isOther = now !== this.#own;
    if (isOther && !this.#isTold) this.#changed();
    this.#isTold = isOther;
    return isOther;
  }
}
