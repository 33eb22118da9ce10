/** The printed sheet: the list with its filters, order, time and coverage, and the map, without anything to press. */

import { find } from "./find.js";
import * as format from "./format.js";
import { filterTexts } from "./list-panel.js";
import { placeOf } from "./row.js";
import { isUTC } from "./units.js";

const dark = matchMedia("(prefers-color-scheme: dark)");

/** The most rows that are printed: forty pages. */
const MOST = 2_000;
/** The texts beside the list that tell what it may lack. */
const NOTES = ["search-note", "part", "coverage"];
const COLUMNS = ["Time", "Magnitude", "Depth", "Place"];

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {(Node | string)[]} content
 */
function element(name, ...content) {
  const made = document.createElement(name);
  made.append(...content);
  return made;
}

/** Whether the page has the dark scheme. */
function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : dark.matches;
}

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {Quake} event */
function row(event) {
  const kind = (event.type && event.type !== "earthquake" ? ` (${event.type})` : "")
    + (event.withdrawn ? " (withdrawn)" : "");
  return element(
    "tr", element("td", format.dateTime(event.time)), element("td", format.magnitude(event.magnitude)),
    element("td", format.depth(event.depth)), element("td", placeOf(event) + kind));
}

/** Fills the sheet before the browser prints, and empties it afterwards. */
export class PrintSheet {
  #sheet = find("print");
  #handlers;

  /** @param {PrintHandlers} handlers */
  constructor(handlers) {
    this.#handlers = handlers;
    addEventListener("beforeprint", () => this.#fill());
    addEventListener("afterprint", () => this.#sheet.replaceChildren());
  }

  #fill() {
    const { events, state, countText, updated } = this.#handlers.content();
    const filters = filterTexts(state).map(({ text }) => text);
    const order = find("sort", HTMLSelectElement).selectedOptions[0]?.textContent ?? "";
    const heading = element(
      "header", element("h1", "Earthquakes"),
      element("p", filters.length ? `${capital(new Intl.ListFormat("en").format(filters))}.` : "All earthquakes."),
      element("p", `${countText}. ${order}.`),
      element("p", `Printed ${format.dateTime(Date.now())}${
        updated === null ? "" : `, with data of the feed from ${format.dateTime(updated)}`}.${
        isUTC() ? "" : ` Times are those of ${new Intl.DateTimeFormat().resolvedOptions().timeZone}.`}`));
    for (const id of NOTES) {
      const note = find(id);
      if (note.checkVisibility() && note.textContent) heading.append(element("p", note.textContent));
    }
    const map = this.#map();
    const head = element("thead", element("tr", ...COLUMNS.map((name) => {
      const cell = element("th", name);
      cell.scope = "col";
      return cell;
    })));
    const table = element("table", head, element("tbody", ...events.slice(0, MOST).map(row)));
    const rest = events.length > MOST
      ? [element("p", `The first ${format.count(MOST)} are printed. Exports have all.`)] : [];
    this.#sheet.replaceChildren(heading, ...(map ? [map] : []), ...rest, table);
  }

  /** The map as it is now, with the legend of its colours; null without one that can be seen. */
  #map() {
    const picture = this.#handlers.picture();
    if (!picture) return null;
    const caption = element("figcaption");
    for (const line of find("colour-legend").querySelectorAll("dd")) {
      caption.append(element("span", ...[...line.childNodes].map((node) => node.cloneNode(true))));
    }
    const figure = element("figure", picture, caption);
    // The map's colours stay those of the page; the sheet is light.
    figure.style.colorScheme = isDark() ? "dark" : "light";
    return figure;
  }
}
