/**
 * The page's data: the last state that the program reported, and over it, in their order, the edits that
 * it may not contain yet:
 * - sent ones, which the program has acknowledged since, until a state that was read later is there; the browser's
 *   database has them for as long as the state does that the browser keeps;
 * - kept ones, which are in the browser's database (`isKept` on what they change, `isRefused` when the
 *   program refused them);
 * - unstored ones, which are nowhere but here (`isUnstored`), so that the page never shows one as made.
 */

import { isKnown, show, showRefused } from "./edits.js";
import { plain } from "./format.js";

/**
 * The age from which a kept edit is shown as waiting, in milliseconds: usually the program has it by
 * then.
 */
export const QUIET = 500;

/** @param {Edit} edit */
export const isQuiet = ({ made }) => {
  const age = Date.now() - made;
  // The clock may have been set back since.
  return age >= 0 && age < QUIET;
};

export class Model {
  /** @type {Landmark[]} */
  landmarks = [];
  /** @type {Reservation[]} */
  reservations = [];
  /** @type {Photo[]} */
  photos = [];
  /** @type {Notice[]} */
  notices = [];
  /**
   * The changes that the program hasn't exchanged with the server yet, with reasons.
   * @type {WaitingChange[]}
   */
  unsent = [];
  /** @type {SyncStatus | null} */
  status = null;
  /**
   * The identifier of the program's store.
   * @type {string | null}
   */
  store = null;
  /** Whether the program's state has been loaded at least once. */
  isLoaded = false;
  /** The numbers of favorites and reservations, without unstored edits. */
  counts = { favorites: 0, reservations: 0 };
  /**
   * The program's state without edits.
   * @type {Shown}
   */
  #stored = { landmarks: [], reservations: [], photos: [], notices: [] };
  /** @type {Edit[]} */
  #sent = [];
  /**
   * The identifiers of sent edits that the state contains.
   * @type {Set<string>}
   */
  #contained = new Set();
  /** @type {KeptEdit[]} */
  #kept = [];
  /** @type {Edit[]} */
  #unstored = [];

  /** The edits that a state which is read from now on contains. */
  get acknowledged() {
    return this.#sent;
  }

  /**
   * Takes a state over.
   * @param {ProgramState} state of /api/state
   * @param {Edit[]} contained the edits that had been acknowledged when it was asked for
   */
  replace({ landmarks, reservations, photos = [], notices, waiting, status, store }, contained = []) {
    this.#stored = { landmarks, reservations, photos, notices };
    this.unsent = waiting ?? [];
    this.#sent = this.#sent.filter((edit) => !contained.includes(edit));
    for (const { id } of contained) this.#contained.add(id);
    this.status = status;
    this.store = store ?? null;
    this.isLoaded = true;
    this.#derive();
  }

  /**
   * Takes over the kept edits of this and other stores.
   * @param {KeptEdit[]} edits
   */
  keep(edits) {
    this.#kept = edits.filter(({ state }) => state !== "sent");
    for (const edit of edits) if (edit.state === "sent") this.#add(edit);
    this.#derive();
  }

  /**
   * Shows an edit as made, which the program has acknowledged.
   * @param {Edit} edit
   * @param {SyncStatus | null} status of its answer
   */
  acknowledge(edit, status = this.status) {
    this.#add(edit);
    this.status = status;
    this.#derive();
  }

  /**
   * Adds a sent edit, unless the state contains it.
   * @param {Edit} edit
   */
  #add(edit) {
    if (this.#contained.has(edit.id) || this.#sent.some(({ id }) => id === edit.id)) return;
    this.#sent = [...this.#sent, edit];
  }

  /**
   * Shows an edit as unstored.
   * @param {Edit} edit
   * @returns a function that drops it
   */
  begin(edit) {
    this.#unstored = [...this.#unstored, edit];
    this.#derive();
    return () => {
      this.#unstored = this.#unstored.filter((known) => known !== edit);
      this.#derive();
    };
  }

  #derive() {
    /** @type {Shown} */
    const state = {
      landmarks: this.#stored.landmarks.map((landmark) => ({ ...landmark })),
      reservations: this.#stored.reservations.map((reservation) => ({ ...reservation })),
      photos: this.#stored.photos.map((photo) => ({ ...photo })),
      notices: this.#stored.notices,
    };
    // A stored edit waits for the server only as long as the status counts one that does.
    const isWaiting = this.status !== null && this.status.pending > 0;
    for (const edit of this.#sent) if (edit.store === this.store) show(state, edit, { isWaiting });
    for (const edit of this.kept) {
      if (edit.state === "refused") showRefused(state, edit);
      else show(state, edit, { isKept: true, isQuiet: isQuiet(edit) });
    }
    this.counts = {
      favorites: state.landmarks.filter(({ isFavorite }) => isFavorite).length,
      reservations: state.reservations.filter(({ isUnmade }) => !isUnmade).length,
    };
    for (const edit of this.#unstored) show(state, edit, { isUnstored: true });
    Object.assign(this, state);
  }

  /** The kept edits of the program's store. */
  get kept() {
    return this.#kept.filter(({ store }) => store === this.store);
  }

  /** The kept edits that were made while this address served another store of this user, or of nobody known. */
  get strange() {
    return this.#strange.filter((edit) => !this.#isOfAnother(edit));
  }

  /** The number of edits that another user made while this address served another store. */
  get others() {
    return this.#strange.length - this.strange.length;
  }

  get #strange() {
    return this.isLoaded ? this.#kept.filter(({ store }) => store !== this.store) : [];
  }

  /** @param {KeptEdit} edit */
  #isOfAnother({ user }) {
    const present = this.status?.user;
    return typeof user === "string" && typeof present === "string" && user !== present;
  }

  /** The edits that the program refused. */
  get refused() {
    return this.kept.filter((edit) => edit.state === "refused" && isKnown(edit));
  }

  /** The edits that a later version of the page made, which this one can neither show nor send. */
  get later() {
    return this.kept.filter((edit) => !isKnown(edit));
  }

  /** The edits that wait for the program. */
  get waiting() {
    return this.kept.filter(({ state }) => state === "waiting");
  }

  /** The number of edits that are nowhere but here. */
  get unstored() {
    return this.#unstored.length;
  }

  /** @param {number | null | undefined} id */
  landmark(id) {
    return this.landmarks.find((landmark) => landmark.id === id);
  }

  /** @param {string | null} id */
  reservation(id) {
    return this.reservations.find((reservation) => reservation.id === id);
  }

  /** @param {number} landmarkID */
  visits(landmarkID) {
    return this.reservations.filter((reservation) => reservation.landmarkID === landmarkID);
  }

  /**
   * The photos of a visit, in the order in which they were added.
   * @param {string} reservationID
   */
  photosOf(reservationID) {
    return this.photos.filter((photo) => photo.reservationID === reservationID).sort((a, b) => a.added - b.added);
  }

  /**
   * Whether another visit than `id` goes to a landmark in the same minute.
   * @param {number} landmarkID
   * @param {number} date
   * @param {string | null} id
   */
  isBooked(landmarkID, date, id = null) {
    /** @param {number} time */
    const minute = (time) => Math.floor(time / 60_000);
    return this.visits(landmarkID).some((visit) => visit.id !== id && visit.status === "confirmed"
      && !visit.isUnmade && !visit.isRemoval && minute(visit.date) === minute(date));
  }

  /**
   * The landmarks that all filters pass, by name.
   * @param {{text: string, category: string, state: string, favoritesOnly: boolean}} filters
   */
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
