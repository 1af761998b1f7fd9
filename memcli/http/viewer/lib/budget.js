// A budget as one bar: its parts, what bounded it, what each harness takes, and parts that point at what they stand for.

import { h } from "./dom.js";
import { count, figure } from "./words.js";

/** How many tokens can be asked for. */
export const BUDGET = { least: 100, most: 8_000 };

export const AROUND = "Whose memory it is, titles of sections, how to read and use it.";
const LEGEND = { memory: "memories", chunk: "evidence" };
const UNITS = {
  tokens: ["token"],
  bytes: ["byte"],
  memories: ["memory", "memories"],
  excerpts: ["excerpt"],
  chunks: ["chunk"],
  entries: ["entry", "entries"],
  characters: ["character"],
};
const NAMES = {
  budget: "the budget asked for",
  max_bytes: "the bytes asked for",
  balance: "no more chunks than memories",
  session: "the share of one session",
};

const ROOM_FOR_ALL = "There was room for it: each has its reason beside it.";

export const share = (part, whole) => `${((100 * part) / Math.max(1, whole)).toFixed(2)}%`;

const SET_ASIDE = "Titles and marks are counted at their most: what they took less could not be given out any more.";

/**
 * Returns a budget as one bar. `parts`: {id, tokens, label, tone} each; the first one's label names its tone. `left`: how much
 * was free, where more was unused than could be given out.
 */
export function bar(parts, used, total, left = null) {
  const unused = Math.max(0, total - used);
  const free = Math.min(unused, left ?? unused);
  const whole = Math.max(used, total);
  const sum = (tone) => parts.filter((part) => part.tone === tone).reduce((all, part) => all + part.tokens, 0);
  const legend = [
    ["frame", parts[0]?.label, AROUND],
    ["memory", LEGEND.memory],
    ["chunk", LEGEND.chunk, "Pieces of the repository's own files."],
  ].filter(([tone]) => sum(tone));
  return h(
    "div",
    { class: "budget" },
    h(
      "div",
      { class: "budget-bar", role: "img", "aria-label": `${figure(used)} of ${figure(total)} tokens are used` },
      parts.map((part) =>
        h("span", {
          "data-tone": part.tone,
          "data-part": part.id,
          title: `${part.label}: ${part.tokens} tokens`,
          style: { width: share(part.tokens, whole) },
        }),
      ),
    ),
    h(
      "ul",
      { class: "legend" },
      legend.map(([tone, label, title]) => h("li", { "data-tone": tone, title }, `${label} ${figure(sum(tone))}`)),
      h("li", { "data-tone": "free" }, `free ${figure(free)}`),
      unused > free ? h("li", { "data-tone": "free", title: SET_ASIDE }, `set aside ${figure(unused - free)}`) : null,
    ),
  );
}

/** Marks all that stands for the same part as what the pointer or the focus is at. */
export function pointing(root) {
  const mark = (event) => {
    const part = event.target.closest("[data-part]")?.dataset.part;
    for (const element of root.querySelectorAll("[data-lit]")) delete element.dataset.lit;
    if (part) for (const element of root.querySelectorAll(`[data-part="${CSS.escape(part)}"]`)) element.dataset.lit = "";
  };
  for (const name of ["pointerover", "focusin"]) root.addEventListener(name, mark);
  root.addEventListener("pointerleave", mark);
  root.addEventListener("click", (event) => {
    const part = event.target.closest(".budget-bar [data-part]")?.dataset.part;
    const item = part && root.querySelector(`.item[data-part="${CSS.escape(part)}"]`);
    (item?.querySelector("a, summary") || item)?.focus();
  });
}

/** Returns which limits left something out, by name; where none did, that those that are out lacked no room. */
export function bounds(limits, out) {
  if (!limits.length) return out ? h("p", { class: "muted small" }, ROOM_FOR_ALL) : null;
  const line = (limit) =>
    h(
      "li",
      {},
      h("strong", {}, NAMES[limit.name] || h("code", {}, limit.name)),
      limit.value ? ` (${count(limit.value, ...UNITS[limit.unit])})` : null,
      limit.left_out ? ` left out ${figure(limit.left_out)}` : " is reached",
    );
  return h("div", { class: "bounds" }, h("h3", {}, "What bounded it"), h("ul", { class: "plain" }, limits.map(line)));
}

/** Returns what each harness takes, and whether a text of so many tokens and bytes fits. */
export function caps(harnesses, tokens, bytes) {
  const fits = (harness) => bytes <= harness.max_bytes && tokens <= (harness.max_tokens ?? Infinity);
  const row = (harness) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, harness.title),
      h("td", { class: "number" }, `${figure(harness.max_bytes)}${harness.is_documented ? "" : " (assumed)"}`),
      h("td", { class: "number" }, harness.max_tokens ? figure(harness.max_tokens) : "any"),
      h("td", {}, fits(harness) ? "fits" : "cut"),
    );
  return h(
    "details",
    { class: "caps", "data-key": "caps" },
    h("summary", {}, "What each harness takes"),
    h(
      "table",
      { class: "table" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ["harness", "bytes", "tokens", "this"].map((name) => h("th", { scope: "col" }, name)),
        ),
      ),
      h("tbody", {}, harnesses.map(row)),
    ),
  );
}
