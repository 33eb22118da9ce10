/**
 * What the page knows: what the program has stored, as it told last, and over it the edits that it
 * hasn't confirmed yet. Those carry `isUnstored`, so that nothing is shown as kept that isn't. An
 * edit that fails leaves no trace; one that is confirmed lies over states that were read before.
 */

import { plain } from "./format.js";

export class Model {
  landmarks = [];
  reservations = [];
  notices = [];
  status = null;
  /** Whether the program has told its state at least once. */
  isLoaded = false;
  /** The program's state; never shown as such. */
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
   * Lays an edit over what is stored.
   * @param {(state: {landmarks: object[], reservations: object[]}, isUnstored: boolean) => void} apply
   *   changes a state; `isUnstored` goes into what it changes
   * @returns {{confirm: () => void, end: () => void}} `confirm` says that it is stored; `end` lets
   *   go of it, once a later state of the program has it, or when it isn't stored
   */
  edit(apply) {
    const edit = { apply, isStored: false };
    this.#edits.push(edit);
    this.#derive();
    return {
      confirm: () => {
        edit.isStored = true;
        apply(this.#stored, false);
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
    for (const { apply, isStored } of this.#edits) apply(this, !isStored);
  }

  /** How many edits the program hasn't confirmed. */
  get unstored() {
    return this.#edits.filter(({ isStored }) => !isStored).length;
  }

  /** How many favourites and reservations are stored. */
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
      // One whose mark is being taken away stays until that is stored.
      if (favoritesOnly && !landmark.isFavorite && !landmark.isUnstored) return false;
      if (category && landmark.category !== category) return false;
      if (state && landmark.state !== state) return false;
      const searched = plain(`${landmark.name} ${landmark.city} ${landmark.state}`);
      return words.every((word) => searched.includes(word));
    });
  }
}
