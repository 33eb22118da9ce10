/** The places that `near:tokyo` of a search can name: the reader's own, of alert rules, and populated ones. */

import { fetchPlace } from "./api.js";
import { readRules } from "./alert-rules.js";
import { folded } from "./search-words.js";

/**
 * The program's answers, by name.
 * @type {Map<string, PlaceAnswer>}
 */
const answers = new Map();
/**
 * Names that were asked for and not answered yet, with the functions to call then.
 * @type {Map<string, Set<() => void>>}
 */
const asked = new Map();
/** The maximum number of answers that are kept. */
const MOST = 200;

/** @param {string} name */
const key = (name) => folded(name).replace(/[_-]/g, " ");

/**
 * A place of the reader's alert rules; undefined when none has the name.
 * @param {string} name
 * @returns {NamedPlace | undefined}
 */
export function ownPlace(name) {
  const found = readRules().find(({ place }) => place && key(place.name) === key(name))?.place;
  return found ? { name: found.name, latitude: found.latitude, longitude: found.longitude } : undefined;
}

/**
 * The answer for a name of a populated place; undefined before it is there.
 * @param {string} name
 */
export const knownPlace = (name) => answers.get(key(name));

/**
 * Keeps an answer.
 * @param {string} name
 * @param {PlaceAnswer} answer
 */
export function keepPlace(name, answer) {
  if (answers.size >= MOST) answers.clear();
  answers.set(key(name), answer);
}

/**
 * Asks the program for a place.
 * @param {string} name
 * @param {() => void} answered called when the answer is known; the same function once, however often it asks
 */
export async function lookUp(name, answered) {
  if (knownPlace(name)) return;
  const others = asked.get(key(name));
  if (others) {
    others.add(answered);
    return;
  }
  const waiting = new Set([answered]);
  asked.set(key(name), waiting);
  try {
    keepPlace(name, await fetchPlace(name));
  } catch (error) {
    // The next reading of the search asks again.
    const message = `the place could not be looked up: ${error.message}`;
    keepPlace(name, { place: null, message, isFleeting: true });
  }
  asked.delete(key(name));
  for (const call of waiting) call();
  // Not before the last of several: each answer would have the search ask for the one before again, without end.
  if (asked.size > 0) return;
  for (const [known, { isFleeting }] of answers) if (isFleeting) answers.delete(known);
}
