/** Light, dark or the system's scheme: a button that switches between them and notifies the page. */

import * as settings from "./settings.js";

const THEMES = ["system", "light", "dark"];

export class Theme {
  #button;
  #changed;

  /**
   * @param {HTMLElement} button
   * @param {() => void} changed called after the colours changed
   */
  constructor(button, changed) {
    this.#button = button;
    this.#changed = changed;
    this.#show(settings.read("theme", THEMES));
    button.addEventListener("click", () => {
      const next = THEMES[(THEMES.indexOf(/** @type {string} */ (this.current)) + 1) % THEMES.length];
      settings.write("theme", next);
      this.#show(next);
      this.#changed();
    });
    settings.watch("theme", () => {
      this.#show(settings.read("theme", THEMES));
      this.#changed();
    });
    for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)"]) {
      matchMedia(query).addEventListener("change", () => this.#changed());
    }
  }

  /** @param {string} theme */
  #show(theme) {
    this.current = theme;
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    this.#button.setAttribute("aria-label", `Colour scheme: ${theme}`);
    this.#button.title = `Colour scheme: ${theme}`;
  }
}

/**
 * "color(srgb 0.5 0 1)", as mixed colours are told, in the form that the map knows.
 * @param {string} value
 */
function simple(value) {
  const [, ...parts] = /^color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)/.exec(value) ?? [];
  return parts.length ? `rgb(${parts.map((part) => Math.round(Number(part) * 255)).join(", ")})` : value;
}

/**
 * The present value of a colour of app.css, resolved for the scheme in use: "rgb(…)".
 * @param {string} name
 */
export function colour(name) {
  const probe = document.createElement("span");
  // Otherwise every colour is that of text while the system forces its own colours.
  probe.style.forcedColorAdjust = "none";
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return simple(value);
}
