// What sessions left open: each point can be closed wherever it is listed.

import { close } from "../lib/actions.js";
import { button } from "../lib/dom.js";

/** What is asked for as the open points that hold: of one session, or of all. */
export const OPEN = { type: "passage", kind: "open", state: "holds" };

const isPoint = (item) => item.type === "passage" && item.kind === "open" && item.state === "holds" && /^P-.*#/.test(item.id);

/** Returns the button that closes an open point, null for what is none or does not hold. `done()`: called after. */
export function closeButton(item, done) {
  if (!isPoint(item)) return null;
  return button("Close…", () => close(item, done), {
    class: "quiet",
    "aria-label": `Close ${item.title || item.snippet}`.slice(0, 120),
  });
}
