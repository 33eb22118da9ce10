/**
 * The attempts of a form, whose outcomes may come late: only the last one's is shown, and none when the form has been
 * opened for something else meanwhile.
 */

export class Attempts {
  #last = 0;

  /**
   * Begins an attempt and ends the earlier ones.
   * @returns {() => boolean} whether it is still the last one
   */
  begin() {
    this.#last += 1;
    const number = this.#last;
    return () => number === this.#last;
  }
}
