/** Things under the pointer on the map, or under the cross in its middle, which stands for it on the keyboard. */

import { MapPick } from "./map-pick.js";
import { LAYER } from "./map-style.js";

/** The time for which the pointer rests before its circle is looked up, in milliseconds. */
const REST = 40;
/** The room round a point within which circles count as meant, in pixels: at first, and when none is there. */
const AIM = 2;
const TOUCH = 7;

export class MapPointer {
  #container;
  #map;
  #handlers;
  #hover = 0;
  #picks;

  /**
   * @param {HTMLElement} container
   * @param {MapLibreMap} map
   * @param {MapPointerHandlers} handlers
   */
  constructor(container, map, handlers) {
    this.#container = container;
    this.#map = map;
    this.#handlers = handlers;
    this.#picks = new MapPick(container, map.getCanvas());
    map.on("click", ({ point, lngLat }) => this.#press(point, lngLat, false));
    map.getCanvas().addEventListener("keydown", (event) => this.#key(event));
    map.getCanvas().addEventListener("focus", () => this.#placeCross());
    map.on("moveend", () => this.#placeCross());
    map.on("mousemove", ({ point }) => {
      // With thousands of circles at one point a look-up takes a frame: only while the map is at rest.
      clearTimeout(this.#hover);
      this.#hover = setTimeout(() => this.#point(point), REST);
    });
    map.on("mouseout", () => this.#leave());
    map.on("movestart", () => this.#leave());
  }

  /** Whether a place is asked for. */
  get isPicking() {
    return this.#picks.isOpen;
  }

  /** The place of the next click; null when the pick is cancelled. */
  pick() {
    return this.#picks.pick();
  }

  cancelPick() {
    this.#picks.end(null);
  }

  /**
   * @param {MapPoint} point
   * @param {MapEvent["lngLat"]} place
   * @param {boolean} isKey whether a key was pressed, so that the focus follows
   */
  #press(point, place, isKey) {
    if (this.#picks.isOpen) {
      this.#picks.end({ longitude: place.wrap().lng, latitude: place.lat });
      return;
    }
    const [id, ...others] = this.#under(point);
    if (others.length) this.#handlers.chooseAmong([id, ...others], this.#inWindow(point));
    else if (id !== undefined) this.#handlers.choose(id, isKey);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.key !== "Enter" || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const middle = this.#middle;
    this.#press(middle, this.#map.unproject([middle.x, middle.y]), true);
  }

  /** The middle of what panels leave free of the map. */
  get #middle() {
    const { lng, lat } = this.#map.getCenter();
    return this.#map.project([lng, lat]);
  }

  #placeCross() {
    const { x, y } = this.#middle;
    this.#container.style.setProperty("--cross-x", `${x}px`);
    this.#container.style.setProperty("--cross-y", `${y}px`);
  }

  /** @param {MapPoint} point */
  #point(point) {
    if (this.#picks.isOpen) return;
    const [id = null, ...others] = this.#under(point);
    this.#map.getCanvas().style.cursor = id === null ? "" : "pointer";
    this.#handlers.hover(id, point, others.length);
  }

  #leave() {
    clearTimeout(this.#hover);
    this.#handlers.hover(null);
  }

  /**
   * The events whose circles are under a point, or else near it; the nearest first.
   * @param {MapPoint} point
   * @returns {string[]}
   */
  #under(point) {
    if (!this.#map.getLayer(LAYER)) return [];
    const exact = this.#within(point, AIM);
    return exact.length ? exact : this.#within(point, TOUCH);
  }

  /** @type {(point: MapPoint, room: number) => string[]} */
  #within({ x, y }, room) {
    /** @type {[number, number][]} */
    const box = [[x - room, y - room], [x + room, y + room]];
    /** @type {Map<string, number>} */
    const distances = new Map();
    for (const feature of this.#map.queryRenderedFeatures(box, { layers: [LAYER] })) {
      const point = this.#map.project(feature.geometry.coordinates);
      const distance = Math.hypot(point.x - x, point.y - y);
      const { id } = feature.properties;
      if (distance < (distances.get(id) ?? Infinity)) distances.set(id, distance);
    }
    return [...distances].sort((one, other) => one[1] - other[1]).map(([id]) => id);
  }

  /** @param {MapPoint} point */
  #inWindow({ x, y }) {
    const { left, top } = this.#container.getBoundingClientRect();
    return { x: left + x, y: top + y };
  }
}
