/** The button and the key that ask for a refresh, and its stop. */

import * as api from "./api.js";

const STOP = "Stop fetching";
const NOT_STARTED = "Refresh was not started";

export class Refresh {
  #freshness;
  #message;
  #ask;

  /**
   * @param {import("./freshness.js").Freshness} freshness
   * @param {import("./message.js").Message} message
   * @param {(request: () => Promise<QuakeStatus>) => Promise<void>} ask shows the status that a request gives
   */
  constructor(freshness, message, ask) {
    this.#freshness = freshness;
    this.#message = message;
    this.#ask = ask;
  }

  async start() {
    if (this.#freshness.isRefreshing) {
      this.#message.say("The feed is being fetched already. How long it takes depends on its server.", {
        name: STOP, run: () => this.#stop(),
      });
      return;
    }
    this.#freshness.asking(true);
    try {
      await this.#ask(api.refresh);
      this.#message.retract(NOT_STARTED);
    } catch (error) {
      this.#message.say(`${NOT_STARTED}: ${error.message}`);
    }
    this.#freshness.asking(false);
  }

  /** After a status: without a refresh there is nothing to stop any more. */
  update() {
    if (this.#message.offers(STOP) && !this.#freshness.isRefreshing) this.#message.say("");
  }

  async #stop() {
    this.#message.say("");
    try {
      await this.#ask(api.stopRefresh);
    } catch (error) {
      this.#message.say(`The refresh was not stopped: ${error.message}`);
    }
  }
}
