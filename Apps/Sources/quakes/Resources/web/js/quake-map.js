/** The map: MapLibre GL JS with the events as one source of circles drawn by the GPU. */

import { loadBaseMap } from "./base-map.js";
import { boxRound } from "./box.js";
import { colourProperties } from "./circle-colours.js";
import { angle, flatView, globeView, middle, seen } from "./map-views.js";
import { loadLibrary } from "./map-library.js";
import { MapNames } from "./map-names.js";
import { MapPointer } from "./map-pointer.js";
import { MapRings } from "./map-rings.js";
import { AGES, LAYER, addEvents, addOverlay, overlayLayers, paint, plainStyle, sliceFilter } from "./map-style.js";
import * as format from "./format.js";

const SETTLE = 90;
const CALM = 120;
/** The room round a circle that panels leave free, in pixels. */
const MARGIN = 24;
const EMPTY = { type: "FeatureCollection", features: [] };
/** @type {MapStyle} */
const NOTHING = { version: 8, sources: {}, layers: [] };
/** @type {MapPlace} */
const START = [-135, 22];
/** The angle from the middle of the globe up to which a circle is well to be seen, in degrees. */
const HORIZON = 70;
/** The nearest that results are shown, and the share of the map that they take. */
const NEAREST = 9;
const SHARE = 0.85;
/** Marks the movements that aren't the reader's. */
const OWN = { isOwn: true };

const still = matchMedia("(prefers-reduced-motion: reduce)");

export class QuakeMap {
  #container;
  // The next four are there from start() on.
  /** @type {MapLibrary} */
  #library;
  /** @type {MapLibreMap} */
  #map;
  /** @type {BaseMap} */
  #base;
  /** @type {MapNames} */
  #names;
  /** @type {object} */
  #data = EMPTY;
  /**
   * The times of the events that are shown, or null for all.
   * @type {TimeSlice | null}
   */
  #slice = null;
  /**
   * Lines over the base map, by what they belong to, the lowest first.
   * @type {Record<"section" | "details", MapOverlay | null>}
   */
  #overlays = { section: null, details: null };
  #count = 0;
  #handlers;
  #timer = 0;
  #panning = 0;
  /**
   * Where the pan under way leads, its mark, and the room that panels take from the map.
   * @type {MapPlace | null}
   */
  #goal = null;
  /** @type {object | null} */
  #glide = null;
  /** @type {MapPadding | undefined} */
  #room = undefined;
  #isSlow = false;
  /** @type {MapRings | null} */
  #rings = null;
  /** @type {MapPointer | null} */
  #pointer = null;
  #projection = "globe";
  /** @type {string | null} */
  #tileStyle = null;
  #online = false;

  /**
   * @param {HTMLElement} container
   * @param {MapHandlers} handlers
   */
  constructor(container, handlers) {
    this.#container = container;
    this.#handlers = handlers;
  }

