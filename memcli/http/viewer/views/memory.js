// One memory: what it says, whether it holds, what it is linked with, and how it came to be so.

import * as actions from "../lib/actions.js";
import { get, of } from "../lib/api.js";
import { commitPicture } from "../lib/commits.js";
import { button, fill, h, link } from "../lib/dom.js";
import { linkGraph } from "../lib/graphs.js";
import { lastAddress } from "../lib/liststate.js";
import { paced } from "../lib/pace.js";
import { meant } from "../lib/problems.js";
import { go, href, placeOf } from "../lib/route.js";
import { marks, moment, tools } from "../lib/rows.js";
import { guarded, trouble } from "../lib/toast.js";
import { ANCHORS, count, short, superseded } from "../lib/words.js";
import { log } from "./memorylog.js";
import { causes } from "./reverts.js";

const NEIGHBOURS = 12; // linked memories whose titles are fetched

export async function show(context) {
  const { root, id, signal } = context;
  if (/^P-/i.test(id)) {
    // What was said stands in its session.
    const { address } = await called(id, signal);
    location.replace(address);
    return;
  }
  const other = meant(id);
  if (other && !/^[MC]-/i.test(id)) {
    location.replace(other.address);
    return;
  }
  const late = { commits: h("div", { class: "late" }), links: h("div", { class: "late" }) }; // drawn once the memory can be read
  let turn = 0;
  let newest = 0; // the revision that is shown
  const draw = async () => {
    turn += 1;
    const mine = turn;
    const isCurrent = () => mine === turn;
    let parts;
    try {
      parts = await fetched(id, signal);
    } catch (error) {
      if (!isCurrent()) return; // it changed meanwhile: the later look counts
      throw error;
    }
    if (!isCurrent()) return;
    newest = parts.past?.[0]?.revision || 0;
    const focused = root.contains(document.activeElement) ? document.activeElement.getAttribute("data-act") || "h1" : null;
    fill(root, parts.chunk ? chunk(parts.chunk) : whole(parts, late, draw, signal));
    if (focused) (root.querySelector(`[data-act="${focused}"]`) || heading(root)).focus({ preventScroll: true });
    if (parts.one) pictures(parts.one, late, signal, isCurrent);
  };
  await draw();
  let heard = 0; // the last revision
  const follow = paced(() => heard > newest && draw(), 200, signal);
  context.onEvent = (name, data, isOld) => {
    if (isOld || data.id !== id.toUpperCase() || document.querySelector("dialog[open]")) return;
    heard = Math.max(heard, data.revision);
    follow();
  };
}

/** Draws what takes longer than the memory itself, each as it comes. */
function pictures(one, late, signal, isCurrent) {
  const drawn = async (element, work) => {
    element.setAttribute("aria-busy", "true");
    try {
      const made = await work();
      if (isCurrent()) fill(element, made);
    } catch (error) {
      if (error.name !== "AbortError" && isCurrent()) fill(element, h("p", { class: "muted" }, error.message));
    }
    if (isCurrent()) element.removeAttribute("aria-busy");
  };
  drawn(late.commits, async () => anchor(one, await get(of("/v2/memories", one.id, "/commits"), {}, signal)));
  const isOfCommit = /\bcommit[:/]/.test(one.source_id || "");
  const askedFor = one.superseded_by || isOfCommit ? causes(one.id, signal) : [];
  drawn(late.links, async () => linked(one, await neighbours(one, signal), await askedFor));
}

function heading(root) {
  const found = root.querySelector("h1");
  found.tabIndex = -1;
  return found;
}

async function fetched(id, signal) {
  const isChunk = id.toUpperCase().startsWith("C-"); // which the log does not have
  const { items: past } = isChunk ? { items: [] } : await get(of("/v2/memories", id, "/history"), { limit: 200 }, signal);
  if (past.length && ["forget", "erase"].includes(lastOf(past))) return { past, gone: lastOf(past), id };
  const item = await get(of("/v2/memories", id), {}, signal);
  if (item.kind === "chunk") return { chunk: item.chunk };
  const last = past.find((op) => op.k === "supersede");
  return { past, one: { ...item.memory, superseded_how: last?.b.how || "" } };
}

