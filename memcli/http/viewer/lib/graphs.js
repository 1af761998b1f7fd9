// Two small drawings: what a memory is linked with, and where its anchor stands among the commits.

import { h, svg } from "./dom.js";
import { href } from "./route.js";
import { date, short } from "./words.js";

const LANE = 14; // px between two lines of history
const STEP = 26; // px between two commits
const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** Returns a memory with what it is linked to around it, and the same as a list for who does not see it. */
export function linkGraph(one, edges, around) {
  const all = edges.map((edge) => ({ id: edge.from_id === one.id ? edge.to_id : edge.from_id, rel: edge.rel, isOut: edge.from_id === one.id }));
  if (one.superseded_by && !all.some((edge) => edge.id === one.superseded_by)) all.push({ id: one.superseded_by, rel: "superseded by", isOut: true });
  const shown = all.slice(0, 10);
  const height = Math.max(90, shown.length * 40 + 20);
  const middle = height / 2;
  const parts = shown.map((edge, at) => {
    const y = shown.length === 1 ? middle : 26 + (at * (height - 52)) / (shown.length - 1);
    const title = around.get(edge.id) || edge.id;
    const curve = `M 32 ${middle} C 66 ${middle}, 56 ${y}, 88 ${y}`;
    const node = [
      svg("circle", { cx: 92, cy: y, r: 5, class: "node" }),
      svg("text", { x: 104, y: y + 1, class: "label" }, cut(title, 32)),
      svg("text", { x: 104, y: y + 15, class: "rel" }, `${edge.isOut ? "→" : "←"} ${edge.rel}`),
    ];
    const target = /^[MC]-/.test(edge.id) ? svg("a", { href: href("memory", edge.id), "aria-label": `${edge.rel}: ${title}` }, node) : svg("g", {}, node);
    return [svg("path", { d: curve, class: "edge" }), target];
  });
  return h("figure", { class: "graph" },
    svg("svg", { viewBox: `0 0 340 ${height}`, role: "group", "aria-label": `Links of ${one.id}` },
      parts, svg("circle", { cx: 26, cy: middle, r: 8, class: "node self" }), svg("text", { x: 26, y: middle + 24, class: "rel", "text-anchor": "middle" }, "this one")),
    all.length > shown.length ? h("figcaption", { class: "muted" }, `and ${all.length - shown.length} more`) : null);
}

/** Returns which lane each commit stands in, children first: the first parent goes on in its child's lane. */
export function lanes(commits) {
  const waiting = []; // what each lane waits for
  return commits.map((one) => {
    let lane = waiting.indexOf(one.id);
    if (lane < 0) lane = free(waiting);
    waiting.forEach((name, at) => {
      if (name === one.id) waiting[at] = null;
    });
    one.parents.forEach((parent, at) => {
      const other = waiting.indexOf(parent);
      if (other >= 0 && (at > 0 || other < lane)) return;
      if (other >= 0) waiting[other] = null; // the line further left goes on
      waiting[at === 0 ? lane : free(waiting)] = parent;
    });
    return { ...one, lane };
  });
}

function free(waiting) {
  const at = waiting.indexOf(null);
  if (at >= 0) return at;
  waiting.push(null);
  return waiting.length - 1;
}

/** Returns the graph of commits as a drawing beside a list of them; HEAD and the anchor stand out. */
export function commitGraph(graph) {
  const placed = lanes(near(graph));
  const places = new Map(placed.map((one, at) => [one.id, { x: 10 + one.lane * LANE, y: STEP / 2 + at * STEP }]));
  const height = placed.length * STEP;
  const width = 20 + Math.max(...placed.map((one) => one.lane)) * LANE;
  const lines = placed.flatMap((one) => one.parents.map((parent) => {
    const from = places.get(one.id);
    const to = places.get(parent) || { x: from.x, y: Math.min(height, from.y + STEP * 0.8) };
    const bend = to.x === from.x ? `L ${to.x} ${to.y}` : `C ${from.x} ${from.y + STEP * 0.7}, ${to.x} ${from.y + STEP * 0.3}, ${to.x} ${from.y + STEP} L ${to.x} ${to.y}`;
    return svg("path", { d: `M ${from.x} ${from.y} ${bend}`, class: places.has(parent) ? "edge" : "edge open" });
  }));
  const dots = placed.map((one) => svg("circle", { cx: places.get(one.id).x, cy: places.get(one.id).y, r: one.id === graph.anchor ? 6 : 4, class: one.id === graph.anchor ? "node self" : "node" }));
  return h("div", { class: "commits" },
    svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, lines, dots),
    h("ol", { class: "commit-list" }, placed.map((one) => h("li", { class: one.id === graph.anchor ? "is-anchor" : null },
      h("code", {}, short(one.id)),
      one.id === graph.head ? h("span", { class: "badge", "data-tone": "plain" }, graph.branch ? `HEAD, ${graph.branch}` : "HEAD") : null,
      one.id === graph.anchor ? h("span", { class: "badge", "data-tone": "accent" }, "written here") : null,
      graph.carried_over?.commit === one.id ? h("span", { class: "badge", "data-tone": "warn" }, "carried here") : null,
      h("span", { class: "subject", dir: "auto", title: `${date(one.at)} ${one.subject}` }, one.subject)))));
}

const MOST = 9; // commits that are drawn

/** Returns the commits that say something of an anchor: the newest, and those around it. */
function near({ commits, anchor, head }) {
  if (commits.length <= MOST) return commits;
  const at = Math.max(0, commits.findIndex((one) => one.id === anchor));
  const from = Math.max(0, Math.min(at - 4, commits.length - MOST + 1));
  const around = commits.slice(from, from + MOST - 1);
  return around.some((one) => one.id === head) ? commits.slice(0, MOST) : [commits.find((one) => one.id === head) || commits[0], ...around];
}

