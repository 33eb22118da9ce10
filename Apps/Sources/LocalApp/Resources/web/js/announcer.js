/** A polite live region: of several texts within a short time, the last one is read out. */

const CALM = 700;

export class Announcer {
  #region;
  #timer = 0;
  /** @type {{text: string, kind: string}[]} */
  #waiting = [];

  /** @param {HTMLElement} region */
  constructor(region) {
    this.#region = region;
  }

  /**
   * Announces a change of the page; waiting texts of one kind replace each other.
   * @param {string} text
   */
  say(text, kind = text) {
    this.#waiting = this.#waiting.filter((entry) => entry.kind !== kind);
    this.#waiting.push({ text, kind });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#region.textContent = this.#waiting.map((entry) => entry.text).join(" ");
      this.#waiting = [];
    }, CALM);
  }
}
