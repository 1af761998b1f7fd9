// Sets light or dark before anything is painted. Kept apart and classic, so that it runs first.
(function () {
  let theme = null;
  try {
    theme = localStorage.getItem("mem.theme");
  } catch {
    // Storage may be switched off: then the system decides.
  }
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
})();
