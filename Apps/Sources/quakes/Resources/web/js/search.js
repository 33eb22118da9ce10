/**
 * The search: terms, all of which an event has to meet, such as `california m>4 -type:blast near:tokyo 300km`. The
 * command line and the API have the same rules in SearchTerm+Reading.swift; the cases of Apps/Tests/SearchCases hold
 * for both.
 */

import { isIdentifier } from "./address.js";
import { isInBox, readBox } from "./box.js";
import { distance } from "./great-circle.js";
import { knownPlace, ownPlace } from "./places.js";
import { Section } from "./section.js";
import { searchTokens } from "./search-tokens.js";
import { dayStart, folded, isMet, isTextIn, magnitudesOf, searchWord } from "./search-words.js";
import { toMiles } from "./units.js";

const SECTION_EXAMPLE = "section:35.5,139..38,145 50km";
/**
 * Distances that may follow a term, in kilometres: the usual one, the greatest, and what is possible.
 * @type {Record<"radius" | "halfWidth", {usual: number, most: number, advice: string}>}
 */
const DISTANCES = {
  radius: {
    usual: 100, most: 20_000, advice: "a radius is more than 0 and at most 20000 km, as in near:tokyo 300km",
  },
  halfWidth: {
    usual: 50, most: 1_000,
    advice: `a section has more than 0 and at most 1000 km on each side of its line, as in ${SECTION_EXAMPLE}`,
  },
};
const MOST_PLACES = 5;

