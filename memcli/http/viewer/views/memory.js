// One memory: what it says, whether it holds, what it is linked with, and how it came to be so.

import * as actions from "../lib/actions.js";
import { get, of } from "../lib/api.js";
import { commitPicture } from "../lib/commits.js";
import { button, fill, h, link } from "../lib/dom.js";
import { linkGraph } from "../lib/graphs.js";
import { lastAddress } from "../lib/liststate.js";
import { paced } from "../lib/pace.js";
import { itemOf } from "../lib/problems.js";
import { go, href, placeOf } from "../lib/route.js";
import { marks, moment, tools } from "../lib/rows.js";
import { guarded, trouble } from "../lib/toast.js";
import { ANCHORS, count, cut, date, sessionName, short, superseded } from "../lib/words.js";
import { log } from "./memorylog.js";
import { pointButton } from "./points.js";
import { causes } from "./reverts.js";

const LONGEST = 80; // characters of a session's title
const NEIGHBOURS = 12; // linked memories whose titles are fetched

export async function show(context) {
  const { root, id, signal } = context;
  if (/^P-/i.test(id)) {
    // What was said stands in its session.
    const { address } = await titleAndAddress(id, signal);
    location.replace(address);
    return;
  }
  const other = itemOf(id);
  if (other && !/^[MC]-/i.test(id)) {
    location.replace(other.address);
    return;
  }
  const places = { commits: h("div", { class: "late" }), links: h("div", { class: "late" }) }; // drawn after the memory
  let turn = 0;
  let newest = 0; // the revision that is shown
  const draw = async () => {
    turn += 1;
    const own = turn;
    const isCurrent = () => own === turn;
    let parts;
    try {
      parts = await fetchParts(id, signal);
    } catch (error) {
      if (!isCurrent()) return; // it changed meanwhile: the later look counts
      throw error;
    }
    if (!isCurrent()) return;
    newest = parts.past?.[0]?.revision || 0;
    const focused = root.contains(document.activeElement) ? document.activeElement.getAttribute("data-act") || "h1" : null;
    fill(root, parts.chunk ? chunk(parts.chunk) : whole(parts, places, draw, signal));
    if (focused) (root.querySelector(`[data-act="${focused}"]`) || heading(root)).focus({ preventScroll: true });
    if (parts.memory) pictures(parts.memory, places, { signal, isCurrent, again: () => draw().catch(trouble) });
  };
  await draw();
  let latest = 0; // the last revision
  const follow = paced(() => latest > newest && draw(), 200, signal);
  context.onEvent = (name, data, isOld) => {
    if (isOld || data.id !== id.toUpperCase() || document.querySelector("dialog[open]")) return;
    latest = Math.max(latest, data.revision);
    follow();
  };
}

/** Draws what takes longer than the memory itself, each as it comes. `again()`: draws the view anew. */
function pictures(memory, places, { signal, isCurrent, again }) {
  const drawInto = async (element, work) => {
    element.setAttribute("aria-busy", "true");
    try {
      const content = await work();
      if (isCurrent()) fill(element, content);
    } catch (error) {
      if (error.name !== "AbortError" && isCurrent()) fill(element, h("p", { class: "muted" }, error.message));
    }
    if (isCurrent()) element.removeAttribute("aria-busy");
  };
  drawInto(places.commits, async () => anchor(memory, await get(of("/v2/memories", memory.id, "/commits"), {}, signal)));
  const isOfCommit = /\bcommit[:/]/.test(memory.source_id || "");
  const askedFor = memory.superseded_by || isOfCommit ? causes(memory.id, signal) : [];
  drawInto(places.links, async () => linksOf(memory, await neighbours(memory, signal), await askedFor, again));
}

function heading(root) {
  const title = root.querySelector("h1");
  title.tabIndex = -1;
  return title;
}

async function fetchParts(id, signal) {
  const isChunk = id.toUpperCase().startsWith("C-"); // which the log does not have
  const { items: past } = isChunk ? { items: [] } : await get(of("/v2/memories", id, "/history"), { limit: 200 }, signal);
  if (past.length && ["forget", "erase"].includes(lastOf(past))) return { past, gone: lastOf(past), id };
  const item = await get(of("/v2/memories", id), {}, signal);
  if (item.kind === "chunk") return { chunk: item.chunk };
  const last = past.find((op) => op.k === "supersede");
  return { past, memory: { ...item.memory, superseded_how: last?.b.how || "" } };
}

const lastOf = (past) => past.find((op) => ["forget", "restore", "erase"].includes(op.k))?.k;

