/**
 * The offline base map, unpacked from the compact form of basemap/: Natural Earth's countries, the states of
 * the USA, and plate boundaries; for a map that is near, finer ones, and the provinces of other countries.
 */

/** The zoom from which on a map needs the finer shapes, and that from which on provinces are shown. */
const FINE = 4;
const PROVINCES = 5;

/** The opacity with which provinces come. */
export const COMING = ["interpolate", ["linear"], ["zoom"], PROVINCES, 0, PROVINCES + 1, 1];

/** The digits of scripts/make-fine-map.py, by the codes of their letters. */
const DIGITS = new Uint8Array(128);
[..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"].forEach((letter, digit) => {
  DIGITS[letter.charCodeAt(0)] = digit;
});

/**
 * The numbers that scripts/make-fine-map.py has packed in a text.
 * @param {string} text
 */
function numbers(text) {
  const found = [];
  let [value, place] = [0, 1];
  for (let at = 0; at < text.length; at += 1) {
    const digit = DIGITS[text.charCodeAt(at)];
    value += (digit % 32) * place;
    place *= 32;
    if (digit >= 32) continue;
    found.push(value % 2 ? -(value + 1) / 2 : value / 2);
    [value, place] = [0, 1];
  }
  return found;
}

/**
 * Undoes the delta coding of scripts/make-basemap.py.
 * @param {number[] | string} packed
 * @param {number} scale
 * @returns {MapPlace[]}
 */
function unpack(packed, scale) {
  const deltas = typeof packed === "string" ? numbers(packed) : packed;
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

/** @type {(lines: MapPlace[][]) => object[]} */
const lineStrings = (lines) => lines.map((coordinates) => ({ type: "LineString", coordinates }));

/**
 * @param {PackedLine[]} land
 * @param {Record<string, PackedLine[]>} holes by the number of their land
 * @param {number} scale
 */
const polygons = (land, holes, scale) => land.map((ring, number) => ({
  type: "Polygon",
  coordinates: [ring, ...(holes[number] ?? [])].map((points) => unpack(points, scale)),
}));

/** The base map's coarse shapes. */
async function loadCoarse() {
  const [{ scale, land, holes, coast, borders }, others] = await Promise.all(
    ["countries.json", "lines.json"].map(load));
  /** @type {(packed: PackedLine[], divisor?: number) => object[]} */
  const lines = (packed, divisor = scale) => lineStrings(packed.map((line) => unpack(line, divisor)));
  return {
    land: polygons(land, holes, scale),
    coast: lines(coast),
    borders: lines(borders),
    states: lines(others.states, others.scale),
    plates: lines(others.plates, others.scale),
    graticule: [{ type: "MultiLineString", coordinates: graticule() }],
  };
}

/**
 * Whether an edge only closes a polygon: along the antimeridian, or round the south pole.
 * @type {(a: MapPlace, b: MapPlace) => boolean}
 */
const isArtificial = (a, b) => (Math.abs(a[0]) === 180 && Math.abs(b[0]) === 180) || (a[1] <= -89 && b[1] <= -89);

/**
 * The parts of a ring that are coasts.
 * @param {MapPlace[]} ring
 */
function coasts(ring) {
  const found = [];
  let start = 0;
  for (let at = 1; at < ring.length; at += 1) {
    if (!isArtificial(ring[at - 1], ring[at])) continue;
    if (at - 1 > start) found.push(ring.slice(start, at));
    start = at;
  }
  // Most rings are coasts as a whole.
  if (start < ring.length - 1) found.push(start ? ring.slice(start) : ring);
  return found;
}

/** The shapes that a near map has in place of coarse ones. */
async function loadFine() {
  const { scale, land, holes, borders, states, provinces } = await load("fine.json");
  const shapes = polygons(land, holes, scale);
  /** @type {(packed: PackedLine[]) => object[]} */
  const lines = (packed) => lineStrings(packed.map((line) => unpack(line, scale)));
  return {
    land: shapes,
    coast: lineStrings(shapes.flatMap(({ coordinates }) => coordinates.flatMap(coasts))),
    borders: lines(borders), states: lines(states), provinces: lines(provinces),
  };
}

/** The name of the base map's source in a style. */
const SOURCE = "base";

/** The shapes of the base map, which become finer once a map is near. */
export class BaseMap {
  /** @type {BaseShapes} */
  #shapes;
  /** @type {string[]} */
  #kinds = [];
  /** @type {MapLibreMap | null} */
  #map = null;
  #isFine = false;

  /** @param {BaseShapes} shapes */
  constructor(shapes) {
    this.#shapes = shapes;
  }

  /**
   * A style with the shapes on the water, the first at the bottom. All have one source: for each source, the map draws
   * a mask of each tile in every frame.
   * @param {string[]} kinds the shapes to show: land, coast, borders, states, provinces, plates, graticule
   * @param {Record<string, MapPaint>} look the paint properties by layer: "water" and the kinds
   * @param {string} attribution the origin of the shapes
   * @returns {MapStyle}
   */
  style(kinds, look, attribution) {
    this.#kinds = kinds;
    return {
      version: 8,
      sources: {
        [SOURCE]: { type: "geojson", data: this.#data(), maxzoom: 8, attribution },
      },
      layers: [
        { id: "water", type: "background", paint: look.water },
        ...kinds.map((kind) => ({
          id: kind, type: kind === "land" ? "fill" : "line", source: SOURCE, paint: look[kind],
          filter: ["==", ["get", "kind"], kind],
          ...(kind === "provinces" && { minzoom: PROVINCES }),
        })),
      ],
    };
  }

  /**
   * Fetches the finer shapes once a map that has such a style is near enough, unless the browser shall save data.
   * They take the place of the coarse ones at all zooms; thus nothing changes while the map zooms.
   * @param {MapLibreMap} map
   */
  start(map) {
    this.#map = map;
    map.on("zoomend", () => this.#zoomed());
    return this.#zoomed();
  }

  /** After a failure, the coarse shapes stay until the next zoom. */
  async #zoomed() {
    if (this.#isFine || !this.#map || this.#map.getZoom() < FINE || navigator.connection?.saveData) return;
    this.#isFine = true;
    try {
      this.#shapes = { ...this.#shapes, ...await loadFine() };
      this.#show();
    } catch (error) {
      this.#isFine = false;
      console.warn(`The map has no finer coasts from zoom ${FINE} on:`, error.message);
    }
  }

  #show() {
    const source = this.#map?.getSource(SOURCE);
    if (source) source.setData(this.#data());
    // Another style is on its way.
    else this.#map?.once("style.load", () => this.#show());
  }

  #data() {
    const features = this.#kinds.flatMap((kind) =>
      (this.#shapes[kind] ?? []).map((geometry) => ({ type: "Feature", properties: { kind }, geometry })));
    return { type: "FeatureCollection", features };
  }
}

export const loadBaseMap = async () => new BaseMap(await loadCoarse());
