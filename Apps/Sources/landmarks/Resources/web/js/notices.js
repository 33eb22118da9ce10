/** Automatic decisions, refusals, and failures, until they are dismissed. */

import { isOut } from "./account.js";
import * as clock from "./clock.js";
import * as format from "./format.js";
import { element } from "./elements.js";
import { find } from "./find.js";
import { LONGEST, openNote } from "./note.js";
import * as settings from "./settings.js";
import { openChange } from "./visit.js";

/** The most failures that are shown at once. */
const FAILURES = 4;
/** The most edits that a notice names. */
const NAMED = 3;

/** The setting that has the last restoration of the server that was dismissed. */
const RESTORED = "restored";

const root = find("notices");

export class Notices {
  #model;
  #app;
  /**
   * The failures, the newest first.
   * @type {string[]}
   */
  #failures = [];
  /**
   * The last thing that can be taken back.
   * @type {UndoOffer | null}
   */
  #offer = null;
  /**
   * Whether the browser keeps no edits, and the user doesn't know it yet.
   * @type {boolean | null}
   */
  #keepsNothing = null;
  /**
   * The object that the address names and that isn't there.
   * @type {string | null}
   */
  #lost = null;
  /**
   * Why the program can't use its store.
   * @type {string | null}
   */
  #trouble = null;
  /** Whether the program is of another version than this page. */
  #isExchanged = false;
  /** The last restoration of the server that was dismissed here. */
  #dismissed = 0;
  #drawn = "";

  /**
   * @param {Model} model
   * @param {App} app
   */
  constructor(model, app) {
    this.#model = model;
    this.#app = app;
    settings.watch(RESTORED, () => this.draw());
  }

