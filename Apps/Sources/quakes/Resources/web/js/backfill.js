/** Loads older earthquakes from an archive: the dialog that asks for them, and the line with the progress. */

import * as format from "./format.js";
import { timesOf } from "./coverage.js";
import { find } from "./find.js";
import * as settings from "./settings.js";
import { DAY } from "./statistics.js";

/** The time before now that the form suggests when the filters set none, in days. */
const SUGGESTED = 365;
/** The least magnitude that it suggests: without one, a year has more than a hundred thousand earthquakes. */
const MAGNITUDE = 2.5;

/** @param {number} time */
const dayOf = (time) => new Date(time).toISOString().slice(0, 10);

/**
 * The line about a back-fill.
 * @param {BackfillStatus} status
 */
export function describe({ state, share, parts, events, inserted, failure }) {
  const kept = events ? ` ${format.plural(events, "earthquake")} came and ${events === 1 ? "is" : "are"} kept.` : "";
  const rest = `${kept} Continue begins where it was.`;
  switch (state) {
    case "waiting":
      return "Asking for earthquakes of the past…";
    case "running": {
      const trouble = failure ? ` ${failure.summary} Trying again.` : "";
      return `Getting earthquakes of the past: ${Math.floor(share * 100)} %, ${format.plural(parts, "part")}, ${
        format.plural(events, "earthquake")}.${trouble}`;
    }
    case "done":
      return parts === 0 ? "These earthquakes were loaded before."
        : `Got ${format.plural(events, "earthquake")} of the past, ${format.count(inserted)} of them new.`;
    case "stopped":
      return `Stopped.${rest}`;
    default:
      return `${failure?.summary ?? "The earthquakes could not be loaded."}${rest}`;
  }
}

/** @param {BackfillStatus | null | undefined} backfill */
export const isLoading = (backfill) => backfill?.state === "waiting" || backfill?.state === "running";

/**
 * The name of an end, by which a reader's dismissal of it is remembered.
 * @param {BackfillStatus} backfill
 */
const nameOf = ({ state, since, until, minimumMagnitude, events, inserted }) =>
  [state, since, until, minimumMagnitude, events, inserted].join(" ");

/** The setting with the name of the end that the reader has dismissed. */
const DISMISSED = "backfill-dismissed";

export class Backfill {
  #dialog = find("more", HTMLDialogElement);
  #handlers;
  /** @type {QuakeStatus | null} */
  #status = null;
  /** Whether the last back-fill was seen while it ran: the success of an earlier one is no news. */
  #isSeen = false;
  #isAsking = false;

  /** @param {BackfillHandlers} handlers */
  constructor(handlers) {
    this.#handlers = handlers;
    find("get-more").addEventListener("click", () => this.#open());
    find("get-window").addEventListener("click", () => {
      const offer = handlers.offer();
      // The button is going to be hidden.
      find("get-more").focus();
      if (offer) void handlers.start(offer.wish);
    });
    find("more-close").addEventListener("click", () => this.#dialog.close());
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#send();
    });
    find("backfill-go-on").addEventListener("click", () => {
      const { backfill } = this.#status ?? {};
      find("backfill-end").focus();
      if (backfill) {
        const { since, until, minimumMagnitude } = backfill;
        void handlers.start({ since, until, minimumMagnitude });
      }
    });
    find("backfill-end").addEventListener("click", () => {
      const { backfill } = this.#status ?? {};
      if (isLoading(backfill)) {
        void handlers.stop();
        return;
      }
      if (backfill) settings.write(DISMISSED, nameOf(backfill));
      this.#isSeen = false;
      this.#show();
      handlers.dismissed();
    });
  }

  /** @param {QuakeStatus} status */
  set status(status) {
    this.#status = status;
    if (isLoading(status.backfill)) {
      this.#isSeen = true;
      // The same may end in the same way once more.
      if (settings.readText(DISMISSED)) settings.write(DISMISSED, "");
    }
    this.#show();
  }

  get #form() {
    return /** @type {BackfillForm} */ (find("more-form", HTMLFormElement));
  }

  /**
   * Whether there is something to tell: of success, only to those who have seen the beginning.
   * @param {BackfillStatus | null | undefined} backfill
   */
  #isNews(backfill) {
    if (!backfill) return false;
    if (isLoading(backfill)) return true;
    return (this.#isSeen || backfill.state !== "done") && settings.readText(DISMISSED) !== nameOf(backfill);
  }

  #show() {
    const { archive, backfill } = this.#status ?? {};
    const isActive = isLoading(backfill);
    find("get-more").hidden = !archive;
    const text = backfill && this.#isNews(backfill) ? describe(backfill) : "";
    const [line, note] = [find("backfill"), find("backfill-text")];
    line.hidden = text === "";
    line.dataset.state = backfill?.state ?? "";
    // The numbers change all the time; the bar has them, too.
    note.ariaLive = backfill?.state === "running" && !backfill.failure ? "off" : "polite";
    if (note.textContent !== text) note.textContent = text;
    find("backfill-end").textContent = isActive ? "Stop" : "Dismiss";
    find("backfill-go-on").hidden = backfill?.state !== "stopped" && backfill?.state !== "failed";
    find("backfill-bar").hidden = !isActive;
    find("backfill-bar", HTMLProgressElement).value = backfill?.share ?? 0;
    find("backfill-details").hidden = !backfill?.failure;
    find("backfill-message").textContent = backfill?.failure?.message ?? "";
  }

  #open() {
    const { since, until, magnitude } = this.#form.elements;
    const filters = this.#handlers.filters();
    const now = Date.now();
    const { from, to } = timesOf(filters, now);
    since.max = dayOf(now);
    until.max = dayOf(now);
    since.value = dayOf(from === -Infinity ? now - SUGGESTED * DAY : Math.max(from, Date.parse(since.min)));
    until.value = to < now ? dayOf(Math.max(to - 1, Date.parse(since.value))) : "";
    magnitude.value = String(filters.magnitude ?? MAGNITUDE);
    find("more-service").textContent = new URL(this.#status?.archive ?? location.href).host;
    this.#fail("");
    this.#dialog.showModal();
  }

  /** @param {string} text */
  #fail(text) {
    find("more-error").hidden = text === "";
    find("more-error").textContent = text;
  }

  async #send() {
    if (this.#isAsking) return;
    const { since, until, magnitude } = this.#form.elements;
    if (until.value && until.value < since.value) {
      this.#fail("The end is before the start.");
      until.focus();
      return;
    }
    this.#isAsking = true;
    try {
      // Both days are included.
      const end = until.value ? Date.parse(until.value) + DAY : null;
      await this.#handlers.ask({
        since: Date.parse(since.value), until: end,
        minimumMagnitude: magnitude.value === "" ? null : Number(magnitude.value),
      });
      this.#dialog.close();
    } catch (error) {
      this.#fail(error.message);
    } finally {
      this.#isAsking = false;
    }
  }
}
