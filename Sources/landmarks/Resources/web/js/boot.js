// Runs before the first paint, so that a stored colour scheme does not flash in the other one.
(() => {
  try {
    const theme = localStorage.getItem("landmarks.theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage may be closed to the page (private windows): the system's scheme is used.
  }
})();
