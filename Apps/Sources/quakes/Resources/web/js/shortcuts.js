/** Keys that work anywhere on the page, and the list of them. */

import { findAll } from "./find.js";
import * as settings from "./settings.js";

const TYPING = "input:not([type=radio], [type=checkbox]), select, textarea";

export class Shortcuts {
  #dialog;
  /** @type {Record<string, (event: KeyboardEvent) => unknown>} */
  #actions;
  #enabled = true;

  /**
   * @param {HTMLDialogElement} dialog
   * @param {Record<string, (event: KeyboardEvent) => unknown>} actions the action of each key; false for nothing done
   */
  constructor(dialog, actions) {
    this.#dialog = dialog;
    this.#actions = { ...actions, "?": () => this.open() };
    const [box] = findAll("input[type=checkbox]", dialog, HTMLInputElement);
    const read = () => {
      this.#enabled = settings.read("single-keys", ["on", "off"]) === "on";
      box.checked = this.#enabled;
    };
    read();
    settings.watch("single-keys", read);
    box.addEventListener("change", () => {
      this.#enabled = box.checked;
      settings.write("single-keys", box.checked ? "on" : "off");
    });
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  open() {
    if (!this.#dialog.open) this.#dialog.showModal();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    if (document.querySelector("dialog:modal")) return;
    // Escape works everywhere; single letters neither while typing nor when switched off
    // (WCAG 2.1.4: they can collide with speech input).
    const isLetter = event.key.length === 1;
    if (isLetter && (!this.#enabled || (event.target instanceof Element && event.target.closest(TYPING)))) return;
    const action = this.#actions[event.key];
    if (!action) return;
    if (action(event) !== false) event.preventDefault();
  }
}
