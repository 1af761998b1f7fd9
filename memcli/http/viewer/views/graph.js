// What memories, files and threads hang together with something, to some depth.

import { get, newest } from "../lib/api.js";
import { field, fill, h, link, select, svg } from "../lib/dom.js";
import { figure, room, sized, table } from "../lib/figure.js";
import { onward, refuse, searched } from "../lib/problems.js";
import { href, keep } from "../lib/route.js";
import { columns } from "../lib/scales.js";
import { trouble } from "../lib/toast.js";
import { count, cut } from "../lib/words.js";

const SORTS = ["memory", "file", "thread"];
const COLUMN = 270; // the least
const LETTER = 6.6; // px
const ROW = 34;
const LISTS = 3; // of threads and files that are not drawn whole
const MATCHES = 8; // memories, and threads, that are offered for words

export async function show(context) {
  const { root, params, signal } = context;
  const query = {
    start: params.get("start") || "",
    depth: params.get("depth") || "2",
    types: params.get("types") || SORTS.join(","),
  };
  if (!query.start) query.start = (await get("/v2/memories", { limit: 1 }, signal)).items[0]?.id || "";
  const status = h("p", { class: "muted", role: "status" });
  const body = h("div", {});
  const next = newest(signal);
  const load = async () => {
    keep("graph", "", query);
    if (!query.start) return fill(status, "Nothing is stored yet.");
    const ownSignal = next();
    if (!isName(query.start)) return (fill(status), offer(query.start, ownSignal));
    const graph = await get("/v2/graph", query, ownSignal).catch((error) => refuse(status, error, searched(nameOf(query.start))));
    if (!graph?.edges.length) fill(body);
    if (!graph) return status;
    if (!graph.edges.length) return fill(status, "Nothing is linked with it.", onward(searched(nameOf(query.start))));
    const counts = [count(graph.nodes.length, "thing"), count(graph.edges.length, "link")].join(", ");
    fill(status, counts, graph.capped ? ["; not all is drawn", rest(graph)] : null);
    return fill(body, graphFigure(graph, query));
  };
  /** Offers what has the words that somebody typed in place of a name. */
  const offer = async (words, ownSignal) => {
    const { items } = await get("/v2/items", { query: words, type: "memory", limit: MATCHES, counts: false }, ownSignal);
    const threads = (await get("/v2/threads", {}, ownSignal)).items.filter((thread) => isNear(thread.thread_id, words));
    const found = [
      ...(/^\S*[./]\S*$/.test(words) ? [[`file:${words}`, `file ${words}`]] : []),
      ...threads.slice(0, MATCHES).map((thread) => [`thread:${thread.thread_id}`, `thread ${thread.thread_id}`]),
      ...items.map((item) => [item.id, item.title]),
    ];
    fill(status, found.length ? `Begin with one of ${count(found.length, "match", "matches")}:` : "Nothing matches.");
    const choice = ([id, label]) => h("li", {}, link(href("graph", "", { ...query, start: id }), { dir: "auto" }, label));
    fill(body, found.length ? h("ul", { class: "plain" }, found.map(choice)) : null, found.length ? null : searched(words));
  };
  const change = (name, value) => {
    query[name] = value;
    load().catch(trouble);
  };
  const sort = (name) =>
    h(
      "label",
      { class: "check" },
      h("input", {
        type: "checkbox",
        checked: query.types.split(",").includes(name),
        on: {
          change: (event) => {
            const types = SORTS.filter((type) => (type === name ? event.target.checked : query.types.split(",").includes(type)));
            if (types.length) change("types", types.join(","));
            else event.target.checked = true;
          },
        },
      }),
      { memory: "memories", file: "files", thread: "threads" }[name],
    );
  const start = h("input", {
    value: query.start,
    "data-search": true,
    "aria-keyshortcuts": "/",
    maxlength: 4000,
    autocomplete: "off",
    on: { change: () => change("start", start.value.trim()) },
  });
  root.append(
    h(
      "div",
      { class: "head" },
      h("h1", {}, "Graph"),
      h("p", { class: "muted" }, "What hangs together with a memory, a file or a thread."),
    ),
    h(
      "div",
      { class: "picture-filters", role: "group", "aria-label": "What is drawn" },
      field("Begins with", start, "words to look for, or a memory's id, file:PATH, thread:NAME"),
      field(
        "Steps",
        select(
          ["1", "2", "3", "4"].map((n) => [n, n]),
          query.depth,
          (value) => change("depth", value),
        ),
      ),
      h("fieldset", { class: "plain-set" }, h("legend", {}, "Goes on to"), SORTS.map(sort)),
    ),
    status,
    body,
  );
  await load();
}

