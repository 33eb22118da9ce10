/** The keys of the page, and what Escape closes: one thing at a time. */

/**
 * The action of each key; false for nothing done.
 * @param {import("./app.js").App} app
 * @param {PageKeyHandlers} handlers
 * @returns {Record<string, (event: KeyboardEvent) => unknown>}
 */
export function pageKeys(app, { search, isWide, choose, limit, fit }) {
  const { list, panel, time, refresh, views, statisticsView, filters, details, selection } = app;
  /** @param {number} by */
  const step = (by) => {
    list.focus();
    list.step(by, choose);
  };
  /** @param {KeyboardEvent} event */
  const escape = (event) => {
    if (document.querySelector(":popover-open")) return false;
    if (panel.map?.pointer?.isPicking) panel.map.pointer.cancelPick();
    else if (event.target === search && search.value !== "") filters.clearSearch();
    else if (event.target === search) list.focus();
    else if (details.isOpen) selection.close();
    else return false;
    return true;
  };
  return {
    j: () => step(1),
    k: () => step(-1),
    r: () => refresh.start(),
    g: () => panel.toggleProjection(),
    t: () => panel.map && time.toggle(),
    v: () => panel.map && limit(),
    f: () => panel.map && fit(),
    s: () => (isWide() ? statisticsView.toggle() : views.open("statistics")),
    "/": () => {
      views.open("list");
      search.focus();
      search.select();
    },
    Escape: escape,
  };
}