const lastOf = (past) => past.find((op) => ["forget", "restore", "erase"].includes(op.k))?.k;

/** Returns what a memory is linked with: {title, address} by id. */
async function neighbours(one, signal) {
  const ends = one.links.flatMap((edge) => [edge.from_id, edge.to_id]);
  const ids = [...new Set([...ends, one.superseded_by, ...one.contested_by])].filter(
    (end) => end && end !== one.id && /^[MCP]-/.test(end),
  );
  const asked = ids.slice(0, NEIGHBOURS).map(async (end) => {
    try {
      return [end, await called(end, signal)];
    } catch (error) {
      if (error.name === "AbortError") throw error;
      return [end, null];
    }
  });
  return new Map(/** @type {[string, { title: string, address: string }][]} */ (await Promise.all(asked)));
}

/** Returns what something is called, and where it is whole: a statement in its session. */
async function called(id, signal) {
  const item = await get(of("/v2/memories", id), {}, signal);
  if (item.kind === "chunk") return { title: `${item.chunk.path} ${item.chunk.symbol}`, address: href("memory", id) };
  if (item.kind === "prompt") return { title: item.prompt.text, address: placeOf(id, item.prompt.session) };
  if (item.kind !== "passage") return { title: item.memory.title, address: href("memory", id) };
  const owner = await get(of("/v2/memories", item.passage.owner), {}, signal);
  return { title: item.passage.heading || item.passage.text, address: placeOf(id, owner.prompt?.session) };
}

function whole(parts, late, draw, signal) {
  if (parts.gone) return gone(parts, draw);
  const { one, past } = parts;
  const done = (next) => {
    if (next && next !== one.id) go("memory", next);
    // A view that was opened anew meanwhile draws itself.
    else draw().catch((error) => (error.name === "AbortError" ? dispatchEvent(new Event("hashchange")) : go("memories")));
  };
  return [
    link(lastAddress("memories", href("memories")), { class: "back" }, "All memories"),
    h(
      "article",
      { class: "whole", "data-memory": one.id },
      h("div", { class: "head" }, h("h1", { dir: "auto" }, one.title)),
      h(
        "p",
        { class: "meta" },
        h("code", {}, one.id),
        h("span", {}, "thread ", link(href("thread", one.thread_id), { dir: "auto" }, one.thread_id)),
        h("span", {}, one.kind),
        moment(one.created_at),
        h("span", {}, `by ${one.origin}`),
        h("span", {}, `${one.tokens} tokens`),
        marks(one),
      ),
      h("p", { class: "text", dir: "auto" }, one.summary),
      labels(one),
      used(one.usage),
      h("div", { class: "acts" }, tools(one, done), confirm(one, done)),
    ),
    h(
      "div",
      { class: "columns" },
      h(
        "div",
        {},
        section("Where it was written", late.commits),
        section("Files", fileList(one.links.filter(isFile), one.drifted)),
      ),
      h("div", {}, section("Links", late.links), section("History", log(past, one.id, signal))),
    ),
  ];
}

const isFile = (edge) => !/^([MC]-|[a-z]+:)/.test(edge.to_id);

function confirm(one, done) {
  const run = () => guarded(() => actions.confirm(one.id, one.revision, done));
  return button("Confirm", run, { class: "quiet", title: "say that it holds at what is checked out" });
}

/** Returns what replaced or contests a memory, and what it is linked with. */
function linked(one, around, askedFor) {
  const edges = one.links.filter((edge) => !isFile(edge));
  const picture = edges.length || one.superseded_by ? linkGraph(one, edges, around) : h("p", { class: "muted" }, "None.");
  return [
    replaced(one, around),
    askedFor,
    picture,
    link(href("graph", "", { start: one.id }), { class: "small" }, "what hangs together with it"),
  ];
}

