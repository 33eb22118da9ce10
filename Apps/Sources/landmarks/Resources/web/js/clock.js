/**
 * The program's clock, as far as the page knows it: by it, dates count as past or future, and the age of the data is
 * told. The browser's own may be wrong, or be changed while the page is open.
 */

/** The difference that the way of an answer may have made, in milliseconds. */
const UNREMARKABLE = 15_000;

let offset = 0;

/** The time, in milliseconds since 1970. */
export const now = () => Date.now() + offset;

/**
 * Follows the program's clock.
 * @param {number | undefined} time the program's, if its answer has it
 * @param {number} at the browser's time of the answer
 */
export function follow(time, at = Date.now()) {
  if (typeof time !== "number") return;
  offset = Math.abs(time - at) < UNREMARKABLE ? 0 : time - at;
}
