/**
 * The loaded events, as columns: filtering and sorting read typed arrays and text that was prepared
 * once, so that a keystroke costs a pass over arrays and no allocation per event.
 * An event is addressed by its index, which stays the same until `replaceAll` or `remove`.
 */

import { folded } from "./search-words.js";

/** The maximum number of loaded events: the first ones of the order, with a note on the page. */
export const CAPACITY = 100_000;

const GROWTH = 4096;

/**
 * "4 km NW of The Geysers, CA" is sorted under "the geysers, ca".
 * @param {string} text
 */
function placeKey(text) {
  const at = text.indexOf(" of ");
  return at < 0 ? text : text.slice(at + 4);
}

/**
 * The present events of identifiers that are gone: those that have one of them among their aliases.
 * @param {Iterable<string>} gone
 * @param {Quake[]} events
 * @returns {Map<string, Quake>} by the former identifier
 */
export function successors(gone, events) {
  const ids = new Set(gone);
  const found = new Map();
  for (const event of events) {
    for (const alias of event.aliases ?? []) if (ids.has(alias)) found.set(alias, event);
  }
  return found;
}

/** @type {(one: Quake | undefined, other: Quake | undefined) => boolean} */
const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

export class EventStore {
  /** @type {Quake[]} */
  events = [];
  /** @type {Map<string, number>} */
  indexes = new Map();
  magnitudes = new Float64Array(GROWTH);
  times = new Float64Array(GROWTH);
  depths = new Float64Array(GROWTH);
  /** @type {string[]} */
  texts = [];
  /** @type {string[]} */
  placeKeys = [];
  revision = 0;

  get size() {
    return this.events.length;
  }

  /**
   * The event with this id, or undefined.
   * @param {string} id
   */
  find(id) {
    const index = this.indexes.get(id);
    return index === undefined ? undefined : this.events[index];
  }

  /**
   * The newest events that aren't withdrawn, the newest first.
   * @param {number} count the most of them
   */
  newest(count) {
    const listed = this.events.filter(({ withdrawn }) => !withdrawn);
    return listed.sort((one, other) => other.time - one.time).slice(0, count);
  }

  /**
   * The earliest and the latest time of the events at these indexes; null without any.
   * @param {Uint32Array} indexes
   * @returns {[earliest: number, latest: number] | null}
   */
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
   * Adds new events and replaces known ones; tells which, with the former forms of those. An event may come twice: with
   * a load and with the changes that arrived during it.
   * @param {Quake[]} events
   * @returns {ChangedIDs}
   */
  apply(events) {
    /** @type {ChangedIDs} */
    const result = { inserted: [], updated: [], former: new Map() };
    for (const event of events) {
      const known = this.indexes.get(event.id);
      const index = known ?? this.size;
      if (known === undefined) {
        this.indexes.set(event.id, index);
        this.#reserve(index + 1);
        result.inserted.push(event.id);
      } else if (!isSame(this.events[index], event)) {
        result.updated.push(event.id);
        if (!result.former.has(event.id)) result.former.set(event.id, this.events[index]);
      }
      this.#write(index, event);
    }
    this.revision += 1;
    return result;
  }

  /**
   * Removes events, and returns them. The others get new indexes.
   * @param {string[]} ids
   */
  remove(ids) {
    const gone = new Set(ids);
    const removed = this.events.filter(({ id }) => gone.has(id));
    if (removed.length) this.replaceAll(this.events.filter(({ id }) => !gone.has(id)));
    return removed;
  }

  /**
   * Replaces everything, as after a long interruption; returns the same as `apply`, and the events that are gone.
   * @param {Quake[]} events
   * @returns {ReplacedEvents}
   */
  replaceAll(events) {
    const before = new Map(this.events.map((event) => [event.id, event]));
    this.events = [];
    this.indexes = new Map();
    this.texts = [];
    this.placeKeys = [];
    const { inserted } = this.apply(events);
    const removed = [...before.values()].filter(({ id }) => !this.indexes.has(id));
    const updated = inserted.filter((id) => {
      const former = before.get(id);
      return former && !isSame(former, this.find(id));
    });
    const former = new Map(updated.map((id) => [id, /** @type {Quake} */ (before.get(id))]));
    return { inserted: inserted.filter((id) => !before.has(id)), updated, former, removed };
  }

  /**
   * @param {number} index
   * @param {Quake} event
   */
  #write(index, event) {
    this.events[index] = event;
    // NaN compares false with every threshold, as SQL's NULL does.
    this.magnitudes[index] = event.magnitude ?? NaN;
    this.times[index] = event.time;
    this.depths[index] = event.depth ?? NaN;
    const place = folded(event.place ?? "");
    const kind = event.type && event.type !== "earthquake" ? `\n${folded(event.type)}` : "";
    this.texts[index] = place + kind;
    this.placeKeys[index] = placeKey(place);
  }

  /**
   * Makes room for a number of events.
   * @param {number} size
   */
  #reserve(size) {
    if (size <= this.times.length) return;
    const capacity = Math.max(size, this.times.length * 2);
    /** @param {Float64Array} column */
    const grown = (column) => {
      const larger = new Float64Array(capacity);
      larger.set(column);
      return larger;
    };
    this.magnitudes = grown(this.magnitudes);
    this.times = grown(this.times);
    this.depths = grown(this.depths);
  }
}
