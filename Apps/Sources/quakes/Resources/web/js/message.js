/** The messages of the page, each with a button for what can be done about it; one is shown at a time. */

import { find } from "./find.js";

export class Message {
  #box = find("message");
  #left;
  /**
   * The message that the next one replaces.
   * @type {ShownMessage | null}
   */
  #passing = null;
  /**
   * The messages that stay, the last one of which is shown while no other one is.
   * @type {ShownMessage[]}
   */
  #staying = [];
  /**
   * The element that had the focus before the message.
   * @type {EventTarget | null}
   */
  #before = null;

  /** @param {() => void} left called when the message had the focus, is gone, and what had it before is gone, too */
  constructor(left) {
    this.#left = left;
    find("message-close").addEventListener("click", () => this.#dismiss());
    find("message-action").addEventListener("click", () => this.#shown?.action?.run());
    this.#box.addEventListener("focusin", ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node && this.#box.contains(relatedTarget))) this.#before = relatedTarget;
    });
  }

  /** @returns {ShownMessage | null} */
  get #shown() {
    return this.#passing ?? this.#staying.at(-1) ?? null;
  }

  /**
   * Shows a message until it is dismissed or replaced.
   * @param {string} text "" for none
   * @param {MessageAction | null} action what its button does
   */
  say(text, action = null) {
    this.#passing = text === "" ? null : { text, action };
    this.#show();
  }

  /**
   * Shows a message until it is dismissed or ended; others hide it only for as long as they are shown.
   * @param {string} text
   * @param {MessageAction} action what its button does
   * @param {() => void} dismissed called after the reader has dismissed it
   * @returns {() => void} a function that ends it
   */
  stay(text, action, dismissed = () => {}) {
    const made = { text, action, dismissed };
    this.#staying = [...this.#staying.filter((known) => known.text !== text), made];
    this.say("");
    return () => this.#end(made);
  }

  /**
   * Takes a message back that is no longer true; another one stays.
   * @param {string} text how it begins
   */
  retract(text) {
    if (this.#passing?.text.startsWith(text)) this.say("");
  }

  /**
   * Whether the message that is shown has an action of this name.
   * @param {string} name
   */
  offers(name) {
    return this.#shown?.action?.name === name;
  }

  #dismiss() {
    const shown = this.#shown;
    if (shown === this.#passing) this.say("");
    else if (shown) {
      this.#end(shown);
      shown.dismissed?.();
    }
  }

  /** @param {ShownMessage} message */
  #end(message) {
    this.#staying = this.#staying.filter((known) => known !== message);
    this.#show();
  }

  #show() {
    const { text, action } = this.#shown ?? { text: "", action: null };
    const focused = this.#box.contains(document.activeElement) ? document.activeElement : null;
    this.#box.hidden = text === "";
    const line = find("message-text");
    // The same text again would be read aloud again.
    if (line.textContent !== text) line.textContent = text;
    find("message-action").hidden = action === null;
    find("message-action").textContent = action?.name ?? "";
    if (focused && !focused.checkVisibility()) this.#leave();
  }

  #leave() {
    const before = this.#before;
    if (before instanceof HTMLElement && before.checkVisibility({ visibilityProperty: true })) before.focus();
    else this.#left();
  }
}
