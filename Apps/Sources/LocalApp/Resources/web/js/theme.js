/** Light, dark or the system's scheme: a button that switches between them and notifies the page. */

import * as settings from "./settings.js";

const THEMES = ["system", "light", "dark"];

export class Theme {
  #button;
  #changed;

  /** @param {() => void} changed called after the colours changed */
  constructor(button, changed) {
    this.#button = button;
    this.#changed = changed;
    this.#show(settings.read("theme", THEMES));
    button.addEventListener("click", () => {
      const next = THEMES[(THEMES.indexOf(this.current) + 1) % THEMES.length];
      settings.write("theme", next);
      this.#show(next);
      this.#changed();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#changed());
  }

  #show(theme) {
    this.current = theme;
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    this.#button.setAttribute("aria-label", `Colour scheme: ${theme}`);
    this.#button.title = `Colour scheme: ${theme}`;
  }
}

/** The present value of a colour of app.css, resolved for the scheme in use: "rgb(…)". */
export function colour(name) {
  const probe = document.createElement("span");
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}
