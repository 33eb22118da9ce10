/** A polite live region: the last thing said within a moment is the one that is read out. */

const CALM = 700;

export class Announcer {
  #region;
  #timer = 0;
  #waiting = [];

  constructor(region) {
    this.#region = region;
  }

  /** Says what changed on the page; texts of one kind replace each other while waiting. */
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
