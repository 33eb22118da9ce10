/** Distances on a sphere with the Earth's mean radius; those on the ellipsoid differ by up to 0.5 %. */

/** The mean radius of the Earth, in kilometres (IUGG, Moritz 2000). */
export const RADIUS = 6371.0088;

/** @param {number} degrees */
const radians = (degrees) => (degrees * Math.PI) / 180;

/**
 * The distance of two points in kilometres, by the haversine formula (Sinnott 1984).
 * @param {{latitude: number, longitude: number}} a
 * @param {{latitude: number, longitude: number}} b
 */
export function distance(a, b) {
  const along = Math.sin(radians(b.latitude - a.latitude) / 2) ** 2;
  const across = Math.sin(radians(b.longitude - a.longitude) / 2) ** 2;
  const share = along + Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * across;
  return 2 * RADIUS * Math.asin(Math.min(1, Math.sqrt(share)));
}
