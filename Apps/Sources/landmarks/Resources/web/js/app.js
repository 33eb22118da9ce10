/** The page: one model, and the parts that show it. */

import * as api from "./api.js";
import * as format from "./format.js";
import { uuid } from "./elements.js";
import { Announcer } from "./announcer.js";
import { Details } from "./details.js";
import { List } from "./list.js";
import { MapPanel } from "./map-panel.js";
import { Model } from "./model.js";
import { Notices } from "./notices.js";
import { SharedStream } from "./shared-stream.js";
import { Theme } from "./theme.js";

const find = (id) => document.getElementById(id);
const MINUTE = 60_000;
/** The pause before a failed request of the state is repeated, in milliseconds. */
const RETRY = 3_000;

export class App {
  #model = new Model();
  #announcer = new Announcer(find("announcer"));
  #list = new List(this.#model, this);
  #details = new Details(this.#model, this);
  #map = new MapPanel(this.#model, this);
  #notices = new Notices(this.#model, this);
  #connected = true;
  #loading = null;
  #next = null;
  /** Changes are sent one after the other: concurrent requests can arrive in another order. */
  #sending = Promise.resolve();
  /** The number of changes without a response: changes queued behind one are no longer sent. */
  #silences = 0;
  #syncing = false;
  #retry = 0;

