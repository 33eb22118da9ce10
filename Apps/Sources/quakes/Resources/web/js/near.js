/** The radius of a search for the surroundings of a point. */
export const RADIUS = "100 km";

/**
 * The words of a search for the surroundings of a point.
 * @param {{latitude: number, longitude: number}} point
 */
export const near = ({ latitude, longitude }) =>
  `near:${[latitude, longitude].map((angle) => String(Number(angle.toFixed(3)))).join(",")} ${RADIUS.replace(" ", "")}`;
