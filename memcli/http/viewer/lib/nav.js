// What the page has, in groups: the bar shows the groups, and below it what is in the one that is looked at.

import { fill, h, link } from "./dom.js";
import { href } from "./route.js";

/** [group, its views as [name, label, the key after g, what the help says]]. The first view stands for its group. */
/** @type {[string, string[][]][]} */
const GROUPS = [
  ["Home", [["home", "Home", "g", "home"]]],
  [
    "Memory",
    [
      ["memories", "Memories", "m", "memories"],
      ["all", "Everything", "a", "everything that is stored"],
      ["threads", "Threads", "h", "threads"],
      ["notes", "Notes", "n", "notes"],
      ["profile", "Profile", "r", "profile"],
      ["state", "State", "t", "state"],
    ],
  ],
  [
    "Agents",
    [
      ["pack", "Given", "p", "what agents are given, and why"],
      ["sessions", "Sessions", "s", "sessions"],
      ["turns", "Turns", "o", "what sessions were told"],
      ["feed", "Feed", "f", "live feed"],
      ["queue", "Queue", "q", "queue"],
    ],
  ],
  [
    "Code",
    [
      ["why", "Why", "w", "why"],
      ["history", "History", "y", "memories along the commits"],
      ["graph", "Graph", "c", "what hangs together"],
      ["reverts", "Taken back", "k", "what was taken back, and by whom"],
      ["evidence", "Evidence", "e", "evidence"],
    ],
  ],
  [
    "System",
    [
      ["doctor", "Health", "d", "health"],
      ["repositories", "Repositories", "b", "repositories"],
      ["settings", "Settings", ",", "settings"],
    ],
  ],
];

/** A view of one thing belongs to the one that lists them. */
export const LISTS = { memory: "memories", session: "sessions", thread: "threads" };

const VIEWS = GROUPS.flatMap(([, views]) => views);

/** [keys, what they do] for the help. */
export const SHORTCUTS = VIEWS.map(([, , key, help]) => [`g ${key}`, help]);

/** Returns the view that a pair of keys opens, null for none. */
export function byKeys(name) {
  const view = VIEWS.find(([, , key]) => name === `g ${key}`);
  return view ? view[0] : null;
}

/** Shows the groups, the views of one of them, and which of both is looked at. */
export function show(view) {
  const current = LISTS[view] || view;
  const group = GROUPS.find(([, views]) => views.some(([name]) => name === current));
  const item = (/** @type {string[]} */ [name, label, key], isCurrent) =>
    h("li", {}, link(href(name), { "aria-current": isCurrent ? "page" : null, "aria-keyshortcuts": `g ${key}` }, label));
  fill(
    document.getElementById("nav"),
    GROUPS.map(([label, views]) =>
      h("li", {}, link(href(views[0][0]), { "aria-current": views === group?.[1] ? "true" : null }, label)),
    ),
  );
  const inside = group?.[1] || [];
  fill(
    document.getElementById("subnav"),
    (inside.length > 1 ? inside : []).map((view) => item(view, view[0] === current)),
  );
  document.querySelector("#subnav [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
}
