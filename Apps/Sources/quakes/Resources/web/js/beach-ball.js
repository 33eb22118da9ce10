/**
 * The beach ball of an earthquake's mechanism: the lower half of the focal sphere in equal-area projection, as SVG.
 * Where the first motion goes away from the source, it is filled.
 *
 * A ray leaves the source at the angle i from straight down and the azimuth φ from north. On a disc of radius 1 it is
 * at ρ = √2 sin(i/2), so that areas stay in proportion: cos i = 1 − ρ², sin i = ρ √(2 − ρ²). Its direction in north,
 * east and down is γ = (sin i cos φ, sin i sin φ, cos i), and the first motion has the sign of γᵀ M γ.
 * Source: Aki and Richards, Quantitative Seismology (2002), sections 4.3 and 4.4, with M of a fault in box 4.4.
 */

const SVG = "http://www.w3.org/2000/svg";
const DEGREE = Math.PI / 180;
/** The radius of the drawing, and the number of cells on each side of its grid. */
const RADIUS = 50;
const CELLS = 60;

/**
 * The moment tensor in north (n), east (e) and down (d): of a tensor in up (r), south (t) and east (p), else of a
 * plane.
 * @param {QuakeMechanism} mechanism
 */
export function momentOf({ tensor, planes }) {
  if (tensor) {
    return { nn: tensor.tt, ee: tensor.pp, dd: tensor.rr, ne: -tensor.tp, nd: tensor.rt, ed: -tensor.rp };
  }
  if (!planes.length) return null;
  const [strike, dip, rake] = [planes[0].strike, planes[0].dip, planes[0].rake].map((angle) => angle * DEGREE);
  const { sin, cos } = Math;
  return {
    nn: -(sin(dip) * cos(rake) * sin(2 * strike) + sin(2 * dip) * sin(rake) * sin(strike) ** 2),
    ee: sin(dip) * cos(rake) * sin(2 * strike) - sin(2 * dip) * sin(rake) * cos(strike) ** 2,
    dd: sin(2 * dip) * sin(rake),
    ne: sin(dip) * cos(rake) * cos(2 * strike) + 0.5 * sin(2 * dip) * sin(rake) * sin(2 * strike),
    nd: -(cos(dip) * cos(rake) * cos(strike) + cos(2 * dip) * sin(rake) * sin(strike)),
    ed: -(cos(dip) * cos(rake) * sin(strike) - cos(2 * dip) * sin(rake) * cos(strike)),
  };
}

/**
 * The first motion at a point of the disc, x to the east and y to the south.
 * @param {NonNullable<ReturnType<typeof momentOf>>} moment
 * @param {number} x
 * @param {number} y
 */
export function motion(moment, x, y) {
  const square = Math.min(1.9, x * x + y * y);
  // The sine of i, divided by ρ.
  const scale = Math.sqrt(2 - square);
  const [n, e, d] = [-y * scale, x * scale, 1 - square];
  return moment.nn * n * n + moment.ee * e * e + moment.dd * d * d
    + 2 * (moment.ne * n * e + moment.nd * n * d + moment.ed * e * d);
}

/**
 * The part of a cell where the motion is positive, with straight edges between the corners.
 * @param {[x: number, y: number, value: number][]} corners
 */
function positive(corners) {
  /** @type {[number, number][]} */
  const points = [];
  corners.forEach(([x, y, value], index) => {
    const [nextX, nextY, next] = corners[(index + 1) % corners.length];
    if (value > 0) points.push([x, y]);
    if (value > 0 !== next > 0) {
      const share = value / (value - next);
      points.push([x + share * (nextX - x), y + share * (nextY - y)]);
    }
  });
  return points;
}

/**
 * The outline of where the first motion goes away from the source, cell by cell, a little beyond the circle.
 * @param {NonNullable<ReturnType<typeof momentOf>>} moment
 */
export function outline(moment) {
  /** @param {number} index */
  const at = (index) => (index / CELLS) * 2.04 - 1.02;
  const values = Array.from({ length: CELLS + 1 }, (_, row) =>
    Array.from({ length: CELLS + 1 }, (__, column) => motion(moment, at(column), at(row))));
  const parts = [];
  for (let row = 0; row < CELLS; row += 1) {
    for (let column = 0; column < CELLS; column += 1) {
      const start = column;
      const isFull = () => [0, 1].every((down) => [0, 1].every((right) => values[row + down][column + right] > 0));
      // Whole cells in a row are one rectangle.
      while (column < CELLS && isFull()) column += 1;
      if (column > start) {
        parts.push([[at(start), at(row)], [at(column), at(row)], [at(column), at(row + 1)], [at(start), at(row + 1)]]);
      }
      if (column === CELLS) break;
      parts.push(positive([[0, 0], [0, 1], [1, 1], [1, 0]].map(([down, right]) =>
        [at(column + right), at(row + down), values[row + down][column + right]])));
    }
  }
  return parts.filter((points) => points.length > 2).map((points) =>
    `M${points.map(([x, y]) => `${(x * RADIUS).toFixed(1)} ${(y * RADIUS).toFixed(1)}`).join("L")}Z`).join("");
}

/**
 * The kind of faulting by the direction of the slip.
 * @param {QuakePlane} plane
 */
export function faulting({ rake }) {
  if (rake >= 45 && rake <= 135) return "Reverse faulting";
  if (rake <= -45 && rake >= -135) return "Normal faulting";
  return "Strike-slip faulting";
}

/** @param {QuakePlane} plane */
export const angles = ({ strike, dip, rake }) => [["strike", strike], ["dip", dip], ["rake", rake]]
  .map(([name, angle]) => `${name} ${String(Math.round(Number(angle))).replace("-", "−")}°`).join(", ");

/**
 * @param {QuakeMechanism} mechanism
 * @returns {SVGElement | null} a drawing with an alternative text
 */
export function beachBall(mechanism) {
  const moment = momentOf(mechanism);
  if (!moment) return null;
  /** @type {(name: string, attributes: Record<string, string | number>) => SVGElement} */
  const make = (name, attributes) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    return made;
  };
  const planes = mechanism.planes.map(angles).join(", or ");
  const label = `Beach ball${planes ? `: ${planes}` : " of the moment tensor"}. The first motion is away from the source `
    + "in the filled parts.";
  const ball = make("svg", { class: "ball", viewBox: "-52 -52 104 104", role: "img", "aria-label": label });
  const clip = make("clipPath", { id: "ball-disc" });
  clip.append(make("circle", { r: RADIUS }));
  ball.append(clip, make("circle", { class: "away", r: RADIUS }),
    make("path", { d: outline(moment), "clip-path": "url(#ball-disc)" }), make("circle", { class: "rim", r: RADIUS }));
  return ball;
}
