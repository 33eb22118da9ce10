/** The map's style. The colours are read from app.css. */

import { COMING } from "./base-map.js";
import { colourExpression } from "./circle-colours.js";
import { namePaint } from "./map-names.js";
import { colour } from "./theme.js";

const forced = matchMedia("(forced-colors: active)");

const HOUR = 3_600_000;

export const LAYER = "quakes";
const SOURCE = "quakes";

/** Circles grow with the magnitude (property d: diameter in the list) and with the zoom. */
const RADIUS = [
  "interpolate", ["linear"], ["zoom"],
  0, ["*", ["get", "d"], 0.26],
  4, ["*", ["get", "d"], 0.5],
  10, ["*", ["get", "d"], 0.8],
];

/** The classes of the age, in the order in which their events are drawn. */
export const AGES = ["older", "week", "day", "hour"];

/**
 * Paint properties by layer, for the scheme and the time at hand.
 * @param {number} now
 * @returns {Record<string, MapPaint>}
 */
export function paint(now) {
  const inner = { "line-color": colour("map-border"), "line-width": 0.6, "line-dasharray": [3, 2] };
  return {
    water: { "background-color": colour("map-water") },
    graticule: { "line-color": colour("map-graticule"), "line-width": 0.6 },
    land: { "fill-color": colour("map-land") },
    provinces: { ...inner, "line-opacity": COMING },
    states: inner,
    borders: { "line-color": colour("map-border"), "line-width": 0.8 },
    plates: { "line-color": colour("map-plate"), "line-width": 1.1, "line-opacity": 0.7 },
    coast: { "line-color": colour("map-coast"), "line-width": 0.9 },
    ...namePaint(),
    [LAYER]: {
      "circle-radius": RADIUS,
      "circle-color": colourExpression(now),
      "circle-opacity": ["step", ["-", now, ["get", "t"]], 0.7, 24 * HOUR, 0.6, 7 * 24 * HOUR, 0.4],
      "circle-stroke-color": forced.matches ? colour("text") : colourExpression(now),
      "circle-stroke-width": 1,
      "circle-stroke-opacity": 0.95,
    },
  };
}

const SHAPES = ["graticule", "land", "provinces", "states", "borders", "coast", "plates"];
const SHAPES_ATTRIBUTION = "Natural Earth | plate boundaries: Bird 2003, Ahlenius, Nordpil";

const ATTRIBUTION = "U.S. Geological Survey";

/**
 * The events of a slice of time; null for all.
 * @param {TimeSlice | null} slice
 */
export const sliceFilter = (slice) =>
  slice && ["all", [">=", ["get", "t"], slice.from], ["<", ["get", "t"], slice.to]];

/**
 * Adds the events to a style: one source, one layer of circles, the newest on top. Features follow one another by time
 * within a tile of the map; between tiles, the class of the age decides. A key of its own for each event would cost a
 * drawing command for each.
 * @param {MapStyle} style
 * @param {MapEvents} events
 * @param {number} now
 */
export function addEvents(style, { data, slice }, now) {
  style.sources[SOURCE] = { type: "geojson", data, attribution: ATTRIBUTION, buffer: 64 };
  style.layers.push({
    id: LAYER,
    type: "circle",
    source: SOURCE,
    layout: { "circle-sort-key": ["get", "a"] },
    paint: paint(now)[LAYER],
    ...(slice && { filter: sliceFilter(slice) }),
  });
  return style;
}

/**
 * The layers of an overlay in the colours at hand. With the system's own colours, lines differ by their names.
 * @param {MapOverlay} overlay
 * @param {boolean} online whether the style has other letters than the page's own, which the names need
 */
export const overlayLayers = (overlay, online) =>
  overlay.layers((name) => colour(forced.matches && !name.startsWith("map-") ? "text" : name)).filter(({ type }) => !online || type !== "symbol");

/**
 * Adds an overlay to a style, below the events.
 * @param {MapStyle} style
 * @param {MapOverlay | null} overlay
 * @param {boolean} online
 */
export function addOverlay(style, overlay, online) {
  if (!overlay) return style;
  style.sources[overlay.id] = overlay.source;
  const at = style.layers.findIndex(({ id }) => id === LAYER);
  style.layers.splice(at, 0, ...overlayLayers(overlay, online));
  return style;
}

/**
 * The style that needs no network.
 * @param {BaseMap} base
 * @param {MapNames} names adds those of countries and places, below the events
 * @param {MapEvents} events
 * @param {number} now
 */
export function plainStyle(base, names, events, now) {
  const style = base.style(SHAPES, paint(now), SHAPES_ATTRIBUTION);
  return addEvents(names.addTo(style), events, now);
}
