/** The message of the page, with a button for what can be done about it. */

import { find } from "./find.js";

export class Message {
  #box = find("message");
  #handlers;
  /**
   * The action of the message that is shown.
   * @type {MessageAction | null}
   */
  #action = null;
  /**
   * The element that had the focus before the message.
   * @type {EventTarget | null}
   */
  #before = null;

  /**
   * @param {{closed: () => void, left: () => void}} handlers closed() is called after the reader has dismissed the
   *   message, left() when it had the focus, is gone, and what had the focus before is gone, too
   */
  constructor(handlers) {
    this.#handlers = handlers;
    find("message-close").addEventListener("click", () => {
      this.say("");
      handlers.closed();
    });
    find("message-action").addEventListener("click", () => this.#action?.run());
    this.#box.addEventListener("focusin", ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node && this.#box.contains(relatedTarget))) this.#before = relatedTarget;
    });
  }

  /**
   * Shows a message until it is dismissed or replaced.
   * @param {string} text "" for none
   * @param {MessageAction | null} action what its button does
   */
  say(text, action = null) {
    const focused = this.#box.contains(document.activeElement) ? document.activeElement : null;
    this.#box.hidden = text === "";
    const line = find("message-text");
    // The same text again would be read aloud again.
    if (line.textContent !== text) line.textContent = text;
    find("message-action").hidden = action === null;
    find("message-action").textContent = action?.name ?? "";
    this.#action = action;
    if (focused && !focused.checkVisibility()) this.#leave();
  }

  /**
   * Takes a message back that is no longer true; another one stays.
   * @param {string} text how it begins
   */
  retract(text) {
    if (find("message-text").textContent?.startsWith(text)) this.say("");
  }

  /**
   * Whether the message that is shown has an action of this name.
   * @param {string} name
   */
  offers(name) {
    return this.#action?.name === name;
  }

  #leave() {
    const before = this.#before;
    if (before instanceof HTMLElement && before.checkVisibility({ visibilityProperty: true })) before.focus();
    else this.#handlers.left();
  }
}
