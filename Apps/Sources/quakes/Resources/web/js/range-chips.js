/** The chosen ranges, the slice of time and the box of the map as chips beside list and charts; a click removes one. */

import { boxText } from "./box.js";
import * as format from "./format.js";
import { findAll } from "./find.js";
import { RANGES, RANGE_KEYS } from "./ranges.js";

const CROSS = "\u00d7";

export class RangeChips {
  #places;
  #remove;

  /**
   * @param {Iterable<HTMLElement>} places the lists of chips
   * @param {(key: ChipKey) => void} remove called with the range to take away
   */
  constructor(places, remove) {
    this.#places = [...places];
    this.#remove = remove;
  }

  /** @param {QuakeState} state */
  show(state) {
    /** @type {[ChipKey, string][]} */
    const set = [];
    if (state.slice) set.push(["slice", format.interval(state.slice.from, state.slice.to)]);
    if (state.box) set.push(["box", boxText(state.box)]);
    for (const key of RANGE_KEYS) {
      const range = state[key];
      if (range) set.push([key, RANGES[key].text(range)]);
    }
    for (const place of this.#places) {
      const hadFocus = place.contains(document.activeElement);
      place.replaceChildren(...set.map(([key, text]) => this.#chip(key, text)));
      place.hidden = set.length === 0;
      if (!hadFocus) continue;
      const [next] = [...findAll("button", place), ...findAll("[tabindex]", place.parentElement ?? place)];
      next?.focus();
    }
  }

  /**
   * @param {ChipKey} key
   * @param {string} text
   */
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