const NUMBER = /^[+-]?[0-9]{1,5}(\.[0-9]{1,6})?$/;
const COMPARISON = /^(m|mag|magnitude|depth)(>=|<=|>|<|≥|≤|=|:)(.*)$/;
const KEY = /^(since|until|type|status|id|near|box|section):/;
const SPAN = /^([0-9]{1,11})([smhdw])$/;
const MOMENT = /^((?:1[6-9]|2[01])\d\d)(?:-(\d\d)(?:-(\d\d)(?:t(\d\d):(\d\d)(?::(\d\d))?z?)?)?)?$/;
const POINT = /^([+-]?[0-9]{1,3}(?:\.[0-9]{1,9})?),([+-]?[0-9]{1,3}(?:\.[0-9]{1,9})?)$/;
const RADIUS = /^([0-9]+(?:\.[0-9]+)?)(km|mi)$/;
const SIGN = /^[<>≤≥=]/;
const QUOTE = /["“”„]/;
const NAME_WORD = /^[\p{L}\p{M}.'’-]+$/u;
/** @type {Record<string, number>} */
const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };
/** A thousand years, in seconds. */
const LONGEST_SPAN = 31_557_600_000;
const STATUSES = ["automatic", "reviewed", "deleted"];

/** A term that begins like one and cannot be read. */
class Fault extends Error {
  /**
   * @param {string} source the term as typed
   * @param {string} reason
   */
  constructor(source, reason) {
    super(`“${source}”: ${reason}.`);
  }
}

/** @param {string} text */
const number = (text) => (NUMBER.test(text) ? Number(text) : NaN);

/** @type {(value: number, most: number) => number} */
const limited = (value, most) => (Math.abs(value) <= most ? value : NaN);

/** @param {string} text */
const magnitude = (text) => limited(number(text), 20);

/** @param {string} text */
function depth(text) {
  const plain = text.replace(/(km|mi)$/, "");
  return limited(number(plain) * (text.endsWith("mi") ? toMiles : 1), 10_000);
}

/**
 * The test of a comparison or a range; null when a number is none, or lacks.
 * @param {string} sign
 * @param {string} value
 * @param {(text: string) => number} read
 * @param {() => Fault} empty
 * @returns {((value: number) => boolean) | null}
 */
function bounds(sign, value, read, empty) {
  if (sign !== ":" && sign !== "=") {
    const limit = read(value);
    if (Number.isNaN(limit)) return null;
    if (sign === ">") return (each) => each > limit;
    if (sign === "<") return (each) => each < limit;
    if (sign === ">=" || sign === "≥") return (each) => each >= limit;
    return (each) => each <= limit;
  }
  const ends = value.split("..");
  if (ends.length !== 2 || (ends[0] === "" && ends[1] === "")) return null;
  const least = ends[0] === "" ? -Infinity : read(ends[0]);
  const most = ends[1] === "" ? Infinity : read(ends[1]);
  if (Number.isNaN(least) || Number.isNaN(most)) return null;
  if (least > most) throw empty();
  return (each) => each >= least && each <= most;
}

/** @type {(sign: string, value: string, source: string) => SearchTest} */
function magnitudeTest(sign, value, source) {
  const rounded = (sign === ":" || sign === "=") && !value.includes("..") ? magnitudesOf(`m${value}`) : null;
  if (rounded && !Number.isNaN(rounded.least)) {
    const { least, below } = rounded;
    return (store, index) => store.magnitudes[index] >= least && store.magnitudes[index] < below;
  }
  const test = bounds(sign, value, magnitude, () =>
    new Fault(source, "the range is empty; the lower end comes first, as in m:4..5"));
  if (!test) throw new Fault(source, "magnitudes are numbers, as in m>4, m<=5, m:6.4 or m:4..5");
  return (store, index) => test(store.magnitudes[index]);
}

/**
 * The least magnitude of a comparison or a range that can be read; -Infinity without one.
 * @type {(sign: string, value: string) => number}
 */
function leastMagnitude(sign, value) {
  if (sign.startsWith("<") || sign === "≤") return -Infinity;
  if (sign !== ":" && sign !== "=") return magnitude(value);
  const [least, most] = value.split("..");
  if (most === undefined) return magnitudesOf(`m${value}`).least;
  return least === "" ? -Infinity : magnitude(least);
}

/** @type {(sign: string, value: string, source: string) => SearchTest} */
function depthTest(sign, value, source) {
  const test = bounds(sign, value, depth, () =>
    new Fault(source, "the range is empty; the lower end comes first, as in depth:10..30"));
  if (!test) {
    throw new Fault(source, "depths are kilometres, or miles, as in depth<30, depth>=70mi or depth:10..30");
  }
  return (store, index) => test(store.depths[index]);
}

/**
 * A time in milliseconds.
 * @param {string} text
 * @param {string} source
 * @param {number} now
 */
function moment(text, source, now) {
  const [, count, unit] = SPAN.exec(text) ?? [];
  const span = count ? Number(count) * SECONDS[unit] : 0;
  if (span > 0 && span <= LONGEST_SPAN) return { time: now - span * 1_000, isMoving: true };
  const [, year, month = "01", day = "01", ...clock] = MOMENT.exec(text) ?? [];
  const [hour, minute, second] = clock.map((part) => Number(part ?? 0));
  const start = year ? dayStart(year, month, day) : NaN;
  if (!Number.isNaN(start) && hour < 24 && minute < 60 && second < 60) {
    return { time: start + ((hour * 60 + minute) * 60 + second) * 1_000, isMoving: false };
  }
  throw new Fault(source, "times are years, months or days in UTC, or spans that end now, as in since:2024,"
    + " since:2024-05, since:2024-05-03 or since:7d");
}

/**
 * Takes the distance `300km` or `200 mi` from the tokens that follow; returns it in kilometres.
 * @param {SearchToken[]} rest
 * @param {{usual: number, most: number, advice: string}} rule
 */
function takeDistance(rest, { usual, most, advice }) {
  /** @param {SearchToken | undefined} token */
  const plain = (token) => (token && !token.isNegated && !token.isQuoted ? folded(token.text) : "");
  let [text, count] = [plain(rest[0]), 1];
  if (/^[0-9.]+$/.test(text) && ["km", "mi"].includes(plain(rest[1]))) [text, count] = [text + plain(rest[1]), 2];
  const [, value, unit] = RADIUS.exec(text) ?? [];
  // A magnitude, such as 6.4, may follow.
  if (value === undefined && !/^[0-9]+$/.test(text)) return { kilometres: usual, taken: "" };
  const kilometres = (value !== undefined && value.length <= 12 ? Number(value) : 0) * (unit === "mi" ? toMiles : 1);
  // One that cannot be is left out with its place, and isn't a word.
  const taken = rest.splice(0, count).map(({ source }) => source).join(" ");
  if (!(kilometres > 0 && kilometres <= most)) throw new Fault(taken, advice);
  return { kilometres, taken };
}

/**
 * The place that a term names; null before the program has answered.
 * @param {string} value
 * @param {string} source
 * @param {string} example
 * @returns {(NamedPlace & {isOwn?: boolean}) | null}
 */
function placeOf(value, source, example = "near:35.7,139.7") {
  const [, north, east] = POINT.exec(value) ?? [];
  if (north !== undefined) {
    const [latitude, longitude] = [Number(north), Number(east)];
    if (Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180) return { name: null, latitude, longitude };
    throw new Fault(source, `latitudes are from -90 to 90 and longitudes from -180 to 180, as in ${example}`);
  }
  const own = ownPlace(value);
  if (own) return { ...own, isOwn: true };
  const answer = knownPlace(value);
  if (!answer) return null;
  if (answer.place) return answer.place;
  throw new Fault(source, (answer.message ?? "").replace(/\.$/, ""));
}

/** @param {string} name */
const placeIsKnown = (name) => Boolean(ownPlace(name) ?? knownPlace(name));

/**
 * A name of several words that a place has, of which the further ones, at most two, are taken from the tokens that
 * follow: `near:new york`; otherwise the name itself. Names that have to be looked up before are missing.
 * @param {string} value
 * @param {SearchToken} token
 * @param {SearchToken[]} rest
 * @returns {{name: string, taken: string[], missing: string[]}}
 */
function longName(value, token, rest) {
  const found = { name: value, taken: [], missing: [] };
  if (QUOTE.test(token.source) || /[0-9,]/.test(value) || ownPlace(value)) return found;
  const other = rest.slice(0, 2).findIndex(({ text, isNegated, isQuoted }) =>
    isNegated || isQuoted || !NAME_WORD.test(text));
  const words = rest.slice(0, other < 0 ? 2 : other);
  const names = words.map((_, at) => [value, ...words.slice(0, at + 1).map(({ text }) => text)].join(" "));
  const missing = names.filter((name) => !placeIsKnown(name));
  const last = names.map((name) => Boolean(ownPlace(name) ?? knownPlace(name)?.place)).lastIndexOf(true);
  if (missing.length > 0 || last < 0) return { ...found, missing };
  return { name: names[last], taken: rest.splice(0, last + 1).map(({ source }) => source), missing };
}

/** Reads the terms of a search one by one. */
class Reading {
  /** @type {SearchReading} */
  result = { terms: [], errors: [], missing: [], places: [], sections: [], sent: "", isMoving: false, identifier: "",
    earliest: -Infinity, latest: Infinity, weakest: -Infinity };
  #rest;
  #now;
  #isOfWords = true;
  #placeCount = 0;
  /** @type {string[]} */
  #sent = [];

  /**
   * @param {string} search
   * @param {number} now
   */
  constructor(search, now) {
    this.#rest = searchTokens(search);
    this.#now = now;
    for (let token = this.#rest.shift(); token; token = this.#rest.shift()) {
      try {
        this.#take(token);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        this.result.errors.push(error.message);
      }
    }
    this.result.sent = this.#sent.join(" ");
    if (this.#isOfWords && this.result.terms.length && !this.result.errors.length) {
      this.result.identifier = search.trim();
      this.result.sent = search.trim();
    }
  }

  /** @param {SearchToken} token */
  #take(token) {
    // An accent alone isn't the text that all places have.
    const text = folded(token.text) || token.text;
    const [, name, sign, value] = COMPARISON.exec(text) ?? [];
    const [start, key] = KEY.exec(text) ?? [];
    if (token.isQuoted) this.#add(token, (store, index) => isTextIn(text, store, index));
    else if (name === "depth") this.#add(token, depthTest(sign, value, token.source));
    else if (name !== undefined) {
      this.#add(token, magnitudeTest(sign, value, token.source));
      if (!token.isNegated) this.result.weakest = Math.max(this.result.weakest, leastMagnitude(sign, value));
    }
    else if (key === "near") this.#takePlace(token, token.text.slice(start.length));
    else if (key === "section") this.#takeSection(token, token.text.slice(start.length));
    else if (key !== undefined) this.#add(token, this.#keyed(key, token.text.slice(start.length), token));
    else if (SIGN.test(text)) throw new Fault(token.source, "a comparison has no spaces, as in m>4 or depth<30");
    else if (RADIUS.test(text)) {
      throw new Fault(token.source, "a distance is right behind near: or section:, and a name of several words in"
        + " quotation marks, as in near:\"new york\" 300km");
    } else {
      const word = searchWord(text);
      this.#add(token, (store, index) => isMet(word, store, index), true);
      if (!token.isNegated) this.#limit(word.times.least, word.times.below);
    }
  }

  /**
   * Notes times outside of which nothing is asked for.
   * @type {(least: number, below: number) => void} NaN for none
   */
  #limit(least, below) {
    if (least > this.result.earliest) this.result.earliest = least;
    if (below < this.result.latest) this.result.latest = below;
  }

  /** @type {(key: string, value: string, token: SearchToken) => SearchTest} */
  #keyed(key, value, { source, isNegated }) {
    const text = folded(value);
    if (key === "type") {
      const kind = text.replaceAll("_", " ");
      if (kind === "") throw new Fault(source, "lacks a kind of event, as in type:blast");
      return (store, index) => folded(store.events[index].type).includes(kind);
    }
    if (key === "status") {
      if (!STATUSES.includes(text)) throw new Fault(source, "a status is automatic, reviewed or deleted");
      return (store, index) => store.events[index].status === text;
    }
    if (key === "id") {
      if (!isIdentifier(value) || value.includes(",")) {
        throw new Fault(source, "lacks an identifier, as in id:nc75176351");
      }
      return (store, index) => store.events[index].id === value
        || Boolean(store.events[index].aliases?.includes(value));
    }
    if (key === "box") {
      const { box, fault } = readBox(text);
      if (!box) throw new Fault(source, fault);
      return (store, index) => isInBox(box, store.events[index]);
    }
    const { time, isMoving } = moment(text, source, this.#now);
    this.result.isMoving ||= isMoving;
    if ((key === "since") !== isNegated) this.#limit(time, NaN);
    else this.#limit(NaN, time);
    return key === "since" ? (store, index) => store.times[index] >= time
      : (store, index) => store.times[index] < time;
  }

  /** @type {(token: SearchToken, value: string) => void} */
  #takePlace(token, value) {
    if (value === "") throw new Fault(token.source, "lacks a place, as in near:tokyo or near:35.7,139.7");
    const long = longName(value, token, this.#rest);
    const { kilometres: radius, taken } = takeDistance(this.#rest, DISTANCES.radius);
    const place = long.missing.length > 0 ? null : placeOf(long.name, token.source);
    this.#countPlace(token);
    const sign = token.isNegated ? "-" : "";
    const source = place?.isOwn ? `${sign}near:${place.latitude},${place.longitude}`
      : [token.source, ...long.taken].join(" ");
    if (!place) {
      this.result.missing.push(...long.missing, ...(placeIsKnown(value) ? [] : [value]));
      return;
    }
    this.#sent.push(taken ? `${source} ${taken}` : source);
    const { name, latitude, longitude } = place;
    const centre = { latitude, longitude };
    if (!token.isNegated) this.result.places.push({ name, latitude, longitude, radius });
    this.result.terms.push({
      isNegated: token.isNegated, test: (store, index) => distance(centre, store.events[index]) <= radius,
    });
  }

  /** @type {(token: SearchToken, value: string) => void} */
  #takeSection(token, value) {
    const { source, isNegated } = token;
    const { kilometres: halfWidth, taken } = takeDistance(this.#rest, DISTANCES.halfWidth);
    const ends = value.split("..");
    if (ends.length !== 2 || ends.includes("")) {
      throw new Fault(source, `a section is its two ends, as in ${SECTION_EXAMPLE} or section:tokyo..sendai`);
    }
    const [from, to] = ends.map((end) => placeOf(end, source, SECTION_EXAMPLE));
    this.#countPlace(token);
    if (!from || !to) {
      this.result.missing.push(...ends.filter((_, at) => ![from, to][at]));
      return;
    }
    const section = new Section(from, to, halfWidth);
    if (!section.isUsable) {
      throw new Fault(source, "the ends of a section are from 1 to 20000 km apart: equal and opposite points have no"
        + ` line of their own, as in ${SECTION_EXAMPLE}`);
    }
    const [sentFrom, sentTo] = [from, to].map((place, at) =>
      (place.isOwn ? `${place.latitude},${place.longitude}` : ends[at].replaceAll(" ", "_")));
    const sent = from.isOwn || to.isOwn ? `${isNegated ? "-" : ""}section:${sentFrom}..${sentTo}` : source;
    this.#sent.push(taken ? `${sent} ${taken}` : sent);
    if (!isNegated) this.result.sections.push({ section, ends: [ends[0], ends[1]] });
    this.result.terms.push({
      isNegated, test: (store, index) => section.contains(store.events[index]),
    });
  }

  /** @param {SearchToken} token */
  #countPlace({ source }) {
    this.#placeCount += 1;
    if (this.#placeCount > MOST_PLACES) throw new Fault(source, `a search has at most ${MOST_PLACES} places`);
    this.#isOfWords = false;
  }

  /** @type {(token: SearchToken, test: SearchTest, isWord?: boolean) => void} */
  #add(token, test, isWord = false) {
    this.result.terms.push({ isNegated: token.isNegated, test });
    this.#sent.push(token.source);
    this.#isOfWords &&= isWord;
  }
}

