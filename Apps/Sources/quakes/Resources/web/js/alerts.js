/** Alerts: the dialog with the rules, notifications of earthquakes that meet one, and their number in the title. */

import * as format from "./format.js";
import { AlertPlace } from "./alert-place.js";
import { MOST, metRule, readRules, rule, ruleText, watchRules, writeRules } from "./alert-rules.js";
import { placeOf } from "./row.js";
import { Told } from "./told.js";
import { fromKilometres, get, toKilometres } from "./units.js";

/** The radius that the form suggests, in kilometres. */
const RADIUS = 300;
/** More at a time are told by one notification. */
const SEVERAL = 3;

const PERMISSIONS = {
  granted: "Earthquakes that arrive while this page is open, also in the background, are told by notifications.",
  default: "Without notifications, the title of the page counts the earthquakes that meet a rule.",
  denied: "The browser blocks notifications of this page: its settings allow them. The title of the page counts"
    + " the earthquakes that meet a rule.",
};

export class Alerts {
  #dialog;
  #handlers;
  #rules = readRules();
  #told = new Told();
  /** The number of events that were told and not seen yet. */
  #unseen = 0;
  #title = document.title;
  #place;

  /**
   * @param {HTMLDialogElement} dialog
   * @param {{open: (id: string) => void, pick: () => Promise<PickedPlace | null>}} handlers open(id) shows an event,
   *   pick() gives a place of the map, or null
   */
  constructor(dialog, handlers) {
    this.#dialog = dialog;
    this.#handlers = handlers;
    const form = this.#part("form");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#add(form.elements);
    });
    this.#place = new AlertPlace(form.elements, this.#part("#alerts-place-note"), this.#part("#alerts-here"));
    form.elements.near.addEventListener("change", () => this.#showPlace());
    this.#part("#alerts-pick").addEventListener("click", () => this.#pick(form.elements));
    this.#part("#alerts-close").addEventListener("click", () => dialog.close());
    this.#part("#alerts-allow").addEventListener("click", async () => {
      await Notification.requestPermission();
      this.#show();
      // The button is gone.
      if (this.#permission !== "default") form.elements.magnitude.focus();
    });
    watchRules(() => {
      this.#rules = readRules();
      if (dialog.open) this.#show();
    });
    document.addEventListener("visibilitychange", () => this.#count(0));
    navigator.serviceWorker?.addEventListener("message", ({ data }) => {
      if (data?.type === "notification" && typeof data.event === "string") handlers.open(data.event);
    });
  }

  open() {
    this.#part("form").elements.radius.value = String(Math.round(fromKilometres(RADIUS)));
    this.#show();
    if (!this.#dialog.open) this.#dialog.showModal();
  }

  /**
   * Tells of those of the events that meet a rule and were not told before.
   * @param {Quake[]} events
   */
  check(events) {
    const met = [];
    for (const event of events) {
      const isKnown = this.#told.has(event);
      const found = isKnown ? undefined : metRule(this.#rules, event);
      if (found) met.push({ event, found });
      // One that was told may have got another identifier.
      if (found || isKnown) this.#told.add(event);
    }
    this.#told.keep();
    if (!met.length) return;
    if (document.hidden) this.#count(met.length);
    if (met.length > SEVERAL) {
      const lines = met.slice(0, SEVERAL).map(({ event }) => line(event));
      this.#notify(`${format.count(met.length)} earthquakes`, lines.join("\n"), met[0].event.id);
    } else for (const { event, found } of met) this.#notify(line(event), ruleText(found), event.id);
  }

  /**
   * A part of the dialog.
   * @template {keyof AlertParts} S
   * @param {S} selector
   * @returns {AlertParts[S]}
   */
  #part = (selector) => /** @type {AlertParts[S]} */ (this.#dialog.querySelector(selector));

  get #permission() {
    return "Notification" in globalThis ? Notification.permission : "denied";
  }

  /**
   * @param {string} title
   * @param {string} body
   * @param {string} id the event's
   */
  async #notify(title, body, id) {
    if (this.#permission !== "granted") return;
    // Of several tabs that tell the same event, one notification is left.
    const options = { body, tag: `quakes-${id}`, icon: "/favicon.svg", data: { event: id } };
    try {
      const notification = new Notification(title, options);
      notification.addEventListener("click", () => {
        window.focus();
        this.#handlers.open(id);
      });
    } catch {
      // Browsers of phones have them from service workers only; theirs reports clicks.
      const registration = await navigator.serviceWorker?.getRegistration();
      await registration?.showNotification(title, options);
    }
  }

  /**
   * Counts events that came while the page was in the background; zero when it is seen.
   * @param {number} number
   */
  #count(number) {
    this.#unseen = document.hidden ? this.#unseen + number : 0;
    document.title = this.#unseen ? `(${this.#unseen}) ${this.#title}` : this.#title;
  }

  #show() {
    const permission = this.#permission;
    this.#part("#alerts-permission").textContent = PERMISSIONS[permission];
    this.#part("#alerts-allow").hidden = permission !== "default";
    this.#part("#alerts-unit").textContent = get("distance");
    this.#part("#alerts-rules").replaceChildren(...this.#rules.map((each) => this.#item(each)));
    this.#part("#alerts-none").hidden = this.#rules.length > 0;
    this.#showPlace();
  }

  #showPlace() {
    const { near } = this.#part("form").elements;
    const place = this.#part("#alerts-place");
    place.hidden = !near.checked;
    place.disabled = !near.checked;
  }

  /** @param {AlertRule} each */
  #item(each) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "tool";
    button.textContent = "×";
    button.ariaLabel = `Remove: ${ruleText(each)}`;
    button.addEventListener("click", () => {
      this.#keep(this.#rules.filter((other) => other !== each));
      this.#part("[name=magnitude]").focus();
    });
    item.append(ruleText(each), button);
    return item;
  }

  /** @param {AlertRule[]} rules */
  #keep(rules) {
    this.#rules = rules.slice(-MOST);
    writeRules(this.#rules);
    this.#show();
  }

  /** @param {AlertFields} fields */
  #add({ magnitude, near, name, latitude, longitude, radius }) {
    // The browser has checked the limits of the fields.
    const made = rule({
      magnitude: magnitude.valueAsNumber,
      place: near.checked ? {
        name: name.value, latitude: latitude.valueAsNumber, longitude: longitude.valueAsNumber,
        radius: toKilometres(radius.valueAsNumber),
      } : null,
    });
    name.setCustomValidity(made ? "" : "A rule needs a name, and numbers within their limits.");
    if (!made) {
      name.reportValidity();
      name.addEventListener("input", () => name.setCustomValidity(""), { once: true });
      return;
    }
    this.#keep([...this.#rules, made]);
    this.#place.clear();
  }

  /** @param {AlertFields} fields */
  async #pick({ name }) {
    this.#dialog.close();
    const point = await this.#handlers.pick();
    if (point) this.#place.fill(point);
    this.#dialog.showModal();
    name.focus();
  }
}

/** @param {Quake} event */
const line = (event) => `M ${format.magnitude(event.magnitude)} · ${placeOf(event)}`;
