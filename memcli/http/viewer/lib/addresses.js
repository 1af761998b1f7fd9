// What an address can say: the parameters of each view, and which values they take. What is wrong is left out, and said.

import { BUDGET } from "./budget.js";
import { ANCHORS, FRESHNESS, STATES, TYPES, figure } from "./words.js";

const SHOWN = 60; // characters of a value that is named
const isAny = { fits: () => true };
const oneOf = (...names) => ({
  takes: names.length > 1 ? `one of ${names.join(", ")}` : names[0],
  fits: (value) => names.includes(value),
});
const number = (least, most) => ({
  takes: `a number from ${figure(least)} to ${figure(most)}`,
  fits: (value) => /^\d+$/.test(value) && Number(value) >= least && Number(value) <= most,
});
const like = (pattern, takes) => ({ takes, fits: (value) => pattern.test(value) });
const day = like(/^\d{4}-\d{2}-\d{2}$/, "a date such as 2026-02-28");
const commit = like(/^[0-9a-f]{4,64}$/i, "four digits or more of a commit's hash");
const isFlag = oneOf("true", "false");

const EVERYWHERE = { repo: isAny, workspace: isAny };
const COMPARED = {
  compare: isFlag,
  other_q: isAny,
  other_budget: number(1, 1_000_000),
  other_harness: isAny,
  other_engine: isAny,
  other_commit: isAny,
  other_turn: isAny,
};
const FACETS = { kind: isAny, origin: isAny, thread: isAny, branch: isAny, file: isAny, session: isAny };
/** @type {Record<string, Record<string, { takes?: string, fits: (value: string) => boolean }>>} */
const PARAMETERS = {
  all: { q: isAny, type: oneOf(...Object.keys(TYPES)), state: oneOf(...Object.keys(STATES)), ...FACETS },
  doctor: { at: oneOf("unused") },
  evidence: { path: isAny },
  graph: {
    start: isAny,
    depth: number(1, 4),
    types: like(/^(memory|file|thread)(,(memory|file|thread)){0,2}$/, "memory, file and thread, with commas between them"),
  },
  history: { kind: isAny, state: oneOf(...Object.keys(STATES)), branch: isAny, thread: isAny },
  json: { call: like(/^\/(v2|api|v1)\/\S*$/, "the path of a call to this service, such as /v2/stats") },
  memories: {
    q: isAny,
    kind: isAny,
    thread: isAny,
    origin: isAny,
    session: isAny,
    since: day,
    until: day,
    anchor: commit,
    anchor_state: oneOf(...Object.keys(ANCHORS)),
    freshness: oneOf(...Object.keys(FRESHNESS)),
    only: oneOf("pinned", "current", "superseded", "forgotten", "used", "unused", "untold", "shared"),
  },
  notes: { at: isAny },
  pack: {
    source: oneOf("start", "turn"),
    as: oneOf("text"),
    q: isAny,
    budget: number(BUDGET.least, BUDGET.most),
    harness: isAny,
    engine: isAny,
    commit: isAny,
    orphans: isFlag,
    semantic: isFlag,
    session: isAny,
    turn: isAny,
    ...COMPARED,
  },
  session: { at: isAny },
  state: { to: isAny, since: isAny },
  sessions: { told: isAny },
  turns: { session: isAny },
  why: { target: isAny },
};

/** Returns the parameters of a view that mean something, and a sentence about each of the others: {params, wrong}. */
export function check(view, entries) {
  const parameters = { ...EVERYWHERE, ...PARAMETERS[view] };
  const params = new URLSearchParams();
  const wrong = [];
  for (const [name, value] of entries) {
    const text = `${name}=${value.length > SHOWN ? `${value.slice(0, SHOWN)}…` : value}`;
    if (!Object.hasOwn(parameters, name))
      wrong.push(`The address says ${text}, which means nothing in this view. It is left out.`);
    else if (value && !parameters[name].fits(value)) {
      wrong.push(`The address says ${text}: ${name} can only be ${parameters[name].takes}. It is left out.`);
    } else params.set(name, value);
  }
  return { params, wrong };
}
