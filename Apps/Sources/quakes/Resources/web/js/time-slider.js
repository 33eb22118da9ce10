/**
 * The slider that plays the events of the list: a slice of time that moves from the first to the last of them. List
 * and map follow; the slice is a filter that stays when the slider pauses.
 */

import * as format from "./format.js";
import { SPANS, rangeOf } from "./slice.js";

/** The time in which the whole range is played, in milliseconds, by the name of the speed. */
const SPEEDS = new Map([["Slow", 60_000], ["Normal", 30_000], ["Fast", 12_000]]);
/** The least time between two pictures, in milliseconds. */
const FRAME = 90;
/** The same for readers who want no motion: a slice follows the other. */
const PAUSE = 1_500;
/** A length that came from an address, without a name. */
const OTHER = "Other";
const still = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * @param {HTMLSelectElement} select
 * @param {Iterable<string>} names
 * @param {string} [chosen]
 */
function fill(select, names, chosen) {
  select.replaceChildren(...[...names].map((name) => new Option(name, name, false, name === chosen)));
}

export class TimeSlider {
  #parts;
  #handlers;
  /** @type {SliderRange | null} */
  #range = null;
  /** @type {TimeSlice | null} */
  #slice = null;
  /** The length of a slice, chosen with the first one. */
  #span = 0;
  /** The player: the number of the next frame, the time of the last one. */
  #frame = 0;
  #last = 0;

  /**
   * @param {TimeSliderParts} parts
   * @param {{change: (slice: TimeSlice | null, isMoving: boolean) => void, counted: () => string}} handlers counted()
   *   gives the words for the number of events
   */
  constructor(parts, handlers) {
    this.#parts = parts;
    this.#handlers = handlers;
    fill(parts.speed, SPEEDS.keys(), "Normal");
    fill(parts.span, SPANS.keys());
    parts.toggle.addEventListener("click", () => this.toggle());
    parts.close.addEventListener("click", () => this.toggle());
    parts.play.addEventListener("click", () => (this.isPlaying ? this.pause() : this.play()));
    parts.slider.addEventListener("input", () => this.#slide(true));
    parts.slider.addEventListener("change", () => this.#slide(false));
    parts.span.addEventListener("change", () => {
      this.#span = SPANS.get(parts.span.value) ?? this.#span;
      if (this.#slice) this.#move(this.#slice.to, this.isPlaying);
    });
    parts.bar.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.isOpen) return;
      event.preventDefault();
      this.toggle();
    });
    parts.speed.addEventListener("change", () => { this.#last = performance.now(); });
  }

  get isPlaying() {
    return this.#frame !== 0;
  }

  get isOpen() {
    return !this.#parts.bar.hidden;
  }

  /** Opens the bar at the last events, or closes it: then all times are shown. */
  toggle() {
    if (this.isOpen) {
      const hadFocus = this.#parts.bar.contains(document.activeElement);
      this.#stop();
      this.#handlers.change(null, false);
      if (hadFocus) this.#parts.toggle.focus();
    } else if (this.#range) {
      this.#span ||= this.#range.span;
      this.#move(this.#range.last, false);
      this.#parts.play.focus();
    }
  }

  /** From the beginning, when the slice is at the end. */
  play() {
    if (!this.#range || !this.#slice) return;
    if (this.#slice.to >= this.#range.last) this.#move(this.#range.first + this.#span, true);
    this.#last = performance.now();
    this.#next();
    this.#show();
  }

  pause() {
    this.#stop();
    if (!this.#slice) return;
    // Addresses have whole minutes.
    const to = Math.ceil(this.#slice.to / 60_000) * 60_000;
    this.#slice = { from: to - this.#span, to };
    this.#handlers.change(this.#slice, false);
    this.#show();
  }

  /**
   * The times between which the events are that the other filters let through; null without any.
   * @param {[earliest: number, latest: number] | null} times
   */
  setTimes(times) {
    this.#range = times && rangeOf(...times);
    this.#parts.toggle.disabled = times === null;
    this.#show();
  }

  /**
   * Shows a slice that came from the address, or null.
   * @param {TimeSlice | null} slice
   */
  show(slice) {
    this.#slice = slice;
    if (!slice) this.#stop();
    else this.#span = slice.to - slice.from;
    this.#show();
  }

  #stop() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }

  #next() {
    this.#frame = requestAnimationFrame((now) => this.#step(now));
  }

  /** @param {number} now */
  #step(now) {
    if (!this.#slice) return;
    const passed = now - this.#last;
    if (passed < (still.matches ? PAUSE : FRAME)) {
      this.#next();
      return;
    }
    this.#last = now;
    const { first, last } = this.#range ?? { first: 0, last: 0 };
    const duration = SPEEDS.get(this.#parts.speed.value) ?? Infinity;
    // A page that was in the background doesn't jump.
    const far = still.matches ? this.#span : (last - first) * Math.min(passed, 4 * FRAME) / duration;
    const to = Math.min(last, this.#slice.to + far);
    if (to >= last) {
      this.#move(last, true);
      this.pause();
      return;
    }
    this.#move(to, true);
    this.#next();
  }

  /** @param {boolean} isMoving */
  #slide(isMoving) {
    this.#move(this.#parts.slider.valueAsNumber, isMoving || this.isPlaying);
  }

  /**
   * @param {number} to
   * @param {boolean} isMoving
   */
  #move(to, isMoving) {
    this.#slice = { from: to - this.#span, to };
    this.#handlers.change(this.#slice, isMoving);
    this.#show();
  }

  #show() {
    const { stage, toggle, bar, play, slider, text, span } = this.#parts;
    const slice = this.#slice;
    const isOpen = slice !== null;
    bar.hidden = !isOpen;
    stage.dataset.time = isOpen ? "open" : "closed";
    toggle.ariaPressed = String(isOpen);
    if (!isOpen) return;
    const { from, to } = slice;
    const { first, last, step } = this.#range ?? { first: from, last: to, step: 1 };
    slider.step = String(step);
    slider.min = String(Math.min(first + step, to));
    slider.max = String(Math.max(last, to));
    slider.value = String(to);
    text.textContent = format.interval(from, to);
    // While it plays, a screen reader would have to read each picture.
    if (!this.isPlaying) slider.setAttribute("aria-valuetext", `${text.textContent}, ${this.#handlers.counted()}`);
    play.ariaLabel = this.isPlaying ? "Pause" : "Play";
    play.title = play.ariaLabel;
    play.dataset.state = this.isPlaying ? "playing" : "paused";
    const name = [...SPANS].find(([, length]) => length === this.#span)?.[0] ?? OTHER;
    if (span.value === name) return;
    fill(span, name === OTHER ? [...SPANS.keys(), OTHER] : SPANS.keys(), name);
  }
}
