// Home: is all well, what happened last, what is open, what is doubtful, what was told in vain.

import { get } from "../lib/api.js";
import { close } from "../lib/actions.js";
import { button, fill, h, link } from "../lib/dom.js";
import { href } from "../lib/route.js";
import { badge, exposure, moment, topic } from "../lib/rows.js";
import { trouble } from "../lib/toast.js";
import { count, figure } from "../lib/words.js";
import { takenBack } from "./reverts.js";
import { NOTHING, answered, latestFirst, silentTurns } from "./turns.js";
import { counts, sets, unlisted } from "./usagechart.js";

const SHOWN = 5; // of each list
const UNUSED = { least: 1, observed: true, limit: SHOWN };
const OPEN = { type: "passage", kind: "open", state: "holds", limit: SHOWN, counts: false };

export async function show({ root, signal }) {
  const ask = (path, params) => get(path, params, signal);
  const part = (title, more, load) => {
    const body = h("div", { "aria-busy": "true" }, h("p", { class: "muted" }, "Looking…"));
    load()
      .catch((error) => (error.name === "AbortError" ? null : h("p", { class: "muted" }, error.message)))
      .then((shown) => {
        fill(body, shown);
        body.removeAttribute("aria-busy");
      });
    return h(
      "section",
      {},
      h("div", { class: "head" }, h("h2", {}, title), link(more, { class: "small", "aria-label": `all: ${title}` }, "all")),
      body,
    );
  };
  const stats = await ask("/v2/stats"); // an empty memory is told by the page
  const recent = ask("/v2/sessions", { limit: SHOWN });
  const lately = async () => {
    const calls = [recent, ask("/v2/turns", { limit: SHOWN }), silentTurns(SHOWN, null, signal)];
    const [{ items: known }, turns, silent] = await Promise.all(calls);
    const titles = new Map(known.map((one) => [one.id, one.title]));
    return told(latestFirst([...turns.items, ...silent.items]).slice(0, SHOWN), titles);
  };
  let points = null;
  const openPoints = async () => {
    points ??= h("div", {});
    fill(
      points,
      openWork(await ask("/v2/items", OPEN), () => openPoints().catch(trouble)),
    );
    return points;
  };
  root.append(
    h("div", { class: "head" }, h("h1", {}, stats.name || "This memory"), h("p", { class: "muted" }, totals(stats))),
    h(
      "div",
      { class: "home" },
      part("Health", href("doctor"), async () => health(await ask("/v2/doctor"))),
      part("Recent sessions", href("sessions"), async () => sessions(await recent)),
      part("Open work", href("all", "", { type: "passage", kind: "open" }), openPoints),
      part("Stale or contested", href("doctor"), async () =>
        doubtful(...(await Promise.all([ask("/v2/stale", { limit: SHOWN }), ask("/v2/contested", { limit: SHOWN })]))),
      ),
      part("Asked, and told", href("turns"), lately),
      part("Told but never used", href("doctor", "", { at: "unused" }), async () => {
        const [page, numbers] = await Promise.all([ask("/v2/unused", UNUSED), counts(signal)]);
        return [sets(numbers), unused(page, stats.usage.told), unlisted(numbers, page.total)];
      }),
      part("Taken back", href("reverts"), async () => back(await takenBack(SHOWN, signal))),
      part("Tokens told a day", href("turns"), async () => days(stats.usage)),
    ),
  );
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

const none = (text) => h("p", { class: "muted" }, text);
const list = (rows) => h("ul", { class: "plain" }, rows.flat().map(stopping));
const to = (one) => link(href("memory", one.id), { dir: "auto" }, one.title);

/** Makes a row one at which the keys stop: at its first link, else as a whole. */
function stopping(row) {
  const stop = row.querySelector("a") || row;
  stop.setAttribute("data-stop", "");
  if (!stop.matches("a")) stop.tabIndex = -1;
  return row;
}

function health({ findings }) {
  const problems = findings.filter((one) => one.level !== "ok");
  if (!problems.length)
    return h("p", {}, badge("well", "accent"), ` ${count(findings.length, "line")} of mem doctor, none to look at.`);
  return list(
    problems
      .slice(0, SHOWN)
      .map((one) =>
        h(
          "li",
          {},
          badge(one.level === "error" ? "error" : "warning", one.level === "error" ? "bad" : "warn"),
          " ",
          h("strong", {}, one.subject),
          " ",
          one.text,
          one.hint ? h("p", { class: "muted small" }, one.hint) : null,
        ),
      ),
  );
}

function sessions({ items }) {
  if (!items.length) return none("No agent was seen here yet: mem setup tells the harnesses.");
  return list(
    items.map((one) =>
      h(
        "li",
        {},
        link(href("session", one.id), { dir: "auto" }, one.title),
        topic(one),
        h(
          "p",
          { class: "meta" },
          moment(one.last_at),
          h("span", {}, one.harness),
          h("span", {}, count(one.prompts, "prompt")),
          one.status === "active" ? badge("active", "accent") : null,
          exposure(one),
        ),
      ),
    ),
  );
}

const isPoint = (one) => /^P-.*#/.test(one.id);

function openWork({ items, total }, again) {
  if (!items.length) return none("Nothing that a session left open.");
  return [
    list(
      items.map((one) =>
        h(
          "li",
          {},
          one.session
            ? link(href("session", one.session, { at: one.id }), { dir: "auto" }, one.title || one.snippet)
            : one.title || one.snippet,
          h(
            "p",
            { class: "meta" },
            moment(one.at),
            isPoint(one)
              ? button("Close…", () => close(one, again), { class: "quiet", "aria-label": `Close ${one.title}`.slice(0, 120) })
              : null,
          ),
        ),
      ),
    ),
    total > items.length ? none(`and ${figure(total - items.length)} more`) : null,
  ];
}

function doubtful(stale, contested) {
  if (!stale.items.length && !contested.items.length) return none("No memory names a file that changed, and none is contested.");
  return [
    list([
      contested.items.map((one) =>
        h(
          "li",
          {},
          badge("contested", "warn"),
          " ",
          one.rivals.map((rival, at) => [at ? " or " : "", to(rival)]),
        ),
      ),
      stale.items.map((one) =>
        h(
          "li",
          {},
          badge("a file changed", "warn"),
          " ",
          to(one),
          h("p", { class: "meta" }, [...one.changed, ...one.gone].join(", ")),
        ),
      ),
    ]),
    stale.total > stale.items.length ? none(`and ${figure(stale.total - stale.items.length)} more whose files changed`) : null,
  ];
}

/** Returns the last turns. `titles`: of the sessions that are listed beside them. */
function told(items, titles) {
  if (!items.length) return none("No session was told anything lately: turns are kept for a week.");
  return list(
    items.map((one) =>
      h(
        "li",
        {},
        h(
          "p",
          { dir: "auto" },
          one.asked.slice(0, 160) || (one.event === "session-start" ? begun(titles.get(one.session)) : answered(one)),
        ),
        h(
          "p",
          { class: "meta" },
          moment(one.prepared_at),
          one.isSilent ? badge("told nothing new", "plain", NOTHING) : h("span", {}, count(one.tokens, "token")),
          one.isSilent ? link(href("session", one.session, { at: one.prompt }), {}, "its session") : null,
          one.session && !one.isSilent
            ? link(href("pack", "", { source: "turn", session: one.session, turn: one.id }), {}, "what it was told, and why")
            : null,
        ),
      ),
    ),
  );
}

const begun = (title) => (title ? `The start of “${title}”` : "The start of a session");

function unused({ items, total }, toldEver) {
  if (!items.length) return none(toldEver ? "All that sessions were told was used." : "No session was told anything yet.");
  return [
    list(items.map((one) => h("li", {}, to(one), h("p", { class: "meta" }, `told to ${count(one.told, "session")}`)))),
    total > items.length ? none(`and ${figure(total - items.length)} more`) : null,
  ];
}

function back({ rows, total }) {
  if (!total) return none("Nothing was reverted, dropped or undone.");
  return [h("ul", { class: "plain" }, rows), total > rows.length ? none(`and ${figure(total - rows.length)} more`) : null];
}

function days(usage) {
  const most = Math.max(1, ...usage.by_day.map((one) => one.tokens));
  if (!usage.by_day.some((one) => one.tokens)) return none(`Nothing in ${count(usage.days, "day")}.`);
  return [
    h(
      "ol",
      { class: "day-bars" },
      usage.by_day.map((one) =>
        h(
          "li",
          {},
          figure(one.tokens),
          h(
            "span",
            { class: "column", "aria-hidden": "true" },
            h("span", { style: { height: `${(100 * one.tokens) / most}%` } }),
          ),
          h("time", { datetime: one.day }, one.day.slice(5)),
        ),
      ),
    ),
    none(`${count(usage.prompts, "prompt")} in ${count(usage.days, "day")}, ${figure(usage.empty)} of them told nothing new.`),
  ];
}
