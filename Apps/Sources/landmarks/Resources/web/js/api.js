/** The program's JSON API (docs/openapi-landmarks.yaml). */

import { deadline, requests } from "./request.js";

export { RequestError } from "./request.js";

/** The maximum time until a response, in milliseconds. */
const DEADLINE = 10_000;
/** The same for a photo. */
const UPLOAD = 60_000;
const HEADERS = { "X-Requested-With": "landmarks" };

const request = requests("Landmarks", DEADLINE, {
  failed: (status) => `The answer was ${status}.`,
  broken: () => "An answer broke off",
});

/**
 * The age of an edit in seconds. The clock may have been set back since.
 * @param {EditKey} key
 */
const age = ({ made }) => String(Math.max(0, Math.floor((Date.now() - made) / 1_000)));

/** @param {EditKey} [key] of an edit */
const headers = (key) => ({
  ...HEADERS,
  ...(key && { "Idempotency-Key": key.id, "Landmarks-Age": age(key) }),
  ...(key?.store && { "Landmarks-Store": key.store }),
});

/**
 * Sends a change.
 * @param {string} method
 * @param {string} path
 * @param {EditKey} [key] of an edit
 * @param {object} [value]
 * @param {number} [limit] the maximum time until the response, in milliseconds
 */
const change = (method, path, key, value, limit) => request(path, {
  method,
  headers: {
    ...headers(key),
    ...(value && { "Content-Type": "application/json" }),
  },
  ...(value && { body: JSON.stringify(value) }),
}, limit);

/** @returns {Promise<ProgramState>} */
export const fetchState = () => request("/api/state");
/** @returns {Promise<{activities: Activity[]}>} */
export const fetchActivity = () => request("/api/activity");
/** @returns {Promise<Configuration>} */
export const fetchConfig = () => request("/api/config");
export const sync = () => change("POST", "/api/sync");
/** The maximum time until a sign-in is answered, in milliseconds: the server takes its time. */
const SIGN_IN_DEADLINE = 20_000;
/** @type {(user: string, password: string) => Promise<SyncStatus>} */
export const signIn = (user, password) =>
  change("POST", "/api/session", undefined, { user, password }, SIGN_IN_DEADLINE);
/** @returns {Promise<SyncStatus>} */
export const signOut = () => change("DELETE", "/api/session", undefined, undefined, SIGN_IN_DEADLINE);
/** @param {boolean} on */
export const workOffline = (on) => change(on ? "PUT" : "DELETE", "/api/offline");
/** @type {(id: number, on: boolean, key: EditKey) => Promise<SyncStatus>} */
export const setFavorite = (id, on, key) => change(on ? "PUT" : "DELETE", `/api/favorites/${id}`, key);
/** @type {(id: string, landmarkID: number, date: number, note: string, key: EditKey) => Promise<SyncStatus>} */
export const reserve = (id, landmarkID, date, note, key) =>
  change("PUT", `/api/reservations/${id}`, key, { landmarkID, date, note });
/** @type {(id: string, date: number, key: EditKey) => Promise<SyncStatus>} */
export const move = (id, date, key) => change("PUT", `/api/reservations/${id}`, key, { date });
/**
 * @param {string} id
 * @param {string} note
 * @param {string} base the note that was edited: what came since is merged
 * @param {EditKey} key
 */
export const setNote = (id, note, base, key) =>
  change("PUT", `/api/reservations/${id}/note`, key, { note, base });
/** @type {(id: string, key: EditKey) => Promise<SyncStatus>} */
export const cancel = (id, key) => change("POST", `/api/reservations/${id}/cancel`, key);
/** @type {(id: string, key: EditKey) => Promise<SyncStatus>} */
export const remove = (id, key) => change("DELETE", `/api/reservations/${id}`, key);
/**
 * Sends a photo: its bytes as they are, what belongs to them in the address.
 * @param {EditValues["photo"]} photo
 * @param {EditKey} key
 * @returns {Promise<SyncStatus>}
 */
export function addPhoto({ photoID, reservationID, added, caption, blob }, key) {
  const query = new URLSearchParams({ reservation: reservationID, added: String(added), caption });
  return request(`/api/photos/${photoID}?${query}`, { method: "PUT", headers: headers(key), body: blob }, UPLOAD);
}
/** @type {(id: string, caption: string, key: EditKey) => Promise<SyncStatus>} */
export const setCaption = (id, caption, key) => change("PUT", `/api/photos/${id}/caption`, key, { caption });
/** @type {(id: string, key: EditKey) => Promise<SyncStatus>} */
export const removePhoto = (id, key) => change("DELETE", `/api/photos/${id}`, key);
/**
 * The bytes of a photo.
 * @param {string} id
 */
export async function fetchPhoto(id) {
  const response = await fetch(`/api/photos/${id}`, { signal: deadline(DEADLINE) });
  if (!response.ok) throw new Error(`The answer was ${response.status}.`);
  return response.blob();
}
/**
 * Dismisses the notices about a visit or a photo.
 * @param {string} id
 * @param {number | undefined} made the time of the notice that was seen, later ones stay; without it, none does
 * @param {EditKey} key
 */
export const dismiss = (id, made, key) =>
  change("DELETE", `/api/notices/${id}${made === undefined ? "" : `?made=${made}`}`, key);
