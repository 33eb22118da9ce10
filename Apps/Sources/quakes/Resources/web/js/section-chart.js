/**
 * The depth section: depths downwards over the distance along a section, or over longitude or latitude. Dots have the
 * sizes and colours of the map's circles. A brush chooses depths, and a part of the horizontal axis; the picture is
 * hidden from screen readers, which have the summary, the table, and the sliders of the chart of depths.
 */

import { boxRound } from "./box.js";
import { colourName } from "./circle-colours.js";
import * as format from "./format.js";
import { placeOf } from "./row.js";
import { DEPTH_BIN, depthBinOf } from "./statistics.js";
import { colour } from "./theme.js";
import { fromKilometres, get, toKilometres } from "./units.js";

const MARGIN = { top: 12, right: 16, bottom: 22, left: 44 };
const HEIGHT = 250;
const SVG = "http://www.w3.org/2000/svg";
/** The maximum number of dots and of the table's rows: the strongest events. */
const MOST_DOTS = 20_000;
const MOST_ROWS = 200;
/** The distance from a dot within which a click or the pointer means it, in pixels. */
const REACH = 12;
/** The share of an axis from which a brush means all of it. */
const WHOLE = 0.97;
/** The depths of an empty section, in kilometres. */
const USUAL_DEPTH = 10;

const forced = matchMedia("(forced-colors: active)");

/** @type {Record<SectionAxis, string>} */
const AXES = { along: "Distance along the section", longitude: "Longitude", latitude: "Latitude" };

/** @type {(value: number, positive: string, negative: string) => string} */
function degrees(value, positive, negative) {
  const turned = value > 180 ? value - 360 : value;
  const text = String(Number(Math.abs(turned).toFixed(2)));
  return `${text}°${turned === 0 ? "" : ` ${turned < 0 ? negative : positive}`}`;
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Partial<HTMLElementTagNameMap[K]> & {role?: string}} properties
 * @param {(Node | string)[]} children
 */
function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

export class SectionChart {
  #d3;
  #handlers;
  #parts;
  /** @type {Record<string, D3Selection>} */
  #layers = {};
  /** @type {D3PlaneBrush} */
  #brush;
  /** @type {SectionContent | null} */
  #content = null;
  /**
   * The reader's axis; null for the section where there is one, else the longitude.
   * @type {SectionAxis | null}
   */
  #axis = null;
  /** @type {SectionDot[]} */
  #dots = [];
  /** @type {{x: D3Scale, y: D3Scale} | null} */
  #scales = null;
  /** @type {string | null} */
  #selected = null;
  #width = 0;