  /**
   * Loads what is needed and draws; rejects when the library or WebGL fails.
   * @param {{projection: string, tileStyle: string | null, online: boolean, begun: Promise<void>, turn: Promise<void>}}
   *   options
   */
  async start({ projection, tileStyle, online, begun, turn }) {
    await begun;
    [this.#library, this.#base] = await Promise.all([loadLibrary(), loadBaseMap(), turn]);
    this.#names = new MapNames(this.#library);
    this.#projection = projection;
    this.#tileStyle = tileStyle;
    this.#online = Boolean(tileStyle) && online;
    const { clientWidth: width, clientHeight: height } = this.#container;
    const globe = Math.log2((0.97 * Math.min(width, height) || 400) / 163);
    this.#map = new this.#library.Map({
      container: this.#container,
      style: this.#plain(),
      center: START,
      zoom: Math.max(0.4, projection === "globe" ? globe : Math.log2(width / 512)),
      minZoom: 0,
      maxZoom: 15,
      attributionControl: false,
      dragRotate: false,
      pitchWithRotate: false,
      cancelPendingTileRequestsWhileZooming: true,
      // map-panel.js sees the container's size, and its movements aren't the reader's.
      trackResize: false,
      ...(still.matches && { fadeDuration: 0 }),
    });
    this.#pointer = new MapPointer(this.#container, this.#map, this.#handlers);
    this.#rings = new MapRings(this.#library, this.#map);
    this.#map.touchZoomRotate.disableRotation();
    // Without a compass, nothing would tell that north isn't above.
    this.#map.keyboard.disableRotation();
    const options = { compact: false, customAttribution: "MapLibre" };
    this.#map.addControl(new this.#library.AttributionControl(options), "bottom-right");
    const zoom = new this.#library.NavigationControl({ showCompass: false });
    this.#map.addControl(zoom, "bottom-right");
    this.#listen();
    await new Promise((resolve) => this.#map.once("load", resolve));
    this.#names.start(this.#map);
    this.#base.start(this.#map);
    if (this.#online) this.setOnline(true);
    this.#container.dataset.state = "ready";
  }

  get #ready() {
    return Boolean(this.#map?.getLayer(LAYER));
  }

  get #events() {
    return { data: this.#data, slice: this.#slice };
  }

  #plain() {
    const style = plainStyle(this.#base, this.#names, this.#events, Date.now());
    for (const overlay of Object.values(this.#overlays)) addOverlay(style, overlay, false);
    return { ...style, projection: { type: this.#projection } };
  }

  #listen() {
    const map = this.#map;
    map.on("moveend", ({ glide, isOwn }) => {
      if (glide && glide === this.#glide) this.#goal = null;
      if (!isOwn) this.#handlers.moved();
    });
    // The graphics processor was reset, or the system took its memory: buffers and images are gone.
    map.on("webglcontextrestored", () => this.#restyle());
    map.on("error", ({ error }) => {
      // The map must not stay empty when the tile server is unreachable.
      if (this.#online && !this.#ready) this.setOnline(false);
      console.warn("Quakes map:", error?.message ?? error);
    });
  }

  /**
   * The place in the middle of the map.
   * @returns {PickedPlace}
   */
  get centre() {
    const { lng, lat } = this.#map.getCenter();
    return { latitude: lat, longitude: ((lng + 540) % 360 + 360) % 360 - 180 };
  }

  /** Takes and shows what is under the pointer. */
  get pointer() {
    return this.#pointer;
  }

  /**
   * Shows these events; calls in quick succession are drawn once.
   * @param {Quake[]} events
   */
  setEvents(events) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const now = Date.now();
      this.#data = {
        type: "FeatureCollection",
        features: events.toSorted((one, other) => one.time - other.time).map((event) => ({
          type: "Feature",
          properties: {
            id: event.id, t: event.time, a: AGES.indexOf(format.age(event.time, now)),
            d: format.diameter(event.magnitude), ...colourProperties(event),
          },
          geometry: { type: "Point", coordinates: [event.longitude, event.latitude] },
        })),
      };
      this.#map?.getSource(LAYER)?.setData(this.#data);
      this.#container.dataset.count = String(this.#count);
    }, SETTLE);
  }

  /**
   * Shows the events in a slice of time only, or all. The GPU's data are chosen anew in the background; the events
   * stay where they are.
   * @param {TimeSlice | null} slice
   * @param {number} count the number of events in it
   */
  setSlice(slice, count) {
    this.#count = count;
    const isSame = slice?.from === this.#slice?.from && slice?.to === this.#slice?.to;
    this.#slice = slice;
    if (isSame) return;
    if (this.#ready) this.#map.setFilter(LAYER, sliceFilter(slice), { validate: false });
    this.#container.dataset.count = String(count);
  }

  /**
   * Puts a ring round an event, or round none.
   * @param {Quake | null | undefined} event
   * @param {boolean} [pan] whether to bring it into sight
   * @param {MapPadding} [space]
   */
  select(event, pan, space) {
    this.#rings?.select(event);
    if (event && this.#map && pan) this.#pan(event, space);
  }

  /**
   * Pans once the selection rests, not at every step through the list.
   * @param {Quake} event
   * @param {MapPadding} [space]
   */
  #pan(event, space) {
    clearTimeout(this.#panning);
    this.#room = space;
    this.#goal = [event.longitude, event.latitude];
    this.#panning = setTimeout(() => this.#glideToGoal(650), CALM);
  }

  /**
   * Moves to where the last pan leads, round the panels that are open now.
   * @param {number} duration in milliseconds
   */
  #glideToGoal(duration) {
    clearTimeout(this.#panning);
    if (!this.#goal) return;
    const zoom = Math.max(this.#map.getZoom(), 2.2);
    // A movement that this one interrupts ends with its own mark, which must not count as the arrival.
    this.#glide = {};
    this.#ease({ center: this.#goal, zoom, padding: this.#room }, duration, { glide: this.#glide });
  }

  /**
   * Moves with an animation, or at once where animations have been jerky (software rendering).
   * @param {MapView} target
   * @param {number} duration in milliseconds
   * @param {{glide?: object}} mark
   */
  #ease(target, duration, mark = {}) {
    const start = performance.now();
    let frames = 0;
    const draw = () => {
      frames += 1;
    };
    this.#map.easeTo({ ...target, duration: this.#isSlow ? 0 : duration }, { ...OWN, ...mark });
    this.#map.on("render", draw);
    this.#map.once("moveend", () => {
      this.#map.off("render", draw);
      const passed = performance.now() - start;
      if (passed >= duration && frames * 60 < passed) this.#isSlow = true;
    });
  }

  /**
   * Gives the room of a panel back. A pan that is under way or about to begin still gets to its goal.
   * @param {MapPadding} space
   */
  setSpace(space) {
    if (!this.#map) return;
    this.#room = space;
    if (this.#goal) this.#glideToGoal(300);
    else this.#ease({ padding: space }, 300);
  }

  /**
   * Moves to results of which the map shows none, as on the far side of the globe.
   * @param {Quake[]} events
   */
  reveal(events) {
    if (!this.#ready || !events.length || events.some((event) => this.#isInSight(event))) return;
    const { centre, spread } = middle(events);
    // The part of the globe that is to be seen, with a margin; never nearer than before.
    const zoom = Math.min(this.#map.getZoom(), Math.log2(360 / Math.max(3, spread * 3)));
    this.#goal = null;
    this.#ease({ center: centre, zoom: Math.max(zoom, this.#map.getMinZoom()) }, 650);
  }

  /**
   * The shown part of the map, as a box; its longitudes may be beyond the date line.
   * @returns {GeoBox}
   */
  get view() {
    const bounds = this.#map.getBounds();
    const { lng, lat } = this.#map.getCenter();
    return seen({
      south: bounds.getSouth(), west: bounds.getWest(), north: bounds.getNorth(), east: bounds.getEast(),
    }, [lng, lat], this.#projection === "globe");
  }

  /**
   * Moves so that all these events are to be seen; on the globe, where they are on one half of it.
   * @param {PickedPlace[]} events
   */
  fit(events) {
    if (!this.#ready || !events.length) return;
    const { clientWidth, clientHeight } = this.#container;
    const { right, bottom } = this.#room ?? { right: 0, bottom: 0 };
    const [width, height] = [SHARE * (clientWidth - right), SHARE * (clientHeight - bottom)];
    this.#goal = null;
    this.#show(this.#projection === "globe"
      ? globeView(events, Math.min(width, height)) : flatView(boxRound(events), width, height));
  }

  /**
   * Shows what a box contains.
   * @param {GeoBox} box
   */
  showBox({ south, west, north, east }) {
    if (!this.#ready) return;
    const { clientWidth, clientHeight } = this.#container;
    this.#show(flatView({ south, west, north, east: east < west ? east + 360 : east }, clientWidth, clientHeight));
  }

  /** @param {{center: MapPlace, zoom: number}} view */
  #show({ center, zoom }) {
    this.#ease({ center, zoom: Math.max(this.#map.getMinZoom(), Math.min(zoom, NEAREST)) }, 650);
  }

  /** @param {Quake} event */
  #isInSight({ longitude, latitude }) {
    const { clientWidth, clientHeight } = this.#container;
    const { lng, lat } = this.#map.getCenter();
    if (this.#projection === "globe" && angle([lng, lat], [longitude, latitude]) > HORIZON) return false;
    const { x, y } = this.#map.project([longitude, latitude]);
    const { right, bottom } = this.#room ?? { right: 0, bottom: 0 };
    return x >= 0 && y >= 0 && x <= clientWidth - right && y <= clientHeight - bottom;
  }

  /**
   * Whether panels that take this room from the map cover an event.
   * @param {Quake} event
   * @param {MapPadding} space
   */
  isCovered({ longitude, latitude }, { right, bottom }) {
    const { clientWidth, clientHeight } = this.#container;
    const { x, y } = this.#map.project([longitude, latitude]);
    return x > clientWidth - right - MARGIN || y > clientHeight - bottom - MARGIN;
  }

  /**
   * Marks new events for a while with a ring that spreads.
   * @param {Quake[]} events
   */
  mark(events) {
    this.#rings?.mark(events);
  }

  clearMarks() {
    this.#rings?.clearMarks();
  }

  /** @param {string} projection */
  setProjection(projection) {
    this.#projection = projection;
    this.#map?.setProjection({ type: projection });
  }

  /**
   * Switches between the plain style and the configured online one.
   * @param {boolean} online
   */
  setOnline(online) {
    this.#online = online && Boolean(this.#tileStyle);
    this.#handlers.online(this.#online);
    this.#restyle();
  }

  /** Loads the style anew. Its contents are decided once it is loaded: events may come meanwhile. */
  #restyle() {
    this.#map.setStyle(this.#online && this.#tileStyle ? this.#tileStyle : NOTHING, {
      diff: false,
      transformStyle: (_, next) => {
        if (!this.#online) return this.#plain();
        const style = { ...next, sources: { ...next.sources }, layers: [...next.layers] };
        style.projection = { type: this.#projection };
        addEvents(style, this.#events, Date.now());
        for (const overlay of Object.values(this.#overlays)) addOverlay(style, overlay, true);
        return style;
      },
    });
  }

  /**
   * Lays lines over the base map, below the events, instead of those that are there.
   * @param {MapOverlay | null} overlay null for none
   * @param {"section" | "details"} [owner] whose lines they are; those of others stay
   */
  setOverlay(overlay, owner = "details") {
    const former = this.#overlays[owner];
    this.#overlays[owner] = overlay;
    this.#container.dataset[owner === "details" ? "overlay" : "section"] = overlay?.id ?? "";
    if (!this.#ready) return;
    if (former) this.#removeOverlay(former);
    if (!overlay) return;
    this.#map.addSource(overlay.id, overlay.source);
    for (const layer of overlayLayers(overlay, this.#online)) this.#map.addLayer(layer, LAYER);
  }

  /** @param {MapOverlay} overlay */
  #removeOverlay(overlay) {
    for (const { id } of overlayLayers(overlay, false)) {
      if (this.#map.getLayer(id)) this.#map.removeLayer(id);
    }
    if (this.#map.getSource(overlay.id)) this.#map.removeSource(overlay.id);
  }

  /** Colours anew, after a change of the scheme and as events age. */
  recolour() {
    if (!this.#ready) return;
    const overlay = Object.values(this.#overlays).flatMap((each) => (each ? overlayLayers(each, this.#online) : []));
    const paints = { ...paint(Date.now()), ...Object.fromEntries(overlay.map((layer) => [layer.id, layer.paint ?? {}])) };
    for (const [layer, properties] of Object.entries(paints)) {
      if (!this.#map.getLayer(layer)) continue;
      for (const [name, value] of Object.entries(properties)) {
        this.#map.setPaintProperty(layer, name, value);
      }
    }
  }

  /**
   * A copy of what the map shows now. Its own canvas is empty after each frame.
   * @returns {HTMLCanvasElement}
   */
  picture() {
    this.#map.redraw();
    const source = this.#map.getCanvas();
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [source.width, source.height];
    copy.getContext("2d")?.drawImage(source, 0, 0);
    return copy;
  }

  resize() {
    this.#map?.resize(OWN);
  }
}
