/** The map's style. The colours are read from app.css. */

import { COMING } from "./base-map.js";
import { namePaint } from "./map-names.js";
import { colour } from "./theme.js";

const SHAPES = ["land", "provinces", "states", "borders", "coast"];

/** The layers of the landmarks: their circles, and from a zoom on their names. */
export const LAYER = "landmarks";
export const LABELS = "landmark-names";
const NEAR = 5;
/**
 * A symbol that takes the room of the circles, so that they cover no names of places, and from the zoom of the
 * landmarks' names on no names at all; its size in pixels. Farther away, the names of large countries would find no
 * place.
 */
const ROOM = "landmark-room";
const SIZE = 14;

/**
 * Paint properties by layer, in the colours of app.css.
 * @returns {Record<string, MapPaint>}
 */
export const paints = () => ({
  water: { "background-color": colour("map-water") },
  land: { "fill-color": colour("map-land") },
  provinces: { "line-color": colour("map-border"), "line-width": 0.9, "line-opacity": COMING },
  states: { "line-color": colour("map-border"), "line-width": 0.9 },
  borders: { "line-color": colour("map-coast"), "line-width": 0.9 },
  coast: { "line-color": colour("map-coast"), "line-width": 1 },
  ...namePaint(),
  [LAYER]: {
    "circle-color": ["case", ["get", "isFavorite"], colour("heart"), colour("accent")],
    "circle-stroke-color": colour("surface"),
  },
  [LABELS]: {
    "text-color": ["case", ["get", "isFavorite"], colour("heart"), colour("accent")],
    "text-halo-color": colour("map-halo"), "text-halo-width": 1.6,
  },
});

/**
 * The style that needs no network.
 * @param {BaseMap} base
 * @param {MapNames} names adds those of countries and places, below the landmarks
 * @param {object} data the landmarks, as GeoJSON
 * @returns {MapStyle}
 */
export function mapStyle(base, names, data) {
  const look = paints();
  const style = names.addTo(base.style(SHAPES, look, "Natural Earth"));
  style.sources[LAYER] = { type: "geojson", data };
  const room = {
    id: ROOM, type: "symbol", source: LAYER,
    layout: { "icon-image": ROOM, "icon-allow-overlap": true, "icon-padding": 0 },
  };
  const key = ["case", ["get", "isFavorite"], 1, 0];
  style.layers.push(
    { id: LAYER, type: "circle", source: LAYER, paint: look[LAYER], layout: { "circle-sort-key": key } },
    {
      id: LABELS, type: "symbol", source: LAYER, paint: look[LABELS], minzoom: NEAR,
      layout: {
        "text-field": ["get", "name"], "text-font": ["600"], "text-size": 13, "text-max-width": 9,
        "text-variable-anchor": ["left", "right", "top", "bottom"], "text-radial-offset": 0.9,
        "text-justify": "auto", "text-padding": 3,
        // Where there is no room for all, favorites come first.
        "symbol-sort-key": ["-", 0, key],
      },
    },
    { ...room, id: `${ROOM}-near`, minzoom: NEAR });
  // The names of a layer above are placed first.
  style.layers.splice(style.layers.findIndex(({ id }) => id === "names-states"), 0, room);
  return style;
}

/**
 * Gives a map with such a style the image that takes the room of a circle: nothing to be seen.
 * @param {MapLibreMap} map
 */
export function provideRoom(map) {
  const image = { width: SIZE, height: SIZE, data: new Uint8ClampedArray(SIZE * SIZE * 4) };
  map.on("styleimagemissing", ({ id }) => {
    if (id === ROOM && !map.hasImage(ROOM)) map.addImage(ROOM, image, { sdf: false });
  });
}
