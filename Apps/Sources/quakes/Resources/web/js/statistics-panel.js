/** The statistics of the list: facts, and charts in which days, magnitudes and depths can be chosen. */

import * as contents from "./chart-contents.js";
import * as format from "./format.js";
import { Chart } from "./chart.js";
import { loadCharts } from "./charts.js";
import { RANGES } from "./ranges.js";
import { placeOf } from "./row.js";

/** The time until the server is asked, in milliseconds: filters often change several times in a row. */
const PAUSE = 250;

const CHARTS = [
  { key: "days", title: "Events a day", columns: ["Days in UTC", "Events", "A day"] },
  {
    key: "tenths", title: "Earthquakes by magnitude", columns: ["Magnitude", "Earthquakes", "At least as strong"],
    legend: "Dots: at least as strong. Line: the law with this b value.",
  },
  { key: "depthBins", title: "Events by depth", columns: ["Depth", "Events"] },
  { key: "moment", title: "Cumulative moment", columns: ["Day in UTC", "Moment in N·m", "Sum in N·m"] },
];

const CONTENTS = {
  days: contents.days, tenths: contents.magnitudes, depthBins: contents.depths, moment: contents.moment,
};

export class StatisticsPanel {
  #parts;
  #handlers;
  #charts = null;
  #d3 = null;
  #state = null;
  #isWhole = false;
  #timer = 0;
  /** The number of updates so far; answers to earlier ones are dropped. */
  #update = 0;

  /**
   * @param parts the elements {panel, text, strongest, charts}
   * @param {{compute, fetch, choose, open}} handlers compute(state) from the page's events, fetch(state) from the
   *   server, choose(key, range), open(id)
   */
  constructor(parts, handlers) {
    this.#parts = parts;
    this.#handlers = handlers;
    parts.strongest.addEventListener("click", () => handlers.open(parts.strongest.dataset.id));
  }

  get isVisible() {
    return this.#parts.panel.checkVisibility({ visibilityProperty: true });
  }

  /**
   * Shows the statistics of a state, if the panel is visible, else when it becomes so.
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

  #schedule() {
    if (this.#state === null || !this.isVisible) return;
    this.#update += 1;
    const update = this.#update;
    clearTimeout(this.#timer);
    if (this.#isWhole) requestAnimationFrame(() => this.#show(update));
    else this.#timer = setTimeout(() => this.#show(update), PAUSE);
  }

  async #show(update) {
    if (update !== this.#update) return;
    const { panel, text } = this.#parts;
    panel.setAttribute("aria-busy", "true");
    try {
      await this.#start();
      if (update !== this.#update) return;
      const found = this.#isWhole ? this.#asked(this.#handlers.compute) : await this.#fetched();
      if (update !== this.#update) return;
      this.#showFacts(found.get("all"));
      this.#charts.forEach((chart, key) => {
        const statistics = found.get(key) ?? found.get("all");
        const range = this.#state[key] ?? null;
        chart.show(CONTENTS[key](this.#d3, statistics, range), range);
      });
      panel.dataset.state = this.#isWhole ? "page" : "server";
    } catch (error) {
      if (update !== this.#update) return;
      console.warn("Quakes statistics:", error);
      panel.dataset.state = "failed";
      text.textContent = error.message === "not found"
        ? "The charts are not installed: run scripts/install-web-assets.sh and start the program again."
        : `The statistics could not be loaded: ${error.message}`;
    }
    if (update === this.#update) panel.removeAttribute("aria-busy");
  }

  /** What has to be determined: of all that the filters let through, and for a chart without its own range. */
  #asked(determine) {
    const found = new Map([["all", determine(this.#state)]]);
    for (const key of Object.keys(RANGES)) {
      if (this.#state[key]) found.set(key, determine({ ...this.#state, [key]: null }));
    }
    return found;
  }

  async #fetched() {
    const asked = [...this.#asked(this.#handlers.fetch)];
    const answers = await Promise.all(asked.map(([, answer]) => answer));
    return new Map(asked.map(([key], at) => [key, answers[at]]));
  }

  async #start() {
    if (this.#charts) return;
    this.#d3 = await loadCharts();
    if (this.#charts) return;
    this.#charts = new Map(CHARTS.map(({ key, ...options }) => [key, new Chart(this.#d3, {
      ...options, id: `chart-${key}`, range: RANGES[key],
      choose: (range) => this.#handlers.choose(key, range),
    })]));
    this.#parts.charts.replaceChildren(...[...this.#charts.values()].map(({ element }) => element));
  }

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
