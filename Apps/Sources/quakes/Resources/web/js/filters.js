/** The form above the list: search, magnitude, time window, order. */

import { MAGNITUDES, WINDOWS } from "./address.js";
import { findAll } from "./find.js";

const PAUSE = 60;
/** @type {Record<string, string>} */
const WINDOW_NAMES = { "": "All", "1h": "Hour", "24h": "Day", "7d": "Week", "30d": "Month" };

/** @param {number | null} value */
const magnitudeName = (value) => (value === null ? "All" : `${value}+`);

/** @param {HTMLElement} group */
const inputs = (group) => findAll("input", group, HTMLInputElement);

/**
 * The value of the chip that is chosen.
 * @param {HTMLElement} group
 */
const chosen = (group) => inputs(group).find(({ checked }) => checked)?.value ?? "";

/**
 * @param {HTMLElement} group
 * @param {string} value
 * @param {string} text
 */
function chip(group, value, text) {
  const label = document.createElement("label");
  const input = document.createElement("input");
  input.type = "radio";
  input.name = group.id;
  input.value = value;
  const name = document.createElement("span");
  name.textContent = text;
  label.append(input, name);
  group.append(label);
}

export class Filters {
  #parts;
  #changed;
  #timer = 0;

  /**
   * @param {FilterParts} parts
   * @param {(change: Partial<QuakeState>, kind: string) => void} changed called with the change and its cause
   */
  constructor(parts, changed) {
    this.#parts = parts;
    this.#changed = changed;
    for (const value of MAGNITUDES) {
      chip(parts.magnitudes, value === null ? "" : String(value), magnitudeName(value));
    }
    for (const value of WINDOWS) chip(parts.windows, value, WINDOW_NAMES[value]);
    parts.form.addEventListener("submit", (event) => event.preventDefault());
    parts.search.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => changed({ search: parts.search.value }, "search"), PAUSE);
    });
    parts.magnitudes.addEventListener("change", () => {
      const value = chosen(parts.magnitudes);
      changed({ magnitude: value === "" ? null : Number(value) }, "magnitude");
    });
    parts.windows.addEventListener("change", () => changed({ since: chosen(parts.windows) }, "window"));
    parts.withdrawn.addEventListener("change", () => {
      changed({ withdrawn: parts.withdrawn.checked }, "withdrawn");
    });
    parts.sort.addEventListener("change", () => changed({ sort: parts.sort.value }, "sort"));
  }

  /**
   * Shows a state that came from the address.
   * @param {QuakeState} state
   */
  show({ magnitude, since, search, sort, withdrawn }) {
    clearTimeout(this.#timer);
    if (this.#parts.search.value !== search) this.#parts.search.value = search;
    const least = magnitude === null ? "" : String(magnitude);
    this.#check(this.#parts.magnitudes, least, `${magnitude}+`);
    this.#check(this.#parts.windows, since, since);
    this.#parts.sort.value = sort;
    this.#parts.withdrawn.checked = withdrawn;
  }

  clearSearch() {
    this.search("");
  }

  /**
   * Searches as if the text had been typed.
   * @param {string} text
   */
  search(text) {
    this.#parts.search.value = text;
    clearTimeout(this.#timer);
    this.#changed({ search: text }, "search");
  }

  /**
   * Adds a chip for a value from a link that no chip has.
   * @param {HTMLElement} group
   * @param {string} value
   * @param {string} name
   */
  #check(group, value, name) {
    if (!inputs(group).some((input) => input.value === value)) chip(group, value, name);
    for (const input of inputs(group)) input.checked = input.value === value;
  }
}