/**
 * Reads a search. Terms that cannot be read, and places that are being looked up, are left out of it.
 * @param {string} search
 * @returns {SearchReading}
 */
export const readSearch = (search, now = Date.now()) => new Reading(search, now).result;

/**
 * Whether the event at an index of the store meets the terms.
 * @type {(terms: SearchTerm[], store: EventStore, index: number) => boolean}
 */
export function meets(terms, store, index) {
  for (const { test, isNegated } of terms) if (test(store, index) === isNegated) return false;
  return true;
}

/**
 * A search with another term of a key instead of its present ones; its other terms stay.
 * @param {string} search
 * @param {"section" | "box"} key
 * @param {string} term "" for none
 */
export function withTerm(search, key, term) {
  const rest = searchTokens(search);
  const kept = [];
  for (let token = rest.shift(); token; token = rest.shift()) {
    const isIt = !token.isNegated && !token.isQuoted && folded(token.text).startsWith(`${key}:`);
    if (!isIt) kept.push(token.source);
    else if (key === "section") dropDistance(rest);
  }
  return [...kept, term].filter(Boolean).join(" ");
}

/**
 * Drops the distance behind a term, also one that cannot be.
 * @param {SearchToken[]} rest
 */
function dropDistance(rest) {
  try {
    takeDistance(rest, DISTANCES.halfWidth);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
  }
}
