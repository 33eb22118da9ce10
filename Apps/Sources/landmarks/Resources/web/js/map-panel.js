/** The map: MapLibre GL JS on the base map that needs no network, with a circle for each landmark. */

import { loadBaseMap } from "./base-map.js";
import { find } from "./find.js";
import { MISSING } from "./installed.js";
import { REASONS, lacksWebGL, loadLibrary } from "./map-library.js";
import { MapNames } from "./map-names.js";
import { LABELS, LAYER, mapStyle, paints, provideRoom } from "./map-style.js";

/**
 * The contiguous states.
 * @type {[MapPlace, MapPlace]}
 */
const BOUNDS = [[-125, 24], [-66.5, 50]];
const TOUCH = 8;
/** @type {MapStyle} */
const NOTHING = { version: 8, sources: {}, layers: [] };

export class MapPanel {
  #model;
  #app;
  /** @type {MapLibreMap | null} */
  #map = null;
  /** @type {number | null} */
  #selected = null;
  /** The points that the map shows, as text. */
  #drawn = "";
  /** @type {Landmark[]} */
  #shown = [];

  /**
   * @param {Model} model
   * @param {App} app
   */
  constructor(model, app) {
    this.#model = model;
    this.#app = app;
  }

  /** @param {Configuration} config */
  async start(config) {
    if (!config.mapAvailable) return this.#refuse("missing");
    try {
      const [library, base] = await Promise.all([loadLibrary(), loadBaseMap()]);
      const names = new MapNames(library);
      const map = new library.Map({
        container: find("map"), style: mapStyle(base, names, this.#data()), bounds: BOUNDS,
        fitBoundsOptions: { padding: 24 }, maxZoom: 9, minZoom: 0.5, attributionControl: false,
        dragRotate: false, pitchWithRotate: false,
      });
      this.#map = map;
      provideRoom(map);
      map.touchZoomRotate.disableRotation();
      const attribution = { compact: false, customAttribution: "MapLibre" };
      map.addControl(new library.AttributionControl(attribution), "bottom-right");
      // The details are on the right.
      map.addControl(new library.NavigationControl({ showCompass: false }), "bottom-left");
      this.#listen(map, new library.Popup({ closeButton: false, closeOnClick: false, offset: 10 }));
      // The graphics processor was reset, or the system took its memory: buffers and images are gone.
      map.on("webglcontextrestored", () => {
        map.once("style.load", () => this.#mark());
        map.setStyle(NOTHING, { diff: false, transformStyle: () => mapStyle(base, names, this.#data()) });
      });
      await new Promise((resolve) => map.once("load", resolve));
      names.start(map);
      base.start(map);
    } catch (error) {
      console.warn("Landmarks map:", error);
      if (lacksWebGL(error)) return this.#refuse("webgl");
      return this.#refuse(error.message === MISSING ? "missing" : "failed");
    }
    new ResizeObserver(() => this.resize()).observe(find("map"));
    find("map").dataset.state = "ready";
    this.draw(this.#shown);
  }

  /** @param {Landmark[]} landmarks those that the list shows */
  draw(landmarks) {
    this.#shown = landmarks;
    const source = this.#map?.getSource(LAYER);
    if (!source) return;
    const data = this.#data();
    const drawn = JSON.stringify(data.features);
    // Equal points would be cut into tiles and painted again.
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    source.setData(data);
    this.#mark();
  }

  /** @param {number | null} id */
  select(id) {
    this.#selected = id;
    if (this.#map?.getLayer(LAYER)) this.#mark();
  }

  /**
   * Moves the map to a landmark that isn't visible.
   * @param {number} id
   */
  reveal(id) {
    const landmark = this.#model.landmark(id);
    if (!this.#map || !landmark) return;
    const wide = innerWidth > 900;
    const inset = wide ? find("details").offsetWidth / 2 : 0;
    this.#map.easeTo({
      center: [landmark.longitude, landmark.latitude], zoom: Math.max(this.#map.getZoom(), 4),
      offset: [-inset, wide ? 0 : -120],
    });
  }

  recolour() {
    if (!this.#map) return;
    for (const [layer, paint] of Object.entries(paints())) {
      for (const [name, value] of Object.entries(paint)) this.#map.setPaintProperty(layer, name, value);
    }
    this.#mark();
  }

  resize() {
    this.#map?.resize();
  }

  /**
   * @param {MapLibreMap} map
   * @param {MapPopup} popup has the name of the landmark under the pointer
   */
  #listen(map, popup) {
    map.on("click", ({ point }) => {
      const id = this.#nearest(point);
      if (id !== null) this.#app.choose(id);
    });
    map.on("mousemove", ({ point }) => {
      const id = this.#nearest(point);
      map.getCanvas().style.cursor = id === null ? "" : "pointer";
      const landmark = id === null ? null : this.#model.landmark(id);
      if (!landmark) popup.remove();
      else popup.setLngLat([landmark.longitude, landmark.latitude]).setText(landmark.name).addTo(map);
    });
    map.on("mouseout", () => popup.remove());
    map.on("error", ({ error }) => console.warn("Landmarks map:", error?.message ?? error));
  }

  /** @param {MapPoint} point */
  #nearest({ x, y }) {
    if (!this.#map?.getLayer(LAYER)) return null;
    /** @type {[number, number][]} */
    const box = [[x - TOUCH, y - TOUCH], [x + TOUCH, y + TOUCH]];
    let best = null;
    let least = Infinity;
    for (const feature of this.#map.queryRenderedFeatures(box, { layers: [LAYER, LABELS] })) {
      const point = this.#map.project(feature.geometry.coordinates);
      const distance = Math.hypot(point.x - x, point.y - y);
      if (distance < least) [best, least] = [feature.properties.id, distance];
    }
    return best;
  }

  #data() {
    return {
      type: "FeatureCollection",
      features: this.#shown.map(({ id, name, isFavorite, isUnstored, longitude, latitude }) => ({
        type: "Feature", properties: { id, name, isFavorite: isUnstored ? !isFavorite : isFavorite },
        geometry: { type: "Point", coordinates: [longitude, latitude] },
      })),
    };
  }

  #mark() {
    const isSelected = ["==", ["get", "id"], this.#selected ?? -1];
    this.#map?.setPaintProperty(LAYER, "circle-radius", ["case", isSelected, 11, ["get", "isFavorite"], 8, 6]);
    this.#map?.setPaintProperty(LAYER, "circle-stroke-width", ["case", isSelected, 3, 1.5]);
  }

  /** @param {keyof REASONS} reason */
  #refuse(reason) {
    const { title, text } = REASONS[reason];
    find("map-notice-title").textContent = title;
    find("map-notice-text").textContent = text;
    find("map-notice").hidden = false;
    find("map").dataset.state = reason;
  }
}
