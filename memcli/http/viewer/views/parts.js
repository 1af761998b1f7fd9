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
  since: "near enough only since",
  budget: "no room",
  count: "enough are in",
  superseded: "superseded",
  duplicate: "says the same",
  orphan: ANCHORS.orphan,
  relevance: "not near enough to the prompt",
};
/** Tells whether a session knew already what it was not told. */
export const isKnown = (part) => ["shown", "told", "own"].includes(part.why);

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
export const whole = (part) => (STORED.test(part.id) ? placeOf(part.id, part.session) : "");

/** Returns what sort of thing something is, and its id, which tells things of one title apart. */
export function sortOf(item) {
  const part = item.kind === "memory" && PARTS.find(([ends]) => ends.test(item.id))?.[1];
  const isGone = item.forgotten || item.state === "forgotten";
  return [h("span", {}, part || KINDS[item.kind] || item.kind), STORED.test(item.id) && !isGone ? h("code", {}, item.id) : null];
}

/** Returns the title of something, as a link where it has a view. */
export function titleOf(part) {
  const address = whole(part);
  return address
    ? link(address, { class: "title", dir: "auto" }, part.title)
    : h("strong", { class: "title", dir: "auto" }, part.title);
}

/** Returns why something was told, in words. */
export function reasonsOf(part) {
  if (part.why !== "relevant") {
    const why = part.pinned && part.why === "known" ? "is pinned" : WHY[part.why] || part.why;
    return [`${why}${part.at ? `, of ${date(part.at)}` : ""}`];
  }
  return [
    part.matches.length ? `has words of the prompt: ${part.matches.join(", ")}` : "is near to the prompt by its meaning",
    part.files.length ? `is linked with ${part.files.join(", ")}, which the prompt names` : "",
    part.pinned ? "is pinned" : "",
  ];
}
