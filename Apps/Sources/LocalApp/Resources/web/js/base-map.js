/**
 * The offline base map, unpacked from the compact form of basemap/: Natural Earth's countries, the states of
 * the USA, and plate boundaries.
 */

/**
 * Undoes the delta coding of scripts/make-basemap.py.
 * @param {number[]} deltas
 * @param {number} scale
 * @returns {MapPlace[]}
 */
function unpack(deltas, scale) {
  /** @type {MapPlace[]} */
  const points = [];
  let x = 0;
  let y = 0;
  for (let i = 0; i < deltas.length; i += 2) {
    x += deltas[i];
    y += deltas[i + 1];
    points.push([x / scale, y / scale]);
  }
  return points;
}

/** Meridians and parallels every 30 degrees, with enough points to bend on the globe. */
function graticule() {
  const lines = [];
  for (let longitude = -180; longitude < 180; longitude += 30) {
    const line = [];
    for (let latitude = -84; latitude <= 84; latitude += 4) line.push([longitude, latitude]);
    lines.push(line);
  }
  for (let latitude = -60; latitude <= 60; latitude += 30) {
    const line = [];
    for (let longitude = -180; longitude <= 180; longitude += 4) line.push([longitude, latitude]);
    lines.push(line);
  }
  return lines;
}

/** @param {string} name */
async function load(name) {
  const response = await fetch(`/basemap/${name}`);
  if (!response.ok) throw new Error(`the base map answered ${response.status}`);
  return response.json();
}

/**
 * Lists of named points by kind, each {names, points, zooms}, from a file of scripts/make-map-names.py.
 * @param {string} name
 * @returns {Promise<Record<string, NamedPoints>>}
 */
export async function loadPoints(name) {
  const { source: _, scale, ...kinds } = await load(name);
  return Object.fromEntries(Object.entries(kinds).map(([kind, { names, points, zooms }]) =>
    [kind, { names, zooms, points: unpack(points, scale) }]));
}

/**
 * The shapes of the base map as GeoJSON: land, coast, borders, graticule, states, plates.
 * @returns {Promise<BaseMap>}
 */
export async function loadBaseMap() {
  const [{ scale, land, holes, coast, borders }, others] = await Promise.all(
    ["countries.json", "lines.json"].map(load));
  const polygons = land.map((/** @type {number[]} */ ring, /** @type {number} */ number) => ({
    type: "Polygon",
    coordinates: [ring, ...(holes[number] ?? [])].map((points) => unpack(points, scale)),
  }));
  /** @type {(packed: number[][], divisor?: number) => object[]} */
  const lines = (packed, divisor = scale) =>
    packed.map((line) => ({ type: "LineString", coordinates: unpack(line, divisor) }));
  return {
    land: polygons,
    coast: lines(coast),
    borders: lines(borders),
    states: lines(others.states, others.scale),
    plates: lines(others.plates, others.scale),
    graticule: [{ type: "MultiLineString", coordinates: graticule() }],
  };
}

/** The name of the base map's source in a style. */
const SOURCE = "base";

/**
 * A style with shapes of the base map on the water, the first at the bottom. All have one source: for each source, the
 * map draws a mask of each tile in every frame.
 * @param {BaseMap} base the shapes of loadBaseMap()
 * @param {string[]} kinds the shapes to show
 * @param {Record<string, MapPaint>} look the paint properties by layer: "water" and the kinds
 * @param {string} attribution the origin of the shapes
 * @returns {MapStyle}
 */
export function baseStyle(base, kinds, look, attribution) {
  const features = kinds.flatMap((kind) =>
    base[kind].map((geometry) => ({ type: "Feature", properties: { kind }, geometry })));
  return {
    version: 8,
    sources: {
      [SOURCE]: {
        type: "geojson", data: { type: "FeatureCollection", features }, tolerance: 0.2, maxzoom: 8, attribution,
      },
    },
    layers: [
      { id: "water", type: "background", paint: look.water },
      ...kinds.map((kind) => ({
        id: kind, type: kind === "land" ? "fill" : "line", source: SOURCE, paint: look[kind],
        filter: ["==", ["get", "kind"], kind],
      })),
    ],
  };
}
