/** The place of a new alert: coordinates by its name, or where the reader is. */

import { knownPlace, lookUp, ownPlace } from "./places.js";

/** The maximum time until the browser knows the reader's position, in milliseconds, and the age of one it knows. */
const PATIENCE = 20_000;
const FRESH = 10 * 60_000;
/**
 * The causes why a browser doesn't tell the position (https://w3c.github.io/geolocation/#position_error_interface).
 * @type {Record<number, string>}
 */
const FAILURES = {
  1: "The browser doesn't tell this page your position: its settings allow it.",
  2: "The browser doesn't know your position.",
  3: "The browser didn't find your position in time.",
};

/** @param {number} degrees */
const rounded = (degrees) => degrees.toFixed(3);

/**
 * Why a name gives no coordinates: without the terms of a search, which the program's message tells.
 * @param {string} name
 * @param {string} message
 */
function failure(name, message) {
  if (!message.startsWith("no populated place")) return `“${name}”: ${message.replace(/\.$/, "")}.`;
  const [, similar] = /there are (.*?), or near:/.exec(message) ?? [];
  const names = similar ? ` There are: ${similar.replaceAll("near:", "")}.` : "";
  return `No populated place has the name “${name}”.${names}`;
}

export class AlertPlace {
  #fields;
  #note;
  /** The coordinates that a name was given: those of the next name replace them, others were chosen by the reader. */
  #found = "";

  /**
   * @param {AlertFields} fields
   * @param {HTMLElement} note tells where the coordinates are from, or why there are none
   * @param {HTMLButtonElement} here asks for the reader's position
   */
  constructor(fields, note, here) {
    this.#fields = fields;
    this.#note = note;
    fields.name.addEventListener("change", () => this.#lookUp());
    for (const field of [fields.latitude, fields.longitude]) field.addEventListener("input", () => this.#say(""));
    here.addEventListener("click", () => this.#locate(here));
    // Browsers tell positions to secure contexts only.
    here.hidden = !isSecureContext || !navigator.geolocation;
  }

  /**
   * Fills the coordinates.
   * @param {PickedPlace} point
   */
  fill({ latitude, longitude }) {
    this.#fields.latitude.value = rounded(latitude);
    this.#fields.longitude.value = rounded(longitude);
    this.#say("");
  }

  /** Empties the fields for the next rule. */
  clear() {
    for (const field of [this.#fields.name, this.#fields.latitude, this.#fields.longitude]) field.value = "";
    this.#say("");
  }

  get #coordinates() {
    return `${this.#fields.latitude.value} ${this.#fields.longitude.value}`;
  }

  /** Whether the reader has chosen no coordinates. */
  get #isOpen() {
    return this.#coordinates === " " || this.#coordinates === this.#found;
  }

  /** @param {string} text */
  #say(text) {
    this.#note.textContent = text;
    this.#note.hidden = text === "";
  }

  #lookUp() {
    const name = this.#fields.name.value.trim();
    if (name === "" || !this.#isOpen) return;
    const own = ownPlace(name);
    const known = own ? { place: own, message: null } : knownPlace(name);
    if (known) {
      this.#take(name, known);
      return;
    }
    lookUp(name, () => {
      const answer = knownPlace(name);
      // The reader may have typed on.
      if (answer && this.#fields.name.value.trim() === name && this.#isOpen) this.#take(name, answer);
    });
  }

  /**
   * @param {string} name
   * @param {PlaceAnswer} answer
   */
  #take(name, { place, message }) {
    if (!place) {
      this.#fields.latitude.value = "";
      this.#fields.longitude.value = "";
      this.#say(failure(name, message ?? ""));
      return;
    }
    this.fill(place);
    this.#found = this.#coordinates;
    this.#say(`Coordinates of ${place.name}.`);
  }

  /** @param {HTMLButtonElement} here */
  #locate(here) {
    here.disabled = true;
    this.#say("Asking the browser for your position…");
    navigator.geolocation.getCurrentPosition(({ coords }) => {
      here.disabled = false;
      this.fill(coords);
      this.#say("Coordinates of your position.");
      this.#fields.name.focus();
    }, ({ code }) => {
      here.disabled = false;
      this.#say(FAILURES[code] ?? FAILURES[2]);
      here.focus();
    }, { timeout: PATIENCE, maximumAge: FRESH });
  }
}
