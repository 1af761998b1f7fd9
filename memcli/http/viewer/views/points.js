// What sessions left open: each point can be closed wherever it is listed, and opened again where a memory closed it.

import { close, reopen } from "../lib/actions.js";
import { get, of } from "../lib/api.js";
import { button, h, link } from "../lib/dom.js";
import { href } from "../lib/route.js";
import { guarded } from "../lib/toast.js";
import { cut, date } from "../lib/words.js";

/** What is asked for as all that sessions left open, and as what of it is open still. */
export const LEFT = { type: "passage", kind: "open" };
export const OPEN = { ...LEFT, state: "holds" };

const LONGEST = 160; // characters of what became of a point

const isPoint = (item) => item.type === "passage" && item.kind === "open" && /^P-.*#/.test(item.id);
const isOpen = (item) => isPoint(item) && item.state === "holds";

/** Tells whether something is a point that was closed. */
export const isClosed = (item) => isPoint(item) && item.state === "overtaken";

/** Returns the button that closes an open point, or opens one again that a memory closed; else null. `done()`: called after. */
export function pointButton(item, done) {
  const label = (deed) => ({ class: "quiet", "aria-label": `${deed} ${item.title || item.snippet}`.slice(0, 120) });
  if (isOpen(item)) return button("Close…", () => close(item, done), label("Close"));
  return item.closed_by ? button("Reopen", () => guarded(() => reopen(item, done)), label("Reopen")) : null;
}

/** Returns when a point was closed and what became of it, with the way to what says so. */
export async function outcome(point, signal) {
  let item;
  try {
    item = await get(of("/v2/memories", point.superseded_by), {}, signal);
  } catch (error) {
    if (error.status !== 404) throw error;
    return "closed";
  }
  const successor = item.memory || item.passage;
  const text = item.memory && item.memory.summary !== item.memory.title ? item.memory.summary : item.passage?.text || "";
  const day = link(href("memory", successor.id), {}, `closed ${date(successor.created_at)}`);
  return text ? [day, ": ", h("span", { dir: "auto" }, cut(text, LONGEST))] : day;
}
