/**
 * The details of an event that the program loads when it is opened: felt reports, shaking, losses, mechanism, towns.
 * The page loads this module then, too (details.js), which gives it the parts of others that it needs: those have
 * settings of their own, of which there must be one copy.
 */

import { angles, beachBall, faulting } from "./beach-ball.js";
import { near, RADIUS } from "./near.js";
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
 * The address of the earthquakes near an event in the days before and after it.
 * @param {Quake} event
 */
export function nearby(event) {
  /** @param {number} time */
  const day = (time) => new Date(time).toISOString().slice(0, 10);
  return `#${new URLSearchParams({
    q: near(event), days: `${day(event.time - BEFORE * DAY)}..${day(event.time + AFTER * DAY)}`, event: event.id,
  })}`;
}

export class EventDetails {
  #section;
  #tools;
  #heading = element("h3", "", "Further details");
  #status = element("p", "status");
  #retry = element("button", "link", "Try again");
  #content = element("div", "content");
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
    this.#heading.tabIndex = -1;
    this.#status.setAttribute("role", "status");
    this.#retry.type = "button";
    this.#retry.addEventListener("click", () => this.#again());
    section.replaceChildren(this.#heading, this.#status, this.#retry, this.#content);
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

  /** Writes everything anew, also in other units; what is as it was stays in place. */
  #draw() {
    const { format } = this.#tools;
    const event = this.#event;
    if (!event) return;
    this.#section.hidden = false;
    this.#section.ariaBusy = String(this.#isLoading);
    this.#showStatus(format);
    const content = element("div", "content");
    const answer = this.#answer;
    if (answer) {
      content.append(...this.#effects(answer, event, format));
      if (answer.mechanism) content.append(this.#mechanism(answer.mechanism, format));
      if (answer.contours.length) content.append(this.#contours(answer.contours));
    }
    const towns = answer?.towns.length ? answer.towns : this.#near;
    if (towns.length) content.append(this.#towns(towns, format));
    if (answer && !this.#isLoading && !this.#message) content.append(this.#loaded(answer, format));
    content.append(this.#others(event));
    if (content.innerHTML === this.#content.innerHTML) return;
    const hadFocus = this.#content.contains(document.activeElement);
    this.#content.replaceWith(content);
    this.#content = content;
    if (hadFocus) content.querySelector("a")?.focus();
  }

  /**
   * The state of a load, and why there are no details or older ones.
   * @param {DetailTools["format"]} format
   */
  #showStatus(format) {
    let text = "";
    if (this.#isLoading) text = this.#answer ? "Loading newer details…" : "Loading the details…";
    else if (this.#message) {
      const kept = this.#answer ? `Kept from ${format.ago(this.#answer.loaded)}` : "No details";
      text = `${kept}: ${this.#message.replace(/[.;]?$/, ".")}`;
    }
    const isFailure = !this.#isLoading && this.#message !== "";
    this.#status.hidden = text === "";
    this.#status.classList.toggle("failed", isFailure);
    if (this.#status.textContent !== text) this.#status.textContent = text;
    if (!isFailure && this.#retry.contains(document.activeElement)) this.#heading.focus();
    this.#retry.hidden = !isFailure;
  }

  /**
   * @param {QuakeDetails} answer
   * @param {DetailTools["format"]} format
   */
  #loaded({ loaded, missing }, format) {
    const lacking = missing.length ? ` The ${missing.join(" and ")} could not be loaded.` : "";
    return element("p", "loaded", `Loaded ${format.ago(loaded)}.${lacking}`);
  }

  /**
   * @param {QuakeDetails} answer
   * @param {Quake} event
   * @param {DetailTools["format"]} format
   */
  #effects({ felt, shaking, alert }, event, format) {
    const list = element("dl", "facts");
    /** @type {(name: string, ...content: (Node | string)[]) => void} */
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
    // The feed tells the level, too, among the facts above.
    if (alert && alert.level !== event.alert) {
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
    box.append(element("h4", "", "Distance and direction from towns"), list);
    return box;
  }

  /** @param {Quake} event */
  #others(event) {
    const paragraph = element("p", "others");
    const link = element("a", "link", "Earthquakes nearby, before and after");
    link.href = nearby(event);
    link.title = `Within ${RADIUS}, from ${BEFORE} days before to ${AFTER} days after`;
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
