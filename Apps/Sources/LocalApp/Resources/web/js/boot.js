// Runs before the first paint, so that a stored colour scheme does not flash in the other one.
(() => {
  const page = document.documentElement;
  try {
    // The place where settings.js keeps it.
    const theme = localStorage.getItem(`${page.dataset.app}.theme`);
    if (theme === "light" || theme === "dark") page.dataset.theme = theme;
  } catch {
    // Storage may be closed to the page (private windows): the system's scheme is used.
  }
})();
