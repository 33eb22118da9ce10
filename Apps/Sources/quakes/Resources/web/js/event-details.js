/**
 * The details of an event that the program loads when it is opened: felt reports, shaking, losses, mechanism, towns. The
 * page loads this module then, too (details.js), which gives it the parts of others that it needs: those have settings
 * of their own, of which there must be one copy.
 */

import { angles, beachBall, faulting } from "./beach-ball.js";
import { inWords, numeral, overlay, shade } from "./shaking.js";

/** The time for which an event stays open before its details are asked for, in milliseconds: steps through the list. */
const CALM = 350;
/** The number of towns, and the distance up to which one counts as near, in kilometres. */
const TOWNS = 5;
const NEAR = 500;
const DIRECTIONS = ["N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW"];
/** The days before and after an event among which others may belong to it. */
const BEFORE = 7;
const AFTER = 30;
const DAY = 86_400_000;

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
 * The direction from a town to an event, of sixteen.
 * @param {{latitude: number, longitude: number}} town
 * @param {{latitude: number, longitude: number}} event
 */
export function direction(town, event) {
  const narrowing = Math.cos(event.latitude * Math.PI / 180);
  const east = ((event.longitude - town.longitude + 540) % 360 - 180) * narrowing;
  const sixteenth = Math.round(Math.atan2(east, event.latitude - town.latitude) * 8 / Math.PI);
  return DIRECTIONS[(sixteenth + 16) % 16];
}

/**
 * The region at the end of a place: "12 km N of Town, CA" → "CA".
 * @param {string | null} place
 */
export const region = (place) => (place?.includes(",") ? place.slice(place.lastIndexOf(",") + 1).trim() : "");

/**
 * The address of the earthquakes of the same region in the days before and after an event.
 * @param {Quake} event
 */
export function nearby(event) {
  const day = (time) => new Date(time).toISOString().slice(0, 10);
  const fields = new URLSearchParams();
  const where = region(event.place);
  if (where) fields.set("q", where);
  fields.set("days", `${day(event.time - BEFORE * DAY)}..${day(event.time + AFTER * DAY)}`);
  fields.set("event", event.id);
  return `#${fields}`;
}

export class EventDetails {
  #section;
  #tools;
  /** @type {Quake | null} */
  #event = null;
  /** @type {QuakeDetails | null} */
  #answer = null;
  #message = "";
  #isLoading = false;
  #timer = 0;
  /**
   * The names on the map as towns, once they were needed.
   * @type {Promise<QuakeTown[]> | null}
   */
  #places = null;
  /** @type {QuakeTown[]} */
  #near = [];

  /**
   * @param {HTMLElement} section
   * @param {DetailTools} tools
   */
  constructor(section, tools) {
    this.#section = section;
    this.#tools = tools;
  }

  /**
   * Shows the details of an event, which are asked for when it is another one or has changed.
   * @param {Quake} event
   */
  show(event) {
    const isSame = this.#event?.id === event.id;
    const isKnown = isSame && this.#event?.updated === event.updated && this.#event?.withdrawn === event.withdrawn;
    this.#event = event;
    if (!isKnown) {
      if (!isSame) {
        this.#answer = null;
        this.#near = [];
        this.#tools.overlay(null);
        this.#showLegend([]);
      }
      this.#isLoading = true;
      this.#message = "";
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#load(event), CALM);
    }
    this.#draw();
  }

