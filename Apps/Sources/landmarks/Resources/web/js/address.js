/** The page's address: what is listed, the filters, and the chosen landmark. */

const LISTS = ["all", "favorites", "reservations"];

/**
 * @param {string} hash the address's fragment
 * @returns {PageState}
 */
export function parse(hash) {
  const values = new URLSearchParams(hash.replace(/^#/, ""));
  const list = values.get("list") ?? "";
  const landmark = values.get("landmark") ?? "";
  return {
    list: LISTS.includes(list) ? list : LISTS[0],
    search: (values.get("q") ?? "").slice(0, 100),
    category: values.get("kind") ?? "",
    state: values.get("state") ?? "",
    landmark: /^\d{1,9}$/.test(landmark) ? Number(landmark) : null,
  };
}

/**
 * The fragment of a state; empty for the page as it starts.
 * @param {PageState} state
 */
export function fragment({ list, search, category, state, landmark }) {
  const values = new URLSearchParams();
  if (list !== LISTS[0]) values.set("list", list);
  if (search) values.set("q", search);
  if (category) values.set("kind", category);
  if (state) values.set("state", state);
  if (landmark !== null) values.set("landmark", String(landmark));
  const text = values.toString();
  return text && `#${text}`;
}

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
