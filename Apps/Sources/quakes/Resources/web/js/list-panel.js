/** The list and its parts: the counts, the button for new events, and the text of an empty list. */

import * as format from "./format.js";
import { isLoading } from "./backfill.js";
import { boxText } from "./box.js";
import { coverage } from "./coverage.js";
import { find } from "./find.js";
import { nextTry, reason } from "./freshness.js";
import { duration } from "./query.js";
import { RANGES, RANGE_KEYS } from "./ranges.js";
import { VirtualList } from "./virtual-list.js";

/** The time for which rows tell what a revision has changed, in milliseconds. */
const TOLD = 5 * 60_000;

/**
 * Which events come first in an order.
 * @type {Record<string, string>}
 */
const FIRST = {
  "time-desc": "The newest", "time-asc": "The oldest", "magnitude-desc": "The strongest",
  "magnitude-asc": "The weakest", "place-asc": "By place, the first", "place-desc": "By place, the last",
};

/** @type {Record<string, string>} */
const WINDOWS = { "1h": "the past hour", "24h": "the past day", "7d": "the past week", "30d": "the past month" };

/**
 * "90m" → "the past 90 minutes".
 * @param {string} since
 */
function windowName(since) {
  if (WINDOWS[since]) return WINDOWS[since];
  const unit = since.endsWith("m") ? "minute" : since.endsWith("h") ? "hour" : "day";
  return `the past ${format.plural(Number.parseInt(since, 10), unit)}`;
}

/**
 * The filters that are set, each with what to change when nothing fits.
 * @param {ListFilters} filters
 */
export function filterTexts({ search, magnitude, since, slice, box, ...ranges }) {
  const words = search.trim();
  const set = [];
  if (words) set.push({ text: `the search “${words}”`, remedy: "other words" });
  if (magnitude !== null) {
    set.push({ text: `magnitude ${String(magnitude).replace("-", "−")} or more`, remedy: "a lower magnitude" });
  }
  if (since && duration(since) < Infinity) set.push({ text: windowName(since), remedy: "a longer time" });
  if (slice) set.push({ text: format.interval(slice.from, slice.to), remedy: "another time" });
  if (box) set.push({ text: boxText(box), remedy: "another part of the map" });
  for (const key of RANGE_KEYS) {
    const range = ranges[key];
    if (!range) continue;
    const { name, text } = RANGES[key];
    set.push({ text: text(range), remedy: `other ${name.toLowerCase()}` });
  }
  return set;
}

/**
 * The text of a list that the filters leave empty: what is set, and what to change.
 * @param {ListFilters} filters
 */
export function advice(filters) {
  const set = filterTexts(filters);
  if (!set.length) return "";
  const list = new Intl.ListFormat("en").format(set.map(({ text }) => text));
  const choice = new Intl.ListFormat("en", { type: "disjunction" }).format(set.map(({ remedy }) => remedy));
  return `Nothing fits ${list}. Try ${choice}.`;
}

/**
 * How far a first refresh is. The store takes a feed as a whole.
 * @param {QuakeStatus["progress"]} progress
 */
function arrived(progress) {
  if (!progress?.bytes) return "Waiting for the feed's server.";
  const events = format.plural(progress.events, "earthquake");
  return `${events} so far (${format.bytes(progress.bytes)}). The list appears when all have arrived.`;
}

export class ListPanel {
  #list;
  #unseen = new Set();
  /** @type {string | null} */
  #failure = null;
  /** @type {QuakeStatus | null} */
  #status = null;
  /** @type {ListFilters} */
  #filters = { search: "", magnitude: null, since: "" };

  #isLoaded = false;
  /**
   * The part of the filters' times that one press loads.
   * @type {BackfillOffer | null}
   */
  offer = null;
  /** "1,234 of 19,816 earthquakes", for the live region. */
  countText = "";

