// Memories along the history of commits: when each was written, on which branch, and whether it holds.

import { get, newest } from "../lib/api.js";
import { fill, h, link, select, svg } from "../lib/dom.js";
import { figure, table } from "../lib/figure.js";
import { href, keep } from "../lib/route.js";
import { apart, scale } from "../lib/scales.js";
import { trouble } from "../lib/toast.js";
import { STATES, count, date, short } from "../lib/words.js";

const WIDTH = 1000;
const LANE = 76;
const LEFT = 110; // px for the name of a branch
const MARKS = [
  ["holds", "holds"],
  ["drifted", "a file changed"],
  ["superseded", "superseded"],
  ["orphan", "not in HEAD's history"],
];
const FILTERS = ["kind", "state", "branch", "thread"];

export async function show(context) {
  const { root, params, signal } = context;
  const asked = Object.fromEntries(FILTERS.map((name) => [name, params.get(name) || ""]));
  const status = h("p", { class: "muted", role: "status" });
  const body = h("div", {});
  const { facets } = await get("/v2/items", { type: "memory", limit: 1 }, signal);
  const next = newest(signal);
  const load = async () => {
    const found = await get(
      "/v2/history",
      Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, value || null])),
      next(),
    );
    const commits = count(found.commits.length, "commit");
    status.textContent = found.capped
      ? `${count(found.total, "memory", "memories")}; the newest are drawn, on ${commits}`
      : `${count(found.total, "memory", "memories")} on ${commits}`;
    fill(body, found.commits.length ? drawn(found) : h("p", { class: "muted" }, "No memory fits."));
  };
  const chooser = (name) =>
    h(
      "label",
      { class: "field-inline" },
      `${name} `,
      select([["", "any"], ...facets[name].map((one) => [one.value, `${one.label} (${one.count})`])], asked[name], (value) => {
        asked[name] = value;
        keep("history", "", asked);
        load().catch(trouble);
      }),
    );
  root.append(
    h(
      "div",
      { class: "head" },
      h("h1", {}, "History"),
      h("p", { class: "muted" }, "Memories along the commits they were written on."),
    ),
    h("div", { class: "picture-filters", role: "group", "aria-label": "Filters" }, FILTERS.map(chooser)),
    status,
    body,
  );
  await load();
}

/** How a memory is drawn: what does not hold is told by its shape, too. */
function mark(memory) {
  if (memory.state === "superseded" || memory.state === "overtaken" || memory.state === "forgotten") return "superseded";
  if (memory.state === "drifted") return "drifted";
  return memory.state === "orphan" || memory.state === "unknown" ? "orphan" : "holds";
}

function drawn({ head, commits }) {
  const lanes = [...new Set(commits.map((one) => one.branch ?? null))].sort((a, b) =>
    a === null ? -1 : b === null ? 1 : a.localeCompare(b),
  );
  const times = commits.map((one) => Date.parse(one.at));
  const place = scale(Math.min(...times), Math.max(...times), LEFT + 20, WIDTH - 20);
  const x = new Map();
  for (const branch of lanes) {
    const inLane = commits.filter((one) => (one.branch ?? null) === branch);
    const places = apart(
      inLane.map((one) => place(Date.parse(one.at))),
      20,
      LEFT + 20,
      WIDTH - 20,
    ); // room for two marks
    inLane.forEach((one, at) => x.set(one, places[at]));
  }
  const height = lanes.length * LANE + 30;
  const middle = (branch) => lanes.indexOf(branch ?? null) * LANE + LANE / 2;
  const picture = svg(
    "svg",
    {
      viewBox: `0 0 ${WIDTH} ${height}`,
      role: "group",
      "aria-label": "Memories along the history of commits, from the oldest to the newest",
    },
    lanes.map((branch) => [
      svg("line", { x1: LEFT, x2: WIDTH, y1: middle(branch), y2: middle(branch), class: "edge" }),
      svg("text", { x: 4, y: middle(branch) + 4, class: "label" }, laneName(branch)),
    ]),
    commits.map((one) => dots(one, x.get(one), middle(one.branch))),
    svg("text", { x: LEFT + 20, y: height - 6, class: "rel" }, date(Math.min(...times))),
    svg("text", { x: WIDTH - 4, y: height - 6, class: "rel", "text-anchor": "end" }, date(Math.max(...times))),
  );
  const rows = commits.flatMap((one) =>
    one.memories.map((memory) => [
      link(href("memory", memory.id), { dir: "auto" }, memory.title),
      memory.kind,
      STATES[memory.state] || memory.state,
      one.id ? [link(href("why", "", { target: one.id }), {}, short(one.id)), one.id === head ? " (HEAD)" : ""] : "none",
      one.subject,
      laneName(one.branch),
      date(one.at),
    ]),
  );
  return figure(
    picture,
    "Each mark stands for the memories of one commit that are in one state; the more, the larger.",
    table("Memories by commit", ["memory", "kind", "state", "commit", "subject", "branch", "date"], rows),
    MARKS,
  );
}

const laneName = (branch) => (branch === null || branch === undefined ? "HEAD's history" : branch || "elsewhere").slice(0, 16);

/** Returns the marks of a commit, one for each state that its memories have. Enter opens the memory, of several the list. */
function dots(one, x, y) {
  const groups = MARKS.map(([tone, label]) => [tone, label, one.memories.filter((memory) => mark(memory) === tone)]).filter(
    ([, , group]) => group.length,
  );
  const step = Math.min(22, LANE / groups.length);
  return groups.map(([tone, label, group], at) => dot(one, { tone, label, group }, x, y + (at - (groups.length - 1) / 2) * step));
}

function dot(one, { tone, label, group }, x, y) {
  const [first] = group;
  const what =
    group.length === 1
      ? `${first.title}, ${STATES[first.state] || first.state}`
      : `${count(group.length, "memory", "memories")}: ${label}`;
  const name = `${date(one.at)}${one.id ? `, ${short(one.id)} ${one.subject}` : ""}: ${what}`;
  const target = group.length === 1 || !one.id ? href("memory", first.id) : href("memories", "", { anchor: one.id });
  return svg(
    "a",
    { href: target, "aria-label": name },
    svg("title", {}, name),
    shape(tone, x, y, Math.min(11, 5 + Math.sqrt(group.length))),
  );
}

function shape(tone, x, y, r) {
  const props = { class: "mark", "data-mark": tone };
  if (tone === "superseded") return svg("rect", { ...props, x: x - r * 0.8, y: y - r * 0.8, width: r * 1.6, height: r * 1.6 });
  if (tone === "drifted")
    return svg("path", { ...props, d: `M ${x} ${y - r} L ${x + r} ${y + r * 0.8} L ${x - r} ${y + r * 0.8} Z` });
  return svg("circle", { ...props, cx: x, cy: y, r });
}
