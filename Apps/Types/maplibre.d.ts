// The part of MapLibre GL JS that the pages use (https://maplibre.org/maplibre-gl-js/docs/API/). The library is loaded
// as a script, which sets a global variable.

type MapPlace = [longitude: number, latitude: number];

interface MapPoint {
  x: number;
  y: number;
}

/** Sides of the map, in pixels. */
interface MapPadding {
  top: number;
  right: number;
  bottom: number;
  left: number;
}

/** https://maplibre.org/maplibre-style-spec/expressions/, or a constant */
type MapExpression = unknown;
type MapPaint = Record<string, MapExpression>;

interface MapLayer {
  id: string;
  type: string;
  source?: string;
  paint?: MapPaint;
  layout?: Record<string, MapExpression>;
  filter?: MapExpression;
  minzoom?: number;
}

/** https://maplibre.org/maplibre-style-spec/ */
interface MapStyle {
  version: 8;
  glyphs?: string;
  projection?: { type: string };
  sources: Record<string, object>;
  layers: MapLayer[];
}

interface MapFeature {
  geometry: { coordinates: MapPlace };
  properties: { id: any };
}

interface MapEvent {
  point: MapPoint;
  lngLat: { lng: number; lat: number; wrap(): { lng: number; lat: number } };
  /** Of an image that a style names. */
  id: string;
  error?: Error;
  /** Given to `easeTo`. */
  glide?: object;
  isOwn?: boolean;
}

interface MapView {
  center?: MapPlace;
  zoom?: number;
  padding?: MapPadding;
  offset?: [right: number, down: number];
  duration?: number;
}

interface MapLibreMap {
  keyboard: { disableRotation(): void };
  touchZoomRotate: { disableRotation(): void };
  addControl(control: object, corner: string): void;
  addLayer(layer: MapLayer, before: string): void;
  addSource(id: string, source: object): void;
  addImage(id: string, image: object, options: { sdf: boolean }): void;
  easeTo(view: MapView, mark?: object): void;
  getBounds(): { getSouth(): number; getWest(): number; getNorth(): number; getEast(): number };
  getCanvas(): HTMLCanvasElement;
  getCenter(): { lng: number; lat: number };
  getLayer(id: string): object | undefined;
  getMinZoom(): number;
  getSource(id: string): { setData(data: object): void } | undefined;
  getZoom(): number;
  hasImage(id: string): boolean;
  off(name: string, handler: (event: MapEvent) => void): void;
  on(name: string, handler: (event: MapEvent) => void): void;
  once(name: string, handler: (event: MapEvent) => void): void;
  project(place: MapPlace): MapPoint;
  unproject(point: [x: number, y: number]): MapEvent["lngLat"];
  queryRenderedFeatures(box: [number, number][], options: { layers: string[] }): MapFeature[];
  redraw(): object;
  removeLayer(id: string): void;
  removeSource(id: string): void;
  resize(mark?: object): void;
  setFilter(layer: string, filter: MapExpression, options: { validate: boolean }): void;
  setPaintProperty(layer: string, name: string, value: MapExpression): void;
  setProjection(projection: { type: string }): void;
  setStyle(style: MapStyle | string, options: {
    diff: boolean;
    transformStyle: (previous: MapStyle | undefined, next: MapStyle) => MapStyle;
  }): void;
}

interface MapMarker {
  setLngLat(place: MapPlace): this;
  addTo(map: MapLibreMap): this;
  remove(): void;
}

interface MapPopup extends MapMarker {
  setText(text: string): this;
}

interface MapLibrary {
  Map: new (options: {
    container: HTMLElement;
    style: MapStyle;
    center?: MapPlace;
    zoom?: number;
    bounds?: [MapPlace, MapPlace];
    fitBoundsOptions?: { padding: number };
    minZoom?: number;
    maxZoom?: number;
    attributionControl?: false;
    dragRotate?: boolean;
    pitchWithRotate?: boolean;
    fadeDuration?: number;
    cancelPendingTileRequestsWhileZooming?: boolean;
    trackResize?: boolean;
  }) => MapLibreMap;
  AttributionControl: new (options: { compact: boolean; customAttribution: string }) => object;
  NavigationControl: new (options: { showCompass: boolean }) => object;
  Marker: new (options: { element: HTMLElement; opacityWhenCovered: string }) => MapMarker;
  Popup: new (options: { closeButton: boolean; closeOnClick: boolean; offset: number }) => MapPopup;
  addProtocol(scheme: string, load: (request: { url: string }) => Promise<{ data: ArrayBuffer }>): void;
}

declare var maplibregl: MapLibrary;
