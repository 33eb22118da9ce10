/** The life of an event: the forms that it had, as far as the copy has seen them, each with what changed. */

import * as format from "./format.js";
import { distance } from "./great-circle.js";

/** A shorter move isn't told in short, in kilometres. */
const LEAST_MOVE = 1;

/** @param {QuakeForm} form */
const magnitude = (form) => ["M", format.exactMagnitude(form.magnitude), form.magnitudeType]
  .filter(Boolean).join(" ");

/**
 * The changes from a form to the next one.
 * @param {Revision} old
 * @param {QuakeForm} form
 */
function change(old, form) {
  const parts = [];
  if (old.withdrawn === null && form.withdrawn !== null) parts.push("withdrawn");
  if (old.withdrawn !== null && form.withdrawn === null) parts.push("listed again");
  if (old.id !== form.id) parts.push(`now ${form.id}, before ${old.id}`);
  if (magnitude(old) !== magnitude(form)) parts.push(`${magnitude(old)} → ${magnitude(form)}`);
  const moved = distance(old, form);
  if (moved >= 0.05) parts.push(`moved ${format.distance(moved)}`);
  if (old.depth !== form.depth) {
    parts.push(`depth ${format.exactDepth(old.depth)} → ${format.exactDepth(form.depth)}`);
  }
  const seconds = (form.time - old.time) / 1000;
  if (seconds !== 0) {
    parts.push(`${Number(Math.abs(seconds).toFixed(1))} s ${seconds > 0 ? "later" : "earlier"}`);
  }
  if (form.status && form.status !== old.status) parts.push(form.status);
  if (form.type !== old.type) parts.push(form.type);
  if (form.place && form.place !== old.place) parts.push(format.place(form.place));
  return parts.length ? parts.join(", ") : "revised";
}

/**
 * The changes from a form to a later one, in short: "M 4.2 → 4.6, moved 11 km", or "" for what a row shows alike.
 * @param {QuakeForm} old
 * @param {QuakeForm} form
 */
export function changeInShort(old, form) {
  const parts = [];
  if (old.withdrawn && !form.withdrawn) parts.push("listed again");
  const [before, after] = [old, form].map((each) => format.magnitude(each.magnitude));
  if (before !== after) parts.push(`M ${before} → ${after}`);
  const moved = distance(old, form);
  if (moved >= LEAST_MOVE) parts.push(`moved ${format.distance(moved)}`);
  const depths = [old, form].map(({ depth }) => format.depth(depth));
  if (depths[0] !== depths[1]) parts.push(`was ${depths[0]}`);
  if (form.status === "reviewed" && old.status !== form.status) parts.push("reviewed");
  return parts.join(", ");
}

/**
 * @param {Quake} event as the API sends one event, with `revisions`
 * @returns {{moment: number, text: string}[]} the forms, the present one last
 */
export function lifeOf(event) {
  const forms = [...event.revisions ?? [], event];
  return forms.map((form, index) => {
    if (index === 0) {
      return { moment: form.updated, text: [magnitude(form), form.status].filter(Boolean).join(", ") };
    }
    const old = /** @type {Revision} */ (forms[index - 1]);
    // A feed changes nothing about an event that it leaves out or lists again.
    const isListing = (old.withdrawn === null) !== (form.withdrawn === null);
    return { moment: isListing ? old.until : form.updated, text: change(old, form) };
  });
}

/** The list of an event's forms in the details. */
export class LifeList {
  #section = document.createElement("section");
  #list = document.createElement("ol");
  #fetch;
  /** The event whose life is shown or asked for, and the answer. */
  /** @type {Quake | null} */
  #event = null;
  /** @type {Quake | null} */
  #answer = null;

  /** @param {(id: string) => Promise<Quake>} fetch asks the program for one event */
  constructor(fetch) {
    this.#fetch = fetch;
    const heading = document.createElement("h3");
    heading.textContent = "History";
    this.#section.className = "life";
    this.#section.hidden = true;
    this.#section.append(heading, this.#list);
  }

  get element() {
    return this.#section;
  }

  /**
   * Shows the life of an event, which is fetched when the event is another one or has changed.
   * @param {Quake} event
   */
  async show(event) {
    const isKnown = this.#event?.id === event.id && this.#event.updated === event.updated
      && this.#event.withdrawn === event.withdrawn;
    if (isKnown) {
      this.#write();
      return;
    }
    if (this.#event?.id !== event.id) {
      this.#answer = null;
      this.#section.hidden = true;
    }
    this.#event = event;
    // An event that isn't among those of the list was fetched with its life.
    let answer = event.revisions ? event : null;
    try {
      answer ??= await this.#fetch(event.id);
    } catch {
      // Without the program there is no history, until the event is shown again; the page's banner tells that it can't
      // be reached.
    }
    if (this.#event !== event) return;
    if (!answer) this.#event = null;
    this.#answer = answer?.id === event.id ? answer : null;
    this.#write();
  }

  #write() {
    const steps = this.#answer?.revisions?.length ? lifeOf(this.#answer) : [];
    this.#section.hidden = steps.length === 0;
    const items = steps.map(({ moment, text }) => {
      const item = document.createElement("li");
      const time = document.createElement("time");
      time.dateTime = new Date(moment).toISOString();
      time.textContent = format.dateTime(moment);
      time.title = format.bothTimes(moment);
      item.append(time, " ", text);
      return item;
    });
    // The same again would unmark what the reader has marked.
    if (items.map(({ outerHTML }) => outerHTML).join("") !== this.#list.innerHTML) this.#list.replaceChildren(...items);
  }
}
