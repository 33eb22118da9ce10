/**
 * Text for people: numbers, times, distances and coordinates. Times go in as milliseconds since 1970 UTC, distances
 * as kilometres; units.js has the zone and the unit in which they are told.
 */

import { fromKilometres, get, isUTC } from "./units.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const counts = new Intl.NumberFormat("en");

/**
 * Formats for both zones; gives the one for the zone that is chosen, or for another one.
 * @param {Intl.DateTimeFormatOptions} options
 */
function dates(options) {
  const made = {
    local: new Intl.DateTimeFormat(undefined, options),
    utc: new Intl.DateTimeFormat(undefined, { ...options, timeZone: "UTC" }),
  };
  return (zone = get("zone")) => made[zone];
}

const clock = dates({ hour: "2-digit", minute: "2-digit" });
const day = dates({ day: "numeric", month: "short" });
const dated = dates({ day: "numeric", month: "short", year: "numeric" });
const between = dates({
  day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit",
});
const full = dates({ dateStyle: "medium", timeStyle: "medium" });
/**
 * The zone's name behind times that aren't those of the place where the reader is.
 * @param {string} text
 */
const zoned = (text) => (isUTC() ? `${text} UTC` : text);

/**
 * 19816 → "19,816".
 * @param {number} number
 */
export const count = (number) => counts.format(number);

/**
 * "1 new event", "3 new events".
 * @param {number} number
 * @param {string} singular
 */
export const plural = (number, singular, several = `${singular}s`) =>
  `${count(number)} ${number === 1 ? singular : several}`;

const exact = new Intl.NumberFormat("en", {
  minimumFractionDigits: 1, maximumFractionDigits: 2,
});

/**
 * A number with one decimal, halves away from zero, as magnitudes in the titles of the USGS's feeds: 6.35 is 6.4, where
 * toFixed makes 6.3 of it. A missing number is a dash.
 * @param {number | null} value
 */
export const tenth = (value) => {
  if (value === null) return "–";
  const tenths = Math.round(Math.abs(value) * 10);
  return `${value < 0 && tenths > 0 ? "−" : ""}${(tenths / 10).toFixed(1)}`;
};

/**
 * A number of events a day with a decimal, or as many as it needs not to look like zero: 0.0005.
 * @param {number} value
 */
export const rate = (value) =>
  (value > 0 && value < 0.05 ? value.toFixed(Math.min(9, Math.ceil(-Math.log10(value)))) : tenth(value));

/**
 * A magnitude as seismologists quote it.
 * @param {number | null} value
 */
export const magnitude = (value) => tenth(value);

/**
 * Up to two decimals, as the feed gives it.
 * @param {number | null} value
 */
export const exactMagnitude = (value) =>
  value === null ? "not known" : exact.format(value).replace("-", "−");

/**
 * Depths count from sea level: "12 km deep", "2 km above sea level", "near sea level" for what rounds to zero.
 * @param {number | null} kilometres
 */
export function depth(kilometres) {
  if (kilometres === null) return "depth not known";
  const whole = Math.round(Math.abs(fromKilometres(kilometres)));
  if (whole === 0) return "near sea level";
  return `${whole} ${get("distance")} ${kilometres < 0 ? "above sea level" : "deep"}`;
}

/**
 * The same as the feed gives it, for the details.
 * @param {number | null} kilometres
 */
export function exactDepth(kilometres) {
  if (kilometres === null) return "not known";
  if (kilometres === 0) return `0 ${get("distance")}, sea level`;
  // Of kilometres the digits stay; those of miles are no more exact.
  const value = get("distance") === "km" ? kilometres : Number(fromKilometres(kilometres).toFixed(2));
  return `${Math.abs(value)} ${get("distance")}${kilometres < 0 ? " above sea level" : ""}`;
}

/**
 * A distance in the reader's unit: "0.4 km", "11 mi", "1,014 km".
 * @param {number} kilometres
 */
