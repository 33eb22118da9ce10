/**
 * Edits where the browser keeps nothing: sent at once, one after the other, since concurrent requests
 * can arrive in another order. They count only when the program has them.
 */

import { RequestError } from "./api.js";
import { send } from "./edits.js";

export class DirectEdits {
  #last = Promise.resolve();
  /** The number of edits without a response: edits queued behind one are no longer sent. */
  #silences = 0;

  /**
   * @param {Edit} edit
   * @returns {Promise<SyncStatus>} the program's status; rejects with a `RequestError`
   */
  async send(edit) {
    const silences = this.#silences;
    const sent = this.#last.then(() => {
      if (silences === this.#silences) return send(edit);
      throw new RequestError("A change before it got no answer.", 400);
    });
    this.#last = sent.then(() => {}, () => {});
    try {
      return await sent;
    } catch (error) {
      if (!error.refused) this.#silences += 1;
      throw error;
    }
  }
}
