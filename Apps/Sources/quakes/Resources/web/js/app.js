/** The page as a whole: the state, and the parts that its changes update. */

import * as api from "./api.js";
import * as format from "./format.js";
import { Address, parse } from "./address.js";
import { Alerts } from "./alerts.js";
import { Announcer } from "./announcer.js";
import { Details } from "./details.js";
import { CAPACITY, EventStore } from "./event-store.js";
import { ExportMenu } from "./export-menu.js";
import { Filters } from "./filters.js";
import { find, findAll } from "./find.js";
import { Freshness } from "./freshness.js";
import { LastVisit } from "./last-visit.js";
import { ListPanel } from "./list-panel.js";
import { LiveStream } from "./live.js";
import { MapPanel } from "./map-panel.js";
import { LastData } from "./offline.js";
import { filterParameters, orderParameters } from "./parameters.js";
import { lookUp } from "./places.js";
import { near } from "./near.js";
import { Press } from "./press.js";
import { Query } from "./query.js";
import { RangeChips } from "./range-chips.js";
import { NO_RANGES } from "./ranges.js";
import { readSearch } from "./search.js";
import { SearchNote } from "./search-note.js";
import { Shortcuts } from "./shortcuts.js";
import { statistics } from "./statistics.js";
import { StatisticsPanel } from "./statistics-panel.js";
import { StatisticsView } from "./statistics-view.js";
import { isInSlice } from "./slice.js";
import { Theme } from "./theme.js";
import { TimeSlider } from "./time-slider.js";
import { UnitsMenu } from "./units.js";

const TICK = 20_000;
const MARKED = 8_000;
const RETRY = 5_000;
/** The time after the first rows at which the map begins to load, if the list takes that long, in milliseconds. */
const LATEST_MAP = 4_000;
/** The number of events that are kept in the browser for a start without the server. */
const KEPT = 5_000;
const STOP = "Stop fetching";
/** The form of a feed's identifiers: a network and a code. */
const IDENTIFIER = /^[\w.-]{1,100}$/;

const search = find("search", HTMLInputElement);
const wide = matchMedia("(min-width: 900px)");

export class App {
  #state = parse(location.hash);
  #store = new EventStore();
  #query = new Query(this.#store);
  #announcer = new Announcer(find("announcer"));
  /**
   * The changes that arrive during a load, else null.
   * @type {QuakeChanges[] | null}
   */
  #waiting = null;
  /**
   * The action of the message that is shown.
   * @type {MessageAction | null}
   */
  #action = null;
  #total = 0;
  /** The number of statuses that the stream has reported. */
  #told = 0;
  /** @type {Quake[]} */
  #viewEvents = [];
  /** The events that the filters let through at any time, in order; the slider of time chooses among them. */
  #anytime = new Uint32Array(0);
  /**
   * The requested part when the copy doesn't fit on the page, else null.
   * @type {Record<string, string> | null}
   */
  #part = null;
  /** The number of events of the copy that match the request. */
  #matching = 0;
  /** The first load has failed after some of its pages. */
  #isPartial = false;
  /** Another load is wanted as soon as the present one ends. */
  #loadAgain = false;
  /**
   * The event that a link names and the page hasn't loaded.
   * @type {Quake | null}
   */
  #guest = null;
  /**
   * The list that the page last had, for a start without the server.
   * @type {LastData<{events: Quake[], status: QuakeStatus}>}
   */
  #last = new LastData();
  /**
   * The first events are shown, or there are none to show.
   * @type {PromiseWithResolvers<void>}
   */
  #begun = Promise.withResolvers();
  /**
   * The first load is over, or has failed.
   * @type {PromiseWithResolvers<void>}
   */
  #listed = Promise.withResolvers();
  /** @type {PromiseWithResolvers<void>} */
  #mapSeen = Promise.withResolvers();
  /** The row, or the button, under the pointer stays there until the click. */
  #press = new Press();

