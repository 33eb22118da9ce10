/**
 * A chart: a title, a summary in words, the picture, two sliders for the chosen range, and a table of what the
 * picture shows. The picture itself is hidden from screen readers, which have summary, sliders and table.
 */

const MARGIN = { top: 8, right: 14, bottom: 20, left: 44 };
const HEIGHT = 132;
const SVG = "http://www.w3.org/2000/svg";

function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

export class Chart {
  #d3;
  #options;
  #parts = {};
  #layers = {};
  #sliders = [];
  #brush = null;
  #content = null;
  #range = null;
  #width = 0;

  /**
   * @param d3 the library
   * @param {{id, title, columns, legend, range, choose}} options columns of the table; `range` has the texts of a range
   *   ({name, text}), for a chart in which one can be chosen; choose(range) is called with [first, last] or null
   */
  constructor(d3, options) {
    this.#d3 = d3;
    this.#options = options;
    const parts = this.#parts;
    parts.title = make("h3", { id: `${options.id}-title`, textContent: options.title });
    parts.summary = make("p", { className: "summary" });
    parts.svg = document.createElementNS(SVG, "svg");
    parts.svg.setAttribute("aria-hidden", "true");
    parts.plot = make("div", { className: "plot" }, parts.svg);
    parts.body = make("tbody");
    const head = make("tr", {}, ...options.columns.map(
      (text) => make("th", { scope: "col", textContent: text })));
    parts.table = make("table", { ariaLabel: options.title }, make("thead", {}, head), parts.body);
    parts.scroll = make("div", {
      className: "cells", tabIndex: 0, role: "region", ariaLabel: `${options.title}: table`,
    }, parts.table);
    parts.details = make("details", {}, make("summary", {
      textContent: "Table", ariaLabel: `Table: ${options.title}`,
    }), parts.scroll);
    parts.details.addEventListener("toggle", () => this.#fillTable());
    this.element = make("figure", { className: "chart", id: options.id },
      make("figcaption", {}, parts.title, parts.summary), parts.plot, parts.details);
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-labelledby", parts.title.id);
    for (const name of ["axis-x", "axis-y", "marks", "brush"]) {
      this.#layers[name] = d3.select(parts.svg).append("g").attr("class", name);
    }
    if (options.range) this.#addSliders();
    if (options.legend) parts.plot.append(make("p", { className: "marks-legend", textContent: options.legend }));
    new ResizeObserver(() => this.#resized()).observe(parts.plot);
  }

  /**
   * @param content {summary, first, last, ticks, heights, draw, rows}: the words; the domain, in bins, `last`
   *   included; ticks(count) gives [{at, text}]; heights() the scale of heights without its range;
   *   draw(marks, x, y) the marks; rows() the cells of the table. Null without any events.
   * @param {number[] | null} range the chosen one
   */
  show(content, range = null) {
    this.#content = content;
    this.#range = range;
    const { plot, summary } = this.#parts;
    summary.textContent = content?.summary ?? "No earthquakes.";
    plot.hidden = content === null;
    this.#fillTable();
    this.#draw();
  }

  #resized() {
    const width = Math.floor(this.#parts.plot.clientWidth);
    if (width === this.#width) return;
    this.#width = width;
    this.#draw();
  }

  get #domain() {
    const { first, last } = this.#content;
    const [from, to] = this.#range ?? [first, last];
    return [Math.min(first, from), Math.max(last, to)];
  }

  #draw() {
    if (!this.#content || !this.#width) return;
    const d3 = this.#d3;
    const [first, last] = this.#domain;
    const right = this.#width - MARGIN.right;
    const bottom = HEIGHT - MARGIN.bottom;
    this.#parts.svg.setAttribute("viewBox", `0 0 ${this.#width} ${HEIGHT}`);
    const x = d3.scaleLinear([first, last + 1], [MARGIN.left, right]);
    const y = this.#content.heights().range([bottom, MARGIN.top]);
    const ticks = this.#content.ticks(Math.max(2, Math.floor(this.#width / 70)), first, last);
    this.#layers["axis-x"].attr("transform", `translate(0,${bottom})`).call(
      d3.axisBottom(x).tickValues(ticks.map(({ at }) => at)).tickFormat((_, index) => ticks[index].text)
        .tickSizeOuter(0).tickSize(4));
    const heights = this.#content.heightTicks?.(y) ?? y.ticks(4);
    this.#layers["axis-y"].attr("transform", `translate(${MARGIN.left},0)`).call(
      d3.axisLeft(y).tickValues(heights).tickFormat(this.#content.heightText).tickSize(-(right - MARGIN.left)));
    this.#content.draw(this.#layers.marks, x, y);
    if (this.#options.range) this.#drawRange(x, right, bottom);
  }

  // MARK: the range

  #addSliders() {
    const { title, range } = this.#options;
    const bounds = make("div", { className: "bounds" });
    for (const end of ["First", "Last"]) {
      const slider = make("input", { type: "range", step: "1", ariaLabel: `${end} of the range, ${title}` });
      slider.addEventListener("input", () => this.#slide(slider, false));
      slider.addEventListener("change", () => this.#slide(slider, true));
      slider.addEventListener("keydown", (event) => this.#key(event));
      this.#sliders.push(slider);
      bounds.append(slider);
    }
    bounds.title = `Choose ${range.name.toLowerCase()}`;
    this.#parts.plot.append(bounds);
    this.#brush = this.#d3.brushX().touchable(false).on("end", (event) => this.#brushed(event));
  }

  /** Backspace and Delete take the range away, as its chip does. */
  #key(event) {
    if (this.#range === null || !["Backspace", "Delete"].includes(event.key)) return;
    event.preventDefault();
    this.#options.choose(null);
  }

  /** The range of two bins; null for the whole domain. */
  #rangeOf(from, to) {
    const [first, last] = this.#domain;
    const ends = [Math.max(first, Math.min(from, to)), Math.min(last, Math.max(from, to))];
    return ends[0] === first && ends[1] === last ? null : ends;
  }

  #slide(slider, isFinal) {
    const [from, to] = this.#sliders.map(({ valueAsNumber }) => valueAsNumber);
    // A slider that passes the other one takes it along.
    const other = this.#sliders.find((each) => each !== slider);
    if (from > to) other.valueAsNumber = slider.valueAsNumber;
    const range = this.#rangeOf(...this.#sliders.map(({ valueAsNumber }) => valueAsNumber));
    this.#name(range);
    if (isFinal) this.#options.choose(range);
  }

  #name(range) {
    const { range: { text } } = this.#options;
    const ends = range ?? this.#domain;
    this.#sliders.forEach((slider, at) => {
      slider.setAttribute("aria-valuetext", text([ends[at], ends[at]]));
    });
  }

