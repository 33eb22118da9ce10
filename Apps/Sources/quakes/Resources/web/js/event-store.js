/**
 * The loaded events, as columns: filtering and sorting read typed arrays and text that was prepared
 * once, so that a keystroke costs a pass over arrays and no allocation per event.
 * An event is addressed by its index, which stays the same until `replaceAll` or `remove`.
 */

import { folded } from "./search-words.js";

/** The maximum number of loaded events: the first ones of the order, with a note on the page. */
export const CAPACITY = 100_000;

const GROWTH = 4096;

/** "4 km NW of The Geysers, CA" is sorted under "the geysers, ca". */
function placeKey(text) {
  const at = text.indexOf(" of ");
  return at < 0 ? text : text.slice(at + 4);
}

export class EventStore {
  constructor() {
    this.clear();
  }

  clear() {
    this.events = [];
    this.indexes = new Map();
    this.magnitudes = new Float64Array(GROWTH);
    this.times = new Float64Array(GROWTH);
    this.depths = new Float64Array(GROWTH);
    this.texts = [];
    this.placeKeys = [];
    this.revision = 0;
  }

  get size() {
    return this.events.length;
  }

  /** The event with this id, or undefined. */
  find(id) {
    const index = this.indexes.get(id);
    return index === undefined ? undefined : this.events[index];
  }

  /** The earliest and the latest time of the events at these indexes; null without any. */
  timesOf(indexes) {
    if (indexes.length === 0) return null;
    let [earliest, latest] = [Infinity, -Infinity];
    for (const index of indexes) {
      earliest = Math.min(earliest, this.times[index]);
      latest = Math.max(latest, this.times[index]);
    }
    return [earliest, latest];
  }

  /**
   * Adds new events and replaces known ones.
   * @returns {{inserted: string[], updated: string[]}} the ids of both
   */
  apply(events) {
    const result = { inserted: [], updated: [] };
    for (const event of events) {
      const known = this.indexes.get(event.id);
      const index = known ?? this.size;
      if (known === undefined) {
        this.indexes.set(event.id, index);
        this.#reserve(index + 1);
        result.inserted.push(event.id);
      } else {
        result.updated.push(event.id);
      }
      this.#write(index, event);
    }
    this.revision += 1;
    return result;
  }

  /** Removes events. The others get new indexes. */
  remove(ids) {
    const gone = new Set(ids);
    const left = this.events.filter((event) => !gone.has(event.id));
    if (left.length < this.size) this.replaceAll(left);
  }

  /** Replaces everything, as after a long interruption; returns the same as `apply`. */
  replaceAll(events) {
    const before = new Map(this.events.map((event) => [event.id, JSON.stringify(event)]));
    const revision = this.revision;
    this.clear();
    this.revision = revision;
    const { inserted } = this.apply(events);
    const isRevised = (id) => before.get(id) !== JSON.stringify(this.find(id));
    return {
      inserted: inserted.filter((id) => !before.has(id)),
      updated: inserted.filter((id) => before.has(id) && isRevised(id)),
    };
  }

  #write(index, event) {
    this.events[index] = event;
    // NaN compares false with every threshold, as SQL's NULL does.
    this.magnitudes[index] = event.magnitude ?? NaN;
    this.times[index] = event.time;
    this.depths[index] = event.depth ?? NaN;
    const place = folded(event.place ?? "");
    const kind = event.type && event.type !== "earthquake" ? ` ${folded(event.type)}` : "";
    this.texts[index] = place + kind;
    this.placeKeys[index] = placeKey(place);
  }

  #reserve(size) {
    if (size <= this.times.length) return;
    const capacity = Math.max(size, this.times.length * 2);
    for (const column of ["magnitudes", "times", "depths"]) {
      const grown = new Float64Array(capacity);
      grown.set(this[column]);
      this[column] = grown;
    }
  }
}
