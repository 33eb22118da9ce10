/**
 * The edits that the program hasn't acknowledged, in the browser's database. They outlive the page, the
 * browser and the program; all tabs share them, and one tab at a time sends them, in their order.
 *
 * The sender holds a Web Lock for as long as edits wait, so that the next tab takes over when it is
 * closed. An edit whose answer was lost is sent again: the program knows its identifier. An edit that the program has
 * stays until the state that the browser keeps contains it: the page may be opened without the program before.
 */

import * as api from "./api.js";
import { answer, Database } from "./database.js";
import { isKnown, send } from "./edits.js";

const NAME = "edits";
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;
/** The number of failures of the program at an edit after which the edit is set aside. */
const FAILURES = 3;

/**
 * Works while no other tab does.
 * @type {(work: () => Promise<void>) => Promise<void>}
 */
const exclusively = (work) => (navigator.locks ? navigator.locks.request(NAME, work) : work());

export class EditQueue {
  #database = new Database("landmarks", { [NAME]: { keyPath: "number", autoIncrement: true } });
  #channel = typeof BroadcastChannel === "function" ? new BroadcastChannel(NAME) : null;
  #handlers;
  /** @type {KeptEdit[]} */
  #edits = [];
  /**
   * Outcomes of edits that could not be written, as on a full disk, by their numbers.
   * @type {Map<number, Partial<EditFacts>>}
   */
  #unwritten = new Map();
  #reading = Promise.resolve();
  /** The numbers of edits that the program, of another version than this page, refused. */
  #postponed = new Set();
  #isSending = false;
  /** Whether something changed since the sender last looked. */
  #again = false;
  #wake = () => {};
  #isPersistent = false;
  /**
   * The functions that wait for the outcome of an edit, by its identifier.
   * @type {Map<string, (reason: string | null) => void>}
   */
  #waiters = new Map();

