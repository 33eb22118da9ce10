/**
 * The page's data: the last state that the program reported, and over it the edits that it hasn't
 * confirmed yet. Those have `isUnstored`, so that the page never shows an unstored edit as stored. A
 * failed edit is dropped; a confirmed one is applied to states that were read before it.
 */

import { plain } from "./format.js";

export class Model {
  landmarks = [];
  reservations = [];
  notices = [];
  status = null;
  /** Whether the program's state has been loaded at least once. */
  isLoaded = false;
  /** The program's state without unconfirmed edits. */
  #stored = { landmarks: [], reservations: [] };
  #edits = [];

  /** Takes a state over. @param {object} state of /api/state */
  replace({ landmarks, reservations, notices, status }) {
    this.#stored = { landmarks, reservations };
    this.notices = notices;
    this.status = status;
    this.isLoaded = true;
    this.#derive();
  }

  /**
   * Applies an edit over the stored state.
   * @param {(state: {landmarks: object[], reservations: object[]},
   *   marks: {isUnstored: boolean, isWaiting: boolean}) => void} apply
   *   changes a state; it copies the marks into the changed objects
   * @returns {{confirm: (status: object) => void, end: () => void}} `confirm` marks it as stored,
   *   with the status that the program answered; `end` drops it, once a later state of the program
   *   contains it, or when it isn't stored
   */
  edit(apply) {
    const edit = { apply, isStored: false };
    this.#edits.push(edit);
    this.#derive();
    return {
      confirm: (status) => {
        edit.isStored = true;
        this.status = status;
        apply(this.#stored, this.#marks(edit));
        this.#derive();
      },
      end: () => {
        this.#edits = this.#edits.filter((known) => known !== edit);
        this.#derive();
      },
    };
  }

  #derive() {
    this.landmarks = this.#stored.landmarks.map((landmark) => ({ ...landmark }));
    this.reservations = this.#stored.reservations.map((reservation) => ({ ...reservation }));
    for (const edit of this.#edits) edit.apply(this, this.#marks(edit));
  }

  /** A stored edit waits for the server only as long as the status counts one that does. */
  #marks({ isStored }) {
    return { isUnstored: !isStored, isWaiting: this.status?.pending > 0 };
  }

  /** The number of edits that the program hasn't confirmed. */
  get unstored() {
    return this.#edits.filter(({ isStored }) => !isStored).length;
  }

  /** The number of stored favourites and reservations. */
  get counts() {
    return {
      favorites: this.#stored.landmarks.filter(({ isFavorite }) => isFavorite).length,
      reservations: this.#stored.reservations.length,
    };
  }

  landmark(id) {
    return this.landmarks.find((landmark) => landmark.id === id);
  }

  visits(landmarkID) {
    return this.reservations.filter((reservation) => reservation.landmarkID === landmarkID);
  }

  /** The landmarks that all filters pass, by name. */
  filtered({ text, category, state, favoritesOnly }) {
    const words = plain(text).split(/\s+/).filter(Boolean);
    return this.landmarks.filter((landmark) => {
      // A landmark whose mark is being removed stays until the removal is stored.
      if (favoritesOnly && !landmark.isFavorite && !landmark.isUnstored) return false;
      if (category && landmark.category !== category) return false;
      if (state && landmark.state !== state) return false;
      const searched = plain(`${landmark.name} ${landmark.city} ${landmark.state}`);
      return words.every((word) => searched.includes(word));
    });
  }
}
