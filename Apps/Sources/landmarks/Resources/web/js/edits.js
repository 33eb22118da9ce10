/** The user's edits as values, which can be kept, shown and sent. */

import * as api from "./api.js";
import * as format from "./format.js";
import { uuid } from "./elements.js";

/** @type {(state: Shown, id: number) => Landmark | undefined} */
const landmark = (state, id) => state.landmarks.find((known) => known.id === id);
/** @type {(state: Shown, id: string | null) => Reservation | undefined} */
const reservation = (state, id) => state.reservations.find((known) => known.id === id);

/** @type {(state: Shown, id: string) => Photo | undefined} */
const photo = (state, id) => state.photos.find((known) => known.id === id);

/** @type {(name: string, date: number) => string} */
const visit = (name, date) => `visit to ${name} on ${format.moment(date)}`;

/** @type {{[K in EditKind]: EditRules<K>}} */
const KINDS = {
  favorite: {
    what: ({ name }) => `The mark of ${name}`,
    show: (state, { landmarkID, on }, marks) => {
      const found = landmark(state, landmarkID);
      if (found) Object.assign(found, { isFavorite: on, ...marks });
    },
    send: ({ landmarkID, on }, key) => api.setFavorite(landmarkID, on, key),
  },
  reserve: {
    what: ({ name, date }) => `The ${visit(name, date)}`,
    // Edits of an earlier version have no note.
    show: (state, { reservationID: id, landmarkID, date, note = "" }, marks) => {
      if (reservation(state, id)) return;
      state.reservations.push({ id, landmarkID, date, note, status: "confirmed", ...marks });
    },
    send: ({ reservationID, landmarkID, date, note = "" }, key) =>
      api.reserve(reservationID, landmarkID, date, note, key),
  },
  move: {
    what: ({ name, date }) => `The new time of the ${visit(name, date)}`,
    show: (state, { reservationID, date }, marks) => {
      const found = reservation(state, reservationID);
      if (found) Object.assign(found, { date, status: "confirmed", ...marks });
    },
    send: ({ reservationID, date }, key) => api.move(reservationID, date, key),
  },
  note: {
    what: ({ name, date }) => `The note on the ${visit(name, date)}`,
    show: (state, { reservationID, note }, marks) => {
      const found = reservation(state, reservationID);
      if (found) Object.assign(found, { note, ...marks });
    },
    send: ({ reservationID, note, base }, key) => api.setNote(reservationID, note, base, key),
  },
  cancel: {
    what: ({ name, date }) => `The cancellation of the ${visit(name, date)}`,
    show: (state, { reservationID }, marks) => {
      const found = reservation(state, reservationID);
      if (found) Object.assign(found, { status: "cancelled", ...marks });
    },
    send: ({ reservationID }, key) => api.cancel(reservationID, key),
  },
  remove: {
    what: ({ name, date }) => `The removal of the ${visit(name, date)}`,
    show: (state, { reservationID: id }, marks) => {
      const found = reservation(state, id);
      // It stays visible until the program has removed it.
      if (found && (marks.isUnstored || marks.isKept)) Object.assign(found, marks, { isRemoval: true });
      else state.reservations = state.reservations.filter((known) => known !== found);
    },
    send: ({ reservationID }, key) => api.remove(reservationID, key),
  },
  photo: {
    what: ({ name, date }) => `The photo of the ${visit(name, date)}`,
    show: (state, { photoID: id, reservationID, added, caption, blob }, marks) => {
      if (!photo(state, id)) state.photos.push({ id, reservationID, added, caption, blob, ...marks });
    },
    send: (values, key) => api.addPhoto(values, key),
  },
  caption: {
    what: ({ name, date }) => `The caption of a photo of the ${visit(name, date)}`,
    show: (state, { photoID, caption }, marks) => {
      const found = photo(state, photoID);
      if (found) Object.assign(found, { caption, ...marks });
    },
    send: ({ photoID, caption }, key) => api.setCaption(photoID, caption, key),
  },
  removePhoto: {
    what: ({ name, date }) => `The removal of a photo of the ${visit(name, date)}`,
    show: (state, { photoID }, marks) => {
      const found = photo(state, photoID);
      if (found && (marks.isUnstored || marks.isKept)) Object.assign(found, marks, { isRemoval: true });
      else state.photos = state.photos.filter((known) => known !== found);
    },
    send: ({ photoID }, key) => api.removePhoto(photoID, key),
  },
  dismiss: {
    what: ({ name }) => `The dismissal of a notice about ${name}`,
    show: (state, { reservationID, decided }, { isUnstored }) => {
      if (isUnstored) return;
      state.notices = state.notices.filter((notice) =>
        (notice.photoID ?? notice.reservationID) !== reservationID || notice.made > decided);
    },
    send: ({ reservationID, decided }, key) => api.dismiss(reservationID, decided, key),
  },
};

/**
 * An edit, which isn't made yet.
 * @template {EditKind} K
 * @param {K} kind
 * @param {EditValues[K] & {name?: string}} values what it changes; `name` is the landmark's
 * @param {{store: string | null, status: SyncStatus | null}} model the store that it is for, and its user
 * @returns {Edit}
 */
export function edit(kind, values, { store, status }) {
  const made = Date.now();
  const named = { ...values, name: values.name ?? "a landmark" };
  const what = rules(kind).what(named);
  const user = status?.user ?? null;
  const facts = { kind, what, made, store, user, id: uuid(made), state: "waiting", failures: 0 };
  return /** @type {any} */ ({ ...named, ...facts });
}

/**
 * The rules for an edit of any kind.
 * @param {EditKind} kind
 * @returns {EditRules<any>}
 */
const rules = (kind) => KINDS[kind];

/**
 * Whether this version of the page has rules for an edit: a later one, which was opened in this browser, may have made
 * it.
 * @param {Edit} edit
 */
export const isKnown = ({ kind }) => Object.hasOwn(KINDS, kind);

/**
 * Applies an edit to a state, with marks for what it changes.
 * @param {Shown} state
 * @param {Edit} edit
 * @param {EditMarks} marks
 */
export const show = (state, edit, marks) => {
  if (isKnown(edit)) rules(edit.kind).show(state, edit, marks);
};

/**
 * Marks what a refused edit was about; a refused new visit or photo is shown, since nothing else would be.
 * @param {Shown} state
 * @param {Edit} edit
 */
export function showRefused(state, edit) {
  const marks = { isRefused: true, reason: edit.reason };
  if (edit.kind === "reserve" || edit.kind === "photo") {
    show(state, edit, { ...marks, isUnmade: true });
    return;
  }
  const found = changed(state, edit);
  if (found) Object.assign(found, marks);
}

/**
 * @param {Shown} state
 * @param {Edit} edit
 */
function changed(state, edit) {
  switch (edit.kind) {
    case "favorite": return landmark(state, edit.landmarkID);
    case "caption": case "removePhoto": return photo(state, edit.photoID);
    default: return reservation(state, edit.reservationID);
  }
}

/**
 * Gives an edit to the program, which makes it once however often it gets it.
 * @param {Edit} edit
 */
export const send = (edit) =>
  rules(edit.kind).send(edit, { id: edit.id, store: edit.store, made: edit.made });
