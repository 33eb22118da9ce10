/** The page: one model, and the parts that show it. */

import * as api from "./api.js";
import * as format from "./format.js";
import { Account } from "./account.js";
import { ActivitySheet } from "./activity.js";
import { Choice } from "./choice.js";
import * as clock from "./clock.js";
import { edit } from "./edits.js";
import { uuid } from "./elements.js";
import { Announcer } from "./announcer.js";
import { Details } from "./details.js";
import { DirectEdits } from "./direct-edits.js";
import { EditQueue } from "./edit-queue.js";
import { Exchange } from "./exchange.js";
import { find, findAll } from "./find.js";
import { FocusKeeper } from "./focus.js";
import { List } from "./list.js";
import { MapPanel } from "./map-panel.js";
import { isQuiet, Model, QUIET } from "./model.js";
import { NewerVersion } from "./newer-version.js";
import { Notices } from "./notices.js";
import { LastData } from "./offline.js";
import { release } from "./photos.js";
import { Press } from "./press.js";
import { Removals } from "./removals.js";
import { SharedStream } from "./shared-stream.js";
import { drawStatus } from "./status-line.js";
import { Theme } from "./theme.js";
import { WaitingSheet } from "./waiting-sheet.js";

const MINUTE = 60_000;
/** The pause before a failed request of the state is repeated, in milliseconds. */
const RETRY = 3_000;
/** The time in which a refusal is told where the edit was made, in milliseconds. */
const GRACE = 2_000;
const GONE = "This visit is not there any more.";

/** @type {(time: number) => Promise<null>} */
const pause = (time) => new Promise((resolve) => { setTimeout(resolve, time, null); });

/** @type {(name: string, date: number) => string} */
const booked = (name, date) => `There is a visit to ${name} on ${format.moment(date)} already.`;

