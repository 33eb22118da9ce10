/** The times that the copy is complete for: the feed's time, and the ranges that were loaded from an archive. */

import * as format from "./format.js";
import { duration } from "./query.js";
import { limitsOf } from "./ranges.js";
import { readSearch } from "./search.js";
import { DAY } from "./statistics.js";

/**
 * The times of USGS's feeds, shortest first.
 * @type {Record<string, string>}
 */
const FEEDS = { hour: "1h", day: "24h", week: "7d", month: "30d" };

/** The most ranges that a note names. */
const NAMED = 3;

/** The longest range that is loaded without a question: three months, in milliseconds. */
const LONGEST_OFFER = 93 * DAY;

/**
 * The range of times that was loaded from an archive, such as "2016-01-01 to 2026-01-01, M 2.5+".
 * @param {LoadedRange} range
 */
function archived({ since, until, minimumMagnitude }) {
  /** @param {number} time */
  const day = (time) => new Date(time).toISOString().slice(0, 10);
  const magnitudes = minimumMagnitude === null ? "" : `, M ${format.exactMagnitude(minimumMagnitude)}+`;
  return `${day(since)} to ${day(until)}${magnitudes}`;
}

/**
 * The ranges with those that touch and have the same events as one, whenever they were loaded.
 * @param {LoadedRange[]} ranges oldest first
 */
function joined(ranges) {
  /** @type {LoadedRange[]} */
  const told = [];
  for (const range of ranges) {
    const known = told.find((other) => range.since <= other.until && range.service === other.service
      && range.minimumMagnitude === other.minimumMagnitude && range.allMagnitudes === other.allMagnitudes);
    if (known) known.until = Math.max(known.until, range.until);
    else told.push({ ...range });
  }
  return told;
}

/**
 * The ranges in words: the longest, when there are many.
 * @param {LoadedRange[]} ranges oldest first
 */
function listed(ranges) {
  const told = joined(ranges);
  const longest = told.toSorted((a, b) => b.until - b.since - (a.until - a.since)).slice(0, NAMED);
  const texts = told.filter((range) => longest.includes(range)).map(archived);
  const others = told.length - longest.length;
  if (others > 0) texts.push(`${others} more range${others === 1 ? "" : "s"}`);
  return new Intl.ListFormat("en").format(texts);
}

/**
 * The times that filters let through, in milliseconds since 1970; infinite without a limit.
 * @param {ListFilters} filters
 */
export function timesOf({ search, since, slice, days }, now = Date.now()) {
  const limits = limitsOf({ days }).days;
  const { earliest, latest } = readSearch(search, now);
  return {
    from: Math.max(now - duration(since), slice?.from ?? -Infinity, limits?.least ?? -Infinity, earliest),
    to: Math.min(slice?.to ?? Infinity, limits?.below ?? Infinity, latest),
  };
}

/**
 * The least magnitude that filters let through.
 * @param {ListFilters} filters
 * @param {number} now
 */
const weakest = ({ search, magnitude, tenths }, now) => Math.max(
  magnitude ?? -Infinity, limitsOf({ tenths }).tenths?.least ?? -Infinity, readSearch(search, now).weakest);

/**
 * A magnitude that archives can be asked for.
 * @param {number} magnitude
 */
const loadable = (magnitude) => Math.min(Math.max(magnitude, -10), 10);

/**
 * Whether ranges, oldest first, have all earthquakes between two times.
 * @type {(ranges: LoadedRange[], from: number, to: number, magnitude: number) => boolean}
 */
function have(ranges, from, to, magnitude) {
  let reached = from;
  for (const { since, until, minimumMagnitude } of ranges) {
    if ((minimumMagnitude ?? -Infinity) > magnitude || since > reached) continue;
    reached = Math.max(reached, until);
  }
  return reached >= to;
}

/**
 * The part of the filters' times that one press loads: "Get the month"; null for a range so long that a question comes
 * before it.
 * @type {(filters: ListFilters, from: number, to: number, now: number) => BackfillOffer | null}
 */
function offer(filters, from, to, now) {
  if (Math.min(to, now) - from > LONGEST_OFFER) return null;
  const window = Object.keys(FEEDS).find((name) => FEEDS[name] === filters.since);
  const isWindow = window && from === now - duration(filters.since);
  const least = weakest(filters, now);
  return {
    text: isWindow ? `Get the ${window}` : "Get what is missing",
    wish: { since: from, until: to < now ? to : null, minimumMagnitude: least === -Infinity ? null : loadable(least) },
  };
}

/**
 * The note on what the list may lack: quiet for all times, since nobody knows what they are; "" when it lacks nothing
 * that is asked for, or when the feed's time is unknown.
 * @param {ListFilters} filters
 * @param {QuakeStatus | null} status
 * @returns {CoverageNote}
 */
export function coverage(filters, status, now = Date.now()) {
  const name = status?.feed?.name ?? "";
  const ranges = status?.coverage ?? [];
  const [, level, covered] = /^(.*_)(hour|day|week|month)(?:\.geojson)?$/.exec(name) ?? [];
  if (!covered) return { text: "", isQuiet: true, offer: null };
  const { from, to } = timesOf(filters, now);
  const start = now - duration(FEEDS[covered]);
  if (from === -Infinity) {
    const older = ranges.length ? listed(ranges) : "what was kept from earlier";
    return { text: `The past ${covered}, and ${older}.`, isQuiet: true, offer: null };
  }
  if (from >= start || have(ranges, from, Math.min(start, to), weakest(filters, now))) {
    return { text: "", isQuiet: false, offer: null };
  }
  const wider = Object.keys(FEEDS).find((feed) => duration(FEEDS[feed]) >= now - from) ?? "month";
  const remedy = wider === covered || status?.archive
    ? "" : ` quakes serve --feed ${level}${wider} fetches the past ${wider}.`;
  const older = ranges.length
    ? `older earthquakes were loaded for ${listed(ranges)}`
    : "what is older was kept from earlier";
  return {
    text: `The feed has the past ${covered} only; ${older}.${remedy}`, isQuiet: false,
    // Up to now when it reaches into the feed's time, or the gap between both would grow as time passes.
    offer: status?.archive ? offer(filters, from, to < start ? to : now, now) : null,
  };
}
