/** The section of the search: its dialog, its place on the map, and its depths in the statistics. */

import { find } from "./find.js";
import { readSearch, withTerm } from "./search.js";
import { SectionDialog } from "./section-dialog.js";

/** The maximum length of a search, as of the API. */
const LONGEST_SEARCH = 200;

export const TOO_LONG = `The search has become too long: it has at most ${LONGEST_SEARCH} characters.`;

/** @param {string} search */
export const isTooLong = (search) => search.length > LONGEST_SEARCH;

export class SectionControl {
  #dialog;
  #handlers;

  /** @param {SectionControlHandlers} handlers */
  constructor(handlers) {
    this.#handlers = handlers;
    this.#dialog = new SectionDialog(find("section", HTMLDialogElement), {
      refusal: (term) => (isTooLong(withTerm(handlers.search(), "section", term)) ? TOO_LONG : ""),
      hasMap: () => handlers.map() !== null,
      pick: handlers.pick,
      choose: (term) => this.#choose(term),
    });
  }

  /** The section of the search, or null. */
  get section() {
    return readSearch(this.#handlers.search()).sections[0]?.section ?? null;
  }

  /** Asks for another section. */
  edit() {
    this.#dialog.open(readSearch(this.#handlers.search()));
  }

  /** Moves the map so that the whole section is to be seen. */
  fit() {
    const { section } = this;
    if (section) this.#handlers.map()?.fit([section.from, section.to]);
  }

  /**
   * Searches for what is on both sides of another line, or of none, and shows its depths.
   * @param {string} term "" for none
   */
  #choose(term) {
    const { search, change, showDepths } = this.#handlers;
    change(withTerm(search(), "section", term));
    if (!term) return;
    this.fit();
    showDepths();
  }
}
