/** The page as a whole: the state, and who hears of its changes. */

import * as api from "./api.js";
import * as format from "./format.js";
import { Address, parse } from "./address.js";
import { Announcer } from "./announcer.js";
import { Details } from "./details.js";
import { CAPACITY, EventStore } from "./event-store.js";
import { Filters } from "./filters.js";
import { Freshness } from "./freshness.js";
import { ListPanel } from "./list-panel.js";
import { LiveStream } from "./live.js";
import { MapPanel } from "./map-panel.js";
import { Query } from "./query.js";
import { Shortcuts } from "./shortcuts.js";
import { Theme } from "./theme.js";

const TICK = 20_000;
const MARKED = 8_000;
const RETRY = 5_000;

const find = (id) => document.getElementById(id);
const wide = matchMedia("(min-width: 900px)");

export class App {
  #state = parse(location.hash);
  #store = new EventStore();
  #query = new Query(this.#store);
  #announcer = new Announcer(find("announcer"));
  #waiting = null;
  #total = 0;
  /** How often the stream has told of the status. */
  #told = 0;
  #viewEvents = [];
  #listed = Promise.withResolvers();
  #mapSeen = Promise.withResolvers();

  constructor() {
    const choose = (id) => this.#select(id, { scroll: true });
    const open = (id, focus = false) => this.#select(id, { pan: true, open: true, focus });
    const chooseRow = (id) => this.#select(id, { pan: true, scroll: true });
    this.list = new ListPanel((index) => this.#store.events[index], {
      choose: chooseRow, open, clear: () => this.#change(
        { magnitude: null, since: "", search: "" }, "clear"),
    });
    this.panel = new MapPanel((id) => this.#store.find(id), (id) => {
      choose(id);
      this.#select(id, { open: true });
    });
    this.details = new Details(find("details"), {
      close: () => this.#closeDetails(),
      show: () => {
        this.#view("map");
        this.#closeDetails();
        this.#select(this.#state.selected, { pan: true });
      },
    });
    this.filters = new Filters({
      form: find("filters"), search: find("search"), magnitudes: find("magnitudes"),
      windows: find("windows"), sort: find("sort"),
    }, (change, kind) => this.#change(change, kind));
    this.freshness = new Freshness({
      line: find("freshness"), text: find("freshness-text"), banner: find("banner"),
      bannerTitle: find("banner-title"), bannerText: find("banner-text"),
      progress: find("progress"), button: find("refresh"),
    }, this.#announcer);
    this.address = new Address((state) => this.#arrive(state));
    this.theme = new Theme(find("theme"), () => this.panel.map?.recolour());
    this.shortcuts = new Shortcuts(find("shortcuts"), this.#keys(chooseRow));
    this.#wire();
  }

  #keys(choose) {
    const step = (by) => {
      this.list.focus();
      this.list.step(by, choose);
    };
    return {
      j: () => step(1),
      k: () => step(-1),
      r: () => this.#refresh(),
      g: () => this.panel.toggleProjection(),
      "/": () => {
        this.#view("list");
        find("search").focus();
        find("search").select();
      },
      Escape: (event) => this.#escape(event),
    };
  }

  #wire() {
    find("refresh").addEventListener("click", () => this.#refresh());
    find("help").addEventListener("click", () => this.shortcuts.open());
    for (const tab of document.querySelectorAll(".tabs button")) {
      tab.addEventListener("click", () => this.#view(tab.dataset.view));
    }
    // On a phone the map is made when it is first looked at.
    const widened = () => wide.matches && this.#mapSeen.resolve();
    wide.addEventListener("change", widened);
    widened();
    setInterval(() => this.#tick(), TICK);
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.#tick();
    });
  }

  async start() {
    this.filters.show(this.#state);
    this.live = new LiveStream({
      status: (status) => {
        this.#told += 1;
        this.#status(status);
      },
      changes: (changes) => this.#changes(changes),
      reset: () => this.#load(),
      connection: (connected) => this.freshness.connection(connected),
    });
    this.live.open();
    const loading = this.#load();
    const map = await this.#startMap();
    await loading;
    if (map) this.#showSelection(true);
  }

  async #startMap() {
    let config;
    try {
      config = await api.fetchConfig();
    } catch (error) {
      console.warn("Quakes: no configuration", error);
      config = { mapAvailable: true, tileStyle: null };
    }
    const turn = this.#listed.promise.then(() => this.#mapSeen.promise);
    const started = await this.panel.start(config, turn);
    if (started) this.panel.map.setEvents(this.#viewEvents);
    return started;
  }

  /** Fetches everything; changes that arrive meanwhile are applied afterwards. */
  async #load() {
    if (this.#waiting) return;
    this.#waiting = [];
    const first = this.#store.size === 0;
    const events = [];
    try {
      await this.#ask(api.fetchStatus);
      for await (const page of api.fetchEvents(CAPACITY)) {
        this.#total = page.total;
        events.push(...page.events);
        if (first) {
          this.#store.apply(page.events);
          this.#showEvents(null);
          requestAnimationFrame(() => this.#listed.resolve());
        }
      }
    } catch (error) {
      console.warn("Quakes: loading failed", error);
      this.#waiting = null;
      this.list.failed(error.message);
      this.#listed.resolve();
      setTimeout(() => this.#load(), RETRY);
      return;
    }
    // The place is taken before the events get other indexes.
    const anchor = this.list.anchor();
    const changed = first ? null : this.#store.replaceAll(events);
    const missed = this.#waiting;
    this.#waiting = null;
    if (changed) {
      this.#showEvents(anchor);
      this.#showChanges(changed);
    }
    for (const changes of missed) this.#changes(changes);
    this.list.loaded = true;
    this.#showEvents(this.list.anchor());
    if (first) this.#showSelection(true);
    else this.#closeGone();
  }

  /**
   * Shows an answer that holds the status. It may come after what the stream has told since it was
   * asked for, and be older; whatever is newer in it, the stream tells as well.
   */
  async #ask(request) {
    const told = this.#told;
    const status = await request();
    if (told === this.#told) this.#status(status);
  }

  #status(status) {
    this.#total = status.total;
    this.freshness.update(status);
    this.list.status = status;
    this.list.showNothing(this.#store.size);
  }

  #changes(changes) {
    if (this.#waiting) this.#waiting.push(changes);
    else if (changes.reload) this.#load();
    else {
      if (changes.deleted.length) this.#remove(changes.deleted);
      this.#showChanges(this.#store.apply([...changes.inserted, ...changes.updated]));
    }
  }

  /** Events that are gone leave without a word; what was in sight stays where it was. */
  #remove(ids) {
    const anchor = this.list.anchor();
    this.#store.remove(ids);
    this.#showEvents(anchor);
    this.#closeGone();
  }

  /** The details of an event that is gone would be all that is left of it. */
  #closeGone() {
    const { selected } = this.#state;
    if (selected !== null && !this.#store.find(selected)) this.#closeDetails(false);
  }

  /** Marks and announces; what was in sight stays where it was. */
  #showChanges({ inserted, updated }) {
    if (!inserted.length && !updated.length) return;
    const until = Date.now() + MARKED;
    this.list.mark(inserted, updated, until);
    this.#showEvents(this.list.anchor());
    const fresh = inserted.filter((id) => this.list.positionOf(id) >= 0);
    this.list.news(fresh);
    this.panel.map?.mark(fresh.map((id) => this.#store.find(id)));
    setTimeout(() => {
      this.panel.map?.clearMarks();
      this.list.draw();
    }, MARKED + 50);
    this.#showSelection(false);
    const parts = [];
    if (inserted.length) parts.push(format.plural(inserted.length, "new earthquake"));
    if (updated.length) parts.push(`${format.count(updated.length)} revised`);
    this.#announcer.say(`${parts.join(", ")}.`, "changes");
  }

  /** Filters, orders and shows; `anchor` undefined starts at the top, null stays. */
  #showEvents(anchor) {
    const start = performance.now();
    const view = this.#query.run(this.#state);
    this.#viewEvents = Array.from(view, (index) => this.#store.events[index]);
    this.list.show(view, anchor, this.#store.size, this.#total);
    this.panel.map?.setEvents(this.#viewEvents);
    performance.measure("quakes-filter", { start });
  }

  #change(change, kind) {
    Object.assign(this.#state, change);
    if (kind === "clear") this.filters.show(this.#state);
    this.address.write(this.#state, kind);
    this.#showEvents(undefined);
    if (kind === "sort") this.list.select(this.#state.selected, true);
    this.#showSelection(false);
    this.#announcer.say(`${this.list.countText}.`, "count");
  }

  /** The address changed under the page: back, forward, or a link. */
  #arrive(state) {
    this.#state = state;
    this.filters.show(state);
    this.#showEvents(undefined);
    this.list.select(state.selected);
    if (state.selected === null) this.#closeDetails(false);
    this.#showSelection(true);
  }

  #select(id, { pan = false, scroll = false, open = false, focus = false }) {
    if (id === null) return;
    this.#state.selected = id;
    this.address.write(this.#state, "select");
    this.list.select(id, scroll);
    const event = this.#store.find(id);
    if (event && (open || this.details.isOpen)) this.#openDetails(event, focus);
    // On a phone the details take half of the list's room.
    if (open && !wide.matches) this.list.select(id, true);
    this.panel.map?.select(event, pan, this.#space());
  }

  /** After events or the address changed: the selection in list, map and details. */
  #showSelection(pan) {
    const { selected } = this.#state;
    const event = selected === null ? null : this.#store.find(selected);
    this.list.select(selected, pan);
    if (event && (this.details.isOpen || pan)) this.#openDetails(event, false);
    this.panel.map?.select(event, pan && Boolean(event), this.#space());
  }

  #openDetails(event, focus) {
    this.details.open(event, this.list.positionOf(event.id) < 0, focus);
  }

  #closeDetails(refocus = true) {
    const wasOpen = this.details.isOpen;
    this.details.close();
    if (!wasOpen) return;
    if (refocus) this.list.focus();
    this.panel.map?.setSpace(this.#space());
  }

  /** What of the map the details cover. */
  #space() {
    const { offsetWidth, offsetHeight } = find("details");
    if (!this.details.isOpen) return { top: 0, right: 0, bottom: 0, left: 0 };
    return wide.matches
      ? { top: 0, right: offsetWidth + 16, bottom: 0, left: 0 }
      : { top: 0, right: 0, bottom: offsetHeight, left: 0 };
  }

  #escape(event) {
    if (event.target === find("search") && find("search").value !== "") this.filters.clearSearch();
    else if (event.target === find("search")) this.list.focus();
    else if (this.details.isOpen) this.#closeDetails();
    else return false;
    return true;
  }

  async #refresh() {
    try {
      await this.#ask(api.refresh);
    } catch (error) {
      this.#announcer.say(`Refresh failed. ${error.message}`, "freshness");
      find("freshness").title = error.message;
    }
  }

  #view(view) {
    document.body.dataset.view = view;
    if (view === "map") this.#mapSeen.resolve();
    for (const tab of document.querySelectorAll(".tabs button")) {
      tab.ariaPressed = String(tab.dataset.view === view);
    }
  }

  /** Time passes: ages, the time window and the freshness text follow. */
  #tick() {
    if (document.hidden) return;
    this.freshness.draw();
    if (this.#state.since) this.#showEvents(this.list.anchor());
    else this.list.draw();
    this.panel.map?.recolour();
    const event = this.#state.selected && this.#store.find(this.#state.selected);
    if (event && this.details.isOpen) this.#openDetails(event, false);
  }
}
