/** The meaning of the circles' colours: the age, the depth or the magnitude, as the reader has chosen in the legend. */

import { find } from "./find.js";
import * as format from "./format.js";
import * as settings from "./settings.js";
import { colour } from "./theme.js";

const HOUR = 3_600_000;
const SCHEMES = /** @type {ColourScheme[]} */ (["age", "depth", "magnitude"]);
/** The colour of an event whose depth or magnitude isn't known. */
const UNKNOWN = "unknown";

/** @param {number} kilometres */
const upTo = (kilometres) => () => `Up to ${format.distance(kilometres)}`;

/**
 * The classes of each scheme in order: from which value on, the name of the colour in app.css, and the text.
 * @type {Record<ColourScheme, ColourClass[]>}
 */
const CLASSES = {
  age: [
    { from: -Infinity, name: "age-hour", text: () => "Past hour" },
    { from: HOUR, name: "age-day", text: () => "Past day" },
    { from: 24 * HOUR, name: "age-week", text: () => "Past week" },
    { from: 7 * 24 * HOUR, name: "age-older", text: () => "Older" },
  ],
  depth: [
    { from: -Infinity, name: "depth-35", text: upTo(35) },
    { from: 35, name: "depth-70", text: upTo(70) },
    { from: 70, name: "depth-300", text: upTo(300) },
    { from: 300, name: "depth-more", text: () => "Deeper" },
  ],
  magnitude: [
    { from: -Infinity, name: "magnitude-less", text: () => "Below 2.5" },
    { from: 2.5, name: "magnitude-2", text: () => "From 2.5" },
    { from: 4.5, name: "magnitude-4", text: () => "From 4.5" },
    { from: 6, name: "magnitude-6", text: () => "From 6" },
  ],
};

/** The properties of the map's features that have depth and magnitude, if they are known. */
const PROPERTIES = { depth: "p", magnitude: "m" };

let scheme = settings.read("colour", SCHEMES);

/**
 * Chooses what colours tell; anything unknown gives way to the age.
 * @param {string} value
 */
export function choose(value) {
  scheme = SCHEMES.find((each) => each === value) ?? "age";
  settings.write("colour", scheme);
}

/**
 * The name of an event's colour.
 * @param {{time: number, depth: number | null, magnitude: number | null}} event
 */
export function colourName(event, now = Date.now()) {
  const value = scheme === "age" ? now - event.time : event[scheme];
  if (value === null || value === undefined) return UNKNOWN;
  return CLASSES[scheme].findLast(({ from }) => value >= from)?.name ?? UNKNOWN;
}

/**
 * The properties of the map's feature of an event.
 * @param {Quake} event
 */
export const colourProperties = ({ depth, magnitude }) => ({
  ...(Number.isFinite(depth) && { [PROPERTIES.depth]: depth }),
  ...(Number.isFinite(magnitude) && { [PROPERTIES.magnitude]: magnitude }),
});

/**
 * The colour of a feature of the map.
 * @param {number} now
 * @returns {MapExpression}
 */
export function colourExpression(now) {
  const [first, ...others] = CLASSES[scheme];
  const steps = [colour(first.name), ...others.flatMap(({ from, name }) => [from, colour(name)])];
  if (scheme === "age") return ["step", ["-", now, ["get", "t"]], ...steps];
  const property = PROPERTIES[scheme];
  return ["case", ["has", property], ["step", ["get", property], ...steps], colour(UNKNOWN)];
}

/** The choice of the scheme, with the legend of its colours. */
export class ColourLegend {
  #list = find("colour-legend");

  /** @param {() => void} changed called when circles have other colours */
  constructor(changed) {
    const select = find("colour-by", HTMLSelectElement);
    select.value = scheme;
    select.addEventListener("change", () => {
      choose(select.value);
      this.show();
      changed();
    });
    settings.watch("colour", () => {
      scheme = settings.read("colour", SCHEMES);
      select.value = scheme;
      this.show();
      changed();
    });
    this.show();
  }

  /** Writes the classes, also in another unit. */
  show() {
    for (const former of this.#list.querySelectorAll("dd")) former.remove();
    const unknown = scheme === "age" ? [] : [{ name: UNKNOWN, text: () => "Not known" }];
    for (const { name, text } of [...CLASSES[scheme], ...unknown]) {
      const swatch = document.createElement("i");
      swatch.className = "swatch";
      swatch.dataset.colour = name;
      const line = document.createElement("dd");
      line.append(swatch, text());
      this.#list.append(line);
    }
  }
}
