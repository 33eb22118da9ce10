/**
 * Filter and order. The orders are kept as permutations and made anew only when events changed;
 * a filter walks one of them, so that its result is sorted without sorting.
 */

import { limitsOf } from "./ranges.js";
import { isMet, searchWords } from "./search-words.js";
import { isInSlice } from "./slice.js";

/** @type {Record<string, number>} */
const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * "24h" → milliseconds; an empty or unreadable window is no limit.
 * @param {string} since
 */
export function duration(since) {
  const match = /^(\d{1,5})([mhd])$/.exec(since);
  return match ? Number(match[1]) * UNITS[match[2]] : Infinity;
}

export class Query {
  #store;
  /** @type {Map<string, {sorted: number[], missing: number[]}>} */
  #orders = new Map();
  #revision = -1;

  /** @param {EventStore} store */
  constructor(store) {
    this.#store = store;
  }

  /**
   * The indexes of the events that pass, in the order asked for.
   * @param {QuakeFilter} filter
   * @returns {Uint32Array}
   */
  run(filter, now = Date.now()) {
    const { magnitudes, times, depths, size } = this.#store;
    const { days, tenths, depthBins } = limitsOf(filter);
    const [key, direction] = filter.sort.split("-");
    const { sorted, missing } = this.#order(key);
    const words = searchWords(filter.search);
    // Only a whole id is searched for: every number is a part of some id.
    const named = this.#store.indexes.get(filter.search.trim());
    const { slice } = filter;
    const earliest = now - duration(filter.since);
    const least = filter.magnitude;
    const result = new Uint32Array(size);
    let length = 0;

    /** @param {number} index */
    const take = (index) => {
      if (least !== null && !(magnitudes[index] >= least)) return;
      if (times[index] < earliest) return;
      if (slice && !isInSlice(times[index], slice)) return;
      if (days && !(times[index] >= days.least && times[index] < (days.below ?? Infinity))) return;
      if (tenths && !(magnitudes[index] >= tenths.least && magnitudes[index] <= (tenths.most ?? Infinity))) return;
      if (depthBins && !(depths[index] >= depthBins.least && depths[index] <= (depthBins.most ?? Infinity))) return;
      if (index !== named) for (const word of words) if (!isMet(word, this.#store, index)) return;
      result[length++] = index;
    };
    if (direction === "asc") for (let i = 0; i < sorted.length; i += 1) take(sorted[i]);
    else for (let i = sorted.length - 1; i >= 0; i -= 1) take(sorted[i]);
    // Events without a magnitude or place come last in both directions.
    for (let i = missing.length - 1; i >= 0; i -= 1) take(missing[i]);
    return result.subarray(0, length);
  }

  /**
   * Ascending permutation by the key, ties by time; rows without the key apart, by time.
   * @param {string} key
   */
  #order(key) {
    if (this.#revision !== this.#store.revision) {
      this.#orders.clear();
      this.#revision = this.#store.revision;
    }
    const known = this.#orders.get(key);
    if (known) return known;
    const { times, magnitudes, placeKeys, size } = this.#store;
    const all = Array.from({ length: size }, (_, index) => index);
    all.sort((a, b) => times[a] - times[b]);
    /** @type {{sorted: number[], missing: number[]}} */
    let order = { sorted: all, missing: [] };
    if (key === "magnitude") {
      /** @param {number} index */
      const has = (index) => !Number.isNaN(magnitudes[index]);
      order = { sorted: all.filter(has), missing: all.filter((index) => !has(index)) };
      order.sorted.sort((a, b) => magnitudes[a] - magnitudes[b]);
    } else if (key === "place") {
      /** @param {number} index */
      const has = (index) => placeKeys[index] !== "";
      order = { sorted: all.filter(has), missing: all.filter((index) => !has(index)) };
      /** @type {(a: number, b: number) => number} */
      const compare = (a, b) => (placeKeys[a] < placeKeys[b] ? -1 : +(placeKeys[a] > placeKeys[b]));
      order.sorted.sort(compare);
    }
    this.#orders.set(key, order);
    return order;
  }
}
