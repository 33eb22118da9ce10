/** Changes of the copy: applied to the events of the page, marked in list and map, and announced. */

import * as format from "./format.js";
import { successors } from "./event-store.js";

/** The time for which rows and circles are marked, in milliseconds. */
const MARKED = 8_000;

export class Changes {
  #store;
  #parts;
  #handlers;

  /**
   * @param {EventStore} store the events of the page
   * @param {ChangeParts} parts what shows and tells changes
   * @param {ChangeHandlers} handlers
   */
  constructor(store, parts, handlers) {
    this.#store = store;
    this.#parts = parts;
    this.#handlers = handlers;
  }

  /**
   * Applies what the stream reports.
   * @param {QuakeChanges} changes
   */
  apply({ inserted, updated, deleted }) {
    const { list, selection, alerts } = this.#parts;
    const events = [...inserted, ...updated];
    const absent = events.filter(({ withdrawn }) => withdrawn);
    const heirs = this.#heirs(deleted, events);
    const formerlyListed = [...heirs].filter(([former]) => this.#isListed(former)).map(([, { id }]) => id);
    const withdrawn = absent.filter(({ id }) => this.#isListed(id) || formerlyListed.includes(id));
    const hidden = this.#handlers.state().withdrawn ? [] : absent;
    const shown = events.filter((event) => !hidden.includes(event));
    // The anchor is determined before the events get other indexes.
    const anchor = list.anchor();
    const removed = this.#store.remove([...deleted, ...hidden.map(({ id }) => id)]);
    const changed = this.#store.apply(shown);
    selection.follow(heirs, hidden);
    this.#show({ ...changed, removed }, anchor, heirs, withdrawn);
    const gone = new Set(deleted);
    selection.closeRemoved(gone);
    const lost = removed.filter(({ id }) => gone.has(id) && !heirs.has(id));
    this.#announce(withdrawn.length, "was withdrawn", "were withdrawn");
    this.#announce(lost.length, "was removed", "were removed");
    alerts.check(events);
  }

  /**
   * Shows events that were loaded anew.
   * @param {ListAnchor | null | undefined} anchor
   * @param {ReplacedEvents} changed
   */
  replaced(anchor, changed) {
    const { selection, alerts } = this.#parts;
    const events = [...changed.inserted, ...changed.updated].flatMap((id) => this.#store.find(id) ?? []);
    const heirs = successors(changed.removed.map(({ id }) => id), events);
    selection.follow(heirs);
    this.#show(changed, anchor, heirs);
    // Of a part of the copy, other events may have taken their place.
    const lost = this.#handlers.isWhole()
      ? changed.removed.filter(({ id, withdrawn }) => !withdrawn && !heirs.has(id)) : [];
    this.#announce(lost.length, "is no longer listed", "are no longer listed");
    alerts.check(events);
  }

  /**
   * The events that have taken the place of deleted ones: among the changes, or on the page already.
   * @param {string[]} deleted
   * @param {Quake[]} changed
   * @returns {Map<string, Quake>} by the former identifier
   */
  #heirs(deleted, changed) {
    if (deleted.length === 0) return new Map();
    const stale = new Set([...deleted, ...changed.map(({ id }) => id)]);
    const present = [...this.#store.events.filter(({ id }) => !stale.has(id)), ...changed];
    // Of several, the last one counts: one that isn't withdrawn, and has just changed.
    const withdrawn = present.filter((event) => event.withdrawn);
    return successors(deleted, [...withdrawn, ...present.filter((event) => !event.withdrawn)]);
  }

  /**
   * Whether the page has an event that isn't withdrawn.
   * @param {string} id
   */
  #isListed(id) {
    const event = this.#store.find(id);
    return event !== undefined && !event.withdrawn;
  }

  /** @type {(number: number, singular: string, plural: string) => void} */
  #announce(number, singular, plural) {
    if (number === 0) return;
    this.#parts.announcer.say(`${format.plural(number, "earthquake")} ${number === 1 ? singular : plural}.`, plural);
  }

  /**
   * Shows, marks and announces; the visible rows keep their position.
   * @param {ReplacedEvents} changed
   * @param {ListAnchor | null | undefined} anchor undefined starts at the top, null stays
   * @param {Map<string, Quake>} heirs the events with a new identifier, by the former one
   * @param {Quake[]} withdrawn events that are announced as withdrawn
   */
  #show(changed, anchor, heirs, withdrawn = []) {
    const { list, panel, selection, announcer } = this.#parts;
    const renamed = new Set([...heirs.values()].map(({ id }) => id));
    // Withdrawn events that the reader asks for aren't new, either.
    const inserted = changed.inserted.filter((id) => !renamed.has(id) && !this.#store.find(id)?.withdrawn);
    const updated = [...changed.updated, ...changed.inserted.filter((id) => renamed.has(id))];
    const former = new Map(changed.former);
    for (const event of changed.removed) {
      const heir = heirs.get(event.id);
      // One that was on the page already hasn't changed.
      if (heir && updated.includes(heir.id) && !former.has(heir.id)) former.set(heir.id, event);
    }
    list.mark({ inserted, updated, former }, MARKED);
    this.#handlers.show(anchor && { ...anchor, id: heirs.get(anchor.id)?.id ?? anchor.id });
    selection.show(false);
    selection.dropAged();
    if (!inserted.length && !updated.length) return;
    const fresh = inserted.filter((id) => list.positionOf(id) >= 0);
    list.news(fresh);
    panel.map?.mark(fresh.flatMap((id) => this.#store.find(id) ?? []));
    setTimeout(() => {
      panel.map?.clearMarks();
      list.draw();
    }, MARKED + 50);
    const parts = [];
    const ids = new Set(withdrawn.map(({ id }) => id));
    const revised = updated.filter((id) => !ids.has(id));
    if (inserted.length) parts.push(format.plural(inserted.length, "new earthquake"));
    if (revised.length) parts.push(`${format.count(revised.length)} revised`);
    if (parts.length) announcer.say(`${parts.join(", ")}.`, "changes");
  }
}
