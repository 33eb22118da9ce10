/** The parts that the page needs to open while its program doesn't run: its files, and the data that it last had. */

import { answer, Database } from "./database.js";

/** The time in which writes are joined, in milliseconds. */
const CALM = 1_000;

/** Keeps the page's files, where the browser allows it (secure contexts). */
export function keepFiles() {
  navigator.serviceWorker?.register("/service-worker.js").catch((error) => {
    console.warn("The page's files aren't kept:", error.message);
  });
}

/**
 * The data that the page last had from its program.
 * @template T
 */
export class LastData {
  #database = new Database("last-data", { data: {} });
  /** @type {T | null} */
  #next = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #kept = () => {};

  /**
   * Keeps data soon; of several within a time, the last ones.
   * @param {T} data
   * @param {() => void} kept called after these data were written, or could not be
   */
  keep(data, kept = () => {}) {
    if (this.#next === null) this.#timer = setTimeout(() => this.write(), CALM);
    this.#next = data;
    this.#kept = kept;
  }

  /** Writes at once what is to be kept, as when the page may go away. A failure leaves the previous data. */
  async write() {
    if (this.#next === null) return;
    clearTimeout(this.#timer);
    const data = this.#next;
    const kept = this.#kept;
    this.#next = null;
    try {
      await this.#database.use("data", "readwrite", (store) => {
        const put = answer(store.put(data, "last"));
        // Not left to the page, which may be gone.
        store.transaction.commit?.();
        return put;
      }, "relaxed");
    } catch (error) {
      console.warn("The page's data aren't kept:", error?.message);
    }
    kept();
  }

  /** @returns {Promise<T | null>} the data, or null */
  async read() {
    try {
      const data = await this.#database.use("data", "readonly", (store) => answer(store.get("last")));
      return data ?? null;
    } catch {
      return null;
    }
  }
}
