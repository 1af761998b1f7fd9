// What changed of a field: its lines before, struck, and now.

import { lines } from "./diff.js";
import { h } from "./dom.js";

/** Returns a field that changed. `text()`: a value as it is shown; null is that of a field that was not there. */
export function fieldChange({ key, before, after }, text) {
  const state = before === null ? "new" : after === null ? "gone" : "changed";
  return h(
    "div",
    { class: "change" },
    h("h3", {}, h("code", {}, key), " ", h("small", { class: "muted" }, state)),
    difference(text(before), text(after), `${key}, ${state}`),
  );
}

/** Returns the lines of two texts in one: what only the first has is struck. */
export function difference(before, after, label) {
  return h(
    "pre",
    { class: "diff", tabindex: 0, "aria-label": label },
    lines(before, after).map(([sign, line]) => h(sign === "-" ? "del" : sign === "+" ? "ins" : "span", {}, `${sign} ${line}\n`)),
  );
}
