// Home: is all well, what happened last, what is open, what is doubtful, what was told in vain.

import { get } from "../lib/api.js";
import { fill, h, link } from "../lib/dom.js";
import { paced } from "../lib/pace.js";
import { href } from "../lib/route.js";
import { badge, exposure, moment, topic } from "../lib/rows.js";
import { trouble } from "../lib/toast.js";
import { count, figure, when } from "../lib/words.js";
import { OPEN, pointButton } from "./points.js";
import { takenBack } from "./reverts.js";
import { NOTHING, labelOf, latestFirst, silentTurns } from "./turns.js";
import { CAVEAT, counts, sets, unlisted } from "./usagechart.js";

const SHOWN = 5; // of each list
const PAUSE = 300; // ms between two looks at what changed
const UNUSED = { least: 1, observed: true, limit: SHOWN };

// What may change a part of the view, by the names of events.
const OF_SESSIONS = /^(session|user-prompt|observation|undo)/;
const OF_MEMORIES = /^(memory|observation|session-summary|user-prompt|undo)/;

export async function show(context) {
  const { root, signal } = context;
  const ask = (path, params) => get(path, params, signal);
  const numbers = h("p", { class: "muted", "data-part": "totals" });
  const draw = async () => fill(numbers, totals(await ask("/v2/stats")));
  const followed = [{ events: OF_MEMORIES, draw }];
  const part = (title, more, load, { events = null, hint = null } = {}) => {
    const body = h("div", { "aria-busy": "true" }, h("p", { class: "muted" }, "Looking…"));
    let attempt = 0;
    const draw = async () => {
      attempt += 1;
      const own = attempt;
      const content = await load(() => draw().catch(trouble));
      if (own === attempt) refill(body, content); // else a later look counts
    };
    draw()
      .catch((error) => (error.name === "AbortError" ? null : fill(body, h("p", { class: "muted" }, error.message))))
      .then(() => body.removeAttribute("aria-busy"));
    if (events) followed.push({ events, draw });
    return h(
      "section",
      {},
      h(
        "div",
        { class: "head" },
        h("h2", { title: hint }, title),
        link(more, { class: "small", "aria-label": `all: ${title}` }, "all"),
      ),
      body,
    );
  };
  let recent;
  const lookAgain = () => {
    recent = ask("/v2/sessions", { limit: SHOWN });
    recent.catch(() => null); // what fails is told by what waits for it
  };
  context.onEvent = following(followed, lookAgain, signal); // from now on: what happens while the parts are fetched counts, too
  const stats = await ask("/v2/stats"); // an empty memory is told by the page
  lookAgain();
  const latestTurns = async () => {
    const calls = [recent, ask("/v2/turns", { limit: SHOWN }), silentTurns(SHOWN, null, signal)];
    const [{ items: sessionItems }, turns, silent] = await Promise.all(calls);
    return turnList(latestFirst([...turns.items, ...silent.items]).slice(0, SHOWN), namesOf(sessionItems));
  };
  const openPoints = async (again) => openWork(await ask("/v2/items", { ...OPEN, limit: SHOWN, counts: false }), again);
  fill(numbers, totals(stats));
  root.append(
    h("div", { class: "head" }, h("h1", {}, stats.name || "This memory"), numbers),
    h(
      "div",
      { class: "home" },
      part("Health", href("doctor"), async () => health(await ask("/v2/doctor"))),
      part("Recent sessions", href("sessions"), async () => sessions(await recent), { events: OF_SESSIONS }),
      part("Open work", href("all", "", OPEN), openPoints, { events: OF_MEMORIES }),
      part(
        "Stale or contested",
        href("doctor"),
        async () => doubts(...(await Promise.all([ask("/v2/stale", { limit: SHOWN }), ask("/v2/contested", { limit: SHOWN })]))),
        { events: OF_MEMORIES },
      ),
      part("Asked, and told", href("turns"), latestTurns, { events: OF_SESSIONS }),
      part(
        "Told, no sign of use",
        href("doctor", "", { at: "unused" }),
        async () => {
          const [page, numbers] = await Promise.all([ask("/v2/unused", UNUSED), counts(signal)]);
          return [sets(numbers), unused(page, stats.usage.told), await unlisted(numbers, page.total, signal)];
        },
        { hint: CAVEAT },
      ),
      part("Taken back", href("reverts"), async () => reverts(await takenBack(SHOWN, signal))),
      part("Tokens told a day", href("turns"), async () => days(stats.usage)),
    ),
  );
}

