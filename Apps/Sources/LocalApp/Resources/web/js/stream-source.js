/**
 * Server-sent events. The browser reconnects by itself with the last id that it received; the server
 * then resumes or sends `reset`. When the browser gives up (a response that isn't a stream), this
 * class reopens the stream with growing pauses and reports a reset, since changes were missed.
 */

const FIRST_PAUSE = 3_000;
const LONGEST_PAUSE = 60_000;
const NEWS = ["status", "changes", "reset"];

export class StreamSource {
  #address;
  #tell;
  /** @type {EventSource | null} */
  #source = null;
  #timer = 0;
  #pause = FIRST_PAUSE;
  #missed;

  /**
   * @param {string} address the stream's address
   * @param {(message: StreamMessage) => void} tell called with
   *   `open`, `lost`, and `news` with its name and its text
   * @param {boolean} missed whether another tab had the stream before, so that events may be lost
   */
  constructor(address, tell, missed = false) {
    this.#address = address;
    this.#tell = tell;
    this.#missed = missed;
  }

  open() {
    const source = new EventSource(this.#address);
    this.#source = source;
    source.addEventListener("open", () => {
      this.#pause = FIRST_PAUSE;
      this.#tell({ type: "open" });
      if (this.#missed) this.#tell({ type: "news", name: "reset", data: "{}" });
      this.#missed = false;
    });
    source.addEventListener("error", () => {
      this.#tell({ type: "lost" });
      if (source.readyState === EventSource.CLOSED) this.#reopen();
    });
    for (const name of NEWS) {
      source.addEventListener(name, ({ data }) => this.#tell({ type: "news", name, data }));
    }
  }

  close() {
    clearTimeout(this.#timer);
    this.#source?.close();
  }

  #reopen() {
    this.#missed = true;
    this.#source?.close();
    this.#timer = setTimeout(() => this.open(), this.#pause);
    this.#pause = Math.min(LONGEST_PAUSE, this.#pause * 2);
  }
}
