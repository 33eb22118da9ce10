/** Shows and hides the statistics on a wide page, where they stand below the map. On a phone they are a tab. */

import * as settings from "./settings.js";

const NAME = "statistics";

export class StatisticsView {
  #button;
  #appeared;

  /**
   * @param {HTMLElement} button
   * @param {() => void} appeared called when the statistics are shown
   */
  constructor(button, appeared) {
    this.#button = button;
    this.#appeared = appeared;
    button.addEventListener("click", () => this.toggle());
    this.#show(settings.read(NAME, ["closed", "open"]) === "open");
  }

  toggle() {
    const isOpen = document.body.dataset.statistics !== "open";
    settings.write(NAME, isOpen ? "open" : "closed");
    this.#show(isOpen);
  }

  open() {
    if (document.body.dataset.statistics !== "open") this.toggle();
  }

  /** @param {boolean} isOpen */
  #show(isOpen) {
    document.body.dataset.statistics = isOpen ? "open" : "closed";
    this.#button.ariaExpanded = String(isOpen);
    if (isOpen) this.#appeared();
  }
}
