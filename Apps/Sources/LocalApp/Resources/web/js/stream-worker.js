/** The event stream of all tabs of the page: a SharedWorker with one connection. */

import { StreamSource } from "./stream-source.js";

const ports = new Set();
/** The last reported state of the connection. */
let state = null;

const source = new StreamSource("/api/stream", (message) => {
  if (message.type !== "news") state = message;
  for (const port of ports) port.postMessage(message);
});

addEventListener("connect", ({ ports: [port] }) => {
  ports.add(port);
  port.onmessage = ({ data }) => {
    if (data === "leave") ports.delete(port);
  };
  port.postMessage({ type: "joined" });
  if (state) port.postMessage(state);
});
source.open();
