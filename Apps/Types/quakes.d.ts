// The values of Quakes' page. Those of the API are described in docs/openapi.yaml, times in milliseconds since 1970
// UTC.

/** The members of events and of their earlier forms. */
interface QuakeForm {
  id: string;
  magnitude: number | null;
  magnitudeType: string | null;
  place: string | null;
  time: number;
  updated: number;
  longitude: number;
  latitude: number;
  /** In kilometres, negative above sea level. */
  depth: number | null;
  type: string;
  status: string | null;
  /** When it was found to be withdrawn. */
  withdrawn: number | null;
}

/** An earlier form of an event. */
interface Revision extends QuakeForm {
  until: number;
}

/** An event of the feed. */
interface Quake extends QuakeForm {
  alert: string | null;
  tsunami: boolean;
  felt: number | null;
  significance: number | null;
  url: string | null;
  aliases: string[];
  /** Its earlier forms, oldest first; only where the event was asked for by its identifier. */
  revisions?: Revision[];
}

/** A plane of a fault, in degrees. */
interface QuakePlane {
  strike: number;
  dip: number;
  rake: number;
}

interface QuakeMechanism {
  kind: "moment-tensor" | "focal-mechanism";
  source: string | null;
  /** In newton metres: up (r), south (t) and east (p). */
  tensor: { rr: number; tt: number; pp: number; rt: number; rp: number; tp: number } | null;
  planes: QuakePlane[];
  moment: number | null;
  magnitude: number | null;
  magnitudeType: string | null;
  doubleCouple: number | null;
}

interface QuakeTown {
  name: string;
  /** In kilometres. */
  distance: number;
  direction: string | null;
  longitude: number;
  latitude: number;
  population: number | null;
}

interface QuakeContour {
  intensity: number;
  lines: MapPlace[][];
}

/** The data of an event that the program has loaded beyond the feed. */
interface QuakeDetails {
  id: string;
  loaded: number;
  isCurrent: boolean;
  failure: { code: string; message: string } | null;
  felt: { responses: number | null; intensity: number | null } | null;
  shaking: number | null;
  alert: { level: string; intensity: number | null } | null;
  mechanism: QuakeMechanism | null;
  towns: QuakeTown[];
  contours: QuakeContour[];
  missing: string[];
}

/** Lines over the base map. */
interface MapOverlay {
  id: string;
  source: object;
  /** The layers, in colours of app.css. */
  layers(colour: (name: string) => string): MapLayer[];
}

/** The parts of the page that the details need. */
interface DetailHandlers {
  close(): void;
  /** The reader asks for the event on the map. */
  show(): void;
  /** The reader asks for the earthquakes near the event. */
  near(): void;
  /** Asks the program for one event. */
  fetch(id: string): Promise<Quake>;
  fetchDetails(id: string): Promise<QuakeDetails>;
  overlay(overlay: MapOverlay | null): void;
}

/** The functions and elements that the module of an event's details is given. */
interface DetailTools {
  fetch(id: string): Promise<QuakeDetails>;
  overlay(overlay: MapOverlay | null): void;
  legend: HTMLElement;
  /** The meanings of the levels of losses. */
  alerts: Record<string, string>;
  format: typeof import("../Sources/quakes/Resources/web/js/format.js");
  distance(a: { latitude: number; longitude: number }, b: { latitude: number; longitude: number }): number;
  loadPoints(name: string): Promise<Record<string, { names: string[]; points: MapPlace[] }>>;
}

/** Shows the details that the program loads. */
interface EventDetailsView {
  show(event: Quake): void;
  clear(): void;
}

interface QuakePage {
  events: Quake[];
  total: number;
  /** The path of the next page. */
  next: string | null;
}

/** A page with a list for each field; the times are differences. */
interface QuakeColumnPage {
  columns: Record<string, unknown[]> & { time: number[], updated: number[] };
  /** An event's address when `url` is empty, without the identifier at its end. */
  usualAddress: string;
}

/** The contents of a stream's message `changes`. */
interface QuakeChanges {
  inserted: Quake[];
  updated: Quake[];
  deleted: string[];
  reload: boolean;
}

interface RefreshError {
  kind: string;
  summary: string;
  message: string;
  at: number;
}

/** The range of times that a back-fill has loaded. */
interface LoadedRange {
  since: number;
  until: number;
  minimumMagnitude: number | null;
  allMagnitudes: boolean;
  service: string;
}