  /** When the server was found to go on with an older copy of its data, until that is dismissed. */
  get #restored() {
    const time = this.#model.status?.restored ?? 0;
    // The browser's storage may be closed. The clock may have been set back since.
    const isDismissed = time === this.#dismissed || String(time) === settings.readText(RESTORED);
    return isDismissed ? 0 : time;
  }

  /** @param {string} message */
  fail(message) {
    this.#failures = [message, ...this.#failures.filter((known) => known !== message)].slice(0, FAILURES);
    this.#app.draw();
  }

  /**
   * Says what was done, and offers to take it back. Only the last one is offered.
   * @param {string} title
   * @param {string} text
   * @param {() => boolean} holds whether it is still so
   * @param {() => Promise<void>} undo
   */
  offer(title, text, holds, undo) {
    this.#offer = { number: (this.#offer?.number ?? 0) + 1, title, text, holds, undo };
    this.#app.draw();
  }

  /**
   * Says that something that the address names isn't there.
   * @param {string | null} text null when there is no such thing any more
   */
  lose(text) {
    this.#lost = text;
    if (text) this.#app.say(text);
    this.#app.draw();
  }

  /** Says once that this browser keeps no edits. */
  keepsNothing() {
    this.#keepsNothing ??= true;
    this.#app.draw();
  }

  /** @param {string | null} reason why the program can't use its store; null when it can */
  trouble(reason) {
    if (reason === this.#trouble) return;
    this.#trouble = reason;
    if (reason) this.#app.say(reason);
    this.#app.draw();
  }

  /** Says that the program was exchanged for another version. */
  exchanged() {
    this.#isExchanged = true;
    this.#app.say("Landmarks was updated. Reload shows the new version.");
    this.#app.draw();
  }

  draw() {
    const { notices, status, refused, strange, later, others } = this.#model;
    if (this.#offer && !this.#offer.holds()) this.#offer = null;
    const paused = status?.state === "paused" ? status.message : null;
    const restored = this.#restored;
    // Rows that are read or about to be pressed must not be exchanged for equal ones.
    const drawn = JSON.stringify(
      [notices, paused, status?.signIn, this.#failures, refused, strange, this.#keepsNothing, this.#offer?.number,
        this.#lost, later, others, this.#isExchanged, this.#trouble, restored]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const rows = notices.map((notice) => this.#decision(notice));
    if (this.#offer) rows.unshift(this.#undo(this.#offer));
    if (strange.length > 0) rows.unshift(this.#strange(strange));
    if (restored > 0) rows.unshift(this.#restoration(restored));
    if (others > 0) rows.unshift(row("decision others", "Kept for another user", foreign(others)));
    if (later.length > 0) rows.unshift(this.#later(later));
    rows.unshift(...refused.map((edit) => this.#refusal(edit)));
    if (paused && isOut(status)) {
      rows.unshift(row("decision", "Signed out", paused, button("Sign in", () => this.#app.signIn())));
    } else if (paused) rows.unshift(row("problem", "Sync is paused", paused));
    if (this.#keepsNothing) rows.unshift(this.#warning());
    if (this.#lost) {
      rows.unshift(row("decision lost", "Not found", this.#lost, button("Dismiss", () => this.lose(null))));
    }
    if (this.#trouble) rows.unshift(row("problem trouble", "Landmarks can't use its store", this.#trouble));
    if (this.#isExchanged) {
      rows.unshift(row("decision exchanged", "Landmarks was updated",
        "This page is of the version before. What waits here is kept, and sent after the reload.",
        button("Reload", () => location.reload())));
    }
    rows.unshift(...this.#failures.map((message) =>
      row("problem", "That did not work", message, button("Dismiss", () => {
        this.#failures = this.#failures.filter((known) => known !== message);
        this.draw();
      }))));
    root.replaceChildren(...rows);
  }

  /** @param {number} time */
  #restoration(time) {
    return row("decision restored", "The server went on with an older copy of its data",
      "Changes it had lost were sent again from here. Anything removed since that copy may be back.",
      button("Dismiss", () => {
        this.#dismissed = time;
        settings.write(RESTORED, String(time));
        this.draw();
      }));
  }

  /** @param {UndoOffer} offer */
  #undo(offer) {
    const end = () => {
      if (this.#offer === offer) this.#offer = null;
      this.draw();
    };
    return row("undo", offer.title, offer.text,
      button("Undo", async () => {
        end();
        await offer.undo();
      }),
      button("Dismiss", end));
  }

  /** @param {KeptEdit} edit */
  #refusal(edit) {
    return row("problem refusal", "Refused", `${edit.what} was not stored: ${edit.reason}`,
      button("Try again", () => this.#app.retry([edit])),
      button("Dismiss", () => this.#app.forget([edit])));
  }

  /**
   * Edits from before another store was opened under this address.
   * @param {KeptEdit[]} edits
   */
  #strange(edits) {
    const names = edits.slice(0, NAMED).map(({ what }) => what).join("; ");
    const more = edits.length > NAMED ? ` and ${edits.length - NAMED} more` : "";
    return row("decision strange", "Kept for another store",
      `${names}${more}. They are sent when Landmarks opens that store again.`,
      button("Make them here", () => this.#app.retry(edits)),
      button("Discard", () => this.#app.forget(edits)));
  }

  /**
   * Edits of a later version of the page, which the program was exchanged for an earlier one of.
   * @param {KeptEdit[]} edits
   */
  #later(edits) {
    const names = edits.slice(0, NAMED).map(({ what }) => what).join("; ");
    const more = edits.length > NAMED ? ` and ${edits.length - NAMED} more` : "";
    return row("decision later", "Kept for a newer version",
      `${names}${more}. This version of Landmarks can't send them; a newer one does.`,
      button("Discard", () => this.#app.forget(edits)));
  }

  #warning() {
    return row("decision warning", "This browser keeps nothing for this page",
      "A change counts only when Landmarks has it; until then it is shown as not stored.",
      button("Dismiss", () => {
        this.#keepsNothing = false;
        this.draw();
      }));
  }

  /** @param {Notice} notice */
  #decision(notice) {
    const id = notice.reservationID;
    const visit = this.#model.reservations.find((known) => known.id === id);
    const name = this.#model.landmark(notice.landmarkID ?? visit?.landmarkID)?.name ?? "a landmark";
    const date = notice.mine ?? notice.theirs ?? visit?.date;
    const [title, text] = words(notice, name, date);
    // A refusal lasts as long as the server refuses.
    const buttons = [notice.kind === "refused"
      ? button("Try again", () => this.#app.sync())
      : button("Dismiss", () => this.#app.dismiss(notice))];
    const { photoID } = notice;
    if (notice.kind === "refused" && photoID) {
      if (id !== null) buttons.unshift(button("Remove the photo", () => this.#app.removePhoto(photoID)));
    } else if (notice.kind === "refused" && visit) {
      // Only a merged note can be longer than the server takes.
      buttons.unshift(visit.note?.length > LONGEST
        ? button("Shorten the note", () => openNote(visit, name, this.#app))
        : button("Choose another time", () => openChange(visit, this.#app)));
    }
    if (notice.kind === "refused" && visit && !photoID) {
      buttons.unshift(...this.#choices(notice, visit, name));
      buttons.push(button("Remove the visit", async () => {
        const problem = await this.#app.remove(visit.id);
        if (problem !== null) this.fail(problem);
      }));
    }
    if (notice.kind === "mergedNote" && visit) {
      buttons.unshift(button("Edit the note", () => openNote(visit, name, this.#app)));
    }
    const other = this.#other(notice);
    if (other) buttons.unshift(other);
    return row("decision", title, text, ...buttons);
  }

  /**
   * A button for each date that the server would take, which moves the visit there at once.
   * @param {Notice} notice
   * @param {Reservation} visit
   * @param {string} name the landmark's
   */
  #choices({ choices = [] }, { id, landmarkID, date }, name) {
    const possible = choices.filter((time) => time > clock.now() && !this.#model.isBooked(landmarkID, time, id));
    return possible.map((time) => {
      const text = format.brief(time, date);
      const made = button(text, async () => {
        const problem = await this.#app.move(id, time);
        if (problem !== null) this.fail(problem);
        else this.#app.say(`The visit to ${name} is moved to ${format.moment(time)}.`);
      });
      made.setAttribute("aria-label", `${text}: move the visit to ${name}`);
      return made;
    });
  }

  /**
   * The button that does what was decided against; null when that is too late.
   * @param {Notice} notice
   */
  #other(notice) {
    const { reservationID: id, photoID, landmarkID, mine, theirs, note } = notice;
    const photo = this.#model.photos.find((known) => known.id === photoID);
    /** @type {(text: string, caption: string | null | undefined) => HTMLButtonElement | null} */
    const give = (text, caption) => (photo && typeof caption === "string"
      ? this.#choice(text, notice, () => this.#app.setCaption(photo, caption)) : null);
    if (notice.kind === "keptMyCaption") return give("Use the other caption", notice.otherCaption);
    if (notice.kind === "captionedElsewhere") return give("Use my caption", notice.caption);
    if (id === null) return null;
    /** @type {(text: string, date: number | null) => HTMLButtonElement | null} */
    const move = (text, date) => (date !== null && date > clock.now()
      ? this.#choice(text, notice, () => this.#app.move(id, date)) : null);
    switch (notice.kind) {
      case "keptMyDate": return move("Use the other date", theirs);
      case "movedElsewhere": return move("Use my date", mine);
      case "cancelledElsewhere": return move("Book it again", mine);
      case "bookedElsewhere":
        return this.#choice("Cancel it again", notice, () => this.#app.cancel(id));
      case "removedElsewhere":
        if (mine === null || mine <= clock.now()) return null;
        if (landmarkID === null || !this.#model.landmark(landmarkID)) return null;
        return this.#choice("Plan it again", notice, () => this.#app.reserve(landmarkID, mine, note ?? ""));
      default: return null;
    }
  }

  /**
   * @param {string} text
   * @param {Notice} notice
   * @param {() => Promise<string | null>} action gives the reason when it fails
   */
  #choice(text, notice, action) {
    return button(text, async () => {
      const problem = await action();
      if (problem === null) await this.#app.dismiss(notice);
      else this.fail(problem);
    });
  }
}

/**
 * A caption in words.
 * @param {string | null | undefined} caption
 */
const quoted = (caption) => (caption ? `“${caption}”` : "none");

/**
 * @param {Notice} notice
 * @param {string} name the landmark's
 * @param {number | null | undefined} date the visit's
 */
function words(notice, name, date) {
  // One landmark may have several visits.
  const visit = date ? `The visit on ${format.moment(date)}` : "The visit";
  switch (notice.kind) {
    case "keptMyDate":
      return [`Two dates for ${name}`,
        `It was moved here to ${format.moment(notice.mine)} and elsewhere to`
        + ` ${format.moment(notice.theirs)}. The date of this device was kept.`];
    case "keptMyEdit":
      return [`A visit to ${name} was kept`,
        `${visit} was changed here and removed elsewhere. It was kept as it is here.`];
    case "restoredTheirEdit":
      return [`A visit to ${name} is back`,
        `${visit} was removed here and changed elsewhere. It is back as it is there.`];
    case "mergedNote":
      return [`Two notes on a visit to ${name}`,
        `It was changed here and elsewhere, and has the lines of both${date ? ` (${format.moment(date)})` : ""}.`];
    case "movedElsewhere":
      return [`A visit to ${name} was moved`,
        `You planned it here for ${format.moment(notice.mine)}; since then it was moved elsewhere to`
        + ` ${format.moment(notice.theirs)}.`];
    case "cancelledElsewhere":
      return [`A visit to ${name} was cancelled`,
        `You planned it here for ${format.moment(notice.mine)}; since then it was cancelled elsewhere.`];
    case "bookedElsewhere":
      return [`A visit to ${name} is booked again`,
        `You cancelled it here; since then it was booked again elsewhere, for`
        + ` ${format.moment(notice.theirs)}.`];
    case "keptMyCaption":
      return [`Two captions of a photo of ${name}`,
        `It was changed here to ${quoted(notice.caption)} and elsewhere to ${quoted(notice.otherCaption)}.`
        + " The caption of this device was kept."];
    case "captionedElsewhere":
      return [`Another caption of a photo of ${name}`,
        `You changed it here to ${quoted(notice.caption)}; since then it was changed elsewhere to ${
          quoted(notice.otherCaption)}.`];
    case "removedElsewhere":
      return [`A visit to ${name} was removed`,
        `You planned it here for ${format.moment(notice.mine)}; since then it was removed elsewhere.`];
    case "refused":
      if (notice.photoID) {
        return [`The server refused a ${notice.reservationID ? "photo" : "removal of a photo"}`,
          `${notice.detail ?? "It gave no reason."} The ${
            notice.reservationID ? `photo of a visit to ${name}` : "change"} stays on this device.`];
      }
      return [`The server refused the ${notice.reservationID ? "visit to" : "mark of"} ${name}`,
        `${notice.detail ?? "It gave no reason."} ${
          notice.reservationID && date ? visit : "The change"} stays on this device.`];
    default:
      // Of a program of a later version.
      return [`A notice about ${name}`, "This version of the page has no words for it."];
  }
}

/**
 * The words about edits that another user made: nothing that they contain.
 * @param {number} count
 */
const foreign = (count) => (count === 1
  ? "A change that another user made here is kept in this browser. It is sent when Landmarks opens that user's store."
  : `${count} changes that another user made here are kept in this browser. They are sent when Landmarks opens that`
    + " user's store.");

/**
 * @param {string} text
 * @param {() => unknown} action may be asynchronous
 */
function button(text, action) {
  const made = element("button", { type: "button", class: "small" }, text);
  made.addEventListener("click", async () => {
    // Not disabled, which would take the focus away.
    if (made.ariaDisabled === "true") return;
    made.ariaDisabled = "true";
    try {
      await action();
    } finally {
      made.ariaDisabled = "false";
    }
  });
  return made;
}

/** @type {(kind: string, title: string, text: string, ...buttons: HTMLButtonElement[]) => HTMLElement} */
const row = (kind, title, text, ...buttons) => {
  for (const made of buttons) made.dataset.focus = `${title} ${text} ${made.textContent}`;
  return element("div", { class: `notice ${kind}`, tabindex: "-1" },
    element("p", {}, element("strong", {}, title), " ", text),
    element("div", { class: "buttons" }, ...buttons));
};
