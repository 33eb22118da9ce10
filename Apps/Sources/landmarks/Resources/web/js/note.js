/** The dialog for the note of a visit. */

import { Attempts } from "./attempts.js";
import * as format from "./format.js";
import { tell } from "./elements.js";
import { find } from "./find.js";

/** The length up to which a note is typed, in UTF-16 code units; merged ones may be longer. */
export const LONGEST = 2_000;

/**
 * Text that was typed and not saved, with the note that it began from, by the identifier of the visit.
 * @type {Map<string, {text: string, base: string}>}
 */
const drafts = new Map();

const changes = new Attempts();

/**
 * Shows the form for another note.
 * @param {Reservation} drawn the visit, as it was when the button was drawn
 * @param {string} name the landmark's
 * @param {App} app
 */
export function openNote(drawn, name, app) {
  const reservation = app.visit(drawn.id) ?? drawn;
  const { id, note } = reservation;
  const dialog = find("note", HTMLDialogElement);
  const input = find("note-text", HTMLTextAreaElement);
  const error = find("note-error");
  const draft = drafts.get(id);
  let base = draft?.base ?? note;
  changes.begin();
  find("note-what").textContent = `${name}, ${format.moment(reservation.date)}`;
  // A merged note that is longer may be shortened.
  input.maxLength = Math.max(LONGEST, base.length);
  input.value = draft?.text ?? note;
  error.hidden = true;
  find("note-draft").hidden = !draft;
  find("note-close").onclick = () => dialog.close();
  find("note-discard").onclick = () => {
    drafts.delete(id);
    dialog.close();
    openNote(reservation, name, app);
  };
  input.oninput = () => {
    if (input.value === base) drafts.delete(id);
    else drafts.set(id, { text: input.value, base });
  };
  find("note-form").onsubmit = async (event) => {
    event.preventDefault();
    const isLast = changes.begin();
    const text = input.value;
    const saved = typed(input);
    const reason = text === base ? null : await app.setNote(id, saved, base);
    if (reason === null) {
      // Text typed since begins from the saved one.
      const typedSince = drafts.get(id);
      if (typedSince?.text === text) drafts.delete(id);
      else if (typedSince) typedSince.base = saved;
    }
    if (!isLast()) return;
    tell(error, reason);
    if (reason !== null) return;
    base = saved;
    if (input.value === text) dialog.close();
  };
  dialog.showModal();
}

/**
 * The text of a field without halves of characters, which JSON can't have.
 * @param {HTMLTextAreaElement} input
 */
export const typed = (input) => (input.value.toWellFormed?.() ?? input.value).trim();