  /**
   * @param {{changed: () => void, sent: (edit: Edit) => void, isOther: () => Promise<boolean>}} handlers `isOther`
   *   tells whether the program is of another version than this page
   */
  constructor(handlers) {
    this.#handlers = handlers;
    if (this.#channel) this.#channel.onmessage = ({ data }) => this.#hear(data);
  }

  /** The edits that wait, were refused, or aren't in the kept state yet, in their order. */
  get edits() {
    return this.#edits;
  }

  /** The edits that the program has: a state that is read from now on contains them. */
  get sent() {
    return this.#edits.filter(({ state }) => state === "sent");
  }

  /**
   * Reads what is kept.
   * @returns whether the browser keeps anything for this page
   */
  async open() {
    try {
      await this.read();
      return true;
    } catch (error) {
      console.warn("Landmarks: nothing is kept in this browser:", error?.message);
      return false;
    }
  }

  /** Reads the edits anew; of several calls, the last one's result stays. */
  read() {
    this.#reading = this.#reading.catch(() => {}).then(async () => {
      this.#edits = await this.#all();
      this.#handlers.changed();
    });
    return this.#reading;
  }

  /**
   * Keeps an edit and begins to send it. Rejects when it isn't kept.
   * @param {Edit} edit
   */
  async add(edit) {
    await this.#database.use(NAME, "readwrite", (store) => store.add(edit));
    await this.#changed();
    this.wake();
  }

  /**
   * Sends a refused edit again, with what else waits.
   * @param {number} number
   * @param {Partial<EditFacts>} values to change in it
   */
  async retry(number, values = {}) {
    await this.#update(number, { ...values, state: "waiting", failures: 0 });
    await this.#changed();
    this.wake();
  }

  /**
   * Forgets an edit.
   * @param {number} number
   */
  async drop(number) {
    await this.#database.use(NAME, "readwrite", (store) => store.delete(number));
    await this.#changed();
  }

  /**
   * Forgets edits that the program has, since the state that the browser keeps contains them.
   * @param {KeptEdit[]} edits
   */
  async forget(edits) {
    if (edits.length === 0) return;
    try {
      await this.#database.use(NAME, "readwrite", (store) => {
        for (const { number } of edits) store.delete(number);
      }, "relaxed");
      await this.#changed();
    } catch (error) {
      // The next state that is kept contains them, too.
      console.warn("Landmarks: sent edits are kept longer:", error?.message);
    }
  }

  /**
   * The outcome of an edit that this page adds.
   * @param {string} id
   * @returns {Promise<string | null>} the reason when the program refused it, else null
   */
  outcome(id) {
    return new Promise((resolve) => { this.#waiters.set(id, resolve); });
  }

  /** Sends what waits, if anything does: the program may be back. */
  wakeIfWaiting() {
    if (this.#edits.some(({ state }) => state === "waiting")) this.wake();
  }

  /** Sends what waits, at once. */
  wake() {
    this.#again = true;
    this.#wake();
    if (!this.#isSending) this.#send();
  }

  // MARK: Sending

  async #send() {
    this.#isSending = true;
    try {
      while (this.#again) await exclusively(() => this.#drain());
    } catch (error) {
      console.warn("Landmarks: the kept edits can't be read:", error?.message);
    }
    this.#isSending = false;
  }

  /** Sends until nothing is left that this program takes. */
  async #drain() {
    let pause = FIRST_PAUSE;
    /**
     * The store of the program that answered last.
     * @type {string | null | undefined}
     */
    let store;
    for (;;) {
      this.#again = false;
      const waiting = (await this.#all()).filter((edit) =>
        edit.state === "waiting" && isKnown(edit) && !this.#postponed.has(edit.number));
      if (waiting.length === 0) return;
      try {
        store ??= (await api.fetchConfig()).store;
        const edit = waiting.find((known) => known.store === store);
        if (!edit) return;
        await this.#deliver(edit);
        pause = FIRST_PAUSE;
      } catch (error) {
        console.warn("Landmarks:", error.message);
        store = undefined;
        this.#persist();
        await this.#rest(pause);
        pause = Math.min(LONGEST_PAUSE, pause * 2);
      }
    }
  }

  /** @param {KeptEdit} edit */
  async #deliver(edit) {
    try {
      await send(edit);
    } catch (error) {
      const failures = edit.failures + (error.status === 500 ? 1 : 0);
      if (!error.refused && failures < FAILURES) {
        if (failures > edit.failures) await this.#update(edit.number, { failures });
        throw error;
      }
      // The page of the program's version may make another request of it.
      if (error.refused && await this.#handlers.isOther()) {
        this.#postponed.add(edit.number);
        return;
      }
      await this.#update(edit.number, { state: "refused", reason: error.message });
      await this.#changed();
      this.#tell({ type: "settled", id: edit.id, reason: error.message });
      return;
    }
    await this.#update(edit.number, { state: "sent" });
    await this.#changed();
    this.#tell({ type: "settled", id: edit.id, reason: null, edit });
  }

  /** Asks the browser not to delete what waits when the disk is full. */
  #persist() {
    if (this.#isPersistent) return;
    this.#isPersistent = true;
    navigator.storage?.persist?.().catch(() => {});
  }

  /**
   * A pause that ends early when something has changed.
   * @param {number} time in milliseconds
   * @returns {Promise<void>}
   */
  #rest(time) {
    if (this.#again) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, time);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  // MARK: Tabs

  /** @param {QueueMessage} message */
  #tell(message) {
    this.#channel?.postMessage(message);
    this.#hear(message);
  }

  /** @param {QueueMessage} message */
  #hear(message) {
    if (message.type === "unwritten") {
      this.#unwritten.set(message.number, message.values);
      return;
    }
    if (message.type === "changed") {
      // This tab is the next sender when the present one is closed.
      this.read().then(() => this.wakeIfWaiting(), () => {});
      return;
    }
    if (message.edit) this.#handlers.sent(message.edit);
    this.#waiters.get(message.id)?.(message.reason);
    this.#waiters.delete(message.id);
  }

  #changed() {
    this.#channel?.postMessage({ type: "changed" });
    return this.read();
  }

  // MARK: Storage

  /** @returns {Promise<KeptEdit[]>} */
  async #all() {
    const kept = await this.#database.use(NAME, "readonly", (store) => answer(store.getAll()));
    return kept.map((edit) => ({ ...edit, ...this.#unwritten.get(edit.number) }));
  }

  /**
   * Changes a kept edit. A change that can't be written, as on a full disk, counts until the tabs are closed: an edit
   * that the program has isn't sent for ever, nor shown as waiting.
   * @param {number} number
   * @param {Partial<EditFacts>} values
   */
  async #update(number, values) {
    const all = { ...this.#unwritten.get(number), ...values };
    try {
      await this.#database.use(NAME, "readwrite", async (store) => {
        const known = await answer(store.get(number));
        if (known) store.put({ ...known, ...all });
      });
      if (this.#unwritten.has(number)) this.#remember(number, {});
    } catch (error) {
      console.warn("Landmarks: what became of an edit can't be kept:", error?.message);
      this.#remember(number, all);
    }
  }

  /**
   * Remembers in all tabs what can't be written of an edit.
   * @param {number} number
   * @param {Partial<EditFacts>} values
   */
  #remember(number, values) {
    this.#unwritten.set(number, values);
    this.#channel?.postMessage({ type: "unwritten", number, values });
  }
}
