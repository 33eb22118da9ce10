/** A reservation as a row, with its actions. */

import { Attempts } from "./attempts.js";
import * as clock from "./clock.js";
import * as format from "./format.js";
import { place } from "./address.js";
import { element, link, tell } from "./elements.js";
import { find } from "./find.js";
import { openNote } from "./note.js";
import { openAddPhoto, thumbnails } from "./photos.js";

const changes = new Attempts();

/**
 * @param {Reservation} reservation
 * @param {Model} model
 * @param {App} app
 * @param {boolean} named whether the row says which landmark it is about
 */
export function visit(reservation, model, app, named) {
  const isCancelled = reservation.status === "cancelled";
  const name = model.landmark(reservation.landmarkID)?.name ?? "A landmark";
  const when = format.moment(reservation.date);
  /** @type {(text: string, action: () => unknown) => HTMLButtonElement} */
  const button = (text, action) => {
    const made = element("button", { type: "button", class: "small", "aria-label": `${text}: ${name}, ${when}` }, text);
    made.dataset.focus = `${text} ${reservation.id}`;
    made.disabled = Boolean(reservation.isUnstored || reservation.isRemoval);
    made.addEventListener("click", action);
    return made;
  };
  const title = named ? visitLink(reservation, name, app) : element("span", { class: "name" }, when);
  const state = [named ? when : null, isCancelled ? "Cancelled" : null, progress(reservation)]
    .filter(Boolean).join(" · ");
  const classes = ["visit", isCancelled && "cancelled", reservation.isUnstored && "unstored",
    reservation.isKept && "kept", reservation.isRefused && "refused"];
  const row = element("li", { class: classes.filter(Boolean).join(" ") },
    element("div", { class: "text" }, title, element("span", { class: "meta" }, state)),
    reservation.note ? element("p", { class: "note", dir: "auto" }, reservation.note) : null,
    thumbnails(reservation, name, model, app),
    reservation.isUnmade ? null : element("div", { class: "buttons" },
      button("Note", () => openNote(reservation, name, app)),
      button("Add a photo", () => openAddPhoto(reservation, name, app)),
      button(isCancelled ? "Book again" : "Move", () => openChange(reservation, app)),
      isCancelled
        ? button("Remove", () => app.remove(reservation.id))
        : button("Cancel", () => app.cancel(reservation.id))));
  row.dataset.reservation = reservation.id;
  return row;
}

/**
 * A link to a visit, which is an address for others, too.
 * @param {Reservation} reservation
 * @param {string} name the landmark's
 * @param {App} app
 */
function visitLink(reservation, name, app) {
  const { id, landmarkID } = reservation;
  const made = link(place(landmarkID, id), name, () => app.chooseVisit(reservation));
  made.classList.add("name");
  made.dataset.focus = `link ${id}`;
  return made;
}

/**
 * How far the last edit of a reservation has come, in words.
 * @param {Reservation} reservation
 */
function progress({ isUnstored, isKept, isQuiet, isRemoval, isRefused, reason, refusal, isWaiting }) {
  if (isUnstored) return isRemoval ? "Removal not stored yet" : "Not stored yet";
  if (isKept && !isQuiet) return isRemoval ? "Removal kept in this browser" : "Kept in this browser";
  if (isRefused) return `Refused: ${reason}`;
  if (refusal) return "Refused by the server";
  return isWaiting ? "Waiting to be sent" : null;
}

/**
 * Shows the form for another time.
 * @param {Reservation} drawn the visit, as it was when the button was drawn
 * @param {App} app
 */
export function openChange(drawn, app) {
  const reservation = app.visit(drawn.id) ?? drawn;
  const dialog = find("change", HTMLDialogElement);
  const input = find("change-date", HTMLInputElement);
  const error = find("change-error");
  const shown = format.field(reservation.date);
  input.value = shown;
  input.min = format.field(clock.now() + 60_000);
  changes.begin();
  error.hidden = true;
  find("change-close").onclick = () => dialog.close();
  find("change-form").onsubmit = async (event) => {
    event.preventDefault();
    const isLast = changes.begin();
    // In the hour that a clock repeats when summer time ends, the field has one text for two times.
    const date = input.value === shown ? reservation.date : new Date(input.value).getTime();
    const reason = await app.move(reservation.id, date);
    if (!isLast()) return;
    tell(error, reason);
    if (reason === null) dialog.close();
  };
  dialog.showModal();
}
