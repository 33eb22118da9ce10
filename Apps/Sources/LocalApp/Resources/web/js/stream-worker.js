/** The event stream of all tabs of the page: a SharedWorker with one connection. */

import { StreamSource } from "./stream-source.js";

/** @type {Set<MessagePort>} */
const ports = new Set();
/**
 * The last reported state of the connection.
 * @type {StreamMessage | null}
 */
let state = null;

/**
 * The name of a lock that is held as long as this worker runs, or null without locks. Nothing else
 * tells the tabs that the browser ended the worker's process.
 */
const lock = navigator.locks ? new Promise((tell) => {
  const name = `stream-${crypto.randomUUID()}`;
  navigator.locks.request(name, () => {
    tell(name);
    return new Promise(() => {});
  });
}) : null;

const source = new StreamSource("/api/stream", (message) => {
  if (message.type !== "news") state = message;
  for (const port of ports) port.postMessage(message);
});

addEventListener("connect", async ({ ports: [port] }) => {
  port.onmessage = ({ data }) => {
    if (data === "leave") ports.delete(port);
  };
  ports.add(port);
  port.postMessage({ type: "joined", lock: await lock });
  if (state) port.postMessage(state);
});
source.open();
