/** The server's JSON API (docs/openapi.yaml). */

import { requests } from "./request.js";

const PAGE = 5000;
/** The maximum time until a response, in milliseconds: one with thousands of events, and any other. */
const LONG = 30_000;
const SHORT = 10_000;

const request = requests("Quakes", SHORT, {
  failed: (status) => `The server answered ${status}.`,
  broken: ({ ok, status }) => (ok ? "An answer broke off" : `The server answered ${status}`),
});

export const fetchStatus = () => request("/api/status");
export const fetchConfig = () => request("/api/config");

/** One event, also one that the page hasn't loaded; an old identifier gives the present event. */
export const fetchEvent = (id) => request(`/api/events/${encodeURIComponent(id)}`);

/** The statistics of the events that the parameters choose. */
export const fetchStatistics = (parameters) =>
  request(`/api/statistics?${new URLSearchParams(parameters)}`, {}, LONG);

const ask = (method) => () =>
  request("/api/refresh", { method, headers: { "X-Requested-With": "quakes" } });

/** Asks for a refresh; a running one is joined. */
export const refresh = ask("POST");

/** Stops the refresh that runs. */
export const stopRefresh = ask("DELETE");

/**
 * Events page by page.
 * @param {number} limit at most this many
 * @param {Record<string, string>} wanted the API's parameters; without any, all, newest first
 * @yields {{events: object[], total: number}}
 */
export async function* fetchEvents(limit, wanted = {}) {
  let path = `/api/events?${new URLSearchParams({ limit: PAGE, ...wanted })}`;
  let received = 0;
  while (path && received < limit) {
    const page = await request(path, {}, LONG);
    received += page.events.length;
    yield page;
    // Only paths of this server are followed.
    path = page.next?.startsWith("/api/events?") ? page.next : null;
  }
}
