/** The dialog with every change that the server doesn't have yet, and the reason of each. */

import * as format from "./format.js";
import { element } from "./elements.js";
import { find } from "./find.js";

export class WaitingSheet {
  #model;
  #app;
  #drawn = "";

  /**
   * @param {Model} model
   * @param {App} app
   */
  constructor(model, app) {
    this.#model = model;
    this.#app = app;
    for (const id of ["pending", "kept"]) find(id).addEventListener("click", () => this.#open());
    find("waiting-close").addEventListener("click", () => find("waiting", HTMLDialogElement).close());
    find("waiting-sync").addEventListener("click", () => this.#app.sync());
  }

  #open() {
    this.#drawn = "";
    find("waiting", HTMLDialogElement).showModal();
    this.draw();
  }

  /** Draws the rows anew if the dialog is open and they have changed. */
  draw() {
    if (!find("waiting", HTMLDialogElement).open) return;
    const rows = [...this.#model.waiting.map(browserRow), ...this.#model.unsent.map((change) => this.#row(change))];
    const drawn = JSON.stringify(rows);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    find("waiting-list").replaceChildren(...rows.map(([what, reason, kind, id]) =>
      element("li", { class: kind }, element("strong", {}, what), element("span", {}, reason), this.#removal(id))));
    find("waiting-none").hidden = rows.length > 0;
  }

  /**
   * A waiting change, the reason, its kind, and the visit that can be removed.
   * @param {WaitingChange} change
   * @returns {[string, string, string, string | null]}
   */
  #row({ kind, landmarkID, reservationID, isFavorite, reason, detail }) {
    const name = this.#model.landmark(landmarkID)?.name ?? "a landmark";
    const visit = this.#model.reservations.find(({ id }) => id === reservationID);
    const place = this.#model.landmark(visit?.landmarkID)?.name ?? "a landmark";
    const what = {
      favorite: `${name} as ${isFavorite ? "a favorite" : "no favorite"}`,
      reservation: visit ? `The visit to ${name} on ${format.moment(visit.date)}` : `A visit to ${name}`,
      removal: "The removal of a visit",
      photo: visit ? `A photo of the visit to ${place}` : "A photo of a removed visit",
      photoRemoval: "The removal of a photo",
    }[kind] ?? "A change";
    const removable = kind === "reservation" && reason === "refused" ? visit?.id ?? null : null;
    return [what, this.#why(reason, detail), reason, removable];
  }

  /**
   * The button that removes a visit that the server refuses.
   * @param {string | null} id the visit's; null for other changes
   */
  #removal(id) {
    if (id === null) return null;
    const made = element("button", { type: "button", class: "small" }, "Remove the visit");
    made.addEventListener("click", async () => {
      const problem = await this.#app.remove(id);
      if (problem !== null) this.#app.failed(problem);
    });
    return made;
  }

  /**
   * @param {WaitingChange["reason"]} reason
   * @param {string | null} detail
   */
  #why(reason, detail) {
    if (reason === "refused") return `Refused by the server: ${detail}`;
    if (reason === "troubled") return `Set aside: ${detail}.`;
    const { state, message } = this.#model.status ?? {};
    switch (state) {
      case "off": return "Waits until you go online.";
      // A change of an exchange that failed, too: it is sent again, and made once.
      case "offline": return "Waits until the server answers.";
      case "paused": return `Waits: ${message ?? "the exchange is paused."}`;
      default: return reason === "underWay" ? "Sent; the server hasn't answered yet." : "Waits for the next exchange.";
    }
  }
}

/**
 * @param {Edit} edit
 * @returns {[string, string, string, string | null]}
 */
const browserRow = ({ what }) => [what, "Kept in this browser; Landmarks doesn't have it yet.", "kept", null];
