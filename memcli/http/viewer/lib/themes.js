// Light, dark, or as the system has it.

const NAMES = ["auto", "light", "dark"];
const LABELS = { auto: "Auto", light: "Light", dark: "Dark" };
let label = null;

/** Returns what was chosen. */
export function chosen() {
  return document.documentElement.dataset.theme || "auto";
}

/** Chooses. */
export function choose(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  try {
    localStorage.setItem("mem.theme", name);
  } catch {
    // Then it holds until the page is left.
  }
  showChoice();
}

/** Goes on to the next. */
export function next() {
  choose(NAMES[(NAMES.indexOf(chosen()) + 1) % NAMES.length]);
}

/** Makes a button the switch. */
export function begin(button) {
  label = button;
  button.addEventListener("click", next);
  button.setAttribute("aria-keyshortcuts", "t");
  showChoice();
}

function showChoice() {
  label.textContent = LABELS[chosen()];
  label.setAttribute("aria-label", `Colours: ${LABELS[chosen()]}. Change`);
}
