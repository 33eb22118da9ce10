/** The selected event: in the list, on the map, in the address, and in its details. */

import { isIdentifier } from "./address.js";
import * as api from "./api.js";
import { find } from "./find.js";

export class Selection {
  #store;
  #parts;
  #handlers;
  /**
   * The selected event where it isn't among those of the page: one that a link names, or that was withdrawn.
   * @type {Quake | null}
   */
  #guest = null;
  /**
   * The event that the details have shown last.
   * @type {Quake | null}
   */
  #shown = null;
  /**
   * The element that had the focus before the details got it.
   * @type {Element | null}
   */
  #opener = null;

  /**
   * @param {EventStore} store the events of the page
   * @param {SelectionParts} parts what shows the selected event
   * @param {SelectionHandlers} handlers
   */
  constructor(store, parts, handlers) {
    this.#store = store;
    this.#parts = parts;
    this.#handlers = handlers;
  }

  /** The selected event; none when nothing is selected, or what is selected isn't known yet. */
  get event() {
    const { selected } = this.#handlers.state();
    return selected === null ? undefined : this.find(selected);
  }

  /**
   * An event of the page, or the selected one beyond these.
   * @param {string} id
   */
  find(id) {
    return this.#store.find(id) ?? (this.#guest?.id === id ? this.#guest : undefined);
  }

  /**
   * @param {string | null} id
   * @param {{pan?: boolean, scroll?: boolean, open?: boolean, focus?: boolean}} options
   */
  select(id, { pan = false, scroll = false, open = false, focus = false }) {
    if (id === null) return;
    const { list, panel, details, address, wide } = this.#parts;
    const state = this.#handlers.state();
    state.selected = id;
    address.write(state, "select");
    list.select(id, scroll);
    this.#handlers.marked(id);
    const event = this.find(id);
    if (event && (open || details.isOpen)) this.#open(event, focus);
    // On a phone the details take half of the list's room.
    if (open && !wide.matches) list.select(id, true);
    const space = this.#space();
    // Details that open over the circle would hide it.
    const isCovered = open && event && panel.map?.isCovered(event, space);
    panel.map?.select(event, pan || Boolean(isCovered), space);
  }

