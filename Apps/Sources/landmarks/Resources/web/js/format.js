/** Texts from values. */

import * as clock from "./clock.js";

const MINUTE = 60_000;

/**
 * `Updated 42 min ago`, in the largest unit that fits.
 * @param {number | null} time
 */
export function updated(time, now = clock.now()) {
  if (time === null) return "Never updated";
  const minutes = Math.max(0, Math.floor((now - time) / MINUTE));
  if (minutes === 0) return "Updated just now";
  if (minutes < 120) return `Updated ${minutes} min ago`;
  if (minutes < 48 * 60) return `Updated ${Math.floor(minutes / 60)} h ago`;
  return `Updated ${Math.floor(minutes / 60 / 24)} days ago`;
}

/**
 * The number of waiting changes as a text.
 * @param {number} count
 */
export const waiting = (count) => `${count} change${count === 1 ? "" : "s"} waiting`;

/**
 * A date with the time of day.
 * @param {number} time
 */
export const moment = (time) => new Date(time).toLocaleString(
  undefined, { weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "numeric", minute: "2-digit" });

/**
 * A time of day, with its date where that isn't today.
 * @param {number} time
 */
export const recent = (time, now = clock.now()) => (
  new Date(time).toDateString() === new Date(now).toDateString()
    ? new Date(time).toLocaleTimeString(undefined, { hour: "numeric", minute: "2-digit" }) : brief(time, now));

/**
 * A date with the time of day, without its year where that is the other's.
 * @param {number} time
 * @param {number} other
 */
export function brief(time, other) {
  const isSameYear = new Date(time).getFullYear() === new Date(other).getFullYear();
  return new Date(time).toLocaleString(undefined, {
    weekday: "short", day: "numeric", month: "short", ...(!isSameYear && { year: "numeric" }),
    hour: "numeric", minute: "2-digit",
  });
}

/**
 * A time in the form of date fields: local, to the minute.
 * @param {number} time
 */
export function field(time) {
  const date = new Date(time);
  return new Date(time - date.getTimezoneOffset() * MINUTE).toISOString().slice(0, 16);
}

/**
 * A text with a capital letter at its beginning.
 * @param {string} text
 */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * "37.7486° N, 119.5870° W".
 * @param {Pick<Landmark, "latitude" | "longitude">} place
 */
export function coordinates({ latitude, longitude }) {
  /** @type {(value: number, positive: string, negative: string) => string} */
  const part = (value, positive, negative) =>
    `${Math.abs(value).toFixed(4)}° ${value < 0 ? negative : positive}`;
  return `${part(latitude, "N", "S")}, ${part(longitude, "E", "W")}`;
}

/**
 * A text without case and accents, to compare with.
 * @param {string} text
 */
export const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
