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
import { Theme } from "./theme.js";

const find = (id) => document.getElementById(id);
const MINUTE = 60_000;

export class App {
  #model = new Model();
  #announcer = new Announcer(find("announcer"));
  #list = new List(this.#model, this);
  #details = new Details(this.#model, this);
  #map = new MapPanel(this.#model, this);
  #notices = new Notices(this.#model, this);
  #connected = true;
  #loading = null;
  #again = false;
  /** Changes go out one after the other: two requests at once can arrive in the other order. */
  #sending = Promise.resolve();

  async start() {
    new Theme(find("theme"), () => this.#map.recolour());
    for (const button of document.querySelectorAll(".tabs button")) {
      button.addEventListener("click", () => this.#view(button.dataset.view));
    }
    find("sync").addEventListener("click", () => this.sync());
    setInterval(() => this.#drawStatus(), MINUTE / 4);
    await this.load();
    this.#listen();
    try {
      await this.#map.start(await api.fetchConfig());
    } catch (error) {
      this.failed(error);
    }
  }

  /** Reads everything anew; a call during another one reads once more after it. */
  async load() {
    if (this.#loading) {
      this.#again = true;
      return this.#loading;
    }
    this.#loading = this.#read();
    await this.#loading;
    this.#loading = null;
    if (this.#again) {
      this.#again = false;
      await this.load();
    }
  }

  async #read() {
    try {
      this.#model.replace(await api.fetchState());
      this.#connected = true;
      this.draw();
    } catch (error) {
      this.#connected = false;
      this.#drawStatus();
      console.warn("Landmarks:", error.message);
    }
  }

  draw() {
    this.#list.draw();
    this.#details.draw();
    this.#map.draw(this.#list.shown);
    this.#notices.draw();
    this.#drawStatus();
  }

  // MARK: What people do

  choose(id) {
    this.#list.select(id);
    this.#details.show(id);
    this.#map.select(id);
    if (id !== null && find("map").dataset.state === "ready") this.#map.reveal(id);
  }

  /** Turns a favourite: on the page now, in the store a moment later, on the server when it can be. */
  toggleFavorite(id) {
    const landmark = this.#model.landmark(id);
    if (!landmark) return;
    const on = !landmark.isFavorite;
    this.#change(`favorite ${id}`, (model) => {
      const found = model.landmark(id);
      if (found) found.isFavorite = on;
    }, () => api.setFavorite(id, on));
    this.#announcer.say(`${landmark.name} is ${on ? "now" : "no longer"} a favorite.`);
  }

  reserve(landmarkID, date) {
    const id = uuid();
    return this.#change(`reservation ${id}`, (model) => {
      if (model.reservations.some((known) => known.id === id)) return;
      model.reservations.push({ id, landmarkID, date, status: "confirmed", isWaiting: true });
    }, () => api.reserve(id, landmarkID, date));
  }

  move(id, date) {
    return this.#change(`reservation ${id}`, (model) => {
      const found = model.reservations.find((known) => known.id === id);
      if (found) Object.assign(found, { date, status: "confirmed", isWaiting: true });
    }, () => api.move(id, date));
  }

  cancel(id) {
    return this.#change(`reservation ${id}`, (model) => {
      const found = model.reservations.find((known) => known.id === id);
      if (found) Object.assign(found, { status: "cancelled", isWaiting: true });
    }, () => api.cancel(id));
  }

  remove(id) {
    return this.#change(`reservation ${id}`, (model) => {
      model.reservations = model.reservations.filter((known) => known.id !== id);
    }, () => api.remove(id));
  }

  dismiss(id) {
    return this.#change(`notice ${id}`, (model) => {
      model.notices = model.notices.filter((notice) => notice.reservationID !== id);
    }, () => api.dismiss(id));
  }

  /** @returns the reason when the change was refused, else null */
  async #change(key, apply, send) {
    const end = this.#model.edit(key, apply);
    this.draw();
    try {
      const sent = this.#sending.then(send);
      this.#sending = sent.catch(() => {});
      this.#model.status = await sent;
      return null;
    } catch (error) {
      this.failed(error);
      return error.message;
    } finally {
      end();
      await this.load();
    }
  }

  failed(error) {
    console.warn("Landmarks:", error.message);
    this.#notices.fail(error.message);
    this.#announcer.say(error.message, "failure");
  }

  async sync() {
    try {
      await api.sync();
    } catch (error) {
      this.failed(error);
    }
    // Not the answer's own status: what the stream has told since may be newer.
    await this.load();
  }

  // MARK: What happens elsewhere

  #listen() {
    const source = new EventSource("/api/stream");
    const update = () => this.load();
    source.addEventListener("status", update);
    source.addEventListener("changes", update);
    source.addEventListener("reset", update);
    source.addEventListener("open", () => { this.#connected = true; });
    source.addEventListener("error", () => {
      this.#connected = false;
      this.#drawStatus();
      if (source.readyState === EventSource.CLOSED) setTimeout(() => this.#listen(), 3_000);
    });
  }

  #drawStatus() {
    const status = this.#model.status;
    const line = find("status");
    if (!this.#connected || !status) {
      line.dataset.state = "paused";
      find("status-text").textContent = "Landmarks does not answer, trying again…";
      return;
    }
    const words = { offline: "Offline", paused: "Paused", syncing: "Syncing…" }[status.state];
    const age = format.updated(status.lastUpdated);
    line.dataset.state = status.state;
    line.title = status.message ?? status.server;
    find("status-text").textContent = words ? `${words} · ${age}` : age;
    find("pending").hidden = status.pending === 0;
    find("pending").textContent = status.pending ? format.waiting(status.pending) : "";
    find("sync").setAttribute("aria-busy", String(status.state === "syncing"));
  }

  #view(view) {
    document.body.dataset.view = view;
    for (const button of document.querySelectorAll(".tabs button")) {
      button.ariaPressed = String(button.dataset.view === view);
    }
    this.#map.resize();
  }
}
