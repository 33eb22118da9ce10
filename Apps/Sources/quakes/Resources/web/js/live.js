/** The decoded events of the server's stream; after an undecodable one, everything is fetched again. */

import { SharedStream } from "./shared-stream.js";

export class LiveStream {
  #handlers;
  #stream;

  /** @param {{status, changes, reset, connection}} handlers */
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
    this.#handlers[name](value);
  }
}
