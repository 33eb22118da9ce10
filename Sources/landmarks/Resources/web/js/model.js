/**
 * What the page knows. An edit shows at once; until the program has confirmed it, it lies over
 * whatever state arrives, so that nothing jumps back.
 */

import { plain } from "./format.js";

export class Model {
  landmarks = [];
  reservations = [];
  notices = [];
  status = null;
  #edits = new Map();

  /** Takes a state over. @param {object} state of /api/state */
  replace({ landmarks, reservations, notices, status }) {
    this.landmarks = landmarks;
    this.reservations = reservations;
    this.notices = notices;
    this.status = status;
    for (const edit of this.#edits.values()) edit(this);
  }

  /** Applies an edit now and to every state that comes, until the returned function ends it. */
  edit(key, apply) {
    this.#edits.set(key, apply);
    apply(this);
    return () => {
      if (this.#edits.get(key) === apply) this.#edits.delete(key);
    };
  }

  landmark(id) {
    return this.landmarks.find((landmark) => landmark.id === id);
  }

  get favorites() {
    return this.landmarks.filter((landmark) => landmark.isFavorite);
  }

  visits(landmarkID) {
    return this.reservations.filter((reservation) => reservation.landmarkID === landmarkID);
  }

  /** The landmarks that all filters pass, by name. */
  filtered({ text, category, state, favoritesOnly }) {
    const words = plain(text).split(/\s+/).filter(Boolean);
    return this.landmarks.filter((landmark) => {
      if (favoritesOnly && !landmark.isFavorite) return false;
      if (category && landmark.category !== category) return false;
      if (state && landmark.state !== state) return false;
      const searched = plain(`${landmark.name} ${landmark.city} ${landmark.state}`);
      return words.every((word) => searched.includes(word));
    });
  }
}
