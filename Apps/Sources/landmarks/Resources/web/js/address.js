/** The page's address: what is listed, the filters, the chosen landmark, and the visit that is marked there. */

const LISTS = ["all", "favorites", "reservations"];
/** The length of a UUID, and the number of no landmark. */
const UUID = 36;
const UNKNOWN = -1;

/**
 * @param {string} hash the address's fragment
 * @returns {PageState}
 */
export function parse(hash) {
  const values = new URLSearchParams(hash.replace(/^#/, ""));
  const list = values.get("list") ?? "";
  const landmark = values.get("landmark") ?? "";
  const visit = values.get("visit") ?? "";
  return {
    list: LISTS.includes(list) ? list : LISTS[0],
    search: (values.get("q") ?? "").slice(0, 100),
    category: values.get("kind") ?? "",
    state: values.get("state") ?? "",
    // Damaged ones are told as unknown.
    landmark: /^\d{1,9}$/.test(landmark) ? Number(landmark) : landmark ? UNKNOWN : null,
    visit: visit.slice(0, UUID).toUpperCase() || null,
  };
}

/**
 * The fragment of a state; empty for the page as it starts.
 * @param {PageState} state
 */
export function fragment({ list, search, category, state, landmark, visit }) {
  const values = new URLSearchParams();
  if (list !== LISTS[0]) values.set("list", list);
  if (search) values.set("q", search);
  if (category) values.set("kind", category);
  if (state) values.set("state", state);
  if (landmark !== null) values.set("landmark", String(landmark));
  if (visit !== null) values.set("visit", visit);
  const text = values.toString();
  return text && `#${text}`;
}

/**
 * The address of a landmark or of a visit to it, without a list and filters.
 * @param {number} landmark
 * @param {string | null} visit
 */
export const place = (landmark, visit = null) =>
  fragment({ list: LISTS[0], search: "", category: "", state: "", landmark, visit });

export class Address {
  /** @param {(state: PageState) => void} arrive called when the user goes back, forward, or to a link */
  constructor(arrive) {
    addEventListener("popstate", () => {
      // Links within the page, such as the one to the list, aren't states of it.
      if (location.hash === "" || location.hash.includes("=")) arrive(this.state);
    });
  }

  get state() {
    return parse(location.hash);
  }

  /**
   * @param {PageState} state
   * @param {boolean} isStep whether Back leads to the present state; a typed search is no step
   */
  write(state, isStep) {
    const next = location.pathname + fragment(state);
    if (next === location.pathname + location.hash) return;
    if (isStep) history.pushState(null, "", next);
    else history.replaceState(null, "", next);
  }
}
