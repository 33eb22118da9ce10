/** The rings round events on the map: one round the selected event, and some that spread round new ones. */

import * as format from "./format.js";

/** The most new events with a ring. */
const MARKS = 12;

export class MapRings {
  #library;
  #map;
  /** @type {MapMarker | null} */
  #selection = null;
  /** @type {MapMarker[]} */
  #marks = [];

  /**
   * @param {MapLibrary} library
   * @param {MapLibreMap} map
   */
  constructor(library, map) {
    this.#library = library;
    this.#map = map;
  }

  /**
   * Puts a ring round an event, or round none.
   * @param {Quake | null | undefined} event
   */
  select(event) {
    this.#selection?.remove();
    this.#selection = event ? this.#ring(event, "ring selected") : null;
  }

  /**
   * Marks new events with a ring that spreads.
   * @param {Quake[]} events
   */
  mark(events) {
    for (const event of events.slice(0, MARKS)) this.#marks.push(this.#ring(event, "ring fresh"));
    while (this.#marks.length > MARKS) this.#marks.shift()?.remove();
  }

  clearMarks() {
    for (const mark of this.#marks.splice(0)) mark.remove();
  }

  /**
   * @param {Quake} event
   * @param {string} className
   */
  #ring(event, className) {
    const element = document.createElement("div");
    element.className = className;
    const size = Math.max(18, format.diameter(event.magnitude) + 12);
    element.style.width = `${size}px`;
    element.style.height = `${size}px`;
    const marker = new this.#library.Marker({ element, opacityWhenCovered: "0" })
      .setLngLat([event.longitude, event.latitude])
      .addTo(this.#map);
    // Hidden from assistive technology: the list has the same information.
    element.removeAttribute("aria-label");
    element.setAttribute("aria-hidden", "true");
    return marker;
  }
}
