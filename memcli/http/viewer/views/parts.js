// A part of what a session is told, and what is not: what it is called, where it is whole, and why it is in or out, in words.

import { h, link } from "../lib/dom.js";
import { placeOf } from "../lib/route.js";
import { ANCHORS, date } from "../lib/words.js";

// "Told, as it ..."
const WHY = {
  state: "is the state of the work",
  profile: "stands in the profile",
  open: "is open work",
  instruction: "is a standing instruction",
  decision: "is a decision",
  dropped: "was tried and dropped",
  command: "is a command that works",
  lesson: "was learned",
  session: "is one of the last sessions",
  known: "is one of the latest memories",
  entry: "is an entry of the mode",
  seen: "was seen by a hook lately",
  notes: "is a note of the last days",
  instructions: "is in the repository's instructions",
  preference: "is a preference",
};
const OUT = {
  tokens: "no tokens left",
  bytes: "no bytes left",
  session: "the share of its session is spent",
  shown: "already told at the start or since",
  told: "already told with an earlier prompt",
  own: "the session wrote it itself",
  budget: "no room",
  count: "enough are in",
  superseded: "superseded",
  duplicate: "says the same",
  orphan: ANCHORS.orphan,
  relevance: "not near enough to the prompt",
};
/** Tells whether a session knew already what it was not told. */
export const isKnown = (one) => ["shown", "told", "own"].includes(one.why);

/** Returns why something stayed out. A prompt has room of its own for what is near to it: the rest was cut at the start. */
export const outOf = ({ mode }, why) => (why === "tokens" && mode === "delta" ? "no room at the start" : OUT[why] || why);
const KINDS = { chunk: "from a file", daily: "note", statement: "said in a session", session: "summary of a session" };
const STORED = /^[MCPNK]-/; // what has a view of its own, or a place in one
// What a passage is of, by what its id has behind "#".
/** @type {[RegExp, string][]} */
const PARTS = [
  [/^N-/, "note"],
  [/^K-/, "profile"],
  [/#c/, "message of a commit"],
  [/#t/, "to-do list"],
  [/#[ane]/, "said by an agent"],
  [/^P-.*#\d/, "said by a person"],
  [/#/, "part of a memory"],
];

/** Returns the address at which a part of a turn is whole, "" for none. */
export const whole = (one) => (STORED.test(one.id) ? placeOf(one.id, one.session) : "");

/** Returns what sort of thing something is, and its id, which tells things of one title apart. */
export function sort(one) {
  const part = one.kind === "memory" && PARTS.find(([ends]) => ends.test(one.id))?.[1];
  const isGone = one.forgotten || one.state === "forgotten";
  return [h("span", {}, part || KINDS[one.kind] || one.kind), STORED.test(one.id) && !isGone ? h("code", {}, one.id) : null];
}

/** Returns the title of something, as a link where it has a view. */
export function named(one) {
  const address = whole(one);
  return address
    ? link(address, { class: "title", dir: "auto" }, one.title)
    : h("strong", { class: "title", dir: "auto" }, one.title);
}

/** Returns why something was told, in words. */
export function reasonsOf(one) {
  if (one.why !== "relevant") {
    const why = one.pinned && one.why === "known" ? "is pinned" : WHY[one.why] || one.why;
    return [`${why}${one.at ? `, of ${date(one.at)}` : ""}`];
  }
  return [
    one.matches.length ? `has words of the prompt: ${one.matches.join(", ")}` : "is near to the prompt by its meaning",
    one.files.length ? `is linked with ${one.files.join(", ")}, which the prompt names` : "",
    one.pinned ? "is pinned" : "",
  ];
}
