/** One row of the list: a circle as on the map, the place, when and how deep, the magnitude. */

import { colourName } from "./circle-colours.js";
import * as format from "./format.js";
import { distance } from "./great-circle.js";
import { changeInShort } from "./life.js";

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {HTMLElement} parent
 * @param {K} name
 * @param {string} className
 */
function child(parent, name, className) {
  const element = document.createElement(name);
  element.className = className;
  parent.append(element);
  return element;
}

/** An empty row; `fill` gives it an event, again and again. */
export function make() {
  const row = document.createElement("div");
  row.className = "row";
  row.setAttribute("role", "option");
  const mark = child(child(row, "span", "cell"), "i", "circle");
  mark.setAttribute("aria-hidden", "true");
  const text = child(row, "span", "text");
  const place = child(text, "span", "place");
  place.dir = "auto";
  const meta = child(text, "span", "meta");
  const magnitude = child(row, "span", "magnitude");
  const time = child(meta, "time", "");
  const change = child(meta, "span", "change");
  const rest = child(meta, "span", "");
  return { row, parts: { mark, place, magnitude, time, change, rest } };
}

/**
 * The name of an event for people; events without a place exist.
 * @param {QuakeForm} event
 */
export const placeOf = (event) => (event.place ? format.place(event.place) : "Place not named");

/**
 * Writes the event into the row.
 * @param {Row} row
 * @param {Quake} event
 * @param {number} now
 * @param {NearPlace | null} nearby the place whose distance is told
 * @param {QuakeForm | null} former the form before a revision that is told
 */
export function fill({ row, parts }, event, now, nearby = null, former = null) {
  const size = format.diameter(event.magnitude);
  parts.mark.style.width = `${size}px`;
  parts.mark.style.height = `${size}px`;
  parts.mark.dataset.colour = colourName(event, now);
  parts.place.textContent = placeOf(event);
  parts.time.textContent = format.ago(event.time, now);
  parts.time.dateTime = new Date(event.time).toISOString();
  const isWithdrawn = Boolean(event.withdrawn);
  row.classList.toggle("withdrawn", isWithdrawn);
  const kind = (event.type && event.type !== "earthquake" ? ` · ${event.type}` : "")
    + (isWithdrawn ? " · withdrawn" : "");
  const away = nearby ? ` · ${format.distance(distance(nearby, event))} away` : "";
  const change = former ? changeInShort(former, event) : "";
  parts.change.textContent = change && ` · ${change}`;
  row.classList.toggle("changed", change !== "");
  parts.rest.textContent = `${away} · ${format.depth(event.depth)}${kind}`;
  parts.magnitude.textContent = format.magnitude(event.magnitude);
  row.title = [placeOf(event), format.bothTimes(event.time), ...(change ? [`Revised: ${change}`] : [])].join("\n");
  const magnitude = event.magnitude === null ? "not known" : format.magnitude(event.magnitude);
  row.setAttribute("aria-label", [
    `Magnitude ${magnitude}`, placeOf(event), format.ago(event.time, now),
    ...(change ? [`revised: ${change.replace("→", "to")}`] : []),
    ...(away ? [away.slice(3)] : []), format.depth(event.depth) + kind,
  ].join(", "));
}
