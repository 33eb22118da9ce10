/** The dialog with what happened to favorites, visits and photos, here and elsewhere. */

import * as api from "./api.js";
import { Attempts } from "./attempts.js";
import * as format from "./format.js";
import { place } from "./address.js";
import { element, link } from "./elements.js";
import { find } from "./find.js";

/** The number of entries that the program gives. */
const MOST = 100;

export class ActivitySheet {
  #model;
  #app;
  #attempts = new Attempts();

  /**
   * @param {Model} model
   * @param {App} app
   */
  constructor(model, app) {
    this.#model = model;
    this.#app = app;
    find("activity-open").addEventListener("click", () => this.#open());
    find("activity-close").addEventListener("click", () => find("activity", HTMLDialogElement).close());
  }

  async #open() {
    find("activity-list").replaceChildren();
    find("activity-note").textContent = "Loading…";
    find("activity", HTMLDialogElement).showModal();
    const isLast = this.#attempts.begin();
    try {
      const { activities } = await api.fetchActivity();
      if (!isLast()) return;
      find("activity-list").replaceChildren(...activities.map((activity) => this.#row(activity)));
      find("activity-note").textContent = activities.length === 0 ? "Nothing yet."
        : activities.length < MOST ? "" : `These are the last ${MOST}; landmarks activity --limit prints more.`;
    } catch (error) {
      if (!isLast()) return;
      find("activity-note").textContent = `It could not be read: ${error.message}`;
    }
  }

  /**
   * A link to a visit that is still there, or to a landmark; the bare text where neither is.
   * @param {string} text
   * @param {number | null} landmarkID
   * @param {string | null} [reservationID]
   */
  #link(text, landmarkID, reservationID = null) {
    const visit = this.#model.reservation(reservationID);
    const landmark = this.#model.landmark(visit?.landmarkID ?? landmarkID);
    if (!landmark) return text;
    return link(place(landmark.id, visit?.id), text, () => {
      find("activity", HTMLDialogElement).close();
      if (visit) this.#app.chooseVisit(visit);
      else this.#app.choose(landmark.id);
    });
  }

  /** @param {Activity} activity */
  #row({ kind, landmarkID, reservationID, date, made, isOwn }) {
    const name = this.#model.landmark(landmarkID)?.name ?? "a landmark";
    const now = date ? `, now ${format.moment(date)}` : "";
    const what = {
      marked: `${name} marked as a favorite`,
      unmarked: `${name} no longer a favorite`,
      planned: `A visit to ${name} planned${now}`,
      moved: `A visit to ${name} moved${now}`,
      cancelled: `A visit to ${name} cancelled`,
      booked: `A visit to ${name} booked again${now}`,
      noted: `The note on a visit to ${name} changed`,
      removed: `A visit to ${name} removed`,
      photoAdded: `A photo added to a visit to ${name}`,
      captioned: `The caption of a photo of ${name} changed`,
      photoRemoved: `A photo removed from a visit to ${name}`,
    }[kind] ?? `Something about ${name}`;
    return element("li", { class: isOwn ? "own" : "elsewhere" },
      element("strong", {}, this.#link(what, landmarkID, reservationID)),
      element("span", {}, `${format.moment(made)}, ${isOwn ? "on this device" : "elsewhere"}`));
  }
}
