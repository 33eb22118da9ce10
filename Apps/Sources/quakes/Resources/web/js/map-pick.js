/** Takes a place on the map: that of the next click, or of the cross in the middle on Enter. */

export class MapPick {
  #container;
  #canvas;
  /** @type {((place: PickedPlace | null) => void) | null} */
  #picked = null;

  /**
   * @param {HTMLElement} container
   * @param {HTMLCanvasElement} canvas
   */
  constructor(container, canvas) {
    this.#container = container;
    this.#canvas = canvas;
  }

  /** Whether a place is asked for. */
  get isOpen() {
    return this.#picked !== null;
  }

  /**
   * The place that is taken; null when the pick is cancelled.
   * @returns {Promise<PickedPlace | null>}
   */
  pick() {
    this.end(null);
    this.#container.dataset.pick = "open";
    this.#canvas.style.cursor = "crosshair";
    this.#canvas.focus({ preventScroll: true });
    return new Promise((resolve) => { this.#picked = resolve; });
  }

  /** @param {PickedPlace | null} place */
  end(place) {
    if (!this.#picked) return;
    delete this.#container.dataset.pick;
    this.#canvas.style.cursor = "";
    this.#picked(place);
    this.#picked = null;
  }
}
