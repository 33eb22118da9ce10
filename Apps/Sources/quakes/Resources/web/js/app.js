/** The page as a whole: the state, and the parts that its changes update. */

import * as api from "./api.js";
import { Address, parse } from "./address.js";
import { Alerts } from "./alerts.js";
import { Announcer } from "./announcer.js";
import { Backfill } from "./backfill.js";
import { boxOf } from "./box.js";
import { Changes } from "./changes.js";
import { ColourLegend } from "./circle-colours.js";
import { Details } from "./details.js";
import { EventStore } from "./event-store.js";
import { ExportMenu } from "./export-menu.js";
import { Filters } from "./filters.js";
import { find, findAll } from "./find.js";
import { Freshness } from "./freshness.js";
import { LastVisit } from "./last-visit.js";
import { ListPanel } from "./list-panel.js";
import { LiveStream } from "./live.js";
import { Loader } from "./loader.js";
import { MapPanel } from "./map-panel.js";
import { measure } from "./measure.js";
import { Message } from "./message.js";
import { filterParameters } from "./parameters.js";
import { pageKeys } from "./page-keys.js";
import { lookUp } from "./places.js";
import { near } from "./near.js";
import { NewerVersion } from "./newer-version.js";
import { Press } from "./press.js";
import { PrintSheet } from "./print-sheet.js";
import { Query } from "./query.js";
import { RangeChips } from "./range-chips.js";
import { NO_RANGES } from "./ranges.js";
import { Refresh } from "./refresh.js";
import { readSearch } from "./search.js";
import { SearchNote } from "./search-note.js";
import { isTooLong, SectionControl, TOO_LONG } from "./section-control.js";
import { narrowed } from "./section-dialog.js";
import { Selection } from "./selection.js";
import { Shortcuts } from "./shortcuts.js";
import { statistics } from "./statistics.js";
import { StatisticsPanel } from "./statistics-panel.js";
import { StatisticsView } from "./statistics-view.js";
import { isInSlice } from "./slice.js";
import { Theme } from "./theme.js";
import { TimeSlider } from "./time-slider.js";
import { UnitsMenu } from "./units.js";
import { Views } from "./views.js";

const TICK = 20_000;
/** The beginning of the message about a load that failed. */
const NOT_LOADED = "The list could not be loaded";
/** The time after the first rows at which the map begins to load, if the list takes that long, in milliseconds. */
const LATEST_MAP = 4_000;

const search = find("search", HTMLInputElement);
const wide = matchMedia("(min-width: 900px)");

export class App {
  #state = parse(location.hash);
  #store = new EventStore();
  #query = new Query(this.#store);
  #announcer = new Announcer(find("announcer"));
  /** The last words about the event of an address. */
  #saidOfEvent = "";
  /** The number of statuses that the stream has reported. */
  #told = 0;
  /** @type {Quake[]} */
  #viewEvents = [];
  /** The events that the filters let through at any time, in order; the slider of time chooses among them. */
  #anytime = new Uint32Array(0);
  /** @type {PromiseWithResolvers<void>} */
  #mapSeen = Promise.withResolvers();
  /** The row, or the button, under the pointer stays there until the click. */
  #press = new Press();

