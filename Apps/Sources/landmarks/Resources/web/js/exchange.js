/** The buttons that exchange with the server at once, and that switch the exchange off and on. */

import * as api from "./api.js";
import { Attempts } from "./attempts.js";
import { find } from "./find.js";

export class Exchange {
  #app;
  #isRequested = false;
  /**
   * Whether the exchange was last asked to be off, while the page doesn't show it yet; otherwise null.
   * @type {boolean | null}
   */
  #wanted = null;
  #switches = new Attempts();
  /** The requests to switch, one after the other: each answers before the next is sent. */
  #switching = Promise.resolve();

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

  /** Switches the exchange with the server off or on; a second press takes the first one back at any time. */
  #toggle() {
    const on = !(this.#wanted ?? find("offline").getAttribute("aria-pressed") === "true");
    this.#wanted = on;
    const isLast = this.#switches.begin();
    this.#switching = this.#switching.then(() => this.#switch(on, isLast));
  }

  /**
   * @param {boolean} on
   * @param {() => boolean} isLast whether no press came since
   */
  async #switch(on, isLast) {
    try {
      await api.workOffline(on);
      if (isLast()) this.#app.say(on ? "Changes stay here until you go online." : "Changes are exchanged.");
    } catch (error) {
      this.#app.failed(`The exchange was not switched ${on ? "off" : "on"}: ${error.message}`);
    }
    await this.#app.load();
    if (isLast()) this.#wanted = null;
    this.#app.drawStatus();
  }
}