  async start() {
    new Theme(find("theme"), () => this.#map.recolour());
    for (const button of document.querySelectorAll(".tabs button")) {
      button.addEventListener("click", () => this.#view(button.dataset.view));
    }
    find("sync").addEventListener("click", () => this.sync());
    setInterval(() => this.#drawStatus(), MINUTE / 4);
    await this.#listen();
    await this.load();
    try {
      await this.#map.start(await api.fetchConfig());
    } catch (error) {
      this.failed(error.message);
    }
  }

  /** Reads everything anew; a call during another one waits for a reading that begins after it. */
  load() {
    if (this.#loading) {
      this.#next ??= this.#loading.then(() => {
        this.#next = null;
        return this.load();
      });
      return this.#next;
    }
    this.#loading = this.#read().finally(() => { this.#loading = null; });
    return this.#loading;
  }

  async #read() {
    try {
      this.#model.replace(await api.fetchState());
      this.#connected = true;
    } catch (error) {
      this.#connected = false;
      console.warn("Landmarks:", error.message);
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => this.load(), RETRY);
    }
    this.draw();
  }

  get isConnected() {
    return this.#connected;
  }

  draw() {
    this.#list.draw();
    this.#details.draw();
    this.#map.draw(this.#list.shown);
    this.#notices.draw();
    this.#drawStatus();
  }

  // MARK: Actions

  choose(id) {
    this.#list.select(id);
    this.#details.show(id);
    this.#map.select(id);
    if (id !== null && find("map").dataset.state === "ready") this.#map.reveal(id);
  }

  /** Toggles a favourite: shown at once as unstored, then stored, and sent when the server is reachable. */
  async toggleFavorite(id) {
    const landmark = this.#model.landmark(id);
    if (!landmark) return;
    const { name } = landmark;
    const on = !landmark.isFavorite;
    const reason = await this.#change(`The mark of ${name}`, (state, { isUnstored }) => {
      const found = state.landmarks.find((known) => known.id === id);
      if (found) Object.assign(found, { isFavorite: on, isUnstored });
    }, () => api.setFavorite(id, on));
    if (reason === null) {
      this.#announcer.say(`${name} is ${on ? "now" : "no longer"} a favorite.`);
    }
  }

  reserve(landmarkID, date) {
    const id = uuid();
    return this.#change(this.#visitTo(landmarkID), (state, marks) => {
      if (state.reservations.some((known) => known.id === id)) return;
      state.reservations.push(
        { id, landmarkID, date, status: "confirmed", ...marks });
    }, () => api.reserve(id, landmarkID, date));
  }

  move(id, date) {
    return this.#edit(id, "The new time of", { date, status: "confirmed" }, () => api.move(id, date));
  }

  cancel(id) {
    return this.#edit(id, "The cancellation of", { status: "cancelled" }, () => api.cancel(id));
  }

  remove(id) {
    return this.#change(`The removal of ${this.#reservation(id)}`, (state, { isUnstored }) => {
      const found = state.reservations.find((known) => known.id === id);
      // It stays visible until the program has removed it.
      if (isUnstored && found) Object.assign(found, { isUnstored, isRemoval: true });
      else state.reservations = state.reservations.filter((known) => known !== found);
    }, () => api.remove(id));
  }

  dismiss(id) {
    return this.#change("The dismissal of a notice", () => {}, () => api.dismiss(id));
  }

  #edit(id, what, values, send) {
    return this.#change(`${what} ${this.#reservation(id)}`, (state, marks) => {
      const found = state.reservations.find((known) => known.id === id);
      if (found) Object.assign(found, values, marks);
    }, send);
  }

  #visitTo(landmarkID) {
    return `The visit to ${this.#model.landmark(landmarkID)?.name ?? "a landmark"}`;
  }

  #reservation(id) {
    const found = this.#model.reservations.find((known) => known.id === id);
    return this.#visitTo(found?.landmarkID).replace("The", "the");
  }

  /**
   * Shows a change as unstored, sends it, and then shows it as stored or reverts it.
   * @returns the reason when it isn't stored, as far as it is known, else null
   */
  async #change(what, apply, send) {
    const edit = this.#model.edit(apply);
    const silences = this.#silences;
    this.draw();
    try {
      const sent = this.#sending.then(() => {
        if (silences === this.#silences) return send();
        throw new api.RequestError("A change before it got no answer.", 400);
      });
      this.#sending = sent.catch(() => {});
      const status = await sent;
      edit.confirm(status);
      this.draw();
      await this.load();
      edit.end();
      this.draw();
      return null;
    } catch (error) {
      edit.end();
      if (!error.refused) this.#silences += 1;
      this.failed(error.refused
        ? `${what} was not stored: ${error.message}`
        : `${what} was not confirmed, and is shown as it was before: ${error.message}`);
      this.draw();
      this.load();
      return error.message;
    }
  }

  failed(message) {
    console.warn("Landmarks:", message);
    this.#notices.fail(message);
    this.#announcer.say(message, "failure");
  }

  async sync() {
    if (this.#syncing) return;
    this.#syncing = true;
    this.#drawStatus();
    try {
      await api.sync();
    } catch (error) {
      this.failed(`Sync was not started: ${error.message}`);
    }
    this.#syncing = false;
    // Not the response's own status: the stream may have reported a newer one since.
    await this.load();
    this.#drawStatus();
  }

  // MARK: Events

  #listen() {
    const stream = new SharedStream({
      news: () => this.load(),
      connection: (connected) => {
        const wasLost = connected && !this.#connected;
        this.#connected = connected;
        this.#drawStatus();
        if (wasLost) this.load();
      },
    });
    stream.open();
    return stream.ready;
  }

  #drawStatus() {
    const status = this.#model.status;
    const line = find("status");
    const { unstored } = this.#model;
    find("unstored").hidden = unstored === 0;
    find("unstored").textContent = `${unstored} not stored yet`;
    find("sync").setAttribute(
      "aria-busy", String(this.#syncing || (this.#connected && status?.state === "syncing")));
    if (!this.#connected || !status) {
      line.dataset.state = this.#connected ? "waiting" : "paused";
      find("status-text").textContent = this.#connected
        ? "Loading…" : "Landmarks does not answer, trying again…";
      return;
    }
    const words = { offline: "Offline", paused: "Paused", syncing: "Syncing…" }[status.state];
    const age = format.updated(status.lastUpdated);
    line.dataset.state = status.state;
    line.title = status.message ?? status.server;
    find("status-text").textContent = words ? `${words} · ${age}` : age;
    find("pending").hidden = status.pending === 0;
    find("pending").textContent = status.pending ? format.waiting(status.pending) : "";
  }

  #view(view) {
    document.body.dataset.view = view;
    for (const button of document.querySelectorAll(".tabs button")) {
      button.ariaPressed = String(button.dataset.view === view);
    }
    this.#map.resize();
  }
}
