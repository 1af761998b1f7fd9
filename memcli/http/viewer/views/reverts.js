// Taken back: commits that were reverted, what persons asked to take back, what sessions tried and dropped, and what was undone
// in the memory; by whom.

import { get } from "../lib/api.js";
import { h, link } from "../lib/dom.js";
import { roving } from "../lib/keys.js";
import { href, placeOf } from "../lib/route.js";
import { badge, moment } from "../lib/rows.js";
import { WRITERS, count, short } from "../lib/words.js";

const MOST_CAUSES = 3;
const DROPPED = { type: "passage", kind: "dropped" };
const UNDONE = {
  put: "writing was undone",
  forget: "forgetting was undone",
  supersede: "superseding was undone",
  link: "a link was undone",
  restore: "restoring was undone",
  state: "a checkpoint was undone",
  profile: "a profile entry was undone",
  note: "a note was undone",
  pin: "pinning was undone",
  unpin: "unpinning was undone",
  edit: "a change was undone",
};

/** Returns the last things that were taken back, as rows: {rows, total}. */
export async function takenBack(limit, signal) {
  const [reverts, dropped] = await Promise.all([
    get("/v2/reverts", { limit }, signal),
    get("/v2/items", { ...DROPPED, limit, counts: false }, signal),
  ]);
  const all = [...reverts.items.map((one) => [one.at, reverted(one)]), ...dropped.items.map((one) => [one.at, tried(one)])];
  all.sort((a, b) => b[0].localeCompare(a[0]));
  return { rows: all.slice(0, limit).map(([, row]) => row), total: reverts.total + dropped.total };
}

export async function show({ root, signal }) {
  const { rows, total } = await takenBack(200, signal);
  const list = h("ul", { class: "list", "aria-label": "Taken back" }, rows);
  root.append(
    h(
      "div",
      { class: "head" },
      h("h1", {}, "Taken back"),
      h("p", { class: "muted" }, "What was reverted, by whom, and who asked for it."),
    ),
    h(
      "p",
      { class: "muted", role: "status" },
      total
        ? `${count(total, "thing")}${total > rows.length ? `, the last ${rows.length} of them here` : ""}`
        : "Nothing was reverted, dropped or undone.",
    ),
    list,
  );
  roving(list)();
}

const row = (address, title, mark, meta) =>
  h(
    "li",
    { class: "memory" },
    h(
      "div",
      { class: "memory-head" },
      address
        ? link(address, { class: "title", "data-stop": true, dir: "auto" }, title)
        : h("strong", { "data-stop": true, tabindex: -1, dir: "auto" }, title),
      badge(mark),
    ),
    h("p", { class: "meta" }, meta),
  );

/** Returns who made a commit: the agent of a session, else the person whose name it has. */
function maker(one) {
  if (!one.session) return h("span", { dir: "auto" }, `by ${one.by}, in no session of an agent`);
  const session = link(href("session", one.session), {}, `“${one.session_title}”`);
  return h("span", { dir: "auto" }, "by the agent of ", session, one.how === "commit" ? `, as ${one.by}` : null);
}

/** Returns the words by which a person asked for it, with the way to them; nothing where nobody is known to have asked. */
function asker(one) {
  if (!one.prompt) return null;
  const words = link(href("session", one.session, { at: one.prompt }), {}, `“${one.asked.slice(0, 160)}”`);
  return h("span", { dir: "auto" }, one.how === "prompt" ? "a person asked: " : "a person's prompt: ", words);
}

/** Returns who asked to take something back, and whose agent did, where a person's prompt is known; nothing else. */
export async function causes(id, signal) {
  const { items } = await get("/v2/reverts", { of: id, limit: MOST_CAUSES }, signal);
  const known = items.filter((one) => one.prompt);
  return known.map((one) => h("p", { class: "meta" }, asker(one), one.how === "prompt" ? null : maker(one), moment(one.at)));
}

/** Returns a row of what a person asked to take back. */
function wanted(one) {
  const address = href("session", one.session, { at: one.of || one.prompt });
  return row(address, one.title || one.asked, "asked by a person", [
    asker(one),
    h("span", { dir: "auto" }, "in ", link(href("session", one.session), {}, `“${one.session_title}”`)),
    moment(one.at),
  ]);
}

function reverted(one) {
  if (one.how === "prompt") return wanted(one);
  if (one.how !== "commit") {
    const by = one.session ? maker(one) : h("span", {}, `by ${WRITERS[one.by] || one.by}`);
    return row(placeOf(one.of || "", ""), one.title, UNDONE[one.kind] || "undone", [by, moment(one.at)]);
  }
  const commits = [
    link(href("why", "", { target: one.id }), {}, h("code", {}, short(one.id))),
    one.of ? [" takes back ", link(href("why", "", { target: one.of }), {}, h("code", {}, short(one.of)))] : null,
  ];
  return row(href("why", "", { target: one.id }), one.title, "commit reverted", [
    maker(one),
    asker(one),
    h("span", {}, commits),
    moment(one.at),
  ]);
}

function tried(one) {
  const owner = one.id.split("#")[0];
  const address = one.session ? href("session", one.session, { at: owner }) : href("memory", owner);
  return row(address, one.title || one.snippet, "tried and dropped", [
    h(
      "span",
      { dir: "auto" },
      one.session ? ["by the agent of ", link(href("session", one.session), {}, `“${one.session_title}”`)] : `by ${one.origin}`,
    ),
    moment(one.at),
  ]);
}
