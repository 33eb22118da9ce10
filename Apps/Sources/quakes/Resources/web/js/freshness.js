/** Shows the age of the copy, and the reason when it is out of date. */

import * as format from "./format.js";

/**
 * The failure in a sentence for people.
 * @param {RefreshError | null} error
 */
export const reason = (error) => error?.summary ?? "The feed could not be loaded.";

/**
 * The words for the data that is shown. A store may have other feeds' events.
 * @param {QuakeStatus} status
 * @param {number} now
 */
function shown({ lastUpdated, total }, now) {
  if (lastUpdated !== null) return `showing data from ${format.moment(lastUpdated, now)}`;
  return total > 0 ? "this feed was never loaded" : "no data yet";
}

/**
 * "Next try at 14:05.", or nothing.
 * @param {QuakeStatus} status
 */
export const nextTry = ({ nextRefresh }) =>
  (nextRefresh === null || nextRefresh === undefined ? "" : `Next try at ${format.moment(nextRefresh)}.`);

/**
 * The line in the header: text, the longer title, and the state that colours the dot.
 * @param {QuakeStatus} status
 * @param {boolean} connected
 */
export function describe(status, connected, now = Date.now()) {
  const { state, lastUpdated, lastError, progress } = status;
  const known = lastUpdated !== null;
  const title = known
    ? `Last updated ${format.bothTimes(lastUpdated)}` : "";
  if (!connected) {
    return { state: "lost", text: "Connection to Quakes lost, trying again…", title };
  }
  if (state === "refreshing") {
    const far = progress?.bytes ? ` ${format.bytes(progress.bytes)}` : "";
    const events = progress?.events ? `, ${format.plural(progress.events, "event")}` : "";
    return { state, text: `Updating…${far}${events}`, title };
  }
  if (state === "offline") {
    // The feed's server may well answer, only not with a feed.
    const isOffline = lastError?.kind === "no-connection";
    const text = `${isOffline ? "Offline" : "Not updated"}: ${shown(status, now)}`;
    return { state, text, title: [title, reason(lastError)].filter(Boolean).join(". ") };
  }
  if (!known) return { state: "empty", text: "No data yet", title: "" };
  return { state, text: `Updated ${format.ago(lastUpdated, now)}`, title };
}

/**
 * Live regions speak when their text is set, also to the same.
 * @param {HTMLElement} element
 * @param {string} text
 */
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export class Freshness {
  #parts;
  /** The reason that the banner gives. */
  #reason = "";
  #announcer;
  /** @type {QuakeStatus | null} */
  #status = null;
  #connected = true;
  #said = "";
  #asking = false;

  /**
   * @param {Record<FreshnessPart, HTMLElement>} parts
   * @param {import("./announcer.js").Announcer} announcer
   */
  constructor(parts, announcer) {
    this.#parts = parts;
    this.#announcer = announcer;
  }

  get status() {
    return this.#status;
  }

  /** Whether a refresh is known to run. */
  get isRefreshing() {
    return this.#connected && this.#status?.state === "refreshing";
  }

  /** @param {QuakeStatus} status */
  update(status) {
    this.#status = status;
    this.draw();
  }

  /** @param {boolean} connected */
  connection(connected) {
    this.#connected = connected;
    this.draw();
  }

  /**
   * A refresh has been requested, and the response hasn't arrived.
   * @param {boolean} asking
   */
  asking(asking) {
    this.#asking = asking;
    this.draw();
  }

  /** Draws again; the text ages even when nothing happens. */
  draw() {
    const { button } = this.#parts;
    button.setAttribute("aria-busy", String(this.#asking));
    if (!this.#status) {
      const text = "Quakes does not answer, trying again…";
      if (!this.#connected) this.#parts.text.textContent = text;
      return;
    }
    const { state, text, title } = describe(this.#status, this.#connected);
    const { line, progress } = this.#parts;
    line.dataset.state = state;
    line.title = title;
    this.#parts.text.textContent = text;
    const running = this.isRefreshing;
    progress.hidden = !running;
    button.setAttribute("aria-busy", String(running || this.#asking));
    this.#banner(this.#status, state, text);
    this.#announce(state, text);
  }

  /**
   * @param {QuakeStatus} status
   * @param {string} state
   * @param {string} text
   */
  #banner(status, state, text) {
    const { banner, bannerTitle, bannerText, bannerDetails, bannerMessage } = this.#parts;
    const { lastError, lastUpdated } = status;
    // The banner stays during a retry, so that the layout doesn't jump.
    if (state === "refreshing" && !banner.hidden && banner.dataset.state === "offline") {
      write(bannerTitle, `Trying again: ${shown(status, Date.now())}`);
      write(bannerText, this.#reason);
      return;
    }
    banner.dataset.state = state;
    // An empty list says it in its place.
    const isEmpty = lastUpdated === null && status.total === 0;
    const visible = (state === "offline" && !isEmpty) || state === "lost";
    banner.hidden = !visible;
    if (!visible) return;
    this.#reason = reason(lastError);
    const details = state === "lost"
      ? `The copy${lastUpdated === null ? "" : ` of ${format.moment(lastUpdated)}`} stays`
        + " usable; changes come as soon as the server answers."
      : `${this.#reason} ${nextTry(status)}`;
    const message = state === "lost" ? "" : lastError?.message ?? "";
    bannerDetails.hidden = message === "";
    write(bannerMessage, message);
    write(bannerTitle, text);
    write(bannerText, details);
  }

  /**
   * Only a change of the state is announced, not each minute that passes.
   * @param {string} state
   * @param {string} text
   */
  #announce(state, text) {
    const matter = state === "stale" ? "fresh" : state;
    if (state === "refreshing" || matter === this.#said) return;
    // The banner is a live region of its own; only recoveries are announced here.
    if (matter === "fresh" && this.#said !== "") this.#announcer.say(text, "freshness");
    this.#said = matter;
  }
}
