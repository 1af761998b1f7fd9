// A small drawing of what a memory is linked with.

import { h, svg } from "./dom.js";
import { cut } from "./words.js";

/** Returns a memory with what it is linked to around it, and the same as a list for who does not see it. */
export function linkGraph(memory, edges, around) {
  const all = edges.map((edge) => ({
    id: edge.from_id === memory.id ? edge.to_id : edge.from_id,
    rel: edge.rel,
    isOut: edge.from_id === memory.id,
  }));
  if (memory.superseded_by && !all.some((edge) => edge.id === memory.superseded_by))
    all.push({ id: memory.superseded_by, rel: "superseded by", isOut: true });
  const drawnEdges = all.slice(0, 10);
  const height = Math.max(90, drawnEdges.length * 40 + 20);
  const middle = height / 2;
  const parts = drawnEdges.map((edge, at) => {
    const y = drawnEdges.length === 1 ? middle : 26 + (at * (height - 52)) / (drawnEdges.length - 1);
    const title = around.get(edge.id)?.title || edge.id;
    const curve = `M 32 ${middle} C 66 ${middle}, 56 ${y}, 88 ${y}`;
    const node = [
      svg("circle", { cx: 92, cy: y, r: 5, class: "node" }),
      svg("text", { x: 104, y: y + 1, class: "label" }, cut(title, 32)),
      svg("text", { x: 104, y: y + 15, class: "rel" }, `${edge.isOut ? "→" : "←"} ${edge.rel}`),
    ];
    const address = around.get(edge.id)?.address;
    const target = address ? svg("a", { href: address }, svg("title", {}, title), node) : svg("g", {}, node);
    return [svg("path", { d: curve, class: "edge" }), target];
  });
  return h(
    "figure",
    { class: "graph" },
    svg(
      "svg",
      { viewBox: `0 0 340 ${height}`, role: "group", "aria-label": `Links of ${memory.id}` },
      parts,
      svg("circle", { cx: 26, cy: middle, r: 8, class: "node self" }),
      svg("text", { x: 26, y: middle + 24, class: "rel", "text-anchor": "middle" }, "this one"),
    ),
    all.length > drawnEdges.length ? h("figcaption", { class: "muted" }, `and ${all.length - drawnEdges.length} more`) : null,
  );
}