function gone({ past, gone: how, id }, draw) {
  const said = how === "erase" ? "Its text was erased; nothing brings it back." : "It is forgotten: no recall finds it.";
  const title = past.map((op) => op.b.title).find(Boolean);
  return [
    link(lastAddress("memories", href("memories")), { class: "back" }, "All memories"),
    h("h1", { dir: "auto" }, title || id),
    h("p", {}, said),
    how === "forget"
      ? h(
          "div",
          { class: "acts" },
          button("Restore", () => guarded(() => actions.restore(id, past[0].revision, () => draw().catch(trouble))), {
            class: "strong",
          }),
        )
      : null,
    section("History", log(past, "", null)),
  ];
}

function section(title, ...body) {
  return h("section", {}, h("h2", {}, title), ...body);
}

function labels(one) {
  const all = [...one.tags, ...one.entities];
  return all.length
    ? h(
        "ul",
        { class: "tags", "aria-label": "Tags and entities" },
        all.map((tag) => h("li", { dir: "auto" }, tag)),
      )
    : null;
}

/** Returns how many sessions were told a memory and used it. */
function used(usage) {
  if (!usage.told) return null;
  const last = usage.used ? [`, used by ${count(usage.used, "session")}, last `, moment(usage.last_used)] : ", used by none";
  return h("p", { class: "meta" }, h("span", {}, `told to ${count(usage.told, "session")}`, last));
}

function replaced(one, around) {
  const to = (id) => link(around.get(id)?.address || href("memory", id), { dir: "auto" }, around.get(id)?.title || id);
  return [
    one.superseded_by ? h("p", { class: "note" }, `It is ${superseded(one.superseded_how)} by `, to(one.superseded_by)) : null,
    one.contested_by.length
      ? h(
          "p",
          { class: "note" },
          "Contested by ",
          one.contested_by.map((id, at) => [at ? ", " : "", to(id)]),
        )
      : null,
  ];
}

/** Returns what the anchor of a memory says of it here. */
function standing(one, graph) {
  const where = ANCHORS[graph.anchor_state];
  return one.superseded_by ? `${where}, ${superseded(one.superseded_how)}` : where;
}

function anchor(one, graph) {
  if (!graph.anchor) return h("p", { class: "muted" }, "Outside any commit: it holds everywhere.");
  const carried = graph.carried_over ? ` by ${graph.carried_over.how} in ${short(graph.carried_over.commit)}` : "";
  const branch = graph.anchor_branch ? [" (", h("code", {}, graph.anchor_branch), ")"] : "";
  const isDrawn = graph.commits.some((commit) => commit.id === graph.anchor);
  return [
    h("p", {}, "On ", h("code", {}, short(graph.anchor)), ": ", standing(one, graph), branch, carried, "."),
    graph.commits.length ? commitPicture(graph) : h("p", { class: "muted" }, "There is no git here to draw."),
    isDrawn || !graph.commits.length ? null : h("p", { class: "muted" }, "This clone has not got the commit itself."),
  ];
}

const RELATIONS = { mention: "named in its text", read: "read for it" };

function fileList(files, drifted) {
  if (!files.length) return h("p", { class: "muted" }, "It names none.");
  return h(
    "ul",
    { class: "plain" },
    files.map((edge) =>
      h(
        "li",
        {},
        link(href("why", "", { target: edge.to_id }), { title: "why it is as it is" }, h("code", {}, edge.to_id)),
        " ",
        h(
          "span",
          { class: drifted.includes(edge.to_id) ? "warn" : "muted" },
          drifted.includes(edge.to_id) ? "changed since, or gone" : "as it was",
        ),
        edge.rel === "file" ? null : h("span", { class: "muted" }, `, ${RELATIONS[edge.rel] || edge.rel}`),
      ),
    ),
  );
}

function chunk(one) {
  return [
    h("h1", {}, one.symbol || one.path),
    h(
      "p",
      { class: "meta" },
      h("code", {}, one.id),
      h("span", {}, `${one.path} lines ${one.lines.join("–")}`),
      h("span", {}, one.language),
      h("span", {}, one.state),
    ),
    h("pre", { class: "code", tabindex: 0, "aria-label": "Its text" }, one.text),
    one.cited_by.length
      ? h(
          "p",
          {},
          "Cited by ",
          one.cited_by.map((by, at) => [at ? ", " : "", link(href("memory", by.id), {}, by.id)]),
        )
      : null,
  ];
}
