/** The photos of a visit: their thumbnails, and the dialogs that add, show and caption one. */

import { Attempts } from "./attempts.js";
import * as format from "./format.js";
import { element, tell } from "./elements.js";
import { find, findAll } from "./find.js";
import { scaled } from "./photo-file.js";

/** The length of a caption, in UTF-16 code units. */
const LONGEST = 200;
const attempts = new Attempts();

/**
 * The addresses of photos that this page added, by their identifiers: the bytes are in the browser, whether or not the
 * program answers.
 * @type {Map<string, string>}
 */
const own = new Map();

/** @param {Photo} photo */
function source({ id, blob }) {
  if (blob && !own.has(id)) own.set(id, URL.createObjectURL(blob));
  return own.get(id) ?? `/api/photos/${id}`;
}

/**
 * Releases the bytes of photos that aren't there any more.
 * @param {Photo[]} photos
 */
export function release(photos) {
  for (const [id, address] of own) {
    if (photos.some((photo) => photo.id === id)) continue;
    URL.revokeObjectURL(address);
    own.delete(id);
  }
}

/**
 * The text for those who don't see a photo.
 * @param {Photo} photo
 * @param {number} number its place among those of its visit
 */
const words = ({ caption }, number) => caption || `Photo ${number}, without a caption`;

/**
 * How far the last edit of a photo has come, in words.
 * @param {Photo} photo
 */
function progress({ isUnstored, isKept, isQuiet, isRemoval, isRefused, reason, refusal, isWaiting }) {
  if (isUnstored) return isRemoval ? "Removal not stored yet" : "Not stored yet";
  if (isKept && !isQuiet) return isRemoval ? "Removal kept in this browser" : "Kept in this browser";
  if (isRefused) return `Refused: ${reason}`;
  if (refusal) return `Refused by the server: ${refusal}`;
  return isWaiting ? "Waiting to be sent" : null;
}

/** @param {Photo} photo */
function stateOf({ isUnstored, isKept, isQuiet, isRefused, refusal, isWaiting }) {
  if (isUnstored || (isKept && !isQuiet)) return "kept";
  if (isRefused || refusal) return "refused";
  return isWaiting ? "waiting" : "";
}

/**
 * The thumbnails of a visit; null without photos.
 * @param {Reservation} reservation
 * @param {string} name the landmark's
 * @param {Model} model
 * @param {App} app
 */
export function thumbnails(reservation, name, model, app) {
  const photos = model.photosOf(reservation.id);
  if (photos.length === 0) return null;
  const label = `Photos: ${name}, ${format.moment(reservation.date)}`;
  return element("ul", { class: "photos", "aria-label": label }, ...photos.map((photo, index) => {
    const text = words(photo, index + 1);
    const told = progress(photo);
    const image = element("img", { src: source(photo), alt: "", width: "72", height: "72", loading: "lazy",
      decoding: "async" });
    const button = element("button", { type: "button", class: "photo",
      "aria-label": told ? `${text} (${told})` : text, title: told ?? text }, image);
    button.dataset.focus = `photo ${photo.id}`;
    button.dataset.photo = photo.id;
    button.dataset.state = stateOf(photo);
    button.addEventListener("click", () => openPhoto(photo, text, name, app));
    return element("li", {}, button);
  }));
}

/**
 * Shows one photo.
 * @param {Photo} photo
 * @param {string} text for those who don't see it
 * @param {string} name the landmark's
 * @param {App} app
 */
