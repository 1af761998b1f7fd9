// Taken back: commits that were reverted, what persons asked to take back, what sessions tried and dropped, and what was undone
// in the memory; by whom.

import { get } from "../lib/api.js";
import { h, link } from "../lib/dom.js";
import { roving } from "../lib/keys.js";
import { href, placeOf } from "../lib/route.js";
import { badge, dated } from "../lib/rows.js";
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
  const all = [
    ...reverts.items.map((item) => [item.at, revertedRow(item)]),
    ...dropped.items.map((item) => [item.at, droppedRow(item)]),
  ];
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
function maker(revert) {
  if (!revert.session) return h("span", { dir: "auto" }, `by ${revert.by}, in no session of an agent`);
  const session = link(href("session", revert.session), {}, `“${revert.session_title}”`);
  return h("span", { dir: "auto" }, "by the agent of ", session, revert.how === "commit" ? `, as ${revert.by}` : null);
}

/** Returns the words by which a person asked for it, with the way to them; nothing where nobody is known to have asked. */
function asker(revert) {
  if (!revert.prompt) return null;
  const words = link(href("session", revert.session, { at: revert.prompt }), {}, `“${revert.asked.slice(0, 160)}”`);
  return h("span", { dir: "auto" }, revert.how === "prompt" ? "a person asked: " : "a person's prompt: ", words);
}

/** Returns who asked to take something back, and whose agent did, where a person's prompt is known; nothing else. */
export async function causes(id, signal) {
  const { items } = await get("/v2/reverts", { of: id, limit: MOST_CAUSES }, signal);
  const withPrompt = items.filter((revert) => revert.prompt);
  return withPrompt.map((revert) =>
    h("p", { class: "meta" }, dated(revert.at), asker(revert), revert.how === "prompt" ? null : maker(revert)),
  );
}

/** Returns a row of what a person asked to take back. */
function askedRow(revert) {
  // What was taken back may stand in another session: its own address finds it.
  const address = revert.of ? href("memory", revert.of) : href("session", revert.session, { at: revert.prompt });
  return row(address, revert.title || revert.asked, "asked by a person", [
    dated(revert.at),
    asker(revert),
    h("span", { dir: "auto" }, "in ", link(href("session", revert.session), {}, `“${revert.session_title}”`)),
  ]);
}

function revertedRow(revert) {
  if (revert.how === "prompt") return askedRow(revert);
  if (revert.how !== "commit") {
    const by = revert.session ? maker(revert) : h("span", {}, `by ${WRITERS[revert.by] || revert.by}`);
    return row(placeOf(revert.of || "", ""), revert.title, UNDONE[revert.kind] || "undone", [dated(revert.at), by]);
  }
  const commits = [
    link(href("why", "", { target: revert.id }), {}, h("code", {}, short(revert.id))),
    revert.of ? [" takes back ", link(href("why", "", { target: revert.of }), {}, h("code", {}, short(revert.of)))] : null,
  ];
  return row(href("why", "", { target: revert.id }), revert.title, "commit reverted", [
    dated(revert.at),
    maker(revert),
    asker(revert),
    h("span", {}, commits),
  ]);
}

function droppedRow(attempt) {
  const owner = attempt.id.split("#")[0];
  const address = attempt.session ? href("session", attempt.session, { at: owner }) : href("memory", owner);
  return row(address, attempt.title || attempt.snippet, "tried and dropped", [
    dated(attempt.at),
    h(
      "span",
      { dir: "auto" },
      attempt.session
        ? ["by the agent of ", link(href("session", attempt.session), {}, `“${attempt.session_title}”`)]
        : `by ${attempt.origin}`,
    ),
  ]);
}
