/** The number of earthquakes since the reader's last visit, in a line above the list that chooses them. */

import * as format from "./format.js";
import * as settings from "./settings.js";

const NAME = "last-visit";
const MINUTE = 60_000;
/** A shorter absence is none, in milliseconds. */
const SHORTEST = 10 * MINUTE;

const isHidden = () => document.hidden || document.visibilityState === "hidden";

export class LastVisit {
  #parts;
  #handlers;
  /** When the page last ran. */
  #awake = Date.now();
  /** When the page was hidden, for browsers that keep nothing. */
  #left = 0;
  /**
   * The beginning of the last absence in whole minutes, as of slices of time; null without one.
   * @type {number | null}
   */
  #since = null;
  /**
   * The events that the filters let through.
   * @type {Quake[]}
   */
  #events = [];
  /** @type {TimeSlice | null} */
  #slice = null;

  /**
   * @param {LastVisitParts} parts
   * @param {LastVisitHandlers} handlers
   */
  constructor(parts, handlers) {
    this.#parts = parts;
    this.#handlers = handlers;
    this.#arrive();
    parts.show.addEventListener("click", () => this.#choose());
    parts.dismiss.addEventListener("click", () => {
      this.#since = null;
      parts.line.hidden = true;
      handlers.dismissed();
    });
    // A page may end without further notice once it is hidden.
    addEventListener("pagehide", () => this.#leave());
    document.addEventListener("visibilitychange", () => {
      if (isHidden()) this.#leave();
      else if (this.#arrive()) handlers.returned();
    });
    setInterval(() => {
      if (this.#wake()) handlers.returned();
      // The text tells the age of the visit.
      else this.show(this.#events, this.#slice);
    }, MINUTE);
  }

  #leave() {
    if (!isHidden()) return;
    this.#left = Date.now();
    settings.write(NAME, String(this.#left));
  }

  /** Looks whether the computer was asleep for long enough while the page was to be seen: nobody has looked. */
  #wake() {
    const awake = this.#awake;
    this.#awake = Date.now();
    if (isHidden() || this.#awake - awake < SHORTEST || (this.#since ?? Infinity) <= awake) return false;
    this.#since = Math.floor(awake / MINUTE) * MINUTE;
    return true;
  }

  /** Looks whether the reader was away long enough, in all tabs. */
  #arrive() {
    const left = Number(settings.readText(NAME)) || this.#left;
    const wasAway = left > 0 && Date.now() - left >= SHORTEST;
    if (wasAway) this.#since = Math.floor(left / MINUTE) * MINUTE;
    return wasAway;
  }

  /**
   * @param {Quake[]} events those that the filters let through at any time
   * @param {TimeSlice | null} slice the slice of time that is chosen
   */
  show(events, slice) {
    this.#events = events;
    this.#slice = slice;
    const since = this.#since;
    if (since === null) return;
    const number = events.reduce((sum, { time }) => sum + (time >= since ? 1 : 0), 0);
    const { line, show } = this.#parts;
    // Above the list, the slice tells what is chosen.
    line.hidden = number === 0 || slice?.from === since;
    if (number === 0) return;
    const text = `${format.plural(number, "new earthquake")} since your last visit, ${format.ago(since)}.`;
    if (show.textContent !== text) show.textContent = text;
  }

  #choose() {
    const since = this.#since;
    if (since === null) return;
    const latest = this.#events.reduce((most, { time }) => Math.max(most, time), Date.now());
    this.#handlers.choose({ from: since, to: (Math.floor(latest / MINUTE) + 1) * MINUTE });
  }
}
