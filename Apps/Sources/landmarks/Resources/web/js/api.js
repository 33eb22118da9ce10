/** The program's JSON API (docs/openapi-landmarks.yaml). */

import { requests } from "./request.js";

export { RequestError } from "./request.js";

/** The maximum time until a response, in milliseconds. */
const DEADLINE = 10_000;
const HEADERS = { "X-Requested-With": "landmarks" };

const request = requests("Landmarks", DEADLINE, {
  failed: (status) => `The answer was ${status}.`,
  broken: () => "An answer broke off",
});

/** @param {{id: string, store: string | null}} key of an edit: repeated, it has one effect */
const change = (method, path, key, value) => request(path, {
  method,
  headers: {
    ...HEADERS,
    ...(key && { "Idempotency-Key": key.id }),
    ...(key?.store && { "Landmarks-Store": key.store }),
    ...(value && { "Content-Type": "application/json" }),
  },
  ...(value && { body: JSON.stringify(value) }),
});

export const fetchState = () => request("/api/state");
export const fetchActivity = () => request("/api/activity");
export const fetchConfig = () => request("/api/config");
export const sync = () => change("POST", "/api/sync");
export const workOffline = (on) => change(on ? "PUT" : "DELETE", "/api/offline");
export const setFavorite = (id, on, key) => change(on ? "PUT" : "DELETE", `/api/favorites/${id}`, key);
export const reserve = (id, landmarkID, date, note, key) =>
  change("PUT", `/api/reservations/${id}`, key, { landmarkID, date, note });
export const move = (id, date, key) => change("PUT", `/api/reservations/${id}`, key, { date });
/** @param {string} base the note that was edited: what came since is merged */
export const setNote = (id, note, base, key) =>
  change("PUT", `/api/reservations/${id}/note`, key, { note, base });
export const cancel = (id, key) => change("POST", `/api/reservations/${id}/cancel`, key);
export const remove = (id, key) => change("DELETE", `/api/reservations/${id}`, key);
export const dismiss = (id, key) => change("DELETE", `/api/notices/${id}`, key);