export class App {
  #model = new Model();
  #announcer = new Announcer(find("announcer"));
  #list = new List(this.#model, this);
  #details = new Details(this.#model, this);
  #map = new MapPanel(this.#model, this);
  #notices = new Notices(this.#model, this);
  #waiting = new WaitingSheet(this.#model, this);
  #account = new Account(this.#model, this);
  #removals = new Removals(this.#model, this);
  #connected = true;
  /** @type {Promise<void> | null} */
  #loading = null;
  /** @type {Promise<void> | null} */
  #next = null;
  #version = new NewerVersion(() => this.#notices.exchanged());
  #queue = new EditQueue({
    changed: () => this.#keep(),
    isOther: () => this.#version.check(),
    sent: (made) => {
      this.#model.acknowledge(made);
      this.load();
    },
  });
  #direct = new DirectEdits();
  #choice = new Choice(this.#model,
    { list: this.#list, details: this.#details, map: this.#map, notices: this.#notices });
  /** @type {LastData<{state: ProgramState, time: number}>} */
  #last = new LastData();
  /**
   * The time at which the program last told its state, or null.
   * @type {number | null}
   */
  #asOf = null;
  /** Whether the program answers, and can't use its store. */
  #isTroubled = false;
  #exchange = new Exchange(this);
  #retry = 0;
  #press = new Press();
  #focus = new FocusKeeper();
  /** Whether something has changed that isn't drawn, since a control is pressed. */
  #isLate = false;

  /** @param {() => void} listed called once the list was read, or couldn't be */
  async start(listed) {
    new Theme(find("theme"), () => this.#map.recolour());
    for (const button of findAll(".tabs button")) {
      button.addEventListener("click", () => this.#view(button.dataset.view ?? "list"));
    }
    new ActivitySheet(this.#model, this);
    find("skip").addEventListener("click", (event) => {
      // The link's address would take the place of the page's.
      event.preventDefault();
      this.#focus.toList();
    });
    setInterval(() => {
      this.drawStatus();
      this.#details.offerDate();
    }, MINUTE / 4);
    // Before the program's state: an edit that it acknowledges in between is then in both.
    const keeps = await Promise.race([this.#queue.open(), pause(RETRY)]);
    if (keeps === false) this.#notices.keepsNothing();
    await this.#listen();
    await Promise.all([this.#version.check(), this.load()]);
    listed();
    this.#choice.arrive();
    this.#queue.wakeIfWaiting();
    await this.#map.start(await api.fetchConfig().catch((error) => {
      console.warn("Landmarks:", error.message);
      return { mapAvailable: true };
    }));
  }

  /**
   * Reads everything anew; a call during another one waits for a reading that begins after it.
   * @returns {Promise<void>}
   */
  load() {
    if (this.#loading) {
      this.#next ??= this.#loading.then(() => {
        this.#next = null;
        return this.load();
      });
      return this.#next;
    }
    this.#loading = this.#read().finally(() => { this.#loading = null; });
    return this.#loading;
  }

  async #read() {
    try {
      const { acknowledged } = this.#model;
      const { sent } = this.#queue;
      const state = await api.fetchState();
      clock.follow(state.now);
      this.#model.replace(state, acknowledged);
      this.#connected = true;
      this.#trouble(null);
      const time = Date.now();
      this.#asOf = clock.now();
      this.#last.keep({ state, time }, () => this.#queue.forget(sent));
    } catch (error) {
      this.#connected = false;
      this.#trouble(error.code === "store_changed" ? error.message : null);
      console.warn("Landmarks:", error.message);
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => this.load(), RETRY);
      if (!this.#model.isLoaded) await this.#showLast();
    }
    this.draw();
  }

  /** @param {string | null} reason why the program can't use its store; null when it can, or doesn't answer */
  #trouble(reason) {
    this.#isTroubled = reason !== null;
    this.#notices.trouble(reason);
  }

  /** Shows the state that the page last had. */
  async #showLast() {
    const last = await this.#last.read();
    if (!last) return;
    clock.follow(last.state.now, last.time);
    this.#asOf = last.state.now ?? last.time;
    this.#model.replace(last.state);
  }

  get isConnected() {
    return this.#connected;
  }

  draw() {
    if (this.#isLate) return;
    this.#isLate = true;
    this.#press.whenUp(() => this.#drawAll());
  }

  #drawAll() {
    this.#isLate = false;
    release(this.#model.photos);
    this.#choice.look();
    this.#list.draw();
    this.#details.draw();
    this.#map.draw(this.#list.shown);
    this.#notices.draw();
    this.#waiting.draw();
    this.#account.draw();
    this.drawStatus();
    this.#focus.keep();
  }

  // MARK: Actions

  /** @param {number | null} id */
  choose(id) {
    this.#choice.choose(id);
  }

  /**
   * Shows a visit among those to its landmark.
   * @param {Reservation} visit
   */
  chooseVisit({ id, landmarkID }) {
    this.#choice.choose(landmarkID, id);
  }

  /**
   * Notes in the address what is shown.
   * @param {boolean} isStep whether Back undoes it
   */
  moved(isStep) {
    this.#choice.moved(isStep);
  }

  /**
   * Marks a favorite or takes the mark away: shown at once as unstored, then kept, stored, and sent.
   * @param {number} id
   * @param {boolean} on the opposite of what the pressed button shows, which may be older than the model
   */
  async setFavorite(id, on) {
    const landmark = this.#model.landmark(id);
    if (!landmark) return;
    const { name } = landmark;
    const reason = await this.change("favorite", { landmarkID: id, name, on });
    if (reason === null) {
      this.#announcer.say(`${name} is ${on ? "now" : "no longer"} a favorite.`);
    }
  }

  /**
   * Plans a visit.
   * @param {number} landmarkID
   * @param {number} date
   */
  async reserve(landmarkID, date, note = "") {
    const name = this.#model.landmark(landmarkID)?.name;
    if (name === undefined) return "This landmark is not listed any more.";
    if (this.#model.isBooked(landmarkID, date)) return booked(name, date);
    return this.change("reserve", { reservationID: uuid(), landmarkID, name, date, note });
  }

  /**
   * @param {string} id
   * @param {number} date
   */
  async move(id, date) {
    const landmark = this.#model.landmark(this.visit(id)?.landmarkID);
    if (landmark && this.#model.isBooked(landmark.id, date, id)) return booked(landmark.name, date);
    return this.edit("move", id, { date });
  }

  /**
   * @param {string} id
   * @param {string} note
   * @param {string} base the note that was edited
   */
  setNote(id, note, base) {
    return this.edit("note", id, { note, base });
  }

  /**
   * Cancels a visit at once, and offers to take that back.
   * @param {string} id
   */
  async cancel(id) {
    const visit = this.visit(id);
    if (!visit) return GONE;
    const { landmarkID, date } = visit;
    const reason = await this.edit("cancel", id, {});
    if (reason !== null) return reason;
    const name = this.#model.landmark(landmarkID)?.name ?? "a landmark";
    const text = `The visit to ${name} on ${format.moment(date)} is cancelled.`;
    const holds = () => this.visit(id)?.status === "cancelled";
    this.offer("Cancelled", text, holds, async () => {
      const problem = await this.move(id, date);
      if (problem !== null) this.failed(problem);
    });
    return null;
  }

  /**
   * Says what was done, and offers to take it back.
   * @param {string} title
   * @param {string} text
   * @param {() => boolean} holds whether it is still so
   * @param {() => Promise<void>} undo
   */
  offer(title, text, holds, undo) {
    this.#notices.offer(title, text, holds, undo);
    this.#announcer.say(text);
  }

  /** @param {string} id */
  visit(id) {
    return this.#model.reservation(id);
  }

  /**
   * Removes a visit with its photos, and offers to take that back; asks before if it can't be taken back.
   * @param {string} id
   */
  remove(id) {
    return this.#removals.visit(id);
  }

  /**
   * Adds a photo to a visit.
   * @param {string} id
   * @param {Blob} blob a JPEG
   * @param {string} caption
   */
  async addPhoto(id, blob, caption) {
    const reason = await this.edit("photo", id, { photoID: uuid(), added: clock.now(), caption, blob });
    if (reason === null) this.#announcer.say("The photo is added.");
    return reason;
  }

  /**
   * Changes the caption of a photo.
   * @param {Photo} photo
   * @param {string} caption
   */
  async setCaption({ id: photoID, reservationID, added }, caption) {
    const visit = this.visit(reservationID);
    const name = this.#model.landmark(visit?.landmarkID)?.name;
    const reason = await this.change("caption",
      { photoID, reservationID, name, date: visit?.date ?? added, caption });
    if (reason === null) this.#announcer.say("The caption is changed.");
    return reason;
  }

  /**
   * Removes a photo at once, and offers to take that back as far as its bytes are at hand.
   * @param {string} photoID
   */
  removePhoto(photoID) {
    return this.#removals.photo(photoID);
  }

  /** @param {Notice} notice */
  async dismiss({ reservationID, photoID, landmarkID, made }) {
    const id = photoID ?? reservationID;
    // Those of marks end with their causes.
    if (id === null) return null;
    const name = this.#model.landmark(landmarkID ?? this.#model.reservation(reservationID)?.landmarkID)?.name;
    return this.change("dismiss", { reservationID: id, name, decided: made });
  }

  /**
   * Makes an edit of a visit.
   * @template {"move" | "note" | "cancel" | "remove" | "photo"} K
   * @param {K} kind
   * @param {string} id
   * @param {Omit<EditValues[K], "reservationID" | "date"> & {date?: number}} values
   * @returns {Promise<string | null>}
   */
  async edit(kind, id, values) {
    const visit = this.visit(id);
    if (!visit) return GONE;
    const name = this.#model.landmark(visit.landmarkID)?.name;
    return this.change(kind, /** @type {any} */ ({ reservationID: id, name, date: visit.date, ...values }));
  }

  /**
   * Shows an edit as unstored, keeps it in the browser, and then shows it as made; it is sent until the
   * program has it or refuses it.
   * @template {EditKind} K
   * @param {K} kind
   * @param {EditValues[K] & {name?: string}} values
   * @returns {Promise<string | null>} the reason when it isn't made, as far as it is known soon, else null
   */
  async change(kind, values) {
    const made = edit(kind, values, this.#model);
    const end = this.#model.begin(made);
    this.draw();
    const outcome = this.#queue.outcome(made.id);
    try {
      await this.#queue.add(made);
    } catch (error) {
      console.warn("Landmarks: an edit can't be kept:", error?.message);
      return this.#sendDirectly(made, end);
    }
    end();
    this.draw();
    return this.#connected ? Promise.race([outcome, pause(GRACE)]) : null;
  }

  /**
   * Sends an edit that the browser doesn't keep, and shows it as made when the program has it.
   * @param {Edit} made
   * @param {() => void} end takes back that it is shown as unstored
   */
  async #sendDirectly(made, end) {
    this.#notices.keepsNothing();
    try {
      const status = await this.#direct.send(made);
      end();
      this.#model.acknowledge(made, status);
      this.draw();
      await this.load();
      return null;
    } catch (error) {
      end();
      this.failed(error.refused
        ? `${made.what} was not stored: ${error.message}`
        : `${made.what} was not confirmed, and is shown as it was before: ${error.message}`);
      this.draw();
      this.load();
      return error.message;
    }
  }

  /**
   * Sends refused edits again, or edits of another store to this one.
   * @param {KeptEdit[]} edits
   */
  retry(edits) {
    const { store, status } = this.#model;
    return this.#each(edits, ({ number, state, failures }) => {
      // Refused without a failure, it was never made; a browser's clock that was wrong may be the reason.
      const again = state === "refused" && failures === 0 ? { id: uuid(clock.now()), made: Date.now() } : {};
      return this.#queue.retry(number, { store, user: status?.user ?? null, ...again });
    });
  }

  /** @param {KeptEdit[]} edits */
  forget(edits) {
    return this.#each(edits, ({ number }) => this.#queue.drop(number));
  }

  /**
   * Changes kept edits one after the other, and says so where the browser's database fails.
   * @param {KeptEdit[]} edits
   * @param {(edit: KeptEdit) => Promise<void>} change
   */
  async #each(edits, change) {
    try {
      for (const edit of edits) await change(edit);
    } catch (error) {
      this.failed(`The browser's database failed: ${error?.message ?? error}`);
    }
  }

  #keep() {
    this.#model.keep(this.#queue.edits);
    this.draw();
    // Later they are marked as waiting, if they still do.
    if (this.#queue.edits.some(isQuiet)) setTimeout(() => this.#keep(), QUIET);
  }

  /** Shows the form to sign in. */
  signIn() {
    this.#account.open();
  }

  /** Gives the focus to the successor of what has gone with it. */
  keepFocus() {
    this.#focus.keep();
  }

  /** @param {string} text */
  say(text) {
    this.#announcer.say(text);
  }

  /** @param {string} message */
  failed(message) {
    console.warn("Landmarks:", message);
    this.#notices.fail(message);
    this.#announcer.say(message, "failure");
  }

  sync() {
    return this.#exchange.request();
  }

  // MARK: Events

  #listen() {
    const stream = new SharedStream({
      news: () => this.load(),
      connection: (connected) => {
        const wasLost = connected && !this.#connected;
        this.#connected = connected;
        this.drawStatus();
        if (wasLost) this.load();
        if (!connected) return;
        this.#queue.wakeIfWaiting();
        this.#version.check();
      },
    });
    stream.open();
    return stream.ready;
  }

  drawStatus() {
    this.#press.whenUp(() => drawStatus(this.#model, {
      connected: this.#connected, syncing: this.#exchange.isRequested, asOf: this.#asOf, troubled: this.#isTroubled,
    }));
  }

  /** @param {string} view */
  #view(view) {
    document.body.dataset.view = view;
    for (const button of findAll(".tabs button")) {
      button.ariaPressed = String(button.dataset.view === view);
    }
    this.#map.resize();
  }
}
