/**
 * Rules for alerts: {magnitude, place}, where `place` is {name, latitude, longitude, radius}, its radius in
 * kilometres, or null for the whole world. They are kept in the browser; a search near a place of one
 * sends its point to the program, without the name.
 */

import * as format from "./format.js";
import { distance } from "./great-circle.js";
import * as settings from "./settings.js";
import { fromKilometres, get } from "./units.js";

const NAME = "alerts";
/** The maximum numbers of rules and of characters of a name. */
export const MOST = 50;
const LONGEST = 60;
/** Half of the Earth's girth, in kilometres. */
const FARTHEST = 20_016;
/** The age from which an earthquake is no news, in milliseconds: a back-fill brings those of years. */
const OLD = 24 * 3_600_000;

/** @type {(value: number, least: number, most: number) => boolean} */
const isWithin = (value, least, most) => Number.isFinite(value) && value >= least && value <= most;

/**
 * A rule from unchecked values, or null when they make none.
 * @param {any} values
 * @returns {AlertRule | null}
 */
export function rule({ magnitude, place }) {
  if (!isWithin(magnitude, -2, 10)) return null;
  if (place === null || place === undefined) return { magnitude, place: null };
  const { name, latitude, longitude, radius } = place;
  const isPlace = typeof name === "string" && name.trim() !== "" && isWithin(latitude, -90, 90)
    && isWithin(longitude, -180, 180) && isWithin(radius, 1, FARTHEST);
  return isPlace
    ? { magnitude, place: { name: name.trim().slice(0, LONGEST), latitude, longitude, radius } } : null;
}

/**
 * The rules that are kept; damaged ones are left out.
 * @returns {AlertRule[]}
 */
export function readRules() {
  try {
    const kept = JSON.parse(settings.readText(NAME) ?? "[]");
    return kept.map((/** @type {unknown} */ each) => rule(each ?? {})).filter(Boolean).slice(0, MOST);
  } catch {
    return [];
  }
}

/**
 * Follows the rules that other tabs make and remove.
 * @param {() => void} changed
 */
export const watchRules = (changed) => settings.watch(NAME, changed);

/** @param {AlertRule[]} rules */
export const writeRules = (rules) => settings.write(NAME, JSON.stringify(rules));

/**
 * "M 4.0 or more within 300 km of Home".
 * @param {AlertRule} rule
 */
export function ruleText({ magnitude, place }) {
  const least = `M ${format.magnitude(magnitude)} or more`;
  if (!place) return `${least} anywhere`;
  const radius = format.count(Math.round(fromKilometres(place.radius)));
  return `${least} within ${radius} ${get("distance")} of ${place.name}`;
}

/**
 * The first rule that an event meets, or undefined; one that is old or withdrawn meets none.
 * @param {AlertRule[]} rules
 * @param {Quake} event
 */
export function metRule(rules, event, now = Date.now()) {
  const strength = event.magnitude;
  if (event.withdrawn || strength === null || now - event.time > OLD) return undefined;
  return rules.find(({ magnitude, place }) =>
    strength >= magnitude && (!place || distance(place, event) <= place.radius));
}
