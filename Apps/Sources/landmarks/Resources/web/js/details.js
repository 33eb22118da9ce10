/** One landmark, over the map. */

import { Attempts } from "./attempts.js";
import * as clock from "./clock.js";
import * as format from "./format.js";
import { sceneClass, showHeart, tell } from "./elements.js";
import { find, findAll } from "./find.js";
import { LONGEST, typed } from "./note.js";
import { visit } from "./visit.js";

const DAY = 86_400_000;

/**
 * Marks the row of the visit that the address names.
 * @param {HTMLElement} row
 * @param {string} id
 */
function mark(row, id) {
  row.classList.add("marked");
  row.setAttribute("aria-current", "true");
  row.tabIndex = -1;
  row.dataset.focus = `visit ${id}`;
}

export class Details {
  #model;
  #app;
  /** @type {number | null} */
  #id = null;
  /**
   * The visit that is marked.
   * @type {string | null}
   */
  #visit = null;
  #drawn = "";
  #attempts = new Attempts();
  #date = find("reserve-date", HTMLInputElement);
  /** The date that the page has put there. */
  #offered = "";
  #note = find("reserve-note", HTMLTextAreaElement);

  /**
   * @param {Model} model
   * @param {App} app
   */
  constructor(model, app) {
    this.#model = model;
    this.#app = app;
    find("details-close").addEventListener("click", () => this.#app.choose(null));
    find("details").addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#app.choose(null);
    });
    this.#note.maxLength = LONGEST;
    const mark = find("details-favorite");
    mark.addEventListener("click", () => {
      if (this.#id !== null) this.#app.setFavorite(this.#id, mark.ariaPressed !== "true");
    });
    find("reserve").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#reserve();
    });
  }

  /**
   * Shows a landmark, or none, and marks a visit to it.
   * @param {number | null} id
   * @param {string | null} marked
   */
  show(id, marked = null) {
    const last = this.#id;
    const lastVisit = this.#visit;
    this.#id = id;
    this.#visit = marked;
    this.#attempts.begin();
    find("reserve-error").hidden = true;
    if (id !== last) this.#note.value = "";
    this.#date.value = "";
    this.#offered = "";
    this.offerDate();
    this.draw();
    if (id === null) {
      if (last === null) return;
      findAll(`#list [data-id="${last}"] .open, #list [data-reservation="${lastVisit}"] .link`)[0]?.focus();
      this.#app.keepFocus();
      return;
    }
    const [row] = findAll(".marked", find("visits"));
    if (row) this.#reveal(row);
    else {
      find("details").scrollTop = 0;
      find("details-name").focus({ preventScroll: true });
    }
  }

  /** Offers tomorrow for a visit, also when the page stays open over the night, unless another date was chosen. */
  offerDate() {
    const now = clock.now();
    this.#date.min = format.field(now + 60_000);
    const { value, min } = this.#date;
    const isChosen = value !== this.#offered || (value !== "" && document.activeElement === this.#date);
    if (isChosen || value >= min) return;
    const tomorrow = new Date(now + DAY);
    tomorrow.setHours(10, 0, 0, 0);
    this.#offered = format.field(tomorrow.getTime());
    this.#date.value = this.#offered;
  }

  /**
   * Scrolls to the row of a visit and focuses it.
   * @param {HTMLElement} row
   */
  #reveal(row) {
    const details = find("details");
    const [{ top, height }, outer] = [row.getBoundingClientRect(), details.getBoundingClientRect()];
    details.scrollTop += top - outer.top - Math.max(0, outer.height - height) / 2;
    // A low window scrolls, too.
    row.scrollIntoView({ block: "nearest" });
    row.focus({ preventScroll: true });
  }

  draw() {
    const landmark = this.#id === null ? null : this.#model.landmark(this.#id);
    find("details").hidden = !landmark;
    if (!landmark) return;
    find("details-scene").className = `scene ${sceneClass(landmark)}`;
    find("details-kind").textContent =
      format.capital(landmark.category) + (landmark.isFeatured ? " · Featured" : "");
    find("details-name").textContent = landmark.name;
    find("details-place").textContent = `${landmark.city}, ${landmark.state}`;
    find("details-text").textContent = landmark.description;
    find("details-coordinates").textContent = format.coordinates(landmark);
    showHeart(find("details-favorite"), landmark);
    const visits = this.#model.visits(landmark.id).sort((a, b) => a.date - b.date);
    // Rows that are about to be pressed must not be exchanged for equal ones.
    const drawn = JSON.stringify([landmark.id, this.#visit, visits, visits.map(({ id }) => this.#model.photosOf(id))]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    find("visits").replaceChildren(...visits.map((reservation) => {
      const row = visit(reservation, this.#model, this.#app, false);
      if (reservation.id === this.#visit) mark(row, reservation.id);
      return row;
    }));
  }

  async #reserve() {
    if (this.#id === null) return;
    const error = find("reserve-error");
    const note = this.#note;
    const text = typed(note);
    const date = new Date(this.#date.value).getTime();
    // A second press of the button must not note the same on another visit.
    note.value = "";
    const isLast = this.#attempts.begin();
    const reason = await this.#app.reserve(this.#id, date, text);
    if (!isLast()) return;
    if (reason !== null && note.value === "") note.value = text;
    tell(error, reason);
  }
}