function openPhoto(photo, text, name, app) {
  const dialog = find("photo", HTMLDialogElement);
  const image = find("photo-image", HTMLImageElement);
  const told = progress(photo);
  image.src = source(photo);
  image.alt = text;
  find("photo-title").textContent = `Photo of the visit to ${name}`;
  find("photo-caption").textContent = photo.caption;
  find("photo-state").textContent = [`Added ${format.moment(photo.added)}`, told].filter(Boolean).join(" · ");
  find("photo-close").onclick = () => dialog.close();
  const change = find("photo-change", HTMLButtonElement);
  change.hidden = Boolean(photo.isUnmade);
  change.disabled = Boolean(photo.isUnstored || photo.isRemoval);
  change.onclick = () => {
    dialog.close();
    openCaption(photo, name, app);
  };
  const remove = find("photo-remove", HTMLButtonElement);
  remove.hidden = Boolean(photo.isUnmade);
  remove.disabled = Boolean(photo.isUnstored || photo.isRemoval);
  remove.onclick = () => {
    dialog.close();
    app.removePhoto(photo.id);
  };
  dialog.onclose = () => {
    image.removeAttribute("src");
    focusAgain(`photo ${photo.id}`);
  };
  dialog.showModal();
}

/**
 * Shows the form for another caption.
 * @param {Photo} photo
 * @param {string} name the landmark's
 * @param {App} app
 */
function openCaption(photo, name, app) {
  const dialog = find("caption", HTMLDialogElement);
  const input = find("caption-text", HTMLInputElement);
  const error = find("caption-error");
  attempts.begin();
  find("caption-what").textContent = `Photo of the visit to ${name}`;
  input.maxLength = LONGEST;
  input.value = photo.caption;
  error.hidden = true;
  find("caption-back").onclick = () => dialog.close();
  dialog.onclose = () => focusAgain(`photo ${photo.id}`);
  find("caption-form").onsubmit = async (event) => {
    event.preventDefault();
    const isLast = attempts.begin();
    const text = wellFormed(input.value);
    const reason = text === photo.caption ? null : await app.setCaption(photo, text);
    if (!isLast()) return;
    tell(error, reason);
    if (reason === null) dialog.close();
  };
  dialog.showModal();
}

/**
 * A typed text without halves of characters, which JSON can't have.
 * @param {string} text
 */
const wellFormed = (text) => (text.toWellFormed?.() ?? text).trim();

/**
 * Shows the form for a new photo.
 * @param {Reservation} reservation
 * @param {string} name the landmark's
 * @param {App} app
 */
export function openAddPhoto(reservation, name, app) {
  const dialog = find("photo-add", HTMLDialogElement);
  const form = find("photo-form", HTMLFormElement);
  const file = find("photo-file", HTMLInputElement);
  const caption = find("photo-text", HTMLInputElement);
  const submit = find("photo-submit", HTMLButtonElement);
  const error = find("photo-error");
  /** @param {string | null} reason */
  const say = (reason) => tell(error, reason);
  attempts.begin();
  form.reset();
  caption.maxLength = LONGEST;
  submit.disabled = false;
  say(null);
  find("photo-what").textContent = `${name}, ${format.moment(reservation.date)}`;
  find("photo-back").onclick = () => dialog.close();
  dialog.onclose = () => focusAgain(`Add a photo ${reservation.id}`);
  form.onsubmit = async (event) => {
    event.preventDefault();
    const isLast = attempts.begin();
    const [chosen] = file.files ?? [];
    if (!chosen) return say("Choose a photo.");
    submit.disabled = true;
    const reason = await add(chosen, caption.value);
    if (!isLast()) return undefined;
    submit.disabled = false;
    say(reason);
    if (reason === null) dialog.close();
    return undefined;
  };
  /**
   * @param {File} chosen
   * @param {string} text
   */
  async function add(chosen, text) {
    let blob;
    try {
      blob = await scaled(chosen);
    } catch (failure) {
      console.warn("Landmarks: a photo can't be read:", failure?.message);
      return "This file can't be read as a photo.";
    }
    return app.addPhoto(reservation.id, blob, wellFormed(text));
  }
  dialog.showModal();
}

/**
 * Gives the focus back to a control, which may have been drawn anew meanwhile.
 * @param {string} focus
 */
export const focusAgain = (focus) => findAll(`[data-focus="${CSS.escape(focus)}"]`)
  .find((control) => control.checkVisibility?.() ?? true)?.focus();