/** Runs what the events since the last run may have changed, soon after one comes. */
function following(followed, prepare, signal) {
  const due = new Set();
  const follow = paced(
    () => {
      const parts = [...due];
      due.clear();
      prepare();
      return Promise.all(parts.map((part) => part.draw()));
    },
    PAUSE,
    signal,
  );
  return (name, data, isOld) => {
    const changed = isOld ? [] : followed.filter((part) => part.events.test(name));
    for (const part of changed) due.add(part);
    if (changed.length) follow();
  };
}

/** Replaces what is in an element; what has the focus has it afterwards, too, if it is still there. */
function refill(element, content) {
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  const [name] = ["aria-label", "href"].filter((attribute) => focused?.hasAttribute(attribute));
  const value = name && focused.getAttribute(name);
  fill(element, content);
  if (name) element.querySelector(`[${name}="${CSS.escape(value)}"]`)?.focus({ preventScroll: true });
}

function totals(stats) {
  const { memories, sessions: agents, chunks } = stats.totals;
  return [
    [memories, "memory", "memories"],
    [agents, "session"],
    [chunks, "chunk"],
  ]
    .filter(([n]) => n)
    .map((words) => count(...words))
    .join(", ");
}

const note = (text) => h("p", { class: "muted" }, text);
/** Returns the way to so many more than a list shows; null for none. */
const more = (n, address, what = "") =>
  n > 0 ? h("p", { class: "muted" }, link(address, {}, `and ${figure(n)} more${what}`)) : null;
const list = (rows) => h("ul", { class: "plain" }, rows.flat().map(withStop));
const memoryLink = (memory) => link(href("memory", memory.id), { dir: "auto" }, memory.title);

/** Makes a row one at which the keys stop: at its first link, else as a whole. */
function withStop(row) {
  const stop = row.querySelector("a") || row;
  stop.setAttribute("data-stop", "");
  if (!stop.matches("a")) stop.tabIndex = -1;
  return row;
}

function health({ findings }) {
  const problems = findings.filter((finding) => finding.level !== "ok");
  if (!problems.length)
    return h("p", {}, badge("well", "accent"), ` ${count(findings.length, "line")} of mem doctor, none to look at.`);
  return list(
    problems
      .slice(0, SHOWN)
      .map((finding) =>
        h(
          "li",
          {},
          badge(finding.level === "error" ? "error" : "warning", finding.level === "error" ? "bad" : "warn"),
          " ",
          h("strong", {}, finding.subject),
          " ",
          finding.text,
          finding.hint ? h("p", { class: "muted small" }, finding.hint) : null,
        ),
      ),
  );
}

/** Returns what sessions are called: where several have one title, with the moment at which each began. */
function namesOf(items) {
  const isShared = ({ title }) => items.filter((other) => other.title === title).length > 1;
  return new Map(items.map((one) => [one.id, isShared(one) ? `${one.title}, ${when(one.started_at)}` : one.title]));
}

function sessions({ items }) {
  if (!items.length) return note("No agent was seen here yet: mem setup tells the harnesses.");
  const names = namesOf(items);
  return list(
    items.map((session) =>
      h(
        "li",
        {},
        link(href("session", session.id), { dir: "auto" }, names.get(session.id)),
        topic(session),
        h(
          "p",
          { class: "meta" },
          moment(session.last_at),
          h("span", {}, session.harness),
          h("span", {}, count(session.prompts, "prompt")),
          session.status === "active" ? badge("active", "accent") : null,
          exposure(session),
        ),
      ),
    ),
  );
}

