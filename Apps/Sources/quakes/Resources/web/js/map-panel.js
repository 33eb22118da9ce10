/** The map's side of the page: its controls, its tip, and the notice when there is no map. */

import { find, findAll } from "./find.js";
import { OverlapMenu } from "./overlap-menu.js";
import { QuakeMap } from "./quake-map.js";
import { MISSING } from "./installed.js";
import { REASONS, lacksWebGL } from "./map-library.js";
import * as format from "./format.js";
import * as settings from "./settings.js";
import { placeOf } from "./row.js";
import { sectionOverlay } from "./section.js";

const PROJECTIONS = ["globe", "mercator"];

export class MapPanel {
  /** @type {QuakeMap | null} */
  #map = null;
  /** @type {MapOverlay | null} */
  #overlay = null;
  /** @type {import("./section.js").Section | null} */
  #section = null;
  #eventOf;
  #handlers;
  #overlap;

  /**
   * @param {(id: string) => Quake | undefined} eventOf
   * @param {MapPanelHandlers} handlers
   */
  constructor(eventOf, handlers) {
    this.#eventOf = eventOf;
    this.#handlers = handlers;
    this.#overlap = new OverlapMenu(handlers.choose);
    for (const size of findAll("[data-size]")) {
      const diameter = format.diameter(Number(size.dataset.size)) * 0.76;
      size.style.width = `${diameter}px`;
      size.style.height = `${diameter}px`;
    }
  }

  /**
   * Lays lines over the base map, below the events, or takes them away.
   * @param {MapOverlay | null} overlay
   */
  overlay(overlay) {
    this.#overlay = overlay;
    this.#map?.setOverlay(overlay);
  }

  /**
   * Shows the line and the band of a section, or of none.
   * @param {import("./section.js").Section | null} section
   */
  section(section) {
    if (JSON.stringify(section) === JSON.stringify(this.#section)) return;
    this.#section = section;
    this.#map?.setOverlay(section && sectionOverlay(section), "section");
  }

  /** The map once it runs, else null. */
  get map() {
    return this.#map;
  }

  /**
   * Starts the map, or shows the reason why there is none.
   * @param {QuakeConfiguration} config
   * @param {Promise<void>} begun when the map's files may be loaded: the first rows need the line before
   * @param {Promise<void>} turn when the map may be made: setting up the GPU can block the page
   *   for a while, and the list comes first
   * @returns whether there is one
   */
  async start(config, begun, turn) {
    if (!config.mapAvailable) return this.#refuse("missing");
    const map = new QuakeMap(find("map"), {
      choose: this.#handlers.choose,
      chooseAmong: (ids, point) => this.#offer(ids, point),
      hover: (id, point, others) => this.#tip(id, point, others),
      moved: this.#handlers.moved,
      online: (online) => this.#showBase(online),
    });
    const projection = settings.read("projection", PROJECTIONS);
    const online = settings.read("base", ["online", "plain"]) === "online";
    try {
      await map.start({ projection, tileStyle: config.tileStyle, online, begun, turn });
    } catch (error) {
      console.warn("Quakes map:", error);
      if (lacksWebGL(error)) return this.#refuse("webgl");
      return this.#refuse(error.message === MISSING ? "missing" : "failed");
    }
    this.#map = map;
    map.setOverlay(this.#overlay);
    map.setOverlay(this.#section && sectionOverlay(this.#section), "section");
    this.#wire(map, config, projection);
    return true;
  }

  /** Globe to flat and back. */
  toggleProjection() {
    if (!this.#map) return;
    this.#setProjection(find("globe").ariaPressed === "true" ? "mercator" : "globe");
  }

  /**
   * @param {QuakeMap} map
   * @param {QuakeConfiguration} config
   * @param {string} projection
   */
  #wire(map, config, projection) {
    find("map-controls").hidden = false;
    find("legend").hidden = false;
    this.#showProjection(projection);
    find("globe").addEventListener("click", () => this.#setProjection("globe"));
    find("flat").addEventListener("click", () => this.#setProjection("mercator"));
    find("bases").hidden = !config.tileStyle;
    find("plain").addEventListener("click", () => this.#setOnline(false));
    find("online").addEventListener("click", () => this.#setOnline(true));
    find("in-view").addEventListener("click", () => this.#handlers.limit(find("in-view").ariaPressed !== "true"));
    find("fit").addEventListener("click", this.#handlers.fit);
    find("show-section").addEventListener("click", this.#handlers.section);
    new ResizeObserver(() => map.resize()).observe(find("map"));
  }

  /** @param {string} projection */
  #setProjection(projection) {
    settings.write("projection", projection);
    this.#map?.setProjection(projection);
    this.#showProjection(projection);
  }

  /** @param {string} projection */
  #showProjection(projection) {
    find("globe").ariaPressed = String(projection === "globe");
    find("flat").ariaPressed = String(projection !== "globe");
  }

  /** @param {boolean} online */
  #setOnline(online) {
    settings.write("base", online ? "online" : "plain");
    this.#map?.setOnline(online);
  }

  /** @param {boolean} online */
  #showBase(online) {
    find("plain").ariaPressed = String(!online);
    find("online").ariaPressed = String(online);
  }

  /**
   * Shows whether the list is limited to what the map shows.
   * @param {GeoBox | null} box
   */
  showLimit(box) {
    find("in-view").ariaPressed = String(box !== null);
  }

  /** @type {(ids: string[], point: MapPoint) => void} */
  #offer(ids, point) {
    this.#tip(null);
    const events = ids.flatMap((id) => this.#eventOf(id) ?? []);
    if (events.length > 1) this.#overlap.open(events, point);
    else if (events.length) this.#handlers.choose(events[0].id, false);
  }

  /**
   * @param {string | null} id
   * @param {MapPoint} [point]
   * @param {number} [others] the number of circles below it
   */
  #tip(id, point, others = 0) {
    const tip = find("tip");
    const event = id === null || this.#overlap.isOpen ? undefined : this.#eventOf(id);
    tip.hidden = !event;
    if (!event || !point) return;
    const name = `M ${format.magnitude(event.magnitude)} · ${placeOf(event)}`;
    tip.textContent = `${name} · ${format.ago(event.time)}${others ? ` · and ${format.count(others)} more here` : ""}`;
    const { clientWidth } = find("map");
    const left = Math.min(Math.max(8, point.x + 14), clientWidth - tip.offsetWidth - 8);
    tip.style.transform = `translate(${left}px, ${Math.max(8, point.y - 44)}px)`;
  }

  /** @param {keyof REASONS} reason */
  #refuse(reason) {
    const { title, text } = REASONS[reason];
    find("map-notice-title").textContent = title;
    find("map-notice-text").textContent = text;
    find("map-notice").hidden = false;
    find("map").dataset.state = reason;
    return false;
  }
}
