/** The dialog for the section: its two ends, by coordinates or names, and the distance on each side of its line. */

import { find } from "./find.js";
import { lookUp } from "./places.js";
import { readSearch, withTerm } from "./search.js";
import { fromKilometres, get } from "./units.js";

const POINT = /^([+-]?\d{1,3}(?:\.\d+)?)(?:\s*,\s*|\s+)([+-]?\d{1,3}(?:\.\d+)?)$/;
/** The usual distance on each side. */
const USUAL = "50";
const DECIMALS = 3;

/**
 * An end as a term has it: coordinates without spaces, names with `_`.
 * @param {string} text
 */
function endOf(text) {
  const [, latitude, longitude] = POINT.exec(text.trim()) ?? [];
  if (latitude !== undefined) return `${latitude},${longitude}`;
  return text.trim().replace(/\s*,\s*/g, ",").replace(/[\s"“”„]+/g, "_");
}

/**
 * Coordinates as a term has them.
 * @param {{latitude: number, longitude: number}} point
 */
export const pointText = ({ latitude, longitude }) =>
  [latitude, longitude].map((angle) => String(Number(angle.toFixed(DECIMALS)))).join(",");

/**
 * The term of a section.
 * @type {(from: string, to: string, width: string) => string}
 */
export const sectionTerm = (from, to, width) => `section:${endOf(from)}..${endOf(to)} ${width}`;

/**
 * A search for a part of the horizontal axis: of a section a shorter one, else a box between two longitudes or
 * latitudes.
 * @param {string} search
 * @param {SectionLimits} limits
 */
export function narrowed(search, { part }) {
  if (!part) return search;
  const { axis, from, to } = part;
  const [named] = readSearch(search).sections;
  if (axis === "along") {
    if (!named || to - from < 1) return search;
    const { section } = named;
    const [start, end] = [section.pointAt(Math.max(0, from)), section.pointAt(Math.min(section.length, to))];
    return withTerm(search, "section", sectionTerm(pointText(start), pointText(end), `${
      Number(section.halfWidth.toFixed(DECIMALS))}km`));
  }
  /** @type {(value: number, most: number) => number} */
  const limited = (value, most) => Number(Math.max(-most, Math.min(most, value)).toFixed(DECIMALS));
  /** @param {number} value */
  const turned = (value) => limited(value > 180 ? value - 360 : value, 180);
  const [south, north] = axis === "latitude" ? [limited(from, 90), limited(to, 90)] : [-90, 90];
  const [west, east] = axis === "longitude" ? [turned(from), turned(to)] : [-180, 180];
  return withTerm(search, "box", `box:${south},${west}..${north},${east}`);
}

export class SectionDialog {
  #dialog;
  #handlers;
  #parts = {
    form: find("section-form", HTMLFormElement), from: find("section-from", HTMLInputElement),
    to: find("section-to", HTMLInputElement), width: find("section-width", HTMLInputElement),
    error: find("section-error"), unit: find("section-unit"), remove: find("section-remove"),
    pick: find("section-pick"),
  };

  /**
   * @param {HTMLDialogElement} dialog
   * @param {SectionDialogHandlers} handlers
   */
  constructor(dialog, handlers) {
    this.#dialog = dialog;
    this.#handlers = handlers;
    const { form, remove, pick } = this.#parts;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    find("section-close").addEventListener("click", () => dialog.close());
    remove.addEventListener("click", () => {
      dialog.close();
      handlers.choose("");
    });
    pick.addEventListener("click", () => this.#pick());
  }

  /**
   * Opens with the section of a search, if it has one.
   * @param {SearchReading} reading
   */
  open({ sections: [named] }) {
    const { from, to, width, remove, pick } = this.#parts;
    if (named) {
      [from.value, to.value] = named.ends.map((end) => end.replaceAll("_", " "));
      width.value = String(Number(fromKilometres(named.section.halfWidth).toFixed(2)));
    } else if (width.value === "") width.value = USUAL;
    remove.hidden = !named;
    pick.hidden = !this.#handlers.hasMap();
    this.#show();
  }

  #show() {
    this.#parts.unit.textContent = get("distance");
    this.#fail("");
    this.#dialog.showModal();
  }

  /** @param {string} text */
  #fail(text) {
    this.#parts.error.textContent = text;
    this.#parts.error.hidden = text === "";
  }

  /** @param {string} [former] the term whose names have been looked up */
  #submit(former) {
    const { from, to, width } = this.#parts;
    const term = sectionTerm(from.value, to.value, `${Number(width.value)}${get("distance")}`);
    // The reader may have typed on.
    if (!this.#dialog.open || (former !== undefined && former !== term)) return;
    const { errors, missing, sections } = readSearch(term);
    if (missing.length) {
      this.#fail(`Looking up ${missing.map((name) => name.replaceAll("_", " ")).join(", ")}…`);
      for (const name of missing) lookUp(name, () => this.#submit(term));
      return;
    }
    const refusal = errors[0]
      ?? (sections.length ? this.#handlers.refusal(term) : "The ends are places or coordinates.");
    this.#fail(refusal);
    if (refusal) return;
    this.#dialog.close();
    this.#handlers.choose(term);
  }

  async #pick() {
    const { from, to } = this.#parts;
    this.#dialog.close();
    const start = await this.#handlers.pick("Click where the section begins on the map, A");
    const end = start && await this.#handlers.pick("Click where the section ends on the map, B");
    if (start && end) [from.value, to.value] = [pointText(start), pointText(end)];
    this.#show();
  }
}