interface QuakeStatus {
  state: "empty" | "fresh" | "stale" | "refreshing" | "offline";
  lastUpdated: number | null;
  nextRefresh: number | null;
  lastError: RefreshError | null;
  progress: { bytes: number; events: number } | null;
  feed: { name: string; url: string };
  total: number;
  coverage: LoadedRange[];
  /** The address of the event service that has older events; null when there is none. */
  archive: string | null;
  /** The back-fill that runs, or the last one. */
  backfill: BackfillStatus | null;
}

/** Which events are to be loaded from the archive; null stands for now, and for all magnitudes. */
interface BackfillWish {
  since: number;
  until: number | null;
  minimumMagnitude: number | null;
}

/** An offer to load: the button's text, and the events. */
interface BackfillOffer {
  text: string;
  wish: BackfillWish;
}

interface CoverageNote {
  text: string;
  isQuiet: boolean;
  offer: BackfillOffer | null;
}

interface BackfillHandlers {
  /** Rejects when the program refuses. */
  ask: (wish: BackfillWish) => Promise<void>;
  /** Tells a refusal by itself, as `stop` does. */
  start: (wish: BackfillWish) => Promise<void>;
  stop: () => Promise<void>;
  filters: () => ListFilters;
  offer: () => BackfillOffer | null;
  dismissed: () => void;
}

interface BackfillStatus extends BackfillWish {
  state: "waiting" | "running" | "done" | "stopped" | "failed";
  /** From 0 to 1. */
  share: number;
  parts: number;
  events: number;
  inserted: number;
  failure: { summary: string; message: string } | null;
}

interface BackfillForm extends HTMLFormElement {
  readonly elements: HTMLFormControlsCollection & Record<"since" | "until" | "magnitude", HTMLInputElement>;
}

/** The reader's time zone and unit of distance. */
interface Units {
  zone: "local" | "utc";
  distance: "km" | "mi";
}

interface QuakeConfiguration {
  mapAvailable: boolean;
  /** The address of the style of online maps. */
  tileStyle: string | null;
}

interface MagnitudeLaw {
  completeness: number;
  count: number;
  a: number;
  b: number;
  error: number;
}

interface QuakeStatistics {
  count: number;
  first: number | null;
  last: number | null;
  earthquakes: number;
  strongest: Quake | null;
  moment: number | null;
  momentMagnitude: number | null;
  completeness: number | null;
  law: MagnitudeLaw | null;
  magnitudes: { magnitude: number; count: number }[];
  depths: { depth: number; count: number }[];
  days: { day: string; count: number; moment: number }[];
}

/** The first and the last bin, both included. */
type Bins = [first: number, last: number];
/** A part of the globe, in degrees. */
interface GeoBox {
  south: number;
  west: number;
  north: number;
  east: number;
}

/** The meaning of the circles' colours. */
type ColourScheme = "age" | "depth" | "magnitude";

/** A colour of a scheme: the values from which it holds. */
interface ColourClass {
  from: number;
  /** The name in app.css. */
  name: string;
  text: () => string;
}

/** The filters that chips show. */
type ChipKey = RangeKey | "slice" | "box";
type RangeKey = "days" | "tenths" | "depthBins";
type Ranges = Record<RangeKey, Bins | null>;

/** The limits that a range sets: from `least` on, to `most` or to below `below`. */
interface RangeLimits {
  least: number;
  most?: number;
  below?: number;
}

interface RangeRules {
  name: string;
  text(range: Bins): string;
  limits(range: Bins): RangeLimits;
  /** An end in an address. */
  write(bin: number): string;
  read(text: string): number | null;
}

/** The range of the slider of times in milliseconds, the step of a key, and a length of a slice that suits it. */
interface SliderRange {
  first: number;
  last: number;
  step: number;
  span: number;
}

/** From a time to another one, which is left out. */
interface TimeSlice {
  from: number;
  to: number;
}

/** The identifiers of events that are new to the page, and of those that changed. */
interface ChangedIDs {
  inserted: string[];
  updated: string[];
  /** The events that changed as they were before, by identifier. */
  former: Map<string, Quake>;
}

interface ReplacedEvents extends ChangedIDs {
  /** The events that are no longer there. */
  removed: Quake[];
}

/** The parts of the page that are printed. */
interface PrintHandlers {
  content: () => { events: Quake[]; state: QuakeState; countText: string; updated: number | null };
  /** The map as it is now; null without one. */
  picture: () => HTMLCanvasElement | null;
}

/** The filters that choose events; missing ranges and slices are none. */
interface QuakeFilter extends Partial<Ranges> {
  magnitude: number | null;
  /** A time window such as "24h"; "" for all times. */
  since: string;
  search: string;
  sort: string;
  slice?: TimeSlice | null;
  box?: GeoBox | null;
}

