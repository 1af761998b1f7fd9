// Memories as rows of a list.

import * as actions from "./actions.js";
import { button, h, link, marked } from "./dom.js";
import { href } from "./route.js";
import { guarded } from "./toast.js";
import { ANCHORS, ANCHOR_HINTS, EXPOSED, FRESHNESS, ago, date, short, superseded, when } from "./words.js";

const MOST_LABELS = 3; // of a row

/** Returns a moment, as long ago, with the exact one behind it. */
export function moment(at) {
  return h("time", { datetime: at, title: when(at) }, ago(at));
}

/** Returns a moment as its date, with the time behind it. */
export function dated(at) {
  return h("time", { datetime: at, title: when(at) }, date(at));
}

/** Returns a small word with a colour that is never all it says. */
export function badge(text, tone = "plain", title = null) {
  return h("span", { class: "badge", "data-tone": tone, title }, text);
}

/** Returns what is to be said of whether a memory holds; nothing where all is well. */
export function marks(memory) {
  const badges = [];
  if (memory.pinned) badges.push(badge("pinned", "accent"));
  if (memory.forgotten) badges.push(badge("forgotten", "bad"));
  if (memory.superseded_by || memory.superseded) badges.push(badge(superseded(memory.superseded_how), "warn"));
  if (memory.anchor_state && memory.anchor_state !== "reachable")
    badges.push(badge(ANCHORS[memory.anchor_state], "warn", anchorHint(memory)));
  if (memory.freshness === "drifted") badges.push(badge(FRESHNESS.drifted, "warn", memory.drifted.join(", ")));
  badges.push(order(memory), ...exposure(memory));
  if (memory.from === "user") badges.push(badge("yours", "plain", "from your own memory"));
  return badges;
}

function anchorHint(memory) {
  const commit = memory.anchor_commit ? ` Written on ${short(memory.anchor_commit)}.` : "";
  return (ANCHOR_HINTS[memory.anchor_state] || "") + commit;
}

/** Returns a mark of what reads like an order to a model. */
export function order(item) {
  return item.suspicious ? badge("looks like an order", "bad", "its text looks like instructions to a model") : null;
}

/** Returns what the session of something was exposed to by then. */
export function exposure(item) {
  return (item.exposed_to || []).map((name) => badge(EXPOSED[name] || name, "warn", "text of strangers may have come in"));
}

/** Returns what was asked first in a session, where that is not what it is called. */
export function topic(session) {
  if (session.title === session.topic) return null;
  return h("p", { class: "summary small" }, "Asked first: ", h("span", { dir: "auto" }, session.topic));
}

/** Returns the buttons for a memory. `done()` is called after each; `further` ones stand before the one that hides it. */
export function tools(memory, done, ...further) {
  const act = (label, key, run, look = "quiet") =>
    button(label, () => guarded(run), {
      class: look,
      "data-act": key,
      "aria-label": `${label} ${memory.title}`.slice(0, 120),
    });
  if (memory.forgotten) return [act("Restore", "x", () => actions.restore(memory.id, memory.revision, done))];
  return [
    act("Edit", "e", () => actions.edit(memory.id, done)),
    act("Supersede", "s", () => actions.supersede(memory.id, done)),
    act(memory.pinned ? "Unpin" : "Pin", "p", () => actions.pin(memory, done)),
    ...further,
    act("Forget", "x", () => actions.forget(memory, done), "quiet apart"),
  ];
}

/** Returns the tags and entities of a memory by which it matches a search. */
function matchedLabels(memory) {
  const words = new Set((memory.matched || []).map((word) => word.toLowerCase()));
  const has = (label) => label.split(/[^\p{L}\p{M}\p{N}]+/u).some((part) => words.has(part.toLowerCase()));
  return [...memory.tags, ...memory.entities].filter(has).slice(0, MOST_LABELS);
}

/** Returns one memory as a row. */
export function row(memory, done) {
  return h(
    "li",
    { class: "memory", "data-memory": memory.id },
    h(
      "div",
      { class: "memory-head" },
      link(href("memory", memory.id), { class: "title", "data-stop": true, dir: "auto" }, marked(memory.title, memory.matched)),
      marks(memory),
    ),
    h("p", { class: "summary", dir: "auto" }, marked(memory.summary.slice(0, 400), memory.matched)),
    h(
      "div",
      { class: "memory-foot" },
      h(
        "p",
        { class: "meta" },
        h("code", {}, memory.id),
        h("span", {}, marked(memory.thread_id, memory.matched)),
        h("span", {}, memory.kind),
        matchedLabels(memory).map((label) => h("span", { dir: "auto" }, marked(label, memory.matched))),
        moment(memory.created_at),
        memory.trust === "high" ? null : h("span", {}, `by ${memory.origin}`),
      ),
      h("div", { class: "acts" }, tools(memory, done)),
    ),
  );
}
