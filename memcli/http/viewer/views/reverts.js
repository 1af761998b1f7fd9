// Taken back: commits that were reverted, what persons asked to take back, what sessions tried and dropped, and what was undone
// in the memory; by whom. To open a point again that was closed is none of it.

import { get } from "../lib/api.js";
import { h, link } from "../lib/dom.js";
import { groupBy } from "../lib/groups.js";
import { roving } from "../lib/keys.js";
import { href, placeOf } from "../lib/route.js";
import { badge } from "../lib/rows.js";
import { WRITERS, count, short, when } from "../lib/words.js";

const MOST_CAUSES = 3;
const MOST = 200;
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

/** Returns the last things that were taken back, as rows: {rows, total}. What an agent says of a revert stands below it. */
export async function takenBack(most, signal) {
  const [reverts, dropped] = await Promise.all([
    get("/v2/reverts", { limit: MOST }, signal),
    get("/v2/items", { ...DROPPED, limit: MOST, counts: false }, signal),
  ]);
  const turns = new Set(reverts.items.map((item) => item.prompt).filter(Boolean));
  const isOwn = (item) => !turns.has(ownerOf(item));
  const saidIn = groupBy(
    dropped.items.filter((item) => !isOwn(item)),
    ownerOf,
  );
  const all = [
    ...reverts.items.map((item) => [item.at, revertedRow(item, taken(saidIn, item.prompt))]),
    ...dropped.items.filter(isOwn).map((item) => [item.at, droppedRow(item)]),
  ];
  all.sort((a, b) => b[0].localeCompare(a[0]));
  const total = reverts.total + dropped.total - dropped.items.filter((item) => !isOwn(item)).length;
  return { rows: all.slice(0, most).map(([, row]) => row), total };
}

/** Returns what was said in a turn, once: of several reverts in it, the latest tells. */
function taken(saidIn, prompt) {
  const said = saidIn.get(prompt) || [];
  saidIn.delete(prompt);
  return said;
}

export async function show({ root, signal }) {
  const { rows, total } = await takenBack(MOST, signal);
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

const ownerOf = (item) => item.id.split("#")[0];
const at = (moment) => h("time", { datetime: moment }, when(moment));

const row = (address, title, mark, meta, said = []) =>
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
    said.map((item) =>
      h("p", { class: "summary", dir: "auto" }, "the agent said: ", link(placeOfStatement(item), {}, item.title || item.snippet)),
    ),
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
    h("p", { class: "meta" }, at(revert.at), asker(revert), revert.how === "prompt" ? null : maker(revert)),
  );
}

/** Returns a row of what a person asked to take back. */
function askedRow(revert, said) {
  // What was taken back may stand in another session: its own address finds it.
  const address = revert.of ? href("memory", revert.of) : href("session", revert.session, { at: revert.prompt });
  const meta = [
    at(revert.at),
    asker(revert),
    h("span", { dir: "auto" }, "in ", link(href("session", revert.session), {}, `“${revert.session_title}”`)),
  ];
  return row(address, revert.title || revert.asked, "asked by a person", meta, said);
}

function revertedRow(revert, said) {
  if (revert.how === "prompt") return askedRow(revert, said);
  if (revert.how !== "commit") {
    const by = revert.session ? maker(revert) : h("span", {}, `by ${WRITERS[revert.by] || revert.by}`);
    return row(placeOf(revert.of || "", ""), revert.title, UNDONE[revert.kind] || "undone", [at(revert.at), by]);
  }
  const commits = [
    link(href("why", "", { target: revert.id }), {}, h("code", {}, short(revert.id))),
    revert.of ? [" takes back ", link(href("why", "", { target: revert.of }), {}, h("code", {}, short(revert.of)))] : null,
  ];
  const meta = [at(revert.at), maker(revert), asker(revert), h("span", {}, commits)];
  return row(href("why", "", { target: revert.id }), revert.title, "commit reverted", meta, said);
}

const placeOfStatement = (item) =>
  item.session ? href("session", item.session, { at: ownerOf(item) }) : href("memory", ownerOf(item));

function droppedRow(attempt) {
  return row(placeOfStatement(attempt), attempt.title || attempt.snippet, "tried and dropped", [
    at(attempt.at),
    h(
      "span",
      { dir: "auto" },
      attempt.session
        ? ["by the agent of ", link(href("session", attempt.session), {}, `“${attempt.session_title}”`)]
        : `by ${attempt.origin}`,
    ),
  ]);
}
