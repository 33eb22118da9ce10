/**
 * The page's event stream, one for all of its tabs: a browser has six connections to a server
 * (HTTP/1.1), and a stream of its own in each tab would leave none for requests.
 *
 * A SharedWorker holds the stream. When the browser ends its process, the tabs learn it from a lock
 * that the worker held, and start another one. Where there is no such worker (Chrome on Android), the
 * tabs elect a leader with a Web Lock, and it forwards the events through a BroadcastChannel; when it
 * closes, the next one takes over. Where that is missing too (no secure context), each tab has its own
 * stream.
 */

import { StreamSource } from "./stream-source.js";

const ADDRESS = "/api/stream";
const NAME = "stream";
/** The maximum time to wait for the worker's first message, in milliseconds. */
const PATIENCE = 4_000;
/** The number of ended workers after which the tabs do without one. */
const LIVES = 5;

/**
 * @param {(message: StreamMessage) => void} tell called with what the stream tells
 * @param {{failed: () => void, ended: () => void}} lost called when the worker can't be started, and
 *   when it has ended
 * @returns a function that leaves the stream, or null where workers can't be shared
 */
function joinWorker(tell, lost) {
  if (typeof SharedWorker !== "function") return null;
  /** @type {SharedWorker} */
  let worker;
  try {
    worker = new SharedWorker("/js/stream-worker.js", { type: "module", name: NAME });
  } catch {
    return null; // Closed to the page, as in some embedded browsers.
  }
  const { port } = worker;
  const watching = new AbortController();
  const leave = () => {
    clearTimeout(timer);
    watching.abort();
    port.onmessage = null;
    port.postMessage("leave");
    port.close();
  };
  const giveUp = () => {
    leave();
    lost.failed();
  };
  /**
   * Waits for the lock, which is free when the worker has ended.
   * @param {string} lock
   */
  const watch = (lock) => navigator.locks?.request(
    lock, { mode: "shared", signal: watching.signal }, () => {}).then(() => {
    leave();
    lost.ended();
  }, () => {}); // This tab left first.
  const timer = setTimeout(giveUp, PATIENCE);
  worker.onerror = giveUp;
  port.onmessage = ({ data }) => {
    clearTimeout(timer);
    worker.onerror = null;
    if (data.type !== "joined") tell(data);
    else if (data.lock) watch(data.lock);
  };
  return leave;
}

/**
 * @param {(message: StreamMessage) => void} tell
 * @returns a function that leaves the stream, or null where tabs can't elect one of them
 */
function joinElected(tell) {
  if (!navigator.locks || typeof BroadcastChannel !== "function") return null;
  const channel = new BroadcastChannel(NAME);
  /** @type {StreamSource | null} */
  let source = null;
  /** @type {StreamMessage | null} */
  let state = null;
  /** @type {(() => void) | null} */
  let resign = null;
  let left = false;
  /** @param {StreamMessage} message */
  const pass = (message) => {
    if (message.type !== "news") state = message;
    tell(message);
    channel.postMessage(message);
  };
  /** @type {(missed: boolean) => Promise<void>} */
  const lead = (missed) => new Promise((resolve) => {
    if (left) {
      resolve();
      return;
    }
    resign = resolve;
    source = new StreamSource(ADDRESS, pass, missed);
    source.open();
  });
  channel.onmessage = ({ data }) => {
    if (data.type === "hello") {
      if (source && state) channel.postMessage(state);
    } else if (!source) tell(data);
  };
  navigator.locks.request(NAME, { ifAvailable: true }, (lock) => (lock ? lead(false) : null))
    .then(() => {
      // Events may be lost between the previous leader and the next one.
      if (!source && !left) return navigator.locks.request(NAME, () => lead(true));
      return null;
    });
  channel.postMessage({ type: "hello" });
  return () => {
    left = true;
    source?.close();
    resign?.();
    channel.close();
  };
}

/**
 * @param {(message: StreamMessage) => void} tell
 * @returns a function that leaves the stream
 */
function joinAlone(tell) {
  const source = new StreamSource(ADDRESS, tell);
  source.open();
  return () => source.close();
}

export class SharedStream {
  #handlers;
  /** The number of workers that have ended. */
  #ended = 0;
  /** Whether events may have been lost, so that a reset is due when the stream is open. */
  #missed = false;
  /** @type {(() => void) | null} */
  #leave = null;
  /** @type {PromiseWithResolvers<void>} */
  #ready = Promise.withResolvers();

  /**
   * @param {{news: (name: string, text: string) => void, connection: (isOpen: boolean) => void}} handlers
   */
  constructor(handlers) {
    this.#handlers = handlers;
  }

  /** Fulfilled when it is known whether the stream is open; all later events are reported. */
  get ready() {
    return this.#ready.promise;
  }

  open() {
    this.#join();
    setTimeout(this.#ready.resolve, PATIENCE + 1_000);
    addEventListener("pagehide", () => this.#leave?.());
    // A page restored from the browser's cache has missed the events in between.
    addEventListener("pageshow", (event) => {
      if (event.persisted) this.#rejoin();
    });
  }

  #rejoin() {
    this.#missed = true;
    this.#join();
  }

  #join() {
    /** @param {StreamMessage} message */
    const tell = (message) => this.#take(message);
    const other = () => joinElected(tell) ?? joinAlone(tell);
    const joined = this.#ended < LIVES && joinWorker(tell, {
      failed: () => {
        this.#leave = other();
      },
      ended: () => {
        this.#ended += 1;
        this.#rejoin();
      },
    });
    this.#leave = joined || other();
  }

  /** @param {StreamMessage} message */
  #take(message) {
    this.#ready.resolve();
    if (message.type === "news") {
      this.#handlers.news(message.name, message.data);
      return;
    }
    // Each failed attempt is reported: a response in flight may have set another state since the last one.
    const isOpen = message.type === "open";
    this.#handlers.connection(isOpen);
    if (!isOpen || !this.#missed) return;
    this.#missed = false;
    this.#handlers.news("reset", "{}");
  }
}
