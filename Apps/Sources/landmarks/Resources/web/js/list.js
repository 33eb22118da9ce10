/** The list beside the map: landmarks that pass the filters, or reservations. */

import { isOut } from "./account.js";
import * as format from "./format.js";
import { element, heart, sceneClass } from "./elements.js";
import { find, findAll } from "./find.js";
import { visit } from "./visit.js";

const NO_FILTERS = { category: "", state: "" };

export class List {
  #model;
  #app;
  #tab = "all";
  /** @type {number | null} */
  #selected = null;
  #known = "";
  /** The filters of the address until there are landmarks, whose kinds and states are the choices. */
  #wanted = NO_FILTERS;
  #drawn = "";
  #search = find("search", HTMLInputElement);
  #category = find("category", HTMLSelectElement);
  #state = find("state", HTMLSelectElement);

  /**
   * @param {Model} model
   * @param {App} app
   */
  constructor(model, app) {
    this.#model = model;
    this.#app = app;
    for (const button of findAll("[data-tab]")) {
      button.addEventListener("click", () => this.#choose(button.dataset.tab ?? "all"));
    }
    find("filters").addEventListener("submit", (event) => event.preventDefault());
    for (const field of [this.#search, this.#category, this.#state]) {
      field.addEventListener("input", () => {
        this.#app.draw();
        this.#app.moved(field !== this.#search);
      });
    }
    find("clear").addEventListener("click", () => {
      for (const field of [this.#search, this.#category, this.#state]) field.value = "";
      this.#wanted = NO_FILTERS;
      this.#app.draw();
      this.#app.moved(true);
      this.#search.focus();
    });
  }

  /**
   * The listed kind, and the filters, as in the address.
   * @returns {ListState}
   */
  get state() {
    return {
      list: this.#tab, search: this.#search.value, category: this.#category.value || this.#wanted.category,
      state: this.#state.value || this.#wanted.state,
    };
  }

  /** Lists what an address names. */
  set state({ list, search, category, state }) {
    this.#search.value = search;
    this.#category.value = category;
    this.#state.value = state;
    for (const field of [this.#category, this.#state]) if (field.selectedIndex < 0) field.value = "";
    this.#wanted = this.#model.landmarks.length > 0 ? NO_FILTERS : { category, state };
    this.#show(list);
  }

  /** @param {number | null} id */
  select(id) {
    this.#selected = id;
    for (const row of findAll("[data-id]", find("list"))) {
      const isChosen = row.dataset.id === String(id);
      row.classList.toggle("chosen", isChosen);
      row.querySelector(".open")?.setAttribute("aria-current", String(isChosen));
    }
  }

  /** @param {string} tab */
  #choose(tab) {
    this.#show(tab);
    this.#app.moved(true);
  }

  /** @param {string} tab */
  #show(tab) {
    this.#tab = tab;
    for (const button of findAll("[data-tab]")) {
      button.ariaPressed = String(button.dataset.tab === tab);
    }
    this.#app.draw();
    find("list").scrollTop = 0;
  }

  /** The landmarks that the list is about: those that pass the filters, or those that are reserved. */
  get shown() {
    if (this.#tab !== "reservations") return this.#model.filtered(this.#filters);
    const reserved = new Set(this.#model.reservations.map(({ landmarkID }) => landmarkID));
    return this.#model.landmarks.filter(({ id }) => reserved.has(id));
  }

  get #filters() {
    return {
      text: this.#search.value, category: this.#category.value, state: this.#state.value,
      favoritesOnly: this.#tab === "favorites",
    };
  }

  draw() {
    this.#fillChoices();
    const { favorites, reservations } = this.#model.counts;
    find("favorite-count").textContent = favorites ? String(favorites) : "";
    find("reservation-count").textContent = reservations ? String(reservations) : "";
    const showsVisits = this.#tab === "reservations";
    find("filters").hidden = showsVisits;
    find("calendar").hidden = !showsVisits || reservations === 0;
    // Rows that are read or about to be pressed must not be exchanged for equal ones.
    const drawn = JSON.stringify([this.#tab, this.#filters, this.#model.landmarks,
      showsVisits ? [this.#model.reservations, this.#model.photos] : null, this.#model.isLoaded,
      this.#model.isLoaded ? isOut(this.#model.status) : this.#app.isConnected]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const rows = showsVisits ? this.#visits() : this.#landmarks();
    find("list").replaceChildren(...rows);
    this.#nothing(rows.length === 0);
    this.select(this.#selected);
  }

  #landmarks() {
    const found = this.shown;
    const all = this.#model.landmarks.length;
    find("count").textContent = !this.#model.isLoaded ? "" : found.length === all
      ? `${all} landmarks` : `${found.length} of ${all} landmarks`;
    return found.map((landmark) => {
      const open = element("button", { type: "button", class: "open" },
        element("span", { class: `scene ${sceneClass(landmark)}`, "aria-hidden": "true" }),
        element("span", { class: "text" },
          element("span", { class: "name" }, landmark.name),
          element("span", { class: "meta" },
            `${landmark.city}, ${landmark.state} · ${format.capital(landmark.category)}`)));
      open.dataset.focus = `open ${landmark.id}`;
      open.addEventListener("click", () => this.#app.choose(landmark.id));
      const mark = heart(landmark, () => this.#app.setFavorite(landmark.id, !landmark.isFavorite));
      mark.dataset.focus = `heart ${landmark.id}`;
      const row = element("li", { class: "row" }, open, mark);
      row.dataset.id = String(landmark.id);
      return row;
    });
  }

  #visits() {
    const visits = [...this.#model.reservations].sort((a, b) => a.date - b.date);
    const count = this.#model.counts.reservations;
    find("count").textContent = count === 1 ? "1 reservation" : `${count} reservations`;
    return visits.map((reservation) => visit(reservation, this.#model, this.#app, true));
  }

  /** @param {boolean} isEmpty */
  #nothing(isEmpty) {
    find("nothing").hidden = !isEmpty;
    find("list").hidden = isEmpty;
    if (!isEmpty) return;
    const isFiltered = Boolean(this.#search.value || this.#category.value || this.#state.value);
    find("nothing-picture", SVGElement).style.display = this.#tab === "favorites" && !isFiltered ? "" : "none";
    const [title, text] = this.#words(isFiltered);
    find("nothing-title").textContent = title;
    find("nothing-text").textContent = text;
    find("clear").hidden = !isFiltered || this.#tab === "reservations";
  }

  /**
   * The words for an empty list.
   * @param {boolean} isFiltered
   */
  #words(isFiltered) {
    if (!this.#model.isLoaded) {
      return this.#app.isConnected ? ["Loading…", ""]
        : ["Landmarks Does Not Answer", "Is the program still running? This page tries again by itself."];
    }
    if (this.#tab === "reservations") {
      return ["No Reservations", "Choose a landmark and plan a visit."];
    }
    if (this.#model.landmarks.length === 0) {
      return ["No Landmarks Yet", isOut(this.#model.status)
        ? "They come when you sign in." : "They come with the first exchange with the server."];
    }
    if (isFiltered) return ["Nothing Matches", "No landmark passes all of the filters."];
    return ["No Favorites", "Landmarks you favorite will appear here."];
  }

  /** The kinds and states that there are, for the filters. */
  #fillChoices() {
    const kinds = [...new Set(this.#model.landmarks.map((landmark) => landmark.category))].sort();
    const states = [...new Set(this.#model.landmarks.map((landmark) => landmark.state))].sort();
    const known = JSON.stringify([kinds, states]);
    if (known === this.#known) return;
    this.#known = known;
    /**
     * @param {HTMLSelectElement} select
     * @param {string[]} values
     * @param {(value: string) => string} name
     * @param {string} wanted
     */
    const fill = (select, values, name, wanted) => {
      const chosen = select.value || wanted;
      select.replaceChildren(select.options[0],
        ...values.map((value) => element("option", { value }, name(value))));
      select.value = values.includes(chosen) ? chosen : "";
    };
    fill(this.#category, kinds, format.capital, this.#wanted.category);
    fill(this.#state, states, (value) => value, this.#wanted.state);
    if (kinds.length > 0) this.#wanted = NO_FILTERS;
  }
}
