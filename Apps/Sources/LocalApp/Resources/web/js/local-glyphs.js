/**
 * Letters for the map's names, drawn here with the page's font: MapLibre asks for ranges of 256 characters in the
 * format of glyphs.proto (https://github.com/mapbox/node-fontnik/blob/master/proto/glyphs.proto), which usually come
 * from a server.
 */

import { distanceField } from "./distance-field.js";

const SCHEME = "local-glyphs";
/** The address of glyphs for styles; the name of a font is its weight. */
export const GLYPHS = `${SCHEME}://{fontstack}/{range}`;

/** The size and the border that MapLibre expects, in pixels, and the height of its line above the base line. */
const SIZE = 24;
const BORDER = 3;
const ASCENT = 26;
/** The time in milliseconds after which drawing makes a pause. */
const SLICE = 10;
/** Control characters and marks have no picture of their own. */
const INVISIBLE = /^[\p{C}\p{M}]$/u;

/**
 * A number in groups of seven bits, the lowest first.
 * @param {number} value
 */
function varint(value) {
  const bytes = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  bytes.push(rest);
  return bytes;
}

/**
 * A field of a message: a number, or bytes.
 * @param {number} number
 * @param {number | Uint8Array | number[]} value
 * @returns {number[]}
 */
const field = (number, value) => (typeof value === "number"
  ? [...varint(number << 3), ...varint(value)]
  : [...varint((number << 3) | 2), ...varint(value.length), ...value]);

/**
 * Negative numbers have odd codes.
 * @param {number} value
 */
const signed = (value) => (value < 0 ? -2 * value - 1 : 2 * value);

/**
 * The glyph of a character, as a message.
 * @param {OffscreenCanvasRenderingContext2D} pen
 * @param {number} code
 */
function glyph(pen, code) {
  const letter = String.fromCodePoint(code);
  const box = pen.measureText(letter);
  const left = Math.floor(-box.actualBoundingBoxLeft);
  const ascent = Math.ceil(box.actualBoundingBoxAscent);
  const width = Math.max(0, Math.ceil(box.actualBoundingBoxRight) - left);
  const height = Math.max(0, ascent + Math.ceil(box.actualBoundingBoxDescent));
  const facts = [
    ...field(1, code), ...field(3, width), ...field(4, height), ...field(5, signed(left)),
    ...field(6, signed(ascent - ASCENT)), ...field(7, Math.round(box.width)),
  ];
  if (width === 0 || height === 0) return facts;
  const [across, down] = [width + 2 * BORDER, height + 2 * BORDER];
  pen.clearRect(0, 0, across, down);
  pen.fillText(letter, BORDER - left, BORDER + ascent);
  const { data } = pen.getImageData(0, 0, across, down);
  return [...facts, ...field(2, distanceField((index) => data[index * 4 + 3] / 255, across, down))];
}

/**
 * The glyphs from one code to another, as a message.
 * @param {string} weight the font's
 * @param {number} first
 * @param {number} last
 */
export async function glyphs(weight, first, last) {
  const pen = new OffscreenCanvas(4 * SIZE, 4 * SIZE).getContext("2d", { willReadFrequently: true });
  if (!pen) throw new Error("this browser gives no canvas for the letters");
  pen.font = `${weight} ${SIZE}px ${getComputedStyle(document.body).fontFamily}`;
  const stack = [...field(1, new TextEncoder().encode(weight)),
    ...field(2, new TextEncoder().encode(`${first}-${last}`))];
  const parts = [];
  let start = performance.now();
  for (let code = first; code <= last; code += 1) {
    if (INVISIBLE.test(String.fromCodePoint(code))) continue;
    parts.push(field(3, glyph(pen, code)));
    if (performance.now() - start < SLICE) continue;
    await new Promise((resolve) => setTimeout(resolve));
    start = performance.now();
  }
  return Uint8Array.from(field(1, stack.concat(...parts)));
}

/**
 * Answers a library's requests for glyphs.
 * @param {MapLibrary} library
 */
export function provideGlyphs(library) {
  library.addProtocol(SCHEME, async ({ url }) => {
    const [, weight, first, last] = /\/\/(\d+)\/(\d+)-(\d+)$/.exec(url) ?? [];
    if (!weight) throw new Error(`no glyphs at ${url}`);
    return { data: (await glyphs(weight, Number(first), Number(last))).buffer };
  });
}
