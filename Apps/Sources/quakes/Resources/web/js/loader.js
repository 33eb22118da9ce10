/**
 * Loads the events of the copy: the newest first, then all, or of a large copy the part that filters and order choose.
 */

import * as api from "./api.js";
import { CAPACITY } from "./event-store.js";
import { LastData } from "./offline.js";
import { filterParameters, orderParameters } from "./parameters.js";
import { readSearch } from "./search.js";

const RETRY = 5_000;
/** The number of events that are kept in the browser for a start without the server. */
const KEPT = 5_000;
/** The time in which changes are joined until the list is kept anew, in milliseconds. */
const CALM = 60_000;
/** The number of times that a list is read at most, when events are withdrawn meanwhile. */
const ROUNDS = 3;

export class Loader {
  #store;
  #handlers;
  /**
   * The changes that arrive during a load, else null.
   * @type {QuakeChanges[] | null}
   */
  #waiting = null;
  /**
   * The requested part when the copy doesn't fit on the page, else null.
   * @type {Record<string, string> | null}
   */
  #part = null;
  /** @type {QuakeStatus | null} */
  #status = null;
  /** The number of events of the copy. */
  #total = 0;
  /** The number of events of the copy that match the request. */
  #matching = 0;
  /** The first load has failed after some of its pages. */
  #isPartial = false;
  #isLoaded = false;
  /**
   * The timer of the load that follows a failed one: another load takes its place.
   * @type {ReturnType<typeof setTimeout> | undefined}
   */
  #retry;
  /** Another load is wanted as soon as the present one ends. */
  #loadAgain = false;
  /**
   * The list that the page last had, for a start without the server.
   * @type {LastData<{events: Quake[], status: QuakeStatus}>}
   */
  #last = new LastData();
  /** Whether that is the present list, with the present status. */
  #isKept = true;
  /**
   * The timer until the list is kept.
   * @type {ReturnType<typeof setTimeout> | undefined}
   */
  #keeping;
  /** The time of the oldest event shown of that list, where it was a part; older ones aren't new in the next load. */
  #oldestKept = -Infinity;
  /**
   * The first events are shown, or there are none to show.
   * @type {PromiseWithResolvers<void>}
   */
  #begun = Promise.withResolvers();
  /**
   * The first load is over, or has failed.
   * @type {PromiseWithResolvers<void>}
   */
  #listed = Promise.withResolvers();