/** The state of the page, as in its address. */
interface QuakeState extends QuakeFilter {
  days: Bins | null;
  tenths: Bins | null;
  depthBins: Bins | null;
  withdrawn: boolean;
  /** The identifier of the event that is selected. */
  selected: string | null;
  slice: TimeSlice | null;
  /** The shown part of the map, to which the list is limited. */
  box: GeoBox | null;
}

/** The rows in sight, before the list changes. */
interface ListAnchor {
  id: string;
  offset: number;
}

interface AlertPlace {
  name: string;
  latitude: number;
  longitude: number;
  /** In kilometres. */
  radius: number;
}

interface AlertRule {
  magnitude: number;
  /** Null for the whole world. */
  place: AlertPlace | null;
}

/** The fields of the form for a rule, by their names. */
interface AlertFields {
  magnitude: HTMLInputElement;
  near: HTMLInputElement;
  name: HTMLInputElement;
  latitude: HTMLInputElement;
  longitude: HTMLInputElement;
  radius: HTMLInputElement;
}

interface AlertForm extends HTMLFormElement {
  readonly elements: HTMLFormControlsCollection & AlertFields;
}

/** The parts of the dialog of alerts, by their selectors. */
interface AlertParts {
  form: AlertForm;
  "[name=magnitude]": HTMLInputElement;
  "#alerts-allow": HTMLButtonElement;
  "#alerts-close": HTMLButtonElement;
  "#alerts-here": HTMLButtonElement;
  "#alerts-none": HTMLElement;
  "#alerts-permission": HTMLElement;
  "#alerts-pick": HTMLButtonElement;
  "#alerts-place": HTMLFieldSetElement;
  "#alerts-place-note": HTMLElement;
  "#alerts-rules": HTMLElement;
  "#alerts-unit": HTMLElement;
}

/** A word of a search; NaN for limits that it doesn't mean. */
interface SearchWord {
  text: string;
  pattern: RegExp | null;
  magnitudes: { least: number; below: number };
  times: { least: number; below: number };
}

/** A part of a search between spaces. */
interface SearchToken {
  /** As typed. */
  source: string;
  /** Without quotation marks and sign. */
  text: string;
  isNegated: boolean;
  isQuoted: boolean;
}

type SearchTest = (store: EventStore, index: number) => boolean;

interface SearchTerm {
  isNegated: boolean;
  test: SearchTest;
}

/** A place with its name; null for a point. */
interface NamedPlace {
  name: string | null;
  latitude: number;
  longitude: number;
}

/** The surroundings of a place. */
interface NearPlace extends NamedPlace {
  /** In kilometres. */
  radius: number;
}

/** The program's answer to the name of a place: the place, or why there is none. */
interface PlaceAnswer {
  place: NamedPlace | null;
  message: string | null;
  /** Whether the next answer may be another one. */
  isFleeting?: boolean;
}

/** The meaning of a search. */
interface SearchReading {
  terms: SearchTerm[];
  /** The faults of terms that cannot be read. */
  errors: string[];
  /** The names of places that have to be looked up. */
  missing: string[];
  places: NearPlace[];
  /** Sections with their ends as typed. */
  sections: { section: Section; ends: [string, string] }[];
  /** The search for the API: without errors and unknown places, the reader's own ones as points. */
  sent: string;
  /** Whether it changes its meaning with the time. */
  isMoving: boolean;
  /** A whole identifier, if the search may be one. */
  identifier: string;
  /** The time before which it asks for nothing; -Infinity without one. */
  earliest: number;
  /** The time from which it asks for nothing; Infinity without one. */
  latest: number;
  /** The magnitude below which it asks for nothing; -Infinity without one. */
  weakest: number;
}

type Section = import("../Sources/quakes/Resources/web/js/section.js").Section;

/** The meaning of the depth section's horizontal axis. */
type SectionAxis = "along" | "longitude" | "latitude";

/** The contents of the depth section. */
interface SectionContent {
  /** Those that the filters let through, but for the depths chosen. */
  events: Quake[];
  section: Section | null;
  /** The depths that are chosen. */
  range: Bins | null;
  /** Whether the page has all events. */
  isWhole: boolean;
}

/** An event at its place on the horizontal axis, and its depth in kilometres. */
interface SectionDot {
  event: Quake;
  at: number;
  depth: number;
}

/** The part of the depth section that is chosen. */
interface SectionLimits {
  depths: Bins | null;
  part?: { axis: SectionAxis; from: number; to: number };
}

interface SectionHandlers {
  choose: (id: string) => void;
  limit: (limits: SectionLimits) => void;
  /** The reader wants another section. */
  edit: () => void;
}

