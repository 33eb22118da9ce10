/** Views of the map: what one shows, and which one shows given events. */

/** The globe's diameter at zoom 0, in pixels. */
const GLOBE = 512 / Math.PI;
/** The latitudes from which a view on the globe with a pole has all longitudes; from others, the half that is seen. */
const POLAR = 45;
/** The flat map ends before the poles. */
const FLAT = 85;

const RADIANS = Math.PI / 180;

/**
 * A place on the unit sphere.
 * @param {MapPlace} place
 */
function vector([longitude, latitude]) {
  const [x, y] = [longitude * RADIANS, latitude * RADIANS];
  return [Math.cos(y) * Math.cos(x), Math.cos(y) * Math.sin(x), Math.sin(y)];
}

/**
 * The angle between two places as seen from the middle of the Earth, in degrees.
 * @param {MapPlace} from
 * @param {MapPlace} to
 */
export function angle(from, to) {
  const [a, b] = [vector(from), vector(to)];
  return Math.acos(Math.min(1, Math.max(-1, a[0] * b[0] + a[1] * b[1] + a[2] * b[2]))) / RADIANS;
}

/**
 * The middle of events, and the angle from it to the farthest, in degrees. Events all round have none: the first.
 * @param {PickedPlace[]} events
 */
export function middle(events) {
  /** @type {MapPlace[]} */
  const places = events.map(({ longitude, latitude }) => [longitude, latitude]);
  const sum = [0, 0, 0];
  for (const place of places) vector(place).forEach((part, index) => { sum[index] += part; });
  const length = Math.hypot(...sum);
  /** @type {MapPlace} */
  const centre = length < 0.2 * places.length ? places[0]
    : [Math.atan2(sum[1], sum[0]) / RADIANS, Math.asin(sum[2] / length) / RADIANS];
  const spread = places.reduce((most, place) => Math.max(most, angle(centre, place)), 0);
  return { centre, spread };
}

/**
 * The box of what a map shows.
 * @param {GeoBox} bounds the edges of the view
 * @param {MapPlace} centre
 * @param {boolean} isGlobe
 * @returns {GeoBox}
 */
export function seen({ south, west, north, east }, [longitude, latitude], isGlobe) {
  if (isGlobe && east - west >= 360 && Math.abs(latitude) < POLAR) {
    return { south, west: longitude - 90, north, east: longitude + 90 };
  }
  return { south: south < -FLAT ? -90 : south, west, north: north > FLAT ? 90 : north, east };
}

/**
 * The view of the globe that shows events, as far as they are on one half of it.
 * @param {PickedPlace[]} events
 * @param {number} size the room for them, in pixels
 * @returns {{center: MapPlace, zoom: number}}
 */
export function globeView(events, size) {
  const { centre, spread } = middle(events);
  const height = Math.sin(Math.min(Math.max(spread, 0.01), 90) * RADIANS);
  // The scale of a zoom holds for the flat map, which is larger away from the equator.
  return { center: centre, zoom: Math.log2(size * Math.cos(centre[1] * RADIANS) / (GLOBE * height)) };
}

/** @param {number} latitude */
const up = (latitude) =>
  Math.log(Math.tan(Math.PI / 4 + Math.max(-FLAT, Math.min(FLAT, latitude)) * RADIANS / 2)) / RADIANS;

/**
 * The view of the flat map that shows a box, and about that of the globe.
 * @param {GeoBox} box with the west below the east
 * @param {number} width of the room for it, in pixels
 * @param {number} height
 * @returns {{center: MapPlace, zoom: number}}
 */
export function flatView({ south, west, north, east }, width, height) {
  const [low, high] = [up(south), up(north)];
  const latitude = (Math.atan(Math.exp((low + high) / 2 * RADIANS)) - Math.PI / 4) * 2 / RADIANS;
  const scale = Math.min(width / Math.max(east - west, 0.01), height / Math.max(high - low, 0.01));
  return { center: [(west + east) / 2, latitude], zoom: Math.log2(scale * 360 / 512) };
}