  /**
   * @param {EventStore} store where the events go
   * @param {LoadHandlers} handlers
   */
  constructor(store, handlers) {
    this.#store = store;
    this.#handlers = handlers;
    document.addEventListener("visibilitychange", () => {
      // The page may be closed next.
      if (document.hidden && !this.#isKept) this.#keep();
      if (document.hidden) this.#last.write();
    });
  }

  /** Fulfilled when the first events are shown, or there are none to show. */
  get begun() {
    return this.#begun.promise;
  }

  /** Fulfilled when the first load is over, or has failed. */
  get listed() {
    return this.#listed.promise;
  }

  /** Whether the page has all events of the copy. */
  get isWhole() {
    return this.#part === null && this.#store.size >= this.#total;
  }

  /** @returns {ListCounts} */
  get counts() {
    const part = this.#part && this.#handlers.state().sort;
    return { loaded: this.#store.size, total: this.#total, matching: this.#matching, part };
  }

  /**
   * The server's latest status.
   * @param {QuakeStatus} status
   */
  set status(status) {
    this.#status = status;
    this.#total = status.total;
    this.#isKept = false;
  }

  /**
   * Shows the newest events, which have been asked for with the page, until all are read. These are read again then:
   * the stream may not report yet what changes meanwhile.
   */
  async preview() {
    try {
      const { events, total } = await api.fetchNewest();
      // The list is there already, or it is a part of the copy that other events belong to.
      if (this.#store.size > 0 || this.#isLoaded || events.length === 0 || total > CAPACITY) return;
      this.#total ||= total;
      this.#matching = total;
      this.#isPartial = true;
      this.#store.replaceAll(events);
      this.#handlers.arrived();
      this.#showFirst();
    } catch (error) {
      // The load reports the failure.
      console.warn("Quakes: no first events", error);
    }
  }

  /** The first events are shown: what can wait for them gets its turn once they are drawn. */
  #showFirst() {
    requestAnimationFrame(() => this.#begun.resolve());
  }

  /** Fetches the events to show; changes that arrive meanwhile are applied afterwards. */
  async load() {
    if (this.#waiting) {
      this.#loadAgain = true;
      return;
    }
    clearTimeout(this.#retry);
    /** @type {QuakeChanges[]} */
    const missed = [];
    this.#waiting = missed;
    const first = this.#store.size === 0 || this.#isPartial;
    /** @type {Quake[]} */
    const events = [];
    /** @type {Record<string, string> | null} */
    let part = null;
    try {
      await this.#handlers.askStatus();
      part = this.#total > CAPACITY ? this.#wanted() : null;
      const wanted = { ...part, ...(this.#handlers.state().withdrawn && { withdrawn: "true" }) };
      const hints = { isUrgent: this.#store.size === 0, expected: part ? 0 : this.#total };
      let round = 1;
      while (!await this.#read(events, wanted, hints, first && round === 1) && part === null && round < ROUNDS) {
        events.length = 0;
        hints.isUrgent = false;
        round += 1;
      }
      if (first && round > 1) this.#store.replaceAll(events);
    } catch (error) {
      console.warn("Quakes: loading failed", error);
      this.#waiting = null;
      this.#loadAgain = false;
      this.#isPartial = first && this.#store.size > 0;
      if (first) await this.#showLast();
      this.#handlers.failed(error.message, first, this.#isPartial);
      this.#begun.resolve();
      this.#listed.resolve();
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => this.load(), RETRY);
      return;
    }
    if (!first) await this.#handlers.turn();
    this.#isPartial = false;
    const isOtherPart = JSON.stringify(part) !== JSON.stringify(this.#part);
    this.#part = part;
    // The anchor is determined before the events get other indexes.
    const anchor = isOtherPart ? undefined : this.#handlers.anchor();
    const changed = first ? null : this.#store.replaceAll(events);
    this.#waiting = null;
    // Events of another part of the copy aren't new.
    if (changed) this.#handlers.replaced(anchor, isOtherPart ? null : this.#withoutOlder(changed));
    this.#oldestKept = -Infinity;
    for (const changes of missed) this.take(changes);
    this.#isLoaded = true;
    this.#listed.resolve();
    this.#handlers.loaded(first);
    this.#keep();
    if (!this.#loadAgain) return;
    this.#loadAgain = false;
    this.load();
  }

  /**
   * Reads events page by page, and shows them as they arrive if wanted; tells whether all are there. An event that is
   * withdrawn between two pages moves the following ones ahead, and the second page begins behind one of them.
   * @param {Quake[]} events where the events go
   * @param {Record<string, string>} wanted
   * @param {{isUrgent: boolean, expected: number}} hints
   * @param {boolean} isShown
   */
  async #read(events, wanted, hints, isShown) {
    /** @type {number | null} */
    let total = null;
    for await (const page of api.fetchEvents(CAPACITY, wanted, hints)) {
      this.#matching = page.total;
      // The first page's: new events add to later ones, and the stream tells them.
      total ??= Math.min(page.total, CAPACITY);
      events.push(...page.events);
      if (!isShown) continue;
      if (events.length === page.events.length) this.#store.replaceAll(page.events);
      else this.#store.apply(page.events);
      this.#handlers.arrived();
      this.#showFirst();
    }
    return new Set(events.map(({ id }) => id)).size >= (total ?? 0);
  }

  /**
   * Events beyond the kept ones aren't new.
   * @param {ReplacedEvents} changed
   * @returns {ReplacedEvents}
   */
  #withoutOlder(changed) {
    const inserted = changed.inserted.filter((id) => (this.#store.find(id)?.time ?? Infinity) > this.#oldestKept);
    return { ...changed, inserted };
  }

  /** Keeps the newest events, unless only others are loaded of a large copy. */
  #keep() {
    clearTimeout(this.#keeping);
    this.#keeping = undefined;
    if (!this.#isLoaded || !this.#status || !this.#hasNewest) return;
    this.#isKept = true;
    this.#last.keep({ events: this.#store.newest(KEPT), status: this.#status });
  }

  /** Whether the newest events of the copy are loaded: of a large one, if they come first and no filter is set. */
  get #hasNewest() {
    if (this.#part === null) return true;
    const { sort, order, ...filters } = this.#part;
    return sort === "time" && order === "desc" && Object.keys(filters).length === 0;
  }

  /** Shows the list that the page last had. */
  async #showLast() {
    const last = await this.#last.read();
    if (!last || this.#store.size > 0) return;
    this.#matching = last.status.total;
    this.#store.apply(last.events);
    if (last.status.total > last.events.length) this.#oldestKept = last.events.at(-1)?.time ?? -Infinity;
    // A back-fill that ran then may have ended.
    this.#handlers.remembered({ ...last.status, backfill: null });
  }

  /** The part of a large copy given by filters, search and order. */
  #wanted() {
    const state = this.#handlers.state();
    return { ...orderParameters(state), ...filterParameters({ ...state, withdrawn: false }) };
  }

  /** The server applies filters and order to a large copy, since not all of it is loaded. */
  loadOtherPart() {
    if (this.#part === null && this.#total <= CAPACITY) return;
    // The program's answer about a place comes first.
    if (readSearch(this.#handlers.state().search).missing.length) return;
    if (JSON.stringify(this.#wanted()) !== JSON.stringify(this.#part)) this.load();
  }

  /**
   * Passes changes on once no load is under way, or loads anew where they ask for it.
   * @param {QuakeChanges} changes
   */
  take(changes) {
    if (this.#waiting) this.#waiting.push(changes);
    else if (changes.reload) this.load();
    else {
      this.#handlers.changed(changes);
      this.#isKept = false;
      this.#keeping ??= setTimeout(() => this.#keep(), CALM);
      // New events are added to the loaded ones; far above the capacity, the page loads its part again.
      if (this.#store.size > CAPACITY * 1.1) this.load();
    }
  }
}
