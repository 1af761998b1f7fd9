// Geometry of pictures as numbers. It needs no browser.

import { groupBy } from "./groups.js";

/** Returns a function from a value in [least, most] to a place in [from, to]. One value is put in the middle. */
export function scale(least, most, from, to) {
  if (most <= least) return () => (from + to) / 2;
  return (value) => from + ((value - least) / (most - least)) * (to - from);
}

/** Returns places moved apart in their order, equal ones as they come, none nearer to the next than a gap, if there is room. */
export function apart(places, gap, least, most) {
  const step = Math.min(gap, (most - least) / Math.max(1, places.length - 1));
  const order = places.map((_, at) => at).sort((a, b) => places[a] - places[b] || a - b);
  const spread = [...places];
  let last = -Infinity;
  for (const at of order) last = spread[at] = Math.max(places[at], last + step);
  let next = Infinity;
  for (const at of order.reverse()) next = (spread[at] = Math.min(spread[at], most, next)) - step;
  return spread;
}

/** Returns places in groups, as their numbers: where they do not all have room, each with those nearer to it than a gap. */
export function grouped(places, gap, room) {
  const order = places.map((_, at) => at).sort((a, b) => places[a] - places[b] || b - a);
  const isCrowded = (places.length - 1) * gap > room;
  const groups = [];
  for (const at of order) {
    const last = groups.at(-1);
    if (isCrowded && last && places[at] - places[last[0]] < gap) last.push(at);
    else groups.push([at]);
  }
  return groups;
}

/**
 * Returns commits with what was written without one parted by its days, each as a commit of its own.
 * @param {any[]} commits
 * @param {(at: string) => string} day
 */
export function byDay(commits, day) {
  return commits.flatMap((commit) => {
    if (commit.id) return [commit];
    return [...groupBy(commit.memories, (memory) => day(memory.at)).values()].map((memories) => ({
      ...commit,
      at: memories[0].at,
      memories,
    }));
  });
}

/**
 * Returns the columns of a graph: for each node its column (the depth) and its place in it. Nodes stand beside what they hang on.
 * @param {{ id: string, depth: number }[]} nodes
 * @param {{ from_id: string, to_id: string }[]} edges
 */
export function columns(nodes, edges) {
  const places = new Map();
  const deepest = Math.max(0, ...nodes.map((node) => node.depth));
  for (let depth = 0; depth <= deepest; depth += 1) {
    const column = nodes.filter((node) => node.depth === depth);
    const pull = new Map(column.map((node) => [node.id, mean(before(node.id, edges, places))]));
    column.sort((a, b) => pull.get(a.id) - pull.get(b.id) || a.id.localeCompare(b.id));
    column.forEach((node, row) => places.set(node.id, { column: depth, row, of: column.length }));
  }
  return places;
}

function before(id, edges, places) {
  const neighbours = edges
    .filter((edge) => edge.from_id === id || edge.to_id === id)
    .map((edge) => (edge.from_id === id ? edge.to_id : edge.from_id));
  return neighbours.filter((other) => places.has(other)).map((other) => places.get(other).row / places.get(other).of);
}

const mean = (values) => (values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : 0.5);

/** Returns bars that stand side by side: {x, width, y, height} each, for values of any size. */
export function bars(values, width, height) {
  const most = Math.max(1, ...values);
  const step = width / Math.max(1, values.length);
  return values.map((value, at) => ({
    x: at * step + step * 0.1,
    width: step * 0.8,
    y: height - (value / most) * height,
    height: (value / most) * height,
  }));
}
