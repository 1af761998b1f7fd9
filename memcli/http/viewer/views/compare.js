// Two packs beside each other: another task, budget, harness or commit, and what that brings and takes away.

import { get } from "../lib/api.js";
import { fill, h, link, select } from "../lib/dom.js";
import { href } from "../lib/route.js";
import { count, figure, short } from "../lib/words.js";

const FIELDS = ["q", "budget", "harness", "commit"];

/** Returns a comparison: {whole, load, draw, kept, onChange}. What is not given is as in the pack above. */
export function comparison(params, { usual, harnesses, budget }) {
  const asked = Object.fromEntries(FIELDS.map((name) => [name, params.get(`other_${name}`) ?? ""]));
  const made = { onChange: () => {} };
  let other = null;
  const whole = h(
    "details",
    { class: "compare", open: params.get("compare") === "true" },
    h("summary", {}, "Compare with another task, budget, harness or commit"),
  );
  const field = (name, label, control) => {
    control.id = `other-${name}`;
    control.addEventListener("change", () => {
      asked[name] = control.value.trim();
      made.onChange();
    });
    return h("div", { class: "field" }, h("label", { for: control.id }, label), control);
  };
  const text = (name, placeholder) => h("input", { value: asked[name], placeholder, maxlength: 4000, autocomplete: "off" });
  const limited = [["", "the same"], ...harnesses.filter((one) => one.is_documented).map((one) => [one.name, one.title])];
  const result = h("div", { "aria-live": "polite" });
  whole.append(
    h(
      "form",
      { class: "compare-form", on: { submit: (event) => event.preventDefault() } },
      field("q", "Other task", text("q", "the same")),
      field("budget", "Other budget", h("input", { type: "number", min: 1, value: asked.budget, placeholder: usual })),
      field(
        "harness",
        "Other harness",
        select(limited, asked.harness, () => {}),
      ),
      field("commit", "Other commit", text("commit", "the same")),
    ),
    result,
  );
  let wasOpen = whole.open; // the browser tells of what is open from the beginning, too
  whole.addEventListener("toggle", () => {
    if (wasOpen !== whole.open) made.onChange();
    wasOpen = whole.open;
  });
  const given = () =>
    Object.fromEntries(
      FIELDS.filter((name) => asked[name]).map((name) => [name, name === "budget" ? budget(Number(asked.budget)) : asked[name]]),
    );
  const isOn = () => whole.open && Object.keys(given()).length > 0;
  return Object.assign(made, {
    whole,
    kept: () =>
      whole.open ? { compare: "true", ...Object.fromEntries(FIELDS.map((name) => [`other_${name}`, asked[name]])) } : {},
    async load(query, signal) {
      other = isOn() ? await get("/v2/pack", query(given()), signal) : null;
    },
    draw(here) {
      fill(result, other ? table(here, { ...here, ...given(), found: other }) : h("p", { class: "muted" }, "Give what differs."));
    },
  });
}

const packed = ({ pack }) => [
  ...pack.top_memories.map((one) => ({ id: one.id, title: one.title, tokens: one.tokens })),
  ...pack.top_chunks.map((one) => ({ id: one.chunk_id, title: one.locator, tokens: one.tokens })),
];

/** Returns why something is not in a pack. */
function reason({ explain }, id) {
  const row = [...explain.memories, ...explain.chunks].find((one) => one.id === id);
  return row
    ? {
        budget: "no room",
        count: "enough are in",
        superseded: "superseded",
        duplicate: "says the same",
        orphan: "on another branch",
        relevance: "not near enough",
      }[row.verdict] || row.verdict
    : "does not match";
}

function table(first, second) {
  const sides = [first, second];
  const rows = sides.map((one) => new Map(packed(one.found).map((item) => [item.id, item])));
  const ids = [...new Set([...rows[0].keys(), ...rows[1].keys()])];
  const both = ids.filter((id) => rows.every((known) => known.has(id))).length;
  const only = rows.map((known) => known.size - both);
  const cell = (at, id) =>
    rows[at].has(id)
      ? h("td", { class: "number" }, figure(rows[at].get(id).tokens))
      : h("td", { class: "muted" }, reason(sides[at].found, id));
  const row = (id) =>
    h(
      "tr",
      { "data-only": rows.every((known) => known.has(id)) ? null : true },
      h("th", { scope: "row", dir: "auto" }, link(href("memory", id), {}, (rows[0].get(id) || rows[1].get(id)).title)),
      cell(0, id),
      cell(1, id),
    );
  return [
    h(
      "p",
      { role: "status" },
      `${count(both, "thing")} in both, ${figure(only[0])} only in the first, ${figure(only[1])} only in the other.`,
    ),
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "The two packs" },
      h(
        "table",
        { class: "table" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", { scope: "col" }, "What is in"),
            sides.map((one, at) => h("th", { scope: "col" }, head(one, at))),
          ),
        ),
        h("tbody", {}, ids.map(row)),
        h(
          "tfoot",
          {},
          h(
            "tr",
            {},
            h("th", { scope: "row" }, "tokens in all"),
            sides.map((one) =>
              h(
                "td",
                { class: "number" },
                `${figure(one.found.pack.budget.used_total)} of ${figure(one.found.pack.budget.target_total)}`,
              ),
            ),
          ),
        ),
      ),
    ),
  ];
}

function head(one, at) {
  const { repo } = one.found.pack;
  const words = [
    one.q ? `“${one.q.slice(0, 60)}”` : "no task",
    count(one.budget, "token"),
    one.harness,
    repo.head ? `at ${short(repo.head)}` : "",
  ];
  return [h("span", {}, at ? "the other" : "the first"), h("br"), h("small", {}, words.filter(Boolean).join(", "))];
}
