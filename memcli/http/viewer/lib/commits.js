// Where a memory's anchor stands among the commits: a drawing beside a list of them.

import { h, link, svg } from "./dom.js";
import { lines, rows } from "./lanes.js";
import { href } from "./route.js";
import { badge } from "./rows.js";
import { count, date, short } from "./words.js";

const LANE = 14; // px between two lines of history
const NARROW = "(width < 30rem)"; // where the subject of a commit has lines of its own
const STEPS = { wide: 26, narrow: 62 }; // px between two commits
const EDGE = 10; // px from the side to the first line

/** Returns the commits around an anchor: each with its date, what it is, and where it leads. */
export function commitPicture(graph) {
  const all = rows(graph.commits, graph.edges);
  return h(
    "div",
    { class: "commits" },
    drawing(all, graph),
    h(
      "ol",
      { class: "commit-list" },
      all.map((row) => (row.commit ? line(row.commit, graph) : gap(row.between))),
    ),
  );
}

function drawing(all, graph) {
  const step = matchMedia(NARROW).matches ? STEPS.narrow : STEPS.wide;
  const x = (place) => EDGE + place.lane * LANE;
  const y = (place) => step / 2 + place.row * step;
  const width = 2 * EDGE + Math.max(0, ...all.map((row) => row.lane)) * LANE;
  const height = all.length * step;
  const paths = lines(all, graph.edges).map(({ from, to, isGap }) =>
    svg("path", { d: path(x(from), y(from), x(to), y(to), step), class: isGap ? "edge open" : "edge" }),
  );
  const dots = all.map((row, at) => row.commit && dot(x(row), y({ row: at }), row.commit.id === graph.anchor));
  return svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, paths, dots);
}

const dot = (cx, cy, isAnchor) => svg("circle", { cx, cy, r: isAnchor ? 6 : 4, class: isAnchor ? "node self" : "node" });

/** Returns a line between two commits: it leaves its lane at once where it goes right, and at the end where it comes back. */
function path(x1, y1, x2, y2, step) {
  if (x1 === x2) return `M ${x1} ${y1} L ${x2} ${y2}`;
  const half = step / 2;
  if (x2 > x1) return `M ${x1} ${y1} C ${x1} ${y1 + half}, ${x2} ${y1 + half}, ${x2} ${y1 + step} L ${x2} ${y2}`;
  return `M ${x1} ${y1} L ${x1} ${y2 - step} C ${x1} ${y2 - half}, ${x2} ${y2 - half}, ${x2} ${y2}`;
}

function line(commit, graph) {
  const isAnchor = commit.id === graph.anchor;
  return h(
    "li",
    { class: isAnchor ? "is-anchor" : null },
    link(href("why", "", { target: commit.id }), { class: "hash", title: "why this commit" }, h("code", {}, short(commit.id))),
    names(commit, graph).map(([text, tone]) => badge(text, tone)),
    h("span", { class: "subject", dir: "auto", title: `${commit.subject}, by ${commit.author}` }, commit.subject),
    commit.memories
      ? link(href("memories", "", { anchor: commit.id }), { class: "written" }, count(commit.memories, "memory", "memories"))
      : null,
    h("time", { datetime: new Date(commit.at).toISOString() }, date(commit.at)),
  );
}

/** Returns [text, tone] of what a commit is. */
function names(commit, graph) {
  return [
    commit.id === graph.head && [graph.branch ? `HEAD, ${graph.branch}` : "HEAD", "plain"],
    commit.id === graph.anchor_tip && [graph.anchor_branch, "warn"],
    commit.id === graph.anchor && ["written here", "accent"],
    commit.id === graph.carried_over?.commit && ["carried here", "warn"],
    commit.parents.length > 1 && ["merge", "plain"],
  ].filter(Boolean);
}

const gap = (between) => h("li", { class: "between" }, `${count(between, "commit")} between`);
