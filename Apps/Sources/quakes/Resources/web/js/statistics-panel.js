/** The statistics of the list: facts, and charts in which days, magnitudes and depths can be chosen. */

import * as contents from "./chart-contents.js";
import * as format from "./format.js";
import { Chart } from "./chart.js";
import { loadCharts } from "./charts.js";
import { MISSING } from "./installed.js";
import { RANGES, RANGE_KEYS } from "./ranges.js";
import { placeOf } from "./row.js";
import { SectionChart } from "./section-chart.js";

/** The time until the server is asked, in milliseconds: filters often change several times in a row. */
const PAUSE = 250;

/** @type {(Pick<ChartOptions, "title" | "columns" | "legend"> & {key: ChartKey})[]} */
const CHARTS = [
  { key: "days", title: "Events a day", columns: ["Days in UTC", "Events", "A day"] },
  {
    key: "tenths", title: "Earthquakes by magnitude", columns: ["Magnitude", "Earthquakes", "At least as strong"],
    legend: "Dots: at least as strong. Line: the law with this b value.",
  },
  { key: "depthBins", title: "Events by depth", columns: ["Depth", "Events"] },
  { key: "moment", title: "Cumulative moment", columns: ["Day in UTC", "Moment in N·m", "Sum in N·m"] },
];

/** @type {Record<ChartKey, MakeContent>} */
const CONTENTS = {
  days: contents.days, tenths: contents.magnitudes, depthBins: contents.depths, moment: contents.moment,
};

/**
 * A value that is determined of a state: of all that the filters let through, and for a chart without its own range.
 * @template T
 * @param {QuakeState} state
 * @param {(state: QuakeState) => T} determine
 */
function asked(state, determine) {
  const all = determine(state);
  /** @type {Map<ChartKey, T>} */
  const others = new Map();
  for (const key of RANGE_KEYS) if (state[key]) others.set(key, determine({ ...state, [key]: null }));
  return { all, others };
}

/**
 * The answers to what was asked.
 * @param {{all: Promise<QuakeStatistics>, others: Map<ChartKey, Promise<QuakeStatistics>>}} asked
 */
async function settled({ all, others }) {
  const keys = [...others.keys()];
  const [whole, ...answers] = await Promise.all([all, ...others.values()]);
  return { all: whole, others: new Map(keys.map((key, at) => [key, answers[at]])) };
}

export class StatisticsPanel {
  #parts;
  #handlers;
  /** @type {Promise<[D3Library, Map<ChartKey, Chart>]> | null} */
  #charts = null;
  /** @type {QuakeState | null} */
  #state = null;
  /** @type {SectionChart | null} */
  #section = null;
  /** @type {string | null} */
  #selected = null;
  #hasToShowSection = false;
  #isWhole = false;
  #timer = 0;
  /** The number of updates so far; answers to earlier ones are dropped. */
  #update = 0;

  /**
   * @param {Record<"panel" | "text" | "strongest" | "charts", HTMLElement>} parts
   * @param {StatisticsHandlers} handlers
   */
  constructor(parts, handlers) {
    this.#parts = parts;
    this.#handlers = handlers;
    parts.strongest.addEventListener("click", () => handlers.open(parts.strongest.dataset.id ?? ""));
  }

  get isVisible() {
    return this.#parts.panel.checkVisibility({ visibilityProperty: true });
  }

  /**
   * Shows the statistics of a state, if the panel is visible, else when it becomes so.
   * @param {QuakeState} state
   * @param {boolean} isWhole whether the page has all events that the state's filters may let through
   */
  show(state, isWhole) {
    this.#state = { ...state };
    this.#isWhole = isWhole;
    this.#schedule();
  }

  /** The panel has appeared. */
  appeared() {
    this.#schedule();
  }

  /**
   * Marks the selected event in the depth section.
   * @param {string | null} id
   */
  select(id) {
    this.#selected = id;
    this.#section?.select(id);
  }

  /** Draws the depth section anew, after a change of colours and as events age. */
  recolour() {
    if (this.isVisible) this.#section?.redraw();
  }

  /** Brings the depth section into sight, once it is drawn. */
  showSection() {
    this.#hasToShowSection = true;
    this.#schedule();
  }

  #schedule() {
    if (this.#state === null || !this.isVisible) return;
    this.#update += 1;
    const update = this.#update;
    clearTimeout(this.#timer);
    const state = this.#state;
    if (this.#isWhole) requestAnimationFrame(() => this.#show(update, state));
    else this.#timer = setTimeout(() => this.#show(update, state), PAUSE);
  }

  /**
   * @param {number} update
   * @param {QuakeState} state
   */
  async #show(update, state) {
    if (update !== this.#update) return;
    const { panel, text } = this.#parts;
    panel.setAttribute("aria-busy", "true");
    try {
      const [d3, charts] = await this.#start();
      if (update !== this.#update) return;
      const { compute, fetch } = this.#handlers;
      const { all, others } = this.#isWhole ? asked(state, compute) : await settled(asked(state, fetch));
      if (update !== this.#update) return;
      this.#showFacts(all);
      charts.forEach((chart, key) => {
        const range = key === "moment" ? null : state[key];
        chart.show(CONTENTS[key](d3, others.get(key) ?? all, range), range);
      });
      this.#section?.show({
        ...this.#handlers.located(state), range: state.depthBins, isWhole: this.#isWhole,
      });
      this.#section?.select(this.#selected);
      if (this.#hasToShowSection) this.#section?.element.scrollIntoView({ block: "nearest" });
      this.#hasToShowSection = false;
      panel.dataset.state = this.#isWhole ? "page" : "server";
    } catch (error) {
      if (update !== this.#update) return;
      console.warn("Quakes statistics:", error);
      panel.dataset.state = "failed";
      text.textContent = error.message === MISSING
        ? "The charts are not installed: run scripts/install-web-assets.sh and start the program again."
        : `The statistics could not be loaded: ${error.message}`;
    }
    if (update === this.#update) panel.removeAttribute("aria-busy");
  }

  /** The library and the charts, which are made once. */
  #start() {
    this.#charts ??= loadCharts().then((d3) => [d3, this.#make(d3)], (error) => {
      this.#charts = null;
      throw error;
    });
    return this.#charts;
  }

  /** @param {D3Library} d3 */
  #make(d3) {
    /** @type {Map<ChartKey, Chart>} */
    const charts = new Map();
    for (const { key, ...options } of CHARTS) {
      const range = key === "moment" ? {} : {
        range: RANGES[key], choose: (/** @type {Bins | null} */ chosen) => this.#handlers.choose(key, chosen),
      };
      charts.set(key, new Chart(d3, { ...options, ...range, id: `chart-${key}` }));
    }
    this.#section = new SectionChart(d3, {
      choose: this.#handlers.point, limit: this.#handlers.limit, edit: this.#handlers.edit,
    });
    this.#parts.charts.replaceChildren(
      ...[...charts.values()].map(({ element }) => element), this.#section.element);
    return charts;
  }

  /** @param {QuakeStatistics} statistics */
  #showFacts({ count, earthquakes, strongest }) {
    const { text, strongest: button } = this.#parts;
    text.textContent = `${format.plural(count, "event")}, ${
      format.plural(earthquakes, "earthquake")} with a magnitude.`;
    button.hidden = strongest === null;
    if (strongest === null) return;
    button.dataset.id = strongest.id;
    button.textContent = `Strongest: M ${format.magnitude(strongest.magnitude)} · ${placeOf(strongest)}`;
  }
}
