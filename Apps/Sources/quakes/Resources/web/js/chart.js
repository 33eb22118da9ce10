/**
 * A chart: a title, a summary in words, the picture, two sliders for the chosen range, and a table of what the
 * picture shows. The picture itself is hidden from screen readers, which have summary, sliders and table.
 */

const MARGIN = { top: 8, right: 14, bottom: 20, left: 44 };
const HEIGHT = 132;
const SVG = "http://www.w3.org/2000/svg";

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

export class Chart {
  #d3;
  #options;
  #parts;
  /** @type {Record<string, D3Selection>} */
  #layers = {};
  /** @type {HTMLInputElement[]} */
  #sliders = [];
  /** @type {D3Brush | null} */
  #brush = null;
  /** @type {ChartContent | null} */
  #content = null;
  /** @type {Bins | null} */
  #range = null;
  #width = 0;

  /**
   * @param {D3Library} d3
   * @param {ChartOptions} options
   */
  constructor(d3, options) {
    this.#d3 = d3;
    this.#options = options;
    const title = make("h3", { id: `${options.id}-title`, textContent: options.title });
    const summary = make("p", { className: "summary" });
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("aria-hidden", "true");
    const plot = make("div", { className: "plot" }, svg);
    const body = make("tbody");
    const head = make("tr", {}, ...options.columns.map(
      (text) => make("th", { scope: "col", textContent: text })));
    const table = make("table", { ariaLabel: options.title }, make("thead", {}, head), body);
    const scroll = make("div", {
      className: "cells", tabIndex: 0, role: "region", ariaLabel: `${options.title}: table`,
    }, table);
    const details = make("details", {}, make("summary", {
      textContent: "Table", ariaLabel: `Table: ${options.title}`,
    }), scroll);
    this.#parts = { summary, svg, plot, body, details };
    details.addEventListener("toggle", () => this.#fillTable());
    this.element = make("figure", { className: "chart", id: options.id },
      make("figcaption", {}, title, summary), plot, details);
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-labelledby", title.id);
    for (const name of ["axis-x", "axis-y", "marks", "brush"]) {
      this.#layers[name] = d3.select(svg).append("g").attr("class", name);
    }
    if (options.range) this.#addSliders(options.range);
    if (options.legend) plot.append(make("p", { className: "marks-legend", textContent: options.legend }));
    new ResizeObserver(() => this.#resized()).observe(plot);
  }

  /**
   * @param {ChartContent | null} content null without any events
   * @param {Bins | null} range the chosen one
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

  /**
   * The bins of the content, and those of the range.
   * @returns {Bins}
   */
  get #domain() {
    const { first, last } = this.#content ?? { first: 0, last: 0 };
    const [from, to] = this.#range ?? [first, last];
    return [Math.min(first, from), Math.max(last, to)];
  }

  #draw() {
    const content = this.#content;
    if (!content || !this.#width) return;
    const d3 = this.#d3;
    const [first, last] = this.#domain;
    const right = this.#width - MARGIN.right;
    const bottom = HEIGHT - MARGIN.bottom;
    this.#parts.svg.setAttribute("viewBox", `0 0 ${this.#width} ${HEIGHT}`);
    const x = d3.scaleLinear([first, last + 1], [MARGIN.left, right]);
    const y = content.heights().range([bottom, MARGIN.top]);
    const ticks = content.ticks(Math.max(2, Math.floor(this.#width / 70)), first, last);
    this.#layers["axis-x"].attr("transform", `translate(0,${bottom})`).call(
      d3.axisBottom(x).tickValues(ticks.map(({ at }) => at)).tickFormat((_, index) => ticks[index].text)
        .tickSizeOuter(0).tickSize(4));
    const heights = content.heightTicks?.(y) ?? y.ticks(4);
    this.#layers["axis-y"].attr("transform", `translate(${MARGIN.left},0)`).call(
      d3.axisLeft(y).tickValues(heights).tickFormat(content.heightText).tickSize(-(right - MARGIN.left)));
    content.draw(this.#layers.marks, x, y);
    if (this.#brush) this.#drawRange(this.#brush, x, right, bottom);
  }

  // MARK: the range

  /** @param {Pick<RangeRules, "name" | "text">} range */
  #addSliders(range) {
    const { title } = this.#options;
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

  /**
   * Backspace and Delete take the range away, as its chip does.
   * @param {KeyboardEvent} event
   */
  #key(event) {
    if (this.#range === null || !["Backspace", "Delete"].includes(event.key)) return;
    event.preventDefault();
    this.#options.choose?.(null);
  }

  /**
   * The range of two bins; null for the whole domain.
   * @param {number} from
   * @param {number} to
   * @returns {Bins | null}
   */
  #rangeOf(from, to) {
    const [first, last] = this.#domain;
    const [start, end] = [Math.max(first, Math.min(from, to)), Math.min(last, Math.max(from, to))];
    return start === first && end === last ? null : [start, end];
  }

  /**
   * @param {HTMLInputElement} slider
   * @param {boolean} isFinal
   */
  #slide(slider, isFinal) {
    const [from, to] = this.#sliders.map(({ valueAsNumber }) => valueAsNumber);
    // A slider that passes the other one takes it along.
    const other = this.#sliders.find((each) => each !== slider);
    if (from > to && other) other.valueAsNumber = slider.valueAsNumber;
    const [first, last] = this.#sliders.map(({ valueAsNumber }) => valueAsNumber);
    const range = this.#rangeOf(first, last);
    this.#name(range);
    if (isFinal) this.#options.choose?.(range);
  }

  /** @param {Bins | null} range */
  #name(range) {
    const text = this.#options.range?.text;
    if (!text) return;
    const ends = range ?? this.#domain;
    this.#sliders.forEach((slider, at) => {
      slider.setAttribute("aria-valuetext", text([ends[at], ends[at]]));
    });
  }

  /** @param {{selection: [number, number] | null, sourceEvent?: Event}} event */
  #brushed({ selection, sourceEvent }) {
    // Without an event, the page itself moved the brush.
    if (!sourceEvent || !this.#scale) return;
    if (selection === null) {
      if (this.#range !== null) this.#options.choose?.(null);
      return;
    }
    const [from, to] = selection.map(this.#scale.invert);
    // Bins of which the middle is inside; of a narrow selection, the one that it is in.
    const start = Math.round(from);
    const end = Math.max(start, Math.round(to) - 1);
    const middle = Math.floor((from + to) / 2);
    this.#options.choose?.(to - from < 1 ? this.#rangeOf(middle, middle) : this.#rangeOf(start, end));
    this.#draw();
  }

  /** @type {D3Scale | null} */
  #scale = null;

  /**
   * @param {D3Brush} brush
   * @param {D3Scale} x
   * @param {number} right
   * @param {number} bottom
   */
  #drawRange(brush, x, right, bottom) {
    this.#scale = x;
    const [first, last] = this.#domain;
    const layer = this.#layers.brush;
    brush.extent([[MARGIN.left, MARGIN.top], [right, bottom]]);
    layer.call(brush);
    layer.call(brush.move, this.#range && [x(this.#range[0]), x(this.#range[1] + 1)]);
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