  #brushed({ selection, sourceEvent }) {
    // Without an event, the page itself moved the brush.
    if (!sourceEvent) return;
    if (selection === null) {
      if (this.#range !== null) this.#options.choose(null);
      return;
    }
    const [from, to] = selection.map(this.#scale.invert);
    // Bins of which the middle is inside; of a narrow selection, the one that it is in.
    const start = Math.round(from);
    const end = Math.max(start, Math.round(to) - 1);
    const range = to - from < 1 ? [Math.floor((from + to) / 2), Math.floor((from + to) / 2)] : [start, end];
    this.#options.choose(this.#rangeOf(...range));
    this.#draw();
  }

  #scale = null;

  #drawRange(x, right, bottom) {
    this.#scale = x;
    const [first, last] = this.#domain;
    const layer = this.#layers.brush;
    this.#brush.extent([[MARGIN.left, MARGIN.top], [right, bottom]]);
    layer.call(this.#brush);
    layer.call(this.#brush.move, this.#range && [x(this.#range[0]), x(this.#range[1] + 1)]);
    const ends = this.#range ?? [first, last];
    this.#sliders.forEach((slider, at) => {
      slider.min = String(first);
      slider.max = String(last);
      slider.value = String(ends[at]);
    });
    this.#name(this.#range);
  }

  #fillTable() {
    const { details, body } = this.#parts;
    details.hidden = this.#content === null;
    if (!details.open || !this.#content) return;
    body.replaceChildren(...this.#content.rows().map(([head, ...cells]) => make("tr", {},
      make("th", { scope: "row", textContent: head }), ...cells.map((text) => make("td", { textContent: text })))));
  }
}