/** Returns what a memory is linked with: {title, address} by id. */
async function neighbours(memory, signal) {
  const ends = memory.links.flatMap((edge) => [edge.from_id, edge.to_id]);
  const ids = [...new Set([...ends, memory.superseded_by, ...memory.contested_by])].filter(
    (end) => end && end !== memory.id && /^[MCP]-/.test(end),
  );
  const entries = ids.slice(0, NEIGHBOURS).map(async (end) => {
    try {
      return [end, await titleAndAddress(end, signal)];
    } catch (error) {
      if (error.name === "AbortError") throw error;
      return [end, null];
    }
  });
  return new Map(/** @type {[string, { title: string, address: string, session?: any }][]} */ (await Promise.all(entries)));
}

/** Returns what something is called, and where it is whole: a statement in its session. */
async function titleAndAddress(id, signal) {
  const item = await get(of("/v2/memories", id), {}, signal);
  if (item.kind === "chunk") return { title: `${item.chunk.path} ${item.chunk.symbol}`, address: href("memory", id) };
  if (item.kind === "prompt") return { title: item.prompt.text, address: placeOf(id, item.prompt.session) };
  if (item.kind !== "passage") return { title: item.memory.title, address: href("memory", id) };
  const owner = await get(of("/v2/memories", item.passage.owner), {}, signal);
  const session = owner.prompt?.session;
  const title = item.passage.heading || item.passage.text;
  return { title, address: placeOf(id, session), session: session && (await sessionOf(session, signal)) };
}

const sessionOf = (id, signal) => get(of("/v2/sessions", id), {}, signal);

function whole(parts, places, draw, signal) {
  if (parts.gone) return goneView(parts, draw);
  const { memory, past } = parts;
  const done = (next) => {
    if (next && next !== memory.id) go("memory", next);
    // A view that was opened anew meanwhile draws itself.
    else draw().catch((error) => (error.name === "AbortError" ? dispatchEvent(new Event("hashchange")) : go("memories")));
  };
  return [
    link(lastAddress("memories", href("memories")), { class: "back" }, "All memories"),
    h(
      "article",
      { class: "whole", "data-memory": memory.id },
      h("div", { class: "head" }, h("h1", { dir: "auto" }, memory.title)),
      h(
        "p",
        { class: "meta" },
        h("code", {}, memory.id),
        h("span", {}, "thread ", link(href("thread", memory.thread_id), { dir: "auto" }, memory.thread_id)),
        h("span", {}, memory.kind),
        moment(memory.created_at),
        h("span", {}, `by ${memory.origin}`),
        h("span", {}, `${memory.tokens} tokens`),
        marks(memory),
      ),
      writtenIn(memory),
      h("p", { class: "text", dir: "auto" }, memory.summary),
      labels(memory),
      usageLine(memory),
      h("div", { class: "acts" }, tools(memory, done, confirm(memory, done))),
    ),
    h(
      "div",
      { class: "columns" },
      h(
        "div",
        {},
        section(memory.confirmed_at ? "Where it was written, and confirmed" : "Where it was written", places.commits),
        section("Files", fileList(memory.links.filter(isFile), memory.drifted, memory), changedFiles(memory)),
      ),
      h("div", {}, section("Links", places.links), section("History", log(past, memory.id, signal))),
    ),
  ];
}

