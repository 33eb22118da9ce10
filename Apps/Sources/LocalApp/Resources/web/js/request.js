/** Requests to a program's JSON API. */

/** Refusals for now: too slow, another name or store at this address, too early, too many. */
const LATER = new Set([408, 409, 421, 425, 429]);

/** A request that failed; `message` can be shown to a person. */
export class RequestError extends Error {
  /**
   * @param {string} message
   * @param {number} status the answer's status; 0 without an answer
   * @param {string} code the error's code in the answer, if it has one
   */
  constructor(message, status, code = "") {
    super(message);
    this.name = "RequestError";
    this.status = status;
    this.code = code;
  }

  /** Whether trying again is no use. */
  get refused() {
    return this.status >= 400 && this.status < 500 && !LATER.has(this.status);
  }
}

/**
 * Ends a request that isn't answered in time.
 * @param {number} limit in milliseconds
 */
export const deadline = (limit) => /** @type {AbortSignalTimeout} */ (AbortSignal).timeout(limit);

/**
 * The reason why a request has no answer.
 * @param {Error} error
 * @param {number} limit in milliseconds
 */
const reason = (error, limit) => (error.name === "TimeoutError"
  ? `no answer within ${limit / 1_000} seconds` : error.message);

/**
 * @param {string} program the program's name, for messages
 * @param {number} usual the maximum time until the response, in milliseconds
 * @param {{failed: (status: number) => string, broken: (response: Response) => string}} messages of
 *   an unsuccessful answer without a message, and of one that is no JSON (its reason follows)
 * @returns a function that sends a request, with `fetch`'s options and a deadline of its own
 */
export const requests = (program, usual, { failed, broken }) =>
  /**
   * @param {string} path
   * @param {RequestInit} options
   */
  async (path, options = {}, limit = usual) => {
    let response;
    let body;
    try {
      response = await fetch(path, { cache: "no-cache", signal: deadline(limit), ...options });
    } catch (error) {
      throw new RequestError(`${program} does not answer (${reason(error, limit)}).`, 0);
    }
    try {
      body = await response.json();
    } catch (error) {
      throw new RequestError(`${broken(response)} (${reason(error, limit)}).`, response.status);
    }
    if (response.ok) return body;
    const message = body?.error?.message ?? failed(response.status);
    throw new RequestError(message, response.status, body?.error?.code);
  };