  constructor() {
    /** @param {string} id */
    const choose = (id) => this.selection.select(id, { scroll: true });
    /** @param {string} id */
    const open = (id, focus = false) => this.selection.select(id, { pan: true, open: true, focus });
    /** @param {string} id */
    const chooseRow = (id) => this.selection.select(id, { pan: true, scroll: true });
    this.list = new ListPanel((index) => this.#store.events[index], {
      choose: chooseRow, open, clear: () => this.#change(
        { magnitude: null, since: "", search: "", withdrawn: false, slice: null, box: null, ...NO_RANGES },
        "clear"),
    });
    /** @type {MapPanel} */
    this.panel = new MapPanel((id) => this.selection.find(id), {
      choose: (id, isKey) => {
        choose(id);
        this.selection.select(id, { open: true, focus: isKey });
      },
      limit: (isLimited) => this.#limit(isLimited),
      fit: () => this.panel.map?.fit(this.#viewEvents),
      moved: () => this.#state.box && this.#limit(true),
      section: () => this.sections.edit(),
    });
    this.details = new Details(find("details"), {
      close: () => this.selection.close(),
      show: () => {
        this.views.open("map");
        this.selection.close();
        this.selection.select(this.#state.selected, { pan: true });
      },
      near: () => {
        const { event } = this.selection;
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
      located: (state) => ({
        events: Array.from(this.#query.run({ ...state, depthBins: null }), (index) => this.#store.events[index]),
        section: this.sections.section,
      }),
      point: chooseRow,
      limit: (limits) => {
        const search = narrowed(this.#state.search, limits);
        const isRefused = isTooLong(search);
        if (isRefused) this.message.say(TOO_LONG);
        else this.message.retract(TOO_LONG);
        this.#change({ depthBins: limits.depths, search: isRefused ? this.#state.search : search }, "section");
      },
      edit: () => this.sections.edit(),
      open: (id) => {
        if (!wide.matches) this.views.open("list");
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
    this.message = new Message(() => this.list.focus());
    this.version = new NewerVersion(() => this.message.stay("Quakes was updated. Reloading shows the new version.", {
      name: "Reload", run: () => location.reload(),
    }));
    // Before the first connection: a page that opened from the kept files is of their version.
    this.version.check();
    this.views = new Views((view) => {
      if (view === "map") this.#mapSeen.resolve();
      if (view === "statistics") this.statistics.appeared();
    });
    this.refresh = new Refresh(this.freshness, this.message, (request) => this.#ask(request));
    /** @type {Selection} */
    this.selection = new Selection(this.#store, {
      list: this.list, panel: this.panel, details: this.details, address: this.address, wide,
    }, {
      state: () => this.#state, say: (text) => this.#sayOfEvent(text), marked: (id) => this.statistics.select(id),
    });
    /** @type {Loader} */
    this.loader = this.#makeLoader();
    this.theme = new Theme(find("theme"), () => this.#recolour());
    this.alerts = new Alerts(find("alerts", HTMLDialogElement), {
      open: (id) => this.#openTold(id), pick: () => this.#pick(),
    });
    this.backfill = new Backfill({
      ask: (wish) => this.#ask(() => api.startBackfill(wish)),
      start: (wish) => this.#ask(() => api.startBackfill(wish)).catch(
        (error) => this.message.say(`Loading was not started: ${error.message}`)),
      stop: () => this.#ask(api.stopBackfill).catch(
        (error) => this.message.say(`Loading was not stopped: ${error.message}`)),
      filters: () => this.#state, offer: () => this.list.offer, dismissed: () => this.list.focus(),
    });
    this.changes = new Changes(this.#store, {
      list: this.list, panel: this.panel, selection: this.selection, alerts: this.alerts, announcer: this.#announcer,
    }, {
      state: () => this.#state, isWhole: () => this.loader.isWhole, show: (anchor) => this.#showEvents(anchor),
    });
    this.visit = new LastVisit({
      line: find("visit"), show: find("visit-show", HTMLButtonElement),
      dismiss: find("visit-dismiss", HTMLButtonElement),
    }, {
      choose: (slice) => {
        this.#change({ slice }, "slice");
        this.list.focus();
      },
      dismissed: () => this.list.focus(),
      returned: () => this.#press.whenUp(() => this.#showEvents(this.list.anchor())),
    });
    this.units = new UnitsMenu(find("units-menu"), () => {
      this.legend.show();
      this.#rewrite();
    });
    this.sheet = new PrintSheet({
      content: () => ({
        events: this.#viewEvents, state: this.#state, countText: this.list.countText, updated: this.list.updated,
      }),
      picture: () => (find("map").checkVisibility({ visibilityProperty: true }) && this.panel.map?.picture()) || null,
    });
    /** @type {SectionControl} */
    this.sections = new SectionControl({
      search: () => this.#state.search,
      map: () => this.panel.map,
      pick: (text) => this.#pick(text),
      change: (text) => this.#change({ search: text }, "section"),
      showDepths: () => {
        if (wide.matches) this.statisticsView.open();
        else this.views.open("statistics");
        this.statistics.showSection();
      },
    });
    this.legend = new ColourLegend(() => {
      this.#recolour();
      this.list.draw();
      this.selection.redraw();
    });
    this.shortcuts = new Shortcuts(find("shortcuts", HTMLDialogElement), pageKeys(this, {
      search, isWide: () => wide.matches, choose: chooseRow, limit: () => this.#limit(this.#state.box === null),
      fit: () => this.panel.map?.fit(this.#viewEvents),
    }));
    this.#wire();
  }

  #makeLoader() {
    return new Loader(this.#store, {
      state: () => this.#state,
      askStatus: () => this.#ask(api.fetchStatus),
      arrived: () => this.#showEvents(null),
      failed: (message, isFirst, isCut) => {
        this.statistics.show(this.#state, this.loader.isWhole);
        this.list.failed(message);
        // Filters and order have only the newest events until then.
        if (!isFirst || isCut) this.message.say(`${NOT_LOADED} ${isCut ? "as a whole" : "anew"}: ${message}`);
      },
      remembered: (status) => {
        this.#status(status);
        this.freshness.connection(false);
        this.#showEvents(null);
        this.selection.show(true);
      },
      turn: () => this.#press.up(),
      anchor: () => this.list.anchor(),
      replaced: (anchor, changed) => {
        if (changed) this.changes.replaced(anchor, changed);
        else this.#showEvents(anchor);
      },
      loaded: (isFirst) => {
        this.list.loaded = true;
        this.message.retract(NOT_LOADED);
        this.#showEvents(this.list.anchor());
        if (isFirst) this.selection.show(true);
        else this.selection.checkGone();
      },
      changed: (changes) => this.changes.apply(changes),
    });
  }

  #wire() {
    find("skip").addEventListener("click", (event) => {
      // The link's address would take the place of the page's.
      event.preventDefault();
      this.#openList();
      this.list.reach();
    });
    find("refresh").addEventListener("click", () => this.refresh.start());
    find("show-alerts").addEventListener("click", () => this.alerts.open());
    find("near-map").addEventListener("click", () => {
      find("search-help").hidePopover();
      if (this.panel.map) this.#searchNear(this.panel.map.centre);
    });
    find("help").addEventListener("click", () => this.shortcuts.open());
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
    return this.loader.listed;
  }

  async start() {
    this.filters.show(this.#state);
    this.live = new LiveStream({
      status: (status) => {
        this.#told += 1;
        this.#press.whenUp(() => this.#status(status));
      },
      changes: (changes) => this.#press.whenUp(() => this.loader.take(changes)),
      reset: () => this.loader.load(),
      connection: (connected) => {
        this.#press.whenUp(() => this.freshness.connection(connected));
        // Over a slow line, the list comes first.
        if (connected) this.listed.then(() => this.version.check());
      },
    });
    this.live.open();
    this.loader.preview();
    // The stream is open before the events are read, or changes in between would be lost.
    await this.live.ready;
    const loading = this.loader.load();
    const map = await this.#startMap();
    await loading;
    // On a phone the map starts when it is first opened: details that were closed stay closed.
    if (map && this.#state.box) this.panel.map?.showBox(this.#state.box);
    else if (map && this.sections.section) this.sections.fit();
    if (map && this.selection.event) this.selection.showOnMap();
    // A link with filters may lead to the far side of the globe.
    else if (map && !this.#state.box && !this.sections.section) this.panel.map?.reveal(this.#viewEvents);
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
    const begun = this.loader.begun.then(() => Promise.race([this.listed, late()]));
    const started = await this.panel.start(config, begun, begun.then(() => this.#mapSeen.promise));
    find("alerts-pick").hidden = !started;
    find("near-map").hidden = !started;
    if (started) this.#showEvents(null);
    return started;
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
    this.loader.status = status;
    this.freshness.update(status);
    this.refresh.update();
    this.list.status = status;
    this.backfill.status = status;
    this.list.showNothing(this.#store.size);
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
    this.visit.show(events, this.#state.slice);
    this.time.setTimes(this.#store.timesOf(this.#anytime));
    this.time.show(this.#state.slice);
    this.exports.show(this.#state);
    if (this.list.loaded || this.loader.isWhole) this.statistics.show(this.#state, this.loader.isWhole);
    measure("quakes-filter", start);
  }

  /** Tells what the search means, and looks up the places that it names. */
  #showSearch() {
    const reading = readSearch(this.#state.search);
    this.searchNote.show(reading);
    this.list.nearby = reading.places[0] ?? null;
    this.panel.section(reading.sections[0]?.section ?? null);
    for (const name of reading.missing) lookUp(name, this.#placed);
  }

  /** The program has answered about a place of the search. */
  #placed = () => {
    this.#showEvents(this.list.anchor());
    this.loader.loadOtherPart();
  };

  /**
   * Searches for the surroundings of a point.
   * @param {PickedPlace} point
   */
  #searchNear(point) {
    this.#openList();
    this.filters.search(near(point));
  }

  /** Shows the list on a phone, too, where other views and the details take its place. */
  #openList() {
    if (wide.matches) return;
    this.views.open("list");
    this.selection.close(false);
  }

  /**
   * Shows those of the events that are in the slice of time: all without one.
   * @param {ListAnchor | null | undefined} anchor
   */
  #showSlice(anchor) {
    const { slice } = this.#state;
    const { events, times } = this.#store;
    const view = slice ? this.#anytime.filter((index) => isInSlice(times[index], slice)) : this.#anytime;
    this.#viewEvents = Array.from(view, (index) => events[index]);
    this.list.show(view, anchor, this.loader.counts, this.#state);
    this.panel.map?.setSlice(slice, view.length);
    this.chips.show(this.#state);
    this.panel.showLimit(this.#state.box);
  }

  /**
   * Limits the list to what the map shows now, or not any more.
   * @param {boolean} isLimited
   */
  #limit(isLimited) {
    const { map } = this.panel;
    const box = isLimited && map ? boxOf(map.view) : null;
    if (JSON.stringify(box) !== JSON.stringify(this.#state.box)) this.#change({ box }, "box");
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
    measure("quakes-slice", start);
  }

  /**
   * @param {Partial<QuakeState>} change
   * @param {string} kind
   */
  #change(change, kind) {
    Object.assign(this.#state, change);
    if (["clear", "section"].includes(kind)) this.filters.show(this.#state);
    this.#showEvents(undefined);
    this.selection.dropHidden();
    this.address.write(this.#state, kind);
    if (!["sort", "slice", "box", "section"].includes(kind)) this.panel.map?.reveal(this.#viewEvents);
    if (kind === "sort") this.list.select(this.#state.selected, true);
    this.selection.show(false);
    this.#announcer.say(`${this.list.countText}.`, "count");
    if (kind === "withdrawn" || (kind === "clear" && change.withdrawn !== undefined)) this.loader.load();
    else this.loader.loadOtherPart();
  }

  /** @param {string} text tells why the event of an address can't be shown */
  #sayOfEvent(text) {
    this.#saidOfEvent = text;
    this.message.say(text);
  }

  /**
   * Applies a changed address: back, forward, or a link.
   * @param {QuakeState} state
   */
  #arrive(state) {
    const before = this.#state;
    this.#state = state;
    if (this.#saidOfEvent) this.message.retract(this.#saidOfEvent);
    this.filters.show(state);
    this.#showEvents(undefined);
    if (state.box && JSON.stringify(before.box) !== JSON.stringify(state.box)) this.panel.map?.showBox(state.box);
    if (before.withdrawn !== state.withdrawn) this.loader.load();
    else this.loader.loadOtherPart();
    this.list.select(state.selected);
    if (state.selected === null) this.selection.close(false);
    this.selection.show(true);
  }

  /**
   * Opens the event of a notification, which may have another identifier meanwhile, or be withdrawn.
   * @param {string} id
   */
  #openTold(id) {
    for (const dialog of findAll("dialog[open]", document, HTMLDialogElement)) dialog.close();
    this.selection.select(id, { pan: true, scroll: true, open: true, focus: true });
    if (!this.selection.event) this.selection.show(true);
  }

  /** Asks for a place on the map. */
  async #pick(text = "Click the place on the map") {
    const pointer = this.panel.map?.pointer;
    if (!pointer) return null;
    const focused = document.activeElement;
    this.views.open("map");
    const cancel = () => pointer.cancelPick();
    const end = this.message.stay(
      `${text}, or move the map below the cross by the arrow keys, and press Enter.`, { name: "Cancel", run: cancel },
      cancel);
    const place = await pointer.pick();
    // The dialog that comes back gives the focus back to what had it before.
    if (focused instanceof HTMLElement) focused.focus();
    end();
    return place;
  }

  /** Writes everything anew that has times or distances. */
  #rewrite() {
    this.#showEvents(this.list.anchor());
    this.freshness.draw();
    this.selection.redraw();
  }

  #recolour() {
    this.panel.map?.recolour();
    this.statistics.recolour();
  }

  /** Updates everything that depends on the time: ages, the time window and the freshness text. */
  #tick() {
    if (document.hidden) return;
    this.freshness.draw();
    if (this.#state.since || readSearch(this.#state.search).isMoving) {
      this.#showEvents(this.list.anchor());
      this.selection.dropAged();
    } else this.list.draw();
    this.#recolour();
    this.selection.redraw();
  }
}
