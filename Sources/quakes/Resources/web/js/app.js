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
/** What a feed's identifiers look like: a network and a code. */
const IDENTIFIER = /^[\w.-]{1,100}$/;

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
  /** What was asked for when not all of the copy fits on the page, else null. */
  #part = null;
  /** How many events of the copy match what was asked for. */
  #matching = 0;
  /** Another load is wanted as soon as the present one ends. */
  #loadAgain = false;
  /** The event that a link names and the page hasn't loaded. */
  #guest = null;
  #listed = Promise.withResolvers();
  #mapSeen = Promise.withResolvers();

  constructor() {
    const choose = (id) => this.#select(id, { scroll: true });
    const open = (id, focus = false) => this.#select(id, { pan: true, open: true, focus });
    const chooseRow = (id) => this.#select(id, { pan: true, scroll: true });
    this.list = new ListPanel((index) => this.#store.events[index], {
      choose: chooseRow, open, clear: () => this.#change(
        { magnitude: null, since: "", search: "", withdrawn: false }, "clear"),
    });
    this.panel = new MapPanel((id) => this.#find(id), (id) => {
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
      windows: find("windows"), sort: find("sort"), withdrawn: find("withdrawn"),
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
    find("message-close").addEventListener("click", () => this.#say(""));
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
    // What happens while the events are read has to be heard, or it would be lost.
    await this.live.ready;
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

  /** Fetches what is to be shown; changes that arrive meanwhile are applied afterwards. */
  async #load() {
    if (this.#waiting) {
      this.#loadAgain = true;
      return;
    }
    this.#waiting = [];
    const first = this.#store.size === 0;
    const events = [];
    let part = null;
    try {
      await this.#ask(api.fetchStatus);
      part = this.#total > CAPACITY ? this.#wanted() : null;
      const wanted = { ...part, ...(this.#state.withdrawn && { withdrawn: "true" }) };
      for await (const page of api.fetchEvents(CAPACITY, wanted)) {
        this.#matching = page.total;
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
      this.#loadAgain = false;
      this.list.failed(error.message);
      if (!first) this.#say(`The list could not be loaded anew: ${error.message}`);
      this.#listed.resolve();
      setTimeout(() => this.#load(), RETRY);
      return;
    }
    const isOtherPart = JSON.stringify(part) !== JSON.stringify(this.#part);
    this.#part = part;
    // The place is taken before the events get other indexes.
    const anchor = isOtherPart ? undefined : this.list.anchor();
    const changed = first ? null : this.#store.replaceAll(events);
    const missed = this.#waiting;
    this.#waiting = null;
    if (changed) {
      this.#showEvents(anchor);
      // Another part of the copy isn't news.
      if (!isOtherPart && !this.#loadAgain) this.#showChanges(changed);
    }
    for (const changes of missed) this.#changes(changes);
    this.list.loaded = true;
    this.#showEvents(this.list.anchor());
    if (first) this.#showSelection(true);
    else this.#closeGone();
    if (!this.#loadAgain) return;
    this.#loadAgain = false;
    this.#load();
  }

  /** The part of a large copy that matters: as filters and order have it. The search looks at what is loaded. */
  #wanted() {
    const { magnitude, since, sort } = this.#state;
    const [key, order] = sort.split("-");
    return {
      sort: key, order,
      ...(magnitude !== null && { min_magnitude: String(magnitude) }),
      ...(since && { since }),
    };
  }

  /** Filters and order of a large copy are the server's to apply, since not all of it is here. */
  #loadOtherPart() {
    if (this.#part === null && this.#total <= CAPACITY) return;
    if (JSON.stringify(this.#wanted()) !== JSON.stringify(this.#part)) this.#load();
  }

  #find(id) {
    return this.#store.find(id) ?? (this.#guest?.id === id ? this.#guest : undefined);
  }

  /** Says what went wrong, until it is dismissed or something else is said. */
  #say(text) {
    find("message").hidden = text === "";
    find("message-text").textContent = text;
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
      const events = [...changes.inserted, ...changes.updated];
      const isShown = (event) => !event.withdrawn || this.#state.withdrawn;
      const gone = events.filter((event) => !isShown(event)).map(({ id }) => id);
      const removed = [...changes.deleted, ...gone.filter((id) => this.#store.find(id))];
      if (removed.length) this.#remove(removed);
      this.#showChanges(this.#store.apply(events.filter(isShown)));
      // News come on top of what was loaded; now and then what is over goes.
      if (this.#store.size > CAPACITY * 1.1) this.#load();
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
    if (selected !== null && !this.#find(selected)) this.#closeDetails(false);
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
    this.list.show(view, anchor, {
      loaded: this.#store.size, total: this.#total, matching: this.#matching,
      part: this.#part && this.#state.sort,
    });
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
    if (kind === "withdrawn" || (kind === "clear" && change.withdrawn !== undefined)) this.#load();
    else this.#loadOtherPart();
  }

  /** The address changed under the page: back, forward, or a link. */
  #arrive(state) {
    const before = this.#state;
    this.#state = state;
    this.filters.show(state);
    this.#showEvents(undefined);
    if (before.withdrawn !== state.withdrawn) this.#load();
    else this.#loadOtherPart();
    this.list.select(state.selected);
    if (state.selected === null) this.#closeDetails(false);
    this.#showSelection(true);
  }

  #select(id, { pan = false, scroll = false, open = false, focus = false }) {
    if (id === null) return;
    this.#state.selected = id;
    this.address.write(this.#state, "select");
    this.list.select(id, scroll);
    const event = this.#find(id);
    if (event && (open || this.details.isOpen)) this.#openDetails(event, focus);
    // On a phone the details take half of the list's room.
    if (open && !wide.matches) this.list.select(id, true);
    this.panel.map?.select(event, pan, this.#space());
  }

  /** After events or the address changed: the selection in list, map and details. */
  #showSelection(pan) {
    const { selected } = this.#state;
    const event = selected === null ? null : this.#find(selected);
    if (selected !== null && !event && pan && this.list.loaded) this.#fetchGuest(selected);
    this.list.select(selected, pan);
    if (event && (this.details.isOpen || pan)) this.#openDetails(event, false);
    this.panel.map?.select(event, pan && Boolean(event), this.#space());
  }

  /** Opens an event that isn't among those on the page: one beyond them, a withdrawn one, or an old identifier. */
  async #fetchGuest(id) {
    // A damaged link is not worth a request, which the server would refuse.
    if (!IDENTIFIER.test(id)) {
      this.#say("The link names an earthquake by something that is no identifier.");
      return;
    }
    let event;
    try {
      event = await api.fetchEvent(id);
    } catch (error) {
      if (this.#state.selected !== id) return;
      this.#say(error.status === 404
        ? `There is no earthquake ${id} in the local copy.`
        : `The earthquake ${id} could not be loaded: ${error.message}`);
      return;
    }
    if (this.#state.selected !== id) return;
    if (event.id !== id) {
      this.#state.selected = event.id;
      this.address.replace(this.#state);
    }
    if (!this.#store.find(event.id)) this.#guest = event;
    this.#showSelection(true);
  }

  #openDetails(event, focus) {
    const isLeftOut = this.list.positionOf(event.id) < 0;
    const isAbsent = !this.#store.find(event.id);
    const note = !isLeftOut || event.withdrawn ? "" : isAbsent
      ? "This event is in the local copy, but not among those loaded on the page."
      : "The filters leave this event out of the list.";
    this.details.open(event, note, focus);
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
    this.freshness.asking(true);
    try {
      await this.#ask(api.refresh);
      this.#say("");
    } catch (error) {
      this.#say(`Refresh was not started: ${error.message}`);
    }
    this.freshness.asking(false);
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
    const event = this.#state.selected && this.#find(this.#state.selected);
    if (event && this.details.isOpen) this.#openDetails(event, false);
  }
}
