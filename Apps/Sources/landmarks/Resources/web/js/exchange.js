/** The buttons that exchange with the server at once, and that switch the exchange off and on. */

import * as api from "./api.js";
import { find } from "./find.js";

export class Exchange {
  #app;
  #isRequested = false;

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
    find("sync").addEventListener("click", () => this.request());
    find("offline").addEventListener("click", () => this.#toggle());
  }

  /** Whether an exchange was requested, and the program hasn't answered yet. */
  get isRequested() {
    return this.#isRequested;
  }

  async request() {
    if (this.#isRequested) return;
    this.#isRequested = true;
    this.#app.drawStatus();
    try {
      await api.sync();
    } catch (error) {
      this.#app.failed(`Sync was not started: ${error.message}`);
    }
    this.#isRequested = false;
    // Not the response's own status: the stream may have reported a newer one since.
    await this.#app.load();
    this.#app.drawStatus();
  }

  /** Switches the exchange with the server off or on. */
  async #toggle() {
    const on = find("offline").getAttribute("aria-pressed") !== "true";
    try {
      await api.workOffline(on);
      this.#app.say(on ? "Changes stay here until you go online." : "Changes are exchanged.");
    } catch (error) {
      this.#app.failed(`The exchange was not switched ${on ? "off" : "on"}: ${error.message}`);
    }
    await this.#app.load();
    this.#app.drawStatus();
  }
}