function openWork({ items, total }, again) {
  if (!items.length) return note("Nothing that a session left open.");
  return [
    list(
      items.map((item) =>
        h(
          "li",
          {},
          item.session
            ? link(href("session", item.session, { at: item.id }), { dir: "auto" }, item.title || item.snippet)
            : item.title || item.snippet,
          h("p", { class: "meta" }, moment(item.at), pointButton(item, again)),
        ),
      ),
    ),
    more(total - items.length, href("all", "", OPEN)),
  ];
}

function doubts(stale, contested) {
  if (!stale.items.length && !contested.items.length) return note("No memory names a file that changed, and none is contested.");
  return [
    list([
      contested.items.map((group) =>
        h(
          "li",
          {},
          badge("contested", "warn"),
          " ",
          group.rivals.map((rival, at) => [at ? " or " : "", memoryLink(rival)]),
        ),
      ),
      stale.items.map((memory) =>
        h(
          "li",
          {},
          badge("a file changed", "warn"),
          " ",
          memoryLink(memory),
          h("p", { class: "meta" }, [...memory.changed, ...memory.gone].join(", ")),
        ),
      ),
    ]),
    more(stale.total - stale.items.length, href("doctor"), " whose files changed"),
  ];
}

/** Returns the last turns. `titles`: of the sessions that are listed beside them. */
function turnList(items, titles) {
  if (!items.length) return note("No session was told anything lately: turns are kept for a week.");
  return list(
    items.map((turn) =>
      h(
        "li",
        {},
        h(
          "p",
          { dir: "auto" },
          turn.asked.slice(0, 160) || (turn.event === "session-start" ? startLabel(titles.get(turn.session)) : labelOf(turn)),
        ),
        h(
          "p",
          { class: "meta" },
          moment(turn.prepared_at),
          turn.isSilent ? badge("told nothing new", "plain", NOTHING) : h("span", {}, count(turn.tokens, "token")),
          turn.isSilent ? link(href("session", turn.session, { at: turn.prompt }), {}, "its session") : null,
          turn.session && !turn.isSilent
            ? link(href("pack", "", { source: "turn", session: turn.session, turn: turn.id }), {}, "what it was told, and why")
            : null,
        ),
      ),
    ),
  );
}

const startLabel = (title) => (title ? `The start of “${title}”` : "The start of a session");

function unused({ items, total }, toldEver) {
  if (!items.length) return note(toldEver ? "All that sessions were told was used." : "No session was told anything yet.");
  return [
    list(
      items.map((memory) =>
        h("li", {}, memoryLink(memory), h("p", { class: "meta" }, `told to ${count(memory.told, "session")}`)),
      ),
    ),
    more(total - items.length, href("doctor", "", { at: "unused" })),
  ];
}

function reverts({ rows, total }) {
  if (!total) return note("Nothing was reverted, dropped or undone.");
  return [h("ul", { class: "plain" }, rows), more(total - rows.length, href("reverts"))];
}

function days(usage) {
  const most = Math.max(1, ...usage.by_day.map((day) => day.tokens));
  if (!usage.by_day.some((day) => day.tokens)) return note(`Nothing in ${count(usage.days, "day")}.`);
  return [
    h(
      "ol",
      { class: "day-bars" },
      usage.by_day.map((day) =>
        h(
          "li",
          {},
          figure(day.tokens),
          h(
            "span",
            { class: "column", "aria-hidden": "true" },
            h("span", { style: { height: `${(100 * day.tokens) / most}%` } }),
          ),
          h("time", { datetime: day.day }, day.day.slice(5)),
        ),
      ),
    ),
    note(`${count(usage.prompts, "prompt")} in ${count(usage.days, "day")}, ${figure(usage.empty)} of them told nothing new.`),
  ];
}
