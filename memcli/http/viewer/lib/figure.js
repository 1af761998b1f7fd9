// A picture and the same as a table: whoever does not see the one reads the other.

import { h } from "./dom.js";

const [LEAST, MOST] = [300, 1300]; // px

/** Returns how wide a picture is: as the view is, so that its texts have the size of other small ones. */
export function room() {
  const main = document.querySelector("main");
  const { paddingLeft, paddingRight } = getComputedStyle(main);
  return Math.min(MOST, Math.max(LEAST, Math.floor(main.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight))));
}

/** Returns what an SVG of a size is given, so that no text in it is larger or smaller than it says. */
export const sized = (width, height) => ({ viewBox: `0 0 ${width} ${height}`, width, height });

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
        rows.map(([first, ...cells]) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, first),
            cells.map((cell) => h("td", {}, cell)),
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
