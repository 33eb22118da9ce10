/** The decoded events of the server's stream; after an undecodable one, everything is fetched again. */

import { SharedStream } from "./shared-stream.js";

export class LiveStream {
  #handlers;
  #stream;

  /** @param {LiveHandlers} handlers */
  constructor(handlers) {
    this.#handlers = handlers;
    this.#stream = new SharedStream({
      news: (name, text) => this.#pass(name, text),
      connection: handlers.connection,
    });
  }

  /** Fulfilled when all later events are reported, or the stream's state can't be determined. */
  get ready() {
    return this.#stream.ready;
  }

  open() {
    this.#stream.open();
  }

  /**
   * @param {string} name
   * @param {string} text
   */
  #pass(name, text) {
    let value;
    try {
      value = JSON.parse(text);
    } catch (error) {
      // A truncated message: everything is fetched again.
      console.warn(`Quakes: unreadable ${name} message`, error);
      this.#handlers.reset();
      return;
    }
    if (name === "status" || name === "changes" || name === "reset") this.#handlers[name](value);
  }
}
