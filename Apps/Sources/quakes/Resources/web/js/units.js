/** The reader's time zone and unit of distance, kept like the colour scheme. The feed has UTC and kilometres. */

import * as settings from "./settings.js";

/**
 * The values of each setting, the first being the default.
 * @type {Record<string, string[]>}
 */
const VALUES = { zone: ["local", "utc"], distance: ["km", "mi"] };
/** The number of kilometres of a mile. */
export const toMiles = 1.609344;
const KILOMETRES_PER_MILE = toMiles;

const chosen = /** @type {Units & Record<string, string>} */ (Object.fromEntries(
  Object.entries(VALUES).map(([name, values]) => [name, settings.read(name, values)])));

/**
 * The value of a setting: "zone" or "distance".
 * @template {keyof Units} K
 * @param {K} name
 * @returns {Units[K]}
 */
export const get = (name) => chosen[name];

/**
 * Keeps a value of a setting, if the setting has it.
 * @param {string} name
 * @param {string} value
 */
export function set(name, value) {
  if (!VALUES[name]?.includes(value)) return;
  chosen[name] = value;
  settings.write(name, value);
}

export const isUTC = () => chosen.zone === "utc";
export const hasMiles = () => chosen.distance === "mi";

/**
 * A number of kilometres in the reader's unit, and back.
 * @param {number} value
 */
export const fromKilometres = (value) => (hasMiles() ? value / KILOMETRES_PER_MILE : value);
/** @param {number} value */
export const toKilometres = (value) => (hasMiles() ? value * KILOMETRES_PER_MILE : value);

/** The menu with the settings. */
export class UnitsMenu {
  /**
   * @param {HTMLElement} menu has radio buttons, named like the settings
   * @param {() => void} changed called when texts have to be written anew
   */
  constructor(menu, changed) {
    const inputs = [...menu.querySelectorAll("input")];
    const show = () => {
      for (const input of inputs) input.checked = chosen[input.name] === input.value;
    };
    for (const input of inputs) {
      input.addEventListener("change", () => {
        set(input.name, input.value);
        changed();
      });
    }
    for (const [name, values] of Object.entries(VALUES)) {
      settings.watch(name, () => {
        chosen[name] = settings.read(name, values);
        show();
        changed();
      });
    }
    show();
  }
}
