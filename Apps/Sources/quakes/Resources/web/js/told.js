/** The earthquakes that alerts have told: for a day, also after the page was closed. */

import * as settings from "./settings.js";

const NAME = "told";
/** The time for which an event counts as told, in milliseconds: later it is too old for any rule. */
const KEPT = 24 * 3_600_000;
/** The maximum numbers of identifiers, of those of an event, and of the characters of one. */
const MOST = 2_000;
const MOST_OF_EVENT = 10;
const LONGEST = 100;

/** @type {(id: unknown) => boolean} */
const isName = (id) => typeof id === "string" && id !== "" && id.length <= LONGEST;

/**
 * The identifiers of an event, the present one first.
 * @param {Quake} event
 */
const namesOf = ({ id, aliases }) => [id, ...aliases ?? []].filter(isName).slice(0, MOST_OF_EVENT);

/**
 * The identifiers that are kept, with the moments when they were told; damaged and outdated ones are left out.
 * @param {number} now
 * @returns {[id: string, moment: number][]}
 */
function readKept(now) {
  try {
    const kept = JSON.parse(settings.readText(NAME) ?? "[]");
    return kept.slice(-MOST).flatMap((/** @type {any} */ entry) => {
      const [id, moment] = Array.isArray(entry) ? entry : [];
      const isKept = isName(id) && typeof moment === "number" && moment <= now && now - moment < KEPT;
      return isKept ? [[id, moment]] : [];
    });
  } catch {
    return [];
  }
}

export class Told {
  /**
   * When this page told an event, or found it told before it was opened. Events told by other tabs meanwhile aren't
   * taken over: each counts in its own title, and notifications of one event replace each other.
   * @type {Map<string, number>}
   */
  #moments;
  #hasNews = false;

  constructor(now = Date.now()) {
    this.#moments = new Map(readKept(now));
  }

  /**
   * Whether an event was told, under any of its identifiers.
   * @param {Quake} event
   */
  has(event) {
    return namesOf(event).some((id) => this.#moments.has(id));
  }

  /**
   * Remembers an event as told, under all of its identifiers.
   * @param {Quake} event
   */
  add(event, now = Date.now()) {
    for (const id of namesOf(event)) this.#moments.set(id, now);
    this.#hasNews = true;
  }

  /** Keeps what was told since the last time, with what other tabs have kept. */
  keep(now = Date.now()) {
    if (!this.#hasNews) return;
    this.#hasNews = false;
    this.#moments = new Map([...this.#moments].filter(([, moment]) => now - moment < KEPT));
    const all = [...new Map([...readKept(now), ...this.#moments])].sort(([, one], [, other]) => one - other);
    settings.write(NAME, JSON.stringify(all.slice(-MOST)));
  }
}