  /** The event is closed. */
  clear() {
    clearTimeout(this.#timer);
    this.#event = null;
    this.#answer = null;
    this.#tools.overlay(null);
    this.#showLegend([]);
  }

  /** @param {Quake} event */
  async #load(event) {
    let answer = null;
    let message = "";
    try {
      answer = await this.#tools.fetch(event.id);
    } catch (error) {
      message = error.message;
    }
    if (this.#event?.id !== event.id) return;
    this.#isLoading = false;
    this.#answer = answer ?? this.#answer;
    this.#message = message || (answer?.failure?.message ?? "");
    const contours = this.#answer?.contours ?? [];
    this.#tools.overlay(contours.length ? overlay(contours) : null);
    this.#showLegend(contours);
    this.#draw();
    if (!this.#answer?.towns.length) await this.#findTowns(event);
  }

  #again() {
    if (!this.#event) return;
    this.#isLoading = true;
    this.#message = "";
    this.#draw();
    this.#section.querySelector("h3")?.focus();
    this.#load(this.#event);
  }

  // Towns

  /**
   * The nearest of the map's own places, for events whose document has none.
   * @param {Quake} event
   */
  async #findTowns(event) {
    this.#places ??= this.#readPlaces();
    let places;
    try {
      places = await this.#places;
    } catch {
      this.#places = null;
      return;
    }
    if (this.#event?.id !== event.id) return;
    this.#near = places.map((town) => ({
      ...town, distance: this.#tools.distance(town, event), direction: direction(town, event),
    })).filter(({ distance }) => distance <= NEAR).sort((a, b) => a.distance - b.distance).slice(0, TOWNS);
    this.#draw();
  }

  /** @returns {Promise<QuakeTown[]>} */
  async #readPlaces() {
    const files = await Promise.all(["names.json", "towns.json"].map(this.#tools.loadPoints));
    return files.flatMap(({ places }) => places.names.map((name, index) => {
      const [longitude, latitude] = places.points[index];
      return { name, longitude, latitude, distance: 0, direction: null, population: null };
    }));
  }

  // Drawing

  /** Writes everything anew, also in other units. */
  #draw() {
    const { format } = this.#tools;
    const event = this.#event;
    if (!event) return;
    const hasFocus = this.#section.contains(document.activeElement);
    const name = hasFocus ? document.activeElement?.getAttribute("data-name") : null;
    const heading = element("h3", "", "Details from the network");
    heading.tabIndex = -1;
    heading.dataset.name = "heading";
    /** @type {HTMLElement[]} */
    const parts = [heading, this.#status(format)];
    const answer = this.#answer;
    if (answer) {
      parts.push(...this.#effects(answer, format));
      if (answer.mechanism) parts.push(this.#mechanism(answer.mechanism, format));
      if (answer.contours.length) parts.push(this.#contours(answer.contours));
    }
    const towns = answer?.towns.length ? answer.towns : this.#near;
    if (towns.length) parts.push(this.#towns(towns, format));
    parts.push(this.#others(event));
    this.#section.replaceChildren(...parts);
    this.#section.hidden = false;
    if (!name) return;
    const again = this.#section.querySelector(`[data-name="${name}"]`) ?? heading;
    if (again instanceof HTMLElement) again.focus();
  }

  /** @param {DetailTools["format"]} format */
  #status(format) {
    const status = element("p", "status");
    status.setAttribute("role", "status");
    if (this.#isLoading) {
      status.textContent = this.#answer ? "Loading newer details…" : "Loading the details…";
      return status;
    }
    const kept = this.#answer ? `Kept from ${format.ago(this.#answer.loaded)}` : "";
    if (this.#message) {
      status.classList.add("failed");
      const retry = element("button", "link", "Try again");
      retry.type = "button";
      retry.dataset.name = "again";
      retry.addEventListener("click", () => this.#again());
      const reason = this.#message.replace(/[.;]?$/, ".");
      status.append(kept ? `${kept}: ${reason}` : `No details: ${reason}`, " ", retry);
      return status;
    }
    status.textContent = `Loaded ${format.ago(this.#answer?.loaded ?? Date.now())}.`;
    if (this.#answer?.missing.length) {
      status.textContent += ` The ${this.#answer.missing.join(" and ")} could not be loaded.`;
    }
    return status;
  }

  /**
   * @param {QuakeDetails} answer
   * @param {DetailTools["format"]} format
   */
  #effects({ felt, shaking, alert }, format) {
    const list = element("dl", "facts");
    const add = (name, ...content) => {
      const description = element("dd");
      description.append(...content);
      list.append(element("dt", "", name), description);
    };
    if (felt) {
      const count = felt.responses === null ? [] : [format.plural(felt.responses, "report")];
      const most = felt.intensity === null ? [] : [`up to ${inWords(felt.intensity)}`];
      add("Felt", [...count, ...most].join(", "));
    }
    if (shaking !== null) add("Shaking", `up to ${inWords(shaking)}`);
    if (alert) {
      const dot = element("i", "alert");
      dot.dataset.alert = alert.level;
      dot.setAttribute("aria-hidden", "true");
      add("Losses", dot, this.#tools.alerts[alert.level]);
    }
    return list.childElementCount ? [list] : [];
  }

  /**
   * @param {QuakeMechanism} mechanism
   * @param {DetailTools["format"]} format
   */
  #mechanism(mechanism, format) {
    const figure = element("figure", "mechanism");
    const ball = beachBall(mechanism);
    const caption = element("figcaption");
    const [plane] = mechanism.planes;
    caption.append(element("strong", "", plane ? faulting(plane) : "Moment tensor"));
    const facts = [];
    const source = mechanism.source ? ` of ${mechanism.source}` : "";
    facts.push(mechanism.kind === "moment-tensor" ? `moment tensor${source}` : `first motions${source}`);
    if (mechanism.magnitude !== null) {
      facts.push(`${mechanism.magnitudeType ?? "M"} ${format.exactMagnitude(mechanism.magnitude)}`);
    }
    if (mechanism.doubleCouple !== null) facts.push(`${Math.round(mechanism.doubleCouple * 100)} % double couple`);
    caption.append(element("span", "", facts.join(", ")));
    for (const nodal of mechanism.planes) caption.append(element("span", "", angles(nodal)));
    figure.append(...(ball ? [ball] : []), caption);
    return figure;
  }

  /** @param {QuakeContour[]} contours */
  #contours(contours) {
    const [weakest, strongest] = [contours[0], contours[contours.length - 1]];
    return element("p", "contours",
      `Lines of equal shaking are on the map, from ${numeral(weakest.intensity)} to ${numeral(strongest.intensity)}.`);
  }

  /**
   * @param {QuakeTown[]} towns
   * @param {DetailTools["format"]} format
   */
  #towns(towns, format) {
    const box = element("div", "towns");
    const list = element("ul");
    list.append(...towns.slice(0, TOWNS).map(({ name, distance, direction: way, population }) => {
      const item = element("li");
      item.append(element("span", "", name), element("span", "way", `${format.distance(distance)} ${way ?? "away"}`));
      if (population) item.title = `Population ${format.count(population)}`;
      return item;
    }));
    box.append(element("h4", "", "The event as seen from towns"), list);
    return box;
  }

  /** @param {Quake} event */
  #others(event) {
    const where = region(event.place);
    const paragraph = element("p", "others");
    const link = element("a", "link", "Earthquakes nearby, before and after");
    link.href = nearby(event);
    link.dataset.name = "nearby";
    link.title = `From ${BEFORE} days before to ${AFTER} days after${where ? `, in ${where}` : ""}`;
    paragraph.append(link);
    return paragraph;
  }

  /**
   * The legend of the lines on the map: their whole degrees.
   * @param {QuakeContour[]} contours
   */
  #showLegend(contours) {
    const list = this.#tools.legend;
    const degrees = contours.map(({ intensity }) => intensity).filter(Number.isInteger);
    list.replaceChildren(element("dt", "", "Shaking"), ...degrees.map((intensity) => {
      const item = element("dd");
      const swatch = element("i", "line");
      swatch.style.setProperty("--shade", `var(--${shade(intensity)})`);
      item.append(swatch, inWords(intensity));
      return item;
    }));
    list.hidden = degrees.length === 0;
  }
}
