/** The news of the server's stream, read; what can't be read is fetched anew. */

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

  /** Fulfilled when what happens from then on is told, or nobody can say. */
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
      // A message cut short: what it said is fetched anew.
      console.warn(`Quakes: unreadable ${name} message`, error);
      this.#handlers.reset();
      return;
    }
    this.#handlers[name](value);
  }
}
