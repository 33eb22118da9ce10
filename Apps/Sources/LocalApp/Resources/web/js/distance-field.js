/**
 * Signed distance fields of shapes, from which the GPU draws sharp edges at any size. The transform is the one of
 * Felzenszwalb and Huttenlocher, "Distance transforms of sampled functions", Theory of Computing 8, 2012.
 */

/** The distance that the whole range of a byte stands for, in pixels, and the part of it that is inside of a shape. */
const RADIUS = 8;
const INSIDE = 0.25;
/** More than any squared distance. */
const FAR = 1e9;

/**
 * Replaces the values of a row or column by the least of value + squared distance over all of its pixels: the height
 * of the lowest of the parabolas that stand on the pixels.
 * @param {Float64Array} grid
 * @param {number} start the index of the first value
 * @param {number} step from a value's index to the next one's
 * @param {number} length
 * @param {Uint16Array} lows room for the places of the parabolas
 * @param {Float64Array} bounds room for the places where they cross
 * @param {Float64Array} heights room for the values
 */
function spread(grid, start, step, length, lows, bounds, heights) {
  for (let at = 0; at < length; at += 1) heights[at] = grid[start + at * step];
  let last = 0;
  lows[0] = 0;
  bounds[0] = -FAR;
  bounds[1] = FAR;
  for (let at = 1; at < length; at += 1) {
    let crossing;
    do {
      const low = lows[last];
      crossing = (heights[at] - heights[low] + at * at - low * low) / (2 * (at - low));
    } while (crossing <= bounds[last] && last-- > 0);
    last += 1;
    lows[last] = at;
    bounds[last] = crossing;
    bounds[last + 1] = FAR;
  }
  let piece = 0;
  for (let at = 0; at < length; at += 1) {
    while (bounds[piece + 1] < at) piece += 1;
    const low = lows[piece];
    grid[start + at * step] = heights[low] + (at - low) ** 2;
  }
}

/**
 * Replaces each value of a grid by the least of value + squared distance over all of its pixels.
 * @param {Float64Array} grid
 * @param {number} width
 * @param {number} height
 */
function squaredDistances(grid, width, height) {
  const most = Math.max(width, height);
  /** @type {[lows: Uint16Array, bounds: Float64Array, heights: Float64Array]} */
  const work = [new Uint16Array(most), new Float64Array(most + 1), new Float64Array(most)];
  for (let x = 0; x < width; x += 1) spread(grid, x, width, height, ...work);
  for (let y = 0; y < height; y += 1) spread(grid, y * width, 1, width, ...work);
  return grid;
}

/**
 * The field of a shape: 191 at its edge, more inside, less outside.
 * @param {(index: number) => number} opacity of a pixel, from 0 to 1; at an edge it tells how much of it is covered
 * @param {number} width
 * @param {number} height
 * @returns {Uint8Array}
 */
export function distanceField(opacity, width, height) {
  const outer = new Float64Array(width * height);
  const inner = new Float64Array(width * height);
  for (let index = 0; index < outer.length; index += 1) {
    const covered = opacity(index);
    outer[index] = covered === 0 ? FAR : Math.max(0, 0.5 - covered) ** 2;
    inner[index] = covered === 1 ? FAR : Math.max(0, covered - 0.5) ** 2;
  }
  squaredDistances(outer, width, height);
  squaredDistances(inner, width, height);
  const field = new Uint8Array(outer.length);
  for (let index = 0; index < field.length; index += 1) {
    const distance = Math.sqrt(outer[index]) - Math.sqrt(inner[index]);
    field[index] = Math.max(0, Math.min(255, Math.round(255 * (1 - INSIDE - distance / RADIUS))));
  }
  return field;
}
