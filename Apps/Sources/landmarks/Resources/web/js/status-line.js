/** The line in the header: how current everything is, and how many edits wait where. */

import * as format from "./format.js";
import { find } from "./find.js";
import { isQuiet } from "./model.js";

/**
 * @param {Model} model
 * @param {{connected: boolean, syncing: boolean, asOf: number | null, troubled: boolean}} page
 */
export function drawStatus(model, { connected, syncing, asOf, troubled }) {
  const { status, unstored, waiting } = model;
  const line = find("status");
  const kept = waiting.filter((edit) => !isQuiet(edit)).length;
  chip("unstored", unstored, `${unstored} not stored yet`);
  chip("kept", kept, `${kept} kept in this browser`);
  find("kept").dataset.count = String(waiting.length);
  find("sync").setAttribute(
    "aria-busy", String(syncing || (connected && status?.state === "syncing")));
  const isOff = connected && status?.state === "off";
  find("offline").setAttribute("aria-pressed", String(isOff));
  find("offline", HTMLButtonElement).disabled = !connected;
  if (!connected || !status) {
    line.dataset.state = connected ? "waiting" : "paused";
    const trouble = troubled ? "Landmarks can't use its store" : "Landmarks does not answer";
    const age = asOf === null ? "" : ` · as of ${format.recent(asOf)}`;
    find("status-text").textContent = connected ? "Loading…" : trouble + age;
    line.title = connected ? "" : trouble + (asOf === null ? "" : ` · as of ${format.moment(asOf)}`);
    return;
  }
  const words = /** @type {Partial<Record<SyncStatus["state"], string>>} */ ({
    offline: "Offline", off: "Working offline", paused: "Paused", syncing: "Syncing…",
  })[status.state];
  const age = format.updated(status.lastUpdated);
  line.dataset.state = status.state;
  line.title = status.message ?? status.server;
  find("status-text").textContent = words ? `${words} · ${age}` : age;
  chip("pending", status.pending, format.waiting(status.pending));
}

/**
 * @param {string} id
 * @param {number} count
 * @param {string} text
 */
function chip(id, count, text) {
  find(id).hidden = count === 0;
  find(id).textContent = count === 0 ? "" : text;
}
