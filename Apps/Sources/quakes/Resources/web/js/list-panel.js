/** The list and its parts: the counts, the button for new events, and the text of an empty list. */

import * as format from "./format.js";
import { VirtualList } from "./virtual-list.js";

const find = (id) => document.getElementById(id);

/** Which events come first in an order. */
const FIRST = {
  "time-desc": "The newest", "time-asc": "The oldest", "magnitude-desc": "The strongest",
  "magnitude-asc": "The weakest", "place-asc": "By place, the first", "place-desc": "By place, the last",
};

export class ListPanel {
  #list;
  #unseen = new Set();
  #failure = null;

  /** Whether the first load is over. */
  loaded = false;
  /** The server's status, or null before the first. */
  status = null;
  /** "1,234 of 19,816 earthquakes", for the live region. */
  countText = "";

  /** @param {{choose, open, clear}} handlers choose(id), open(id, focus), clear() */
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

  anchor = () => this.#list.anchor();
  positionOf = (id) => this.#list.positionOf(id);
  focus = () => this.#list.focus();
  draw = () => this.#list.draw();
  select = (id, reveal) => this.#list.select(id, reveal);
  step = (by, choose) => this.#list.step(by, { choose });

  /**
   * @param {{loaded, total, matching, part}} counts events on the page, in the whole copy, and in it
   *   by the filters; `part` is the order by which they were chosen, null when all are loaded
   */
  show(view, anchor, counts) {
    this.#list.show(view, anchor);
    this.#count(view.length, counts);
    this.showNothing(counts.loaded);
  }

  mark(inserted, updated, until) {
    this.#list.mark(inserted, "new", until);
    this.#list.mark(updated, "revised", until);
  }

  /** Shows a button that leads to new events above the visible rows. */
  news(ids) {
    if (this.#list.atTop) return;
    for (const id of ids) this.#unseen.add(id);
    this.#showNews();
  }

  /** Shows that loading failed, only in an empty list. */
  failed(message) {
    this.#failure = message;
    this.showNothing(this.#list.length);
  }

  /** The text of an empty list, with a remedy. */
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
  }

  #reason(loaded) {
    if (loaded > 0) {
      return ["No earthquakes match", "Try a wider time window or a lower magnitude."];
    }
    if (this.#failure && !this.loaded) return ["Quakes does not answer", this.#failure];
    if (!this.loaded) return ["Loading…", ""];
    const state = this.status?.state;
    if (state === "refreshing") {
      return ["Fetching earthquakes…", "The first ones appear shortly."];
    }
    if (state === "offline") return ["No data yet", this.status.lastError?.message ?? ""];
    if (this.status?.lastUpdated) return ["No earthquakes", "The feed is empty at the moment."];
    return ["No data yet", "Press Refresh to fetch the feed."];
  }

  #count(shown, { loaded, total, matching, part }) {
    const all = part ? total : Math.max(loaded, this.loaded ? loaded : total);
    this.countText = shown === all
      ? format.plural(all, "earthquake")
      : `${format.count(shown)} of ${format.plural(all, "earthquake")}`;
    find("count").textContent = this.countText;
    const isCut = Boolean(part) && this.loaded && matching > loaded;
    find("part").hidden = !isCut;
    if (!isCut) return;
    find("part").textContent = `${FIRST[part]} ${format.count(loaded)} of ${
      format.count(matching)} are loaded, and searched. Filters of magnitude and time ask for the others.`;
  }

  #forgetSeen() {
    if (!this.#unseen.size || !this.#list.atTop) return;
    this.#unseen.clear();
    this.#showNews();
  }

  #showNews() {
    const { size } = this.#unseen;
    find("news").hidden = size === 0;
    if (size) find("news").textContent = `↑ ${format.plural(size, "new earthquake")}`;
  }
}
