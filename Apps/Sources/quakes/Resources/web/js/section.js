/**
 * The surroundings of the line between two points: of the shorter arc of the great circle through both. The formulas
 * are products of vectors from the Earth's centre (Gade 2010, “A Non-singular Horizontal Position Representation”), on
 * a sphere. The command line and the API have the same rules in SectionBand.swift.
 */

import { RADIUS, distance } from "./great-circle.js";

/** The limits of the distance between the ends, in kilometres: equal and opposite points have no line between them. */
const LENGTHS = [1, 20_000];
/** The number of pieces of a line on the map. */
const PIECES = 64;

/** @typedef {[number, number, number]} Vector */
/** @typedef {{latitude: number, longitude: number}} Point */

const DEGREE = Math.PI / 180;

/** @type {(point: Point) => Vector} */
function vectorOf({ latitude, longitude }) {
  const [north, east] = [latitude * DEGREE, longitude * DEGREE];
  return [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)];
}

/** @type {(vector: Vector) => Point} */
const pointOf = ([x, y, z]) => ({
  latitude: Math.atan2(z, Math.hypot(x, y)) / DEGREE, longitude: Math.atan2(y, x) / DEGREE,
});

/** @type {(a: Vector, b: Vector) => number} */
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** @type {(a: Vector, b: Vector) => Vector} */
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

/** @type {(a: Vector, share: number, b: Vector, other: number) => Vector} */
const sum = (a, share, b, other) => [
  a[0] * share + b[0] * other, a[1] * share + b[1] * other, a[2] * share + b[2] * other];

export class Section {
  #start;
  #ahead;
  #left;

  /**
   * @param {NamedPlace} from
   * @param {NamedPlace} to
   * @param {number} halfWidth the greatest distance from the line, in kilometres
   */
  constructor(from, to, halfWidth) {
    this.from = from;
    this.to = to;
    this.halfWidth = halfWidth;
    /** The distance between the ends, in kilometres. */
    this.length = distance(from, to);
    this.#start = vectorOf(from);
    const left = cross(this.#start, vectorOf(to));
    const size = Math.sqrt(dot(left, left)) || 1;
    this.#left = sum(left, 1 / size, left, 0);
    this.#ahead = cross(this.#left, this.#start);
  }

  /** Whether the ends have a line of their own between them. */
  get isUsable() {
    return this.length >= LENGTHS[0] && this.length <= LENGTHS[1];
  }

  /**
   * The place of a point beside the line, in kilometres: along it from its beginning, and across, positive on the left.
   * @param {Point} point
   */
  place(point) {
    const vector = vectorOf(point);
    return {
      along: Math.atan2(dot(vector, this.#ahead), dot(vector, this.#start)) * RADIUS,
      across: Math.asin(Math.max(-1, Math.min(1, dot(vector, this.#left)))) * RADIUS,
    };
  }

  /**
   * Whether a point is within the half width of the line.
   * @param {Point} point
   */
  contains(point) {
    const { along, across } = this.place(point);
    return Math.abs(across) <= this.halfWidth && along >= 0 && along <= this.length;
  }

  /**
   * The point at a place beside the line.
   * @param {number} along in kilometres
   * @param {number} across in kilometres
   */
  pointAt(along, across = 0) {
    const [turn, side] = [along / RADIUS, across / RADIUS];
    const on = sum(this.#start, Math.cos(turn), this.#ahead, Math.sin(turn));
    return pointOf(sum(on, Math.cos(side), this.#left, Math.sin(side)));
  }

  /**
   * A line beside the section's at a distance, as longitudes and latitudes; the longitudes run on over the date line.
   * @param {number} across in kilometres
   * @returns {MapPlace[]}
   */
  line(across = 0) {
    const points = Array.from({ length: PIECES + 1 }, (_, piece) =>
      this.pointAt((this.length * piece) / PIECES, across));
    return continuous(points.map(({ latitude, longitude }) => [longitude, latitude]));
  }

  /**
   * The edge of the band, closed.
   * @returns {MapPlace[]}
   */
  edge() {
    const right = this.line(-this.halfWidth);
    return continuous([...right, ...this.line(this.halfWidth).reverse(), right[0]]);
  }
}

/**
 * The same places with longitudes that don't leap at the date line.
 * @param {MapPlace[]} places
 * @returns {MapPlace[]}
 */
function continuous(places) {
  let [last] = places[0];
  return places.map(([longitude, latitude]) => {
    last = longitude + 360 * Math.round((last - longitude) / 360);
    return [last, latitude];
  });
}

const SOURCE = "section";

/**
 * A source and layers for the map: the line from A to B, and the band of which events are shown.
 * @param {Section} section
 * @returns {MapOverlay}
 */
export function sectionOverlay(section) {
  const [line, edge] = [section.line(), section.edge()];
  // An edge round a pole has no inside on a map.
  const isRound = Math.abs(edge[0][0] - edge[edge.length - 1][0]) > 180;
  const features = [
    ...(isRound ? [] : [{
      type: "Feature", properties: { part: "band" }, geometry: { type: "Polygon", coordinates: [edge] },
    }]),
    { type: "Feature", properties: { part: "edge" }, geometry: { type: "LineString", coordinates: edge } },
    { type: "Feature", properties: { part: "line" }, geometry: { type: "LineString", coordinates: line } },
    ...["A", "B"].map((name, at) => ({
      type: "Feature", properties: { part: "end", name },
      geometry: { type: "Point", coordinates: line[at * (line.length - 1)] },
    })),
  ];
  /** @type {(part: string) => MapExpression} */
  const only = (part) => ["==", ["get", "part"], part];
  return {
    id: SOURCE,
    source: { type: "geojson", data: { type: "FeatureCollection", features } },
    layers: (colour) => [
      { id: "section-band", type: "fill", source: SOURCE, filter: only("band"),
        paint: { "fill-color": colour("accent"), "fill-opacity": 0.1 } },
      { id: "section-edge", type: "line", source: SOURCE, filter: only("edge"),
        paint: { "line-color": colour("accent"), "line-width": 1, "line-opacity": 0.8, "line-dasharray": [3, 2] } },
      { id: "section-line", type: "line", source: SOURCE, filter: only("line"),
        paint: { "line-color": colour("accent"), "line-width": 2.2 } },
      { id: "section-dots", type: "circle", source: SOURCE, filter: only("end"),
        paint: { "circle-radius": 4, "circle-color": colour("accent"), "circle-stroke-color": colour("map-halo"),
          "circle-stroke-width": 1.5 } },
      { id: "section-ends", type: "symbol", source: SOURCE, filter: only("end"),
        layout: { "text-field": ["get", "name"], "text-font": ["600"], "text-size": 15, "text-offset": [0, -0.9],
          "text-allow-overlap": true, "text-ignore-placement": true },
        paint: { "text-color": colour("text"), "text-halo-color": colour("map-halo"), "text-halo-width": 1.8 } },
    ],
  };
}
