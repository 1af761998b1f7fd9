// What becomes of a change when somebody else changed the same thing meanwhile.

import { difference } from "./changes.js";
import { button, fill, h } from "./dom.js";

const same = (left, right) => JSON.stringify(left) === JSON.stringify(right);

/** Returns the fields after both changes, and the names of those that both changed: of these, mine stand. */
export function merge(base, mine, theirs) {
  const values = {};
  const conflicts = [];
  for (const name of Object.keys(mine)) {
    values[name] = same(mine[name], base[name]) ? theirs[name] : mine[name];
    if (!same(mine[name], base[name]) && !same(theirs[name], base[name]) && !same(mine[name], theirs[name])) conflicts.push(name);
  }
  return { values, conflicts };
}

const text = (value) => (Array.isArray(value) ? value.join(", ") : String(value ?? ""));

/** Shows both texts of each field that two people changed, line by line. `put(name, value)` takes one of them. */
export function conflictPanel(conflicts, mine, theirs, put) {
  if (!conflicts.length)
    return h(
      "p",
      { class: "note" },
      "Somebody else changed other fields meanwhile. Both changes are in the form: look, and save.",
    );
  return h(
    "div",
    { class: "conflicts" },
    h("p", { class: "note" }, "Somebody else changed the same meanwhile. Choose for each, or write what holds, and save."),
    conflicts.map((name) => conflict(name, mine[name], theirs[name], put)),
  );
}

function conflict(name, mine, theirs, put) {
  const choices = h("div", { class: "row" });
  const choose = (label, value) =>
    button(
      label,
      (event) => {
        for (const other of choices.children) other.setAttribute("aria-pressed", String(other === event.currentTarget));
        put(name, value);
      },
      { "aria-pressed": String(value === mine) },
    );
  fill(choices, choose("Take theirs", theirs), choose("Keep mine", mine));
  return h(
    "section",
    {},
    h("h3", {}, name, " ", h("small", { class: "muted" }, "− theirs, + yours")),
    difference(text(theirs), text(mine), `${name}: theirs and yours`),
    choices,
  );
}