const isFile = (edge) => !/^([MC]-|P-\w+#|[a-z]+:)/.test(edge.to_id);

function confirm(memory, done) {
  const run = () => guarded(() => actions.confirm(memory, done));
  return button("Confirm", run, { class: "quiet", title: "say that it holds at what is checked out" });
}

/** Returns what replaced or contests a memory, and what it is linked with. */
function linksOf(memory, around, askedFor, again) {
  const edges = memory.links.filter((edge) => !isFile(edge));
  const picture = edges.length || memory.superseded_by ? linkGraph(memory, edges, around) : h("p", { class: "muted" }, "None.");
  return [
    successorNotes(memory, around),
    closedPoints(memory, edges, around, again),
    askedFor,
    picture,
    link(href("graph", "", { start: memory.id }), { class: "small" }, "what hangs together with it"),
  ];
}

function goneView({ past, gone: way, id }, draw) {
  const text = way === "erase" ? "Its text was erased; nothing brings it back." : "It is forgotten: no recall finds it.";
  const title = past.map((op) => op.b.title).find(Boolean);
  return [
    link(lastAddress("memories", href("memories")), { class: "back" }, "All memories"),
    h("h1", { dir: "auto" }, title || id),
    h("p", {}, text),
    way === "forget"
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

function labels(memory) {
  const all = [...memory.tags, ...memory.entities];
  return all.length
    ? h(
        "ul",
        { class: "tags", "aria-label": "Tags and entities" },
        all.map((tag) => h("li", { dir: "auto" }, tag)),
      )
    : null;
}

/** Returns how many sessions were told a memory and used it. */
function usageLine({ id, usage }) {
  if (!usage.told) return null;
  const last = usage.used ? [`, used by ${count(usage.used, "session")}, last `, moment(usage.last_used)] : ", used by none";
  const sessions = link(href("sessions", "", { told: id }), {}, `told to ${count(usage.told, "session")}`);
  return h("p", { class: "meta" }, h("span", {}, sessions, last));
}

/** Returns in which session a memory was written. */
function writtenIn({ session }) {
  if (!session) return null;
  const title = link(href("session", session.id), { dir: "auto" }, `“${cut(session.title, LONGEST)}”`);
  return h("p", { class: "meta" }, h("span", {}, "written in session ", title, `, ${date(session.started_at)}`));
}

/** Returns what sessions left open and this memory closes, each with a button that opens it again. */
function closedPoints(memory, edges, around, again) {
  const points = edges.filter((edge) => edge.rel === "closes" && edge.from_id === memory.id && around.get(edge.to_id));
  return points.map(({ to_id: id }) => {
    const { title, address, session } = around.get(id);
    return h(
      "p",
      { class: "note" },
      "It closes ",
      address ? link(address, { dir: "auto" }, `“${title}”`) : `“${title}”`,
      session ? [", left open in session ", link(href("session", session.id), { dir: "auto" }, sessionName(session))] : null,
      " ",
      pointButton({ id, title, closed_by: memory.id }, again),
    );
  });
}

function successorNotes(memory, around) {
  const to = (id) => link(around.get(id)?.address || href("memory", id), { dir: "auto" }, around.get(id)?.title || id);
  return [
    memory.superseded_by
      ? h("p", { class: "note" }, `It is ${superseded(memory.superseded_how)} by `, to(memory.superseded_by))
      : null,
    memory.contested_by.length
      ? h(
          "p",
          { class: "note" },
          "Contested by ",
          memory.contested_by.map((id, at) => [at ? ", " : "", to(id)]),
        )
      : null,
  ];
}

/** Returns what the anchor of a memory says of it here. */
function standing(memory, graph) {
  const where = ANCHORS[graph.anchor_state];
  return memory.superseded_by ? `${where}, ${superseded(memory.superseded_how)}` : where;
}

function anchor(memory, graph) {
  if (!graph.anchor) return h("p", { class: "muted" }, "Outside any commit: it holds everywhere.");
  const carried = graph.carried_over ? ` by ${graph.carried_over.how} in ${short(graph.carried_over.commit)}` : "";
  const branch = graph.anchor_branch ? [" (", h("code", {}, graph.anchor_branch), ")"] : "";
  const isDrawn = graph.commits.some((commit) => commit.id === graph.anchor);
  return [
    h("p", {}, written(memory), h("code", {}, short(graph.anchor)), ": ", standing(memory, graph), branch, carried, "."),
    graph.commits.length ? commitPicture(graph) : h("p", { class: "muted" }, "There is no git here to draw."),
    isDrawn || !graph.commits.length ? null : h("p", { class: "muted" }, "This clone has not got the commit itself."),
  ];
}

/** Returns the words before the anchor of a memory: where it was written, if it was confirmed elsewhere since. */
function written({ confirmed_at: at, written_commit: commit }) {
  if (!at) return "On ";
  return ["Written on ", commit ? h("code", {}, short(commit)) : "no commit", ", confirmed ", moment(at), " on "];
}

const RELATIONS = { mention: "named in its text", read: "read for it" };

const isSummary = (memory) => memory.kind === "summary"; // its entities are the files that its session changed

function changedFiles(memory) {
  if (!isSummary(memory) || !memory.entities.length) return null;
  const why = (path) => link(href("why", "", { target: path }), { title: "why it is as it is" }, h("code", {}, path));
  return h(
    "ul",
    { class: "plain" },
    memory.entities.map((path) => h("li", {}, why(path), h("span", { class: "muted" }, " changed in its session"))),
  );
}

function fileList(files, drifted, memory) {
  if (!files.length) return isSummary(memory) && memory.entities.length ? null : h("p", { class: "muted" }, "It names none.");
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

function chunk(item) {
  return [
    h("h1", {}, item.symbol || item.path),
    h(
      "p",
      { class: "meta" },
      h("code", {}, item.id),
      h("span", {}, `${item.path} lines ${item.lines.join("–")}`),
      h("span", {}, item.language),
      h("span", {}, item.state),
    ),
    h("pre", { class: "code", tabindex: 0, "aria-label": "Its text" }, item.text),
    item.cited_by.length
      ? h(
          "p",
          {},
          "Cited by ",
          item.cited_by.map((by, at) => [at ? ", " : "", link(href("memory", by.id), {}, by.id)]),
        )
      : null,
  ];
}
