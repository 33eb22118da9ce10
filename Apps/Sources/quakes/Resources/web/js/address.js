/**
 * The page's address: filters and selection are in the fragment, so that a link, a bookmark and
 * the back button restore the view, and none of it is sent to the server.
 */

import { readBox, writeBox } from "./box.js";
import { NO_RANGES, RANGES, readRange, writeRange } from "./ranges.js";
import { readSlice, writeSlice } from "./slice.js";

export const SORTS = [
  "time-desc", "time-asc", "magnitude-desc", "magnitude-asc", "place-asc", "place-desc",
];
export const MAGNITUDES = [null, 1, 2.5, 4.5, 6];
export const WINDOWS = ["", "1h", "24h", "7d", "30d"];
/** The maximum length of an event's identifier, in bytes of UTF-8. */
const LONGEST_IDENTIFIER = 200;

/** @type {QuakeState} */
const DEFAULT = {
  magnitude: null, since: "", search: "", sort: "time-desc", withdrawn: false, selected: null, slice: null, box: null,
  ...NO_RANGES,
};
/**
 * The names of the ranges in the address.
 * @type {[RangeKey, string][]}
 */
const RANGE_NAMES = [["days", "days"], ["tenths", "mags"], ["depthBins", "depths"]];
/** Steps of these kinds in a row share one entry of the history. */
const JOINED = ["search", "select", "slice", "box", ...Object.keys(RANGES)];

/**
 * Reads a fragment; anything unknown or out of range gives way to the default.
 * @param {string} fragment
 * @returns {QuakeState}
 */
export function parse(fragment) {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  const magnitude = Number.parseFloat(fields.get("mag") ?? "");
  const since = fields.get("since") ?? "";
  const sort = fields.get("sort") ?? "";
  return {
    magnitude: Number.isFinite(magnitude) && Math.abs(magnitude) <= 10 ? magnitude : null,
    since: /^\d{1,5}[mhd]$/.test(since) ? since : DEFAULT.since,
    search: (fields.get("q") ?? "").slice(0, 200),
    sort: SORTS.includes(sort) ? sort : DEFAULT.sort,
    withdrawn: fields.get("withdrawn") === "1",
    // A longer one, of which the rest doesn't matter, stays no identifier.
    selected: fields.get("event")?.slice(0, LONGEST_IDENTIFIER + 1) || null,
    ...NO_RANGES,
    ...Object.fromEntries(RANGE_NAMES.map(([key, name]) => [key, readRange(key, fields.get(name))])),
    slice: readSlice(fields.get("times")),
    box: readBox(fields.get("box") ?? "").box ?? null,
  };
}

/**
 * Whether an event may have an identifier: the program takes those of 1 to 200 bytes without control characters.
 * @param {string} text
 */
export function isIdentifier(text) {
  return text !== "" && new TextEncoder().encode(text).length <= LONGEST_IDENTIFIER && !/\p{Cc}/u.test(text);
}

/**
 * The fragment of a state, without default values.
 * @param {QuakeState} state
 */
export function format(state) {
  const fields = new URLSearchParams();
  if (state.magnitude !== null) fields.set("mag", String(state.magnitude));
  if (state.since) fields.set("since", state.since);
  if (state.search) fields.set("q", state.search);
  for (const [key, name] of RANGE_NAMES) {
    const range = state[key];
    if (range) fields.set(name, writeRange(key, range));
  }
  if (state.slice) fields.set("times", writeSlice(state.slice));
  if (state.box) fields.set("box", writeBox(state.box));
  if (state.sort !== DEFAULT.sort) fields.set("sort", state.sort);
  if (state.withdrawn) fields.set("withdrawn", "1");
  if (state.selected) fields.set("event", state.selected);
  const text = fields.toString();
  return text ? `#${text}` : "";
}

/** Keeps the address and the state in step. */
export class Address {
  /** @type {string | null} */
  #lastKind = null;

  /** @param {(state: QuakeState) => void} arrived called when the reader goes back or forward */
  constructor(arrived) {
    addEventListener("popstate", () => {
      // Links within the page, such as the one to the list, aren't states of it.
      if (location.hash !== "" && !location.hash.includes("=")) return;
      this.#lastKind = null;
      arrived(parse(location.hash));
    });
  }

  /**
   * Corrects the present entry of the history.
   * @param {QuakeState} state
   */
  replace(state) {
    history.replaceState(null, "", format(state) || location.pathname);
  }

  /**
   * Writes the state. Steps of one kind in a row (typing, walking through the list) share one
   * entry of the history, so that "back" undoes them together.
   * @param {QuakeState} state
   * @param {string} kind
   */
  write(state, kind) {
    const fragment = format(state);
    if (fragment === location.hash) return;
    const target = fragment || location.pathname;
    const joins = this.#lastKind === kind && JOINED.includes(kind);
    if (joins) history.replaceState(null, "", target);
    else history.pushState(null, "", target);
    this.#lastKind = kind;
  }
}
