/** The panel with all fields of the selected event. */

import { colourName } from "./circle-colours.js";
import { loadPoints } from "./base-map.js";
import { find } from "./find.js";
import * as format from "./format.js";
import { distance } from "./great-circle.js";
import { LifeList } from "./life.js";
import { placeOf } from "./row.js";
import { isUTC } from "./units.js";

/** PAGER's colours: the estimated impact (earthquake.usgs.gov/data/pager/onepager.php). */
/** @type {Record<string, string>} */
const ALERTS = {
  green: "Green: little or no damage expected",
  yellow: "Yellow: some damage possible, local response",
  orange: "Orange: significant damage likely, regional response",
  red: "Red: extensive damage likely, national response",
  pending: "Pending: not estimated yet",
};

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {string} [className]
 * @param {string} [text]
 */
function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

/**
 * Writes a text if it is another one: what the reader has marked stays marked.
 * @param {HTMLElement} target
 * @param {string} text
 */
function write(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

/**
 * The event's page, if its address is one a link may lead to.
 * @param {string | null} url
 */
export function safeLink(url) {
  if (!url || !/** @type {URLCanParse} */ (URL).canParse(url)) return null;
  const parsed = new URL(url);
  return parsed.protocol === "https:" || parsed.protocol === "http:" ? parsed : null;
}

/**
 * The module of the details that the program loads, which waits until an event is opened. Its address is made here, or
 * the file of all modules would have it.
 */
const MORE = "/js/event-details.js";

/** @param {string} text */
const capitalised = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export class Details {
  #panel;
  #handlers;
  /** @type {string | null} */
  #id = null;
  /** @type {DetailFields | null} */
  #fields = null;
  #life;
  #section = element("section", "more");
  /** @type {Promise<EventDetailsView> | null} */
  #more = null;

  /**
   * @param {HTMLElement} panel
   * @param {DetailHandlers} handlers
   */
  constructor(panel, handlers) {
    this.#panel = panel;
    this.#handlers = handlers;
    this.#life = new LifeList(handlers.fetch);
  }

  get isOpen() {
    return !this.#panel.hidden;
  }

  /**
   * Shows an event.
   * @param {Quake} event
   * @param {string} note the reason why it isn't in the list
   * @param {boolean} focus
   */
  open(event, note, focus) {
    const same = this.isOpen && this.#id === event.id;
    this.#id = event.id;
    if (!same || !this.#fields) this.#fields = this.#build();
    this.#write(this.#fields, event, note);
    this.#panel.hidden = false;
    document.body.dataset.details = "open";
    if (!same) this.#panel.scrollTop = 0;
    if (focus) this.#fields.title.focus();
    this.#showMore(event);
  }

  /**
   * The open event gets another identifier: scroll position and focus stay.
   * @param {string} former
   * @param {string} id
   */
  rename(former, id) {
    if (this.#id === former) this.#id = id;
  }

  close() {
    this.#panel.hidden = true;
    this.#id = null;
    delete document.body.dataset.details;
    this.#more?.then((more) => {
      if (!this.isOpen) more.clear();
    }, () => {});
  }

  /**
   * Shows what the program loads of an event.
   * @param {Quake} event
   */
  async #showMore(event) {
    let more;
    try {
      this.#more ??= this.#loadMore();
      more = await this.#more;
    } catch (error) {
      this.#more = null;
      console.warn("Quakes: no details", error.message);
      return;
    }
    if (this.isOpen && this.#id === event.id) more.show(event);
  }

  /** @returns {Promise<EventDetailsView>} */
  async #loadMore() {
    const { EventDetails } = await import(new URL(MORE, location.href).href);
    return new EventDetails(this.#section, {
      fetch: this.#handlers.fetchDetails, overlay: this.#handlers.overlay, legend: find("shaking-legend"),
      alerts: ALERTS, format, distance, loadPoints,
    });
  }

  /** @returns {DetailFields} */
  #build() {
    const close = element("button", "tool close");
    close.type = "button";
    close.id = "details-close";
    close.setAttribute("aria-label", "Close the details");
    close.textContent = "×";
    close.addEventListener("click", () => this.#handlers.close());
    const head = element("header", "head");
    const badge = element("p", "badge");
    const title = element("h2");
    title.id = "details-title";
    title.tabIndex = -1;
    title.dir = "auto";
    const when = element("p", "when");
    head.append(badge, title, when);
    const note = element("p", "note");
    const list = element("dl", "facts");
    const link = element("a", "link", "Event page at the USGS");
    link.rel = "noopener noreferrer";
    link.target = "_blank";
    const show = element("button", "tool wide show", "Show on the map");
    show.type = "button";
    show.addEventListener("click", () => this.#handlers.show());
    const near = element("button", "tool wide", "Earthquakes near here");
    near.type = "button";
    near.addEventListener("click", () => this.#handlers.near());
    const actions = element("p", "actions");
    actions.append(link, show, near);
    this.#section.hidden = true;
    this.#section.setAttribute("aria-label", "Further details");
    this.#panel.replaceChildren(close, head, actions, note, list, this.#section, this.#life.element);
    return { badge, title, when, note, list, link };
  }

  /**
   * @param {DetailFields} fields
   * @param {Quake} event
   * @param {string} reason
   */
  #write({ badge, title, when, note, list, link }, event, reason) {
    write(badge, `M ${format.magnitude(event.magnitude)}`);
    badge.dataset.colour = colourName(event);
    write(title, placeOf(event));
    // After a week, and of a time to come, "ago" is a date, which the exact time repeats.
    const [ago, exact] = [format.ago(event.time), format.dateTime(event.time)];
    const isTold = ago !== exact && format.age(event.time) !== "older";
    write(when, (isTold ? `${ago} · ` : "") + exact);
    when.title = format.bothTimes(event.time);
    const text = !event.withdrawn ? reason
      : `Withdrawn: no longer listed by the feed, found on ${format.dateTime(event.withdrawn)}.`;
    note.hidden = text === "";
    write(note, text);
    const facts = this.#facts(event).flat();
    facts.forEach((fact, index) => {
      const former = list.children[index];
      if (!former) list.append(fact);
      else if (former.outerHTML !== fact.outerHTML) former.replaceWith(fact);
    });
    for (const former of [...list.children].slice(facts.length)) former.remove();
    this.#life.show(event);
    const target = safeLink(event.url);
    link.hidden = target === null;
    if (target) {
      link.href = target.href;
      const isSurvey = target.origin === "https://earthquake.usgs.gov";
      write(link, isSurvey ? "Event page at the USGS" : `Event page at ${target.host}`);
    }
  }

  /** @param {Quake} event */
  #facts(event) {
    /** @type {[HTMLElement, HTMLElement][]} */
    const facts = [];
    /** @type {(name: string, value: string, title?: string) => HTMLElement} */
    const add = (name, value, title) => {
      const description = element("dd", "", value);
      if (title) description.title = title;
      facts.push([element("dt", "", name), description]);
      return description;
    };
    const type = event.magnitudeType ? ` ${event.magnitudeType}` : "";
    add("Magnitude", `${format.exactMagnitude(event.magnitude)}${type}`);
    add("Depth", format.exactDepth(event.depth));
    add("Location", format.coordinates(event.latitude, event.longitude));
    // The head has the time in the reader's zone.
    if (isUTC()) add("Time here", format.here(event.time));
    else add("Time (UTC)", format.utc(event.time).replace(" UTC", ""));
    add("Revised", format.ago(event.updated), format.bothTimes(event.updated));
    add("Felt", event.felt ? format.plural(event.felt, "report") : "no reports");
    if (event.alert) this.#alert(add, event.alert);
    add("Tsunami", event.tsunami
      ? "Flagged: large event in an oceanic region. This is no warning; see tsunami.gov."
      : "not flagged");
    if (event.significance !== null) {
      add("Significance", `${event.significance} (0 to 1,000 and over)`);
    }
    if (event.type && event.type !== "earthquake") add("Type", capitalised(event.type));
    if (event.status) add("Status", capitalised(event.status));
    add("Event id", event.id);
    if (event.aliases?.length) add("Also known as", event.aliases.join(", "));
    return facts;
  }

  /**
   * @param {(name: string, value: string) => HTMLElement} add
   * @param {string} alert
   */
  #alert(add, alert) {
    const description = add("Impact alert", "");
    const dot = element("i", "alert");
    dot.dataset.alert = alert;
    dot.setAttribute("aria-hidden", "true");
    description.append(dot, ALERTS[alert] ?? capitalised(alert));
  }
}