  constructor() {
    /** @param {string} id */
    const choose = (id) => this.#select(id, { scroll: true });
    /** @param {string} id */
    const open = (id, focus = false) => this.#select(id, { pan: true, open: true, focus });
    /** @param {string} id */
    const chooseRow = (id) => this.#select(id, { pan: true, scroll: true });
    this.list = new ListPanel((index) => this.#store.events[index], {
      choose: chooseRow, open, clear: () => this.#change(
        { magnitude: null, since: "", search: "", withdrawn: false, slice: null, ...NO_RANGES },
        "clear"),
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
      near: () => {
        const event = this.#state.selected === null ? null : this.#find(this.#state.selected);
        if (event) this.#searchNear(event);
      },
      fetch: api.fetchEvent,
      fetchDetails: api.fetchDetails,
      overlay: (overlay) => this.panel.overlay(overlay),
    });
    this.searchNote = new SearchNote(search, find("search-note"));
    this.filters = new Filters({
      form: find("filters"), search, magnitudes: find("magnitudes"),
      windows: find("windows"), sort: find("sort", HTMLSelectElement),
      withdrawn: find("withdrawn", HTMLInputElement),
    }, (change, kind) => this.#change(change, kind));
    this.exports = new ExportMenu(find("export-menu"), find("feed", HTMLLinkElement));
    this.chips = new RangeChips(findAll(".ranges"), (key) =>
      this.#change({ [key]: null }, key));
    this.statistics = new StatisticsPanel({
      panel: find("statistics"), text: find("statistics-text"), strongest: find("strongest"),
      charts: find("charts"),
    }, {
      compute: (state) => statistics(this.#query.run(state), this.#store),
      fetch: (state) => api.fetchStatistics(filterParameters(state)),
      choose: (key, range) => this.#change({ [key]: range }, key),
      open: (id) => {
        if (!wide.matches) this.#view("list");
        open(id, true);
      },
    });
    this.time = new TimeSlider({
      stage: find("stage"), toggle: find("show-time", HTMLButtonElement), bar: find("time"),
      play: find("time-play", HTMLButtonElement), slider: find("time-slider", HTMLInputElement),
      text: find("time-text"), span: find("time-span", HTMLSelectElement),
      speed: find("time-speed", HTMLSelectElement), close: find("time-close", HTMLButtonElement),
    }, {
      change: (slice, isMoving) => this.#changeSlice(slice, isMoving),
      counted: () => this.list.countText,
    });
    this.statisticsView = new StatisticsView(find("show-statistics"), () => this.statistics.appeared());
    this.freshness = new Freshness({
      line: find("freshness"), text: find("freshness-text"), banner: find("banner"),
      bannerTitle: find("banner-title"), bannerText: find("banner-text"),
      bannerDetails: find("banner-details"), bannerMessage: find("banner-message"),
      progress: find("progress"), button: find("refresh"),
    }, this.#announcer);
    this.address = new Address((state) => this.#arrive(state));
    this.theme = new Theme(find("theme"), () => this.panel.map?.recolour());
    this.alerts = new Alerts(find("alerts", HTMLDialogElement), {
      open: (id) => open(id, true), pick: () => this.#pick(),
    });
    this.visit = new LastVisit(find("visit"));
    this.units = new UnitsMenu(find("units-menu"), () => this.#rewrite());
    this.shortcuts = new Shortcuts(find("shortcuts", HTMLDialogElement), this.#keys(chooseRow));
    this.#wire();
  }

  /** @param {(id: string) => void} choose */
  #keys(choose) {
    /** @param {number} by */
    const step = (by) => {
      this.list.focus();
      this.list.step(by, choose);
    };
    return {
      j: () => step(1),
      k: () => step(-1),
      r: () => this.#refresh(),
      g: () => this.panel.toggleProjection(),
      t: () => this.panel.map && this.time.toggle(),
      s: () => (wide.matches ? this.statisticsView.toggle() : this.#view("statistics")),
      "/": () => {
        this.#view("list");
        search.focus();
        search.select();
      },
      /** @param {KeyboardEvent} event */
      Escape: (event) => this.#escape(event),
    };
  }

  #wire() {
    find("refresh").addEventListener("click", () => this.#refresh());
    find("message-close").addEventListener("click", () => {
      this.#say("");
      this.panel.map?.cancelPick();
    });
    find("message-action").addEventListener("click", () => this.#action?.run());
    find("show-alerts").addEventListener("click", () => this.alerts.open());
    find("near-map").addEventListener("click", () => {
      find("search-help").hidePopover();
      if (this.panel.map) this.#searchNear(this.panel.map.centre);
    });
    find("help").addEventListener("click", () => this.shortcuts.open());
    for (const tab of findAll(".tabs button")) {
      tab.addEventListener("click", () => this.#view(tab.dataset.view ?? "list"));
    }
    // On a phone the map is created when its tab is first opened.
    const widened = () => wide.matches && this.#mapSeen.resolve();
    wide.addEventListener("change", widened);
    wide.addEventListener("change", () => this.statistics.appeared());
    widened();
    setInterval(() => this.#press.whenUp(() => this.#tick()), TICK);
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.#tick();
    });
  }

  /** Fulfilled when the first load is over, or has failed. */
  get listed() {
    return this.#listed.promise;
  }

  async start() {
    this.filters.show(this.#state);
    this.live = new LiveStream({
      status: (status) => {
        this.#told += 1;
        this.#press.whenUp(() => this.#status(status));
      },
      changes: (changes) => this.#press.whenUp(() => this.#changes(changes)),
      reset: () => this.#load(),
      connection: (connected) => this.#press.whenUp(() => this.freshness.connection(connected)),
    });
    this.live.open();
    this.#preview();
    // The stream is open before the events are read, or changes in between would be lost.
    await this.live.ready;
    const loading = this.#load();
    const map = await this.#startMap();
    await loading;
    // On a phone the map starts when it is first opened: details that were closed stay closed.
    const event = this.#state.selected === null ? null : this.#find(this.#state.selected);
    if (map && event) this.panel.map?.select(event, true, this.#space());
    // A link with filters may lead to the far side of the globe.
    else if (map) this.panel.map?.reveal(this.#viewEvents);
  }

  async #startMap() {
    let config;
    try {
      config = await api.fetchConfig();
    } catch (error) {
      console.warn("Quakes: no configuration", error);
      config = { mapAvailable: true, tileStyle: null };
    }
    // The list needs the line first; over a very slow one the map doesn't wait for all of it.
    const late = () => new Promise((resolve) => { setTimeout(resolve, LATEST_MAP); });
    const begun = this.#begun.promise.then(() => Promise.race([this.listed, late()]));
    const started = await this.panel.start(config, begun, begun.then(() => this.#mapSeen.promise));
    find("alerts-pick").hidden = !started;
    find("near-map").hidden = !started;
    if (started) this.#showEvents(null);
    return started;
  }

  /**
   * Shows the newest events, which have been asked for with the page, until all are read. These are read again then:
   * the stream may not report yet what changes meanwhile.
   */
  async #preview() {
    try {
      const { events, total } = await api.fetchNewest();
      // The list is there already, or it is a part of the copy that other events belong to.
      if (this.#store.size > 0 || this.list.loaded || events.length === 0 || total > CAPACITY) return;
      this.#total ||= total;
      this.#matching = total;
      this.#isPartial = true;
      this.#store.replaceAll(events);
      this.#showEvents(null);
      this.#showFirst();
    } catch (error) {
      // The load reports the failure.
      console.warn("Quakes: no first events", error);
    }
  }

  /** The first events are shown: what can wait for them gets its turn once they are drawn. */
  #showFirst() {
    requestAnimationFrame(() => this.#begun.resolve());
  }

  /** Fetches the events to show; changes that arrive meanwhile are applied afterwards. */
  async #load() {
    if (this.#waiting) {
      this.#loadAgain = true;
      return;
    }
    /** @type {QuakeChanges[]} */
    const missed = [];
    this.#waiting = missed;
    const first = this.#store.size === 0 || this.#isPartial;
    /** @type {Quake[]} */
    const events = [];
    /** @type {Record<string, string> | null} */
    let part = null;
    try {
      await this.#ask(api.fetchStatus);
      part = this.#total > CAPACITY ? this.#wanted() : null;
      const wanted = { ...part, ...(this.#state.withdrawn && { withdrawn: "true" }) };
      const hints = { isUrgent: this.#store.size === 0, expected: part ? 0 : this.#total };
      for await (const page of api.fetchEvents(CAPACITY, wanted, hints)) {
        this.#matching = page.total;
        events.push(...page.events);
        if (first) {
          if (events.length === page.events.length) this.#store.replaceAll(page.events);
          else this.#store.apply(page.events);
          this.#showEvents(null);
          this.#showFirst();
        }
      }
    } catch (error) {
      console.warn("Quakes: loading failed", error);
      this.#waiting = null;
      this.#loadAgain = false;
      this.#isPartial = first && (events.length > 0 || this.#isPartial);
      if (first) await this.#showLast();
      this.statistics.show(this.#state, this.#isWhole);
      this.list.failed(error.message);
      if (!first) this.#say(`The list could not be loaded anew: ${error.message}`);
      this.#begun.resolve();
      this.#listed.resolve();
      setTimeout(() => this.#load(), RETRY);
      return;
    }
    if (!first) await this.#press.up();
    this.#isPartial = false;
    const isOtherPart = JSON.stringify(part) !== JSON.stringify(this.#part);
    this.#part = part;
    // The anchor is determined before the events get other indexes.
    const anchor = isOtherPart ? undefined : this.list.anchor();
    const changed = first ? null : this.#store.replaceAll(events);
    this.#waiting = null;
    if (changed) {
      this.#showEvents(anchor);
      // Events of another part of the copy aren't new.
      if (!isOtherPart && !this.#loadAgain) this.#showChanges(changed);
    }
    for (const changes of missed) this.#changes(changes);
    this.list.loaded = true;
    this.#listed.resolve();
    this.#showEvents(this.list.anchor());
    if (first) this.#showSelection(true);
    else this.#closeGone();
    if (part === null && !this.#state.withdrawn) {
      const { status } = this.freshness;
      if (status) this.#last.keep({ events: events.slice(0, KEPT), status });
    }
    if (!this.#loadAgain) return;
    this.#loadAgain = false;
    this.#load();
  }

  /** Shows the list that the page last had. */
  async #showLast() {
    const last = await this.#last.read();
    if (!last || this.#store.size > 0) return;
    this.#status(last.status);
    this.freshness.connection(false);
    this.#matching = last.status.total;
    this.#store.apply(last.events);
    this.#showEvents(null);
    this.#showSelection(true);
  }

  /** The part of a large copy given by filters, search and order. */
  #wanted() {
    const chosen = filterParameters({ ...this.#state, withdrawn: false });
    return { ...orderParameters(this.#state), ...chosen };
  }

  /** The server applies filters and order to a large copy, since not all of it is loaded. */
  #loadOtherPart() {
    if (this.#part === null && this.#total <= CAPACITY) return;
    // The program's answer about a place comes first.
    if (readSearch(this.#state.search).missing.length) return;
    if (JSON.stringify(this.#wanted()) !== JSON.stringify(this.#part)) this.#load();
  }

  /** Whether the page has all events of the copy. */
  get #isWhole() {
    return this.#part === null && this.#store.size >= this.#total;
  }

  /** @param {string} id */
  #find(id) {
    return this.#store.find(id) ?? (this.#guest?.id === id ? this.#guest : undefined);
  }

  /**
   * Shows a message until it is dismissed or replaced.
   * @param {string} text
   * @param {MessageAction | null} action what its button does
   */
  #say(text, action = null) {
    find("message").hidden = text === "";
    find("message-text").textContent = text;
    find("message-action").hidden = action === null;
    find("message-action").textContent = action?.name ?? "";
    this.#action = action;
  }

  /**
   * Shows a response with the status. It may be older than a status that the stream has reported
   * since the request; the stream reports everything newer as well.
   * @param {() => Promise<QuakeStatus>} request
   */
  async #ask(request) {
    const told = this.#told;
    const status = await request();
    if (told === this.#told) this.#status(status);
  }

  /** @param {QuakeStatus} status */
  #status(status) {
    this.#total = status.total;
    this.freshness.update(status);
    // There is nothing to stop any more.
    if (this.#action?.name === STOP && !this.freshness.isRefreshing) this.#say("");
    this.list.status = status;
    this.list.showNothing(this.#store.size);
  }

  /** @param {QuakeChanges} changes */
  #changes(changes) {
    if (this.#waiting) this.#waiting.push(changes);
    else if (changes.reload) this.#load();
    else {
      const events = [...changes.inserted, ...changes.updated];
      /** @param {Quake} event */
      const isShown = (event) => !event.withdrawn || this.#state.withdrawn;
      const gone = events.filter((event) => !isShown(event)).map(({ id }) => id);
      const removed = [...changes.deleted, ...gone.filter((id) => this.#store.find(id))];
      if (removed.length) this.#remove(removed);
      this.#showChanges(this.#store.apply(events.filter(isShown)));
      this.alerts.check(events);
      // New events are added to the loaded ones; far above the capacity, the page loads its part again.
      if (this.#store.size > CAPACITY * 1.1) this.#load();
    }
  }

  /**
   * Removes events without an announcement; the visible rows keep their position.
   * @param {string[]} ids
   */
  #remove(ids) {
    const anchor = this.list.anchor();
    this.#store.remove(ids);
    this.#showEvents(anchor);
    this.#closeGone();
  }

  /** Closes the details of a removed event. */
  #closeGone() {
    const { selected } = this.#state;
    if (selected !== null && !this.#find(selected)) this.#closeDetails(false);
  }

  /**
   * Marks and announces; the visible rows keep their position.
   * @param {ChangedIDs} changed
   */
  #showChanges({ inserted, updated }) {
    if (!inserted.length && !updated.length) return;
    const until = Date.now() + MARKED;
    this.list.mark(inserted, updated, until);
    this.#showEvents(this.list.anchor());
    const fresh = inserted.filter((id) => this.list.positionOf(id) >= 0);
    this.list.news(fresh);
    this.panel.map?.mark(fresh.flatMap((id) => this.#store.find(id) ?? []));
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

  /**
   * Filters, orders and shows.
   * @param {ListAnchor | null | undefined} anchor undefined starts at the top, null stays
   */
  #showEvents(anchor) {
    const start = performance.now();
    this.#showSearch();
    this.#anytime = this.#query.run({ ...this.#state, slice: null });
    this.#showSlice(anchor);
    const events = this.#state.slice
      ? Array.from(this.#anytime, (index) => this.#store.events[index]) : this.#viewEvents;
    this.panel.map?.setEvents(events);
    this.visit.show(events);
    this.time.setTimes(this.#store.timesOf(this.#anytime));
    this.time.show(this.#state.slice);
    this.exports.show(this.#state);
    if (this.list.loaded || this.#isWhole) this.statistics.show(this.#state, this.#isWhole);
    performance.measure("quakes-filter", { start });
  }

  /** Tells what the search means, and looks up the places that it names. */
  #showSearch() {
    const reading = readSearch(this.#state.search);
    this.searchNote.show(reading);
    this.list.nearby = reading.places[0] ?? null;
    for (const name of reading.missing) {
      lookUp(name, () => {
        this.#showEvents(this.list.anchor());
        this.#loadOtherPart();
      });
    }
  }

  /**
   * Searches for the surroundings of a point.
   * @param {PickedPlace} point
   */
  #searchNear(point) {
    if (!wide.matches) {
      this.#view("list");
      this.#closeDetails(false);
    }
    this.filters.search(near(point));
  }

  /**
   * Shows those of the events that are in the slice of time: all without one.
   * @param {ListAnchor | null | undefined} anchor
   */
  #showSlice(anchor) {
    const { slice } = this.#state;
    const { events, times, size } = this.#store;
    const view = slice ? this.#anytime.filter((index) => isInSlice(times[index], slice)) : this.#anytime;
    this.#viewEvents = Array.from(view, (index) => events[index]);
    this.list.show(view, anchor, {
      loaded: size, total: this.#total, matching: this.#matching, part: this.#part && this.#state.sort,
    }, this.#state);
    this.panel.map?.setSlice(slice, view.length);
    this.chips.show(this.#state);
  }

  /**
   * While the slice moves, list and map follow; everything else does when it rests.
   * @param {TimeSlice | null} slice
   * @param {boolean} isMoving
   */
  #changeSlice(slice, isMoving) {
    if (!isMoving) {
      this.#change({ slice }, "slice");
      return;
    }
    this.#state.slice = slice;
    const start = performance.now();
    this.#showSlice(undefined);
    performance.measure("quakes-slice", { start });
  }

  /**
   * @param {Partial<QuakeState>} change
   * @param {string} kind
   */
  #change(change, kind) {
    Object.assign(this.#state, change);
    if (kind === "clear") this.filters.show(this.#state);
    this.#showEvents(undefined);
    this.#dropHidden();
    this.address.write(this.#state, kind);
    if (kind !== "sort" && kind !== "slice") this.panel.map?.reveal(this.#viewEvents);
    if (kind === "sort") this.list.select(this.#state.selected, true);
    this.#showSelection(false);
    this.#announcer.say(`${this.list.countText}.`, "count");
    if (kind === "withdrawn" || (kind === "clear" && change.withdrawn !== undefined)) this.#load();
    else this.#loadOtherPart();
  }

  /** Drops a selection that the filters leave out. Open details stay: they tell it. */
  #dropHidden() {
    const { selected } = this.#state;
    if (selected === null || this.details.isOpen || this.list.positionOf(selected) >= 0) return;
    this.#state.selected = null;
    this.list.select(null);
    this.panel.map?.select(undefined);
  }

  /**
   * Applies a changed address: back, forward, or a link.
   * @param {QuakeState} state
   */
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

  /**
   * @param {string | null} id
   * @param {{pan?: boolean, scroll?: boolean, open?: boolean, focus?: boolean}} options
   */
  #select(id, { pan = false, scroll = false, open = false, focus = false }) {
    if (id === null) return;
    this.#state.selected = id;
    this.address.write(this.#state, "select");
    this.list.select(id, scroll);
    const event = this.#find(id);
    if (event && (open || this.details.isOpen)) this.#openDetails(event, focus);
    // On a phone the details take half of the list's room.
    if (open && !wide.matches) this.list.select(id, true);
    const space = this.#space();
    // Details that open over the circle would hide it.
    const isCovered = open && event && this.panel.map?.isCovered(event, space);
    this.panel.map?.select(event, pan || Boolean(isCovered), space);
  }

  /**
   * After events or the address changed: the selection in list, map and details.
   * @param {boolean} pan
   */
  #showSelection(pan) {
    const { selected } = this.#state;
    const event = selected === null ? null : this.#find(selected);
    if (selected !== null && !event && pan && this.list.loaded) this.#fetchGuest(selected);
    this.list.select(selected, pan);
    if (event && (this.details.isOpen || pan)) this.#openDetails(event, false);
    this.panel.map?.select(event, pan && Boolean(event), this.#space());
  }

  /**
   * Opens an event that isn't among those on the page: one beyond them, a withdrawn one, or an old identifier.
   * @param {string} id
   */
  async #fetchGuest(id) {
    // The server would refuse the identifier of a damaged link.
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

  /**
   * @param {Quake} event
   * @param {boolean} focus
   */
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
    if (this.#state.selected !== null && this.list.positionOf(this.#state.selected) < 0) {
      this.#dropHidden();
      this.address.write(this.#state, "select");
    }
    if (refocus) this.list.focus();
    this.panel.map?.setSpace(this.#space());
  }

  /** The part of the map that the details cover. */
  #space() {
    const { offsetWidth, offsetHeight } = find("details");
    if (!this.details.isOpen) return { top: 0, right: 0, bottom: 0, left: 0 };
    return wide.matches
      ? { top: 0, right: offsetWidth + 16, bottom: 0, left: 0 }
      : { top: 0, right: 0, bottom: offsetHeight, left: 0 };
  }

  /** @param {KeyboardEvent} event */
  #escape(event) {
    if (document.querySelector(":popover-open")) return false;
    if (event.target === search && search.value !== "") this.filters.clearSearch();
    else if (event.target === search) this.list.focus();
    else if (this.details.isOpen) this.#closeDetails();
    else return false;
    return true;
  }

  async #refresh() {
    if (this.freshness.isRefreshing) {
      this.#say("The feed is being fetched already. How long it takes depends on its server.", {
        name: STOP, run: () => this.#stop(),
      });
      return;
    }
    this.freshness.asking(true);
    try {
      await this.#ask(api.refresh);
      this.#say("");
    } catch (error) {
      this.#say(`Refresh was not started: ${error.message}`);
    }
    this.freshness.asking(false);
  }

  async #stop() {
    this.#say("");
    try {
      await this.#ask(api.stopRefresh);
    } catch (error) {
      this.#say(`The refresh was not stopped: ${error.message}`);
    }
  }

  /** @param {string} view */
  #view(view) {
    document.body.dataset.view = view;
    if (view === "map") this.#mapSeen.resolve();
    if (view === "statistics") this.statistics.appeared();
    for (const tab of findAll(".tabs button")) {
      tab.ariaPressed = String(tab.dataset.view === view);
    }
  }

  /** Asks for a place on the map. */
  async #pick() {
    const map = this.panel.map;
    if (!map) return null;
    this.#view("map");
    this.#say("Click the place on the map.", { name: "Cancel", run: () => map.cancelPick() });
    const place = await map.pick();
    this.#say("");
    return place;
  }

  /** Writes everything anew that has times or distances. */
  #rewrite() {
    this.#showEvents(this.list.anchor());
    this.freshness.draw();
    const event = this.#state.selected && this.#find(this.#state.selected);
    if (event && this.details.isOpen) this.#openDetails(event, false);
  }

  /** Updates everything that depends on the time: ages, the time window and the freshness text. */
  #tick() {
    if (document.hidden) return;
    this.freshness.draw();
    if (this.#state.since || readSearch(this.#state.search).isMoving) this.#showEvents(this.list.anchor());
    else this.list.draw();
    this.panel.map?.recolour();
    const event = this.#state.selected && this.#find(this.#state.selected);
    if (event && this.details.isOpen) this.#openDetails(event, false);
  }
}