  /**
   * After events or the address changed: shows the selected event in list, map and details.
   * @param {boolean} pan
   */
  show(pan) {
    const { list, panel, details } = this.#parts;
    const { selected } = this.#handlers.state();
    const { event } = this;
    if (selected !== null && !event && pan && list.loaded) this.#fetchGuest(selected);
    list.select(selected, pan);
    this.#handlers.marked(selected);
    if (event && (details.isOpen || pan)) this.#open(event, false);
    panel.map?.select(event, pan && Boolean(event), this.#space());
  }

  /** Shows the selected event on a map that has just started. */
  showOnMap() {
    const { event } = this;
    if (event) this.#parts.panel.map?.select(event, true, this.#space());
  }

  /** Writes open details anew. */
  redraw() {
    const { event } = this;
    if (event && this.#parts.details.isOpen) this.#open(event, false);
  }

  /**
   * Opens an event that isn't among those on the page: one beyond them, a withdrawn one, or an old identifier.
   * @param {string} id
   * @param {boolean} pan
   */
  async #fetchGuest(id, pan = true) {
    const { say, state } = this.#handlers;
    // The server would refuse the identifier of a damaged link.
    if (!isIdentifier(id)) {
      this.#closeOther(id);
      say("The link names an earthquake by something that is no identifier.");
      return;
    }
    let event;
    try {
      event = await api.fetchEvent(id);
    } catch (error) {
      if (state().selected !== id) return;
      const isUnknown = error.status === 404;
      if (isUnknown && this.#guest?.id === id) this.#drop();
      this.#closeOther(id);
      say(isUnknown
        ? `There is no earthquake ${id} in the local copy.`
        : `The earthquake ${id} could not be loaded: ${error.message}`);
      return;
    }
    if (state().selected !== id) return;
    if (event.id !== id) this.#rename(event.id);
    if (!this.#store.find(event.id)) this.#guest = event;
    this.show(pan);
  }

  /**
   * Closes details that show another event than the one that was asked for.
   * @param {string} id
   */
  #closeOther(id) {
    const { details, panel } = this.#parts;
    if (!details.isOpen || this.#shown?.id === id) return;
    details.close();
    panel.map?.setSpace(this.#space());
  }

  /**
   * The selected event has another identifier: selection, open details and address get it, too.
   * @param {string} id
   */
  #rename(id) {
    const { details, address } = this.#parts;
    const state = this.#handlers.state();
    if (state.selected !== null) details.rename(state.selected, id);
    state.selected = id;
    address.replace(state);
  }

  /** Closes the details of an event that is gone. */
  #drop() {
    this.#guest = null;
    this.close(false);
  }

  /**
   * @param {Quake} event
   * @param {boolean} focus
   */
  #open(event, focus) {
    const isLeftOut = this.#parts.list.positionOf(event.id) < 0;
    const isAbsent = !this.#store.find(event.id);
    const note = !isLeftOut || event.withdrawn ? "" : isAbsent
      ? "This event is in the local copy, but not among those loaded on the page."
      : "The filters leave this event out of the list.";
    if (focus && !find("details").contains(document.activeElement)) this.#opener = document.activeElement;
    else if (!focus && this.#shown?.id !== event.id) this.#opener = null;
    this.#shown = event;
    this.#parts.details.open(event, note, focus);
  }

  /** Closes the details. */
  close(refocus = true) {
    const { list, panel, details, address } = this.#parts;
    const wasOpen = details.isOpen;
    details.close();
    if (!wasOpen) return;
    const state = this.#handlers.state();
    if (state.selected !== null && list.positionOf(state.selected) < 0) {
      this.dropHidden();
      address.write(state, "select");
    }
    if (refocus) this.#refocus();
    panel.map?.setSpace(this.#space());
  }

  /** Gives the focus back to what opened the details, such as a button of the statistics, or to the list. */
  #refocus() {
    const opener = this.#opener;
    if (opener instanceof HTMLElement && opener.checkVisibility({ visibilityProperty: true })) opener.focus();
    else this.#parts.list.focus();
  }

  /**
   * Follows the selected event when the events of the page have changed, before they are shown: to its new identifier;
   * open details stay with an event that was withdrawn.
   * @param {Map<string, Quake>} heirs the events with a new identifier, by the former one
   * @param {Quake[]} withdrawn the events that were withdrawn, in their present form
   */
  follow(heirs, withdrawn = []) {
    const { selected } = this.#handlers.state();
    if (selected === null) return;
    const heir = heirs.get(selected);
    if (heir) this.#rename(heir.id);
    const id = heir?.id ?? selected;
    const present = withdrawn.find((event) => event.id === id);
    if (present && this.#parts.details.isOpen) this.#guest = present;
  }

  /**
   * Closes the details of an event that is no longer in the copy, and says so.
   * @param {Set<string>} ids
   */
  closeRemoved(ids) {
    const { selected } = this.#handlers.state();
    if (selected === null || !ids.has(selected) || !this.#parts.details.isOpen) return;
    this.#drop();
    this.#handlers.say(`The earthquake ${selected} was removed from the local copy.`);
  }

  /** Asks for the event of open details that is no longer among those of the page. */
  checkGone() {
    const { selected } = this.#handlers.state();
    if (selected === null || !this.#parts.details.isOpen || this.#store.find(selected)) return;
    if (this.#shown?.id === selected) this.#guest = this.#shown;
    if (isIdentifier(selected)) this.#fetchGuest(selected, false);
  }

  /** Drops a selection that the filters leave out. Open details stay: they tell it. */
  dropHidden() {
    const { list, panel, details } = this.#parts;
    const state = this.#handlers.state();
    if (state.selected === null || details.isOpen || list.positionOf(state.selected) >= 0) return;
    state.selected = null;
    list.select(null);
    this.#handlers.marked(null);
    panel.map?.select(undefined);
  }

  /** Drops a selection that has become too old for the filters, or was revised so that they leave it out. */
  dropAged() {
    const { selected } = this.#handlers.state();
    // One that isn't loaded yet, or not any more, is no matter of the filters.
    if (selected === null || !this.#store.find(selected)) return;
    this.dropHidden();
    if (this.#handlers.state().selected === null) this.#parts.address.replace(this.#handlers.state());
  }

  /** The part of the map that the details cover. */
  #space() {
    const { offsetWidth, offsetHeight } = find("details");
    const { details, wide } = this.#parts;
    if (!details.isOpen) return { top: 0, right: 0, bottom: 0, left: 0 };
    return wide.matches
      ? { top: 0, right: offsetWidth + 16, bottom: 0, left: 0 }
      : { top: 0, right: 0, bottom: offsetHeight, left: 0 };
  }
}