  /**
   * @param {D3Library} d3
   * @param {SectionHandlers} handlers
   */
  constructor(d3, handlers) {
    this.#d3 = d3;
    this.#handlers = handlers;
    const title = make("h3", { id: "chart-section-title", textContent: "Depth section" });
    const select = make("select", { ariaLabel: "Horizontal axis of the depth section" },
      ...Object.entries(AXES).map(([value, text]) => make("option", { value, textContent: text })));
    select.addEventListener("change", () => this.#choose(/** @type {SectionAxis} */ (select.value)));
    const button = make("button", { type: "button", className: "tool wide", textContent: "Section…" });
    button.setAttribute("aria-haspopup", "dialog");
    button.addEventListener("click", () => handlers.edit());
    const summary = make("p", { className: "summary" });
    const canvas = make("canvas");
    const svg = document.createElementNS(SVG, "svg");
    const tip = make("p", { className: "tip", hidden: true });
    for (const part of [canvas, svg, tip]) part.setAttribute("aria-hidden", "true");
    const legend = make("p", { className: "marks-legend" });
    const plot = make("div", { className: "plot" }, canvas, svg, tip, legend);
    const head = make("tr");
    const body = make("tbody");
    const table = make("table", { ariaLabel: "Depth section" }, make("thead", {}, head), body);
    const cells = make("div", {
      className: "cells", tabIndex: 0, role: "region", ariaLabel: "Depth section: table",
    }, table);
    const details = make("details", {}, make("summary", {
      textContent: "Table", ariaLabel: "Table: Depth section",
    }), cells);
    details.addEventListener("toggle", () => this.#fillTable());
    this.#parts = { select, summary, canvas, svg, tip, legend, plot, head, body, details };
    this.element = make("figure", { className: "chart wide-chart", id: "chart-section" },
      make("figcaption", {}, make("div", { className: "section-tools" }, title, select, button), summary),
      plot, details);
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-labelledby", title.id);
    for (const name of ["axis-x", "axis-y", "brush", "marks"]) {
      this.#layers[name] = d3.select(svg).append("g").attr("class", name);
    }
    this.#brush = d3.brush().touchable(false).on("end", (event) => this.#brushed(event));
    svg.addEventListener("click", (event) => this.#click(event));
    svg.addEventListener("mousemove", (event) => this.#point(event));
    svg.addEventListener("mouseleave", () => { tip.hidden = true; });
    new ResizeObserver(() => {
      const width = Math.floor(plot.clientWidth);
      if (width === this.#width) return;
      this.#width = width;
      this.#draw();
    }).observe(plot);
  }

  /** @param {SectionContent} content */
  show(content) {
    if (JSON.stringify(this.#content?.section) !== JSON.stringify(content.section)) this.#axis = null;
    this.#content = content;
    this.redraw();
  }

  /** Draws anew, in the colours and units at hand. */
  redraw() {
    if (!this.#content) return;
    this.#place(this.#content);
    this.#parts.select.value = this.axis;
    this.#parts.summary.textContent = this.#summary(this.#content);
    this.#parts.plot.hidden = this.#dots.length === 0;
    this.#fillTable();
    this.#draw();
  }

  /**
   * Puts a ring round an event's dot, or round none.
   * @param {string | null} id
   */
  select(id) {
    this.#selected = id;
    this.#drawSelected();
    for (const button of this.#parts.body.querySelectorAll("button")) {
      button.ariaPressed = String(button.dataset.id === id);
    }
  }

  /** The axis that is shown. */
  get axis() {
    const isSet = Boolean(this.#content?.section);
    if (this.#axis && (isSet || this.#axis !== "along")) return this.#axis;
    return isSet ? "along" : "longitude";
  }

  /** @param {SectionAxis} axis */
  #choose(axis) {
    if (axis === "along" && !this.#content?.section) {
      this.#parts.select.value = this.axis;
      this.#handlers.edit();
      return;
    }
    this.#axis = axis;
    this.redraw();
  }

  /**
   * Determines the dots: the strongest events of which the depth is known.
   * @param {SectionContent} content
   */
  #place({ events, section }) {
    const axis = this.axis;
    const known = events.filter(({ depth }) => Number.isFinite(depth));
    if (known.length > MOST_DOTS) known.sort((a, b) => (b.magnitude ?? -9) - (a.magnitude ?? -9));
    const shown = known.slice(0, MOST_DOTS);
    const west = axis === "longitude" && shown.length ? boxRound(shown).west : -180;
    this.#dots = shown.map((event) => {
      const { longitude, latitude } = event;
      const at = axis === "latitude" ? latitude : axis === "along" && section ? section.place(event).along
        : longitude < west ? longitude + 360 : longitude;
      return { event, at, depth: event.depth ?? 0 };
    });
    this.#dots.sort((a, b) => (b.event.magnitude ?? -9) - (a.event.magnitude ?? -9));
  }

  /** @param {SectionContent} content */
  #summary({ events, section, isWhole }) {
    const known = events.filter(({ depth }) => Number.isFinite(depth)).length;
    const parts = [format.plural(known, "event")];
    if (section && this.axis === "along") {
      const [from, to] = [section.from, section.to].map(endText);
      parts[0] += ` within ${format.distance(section.halfWidth)} of the line from A, ${from}, to B, ${to}, ${
        format.distance(section.length)} long`;
    }
    if (this.#dots.length) {
      const deepest = this.#dots.reduce((best, dot) => (dot.depth > best.depth ? dot : best));
      parts.push(`the deepest is ${format.depth(deepest.depth)}`);
    }
    if (known < events.length) parts.push(`${format.count(events.length - known)} without a depth`);
    if (known > this.#dots.length) parts.push(`the ${format.count(this.#dots.length)} strongest are drawn`);
    if (!isWhole) parts.push("of those that the page has loaded");
    return `${parts.join("; ")}.`;
  }

  /** The ends of the horizontal axis. */
  get #ends() {
    const section = this.#content?.section;
    if (this.axis === "along" && section) return [0, section.length];
    const places = this.#dots.map(({ at }) => at);
    const [first, last] = [Math.min(...places), Math.max(...places)];
    const room = Math.max(0.05, (last - first) * 0.02);
    return [first - room, last + room];
  }

  /** The least and the greatest depth, with those that are chosen. */
  get #depths() {
    const chosen = (this.#content?.range ?? []).map((bin, at) => (bin + at) * DEPTH_BIN);
    const depths = [...this.#dots.map(({ depth }) => depth), ...chosen];
    return [Math.min(0, ...depths), Math.max(USUAL_DEPTH, ...depths) * 1.03];
  }

  #draw() {
    if (!this.#content || !this.#width || !this.#dots.length) return;
    const d3 = this.#d3;
    const [right, bottom] = [this.#width - MARGIN.right, HEIGHT - MARGIN.bottom];
    const [ends, depths] = [this.#ends, this.#depths];
    const x = d3.scaleLinear(ends, [MARGIN.left, right]);
    const y = d3.scaleLinear(depths, [MARGIN.top, bottom]);
    this.#scales = { x, y };
    this.#parts.svg.setAttribute("viewBox", `0 0 ${this.#width} ${HEIGHT}`);
    const across = this.#ticks(ends);
    this.#layers["axis-x"].attr("transform", `translate(0,${bottom})`).call(
      d3.axisBottom(x).tickValues(across.map(({ at }) => at)).tickFormat((_, index) => across[index].text)
        .tickSizeOuter(0).tickSize(4));
    const down = d3.ticks(fromKilometres(depths[0]), fromKilometres(depths[1]), 6);
    this.#layers["axis-y"].attr("transform", `translate(${MARGIN.left},0)`).call(
      d3.axisLeft(y).tickValues(down.map(toKilometres))
        .tickFormat((_, index) => String(down[index]).replace("-", "−")).tickSize(-(right - MARGIN.left)));
    this.#drawDots(x, y);
    this.#drawRange(x, y, right, bottom);
    this.#drawSelected();
    this.#parts.legend.textContent = this.#legend((bottom - MARGIN.top) / (depths[1] - depths[0])
      / ((right - MARGIN.left) / (ends[1] - ends[0])));
  }

  /** @param {number} exaggeration how much larger a kilometre is downwards than along the section */
  #legend(exaggeration) {
    const unit = `Depths in ${get("distance")}; dots by magnitude, in the colours of the map.`;
    if (this.axis !== "along") return unit;
    return `${unit} Distances in ${get("distance")} from A, left, to B; depths are drawn ${
      Number(exaggeration.toPrecision(2))} times as large.`;
  }

  /** @param {number[]} ends */
  #ticks([first, last]) {
    const count = Math.max(2, Math.floor(this.#width / 90));
    if (this.axis === "along") {
      const values = this.#d3.ticks(0, fromKilometres(last), count);
      return values.map((value) => ({ at: toKilometres(value), text: format.count(value) }));
    }
    const signs = this.axis === "longitude" ? ["E", "W"] : ["N", "S"];
    return this.#d3.ticks(first, last, count).map((at) => ({ at, text: degrees(at, signs[0], signs[1]) }));
  }

  /**
   * @param {D3Scale} x
   * @param {D3Scale} y
   */
  #drawDots(x, y) {
    const { canvas } = this.#parts;
    const ratio = devicePixelRatio || 1;
    [canvas.width, canvas.height] = [this.#width * ratio, HEIGHT * ratio];
    const context = canvas.getContext("2d");
    if (!context) return;
    context.scale(ratio, ratio);
    const now = Date.now();
    const range = this.#content?.range;
    /** @type {Map<string, string>} */
    const colours = new Map();
    const outline = forced.matches ? colour("text") : null;
    for (const { event, at, depth } of this.#dots) {
      const name = colourName(event, now);
      let fill = colours.get(name);
      if (!fill) colours.set(name, fill = colour(name));
      const bin = depthBinOf(depth);
      const isOutside = range && (bin < range[0] || bin > range[1]);
      context.beginPath();
      context.arc(x(at), y(depth), radius(event), 0, 2 * Math.PI);
      context.fillStyle = fill;
      context.strokeStyle = outline ?? fill;
      context.globalAlpha = isOutside ? 0.12 : 0.55;
      context.fill();
      context.globalAlpha = isOutside ? 0.25 : 0.95;
      context.stroke();
    }
  }

  /**
   * @param {D3Scale} x
   * @param {D3Scale} y
   * @param {number} right
   * @param {number} bottom
   */
  #drawRange(x, y, right, bottom) {
    const range = this.#content?.range;
    const layer = this.#layers.brush;
    this.#brush.extent([[MARGIN.left, MARGIN.top], [right, bottom]]);
    layer.call(this.#brush);
    const [left] = x.range();
    layer.call(this.#brush.move, range
      ? [[left, y(range[0] * DEPTH_BIN)], [right, y((range[1] + 1) * DEPTH_BIN)]] : null);
  }

  #drawSelected() {
    const dot = this.#dots.find(({ event }) => event.id === this.#selected);
    if (!this.#scales) return;
    const { x, y } = this.#scales;
    this.#layers.marks.selectAll(".selected-dot").data(dot ? [dot] : []).join("circle").attr("class", "selected-dot")
      .attr("cx", ({ at }) => x(at)).attr("cy", ({ depth }) => y(depth)).attr("r", ({ event }) => radius(event) + 4);
  }

  /**
   * The dot nearest to the pointer, within reach.
   * @param {MouseEvent} event
   */
  #under({ clientX, clientY }) {
    if (!this.#scales) return null;
    const { x, y } = this.#scales;
    const { left, top } = this.#parts.svg.getBoundingClientRect();
    let [best, least] = [/** @type {SectionDot | null} */ (null), REACH];
    for (const dot of this.#dots) {
      const away = Math.hypot(x(dot.at) - (clientX - left), y(dot.depth) - (clientY - top));
      // Of equally near ones the last, which is on top.
      if (away <= least) [best, least] = [dot, away];
    }
    return best;
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const dot = this.#under(event);
    if (dot) this.#handlers.choose(dot.event.id);
  }

  /** @param {MouseEvent} event */
  #point(event) {
    const { tip, plot } = this.#parts;
    const dot = event.buttons ? null : this.#under(event);
    tip.hidden = !dot;
    if (!dot || !this.#scales) return;
    tip.textContent = `${nameOf(dot.event)} · ${format.exactDepth(dot.depth)}`;
    const left = Math.min(this.#scales.x(dot.at) + 12, plot.clientWidth - tip.offsetWidth - 4);
    tip.style.transform = `translate(${Math.max(4, left)}px, ${Math.max(0, this.#scales.y(dot.depth) - 40)}px)`;
  }

  /** @param {{selection: [[number, number], [number, number]] | null, sourceEvent?: Event}} event */
  #brushed({ selection, sourceEvent }) {
    // Without an event, the page itself moved the brush.
    if (!sourceEvent || !this.#scales) return;
    if (selection === null) {
      const isOnDot = sourceEvent instanceof MouseEvent && this.#under(sourceEvent);
      if (this.#content?.range && !isOnDot) this.#handlers.limit({ depths: null });
      return;
    }
    const { x, y } = this.#scales;
    const [[left, top], [right, bottom]] = selection;
    /** @type {SectionLimits} */
    const limits = { depths: this.#isWhole(y, top, bottom) ? null : this.#bins(y.invert(top), y.invert(bottom)) };
    if (!this.#isWhole(x, left, right)) limits.part = { axis: this.axis, from: x.invert(left), to: x.invert(right) };
    this.#handlers.limit(limits);
    // Also where nothing changes.
    this.#draw();
  }

  /** @type {(scale: D3Scale, from: number, to: number) => boolean} */
  #isWhole(scale, from, to) {
    const [first, last] = scale.range();
    return to - from >= WHOLE * (last - first);
  }

  /**
   * Bins of depths of which the middle is chosen; of a narrow choice, the one that it is in.
   * @type {(from: number, to: number) => Bins}
   */
  #bins(from, to) {
    const start = Math.round(from / DEPTH_BIN);
    return to - from < DEPTH_BIN ? [depthBinOf((from + to) / 2), depthBinOf((from + to) / 2)]
      : [start, Math.max(start, Math.round(to / DEPTH_BIN) - 1)];
  }

  #fillTable() {
    const { details, head, body } = this.#parts;
    details.hidden = this.#dots.length === 0;
    if (!details.open) return;
    const unit = get("distance");
    const along = this.axis === "along" ? `Along the section, ${unit}` : AXES[this.axis];
    head.replaceChildren(...["Event", along, `Depth, ${unit}`].map(
      (text) => make("th", { scope: "col", textContent: text })));
    const range = this.#content?.range;
    const shown = this.#dots.filter(({ depth }) =>
      !range || (depthBinOf(depth) >= range[0] && depthBinOf(depth) <= range[1]));
    body.replaceChildren(...shown.slice(0, MOST_ROWS).map((dot) => this.#row(dot)));
    if (shown.length > MOST_ROWS) {
      body.append(make("tr", {}, make("td", {
        colSpan: 3, textContent: `The ${MOST_ROWS} strongest of ${format.count(shown.length)}.`,
      })));
    }
  }

  /** @param {SectionDot} dot */
  #row({ event, at, depth }) {
    const button = make("button", {
      type: "button", className: "link", textContent: nameOf(event),
      ariaPressed: String(event.id === this.#selected),
    });
    button.dataset.id = event.id;
    button.addEventListener("click", () => this.#handlers.choose(event.id));
    const place = this.axis === "along" ? format.tenth(fromKilometres(at))
      : this.axis === "longitude" ? degrees(at, "E", "W") : degrees(at, "N", "S");
    return make("tr", {}, make("th", { scope: "row" }, button),
      make("td", { textContent: place }), make("td", { textContent: format.tenth(fromKilometres(depth)) }));
  }
}

/** @param {Quake} event */
const nameOf = (event) => `M ${format.magnitude(event.magnitude)} · ${placeOf(event)}`;

/** @param {NamedPlace} end */
const endText = ({ name, latitude, longitude }) => name ?? format.coordinates(latitude, longitude);

/**
 * The radius of a dot in pixels.
 * @param {Quake} event
 */
const radius = ({ magnitude }) => Math.max(1.6, format.diameter(magnitude) * 0.21);
