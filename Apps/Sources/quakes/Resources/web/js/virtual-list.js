/**
 * A listbox that keeps only the rows in sight in the document. The list itself has the focus and
 * names the selected row (aria-activedescendant), so that rows can be added and removed; each row
 * has its position in the whole list (aria-posinset, aria-setsize). The selected row always exists.
 */

import * as rows from "./row.js";
import { findAll } from "./find.js";

const OVERSCAN = 6;
const UNSAFE = /[^A-Za-z0-9]/g;

export class VirtualList {
  #list;
  /** @type {HTMLElement} */
  #canvas;
  #eventAt;
  #view = new Uint32Array(0);
  /** @type {Map<string, number> | null} */
  #positions = null;
  /** @type {Map<string, Row>} */
  #shown = new Map();
  /** @type {Row[]} */
  #spare = [];
  /** @type {string | null} */
  #selected = null;
  /** @type {Map<string, {kind: string, until: number}>} */
  #marked = new Map();
  /**
   * The forms before the revisions that rows tell.
   * @type {Map<string, {former: QuakeForm, until: number}>}
   */
  #revised = new Map();
  #frame = 0;
  #rowHeight = 0;

  /**
   * The place whose distance rows tell.
   * @type {NearPlace | null}
   */
  nearby = null;

  /**
   * @param {HTMLElement} list the element with role listbox
   * @param {(index: number) => Quake} eventAt the event at an index of the store
   * @param {RowHandlers & {scrolled: () => void}} handlers
   */
  constructor(list, eventAt, handlers) {
    this.#list = list;
    [this.#canvas] = findAll("[role=presentation]", list);
    this.#eventAt = eventAt;
    list.addEventListener("scroll", () => {
      this.#schedule();
      handlers.scrolled();
    }, { passive: true });
    new ResizeObserver(() => this.draw()).observe(list);
    list.addEventListener("click", (event) => {
      const row = event.target instanceof Element && event.target.closest(".row");
      if (row instanceof HTMLElement && row.dataset.id) handlers.open(row.dataset.id);
    });
    list.addEventListener("keydown", (event) => this.#key(event, handlers));
  }

  get length() {
    return this.#view.length;
  }

  get atTop() {
    return this.#list.scrollTop < this.#rowHeight / 2;
  }

  focus() {
    this.#list.focus({ preventScroll: true });
  }

  /**
   * The id at a position of the view.
   * @param {number} position
   */
  idAt(position) {
    return this.#eventAt(this.#view[position]).id;
  }

  /**
   * The position of an id in the view, or -1.
   * @param {string | null} id
   */
  positionOf(id) {
    if (id === null) return -1;
    if (this.#positions === null) {
      const positions = new Map();
      this.#view.forEach((index, position) => {
        positions.set(this.#eventAt(index).id, position);
      });
      this.#positions = positions;
    }
    return this.#positions.get(id) ?? -1;
  }

  /**
   * The anchor that keeps its position when the view changes: the first visible row and its offset.
   * @returns {ListAnchor | null}
   */
  anchor() {
    if (this.atTop || !this.length) return null;
    const position = Math.floor(this.#list.scrollTop / this.#rowHeight);
    const id = this.idAt(Math.min(position, this.length - 1));
    return { id, offset: this.#list.scrollTop - position * this.#rowHeight };
  }

  /**
   * Shows another view; with an anchor the rows in sight stay where they are.
   * @param {Uint32Array} view
   * @param {ListAnchor | null} [anchor]
   */
  show(view, anchor) {
    this.#view = view;
    this.#positions = null;
    this.#measure();
    this.#canvas.style.height = `${view.length * this.#rowHeight}px`;
    if (anchor === undefined) {
      this.#list.scrollTop = 0;
    } else if (anchor) {
      const position = this.positionOf(anchor.id);
      if (position >= 0) this.#list.scrollTop = position * this.#rowHeight + anchor.offset;
    }
    this.draw();
  }

  /**
   * Selects an id (or null) and, when asked to, brings its row into sight.
   * @param {string | null} id
   */
  select(id, reveal = true) {
    this.#selected = id;
    const position = this.positionOf(id);
    if (reveal && position >= 0) this.#reveal(position);
    this.draw();
  }

  scrollToTop() {
    this.#list.scrollTop = 0;
  }

  /**
   * Marks rows as new or revised until `until` (milliseconds).
   * @param {string[]} ids
   * @param {string} kind
   * @param {number} until
   * @param {number} now
   */
  mark(ids, kind, until, now = Date.now()) {
    // Rows out of sight are never drawn, so nothing else ends their marks.
    for (const [id, mark] of this.#marked) if (mark.until <= now) this.#marked.delete(id);
    for (const id of ids) this.#marked.set(id, { kind, until });
  }

  /**
   * Tells in the rows of revised events what has changed, until `until` (milliseconds); since the first of several
   * revisions in that time.
   * @param {Map<string, QuakeForm>} former the events before the revision, by their present identifiers
   * @param {number} until
   * @param {number} now
   */
  tellRevisions(former, until, now = Date.now()) {
    for (const [id, told] of this.#revised) if (told.until <= now) this.#revised.delete(id);
    for (const [id, form] of former) {
      const first = this.#revised.get(id) ?? this.#revised.get(form.id);
      this.#revised.set(id, { former: first?.former ?? form, until });
    }
  }

  /** Draws the rows in sight. */
  draw() {
    this.#measure();
    const now = Date.now();
    const { scrollTop, clientHeight } = this.#list;
    const first = Math.max(0, Math.floor(scrollTop / this.#rowHeight) - OVERSCAN);
    const inSight = Math.ceil(clientHeight / this.#rowHeight) + 2 * OVERSCAN;
    const last = Math.min(this.length, first + inSight);
    /** @type {Map<string, number>} */
    const wanted = new Map();
    for (let position = first; position < last; position += 1) wanted.set(this.idAt(position), position);
    const selectedAt = this.positionOf(this.#selected);
    if (this.#selected !== null && selectedAt >= 0) wanted.set(this.#selected, selectedAt);
    for (const [id, entry] of this.#shown) {
      if (wanted.has(id)) continue;
      entry.row.remove();
      this.#shown.delete(id);
      this.#spare.push(entry);
    }
    for (const [id, position] of wanted) this.#place(id, position, now);
    const active = this.#selected === null ? undefined : this.#shown.get(this.#selected);
    if (active) this.#list.setAttribute("aria-activedescendant", active.row.id);
    else this.#list.removeAttribute("aria-activedescendant");
  }

  /**
   * @param {string} id
   * @param {number} position
   * @param {number} now
   */
  #place(id, position, now) {
    let entry = this.#shown.get(id);
    if (!entry) {
      entry = this.#spare.pop() ?? rows.make();
      this.#shown.set(id, entry);
      this.#canvas.append(entry.row);
      entry.row.dataset.id = id;
      entry.row.id = `event-${id.replace(UNSAFE, (sign) => `-${sign.charCodeAt(0)}-`)}`;
    }
    const { row } = entry;
    const told = this.#revised.get(id);
    const former = told && told.until > now ? told.former : null;
    rows.fill(entry, this.#eventAt(this.#view[position]), now, this.nearby, former);
    row.style.transform = `translateY(${position * this.#rowHeight}px)`;
    row.setAttribute("aria-posinset", String(position + 1));
    row.setAttribute("aria-setsize", String(this.length));
    row.setAttribute("aria-selected", String(id === this.#selected));
    const mark = this.#marked.get(id);
    if (mark && mark.until > now) row.dataset.mark = mark.kind;
    else {
      delete row.dataset.mark;
      this.#marked.delete(id);
    }
  }

  #measure() {
    const height = Number.parseFloat(getComputedStyle(this.#list).getPropertyValue("--row"));
    this.#rowHeight = height || 64;
  }

  #schedule() {
    if (this.#frame) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.draw();
    });
  }

  /**
   * Scrolls to a row that is out of sight.
   * @param {number} position
   */
  #reveal(position) {
    const top = position * this.#rowHeight;
    const { scrollTop, clientHeight } = this.#list;
    if (top < scrollTop) this.#list.scrollTop = top;
    else if (top + this.#rowHeight > scrollTop + clientHeight) {
      // A distant row is scrolled to the middle, a neighbouring one only to the edge.
      const far = top > scrollTop + 2 * clientHeight;
      this.#list.scrollTop = far
        ? top - (clientHeight - this.#rowHeight) / 2
        : top + this.#rowHeight - clientHeight;
    }
  }

  /**
   * Moves the selection by a number of rows; without a selection it starts at the first visible row.
   * @param {number} by
   * @param {Pick<RowHandlers, "choose">} handlers
   */
  step(by, handlers) {
    if (!this.length) return;
    const at = this.positionOf(this.#selected);
    const start = Math.ceil(this.#list.scrollTop / this.#rowHeight);
    const target = at < 0 ? start : at + by;
    handlers.choose(this.idAt(Math.max(0, Math.min(this.length - 1, target))));
  }

  /**
   * @param {KeyboardEvent} event
   * @param {RowHandlers} handlers
   */
  #key(event, handlers) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const page = Math.max(1, Math.floor(this.#list.clientHeight / this.#rowHeight) - 1);
    /** @type {Record<string, number>} */
    const steps = {
      ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity,
    };
    if (event.key in steps && this.length) {
      event.preventDefault();
      if (Number.isFinite(steps[event.key])) this.step(steps[event.key], handlers);
      else handlers.choose(this.idAt(event.key === "Home" ? 0 : this.length - 1));
    } else if ((event.key === "Enter" || event.key === " ") && this.#selected !== null) {
      event.preventDefault();
      handlers.open(this.#selected, true);
    }
  }
}
