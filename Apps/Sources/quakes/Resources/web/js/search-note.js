/** The line below the search field: terms that cannot be read, and the places that names mean. */

import * as format from "./format.js";
import { fromKilometres, get } from "./units.js";

/** @param {NearPlace} place */
function surroundings({ name, latitude, longitude, radius }) {
  const size = fromKilometres(radius);
  const digits = size < 10 ? String(Number(size.toFixed(1))) : format.count(Math.round(size));
  return `Within ${digits} ${get("distance")} of ${name ?? format.coordinates(latitude, longitude)}.`;
}

/** @param {SearchReading["sections"][number]} named */
function band({ section: { from, to, halfWidth, length } }) {
  const [start, end] = [from, to].map(({ name, latitude, longitude }) =>
    name ?? format.coordinates(latitude, longitude));
  return `Within ${format.distance(halfWidth)} of the line from ${start} to ${end}, ${format.distance(length)} long.`;
}

/**
 * The text for a search; "" when there is nothing to tell.
 * @param {SearchReading} reading
 */
export function noteOf({ errors, missing, places, sections }) {
  const parts = [...errors];
  if (errors.length) parts.push(errors.length === 1 ? "The list leaves this term out." : "The list leaves these terms out.");
  if (missing.length) parts.push(`Looking up ${missing.join(", ")}…`);
  return [...parts, ...places.map(surroundings), ...sections.map(band)].join(" ");
}

export class SearchNote {
  #field;
  #note;

  /**
   * @param {HTMLInputElement} field
   * @param {HTMLElement} note
   */
  constructor(field, note) {
    this.#field = field;
    this.#note = note;
  }

  /** @param {SearchReading} reading */
  show(reading) {
    const text = noteOf(reading);
    const isWrong = reading.errors.length > 0;
    this.#note.hidden = text === "";
    this.#note.classList.toggle("wrong", isWrong);
    // The same text again would be read aloud again.
    if (this.#note.textContent !== text) this.#note.textContent = text;
    if (isWrong) this.#field.setAttribute("aria-invalid", "true");
    else this.#field.removeAttribute("aria-invalid");
  }
}
