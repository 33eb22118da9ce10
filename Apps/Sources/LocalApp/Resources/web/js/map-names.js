/**
 * The names on the base map: countries, states of the USA, and populated places, each from a zoom on. The letters
 * are drawn on the page (local-glyphs.js), so no name needs the network.
 */

import { loadPoints } from "./base-map.js";
import { GLYPHS, provideGlyphs } from "./local-glyphs.js";
import { colour } from "./theme.js";

/** The zoom from which the second file is needed, and that of a map that is about to get there. */
const TOWNS = 6;
const NEAR = 5.4;
/** The number of zooms after which the name of a country or state, whose place is one point, is left out. */
const REACH = 5;
const EMPTY = { type: "FeatureCollection", features: [] };
const SOURCES = { regions: "names-regions", places: "names-places", towns: "names-towns" };
const DOT = "names-dot";

const ATTRIBUTION = "GeoNames (CC BY)";

/**
 * Paint properties by layer, in the colours of app.css.
 * @returns {Record<string, MapPaint>}
 */
export function namePaint() {
  /** @type {(name: string, width: number) => MapPaint} */
  const text = (name, width) => ({
    "text-color": colour(name), "text-halo-color": colour("map-halo"), "text-halo-width": width,
  });
  const place = { ...text("map-place", 1.3), "icon-color": colour("map-place") };
  return {
    "names-towns": place, "names-places": place,
    "names-states": text("map-country", 1.1), "names-countries": text("map-country", 1.3),
  };
}

/**
 * The points of a kind as features of GeoJSON.
 * @type {(kind: string, points: NamedPoints) => object[]}
 */
const features = (kind, { names, points, zooms }) => names.map((name, at) => ({
  type: "Feature",
  properties: { kind, n: name, z: zooms[at], o: at },
  geometry: { type: "Point", coordinates: points[at] },
}));

/** @param {object[][]} parts lists of features */
const collection = (...parts) => ({ type: "FeatureCollection", features: parts.flat() });

/** A dot with a soft edge, whose colour the style decides. */
function dot() {
  const size = 12;
  const data = new Uint8ClampedArray(size * size * 4);
  for (let at = 0; at < size * size; at += 1) {
    const distance = Math.hypot((at % size) - 5.5, Math.floor(at / size) - 5.5);
    data[at * 4 + 3] = 191 - (distance - 3.6) * 32;
  }
  return { width: size, height: size, data };
}

const shown = ["<=", ["get", "z"], ["zoom"]];
const near = ["all", shown, [">", ["+", ["get", "z"], REACH], ["zoom"]]];

/**
 * @param {string} id
 * @param {string} kind
 * @param {string} source
 * @param {MapPaint} paint
 * @param {MapExpression} size
 * @returns {MapLayer}
 */
function regionLayer(id, kind, source, paint, size) {
  return {
    id, type: "symbol", source, paint,
    filter: ["all", ["==", ["get", "kind"], kind], near],
    layout: {
      "text-field": ["get", "n"], "text-font": ["600"], "text-size": size, "text-max-width": 7,
      "text-letter-spacing": 0.06, "text-padding": 6, "symbol-sort-key": ["get", "o"],
    },
  };
}

/**
 * @param {string} id
 * @param {string} source
 * @param {MapPaint} paint
 * @returns {MapLayer}
 */
function placeLayer(id, source, paint) {
  return {
    id, type: "symbol", source, paint, filter: shown,
    layout: {
      "icon-image": DOT, "icon-size": 0.6,
      "text-field": ["get", "n"], "text-font": ["500"], "text-max-width": 9,
      "text-size": ["interpolate", ["linear"], ["zoom"], 2, 11, 7, ["case", ["<=", ["get", "z"], 4], 14, 11.5]],
      "text-variable-anchor": ["left", "right", "top", "bottom"], "text-radial-offset": 0.45,
      "text-justify": "auto", "text-padding": 4, "symbol-sort-key": ["get", "o"],
    },
  };
}

export class MapNames {
  /** @type {MapLibreMap | null} */
  #map = null;
  /** @type {Record<string, object>} */
  #data = Object.fromEntries(Object.values(SOURCES).map((id) => [id, EMPTY]));
  /** @type {ReturnType<typeof loadPoints> | null} */
  #towns = null;

  /** @param {MapLibrary} library */
  constructor(library) {
    provideGlyphs(library);
  }

  /**
   * Adds the names to a style; layers that are added afterwards lie above them.
   * @param {MapStyle} style
   */
  addTo(style) {
    style.glyphs = GLYPHS;
    for (const id of Object.values(SOURCES)) {
      const attribution = id === SOURCES.places ? { attribution: ATTRIBUTION } : {};
      style.sources[id] = { type: "geojson", data: this.#data[id], maxzoom: 8, buffer: 64, ...attribution };
    }
    const paint = namePaint();
    // The names of a layer above are placed first.
    style.layers.push(
      placeLayer("names-towns", SOURCES.towns, paint["names-towns"]),
      placeLayer("names-places", SOURCES.places, paint["names-places"]),
      regionLayer("names-states", "state", SOURCES.regions, paint["names-states"], 11.5),
      regionLayer("names-countries", "country", SOURCES.regions, paint["names-countries"],
        ["interpolate", ["linear"], ["zoom"], 1, 11, 6, 16]));
    return style;
  }

  /**
   * Fetches the names for a map that has such a style; without them, the map says why in the console.
   * @param {MapLibreMap} map
   */
  async start(map) {
    this.#map = map;
    map.on("styleimagemissing", ({ id }) => {
      if (id === DOT && !map.hasImage(DOT)) map.addImage(DOT, dot(), { sdf: true });
    });
    map.on("zoomend", () => this.#zoomed());
    try {
      const { countries, states, places } = await loadPoints("names.json");
      this.#show(SOURCES.regions, collection(features("country", countries), features("state", states)));
      this.#show(SOURCES.places, collection(features("place", places)));
      await this.#zoomed();
    } catch (error) {
      console.warn("The map has no names:", error.message);
    }
  }

  /** Fetches the towns once the map is near enough to show them; after a failure, at the next zoom. */
  async #zoomed() {
    if (this.#towns || !this.#map || this.#map.getZoom() < NEAR) return;
    this.#towns = loadPoints("towns.json");
    try {
      const { places } = await this.#towns;
      this.#show(SOURCES.towns, collection(features("place", places)));
    } catch (error) {
      this.#towns = null;
      console.warn(`The map has no names from zoom ${TOWNS} on:`, error.message);
    }
  }

  /**
   * @param {string} id the source's
   * @param {object} data
   */
  #show(id, data) {
    this.#data[id] = data;
    this.#map?.getSource(id)?.setData(data);
  }
}