  /**
   * @param {(index: number) => Quake} eventAt
   * @param {RowHandlers & {clear: () => void}} handlers
   */
  constructor(eventAt, handlers) {
    this.#list = new VirtualList(find("list"), eventAt, {
      ...handlers,
      scrolled: () => this.#forgetSeen(),
    });
    find("clear").addEventListener("click", () => {
      handlers.clear();
      this.focus();
    });
    find("news").addEventListener("click", () => {
      this.#list.scrollToTop();
      this.focus();
    });
  }

  /** Whether the first load is over; until then, or until it fails, the list is marked as busy. */
  get loaded() {
    return this.#isLoaded;
  }

  set loaded(isLoaded) {
    this.#isLoaded = isLoaded;
    find("list").removeAttribute("aria-busy");
  }

  /**
   * The server's status, or null before the first.
   * @param {QuakeStatus} status
   */
  set status(status) {
    this.#status = status;
    this.#showCoverage();
  }

  /** When the feed was read last, or null. */
  get updated() {
    return this.#status?.lastUpdated ?? null;
  }

  /**
   * The place whose distance rows tell, or null.
   * @param {NearPlace | null} place
   */
  set nearby(place) {
    this.#list.nearby = place;
  }

  anchor = () => this.#list.anchor();
  /** @param {string} id */
  positionOf = (id) => this.#list.positionOf(id);
  focus = () => this.#list.focus();
  /** Gives the focus to the list, or to what stands in the place of an empty one. */
  reach = () => (find("list").hidden ? find("nothing-title").focus() : this.focus());
  draw = () => this.#list.draw();
  /** @type {(id: string | null, reveal?: boolean) => void} */
  select = (id, reveal) => this.#list.select(id, reveal);
  /** @type {(by: number, choose: (id: string) => void) => void} */
  step = (by, choose) => this.#list.step(by, { choose });

  /**
   * @param {Uint32Array} view the indexes of the events
   * @param {ListAnchor | null | undefined} anchor
   * @param {ListCounts} counts
   * @param {ListFilters} filters what the view was made by
   */
  show(view, anchor, counts, filters) {
    this.#filters = filters;
    this.#showCoverage();
    this.#list.show(view, anchor);
    this.#forgetAbsent();
    this.#count(view.length, counts);
    this.showNothing(counts.loaded);
  }

  /**
   * Marks events for a time, and tells what has changed for a longer one.
   * @param {ChangedIDs} changed
   * @param {number} duration of the marks, in milliseconds
   */
  mark({ inserted, updated, former }, duration) {
    const now = Date.now();
    this.#list.mark(inserted, "new", now + duration);
    this.#list.mark(updated, "revised", now + duration);
    this.#list.tellRevisions(former, now + TOLD);
  }

  /**
   * Shows a button that leads to new events above the visible rows.
   * @param {string[]} ids
   */
  news(ids) {
    if (this.#list.atTop) return;
    for (const id of ids) this.#unseen.add(id);
    this.#showNews();
  }

  /**
   * Shows that loading failed, only in an empty list.
   * @param {string} message
   */
  failed(message) {
    this.#failure = message;
    find("list").removeAttribute("aria-busy");
    this.showNothing(this.#list.length);
  }

  /**
   * The text of an empty list, with a remedy.
   * @param {number} loaded
   */
  showNothing(loaded) {
    const empty = this.#list.length === 0;
    find("nothing").hidden = !empty;
    find("list").hidden = empty;
    if (!empty) return;
    const [title, text] = this.#reason(loaded);
    find("nothing-title").textContent = title;
    find("nothing-text").textContent = text;
    find("clear").hidden = loaded === 0;
    find("nothing-hint").hidden = loaded > 0 || !this.loaded;
    const message = loaded === 0 && this.loaded && this.#status?.state === "offline"
      ? this.#status.lastError?.message ?? "" : "";
    find("nothing-details").hidden = message === "";
    find("nothing-message").textContent = message;
  }

  /** @param {number} loaded */
  #reason(loaded) {
    if (loaded > 0) {
      return ["No earthquakes match", advice(this.#filters)];
    }
    if (this.#failure && !this.loaded) return ["Quakes does not answer", this.#failure];
    if (!this.loaded) return ["Loading…", ""];
    const status = this.#status;
    if (status?.state === "refreshing") return ["Fetching earthquakes…", arrived(status.progress)];
    if (status?.state === "offline") return ["No data yet", `${reason(status.lastError)} ${nextTry(status)}`];
    if (status?.lastUpdated) return ["No earthquakes", "The feed is empty at the moment."];
    return ["No data yet", "Press Refresh to fetch the feed."];
  }

  /**
   * @param {number} shown
   * @param {ListCounts} counts
   */
  #count(shown, { loaded, total, matching, part }) {
    const all = part ? total : Math.max(loaded, this.loaded ? loaded : total);
    const numbers = shown === all ? format.count(all) : `${format.count(shown)} of ${format.count(all)}`;
    const noun = document.createElement("span");
    noun.textContent = all === 1 ? " earthquake" : " earthquakes";
    this.countText = numbers + noun.textContent;
    find("count").replaceChildren(numbers, noun);
    find("count").title = this.countText;
    const isCut = part !== null && this.loaded && matching > loaded;
    find("part").hidden = !isCut;
    if (!isCut) return;
    find("part").textContent = `${FIRST[part]} ${format.count(loaded)} of ${
      format.count(matching)} are loaded. The search and the filters ask for the others.`;
  }

  #showCoverage() {
    const { text, isQuiet, offer } = coverage(this.#filters, this.#status);
    this.offer = offer;
    const [line, note] = [find("coverage-line"), find("coverage")];
    line.hidden = text === "";
    line.classList.toggle("quiet", isQuiet);
    // The count tells already that the filters have changed.
    note.ariaLive = isQuiet ? "off" : "polite";
    if (note.textContent !== text) note.textContent = text;
    const button = find("get-window");
    button.hidden = offer === null || isLoading(this.#status?.backfill);
    if (offer && button.textContent !== offer.text) button.textContent = offer.text;
  }

  #forgetSeen() {
    if (!this.#unseen.size || !this.#list.atTop) return;
    this.#unseen.clear();
    this.#showNews();
  }

  /** Of new events that were withdrawn, or that the filters leave out, the button tells nothing any more. */
  #forgetAbsent() {
    if (!this.#unseen.size) return;
    for (const id of this.#unseen) if (this.positionOf(id) < 0) this.#unseen.delete(id);
    this.#showNews();
  }

  #showNews() {
    const { size } = this.#unseen;
    find("news").hidden = size === 0;
    if (size) find("news").textContent = `↑ ${format.plural(size, "new earthquake")}`;
  }
}
