// Memories as rows of a list.

import * as actions from "./actions.js";
import { button, h, link, marked } from "./dom.js";
import { href } from "./route.js";
import { guarded } from "./toast.js";
import { ANCHORS, ANCHOR_HINTS, EXPOSED, FRESHNESS, ago, short, superseded, when } from "./words.js";

const MOST_LABELS = 3; // of a row

/** Returns a moment, as long ago, with the exact one behind it. */
export function moment(at) {
  return h("time", { datetime: at, title: when(at) }, ago(at));
}

/** Returns a small word with a colour that is never all it says. */
export function badge(text, tone = "plain", title = null) {
  return h("span", { class: "badge", "data-tone": tone, title }, text);
}

/** Returns what is to be said of whether a memory holds; nothing where all is well. */
export function marks(one) {
  const found = [];
  if (one.pinned) found.push(badge("pinned", "accent"));
  if (one.forgotten) found.push(badge("forgotten", "bad"));
  if (one.superseded_by || one.superseded) found.push(badge(superseded(one.superseded_how), "warn"));
  if (one.anchor_state && one.anchor_state !== "reachable") found.push(badge(ANCHORS[one.anchor_state], "warn", anchorHint(one)));
  if (one.freshness === "drifted") found.push(badge(FRESHNESS.drifted, "warn", one.drifted.join(", ")));
  found.push(order(one), ...exposure(one));
  if (one.from === "user") found.push(badge("yours", "plain", "from your own memory"));
  return found;
}

function anchorHint(one) {
  const commit = one.anchor_commit ? ` Written on ${short(one.anchor_commit)}.` : "";
  return (ANCHOR_HINTS[one.anchor_state] || "") + commit;
}

/** Returns a mark of what reads like an order to a model. */
export function order(one) {
  return one.suspicious ? badge("looks like an order", "bad", "its text looks like instructions to a model") : null;
}

/** Returns what the session of something was exposed to by then. */
export function exposure(one) {
  return (one.exposed_to || []).map((name) => badge(EXPOSED[name] || name, "warn", "text of strangers may have come in"));
}

/** Returns what was asked first in a session, where that is not what it is called. */
export function topic(session) {
  if (session.title === session.topic) return null;
  return h("p", { class: "summary small" }, "Asked first: ", h("span", { dir: "auto" }, session.topic));
}

/** Returns the buttons for a memory. `done()` is called after each. */
export function tools(one, done) {
  const act = (label, key, run) =>
    button(label, () => guarded(run), { class: "quiet", "data-act": key, "aria-label": `${label} ${one.title}`.slice(0, 120) });
  if (one.forgotten) return [act("Restore", "x", () => actions.restore(one.id, one.revision, done))];
  return [
    act("Edit", "e", () => actions.edit(one.id, done)),
    act("Supersede", "s", () => actions.supersede(one.id, done)),
    act(one.pinned ? "Unpin" : "Pin", "p", () => actions.pin(one, done)),
    act("Forget", "x", () => actions.forget(one, done)),
  ];
}

/** Returns the tags and entities of a memory by which it matches a search. */
function matchedLabels(one) {
  const words = new Set((one.matched || []).map((word) => word.toLowerCase()));
  const has = (label) => label.split(/[^\p{L}\p{M}\p{N}]+/u).some((part) => words.has(part.toLowerCase()));
  return [...one.tags, ...one.entities].filter(has).slice(0, MOST_LABELS);
}

/** Returns one memory as a row. */
export function row(one, done) {
  return h(
    "li",
    { class: "memory", "data-memory": one.id },
    h(
      "div",
      { class: "memory-head" },
      link(href("memory", one.id), { class: "title", "data-stop": true, dir: "auto" }, marked(one.title, one.matched)),
      marks(one),
    ),
    h("p", { class: "summary", dir: "auto" }, marked(one.summary.slice(0, 400), one.matched)),
    h(
      "div",
      { class: "memory-foot" },
      h(
        "p",
        { class: "meta" },
        h("code", {}, one.id),
        h("span", {}, marked(one.thread_id, one.matched)),
        h("span", {}, one.kind),
        matchedLabels(one).map((label) => h("span", { dir: "auto" }, marked(label, one.matched))),
        moment(one.created_at),
        one.trust === "high" ? null : h("span", {}, `by ${one.origin}`),
      ),
      h("div", { class: "acts" }, tools(one, done)),
    ),
  );
}
