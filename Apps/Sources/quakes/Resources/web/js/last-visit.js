/** The number of earthquakes since the reader's last visit, in a line above the list. */

import * as format from "./format.js";
import * as settings from "./settings.js";

const NAME = "last-visit";
/** A shorter absence is none, in milliseconds. */
const SHORTEST = 10 * 60_000;

export class LastVisit {
  #line;
  #since;

  /** @param {HTMLElement} line */
  constructor(line) {
    this.#line = line;
    const since = Number(settings.readText(NAME));
    this.#since = since > 0 && Date.now() - since >= SHORTEST ? since : null;
    // A page may end without further notice once it is hidden.
    document.addEventListener("visibilitychange", () => this.#leave());
    addEventListener("pagehide", () => this.#leave());
  }

  #leave() {
    if (document.hidden || document.visibilityState === "hidden") settings.write(NAME, String(Date.now()));
  }

  /** @param {Quake[]} events those that the list shows */
  show(events) {
    const since = this.#since;
    if (since === null) return;
    const number = events.reduce((sum, { time }) => sum + (time > since ? 1 : 0), 0);
    const text = number === 0 ? ""
      : `${format.plural(number, "new earthquake")} since your last visit, ${format.ago(since)}.`;
    this.#line.hidden = text === "";
    if (this.#line.textContent !== text) this.#line.textContent = text;
  }
}
