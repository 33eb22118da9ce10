/**
 * A part of the globe between two latitudes and two longitudes, with its edges: {south, west, north, east} in degrees.
 * A box whose west is greater than its east crosses the date line. The command line and the API have the same rules
 * in EventBox.swift.
 */

const CORNER = /^([+-]?[0-9]{1,3}(?:\.[0-9]{1,9})?),([+-]?[0-9]{1,3}(?:\.[0-9]{1,9})?)$/;
/** Decimals of the edges: eleven metres. */
const DECIMALS = 4;

/**
 * Reads the south-western and the north-eastern corner, such as "32,-125..42,-114".
 * @param {string} text
 * @returns {{box: GeoBox, fault?: undefined} | {box?: undefined, fault: string}} the reason why it is none
 */
export function readBox(text) {
  const corners = text.split("..").map((corner) => CORNER.exec(corner));
  const [from, to] = corners;
  if (corners.length !== 2 || !from || !to) {
    return { fault: "a box is its south-western and its north-eastern corner, as in box:32,-125..42,-114" };
  }
  const [south, west, north, east] = [from[1], from[2], to[1], to[2]].map(Number);
  if (Math.max(Math.abs(south), Math.abs(north)) > 90 || Math.max(Math.abs(west), Math.abs(east)) > 180) {
    return {
      fault: "latitudes are from -90 to 90 and longitudes from -180 to 180, as in box:32,-125..42,-114",
    };
  }
  if (south > north) return { fault: "the southern corner comes first, as in box:32,-125..42,-114" };
  return { box: { south, west, north, east } };
}

/** @param {GeoBox} box */
export const writeBox = ({ south, west, north, east }) => `${south},${west}..${north},${east}`;

/**
 * Whether a point is in a box.
 * @type {(box: GeoBox, point: {latitude: number, longitude: number}) => boolean}
 */
export function isInBox({ south, west, north, east }, { latitude, longitude }) {
  if (latitude < south || latitude > north) return false;
  return west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east;
}

/** @param {number} longitude */
const wrapped = (longitude) => ((longitude + 180) % 360 + 360) % 360 - 180;

/** @param {number} value */
const rounded = (value) => Number(value.toFixed(DECIMALS));

/**
 * The box of a view, whose longitudes may be beyond the date line.
 * @param {GeoBox} view with the west below the east
 * @returns {GeoBox}
 */
export function boxOf({ south, west, north, east }) {
  const isAllRound = east - west >= 360;
  return {
    south: rounded(Math.max(-90, south)), west: isAllRound ? -180 : rounded(wrapped(west)),
    north: rounded(Math.min(90, north)), east: isAllRound ? 180 : rounded(wrapped(east)),
  };
}

/**
 * The smallest box round points; its east may be beyond 180.
 * @param {{latitude: number, longitude: number}[]} points at least one
 * @returns {GeoBox}
 */
export function boxRound(points) {
  let [south, north] = [90, -90];
  for (const { latitude } of points) [south, north] = [Math.min(south, latitude), Math.max(north, latitude)];
  const longitudes = Float64Array.from(points, ({ longitude }) => longitude).sort();
  // Without the widest gap between neighbours, round the globe.
  let [west, widest] = [longitudes[0], longitudes[0] + 360 - longitudes[longitudes.length - 1]];
  for (let index = 1; index < longitudes.length; index += 1) {
    const gap = longitudes[index] - longitudes[index - 1];
    if (gap > widest) [west, widest] = [longitudes[index], gap];
  }
  return { south, west, north, east: west + 360 - widest };
}

/** @type {(value: number, positive: string, negative: string) => string} */
const degrees = (value, positive, negative) =>
  `${Math.abs(value).toFixed(Math.abs(value) < 10 ? 1 : 0)}° ${value < 0 ? negative : positive}`;

/**
 * "in the box 32° N, 125° W to 42° N, 114° W".
 * @param {GeoBox} box
 */
export const boxText = ({ south, west, north, east }) =>
  `in the box ${degrees(south, "N", "S")}, ${degrees(west, "E", "W")} to ${degrees(north, "N", "S")}, ${
    degrees(east, "E", "W")}`;
