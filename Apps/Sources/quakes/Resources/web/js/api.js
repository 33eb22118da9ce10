/** The server's JSON API (docs/openapi.yaml). */

import { requests } from "./request.js";

/** The number of events of a page, and of the first one for an empty list: over a slow line it is there long before. */
const PAGE = 5000;
const FIRST_PAGE = 200;
/** The maximum time until a response, in milliseconds: one with thousands of events, and any other. */
const LONG = 30_000;
const SHORT = 10_000;

const request = requests("Quakes", SHORT, {
  failed: (status) => `The server answered ${status}.`,
  broken: ({ ok, status }) => (ok ? "An answer broke off" : `The server answered ${status}`),
});

/** @returns {Promise<QuakeStatus>} */
export const fetchStatus = () => request("/api/status");
/** @returns {Promise<QuakeConfiguration>} */
export const fetchConfig = () => request("/api/config");

/**
 * One event, also one that the page hasn't loaded; an old identifier gives the present event.
 * @type {(id: string) => Promise<Quake>}
 */
export const fetchEvent = (id) => request(`/api/events/${encodeURIComponent(id)}`);

/**
 * The statistics of the events that the parameters choose.
 * @type {(parameters: Record<string, string>) => Promise<QuakeStatistics>}
 */
export const fetchStatistics = (parameters) =>
  request(`/api/statistics?${new URLSearchParams(parameters)}`, {}, LONG);

/** @type {(method: string) => () => Promise<QuakeStatus>} */
const ask = (method) => () =>
  request("/api/refresh", { method, headers: { "X-Requested-With": "quakes" } });

/** Asks for a refresh; a running one is joined. */
export const refresh = ask("POST");

/** Stops the refresh that runs. */
export const stopRefresh = ask("DELETE");

const EVENTS = "/api/events?";

/**
 * The address of the next page, of a size of its own.
 * @param {QuakePage} page
 * @param {number} size
 */
function following(page, size) {
  // Only paths of this server are followed.
  if (!page.next?.startsWith(EVENTS)) return null;
  const parameters = new URLSearchParams(page.next.slice(EVENTS.length));
  parameters.set("limit", String(size));
  return EVENTS + parameters;
}

/**
 * The newest events, which the page's HTML has asked for already (index.html has this address).
 * @returns {Promise<QuakePage>}
 */
export const fetchNewest = () => request(`${EVENTS}limit=${FIRST_PAGE}`, {}, LONG);

/**
 * Events page by page.
 * @param {number} limit at most this many
 * @param {Record<string, string>} wanted the API's parameters; without any, all, newest first
 * @param {boolean} isUrgent whether the list is empty until the first page is there
 * @returns {AsyncGenerator<QuakePage, void>}
 */
export async function* fetchEvents(limit, wanted = {}, isUrgent = false) {
  const first = new URLSearchParams({ limit: String(isUrgent ? FIRST_PAGE : PAGE), ...wanted });
  /** @type {Promise<QuakePage> | null} */
  let asked = request(EVENTS + first, {}, LONG);
  let received = 0;
  while (asked) {
    /** @type {QuakePage} */
    const page = await asked;
    received += page.events.length;
    const path = received < limit ? following(page, Math.min(PAGE, limit - received)) : null;
    // The next page is under way while this one is shown.
    asked = path === null ? null : request(path, {}, LONG);
    asked?.catch(() => {}); // It is told when that page's turn comes.
    yield page;
  }
}