interface SectionDialogHandlers {
  /** Why the page can't have a term; "" when it can. */
  refusal: (term: string) => string;
  hasMap: () => boolean;
  /** Asks for a place on the map. */
  pick: (text: string) => Promise<PickedPlace | null>;
  /** The term of the section, or "" for none. */
  choose: (term: string) => void;
}

/** The contents of a chart. */
interface ChartContent {
  summary: string;
  /** The domain, in bins, the last one included. */
  first: number;
  last: number;
  ticks(count: number, first: number, last: number): { at: number; text: string }[];
  /** The scale of heights without its range. */
  heights(): D3Scale;
  heightTicks?(y: D3Scale): number[];
  heightText(value: number): string;
  draw(marks: D3Selection, x: D3Scale, y: D3Scale): void;
  /** The cells of the table. */
  rows(): string[][];
}

type EventStore = import("../Sources/quakes/Resources/web/js/event-store.js").EventStore;

/** The elements that tell an event. */
interface DetailFields {
  badge: HTMLElement;
  title: HTMLElement;
  when: HTMLElement;
  note: HTMLElement;
  list: HTMLElement;
  link: HTMLAnchorElement;
}

type FreshnessPart = "line" | "text" | "banner" | "bannerTitle" | "bannerText" | "bannerDetails" | "bannerMessage"
  | "progress" | "button";

/** The filters that an empty list tells. */
type ListFilters = Omit<QuakeFilter, "sort">;

/** The events on the page, in the whole copy, and in it by the filters. */
interface ListCounts {
  loaded: number;
  total: number;
  matching: number;
  /** The order by which the loaded ones were chosen, null when all are loaded. */
  part: string | null;
}

interface RowHandlers {
  choose: (id: string) => void;
  open: (id: string, focus?: boolean) => void;
}

/** A row of the list, with its parts. */
type Row = ReturnType<typeof import("../Sources/quakes/Resources/web/js/row.js").make>;

interface TimeSliderParts {
  stage: HTMLElement;
  toggle: HTMLButtonElement;
  bar: HTMLElement;
  play: HTMLButtonElement;
  slider: HTMLInputElement;
  text: HTMLElement;
  span: HTMLSelectElement;
  speed: HTMLSelectElement;
  close: HTMLButtonElement;
}

interface LastVisitParts {
  line: HTMLElement;
  /** Tells the number of earthquakes, and chooses them. */
  show: HTMLButtonElement;
  dismiss: HTMLButtonElement;
}

interface LastVisitHandlers {
  /** The reader asks for the earthquakes of the absence. */
  choose: (slice: TimeSlice) => void;
  dismissed: () => void;
  /** The reader is back after an absence. */
  returned: () => void;
}

interface FilterParts {
  form: HTMLElement;
  search: HTMLInputElement;
  magnitudes: HTMLElement;
  windows: HTMLElement;
  sort: HTMLSelectElement;
  withdrawn: HTMLInputElement;
}

interface LiveHandlers {
  status: (status: QuakeStatus) => void;
  changes: (changes: QuakeChanges) => void;
  reset: (value?: object) => void;
  connection: (isOpen: boolean) => void;
}

/** Makes what a chart shows of statistics with a range that is chosen; null without any events. */
type MakeContent = (d3: D3Library, statistics: QuakeStatistics, range: Bins | null) => ChartContent | null;

interface ChartOptions {
  id: string;
  title: string;
  /** The heads of the table. */
  columns: string[];
  legend?: string;
  /** The words for a range, for a chart in which one can be chosen. */
  range?: Pick<RangeRules, "name" | "text">;
  choose?: (range: Bins | null) => void;
}

type ChartKey = RangeKey | "moment";

interface StatisticsHandlers {
  /** From the page's events. */
  compute: (state: QuakeState) => QuakeStatistics;
  /** From the server. */
  fetch: (state: QuakeState) => Promise<QuakeStatistics>;
  choose: (key: RangeKey, range: Bins | null) => void;
  /** The events of the depth section, and its line. */
  located: (state: QuakeState) => Pick<SectionContent, "events" | "section">;
  /** The reader chooses an event of the depth section. */
  point: (id: string) => void;
  limit: (limits: SectionLimits) => void;
  edit: () => void;
  open: (id: string) => void;
}

/** The page's functions that the map calls. */
interface MapPanelHandlers {
  /** An event is chosen, by a key if the focus is to follow. */
  choose: (id: string, isKey: boolean) => void;
  /** Limits the list to what the map shows, or not any more. */
  limit: (isLimited: boolean) => void;
  /** Asks for the map to show all results. */
  fit: () => void;
  /** The reader has moved the map. */
  moved: () => void;
  /** The reader wants another section. */
  section: () => void;
}

