/** The list beside the map: landmarks that pass the filters, or reservations. */

import * as format from "./format.js";
import { element, heart, sceneClass } from "./elements.js";
import { visit } from "./visit.js";

const find = (id) => document.getElementById(id);

export class List {
  #model;
  #app;
  #tab = "all";
  #selected = null;
  #known = "";
  #drawn = "";

  constructor(model, app) {
    this.#model = model;
    this.#app = app;
    for (const button of document.querySelectorAll("[data-tab]")) {
      button.addEventListener("click", () => this.#choose(button.dataset.tab));
    }
    find("filters").addEventListener("submit", (event) => event.preventDefault());
    for (const id of ["search", "category", "state"]) {
      find(id).addEventListener("input", () => {
        this.#app.draw();
        this.#app.moved(id !== "search");
      });
    }
    find("clear").addEventListener("click", () => {
      for (const id of ["search", "category", "state"]) find(id).value = "";
      this.#app.draw();
      this.#app.moved(true);
      find("search").focus();
    });
  }

  /** What is listed, and the filters, as in the address. */
  get state() {
    const [search, category, state] = ["search", "category", "state"].map((id) => find(id).value);
    return { list: this.#tab, search, category, state };
  }

  /** Lists what an address names. The choices of the filters have to be known. */
  set state({ list, search, category, state }) {
    find("search").value = search;
    find("category").value = category;
    find("state").value = state;
    for (const id of ["category", "state"]) if (find(id).selectedIndex < 0) find(id).value = "";
    this.#show(list);
  }

  select(id) {
    this.#selected = id;
    for (const row of find("list").querySelectorAll("[data-id]")) {
      const isChosen = row.dataset.id === String(id);
      row.classList.toggle("chosen", isChosen);
      row.querySelector(".open")?.setAttribute("aria-current", String(isChosen));
    }
  }

  #choose(tab) {
    this.#show(tab);
    this.#app.moved(true);
  }

  #show(tab) {
    this.#tab = tab;
    for (const button of document.querySelectorAll("[data-tab]")) {
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
      text: find("search").value, category: find("category").value, state: find("state").value,
      favoritesOnly: this.#tab === "favorites",
    };
  }

  draw() {
    this.#fillChoices();
    const { favorites, reservations } = this.#model.counts;
    find("favorite-count").textContent = favorites || "";
    find("reservation-count").textContent = reservations || "";
    const showsVisits = this.#tab === "reservations";
    find("filters").hidden = showsVisits;
    find("calendar").hidden = !showsVisits || reservations === 0;
    // Rows that are read or about to be pressed must not be exchanged for equal ones.
    const drawn = JSON.stringify([this.#tab, this.#filters, this.#model.landmarks,
      showsVisits ? this.#model.reservations : null, this.#model.isLoaded || this.#app.isConnected]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const rows = showsVisits ? this.#visits() : this.#landmarks();
    this.#replace(rows);
    this.#nothing(rows.length === 0);
    this.select(this.#selected);
  }

  /** Exchanges the rows and leaves the focus where it was. */
  #replace(rows) {
    const list = find("list");
    const focus = list.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
    list.replaceChildren(...rows);
    if (!focus) return;
    const again = list.querySelector(`[data-focus="${CSS.escape(focus)}"]`);
    (again ?? list).focus({ preventScroll: true });
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
      row.dataset.id = landmark.id;
      return row;
    });
  }

  #visits() {
    const visits = [...this.#model.reservations].sort((a, b) => a.date - b.date);
    const count = this.#model.counts.reservations;
    find("count").textContent = count === 1 ? "1 reservation" : `${count} reservations`;
    return visits.map((reservation) => visit(reservation, this.#model, this.#app, true));
  }

  #nothing(isEmpty) {
    find("nothing").hidden = !isEmpty;
    find("list").hidden = isEmpty;
    if (!isEmpty) return;
    const isFiltered = Boolean(find("search").value || find("category").value || find("state").value);
    find("nothing-picture").style.display = this.#tab === "favorites" && !isFiltered ? "" : "none";
    const [title, text] = this.#words(isFiltered);
    find("nothing-title").textContent = title;
    find("nothing-text").textContent = text;
    find("clear").hidden = !isFiltered || this.#tab === "reservations";
  }

  #words(isFiltered) {
    if (!this.#model.isLoaded) {
      return this.#app.isConnected ? ["Loading…", ""]
        : ["Landmarks Does Not Answer", "Is the program still running? This page tries again by itself."];
    }
    if (this.#tab === "reservations") {
      return ["No Reservations", "Choose a landmark and plan a visit."];
    }
    if (this.#model.landmarks.length === 0) {
      return ["No Landmarks Yet", "They come with the first exchange with the server."];
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
    const fill = (id, values, name) => {
      const select = find(id);
      const chosen = select.value;
      select.replaceChildren(select.options[0],
        ...values.map((value) => element("option", { value }, name(value))));
      select.value = values.includes(chosen) ? chosen : "";
    };
    fill("category", kinds, format.capital);
    fill("state", states, (value) => value);
  }
}
