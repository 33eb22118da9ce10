/** The menu with the formats of GET /api/export. Its links carry the filters and the order of the list. */

import { filterParameters, orderParameters } from "./parameters.js";

/** @type {(format: string, state: QuakeState) => string} */
export const exportAddress = (format, state) => `/api/export?${new URLSearchParams({
  format, ...filterParameters(state), ...orderParameters(state),
})}`;

export class ExportMenu {
  #menu;
  #feed;

  /**
   * @param {HTMLElement} menu has a link for each format, with `data-format`
   * @param {HTMLLinkElement} feed names the page's news feed to browsers and readers of news
   */
  constructor(menu, feed) {
    this.#menu = menu;
    this.#feed = feed;
    for (const link of menu.querySelectorAll("a")) {
      link.addEventListener("click", () => menu.hidePopover());
    }
  }

  /**
   * Makes the links those of a state.
   * @param {QuakeState} state
   */
  show(state) {
    for (const link of this.#menu.querySelectorAll("a")) {
      link.href = exportAddress(link.dataset.format ?? "", state);
    }
    // A feed is always newest first.
    this.#feed.href = exportAddress("atom", { ...state, sort: "time-desc" });
  }
}
