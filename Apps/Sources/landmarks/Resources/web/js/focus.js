/**
 * Keeps the focus, for those who use the keyboard or a screen reader: when what has it is drawn anew, goes away or is
 * hidden, its successor gets it. `data-focus` names a control over drawings.
 */

import { find, findAll } from "./find.js";

/** The parts whose contents are drawn anew. */
const PARTS = "#notices, #visits, #details, #list, .bar";
/** The rows of the parts. */
const ROWS = ".notice, [data-reservation], [data-id]";

/** The list, or what is shown in its place. */
const LIST = ["#list", "#nothing-title", ".tabs [aria-pressed=true]"];

/** @param {HTMLElement} control */
const isSeen = (control) => control.isConnected && (control.checkVisibility?.() ?? true);
/** @param {HTMLElement} control */
const isUsable = (control) => isSeen(control) && !control.matches(":disabled");

/**
 * @typedef {object} Place where a control was
 * @property {HTMLElement} control
 * @property {string} part
 * @property {string} row
 * @property {number} index of the row
 */

export class FocusKeeper {
  /**
   * The control outside of the dialogs that had the focus last, unless the user has left it for none.
   * @type {Place | null}
   */
  #last = null;

  constructor() {
    addEventListener("focusin", ({ target }) => this.#note(target));
    addEventListener("focusout", ({ target, relatedTarget }) => {
      if (relatedTarget || target !== this.#last?.control) return;
      // A control that goes away loses the focus, too.
      queueMicrotask(() => {
        if (this.#last?.control === target && document.hasFocus() && isUsable(this.#last.control)) this.#last = null;
      });
    });
    // The browser gives the focus back before, to the same element only.
    addEventListener("close", () => this.keep(), true);
    addEventListener("focus", () => this.keep());
  }

  /** Gives the focus to the successor of the control that has lost it. */
  keep() {
    const { activeElement } = document;
    const isLost = activeElement === null || activeElement === document.body
      || (activeElement instanceof HTMLElement && !isSeen(activeElement));
    if (!this.#last || !isLost || !document.hasFocus() || document.querySelector("dialog[open]")) return;
    successor(this.#last)?.focus({ preventScroll: true });
  }

  /** Gives the focus to the list, or to what stands in its place. */
  toList() {
    const place = LIST.flatMap((selector) => findAll(selector)).find(isUsable);
    place?.focus();
    place?.scrollIntoView({ block: "start" });
  }

  /** @param {EventTarget | null} control */
  #note(control) {
    if (!(control instanceof HTMLElement) || control.closest("dialog")) return;
    const row = /** @type {HTMLElement | null} */ (control.closest(ROWS));
    const part = control.closest(PARTS);
    const siblings = row?.parentElement?.children ?? [];
    this.#last = {
      control, part: part ? part.id && `#${part.id}` : "",
      row: row?.dataset.reservation ? `[data-reservation="${CSS.escape(row.dataset.reservation)}"]` : "",
      index: [...siblings].findIndex((each) => each === row),
    };
  }
}

/**
 * The control that takes the place of another one; null while it can't be used yet.
 * @param {Place} place
 * @returns {HTMLElement | null}
 */
function successor({ control, part, row, index }) {
  if (isUsable(control)) return control;
  if (isSeen(control)) return null;
  const container = part ? find(part.slice(1)) : document.body;
  const { focus } = control.dataset;
  const again = focus ? findAll(`[data-focus="${CSS.escape(focus)}"]`, container).find(isSeen) : undefined;
  if (again) return isUsable(again) ? again : null;
  const [same] = row ? findAll(row, container) : [];
  if (same && isSeen(same)) return findAll(".buttons button", same).find(isUsable) ?? null;
  if (part === "#notices") {
    const rows = findAll(".notice", container);
    const next = rows[Math.min(index, rows.length - 1)];
    if (next) return next;
  }
  const first = part === "" ? "#sync" : part === "#list" ? "#list" : "#details-name";
  return [first, ...LIST].flatMap((selector) => findAll(selector)).find(isUsable) ?? null;
}
