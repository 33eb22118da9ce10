/**
 * Words of a search without a form of their own, with everything that each may mean. The command line and the API
 * have the same rules in SearchWord.swift; the cases of Apps/Tests/SearchCases hold for both.
 */

import PLACES from "./place-names.js";

/** The minimum number of characters of the beginning of a country's or state's name. */
const SHORTEST = 3;
const MAGNITUDE = /^(m?)(\d{1,2})(?:\.(\d{1,2}))?(\+?)$/;
const DATE = /^((?:19|20|21)\d\d)-(\d\d)(?:-(\d\d))?$/;
const NONE = { least: NaN, below: NaN };

/** Letters whose upper case has other lower case: "Straße" is found by "strasse". */
const UNFOLDED = /[ßſς\ufb00-\ufb06]/g;

/**
 * Lower case without accents, so that "pahala" finds "Pāhala". The marks of "が" are no accents, and a Hangul syllable
 * isn't a part of another one.
 * @param {string} text
 */
export function folded(text) {
  if (/^[ -~]*$/.test(text)) return text.toLowerCase();
  return text.normalize("NFD").replace(/(?![\u3099\u309a])[\p{Mn}\p{Me}]/gu, "").toLowerCase()
    .replace(UNFOLDED, (letter) => (letter === "ς" ? "σ" : letter.toUpperCase().toLowerCase())).normalize("NFC");
}

/**
 * Whether a word means a country or state.
 * @type {(word: string, place: {keys: string[]}) => boolean}
 */
const isMeant = (word, { keys }) => keys.some((key) =>
  key === word || (word.length >= SHORTEST && key.startsWith(word)));

/**
 * One pattern for all texts: a pass over a place instead of one for each.
 * @param {string} word
 */
function pattern(word) {
  const texts = PLACES.filter((place) => isMeant(word, place)).flatMap(({ texts: all }) => all);
  if (!texts.length) return null;
  return new RegExp(texts.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"));
}

/**
 * "6.4": what rounds to it; "m6": from 6 to below 7; "4.5+": from 4.5 on. "6" alone may be a distance.
 * @param {string} word
 */
export function magnitudesOf(word) {
  const [, mark, whole, decimals, open] = MAGNITUDE.exec(word) ?? [];
  if (whole === undefined || !(mark || decimals || open)) return NONE;
  const value = Number(decimals ? `${whole}.${decimals}` : whole);
  if (open) return { least: value, below: 100 };
  if (!decimals) return { least: value, below: value + 1 };
  // Whole numbers divided give the limits of decimals; 6.4 - 0.05 is above 6.35, which would round to nothing.
  const scale = decimals.length === 1 ? 10 : 100;
  const steps = Math.round(value * scale) * 10;
  return { least: (steps - 5) / (scale * 10), below: (steps + 5) / (scale * 10) };
}

/**
 * The start of a day in UTC, in milliseconds; NaN for one that the calendar doesn't have.
 * @param {string} year
 * @param {string} month
 * @param {string} day
 */
export function dayStart(year, month, day) {
  const start = Date.UTC(Number(year), Number(month) - 1, Number(day));
  return new Date(start).toISOString().startsWith(`${year}-${month}-${day}`) ? start : NaN;
}

/**
 * The day "2026-05-03" or the month "2026-05" in UTC.
 * @param {string} word
 */
function times(word) {
  const [, year, month, day] = DATE.exec(word) ?? [];
  if (year === undefined) return NONE;
  const least = dayStart(year, month, day ?? "01");
  if (Number.isNaN(least)) return NONE;
  return { least, below: day ? least + 86_400_000 : Date.UTC(Number(year), Number(month), 1) };
}

/**
 * A word with everything that it may mean.
 * @param {string} text the word, folded
 * @returns {SearchWord}
 */
export const searchWord = (text) => ({
  text, pattern: pattern(text), magnitudes: magnitudesOf(text), times: times(text),
});

/** @type {(value: number, limits: {least: number, below: number}) => boolean} */
const isWithin = (value, { least, below }) => value >= least && value < below;

/**
 * Whether a text is a part of the place of an event, or of its kind if that isn't earthquake.
 * @type {(text: string, store: EventStore, index: number) => boolean}
 */
export const isTextIn = (text, store, index) => store.texts[index].includes(text);

/**
 * Whether the event at an index of the store meets a word.
 * @type {(word: SearchWord, store: EventStore, index: number) => boolean}
 */
export const isMet = (word, store, index) => isTextIn(word.text, store, index)
  || (word.pattern !== null && word.pattern.test(store.events[index].place ?? ""))
  || isWithin(store.magnitudes[index], word.magnitudes)
  || isWithin(store.times[index], word.times);
