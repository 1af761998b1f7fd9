// Two answers beside each other: what another task, budget, harness, commit or turn brings and takes away.

import { field, fill, h, link } from "../lib/dom.js";
import { isOfQuestion, refuse } from "../lib/problems.js";
import { count, figure } from "../lib/words.js";

/**
 * Returns a comparison: {whole, load, draw, parameters, onChange}.
 * `fields`: {name, label, control} each; a control without a value stands for what is asked above. `ask(changes, signal)` returns
 * the other answer. `sideOf(answer, changes)` returns what is in it: {words, rows: [{id, title, href, tokens}],
 * reason(id, row of the other side), used, total}.
 */
export function comparison(params, { summary, fields, ask, sideOf }) {
  const panel = { onChange: () => {} };
  const result = h("div", { "aria-live": "polite" });
  const whole = h("details", { class: "compare", open: params.get("compare") === "true" }, h("summary", {}, summary));
  let other = null;
  let refused = null; // what was wrong with what was asked for it
  for (const { name, control } of fields) {
    control.id = `other-${name}`;
    control.value = params.get(`other_${name}`) ?? "";
    control.addEventListener("change", () => panel.onChange());
  }
  const values = () => fields.map(({ name, control }) => [name, control.value.trim()]);
  const changes = () => Object.fromEntries(values().filter(([, value]) => value));
  whole.append(
    h(
      "form",
      { class: "compare-form", on: { submit: (event) => event.preventDefault() } },
      fields.map(({ label, control }) => field(label, control)),
    ),
    result,
  );
  let wasOpen = whole.open; // the browser tells of what is open from the beginning, too
  whole.addEventListener("toggle", () => {
    if (wasOpen !== whole.open) panel.onChange();
    wasOpen = whole.open;
  });
  return Object.assign(panel, {
    whole,
    parameters: () =>
      whole.open ? { compare: "true", ...Object.fromEntries(values().map(([name, value]) => [`other_${name}`, value])) } : {},
    async load(signal) {
      other = refused = null;
      if (!whole.open || !Object.keys(changes()).length) return;
      try {
        other = await ask(changes(), signal);
      } catch (error) {
        if (!isOfQuestion(error)) throw error;
        refused = error;
      }
    },
    draw(answer) {
      if (refused) return refuse(result, refused);
      return fill(
        result,
        other ? table(sideOf(answer, {}), sideOf(other, changes())) : h("p", { class: "muted" }, "Give what differs."),
      );
    },
  });
}

/** Returns a field of a comparison for a text. */
export const otherText = (props = {}) => h("input", { placeholder: "the same", maxlength: 4000, autocomplete: "off", ...props });

function table(...sides) {
  const rows = sides.map((side) => new Map(side.rows.map((row) => [row.id, row])));
  const ids = [...new Set(rows.flatMap((side) => [...side.keys()]))];
  const both = ids.filter((id) => rows.every((side) => side.has(id))).length;
  const only = rows.map((side) => figure(side.size - both));
  return [
    h("p", { role: "status" }, `${count(both, "thing")} in both, ${only[0]} only in the first, ${only[1]} only in the other.`),
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Both beside each other" },
      h(
        "table",
        { class: "table" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "What is in"), sides.map(head))),
        h(
          "tbody",
          {},
          ids.map((id) => line(id, sides, rows)),
        ),
        h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, "tokens in all"), sides.map(sum))),
      ),
    ),
  ];
}

function line(id, sides, rows) {
  const { title, href } = rows[0].get(id) || rows[1].get(id);
  return h(
    "tr",
    { "data-only": rows.every((side) => side.has(id)) ? null : true },
    h("th", { scope: "row", dir: "auto" }, href ? link(href, {}, title) : title),
    sides.map((side, at) =>
      rows[at].has(id)
        ? h("td", { class: "number" }, figure(rows[at].get(id).tokens))
        : h("td", { class: "muted" }, side.reason(id, rows[1 - at].get(id))),
    ),
  );
}

function head({ words }, at) {
  const name = at ? "the other" : "the first";
  return h("th", { scope: "col" }, h("span", {}, name), h("br"), h("small", {}, words.filter(Boolean).join(", ")));
}

const sum = ({ used, total }) => h("td", { class: "number" }, `${figure(used)} of ${figure(total)}`);
