/**
 * The time in which a control is pressed, by a pointer or the space bar. A control that is exchanged for another one
 * meanwhile gets no click, so what is drawn anew waits for the end.
 */

export class Press {
  #isDown = false;
  #ended;

  /** @param {() => void} ended called after each press, when its click has been handled */
  constructor(ended) {
    this.#ended = ended;
    const begin = () => { this.#isDown = true; };
    const end = () => this.#end();
    addEventListener("pointerdown", begin, true);
    // Of a mouse that is released outside the window, only a later move tells.
    addEventListener("pointermove", ({ buttons }) => { if (buttons === 0) end(); }, true);
    addEventListener("keydown", ({ key }) => { if (key === " ") begin(); }, true);
    addEventListener("keyup", ({ key }) => { if (key === " ") end(); }, true);
    for (const type of ["pointerup", "pointercancel", "blur"]) addEventListener(type, end, true);
  }

  get isDown() {
    return this.#isDown;
  }

  #end() {
    if (!this.#isDown) return;
    this.#isDown = false;
    // The click comes within the same task.
    setTimeout(() => this.#ended());
  }
}
