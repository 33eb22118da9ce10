/** The program's JSON API (docs/openapi-landmarks.yaml). */

/** How long an answer may take, in milliseconds. */
const DEADLINE = 10_000;
const HEADERS = { "X-Requested-With": "landmarks" };

/** A request that failed; `message` can be shown to a person, `refused` says that trying again is no use. */
export class RequestError extends Error {
  constructor(message, status) {
    super(message);
    this.name = "RequestError";
    this.refused = status >= 400 && status < 500;
  }
}

const reason = (error) => (error.name === "TimeoutError"
  ? `no answer within ${DEADLINE / 1_000} seconds` : error.message);

async function request(path, options = {}) {
  let response;
  try {
    const signal = AbortSignal.timeout(DEADLINE);
    response = await fetch(path, { cache: "no-cache", signal, ...options });
  } catch (error) {
    throw new RequestError(`Landmarks does not answer (${reason(error)}).`, 0);
  }
  let body;
  try {
    body = await response.json();
  } catch (error) {
    throw new RequestError(`An answer broke off (${reason(error)}).`, response.ok ? 0 : response.status);
  }
  if (response.ok) return body;
  throw new RequestError(body?.error?.message ?? `The answer was ${response.status}.`, response.status);
}

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
