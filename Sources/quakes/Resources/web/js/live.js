/**
 * Server-sent events. The browser reconnects by itself and names the last id it saw; the server
 * then resumes or sends `reset`. Where the browser gives up (an answer that is no stream), this
 * class opens the stream again, ever more slowly, and reports a reset since changes were missed.
 */

const FIRST_PAUSE = 3_000;
const LONGEST_PAUSE = 60_000;

export class LiveStream {
  #handlers;
  #source = null;
  #pause = FIRST_PAUSE;
  #missed = false;
  #connected = null;

  /** @param {{status, changes, reset, connection}} handlers */
  constructor(handlers) {
    this.#handlers = handlers;
  }

  open() {
    const source = new EventSource("/api/stream");
    this.#source = source;
    source.addEventListener("open", () => {
      this.#pause = FIRST_PAUSE;
      this.#report(true);
      if (this.#missed) this.#handlers.reset();
      this.#missed = false;
    });
    source.addEventListener("error", () => {
      this.#report(false);
      if (source.readyState === EventSource.CLOSED) this.#reopen();
    });
    source.addEventListener("status", (message) => this.#pass("status", message));
    source.addEventListener("changes", (message) => this.#pass("changes", message));
    source.addEventListener("reset", () => this.#handlers.reset());
  }

  #reopen() {
    this.#missed = true;
    this.#source.close();
    setTimeout(() => this.open(), this.#pause);
    this.#pause = Math.min(LONGEST_PAUSE, this.#pause * 2);
  }

  #pass(kind, message) {
    let value;
    try {
      value = JSON.parse(message.data);
    } catch (error) {
      // A message cut short: what it said is fetched anew.
      console.warn(`Quakes: unreadable ${kind} message`, error);
      this.#handlers.reset();
      return;
    }
    this.#handlers[kind](value);
  }

  #report(connected) {
    if (this.#connected === connected) return;
    this.#connected = connected;
    this.#handlers.connection(connected);
  }
}
