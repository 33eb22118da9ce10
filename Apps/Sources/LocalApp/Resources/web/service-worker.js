/**
 * Keeps the page's files, so that it opens while its program doesn't run. The program answers this file
 * with two constants before it: `VERSION`, of the content of all files, and `FILES`, their entity tags
 * by path. Another version is thus another worker, which has a cache of its own.
 *
 * Files come from the program whenever it answers, and from the cache only when it doesn't. Answers of
 * the API are never kept here; pages keep their data themselves and say how old they are.
 *
 * Where browsers take notifications from service workers only, clicks on them come here, too.
 */

/* global FILES, VERSION */

const PREFIX = "files-";
const CACHE = PREFIX + VERSION;

/** The tabs that were opened from the cache: their files have to be of the same version. */
const kept = new Set();

/**
 * A file's entity tag without the ending of its compressed form.
 * @param {Response} response
 */
const tag = (response) => response.headers.get("ETag")?.replace(/-gz"$/, '"');

/** The files that no page asks for while the browser shall save data. */
const SPARED = ["/basemap/fine.json"];

/** @type {(path: string) => boolean} */
const isNeeded = (path) => !(navigator.connection?.saveData && SPARED.includes(path));

/** Keeps all files that pages need; fails when one is of another version, since the program was exchanged meanwhile. */
async function install() {
  const cache = await caches.open(CACHE);
  await Promise.all(Object.entries(FILES).filter(([path]) => isNeeded(path)).map(async ([path, expected]) => {
    const response = await fetch(path, { cache: "no-cache" });
    if (!response.ok || tag(response) !== expected) throw new Error(`${path} has changed`);
    await cache.put(path, response);
  }));
  await skipWaiting();
}

async function activate() {
  for (const name of await caches.keys()) {
    if (name.startsWith(PREFIX) && name !== CACHE) await caches.delete(name);
  }
  await clients.claim();
}

/** @param {string} path */
const fromCache = async (path) => (await caches.open(CACHE)).match(path);

/**
 * @param {FetchEvent} event
 * @param {string} path
 */
async function answer({ request, clientId, resultingClientId }, path) {
  const known = kept.has(clientId) ? await fromCache(path) : undefined;
  if (known) return known;
  try {
    // However long it takes: a slow program may be a later version than the cache.
    return await fetch(request);
  } catch (error) {
    const response = await fromCache(path);
    if (!response) throw error;
    if (request.mode === "navigate") kept.add(resultingClientId);
    return response;
  }
}

/** The paths of the page. */
const PAGE = ["/", "/index.html"];

/**
 * Shows the event that a notification tells: in a tab of the page, else in a new one.
 * @param {unknown} id
 */
async function showEvent(id) {
  const windows = await clients.matchAll({ type: "window", includeUncontrolled: true });
  // Addresses of the API may be open in tabs, too. The tab used last is the first one.
  const tab = windows.find(({ url }) => PAGE.includes(new URL(url).pathname));
  if (tab) {
    if (typeof id === "string") tab.postMessage({ type: "notification", event: id });
    await tab.focus();
    return;
  }
  const fragment = typeof id === "string" ? `#${new URLSearchParams({ event: id })}` : "";
  await clients.openWindow(`/${fragment}`);
}

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(activate()));
addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(showEvent(event.notification.data?.event));
});
addEventListener("fetch", (event) => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.method !== "GET" || origin !== location.origin || !(pathname in FILES)) return;
  event.respondWith(answer(event, pathname));
});
