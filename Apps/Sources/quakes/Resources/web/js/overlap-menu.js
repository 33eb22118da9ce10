/** The list of the earthquakes whose circles lie over one another where the map was clicked. */

import { find, findAll } from "./find.js";
import * as format from "./format.js";
import { placeOf } from "./row.js";

/** The most that are listed: of more, zooming in takes the circles apart. */
const MOST = 50;
/** The room between the menu and the edges of the window, in pixels. */
const MARGIN = 8;

export class OverlapMenu {
  #menu = find("overlap");
  #list = find("overlap-list");
  #choose;

  /** @param {MapPanelHandlers["choose"]} choose called with the id of the event that is chosen */
  constructor(choose) {
    this.#choose = choose;
    this.#menu.addEventListener("keydown", (event) => this.#key(event));
  }

  get isOpen() {
    return this.#menu.matches(":popover-open");
  }

  /**
   * Offers events, the newest first.
   * @param {Quake[]} events
   * @param {MapPoint} point where the map was clicked, in the window
   */
  open(events, { x, y }) {
    const now = Date.now();
    const shown = events.toSorted((one, other) => other.time - one.time).slice(0, MOST);
    this.#list.replaceChildren(...shown.map((event) => this.#item(event, now)));
    find("overlap-title").textContent = `${format.plural(events.length, "earthquake")} here`;
    find("overlap-more").hidden = events.length <= MOST;
    find("overlap-more").textContent = `The newest ${MOST} are listed. Zooming in takes the circles apart.`;
    if (this.isOpen) this.#menu.hidePopover();
    this.#menu.showPopover();
    const { offsetWidth, offsetHeight } = this.#menu;
    this.#menu.style.left = `${Math.max(MARGIN, Math.min(x, innerWidth - offsetWidth - MARGIN))}px`;
    this.#menu.style.top = `${Math.max(MARGIN, Math.min(y, innerHeight - offsetHeight - MARGIN))}px`;
    findAll("button", this.#list)[0]?.focus();
  }

  /**
   * @param {Quake} event
   * @param {number} now
   */
  #item(event, now) {
    const button = document.createElement("button");
    button.type = "button";
    const magnitude = document.createElement("strong");
    magnitude.textContent = `M ${format.magnitude(event.magnitude)}`;
    const meta = document.createElement("span");
    meta.textContent = `${format.ago(event.time, now)} · ${format.depth(event.depth)}`;
    const place = document.createElement("span");
    place.className = "place";
    place.dir = "auto";
    place.textContent = placeOf(event);
    button.append(magnitude, " ", place, " ", meta);
    button.addEventListener("click", ({ detail }) => {
      this.#menu.hidePopover();
      // A click without a count is a key's.
      this.#choose(event.id, detail === 0);
    });
    const item = document.createElement("li");
    item.append(button);
    return item;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const buttons = findAll("button", this.#list);
    const at = buttons.findIndex((button) => button === document.activeElement);
    /** @type {Record<string, number>} */
    const targets = {
      ArrowDown: Math.min(at + 1, buttons.length - 1), ArrowUp: Math.max(at - 1, 0), Home: 0, End: buttons.length - 1,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    buttons[target]?.focus();
  }
}
