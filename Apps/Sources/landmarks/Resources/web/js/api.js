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

const change = (method, path, value) => request(path, {
  method,
  headers: value ? { ...HEADERS, "Content-Type": "application/json" } : HEADERS,
  ...(value && { body: JSON.stringify(value) }),
});

export const fetchState = () => request("/api/state");
export const fetchConfig = () => request("/api/config");
export const sync = () => change("POST", "/api/sync");
export const setFavorite = (id, on) => change(on ? "PUT" : "DELETE", `/api/favorites/${id}`);
export const reserve = (id, landmarkID, date) =>
  change("PUT", `/api/reservations/${id}`, { landmarkID, date });
export const move = (id, date) => change("PUT", `/api/reservations/${id}`, { date });
export const cancel = (id) => change("POST", `/api/reservations/${id}/cancel`);
export const remove = (id) => change("DELETE", `/api/reservations/${id}`);
export const dismiss = (id) => change("DELETE", `/api/notices/${id}`);
