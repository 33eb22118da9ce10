/**
 * Notices that the program was exchanged for another version while the page was open. The program answers the service
 * worker with the entity tags of all files, so another text of it means other files.
 */

const FILES = "/service-worker.js";

/** @returns {Promise<string | null>} null when the program doesn't answer */
async function files() {
  try {
    const response = await fetch(FILES, { cache: "no-store" });
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}

export class NewerVersion {
  #changed;
  /**
   * The files at the beginning.
   * @type {string | null}
   */
  #first = null;

  /** @param {() => void} changed called once when the program has other files than the page was opened with */
  constructor(changed) {
    this.#changed = changed;
  }

  /** Remembers the files, or compares those of now with them. */
  async check() {
    const present = await files();
    if (present === null) return;
    this.#first ??= present;
    if (present === this.#first) return;
    this.#first = present;
    this.#changed();
  }
}
