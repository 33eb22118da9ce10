/**
 * The slice of time that the slider chooses: {from, to}, in milliseconds since 1970 UTC, its end left out; or null.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Times that dates can tell: from the year 1600 to 2600. */
const LIMITS = [-11_676_096_000_000, 19_880_899_200_000];
const MOMENT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)$/;

/** The lengths of a slice, in milliseconds, by their names. */
export const SPANS = new Map([
  ["1 hour", HOUR], ["6 hours", 6 * HOUR], ["1 day", DAY], ["3 days", 3 * DAY], ["1 week", 7 * DAY],
  ["30 days", 30 * DAY], ["1 year", 365 * DAY],
]);
/** The steps of the slider: a day and its parts. */
const STEPS = [1, 5, 10, 15, 30, 60, 180, 360, 720, 1440, 10_080].map((minutes) => minutes * MINUTE);

/** @param {string} text */
function readMoment(text) {
  const [, moment] = MOMENT.exec(text) ?? [];
  const time = moment ? Date.parse(`${moment}Z`) : NaN;
  return time >= LIMITS[0] && time <= LIMITS[1] ? time : null;
}

/** @param {number} time */
const writeMoment = (time) => new Date(time).toISOString().slice(0, 16);

/**
 * Reads a slice from an address, such as "2026-01-31T06:00..2026-01-31T12:00" in UTC; null for anything else.
 * @param {string | null} text
 * @returns {TimeSlice | null}
 */
export function readSlice(text) {
  const [from = null, to = null, ...rest] = (text ?? "").split("..").map(readMoment);
  return rest.length || from === null || to === null || to <= from ? null : { from, to };
}

/** @param {TimeSlice} slice */
export const writeSlice = ({ from, to }) => `${writeMoment(from)}..${writeMoment(to)}`;

/**
 * Whether a time is in a slice.
 * @param {number} time
 * @param {TimeSlice} slice
 */
export const isInSlice = (time, { from, to }) => time >= from && time < to;

/**
 * The range of the slider for events between two times: whole minutes round them, and the step of a key.
 * @param {number} earliest
 * @param {number} latest
 * @returns {SliderRange} `span` is the length of a slice that suits the range
 */
export function rangeOf(earliest, latest) {
  const step = STEPS.find((each) => (latest - earliest) / each <= 200) ?? STEPS[STEPS.length - 1];
  const first = Math.floor(earliest / step) * step;
  const last = (Math.floor(latest / step) + 1) * step;
  const span = [...SPANS.values()].findLast((each) => each <= (last - first) / 6) ?? HOUR;
  return { first, last, step, span };
}
