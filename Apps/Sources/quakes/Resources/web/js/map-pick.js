/** Takes the place of the next click on the map. */

export class MapPick {
  #canvas;
  /** @type {((place: PickedPlace | null) => void) | null} */
  #picked = null;

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.#canvas = canvas;
  }

  /** Whether a click is asked for. */
  get isOpen() {
    return this.#picked !== null;
  }

  /**
   * The place of the next click; null when the pick is cancelled.
   * @returns {Promise<PickedPlace | null>}
   */
  pick() {
    this.end(null);
    this.#canvas.style.cursor = "crosshair";
    return new Promise((resolve) => { this.#picked = resolve; });
  }

  /** @param {PickedPlace | null} place */
  end(place) {
    if (!this.#picked) return;
    this.#canvas.style.cursor = "";
    this.#picked(place);
    this.#picked = null;
  }
}
