/**
 * The statistics of events, with the rules and the shape of GET /api/statistics (docs/openapi.yaml), whose sources
 * are in EventStatistics.swift and MagnitudeDistribution.swift. Days are those of UTC; magnitudes and moments are
 * those of earthquakes, without explosions and quarry blasts.
 */

export const DAY = 86_400_000;
/** The height of a bin of depths, in kilometres. */
export const DEPTH_BIN = 10;
/** The number of earthquakes from which a law is fitted. */
const LEAST_FITTED = 50;
const BIN_WIDTH = 0.1;
/** The tenths of a magnitude that are counted. */
const LOWEST = -50;
const HIGHEST = 120;

/**
 * The bin of a magnitude, in tenths, halves up.
 * @param {number} magnitude
 */
export const tenthsOf = (magnitude) => Math.floor(magnitude * 10 + 0.5);

/**
 * The day of a time, counted from 1970.
 * @param {number} time
 */
export const dayOf = (time) => Math.floor(time / DAY);

/**
 * The bin of a depth.
 * @param {number} depth in kilometres
 */
export const depthBinOf = (depth) => Math.floor(depth / DEPTH_BIN);

/**
 * "2026-01-31" for a number of days since 1970.
 * @param {number} day
 */
export const dayText = (day) => new Date(day * DAY).toISOString().slice(0, 10);

/**
 * The number of days for "2026-01-31"; null for other texts, and for days that don't exist.
 * @param {string} text
 */
export function dayNumber(text) {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  return Number.isNaN(time) || dayText(time / DAY) !== text ? null : time / DAY;
}

/**
 * The moment in newton metres of an earthquake.
 * @param {number} magnitude
 */
const momentOf = (magnitude) => 10 ** (1.5 * magnitude + 9.05);

/**
 * The entries by their numbers.
 * @template T
 * @param {Map<number, T>} bins
 */
const sorted = (bins) => [...bins].sort(([a], [b]) => a - b);

/**
 * The law that fits bins of magnitudes [tenths, count], ascending; null for too few earthquakes.
 * @param {[number, number][]} bins
 * @param {number} completeness in tenths
 * @returns {MagnitudeLaw | null}
 */
function law(bins, completeness) {
  const complete = bins.filter(([bin]) => bin >= completeness);
  const count = complete.reduce((sum, [, number]) => sum + number, 0);
  if (count < LEAST_FITTED || complete.length < 2) return null;
  const mean = complete.reduce((sum, [bin, number]) => sum + bin * number, 0) / count / 10;
  const squares = complete.reduce((sum, [bin, number]) => sum + (bin / 10 - mean) ** 2 * number, 0);
  const least = completeness / 10;
  const b = 1 / Math.log(10) / (mean - (least - BIN_WIDTH / 2));
  const error = Math.log(10) * b * b * Math.sqrt(squares / (count * (count - 1)));
  return { completeness: least, count, a: Math.log10(count) + b * least, b, error };
}

/**
 * The lowest magnitude from which events are taken to be complete, in tenths: the most frequent bin plus 0.2.
 * @param {[number, number][]} bins
 */
function completenessOf(bins) {
  if (bins.length === 0) return null;
  const [most] = bins.reduce((best, bin) => (bin[1] >= best[1] ? bin : best));
  return most + 2;
}

/**
 * The statistics of events.
 * @param {Iterable<number>} view indexes of a store
 * @param {Pick<EventStore, "events" | "times" | "magnitudes" | "depths">} store the page's events, as columns
 * @returns {QuakeStatistics}
 */
export function statistics(view, store) {
  const { events, times, magnitudes, depths } = store;
  /** @type {Map<number, {count: number, moment: number}>} */
  const days = new Map();
  /** @type {Map<number, number>} */
  const depthBins = new Map();
  /** @type {Map<number, number>} */
  const bins = new Map();
  /** @type {Pick<QuakeStatistics, "count" | "first" | "last" | "earthquakes" | "strongest">} */
  const result = { count: 0, first: null, last: null, earthquakes: 0, strongest: null };
  let total = 0;
  for (const index of view) {
    const time = times[index];
    result.count += 1;
    if (result.first === null || time < result.first) result.first = time;
    if (result.last === null || time > result.last) result.last = time;
    const day = days.get(dayOf(time)) ?? { count: 0, moment: 0 };
    days.set(dayOf(time), day);
    day.count += 1;
    const depth = depthBinOf(depths[index]);
    if (!Number.isNaN(depth)) depthBins.set(depth, (depthBins.get(depth) ?? 0) + 1);
    const magnitude = magnitudes[index];
    const bin = tenthsOf(magnitude);
    if (events[index].type !== "earthquake" || !(bin >= LOWEST && bin <= HIGHEST)) continue;
    bins.set(bin, (bins.get(bin) ?? 0) + 1);
    result.earthquakes += 1;
    const moment = momentOf(magnitude);
    day.moment += moment;
    total += moment;
    const { strongest } = result;
    const most = strongest?.magnitude ?? -Infinity;
    const isStronger = magnitude > most || (magnitude === most && strongest !== null && time < strongest.time);
    if (isStronger) result.strongest = events[index];
  }
  const ascending = sorted(bins);
  const completeness = completenessOf(ascending);
  return {
    ...result,
    moment: total > 0 ? total : null,
    momentMagnitude: total > 0 ? (Math.log10(total) - 9.05) / 1.5 : null,
    completeness: completeness === null ? null : completeness / 10,
    law: completeness === null ? null : law(ascending, completeness),
    magnitudes: ascending.map(([bin, count]) => ({ magnitude: bin / 10, count })),
    depths: sorted(depthBins).map(([bin, count]) => ({ depth: bin * DEPTH_BIN, count })),
    days: sorted(days).map(([day, { count, moment }]) => ({ day: dayText(day), count, moment })),
  };
}
