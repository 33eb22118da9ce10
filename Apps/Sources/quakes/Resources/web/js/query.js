/**
 * Filter and order. The orders are kept as permutations and made anew only when events changed;
 * a filter walks one of them, so that its result is sorted without sorting.
 */

import { isInBox } from "./box.js";
import { limitsOf } from "./ranges.js";
import { meets, readSearch } from "./search.js";
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
  /** @type {Map<string, number[]>} */
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
    const order = this.#order(filter.sort);
    const { terms, identifier } = readSearch(filter.search, now);
    // Only a whole id is searched for: every number is a part of some id.
    const named = this.#store.indexes.get(identifier);
    const { slice, box } = filter;
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
      if (box && !isInBox(box, this.#store.events[index])) return;
      if (index !== named && !meets(terms, this.#store, index)) return;
      result[length++] = index;
    };
    for (const index of order) take(index);
    return result.subarray(0, length);
  }

  /**
   * The indexes in an order such as "magnitude-desc". Of events that are equal in it the newest are first, and of these
   * those with the lesser identifier, as in the API. Events without a magnitude or place come last in both directions.
   * @param {string} sort
   * @returns {number[]}
   */
  #order(sort) {
    if (this.#revision !== this.#store.revision) {
      this.#orders.clear();
      this.#revision = this.#store.revision;
    }
    const known = this.#orders.get(sort);
    if (known) return known;
    const { events, times, magnitudes, placeKeys, size } = this.#store;
    const [key, direction] = sort.split("-");
    const sign = direction === "asc" ? 1 : -1;
    /** @type {(a: number, b: number) => number} */
    const compareIDs = (a, b) => (events[a].id < events[b].id ? -1 : +(events[a].id > events[b].id));
    /** @type {(a: number, b: number) => number} */
    const newest = (a, b) => times[b] - times[a] || compareIDs(a, b);
    const all = Array.from({ length: size }, (_, index) => index);
    let order;
    if (key === "magnitude") {
      /** @param {number} index */
      const has = (index) => !Number.isNaN(magnitudes[index]);
      order = all.filter(has).sort((a, b) => sign * (magnitudes[a] - magnitudes[b]) || newest(a, b));
      order.push(...all.filter((index) => !has(index)).sort(newest));
    } else if (key === "place") {
      /** @type {(a: number, b: number) => number} */
      const compare = (a, b) => (placeKeys[a] < placeKeys[b] ? -1 : +(placeKeys[a] > placeKeys[b]));
      order = all.filter((index) => placeKeys[index] !== "").sort((a, b) => sign * compare(a, b) || newest(a, b));
      order.push(...all.filter((index) => placeKeys[index] === "").sort(newest));
    } else order = all.sort((a, b) => sign * (times[a] - times[b]) || compareIDs(a, b));
    this.#orders.set(sort, order);
    return order;
  }
}
