// The keyboard: shortcuts, and lists in which the arrows move.

import { SHORTCUTS as VIEWS } from "./nav.js";

const LEADER = 2_000; // ms in which the second key of a pair may follow, by the times of the keys: a page that is busy loses none

/** [keys, what they do] of the whole page; a view adds its own. */
export const SHORTCUTS = [
  ["?", "this help"],
  ["/", "to the search, or the task"],
  ...VIEWS,
  ["j k ↓ ↑", "move in a list"],
  ["Enter", "open"],
  ["n", "remember something new"],
  ["e", "edit the memory that has the focus"],
  ["s", "supersede it"],
  ["p", "pin or unpin it"],
  ["x", "forget it"],
  ["u", "undo, while it is offered"],
  ["t", "light, dark, as the system"],
  ["Esc", "close, or leave a field"],
];

/** Tells whether single keys are shortcuts; whoever dictates or has other plans for them can switch them off. */
export function enabled() {
  try {
    return localStorage.getItem("mem.keys") !== "off";
  } catch {
    return true;
  }
}

const typing = (target) =>
  target instanceof Element &&
  target.closest("input:not([type=checkbox]):not([type=range]), textarea, select, [contenteditable]");

/** Listens for keys. `run(name)` gets "?", "g m" and the like and returns whether it knew what to do. */
export function listen(run) {
  let leader = -LEADER;
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.key === "Escape" && typing(target) && !target.closest("dialog")) {
      target.blur();
      document.getElementById("main").focus({ preventScroll: true });
      return;
    }
    if (typing(event.target) || document.querySelector("dialog[open]") || !enabled()) return;
    const isSecond = event.timeStamp - leader < LEADER;
    leader = -LEADER;
    if (!isSecond && event.key === "g" && !run("g")) {
      leader = event.timeStamp;
      return;
    }
    if (run(isSecond ? `g ${event.key}` : event.key)) event.preventDefault();
  });
}

/** Makes a list one stop of the Tab key: arrows, j and k, Home and End move among the elements marked `data-stop`.
 *
 * Buttons beside the current one stay reachable by Tab; those of other rows do not.
 */
export function roving(list) {
  const stops = () => [...list.querySelectorAll("[data-stop]")];
  const settle = (current) => {
    for (const stop of stops()) {
      const isCurrent = stop === current;
      stop.tabIndex = isCurrent ? 0 : -1;
      for (const beside of stop.closest("li")?.querySelectorAll("button, a, summary") || []) {
        if (beside !== stop) beside.tabIndex = isCurrent ? 0 : -1;
      }
    }
  };
  list.addEventListener("focusin", (event) => {
    const stop = event.target.closest("li")?.querySelector("[data-stop]");
    if (stop) settle(stop);
  });
  list.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    const all = stops();
    const at = all.indexOf(event.target.closest("li")?.querySelector("[data-stop]"));
    const letters = enabled() ? { j: at + 1, k: at - 1 } : {};
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1, ...letters }[event.key];
    if (next === undefined || !all[next]) return;
    event.preventDefault();
    event.stopPropagation();
    all[next].focus();
  });
  return () => settle(stops().find((stop) => stop.tabIndex === 0) || stops()[0]);
}

/** Returns the memory that has the focus; where a key takes nothing away, the one that the page is about will do. */
export function currentMemory(isHarmless) {
  return document.activeElement?.closest("[data-memory]") || (isHarmless && document.querySelector("main article[data-memory]"));
}
