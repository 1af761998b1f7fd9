// Sets light or dark before anything is painted. Kept apart and classic, so that it runs first.
(function () {
  let wanted = null;
  try {
    wanted = localStorage.getItem("mem.theme");
  } catch {
    // Storage may be switched off: then the system decides.
  }
  if (wanted === "light" || wanted === "dark") document.documentElement.dataset.theme = wanted;
})();