export function distance(kilometres) {
  const value = fromKilometres(kilometres);
  return `${value < 10 ? Number(value.toFixed(1)) : count(Math.round(value))} ${get("distance")}`;
}

/**
 * A limit of depths in the reader's unit, with at most one decimal and without its name.
 * @param {number} kilometres
 */
export const depthLimit = (kilometres) =>
  String(Number(fromKilometres(kilometres).toFixed(1))).replace("-", "−");

/** The distance at the beginning of a place such as "12 km NNW of Town". */
const DISTANCE = /^(\d+(?:\.\d+)?) ?km (?=[NESW]{1,3} of )/;

/** Characters that control text, such as those that reverse what follows them. */
const CONTROLS = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/**
 * A place as the feed names it, its distance in the reader's unit.
 * @param {string} text
 */
export function place(text) {
  const plain = text.replace(CONTROLS, "\ufffd");
  return get("distance") === "km" ? plain : plain.replace(DISTANCE, (_, distance) => {
    const miles = fromKilometres(Number(distance));
    return `${miles < 1 ? miles.toFixed(1) : Math.round(miles)} mi `;
  });
}

/**
 * The date and time in the reader's zone, with seconds.
 * @param {number} time
 */
export const dateTime = (time) => zoned(full().format(time));

/**
 * The date and time where the reader is, in either setting.
 * @param {number} time
 */
export const here = (time) => full("local").format(time);

/**
 * The same moment in UTC.
 * @param {number} time
 */
export const utc = (time) =>
  `${new Date(time).toISOString().replace("T", " ").replace(/\.\d+Z$/, "")} UTC`;

/**
 * The date and time in the reader's zone, and in the other one, for titles.
 * @param {number} time
 */
export const bothTimes = (time) =>
  (isUTC() ? `${utc(time)} (${here(time)} here)` : `${here(time)} (${utc(time)})`);

/**
 * "14:05" today, "12 Nov, 14:05" on another day.
 * @param {number} time
 */
export function moment(time, now = Date.now()) {
  const isToday = dated().format(time) === dated().format(now);
  return zoned(isToday ? clock().format(time) : `${day().format(time)}, ${clock().format(time)}`);
}

/**
 * "26 Nov 2026, 08:00 – 14:00", or with both days.
 * @param {number} from
 * @param {number} to
 */
export const interval = (from, to) => zoned(between().formatRange(from, to));

/**
 * "3 min ago"; after a week the date.
 * @param {number} time
 */
export function ago(time, now = Date.now()) {
  const passed = now - time;
  if (passed < -MINUTE) return dateTime(time);
  if (passed < MINUTE) return "just now";
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min ago`;
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h ago`;
  if (passed < 7 * DAY) return plural(Math.floor(passed / DAY), "day") + " ago";
  return dated().format(time);
}

/**
 * The age class of the legend: hour, day, week or older.
 * @param {number} time
 */
export function age(time, now = Date.now()) {
  const passed = now - time;
  if (passed < HOUR) return "hour";
  if (passed < DAY) return "day";
  return passed < 7 * DAY ? "week" : "older";
}

/**
 * "35.680° N, 139.770° E".
 * @param {number} latitude
 * @param {number} longitude
 */
export function coordinates(latitude, longitude) {
  const north = `${Math.abs(latitude).toFixed(3)}° ${latitude < 0 ? "S" : "N"}`;
  return `${north}, ${Math.abs(longitude).toFixed(3)}° ${longitude < 0 ? "W" : "E"}`;
}

/**
 * An amount of data: "310 kB", "2.4 MB".
 * @param {number} number
 */
export const bytes = (number) =>
  number < 1e6 ? `${Math.round(number / 1e3)} kB` : `${(number / 1e6).toFixed(1)} MB`;

/**
 * Circle diameter in the list and the legend, in CSS pixels; the map's circles use it too.
 * @param {number | null} value
 */
export const diameter = (value) =>
  value === null ? 6 : Math.min(44, Math.round(6 + 0.9 * Math.max(0, value) ** 1.7));
