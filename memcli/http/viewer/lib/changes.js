// What changed of a field: its lines before, struck, and now.

import { lines } from "./diff.js";
import { h } from "./dom.js";

/** Returns a field that changed. `text()`: a value as it is shown; null is that of a field that was not there. */
export function changed({ key, before, after }, text) {
  const parts = lines(text(before), text(after));
  const said = before === null ? "new" : after === null ? "gone" : "changed";
  return h(
    "div",
    { class: "change" },
    h("h3", {}, h("code", {}, key), " ", h("small", { class: "muted" }, said)),
    h(
      "pre",
      { class: "diff", tabindex: 0, "aria-label": `${key}, ${said}` },
      parts.map(([sign, line]) => h(sign === "-" ? "del" : sign === "+" ? "ins" : "span", {}, `${sign} ${line}\n`)),
    ),
  );
}
