/** The views of a phone: list, map and statistics as tabs. */

import { findAll } from "./find.js";

export class Views {
  #opened;

  /** @param {(view: string) => void} opened called with the view that is opened */
  constructor(opened) {
    this.#opened = opened;
    for (const tab of this.#tabs) tab.addEventListener("click", () => this.open(tab.dataset.view ?? "list"));
  }

  get #tabs() {
    return findAll(".tabs button");
  }

  /** @param {string} view */
  open(view) {
    document.body.dataset.view = view;
    this.#opened(view);
    for (const tab of this.#tabs) tab.ariaPressed = String(tab.dataset.view === view);
  }
}
