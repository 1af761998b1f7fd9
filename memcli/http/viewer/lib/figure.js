// A picture and the same as a table: whoever does not see the one reads the other.

import { h } from "./dom.js";

/** Returns a table. `heads`: names of the columns; `rows`: cells each, the first one the head of its row. */
export function table(label, heads, rows) {
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
    h(
      "table",
      { class: "table" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          heads.map((name) => h("th", { scope: "col" }, name)),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map(([first, ...others]) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, first),
            others.map((cell) => h("td", {}, cell)),
          ),
        ),
      ),
    ),
  );
}

/** Returns a picture with its caption and, below it, its table. */
export function figure(picture, caption, asTable, legend = []) {
  return h(
    "figure",
    { class: "picture" },
    h("div", { class: "canvas", tabindex: 0, role: "group", "aria-label": "The picture; it may be scrolled" }, picture),
    h(
      "figcaption",
      {},
      caption,
      legend.length
        ? h(
            "ul",
            { class: "legend" },
            legend.map(([tone, label]) => h("li", { "data-mark": tone }, label)),
          )
        : null,
    ),
    h("details", { "data-key": "table" }, h("summary", {}, "As a table"), asTable),
  );
}
