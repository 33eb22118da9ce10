/** Finds the page's elements. */

/**
 * The element with an id, as an object of its class.
 * @template {Element} [T=HTMLElement]
 * @param {string} id
 * @param {new () => T} [kind] the class
 * @returns {T}
 * @throws when the page has no such element
 */
export function find(id, kind) {
  /** @type {Element | null} */
  const element = document.getElementById(id);
  const wanted = kind ?? HTMLElement;
  if (!(element instanceof wanted)) throw new Error(`The page has no ${wanted.name} with the id ${id}.`);
  return /** @type {T} */ (/** @type {Element} */ (element));
}

/**
 * The elements of a class that a selector chooses, in their order.
 * @template {Element} [T=HTMLElement]
 * @param {string} selector
 * @param {ParentNode} [place] where they are
 * @param {new () => T} [kind] the class
 * @returns {T[]}
 */
export function findAll(selector, place = document, kind) {
  const wanted = kind ?? HTMLElement;
  return /** @type {T[]} */ ([...place.querySelectorAll(selector)].filter((element) => element instanceof wanted));
}
