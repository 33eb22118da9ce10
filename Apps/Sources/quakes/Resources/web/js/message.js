/** The message of the page, with a button for what can be done about it. */

import { find } from "./find.js";

export class Message {
  /**
   * The action of the message that is shown.
   * @type {MessageAction | null}
   */
  #action = null;

  /** @param {() => void} closed called after the reader has dismissed it */
  constructor(closed) {
    find("message-close").addEventListener("click", () => {
      this.say("");
      closed();
    });
    find("message-action").addEventListener("click", () => this.#action?.run());
  }

  /**
   * Shows a message until it is dismissed or replaced.
   * @param {string} text "" for none
   * @param {MessageAction | null} action what its button does
   */
  say(text, action = null) {
    find("message").hidden = text === "";
    find("message-text").textContent = text;
    find("message-action").hidden = action === null;
    find("message-action").textContent = action?.name ?? "";
    this.#action = action;
  }

  /**
   * Whether the message that is shown has an action of this name.
   * @param {string} name
   */
  offers(name) {
    return this.#action?.name === name;
  }
}
