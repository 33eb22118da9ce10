/** The modified Mercalli scale, and lines of equal intensity for the map. */

const NUMERALS = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"];
/** The words of the USGS (usgs.gov/programs/earthquake-hazards/modified-mercalli-intensity-scale). */
const WORDS = [
  "not felt", "weak", "weak", "light", "moderate", "strong", "very strong", "severe", "violent", "extreme", "extreme",
  "extreme",
];

/** @param {number} intensity */
const degree = (intensity) => Math.min(12, Math.max(1, Math.round(intensity)));

/**
 * The degree nearest to an intensity: "VI".
 * @param {number} intensity
 */
export const numeral = (intensity) => NUMERALS[degree(intensity) - 1];

/**
 * "VI (strong)"
 * @param {number} intensity
 */
export const inWords = (intensity) => `${numeral(intensity)} (${WORDS[degree(intensity) - 1]})`;

/**
 * The name of the colour of a degree: those of app.css go from 3 to 9.
 * @param {number} intensity
 */
export const shade = (intensity) => `shake-${Math.min(9, Math.max(3, Math.floor(intensity)))}`;

const SOURCE = "shaking";

/**
 * A source and layers for the map. Lines of whole degrees are wider and have their numeral.
 * @param {QuakeContour[]} contours
 * @returns {MapOverlay}
 */
export function overlay(contours) {
  const features = contours.map(({ intensity, lines }) => ({
    type: "Feature",
    properties: { c: shade(intensity), n: Number.isInteger(intensity) ? numeral(intensity) : "" },
    geometry: { type: "MultiLineString", coordinates: lines },
  }));
  /** @type {(colour: (name: string) => string) => MapExpression} */
  const byShade = (colour) => {
    const shades = [...new Set(features.map(({ properties }) => properties.c))];
    return ["match", ["get", "c"], ...shades.flatMap((name) => [name, colour(name)]), colour("text")];
  };
  return {
    id: SOURCE,
    source: { type: "geojson", data: { type: "FeatureCollection", features }, attribution: "ShakeMap: USGS" },
    layers: (colour) => [
      {
        id: "shaking-lines", type: "line", source: SOURCE,
        layout: { "line-join": "round" },
        paint: {
          "line-color": byShade(colour), "line-width": ["case", ["==", ["get", "n"], ""], 1.1, 2.4],
          "line-opacity": 0.9,
        },
      },
      {
        id: "shaking-names", type: "symbol", source: SOURCE, filter: ["!=", ["get", "n"], ""],
        layout: {
          "symbol-placement": "line", "symbol-spacing": 160, "text-field": ["get", "n"], "text-font": ["600"],
          "text-size": 12, "text-padding": 2, "text-keep-upright": true,
        },
        paint: { "text-color": colour("text"), "text-halo-color": colour("map-halo"), "text-halo-width": 1.6 },
      },
    ],
  };
}
