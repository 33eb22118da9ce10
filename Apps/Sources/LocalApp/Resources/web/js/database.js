/** The browser's database (IndexedDB) with promises. */

/**
 * Fulfilled with a request's result.
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
export const answer = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

/**
 * Fulfilled when a transaction is stored.
 * @param {IDBTransaction} transaction
 * @returns {Promise<void>}
 */
const committed = (transaction) => new Promise((resolve, reject) => {
  transaction.oncomplete = () => resolve();
  transaction.onabort = () => reject(transaction.error ?? new Error("The transaction was aborted."));
});

export class Database {
  #name;
  #stores;
  /** @type {Promise<IDBDatabase> | null} */
  #opened = null;

  /**
   * @param {string} name the database's name
   * @param {Record<string, IDBObjectStoreParameters>} stores the options of its object stores by their names
   */
  constructor(name, stores) {
    this.#name = name;
    this.#stores = stores;
  }

  /**
   * Calls a function with an object store, in one transaction.
   * @template T
   * @param {string} name the store's name
   * @param {"readonly" | "readwrite"} mode
   * @param {(store: IDBObjectStore) => T | Promise<T>} work waits for nothing but the store's answers
   * @param {"strict" | "relaxed"} durability whether to wait for the disk
   * @returns {Promise<T>} its result, when what it wrote is stored; rejects where the browser keeps nothing
   */
  async use(name, mode, work, durability = "strict") {
    const database = await this.#open();
    const transaction = database.transaction(name, mode, { durability });
    const stored = committed(transaction);
    const [result] = await Promise.all([work(transaction.objectStore(name)), stored]);
    return result;
  }

  #open() {
    this.#opened ??= this.#request().catch((error) => {
      this.#opened = null;
      throw error;
    });
    return this.#opened;
  }

  async #request() {
    const opening = indexedDB.open(this.#name, 1);
    opening.onupgradeneeded = () => {
      for (const [name, options] of Object.entries(this.#stores)) {
        opening.result.createObjectStore(name, options);
      }
    };
    const database = await answer(opening);
    const forget = () => { this.#opened = null; };
    // The user deletes the site's data, or a later version of the page changes the database.
    database.onclose = forget;
    database.onversionchange = () => {
      database.close();
      forget();
    };
    return database;
  }
}
