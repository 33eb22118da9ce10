/** The choice: the landmark whose details are shown, and the visit that is marked there, as the address has them. */

import { Address } from "./address.js";
import { find } from "./find.js";

const LOST = {
  visit: "The visit that the address names is not here. It may have been removed, or has not arrived yet.",
  landmark: "The landmark that the address names is not here. It may no longer be listed, or has not arrived yet.",
};

export class Choice {
  #model;
  #parts;
  /** @type {Address} */
  #address = new Address((state) => this.arrive(state));
  /** @type {number | null} */
  #landmark = null;
  /** @type {string | null} */
  #visit = null;
  /**
   * The state of the address, while something that it names isn't there.
   * @type {PageState | null}
   */
  #wanted = null;
  /**
   * The notice of that.
   * @type {string | null}
   */
  #told = null;

  /**
   * @param {Model} model
   * @param {ChoiceParts} parts those that show what is chosen
   */
  constructor(model, parts) {
    this.#model = model;
    this.#parts = parts;
  }

  /**
   * Shows a landmark, or none, and marks a visit to it.
   * @param {number | null} landmark
   * @param {string | null} visit
   */
  choose(landmark, visit = null) {
    this.#show(landmark, visit);
    this.moved(true);
  }

  /**
   * Notes in the address what is shown.
   * @param {boolean} isStep whether Back undoes it
   */
  moved(isStep) {
    this.#wanted = null;
    this.#tell(null);
    this.#address.write({ ...this.#parts.list.state, landmark: this.#landmark, visit: this.#visit }, isStep);
  }

  /**
   * Shows what an address names.
   * @param {PageState} state
   */
  arrive(state = this.#address.state) {
    this.#wanted = null;
    this.#parts.list.state = state;
    this.#find(state);
  }

  /** Looks at new data for what the address names: it may have come, or the marked visit may be gone. */
  look() {
    if (this.#wanted) this.#find(this.#wanted);
    else if (this.#visit !== null && !this.#model.reservation(this.#visit)) {
      this.#visit = null;
      this.moved(false);
    }
  }

  /** @param {PageState} state */
  #find(state) {
    const visit = this.#model.reservation(state.visit);
    const landmark = this.#model.landmark(visit?.landmarkID ?? state.landmark);
    const marked = landmark && visit ? visit.id : null;
    const lost = state.visit !== null && marked === null ? "visit"
      : state.landmark !== null && !landmark ? "landmark" : null;
    this.#wanted = lost && state;
    if (this.#model.isLoaded) this.#tell(lost && LOST[lost]);
    const id = landmark?.id ?? null;
    if (id !== this.#landmark || marked !== this.#visit) this.#show(id, marked);
  }

  /** @param {string | null} text */
  #tell(text) {
    if (text === this.#told) return;
    this.#told = text;
    this.#parts.notices.lose(text);
  }

  /**
   * @param {number | null} landmark
   * @param {string | null} visit
   */
  #show(landmark, visit) {
    const { list, details, map } = this.#parts;
    this.#landmark = landmark;
    this.#visit = visit;
    list.select(landmark);
    details.show(landmark, visit);
    map.select(landmark);
    if (landmark !== null && find("map").dataset.state === "ready") map.reveal(landmark);
  }
}