interface MapPointerHandlers {
  /** A circle is chosen, by a key if the focus is to follow. */
  choose: (id: string, isKey: boolean) => void;
  /** Several circles are under a click: the point is one of the window. */
  chooseAmong: (ids: string[], point: MapPoint) => void;
  /** The circle under the pointer, or none, and the number of others. */
  hover: (id: string | null, point?: MapPoint, others?: number) => void;
}

interface MapHandlers extends MapPointerHandlers {
  online: (isOnline: boolean) => void;
  /** The reader has moved the map. */
  moved: () => void;
}

/** The events as GeoJSON, and the times to show. */
interface MapEvents {
  data: object;
  slice: TimeSlice | null;
}

type BaseMap = import("../Sources/LocalApp/Resources/web/js/base-map.js").BaseMap;
type MapNames = import("../Sources/LocalApp/Resources/web/js/map-names.js").MapNames;
type QuakeMap = import("../Sources/quakes/Resources/web/js/quake-map.js").QuakeMap;

interface PickedPlace {
  latitude: number;
  longitude: number;
}

/** The button of a message. */
interface MessageAction {
  name: string;
  run: () => void;
}

interface ShownMessage {
  text: string;
  action: MessageAction | null;
  /** The reader has dismissed it. */
  dismissed?: () => void;
}

/** The functions that the page's keys need beside its parts. */
interface PageKeyHandlers {
  search: HTMLInputElement;
  isWide: () => boolean;
  /** Selects the event of a row. */
  choose: (id: string) => void;
  /** Limits the list to what the map shows, or not any more. */
  limit: () => void;
  /** Shows all results on the map. */
  fit: () => void;
}

/** The page's functions that the section of the search needs. */
interface SectionControlHandlers {
  search: () => string;
  map: () => QuakeMap | null;
  pick: (text: string) => Promise<PickedPlace | null>;
  /** Searches for something else. */
  change: (search: string) => void;
  /** Shows the chart of the section's depths. */
  showDepths: () => void;
}

/** The page's functions while events are loaded. */
interface LoadHandlers {
  state: () => QuakeState;
  /** Asks the server for its status, and shows it. */
  askStatus: () => Promise<void>;
  /** The first events, or more of them, are there. */
  arrived: () => void;
  /** A load has failed: the first one, behind some of its events or without any, or a later one. */
  failed: (message: string, isFirst: boolean, isCut: boolean) => void;
  /** The server doesn't answer: the events that the page last had are there, with the status of that time. */
  remembered: (status: QuakeStatus) => void;
  /** Fulfilled when the rows may move. */
  turn: () => Promise<void>;
  /** The position of the rows that are visible. */
  anchor: () => ListAnchor | null;
  /** The events are others: with what changed, where that can be told. */
  replaced: (anchor: ListAnchor | null | undefined, changed: ReplacedEvents | null) => void;
  /** All events that are wanted are there. */
  loaded: (isFirst: boolean) => void;
  /** Events have changed in the copy. */
  changed: (changes: QuakeChanges) => void;
}

/** The parts that show and tell changes. */
interface ChangeParts {
  list: import("../Sources/quakes/Resources/web/js/list-panel.js").ListPanel;
  panel: import("../Sources/quakes/Resources/web/js/map-panel.js").MapPanel;
  selection: import("../Sources/quakes/Resources/web/js/selection.js").Selection;
  alerts: import("../Sources/quakes/Resources/web/js/alerts.js").Alerts;
  announcer: import("../Sources/LocalApp/Resources/web/js/announcer.js").Announcer;
}

interface ChangeHandlers {
  state: () => QuakeState;
  /** Whether the page has all events of the copy. */
  isWhole: () => boolean;
  /** Filters, orders and shows the events. */
  show: (anchor: ListAnchor | null | undefined) => void;
}

/** The parts that show the selected event. */
interface SelectionParts {
  list: import("../Sources/quakes/Resources/web/js/list-panel.js").ListPanel;
  panel: import("../Sources/quakes/Resources/web/js/map-panel.js").MapPanel;
  details: import("../Sources/quakes/Resources/web/js/details.js").Details;
  address: import("../Sources/quakes/Resources/web/js/address.js").Address;
  /** Whether the page is wide: list, map and details are beside each other. */
  wide: MediaQueryList;
}

interface SelectionHandlers {
  state: () => QuakeState;
  say: (text: string) => void;
  /** Another event is selected, or none. */
  marked: (id: string | null) => void;
}
