/** The chosen ranges and the slice of time as chips beside list and charts; a click on a chip removes its filter. */

import * as format from "./format.js";
import { RANGES } from "./ranges.js";

const CROSS = "\u00d7";

export class RangeChips {
  #places;
  #remove;

  /**
   * @param {Iterable<HTMLElement>} places the lists of chips
   * @param {(key: string) => void} remove called with the range to take away
   */
  constructor(places, remove) {
    this.#places = [...places];
    this.#remove = remove;
  }

  show(state) {
    const set = Object.keys(RANGES).filter((key) => state[key]).map((key) => [key, RANGES[key].text(state[key])]);
    if (state.slice) set.unshift(["slice", format.interval(state.slice.from, state.slice.to)]);
    for (const place of this.#places) {
      const hadFocus = place.contains(document.activeElement);
      place.replaceChildren(...set.map(([key, text]) => this.#chip(key, text)));
      place.hidden = set.length === 0;
      if (hadFocus) (place.querySelector("button") ?? place.parentElement.querySelector("[tabindex]"))?.focus();
    }
  }

  #chip(key, text) {
    const button = document.createElement("button");
    button.type = "button";
    button.ariaLabel = `Remove the filter: ${text}`;
    const sign = document.createElement("span");
    sign.ariaHidden = "true";
    sign.textContent = CROSS;
    button.append(text[0].toUpperCase() + text.slice(1), sign);
    button.addEventListener("click", () => this.#remove(key));
    const item = document.createElement("li");
    item.append(button);
    return item;
  }
}
