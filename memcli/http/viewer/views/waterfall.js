// A session as a waterfall: prompts, what it was told with tokens, tool calls, failures and commits, in the order of time.

import { h, link, svg } from "../lib/dom.js";
import { figure, room, sized, table } from "../lib/figure.js";
import { href } from "../lib/route.js";
import { count, figure as number, when } from "../lib/words.js";

const LANES = [
  ["prompt", "prompts"],
  ["told", "told"],
  ["tool", "tools"],
  ["failed", "failures"],
  ["commit", "commits"],
];
const LEFT = 80;
const LEAST = 8; // px for a moment; where there are more than have room, the picture is scrolled
const LANE = 40;
const MOST_TOLD = 2500; // tokens of the tallest bar

const rowOf = (act) => LANES.findIndex(([name]) => name === (act.failed ? "failed" : act.lane));

/** Returns the picture of a session, of which something is known to have happened; null where nothing is. */
export function waterfall(session, { items: acts, total }) {
  if (!acts.length) return null;
  const step = Math.max(LEAST, (room() - LEFT - 20) / acts.length);
  const width = LEFT + 20 + step * acts.length;
  const height = LANES.length * LANE + 10;
  const mark = (act, at) => {
    const [x, y] = [LEFT + 12 + at * step, rowOf(act) * LANE + LANE / 2];
    const label = `${when(act.at)}: ${describe(act)}`;
    return svg(
      "a",
      { href: opens(act, session), "aria-label": label },
      svg("title", {}, label),
      shape(act, x, y, Math.max(3, Math.min(14, step * 0.8))),
    );
  };
  const starts = acts.map((act, at) =>
    act.lane === "prompt"
      ? svg("line", { x1: LEFT + 12 + at * step, x2: LEFT + 12 + at * step, y1: 0, y2: height, class: "edge" })
      : null,
  );
  const picture = svg(
    "svg",
    { ...sized(width, height), role: "group", "aria-label": "The session in the order of time" },
    LANES.map(([, label], row) => [
      svg("text", { x: 4, y: row * LANE + LANE / 2 + 4, class: "label" }, label),
      svg("line", { x1: LEFT, x2: width, y1: (row + 1) * LANE, y2: (row + 1) * LANE, class: "edge" }),
    ]),
    starts,
    acts.map(mark),
  );
  const tokens = acts.reduce((sum, act) => sum + (act.tokens || 0), 0);
  const failures = count(acts.filter((act) => act.failed).length, "failure");
  const counts = `${count(total, "moment")}, ${failures}, ${number(tokens)} tokens told`;
  const caption = `From left to right in the order in which it happened: ${counts}.`;
  const rows = acts.map((act) => [
    when(act.at),
    act.failed ? "failure" : act.lane,
    link(opens(act, session), { dir: "auto" }, act.title || act.id),
    act.tokens === null ? "" : number(act.tokens),
  ]);
  return h(
    "section",
    {},
    h("h2", {}, "Waterfall"),
    figure(picture, caption, table("The session in the order of time", ["when", "what", "", "tokens"], rows)),
  );
}

const describe = (act) =>
  act.lane === "told" ? `${count(act.tokens, "token")} told ${act.title}` : `${act.failed ? "failed" : act.lane}: ${act.title}`;

function opens(act, session) {
  if (act.lane === "prompt") return href("session", session.id, { at: act.id });
  if (act.lane === "told") return href("pack", "", { source: "turn", session: session.id, turn: act.id });
  return act.lane === "commit" ? href("why", "", { target: act.id }) : href("memory", act.id);
}

function shape(act, x, y, width) {
  const props = { class: "mark", "data-mark": act.failed ? "failed" : act.lane };
  if (act.lane === "told") {
    const tall = Math.max(3, Math.min(1, act.tokens / MOST_TOLD) * (LANE - 8));
    return svg("rect", { ...props, x: x - width / 2, y: y + LANE / 2 - 3 - tall, width, height: tall });
  }
  if (act.failed)
    return svg("path", { ...props, d: `M ${x - 6} ${y - 6} L ${x + 6} ${y + 6} M ${x + 6} ${y - 6} L ${x - 6} ${y + 6}` });
  if (act.lane === "commit")
    return svg("path", { ...props, d: `M ${x} ${y - 7} L ${x + 7} ${y} L ${x} ${y + 7} L ${x - 7} ${y} Z` });
  return act.lane === "prompt"
    ? svg("circle", { ...props, cx: x, cy: y, r: 7 })
    : svg("rect", { ...props, x: x - width / 2, y: y - 5, width, height: 10 });
}
