/** The server's JSON API (docs/openapi.yaml). */

const PAGE = 5000;
const DEADLINE = 30_000;

/** A request that failed; `message` can be shown to a person. */
export class RequestError extends Error {
  constructor(message, status) {
    super(message);
    this.name = "RequestError";
    this.status = status;
  }
}

async function request(path, options = {}) {
  let response;
  try {
    const signal = AbortSignal.timeout(DEADLINE);
    response = await fetch(path, { cache: "no-cache", signal, ...options });
  } catch (error) {
    throw new RequestError(`Quakes does not answer (${error.message}).`, 0);
  }
  let body;
  try {
    body = await response.json();
  } catch (error) {
    const what = response.ok ? "An answer broke off" : `The server answered ${response.status}`;
    throw new RequestError(`${what} (${error.message}).`, response.status);
  }
  if (response.ok) return body;
  const message = body?.error?.message ?? `The server answered ${response.status}.`;
  throw new RequestError(message, response.status);
}

export const fetchStatus = () => request("/api/status");
export const fetchConfig = () => request("/api/config");

/** Asks for a refresh; a running one is joined. */
export const refresh = () =>
  request("/api/refresh", { method: "POST", headers: { "X-Requested-With": "quakes" } });

/**
 * All events, page by page, newest first.
 * @param {number} limit at most this many
 * @yields {{events: object[], total: number}}
 */
export async function* fetchEvents(limit) {
  let path = `/api/events?limit=${PAGE}`;
  let received = 0;
  while (path && received < limit) {
    const page = await request(path);
    received += page.events.length;
    yield page;
    // Only paths of this server are followed.
    path = page.next?.startsWith("/api/events?") ? page.next : null;
  }
}
