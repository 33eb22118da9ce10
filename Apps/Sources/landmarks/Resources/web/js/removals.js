/** Removals of visits and photos, which can be taken back as far as what was removed can be made again. */

import * as api from "./api.js";
import * as format from "./format.js";
import * as clock from "./clock.js";
import { uuid } from "./elements.js";
import { find } from "./find.js";
import { LONGEST } from "./note.js";
import { focusAgain } from "./photos.js";

/**
 * The bytes of a photo; null when they can't be read.
 * @param {Photo} photo
 */
const bytes = ({ id, blob }) => blob ?? api.fetchPhoto(id).catch((error) => {
  console.warn("Landmarks:", error.message);
  return null;
});

export class Removals {
  #model;
  #app;

  /**
   * @param {Model} model
   * @param {App} app
   */
  constructor(model, app) {
    this.#model = model;
    this.#app = app;
  }

  /**
   * Removes a visit with its photos at once, and offers to take that back; asks before if that isn't possible.
   * @param {string} id
   * @returns {Promise<string | null>} the reason when it isn't removed
   */
  async visit(id) {
    const shown = this.#model.photosOf(id).filter(({ isUnmade, isRemoval }) => !isUnmade && !isRemoval);
    const photos = await Promise.all(shown.map(async (photo) =>
      ({ added: photo.added, caption: photo.caption, blob: await bytes(photo) })));
    const visit = this.#app.visit(id);
    if (!visit || visit.isRemoval) return null;
    const obstacle = this.#obstacle(visit, photos);
    if (obstacle === null) return this.#remove(visit, photos);
    this.#ask(visit, photos.length, obstacle);
    return null;
  }

  /**
   * The reason why a visit couldn't be made again; null if it could.
   * @param {Reservation} visit
   * @param {KnownPhoto[]} photos
   */
  #obstacle({ id, landmarkID, date, note = "" }, photos) {
    if (date <= clock.now()) return "It is in the past, where no visit can be planned again.";
    if (!this.#model.landmark(landmarkID)) return "Its landmark is not listed any more.";
    if (this.#model.isBooked(landmarkID, date, id)) return "There is another visit at this time.";
    if (note.length > LONGEST) return "Its note is longer than that of a new visit may be.";
    return photos.some(({ blob }) => blob === null) ? "Its photos can't be read now." : null;
  }

  /**
   * Removes a visit, and offers to make it again.
   * @param {Reservation} visit
   * @param {KnownPhoto[]} photos
   */
  async #remove({ id, landmarkID, date, note = "", status }, photos) {
    const reason = await this.#app.edit("remove", id, {});
    if (reason !== null) return reason;
    const name = this.#model.landmark(landmarkID)?.name ?? "a landmark";
    const holds = () => date > clock.now() && (this.#app.visit(id)?.isRemoval ?? true);
    const text = `The visit to ${name} on ${format.moment(date)} is removed${
      photos.length === 0 ? "" : photos.length === 1 ? " with its photo" : ` with its ${photos.length} photos`}.`;
    this.#app.offer("Removed", text, holds, async () => {
      // The server has seen the end of the former one.
      const again = uuid();
      const problem = await this.#app.change("reserve", { reservationID: again, landmarkID, name, date, note })
        ?? (status === "cancelled" ? await this.#app.edit("cancel", again, {}) : null);
      if (problem !== null) return this.#app.failed(problem);
      for (const { added, caption, blob } of photos) if (blob) await this.#restore(again, added, caption, blob);
      return undefined;
    });
    return null;
  }

  /**
   * Asks whether a visit is to be removed that can't be made again.
   * @param {Reservation} visit
   * @param {number} count of its photos
   * @param {string} obstacle
   */
  #ask({ id, landmarkID, date }, count, obstacle) {
    const dialog = find("removal", HTMLDialogElement);
    const photos = count === 0 ? "" : count === 1 ? ", and its photo" : `, and its ${count} photos`;
    find("removal-what").textContent =
      `${this.#model.landmark(landmarkID)?.name ?? "A landmark"}, ${format.moment(date)}${photos}`;
    find("removal-why").textContent = `This can't be taken back. ${obstacle}`;
    find("removal-back").onclick = () => dialog.close();
    find("removal-form").onsubmit = async (event) => {
      event.preventDefault();
      dialog.close();
      const problem = await this.#app.edit("remove", id, {});
      if (problem !== null) this.#app.failed(problem);
    };
    dialog.onclose = () => focusAgain(`Remove ${id}`);
    dialog.showModal();
  }

  /**
   * Removes a photo at once, and offers to take that back as far as its bytes are at hand.
   * @param {string} photoID
   */
  async photo(photoID) {
    const photo = this.#model.photos.find(({ id }) => id === photoID);
    if (!photo) return;
    const { reservationID, added, caption } = photo;
    const blob = await bytes(photo);
    const visit = this.#app.visit(reservationID);
    const name = this.#model.landmark(visit?.landmarkID)?.name;
    const reason = await this.#app.change("removePhoto",
      { photoID, reservationID, name, date: visit?.date ?? added });
    if (reason !== null) return;
    const text = `The photo of the visit to ${name ?? "a landmark"} is removed.`;
    if (!blob || !visit) return this.#app.say(text);
    const holds = () => this.#app.visit(reservationID) !== undefined;
    this.#app.offer("Removed", text, holds, () => this.#restore(reservationID, added, caption, blob));
  }

  /**
   * Adds a removed photo again, as a new one.
   * @param {string} visit the identifier of its visit
   * @param {number} added
   * @param {string} caption
   * @param {Blob} blob
   */
  async #restore(visit, added, caption, blob) {
    const problem = await this.#app.edit("photo", visit, { photoID: uuid(), added, caption, blob });
    if (problem !== null) this.#app.failed(problem);
  }
}