/** Tells whether a text is the name of something that a graph can begin with, and no words to look for. */
const isName = (text) => /^(?:file|thread):|^[MC]-[0-9A-Z]+$/i.test(text);

const isNear = (name, words) => name.toLowerCase().includes(words.toLowerCase());

/** Returns links to lists of what is not drawn of a graph: to all of the first threads and files in it. */
function rest({ nodes }) {
  const held = nodes.filter((node) => node.type !== "memory").sort((a, b) => a.depth - b.depth);
  return held.slice(0, LISTS).map((node, at) => {
    const name = nameOf(node.id);
    const address = node.type === "thread" ? href("thread", name) : href("all", "", { file: name });
    return [at ? ", " : ": ", link(address, { dir: "auto" }, `all of ${node.type} ${node.label}`)];
  });
}

/** Returns what an id of the graph names, without its sort. */
const nameOf = (id) => id.replace(/^(file|thread):/, "");

/** Returns where something of the graph is shown by itself. */
function opens(node) {
  const name = nameOf(node.id);
  if (node.type === "file") return href("why", "", { target: name });
  return node.type === "thread" ? href("thread", name) : href("memory", node.id);
}

function graphFigure({ nodes, edges }, query) {
  const places = columns(nodes, edges);
  const tallest = Math.max(...[...places.values()].map((place) => place.of));
  const widest = Math.max(...[...places.values()].map((place) => place.column)) + 1;
  const height = tallest * ROW + 20;
  const step = Math.max(COLUMN, (room() - 20) / widest);
  const at = ({ column, row, of }) => ({ x: column * step + 20, y: ((row + 0.5) * height) / of });
  const line = (edge) => {
    const [a, b] = [at(places.get(edge.from_id)), at(places.get(edge.to_id))];
    const bend = a.x === b.x ? 60 : 0;
    return svg("path", {
      class: "edge",
      d: `M ${a.x} ${a.y} C ${(a.x + b.x) / 2 + bend} ${a.y}, ${(a.x + b.x) / 2 + bend} ${b.y}, ${b.x} ${b.y}`,
    });
  };
  const node = (item) => {
    const { x, y } = at(places.get(item.id));
    const label = `${item.type} ${item.label}${item.state === "superseded" ? ", superseded" : ""}`;
    const body =
      item.type === "memory"
        ? svg("circle", { cx: x, cy: y, r: 6, class: "mark", "data-mark": item.state === "superseded" ? "past" : item.state })
        : svg("rect", { x: x - 6, y: y - 6, width: 12, height: 12, class: "mark", "data-mark": item.type });
    return svg(
      "a",
      { href: opens(item), "aria-label": label },
      svg("title", {}, label),
      body,
      svg("text", { x: x + 11, y: y + 4, class: "label" }, cut(item.label, Math.floor((step - 40) / LETTER))),
    );
  };
  const picture = svg(
    "svg",
    { ...sized(widest * step + 20, height), role: "group", "aria-label": `What hangs together with ${query.start}` },
    edges.map(line),
    nodes.map(node),
  );
  const labels = new Map(nodes.map((item) => [item.id, item]));
  const cell = (id) => link(opens(labels.get(id)), { dir: "auto" }, `${labels.get(id).type} ${labels.get(id).label}`);
  const again = (id) => link(href("graph", "", { ...query, start: id }), { dir: "auto" }, `graph of ${labels.get(id).label}`);
  return figure(
    picture,
    "It begins on the left; each column is one step further.",
    table(
      "Links",
      ["from", "relation", "to", "graph"],
      edges.map((edge) => [cell(edge.from_id), edge.rel, cell(edge.to_id), again(edge.to_id)]),
    ),
    [
      ["holds", "memory"],
      ["past", "superseded memory"],
      ["file", "file"],
      ["thread", "thread"],
    ],
  );
}
