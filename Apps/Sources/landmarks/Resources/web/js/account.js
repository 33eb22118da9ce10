/** The signed-in user: the button in the header, the form to sign in, and the dialog to sign out. */

import * as api from "./api.js";
import { Attempts } from "./attempts.js";
import { find } from "./find.js";
import * as format from "./format.js";

/**
 * Whether nobody is signed in, or the server has ended the sign-in.
 * @param {SyncStatus | null} status
 */
export const isOut = (status) => status?.signIn === "signedOut" || status?.signIn === "ended";

export class Account {
  #model;
  #app;
  #attempts = new Attempts();
  /** Whether the form has been shown without being asked for. */
  #isOffered = false;
  /** Whether the user was told of the changes that wait. */
  #isTold = false;

  /**
   * @param {Model} model
   * @param {App} app
   */
  constructor(model, app) {
    this.#model = model;
    this.#app = app;
    find("account").addEventListener("click", () => this.open());
    find("sign-in-close").addEventListener("click", () => find("sign-in", HTMLDialogElement).close());
    // The event comes late: the form may be open again, and typed in.
    const form = find("sign-in", HTMLDialogElement);
    form.addEventListener("close", () => {
      if (!form.open) this.#clear();
    });
    find("sign-in-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#signIn();
    });
    find("signed-in-close").addEventListener("click", () => find("signed-in", HTMLDialogElement).close());
    find("sign-out").addEventListener("click", () => this.#signOut());
  }

  draw() {
    const { status } = this.#model;
    const button = find("account");
    button.hidden = !status?.signIn || status.signIn === "token";
    const user = status?.user ?? "";
    const text = isOut(status) ? "Sign in" : user;
    find("account-name").textContent = text;
    button.setAttribute("aria-label", isOut(status) ? "Sign in" : `Signed in as ${user}`);
    button.title = isOut(status) ? "" : `Signed in as ${user}`;
    button.dataset.state = status?.signIn ?? "";
    if (!isOut(status)) return;
    find("signed-in", HTMLDialogElement).close();
    // With nothing to look at, signing in is all there is to do.
    if (this.#isOffered || !this.#app.isConnected || this.#model.landmarks.length > 0) return;
    this.#isOffered = true;
    this.open();
  }

  /** Shows the form, or who is signed in. */
  open() {
    if (document.querySelector("dialog[open]")) return;
    if (isOut(this.#model.status)) this.#ask();
    else this.#tell();
  }

  #ask() {
    const { status } = this.#model;
    this.#clear();
    const user = find("sign-in-user", HTMLInputElement);
    const stays = this.#model.landmarks.length > 0 ? " The landmarks shown stay on this device." : "";
    find("sign-in-what").textContent = `At ${status?.server ?? "the server"}.${stays}`;
    if (status?.user) user.value = status.user;
    find("sign-in", HTMLDialogElement).showModal();
    (user.value === "" ? user : find("sign-in-password")).focus();
  }

  #clear() {
    this.#attempts.begin();
    find("sign-in-password", HTMLInputElement).value = "";
    find("sign-in-error").hidden = true;
    this.#setBusy(false);
  }

  /** @param {boolean} isBusy */
  #setBusy(isBusy) {
    find("sign-in-submit", HTMLButtonElement).disabled = isBusy;
    find("sign-in-submit").textContent = isBusy ? "Signing in…" : "Sign in";
  }

  async #signIn() {
    const user = find("sign-in-user", HTMLInputElement).value.trim();
    const password = find("sign-in-password", HTMLInputElement);
    const isLast = this.#attempts.begin();
    find("sign-in-error").hidden = true;
    this.#setBusy(true);
    try {
      await api.signIn(user, password.value);
    } catch (error) {
      if (!isLast()) return;
      this.#setBusy(false);
      find("sign-in-error").hidden = false;
      find("sign-in-error").textContent = error.message;
      password.focus();
      password.select();
      return;
    }
    await this.#app.load();
    if (isLast()) find("sign-in", HTMLDialogElement).close();
    this.#app.say(`Signed in as ${user}.`);
  }

  #tell() {
    const { status } = this.#model;
    this.#isTold = false;
    find("signed-in-title").textContent = `Signed in as ${status?.user ?? "a user"}`;
    find("signed-in-what").textContent = `At ${status?.server ?? "the server"}.`;
    find("sign-out").textContent = "Sign out";
    find("sign-out", HTMLButtonElement).disabled = false;
    find("signed-in-error").hidden = true;
    find("signed-in", HTMLDialogElement).showModal();
  }

  async #signOut() {
    const { status, waiting } = this.#model;
    const count = (status?.pending ?? 0) + waiting.length;
    if (count > 0 && !this.#isTold) {
      this.#isTold = true;
      const user = status?.user ?? "the user";
      this.#complain(`${format.waiting(count)}: kept on this device until ${user} signs in again.`);
      find("sign-out").textContent = "Sign out anyway";
      return;
    }
    find("sign-out", HTMLButtonElement).disabled = true;
    try {
      await api.signOut();
    } catch (error) {
      find("sign-out", HTMLButtonElement).disabled = false;
      this.#complain(`That did not work: ${error.message}`);
      return;
    }
    // Where there is something to look at, the form waits until it is asked for.
    this.#isOffered = true;
    // The dialog covers the header's button until that button offers to sign in.
    await this.#app.load();
    find("signed-in", HTMLDialogElement).close();
    this.#app.say("Signed out.");
  }

  /** @param {string} text */
  #complain(text) {
    find("signed-in-error").hidden = false;
    find("signed-in-error").textContent = text;
  }
}
