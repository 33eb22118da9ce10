/** Text for people: numbers, times and coordinates. Times go in as milliseconds since 1970 UTC. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const counts = new Intl.NumberFormat("en");
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const dated = new Intl.DateTimeFormat(undefined, {
  day: "numeric", month: "short", year: "numeric",
});
const between = new Intl.DateTimeFormat(undefined, {
  day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit",
});
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** 19816 → "19,816". */
export const count = (number) => counts.format(number);

/** "1 new event", "3 new events". */
export const plural = (number, singular, several = `${singular}s`) =>
  `${count(number)} ${number === 1 ? singular : several}`;

const exact = new Intl.NumberFormat("en", {
  minimumFractionDigits: 1, maximumFractionDigits: 2,
});

/** One decimal as seismologists quote it; a missing magnitude is a dash. */
export const magnitude = (value) => (value === null ? "–" : value.toFixed(1).replace("-", "−"));

/** Up to two decimals, as the feed gives it. */
export const exactMagnitude = (value) =>
  value === null ? "not known" : exact.format(value).replace("-", "−");

/** Depths count from sea level: "12 km deep", "2 km above sea level", "near sea level" for what rounds to zero. */
export function depth(kilometres) {
  if (kilometres === null) return "depth not known";
  const whole = Math.round(Math.abs(kilometres));
  if (whole === 0) return "near sea level";
  return kilometres < 0 ? `${whole} km above sea level` : `${whole} km deep`;
}

/** The same as the feed gives it, for the details. */
export function exactDepth(kilometres) {
  if (kilometres === null) return "not known";
  if (kilometres === 0) return "0 km, sea level";
  return kilometres < 0 ? `${-kilometres} km above sea level` : `${kilometres} km`;
}

/** The date and time here, with seconds. */
export const local = (time) => full.format(time);

/** The same moment in UTC, for titles. */
export const utc = (time) =>
  `${new Date(time).toISOString().replace("T", " ").replace(/\.\d+Z$/, "")} UTC`;

/** "14:05" today, "12 Nov, 14:05" on another day. */
export function moment(time, now = Date.now()) {
  const sameDay = new Date(time).toDateString() === new Date(now).toDateString();
  return sameDay ? clock.format(time) : `${day.format(time)}, ${clock.format(time)}`;
}

/** "26 Nov 2026, 08:00 – 14:00", or with both days. */
export const interval = (from, to) => between.formatRange(from, to);

/** "3 min ago"; after a week the date. */
export function ago(time, now = Date.now()) {
  const passed = now - time;
  if (passed < -MINUTE) return full.format(time);
  if (passed < MINUTE) return "just now";
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min ago`;
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h ago`;
  if (passed < 7 * DAY) return plural(Math.floor(passed / DAY), "day") + " ago";
  return dated.format(time);
}

/** The age class of the legend: hour, day, week or older. */
export function age(time, now = Date.now()) {
  const passed = now - time;
  if (passed < HOUR) return "hour";
  if (passed < DAY) return "day";
  return passed < 7 * DAY ? "week" : "older";
}

export function coordinates(latitude, longitude) {
  const north = `${Math.abs(latitude).toFixed(3)}° ${latitude < 0 ? "S" : "N"}`;
  return `${north}, ${Math.abs(longitude).toFixed(3)}° ${longitude < 0 ? "W" : "E"}`;
}

export const bytes = (number) =>
  number < 1e6 ? `${Math.round(number / 1e3)} kB` : `${(number / 1e6).toFixed(1)} MB`;

/** Circle diameter in the list and the legend, in CSS pixels; the map's circles use it too. */
export const diameter = (value) =>
  value === null ? 6 : Math.min(44, Math.round(6 + 0.9 * Math.max(0, value) ** 1.7));
