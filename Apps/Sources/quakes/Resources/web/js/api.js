/** The server's JSON API (docs/openapi.yaml). */

import { requests } from "./request.js";

/** The number of events of a page, and of the first one for an empty list: over a slow line it is there long before. */
const PAGE = 5000;
const FIRST_PAGE = 200;
/** The number of pages that are under way at the same time. */
const AHEAD = 3;
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
 * The details of an event, which the program loads if necessary.
 * @type {(id: string) => Promise<QuakeDetails>}
 */
export const fetchDetails = (id) => request(`/api/events/${encodeURIComponent(id)}/details`, {}, LONG);

/**
 * The populated place that a name means, or why there is none.
 * @type {(name: string) => Promise<PlaceAnswer>}
 */
export const fetchPlace = (name) => request(`/api/places?${new URLSearchParams({ name })}`);

/**
 * The statistics of the events that the parameters choose.
 * @type {(parameters: Record<string, string>) => Promise<QuakeStatistics>}
 */
export const fetchStatistics = (parameters) =>
  request(`/api/statistics?${new URLSearchParams(parameters)}`, {}, LONG);

const OWN = { "X-Requested-With": "quakes" };

/** @type {(method: string) => () => Promise<QuakeStatus>} */
const ask = (method) => () => request("/api/refresh", { method, headers: OWN });

/** Asks for a refresh; a running one is joined. */
export const refresh = ask("POST");

/** Stops the refresh that runs. */
export const stopRefresh = ask("DELETE");

/**
 * Has the program load older events from an archive.
 * @type {(wish: BackfillWish) => Promise<QuakeStatus>}
 */
export const startBackfill = (wish) => request(
  "/api/backfill",
  { method: "POST", headers: { ...OWN, "Content-Type": "application/json" }, body: JSON.stringify(wish) });

/**
 * Stops that; what was loaded stays.
 * @returns {Promise<QuakeStatus>}
 */
export const stopBackfill = () => request("/api/backfill", { method: "DELETE", headers: OWN });

const EVENTS = "/api/events?";

/**
 * The events of a page of columns: 45 % less to transmit than objects.
 * @param {QuakeColumnPage} page
 * @returns {Quake[]}
 */
function rows({ columns, usualAddress }) {
  const names = Object.keys(columns);
  let time = 0;
  return (columns.id ?? []).map((id, index) => {
    /** @type {Partial<Quake> & Record<string, unknown>} */
    const event = {};
    for (const name of names) event[name] = columns[name][index];
    // A time is the one after that of the event before, and an update after its event's own time.
    time += columns.time[index];
    event.time = time;
    event.updated = time + columns.updated[index];
    // An empty address follows from the identifier.
    if (event.url === "") event.url = usualAddress + id;
    return /** @type {Quake} */ (event);
  });
}

/**
 * A page of events.
 * @param {Record<string, string>} parameters
 * @returns {Promise<QuakePage>}
 */
async function fetchPage(parameters) {
  const page = await request(EVENTS + new URLSearchParams({ ...parameters, layout: "differences" }), {}, LONG);
  return page.columns ? { ...page, events: rows(page) } : page;
}

/** The newest events, which the page's HTML has asked for already (index.html has this address). */
export const fetchNewest = () => fetchPage({ limit: String(FIRST_PAGE) });

/**
 * Events page by page; the next ones are under way while one is shown.
 * @param {number} limit at most this many
 * @param {Record<string, string>} wanted the API's parameters; without any, all, newest first
 * @param {{isUrgent?: boolean, expected?: number}} hints whether the list is empty until the first page is there, and
 *   about how many events there are, if that is known
 * @returns {AsyncGenerator<QuakePage, void>}
 */
export async function* fetchEvents(limit, wanted = {}, { isUrgent = false, expected = 0 } = {}) {
  /** @type {Promise<QuakePage>[]} */
  const asked = [];
  let planned = 0;
  /** @param {number} size */
  const ask = (size) => {
    /** @type {Record<string, string>} */
    const offset = planned > 0 ? { offset: String(planned) } : {};
    const page = fetchPage({ limit: String(size), ...wanted, ...offset });
    page.catch(() => {}); // It is told when that page's turn comes.
    asked.push(page);
    planned += size;
  };
  /** @param {number} end */
  const askUpTo = (end) => {
    while (asked.length < AHEAD && planned < end) ask(Math.min(PAGE, limit - planned));
  };
  ask(Math.min(isUrgent ? FIRST_PAGE : PAGE, limit));
  // With an empty list, others would share the line with the first page.
  if (!isUrgent) askUpTo(Math.min(limit, expected));
  for (let next = asked.shift(); next; next = asked.shift()) {
    const page = await next;
    if (page.next !== null) askUpTo(Math.min(limit, page.total));
    yield page;
  }
}
