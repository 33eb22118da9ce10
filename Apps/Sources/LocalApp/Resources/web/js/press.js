/**
 * The time in which a control is pressed, by a pointer or the space bar. A control that is exchanged for another one,
 * or moves, meanwhile gets no click, so changes of the page wait for the end.
 */

export class Press {
  #isDown = false;
  /** @type {(() => void)[]} */
  #waiting = [];

  constructor() {
    const begin = () => { this.#isDown = true; };
    const end = () => this.#end();
    addEventListener("pointerdown", begin, true);
    // Of a mouse that is released outside the window, only a later move tells.
    addEventListener("pointermove", ({ buttons }) => { if (buttons === 0) end(); }, true);
    addEventListener("keydown", ({ key }) => { if (key === " ") begin(); }, true);
    addEventListener("keyup", ({ key }) => { if (key === " ") end(); }, true);
    for (const type of ["pointerup", "pointercancel"]) addEventListener(type, end, true);
    // Of the window alone: a press takes the focus from another control, whose blur only capturing would see.
    addEventListener("blur", end);
  }

  /**
   * Does something that may move parts of the page: at once, or when nothing is pressed any more, in the order of the
   * calls.
   * @param {() => void} action
   */
  whenUp(action) {
    if (this.#isDown || this.#waiting.length > 0) this.#waiting.push(action);
    else action();
  }

  /**
   * Fulfilled when nothing is pressed.
   * @returns {Promise<void>}
   */
  up() {
    return new Promise((resolve) => { this.whenUp(resolve); });
  }

  #end() {
    if (!this.#isDown) return;
    this.#isDown = false;
    // The click comes within the same task.
    setTimeout(() => this.#next());
  }

  /** An action that fails doesn't hold up those behind it. */
  #next() {
    if (this.#isDown) return;
    const action = this.#waiting.shift();
    if (!action) return;
    try {
      action();
    } finally {
      if (this.#waiting.length > 0) setTimeout(() => this.#next());
    }
  }
}
