// What a session is told: at its start, by its first prompt, or at one prompt as it was delivered.

import { get, newest, of } from "../lib/api.js";
import { bar, bounds, caps, pointing } from "../lib/budget.js";
import { command, copier } from "../lib/copy.js";
import { field, fill, h, link, select } from "../lib/dom.js";
import { refuse, searched } from "../lib/problems.js";
import { href, keep } from "../lib/route.js";
import { badge } from "../lib/rows.js";
import { trouble } from "../lib/toast.js";
import { count, figure, short, when } from "../lib/words.js";
import { comparison, otherText } from "./compare.js";
import { around, tokens } from "./packed.js";
import { isKnown, named, outOf, reasonsOf, sort, whole } from "./parts.js";
import { answered, occasion, silentTurns } from "./turns.js";

const MOST_TURNS = 200;
const AROUND_ITEMS = "text around";
const NOT_KNOWN = "what it was told is no longer known";
const PAUSE = 200; // ms after a change before the service is asked
const UNKEPT = "What it was is not kept: something was erased since, or it is more than a week ago.";
const STATES = {
  changed: ["changed since; this is how it reads now", "warn"],
  forgotten: ["forgotten since", "bad"],
  gone: ["gone since: erased, undone or no longer in its file", "bad"],
};
/** What a new session would be told now. */
export async function start(context) {
  const { params, signal } = context;
  const { items: harnesses } = await get("/v2/harnesses", {}, signal);
  const isHarness = (name) => !name || harnesses.some((one) => one.name === name);
  const engine = params.get("engine") || "";
  if (!isHarness(engine)) context.say(`No harness is called ${engine}: here is what Claude Code gets.`);
  const asked = {
    engine: (isHarness(engine) && engine) || "claude",
    q: params.get("q") || "",
    commit: params.get("commit") || "",
  };
  const titles = harnesses.map((one) => [one.name, one.title]);
  const choice = select(titles, asked.engine, (value) => change("engine", value));
  const prompt = h("textarea", {
    rows: 3,
    value: asked.q,
    "data-search": true,
    "aria-keyshortcuts": "/",
    maxlength: 4000,
    on: { input: () => change("q", prompt.value) },
  });
  const commit = h("input", {
    value: asked.commit,
    placeholder: "HEAD",
    maxlength: 200,
    autocomplete: "off",
    on: { change: () => change("commit", commit.value.trim()) },
  });
  const parts = frame(context, [
    field("Harness", choice),
    field("First prompt", prompt, "empty: what the start of the session is answered"),
    field("At commit", commit),
  ]);
  const preview = (what, mine) =>
    get("/v2/turn/preview", { engine: what.engine, query: what.q, commit: what.commit || null }, mine);
  const compared = comparison(params, {
    summary: "Compare with another harness, first prompt or commit",
    fields: [
      { name: "engine", label: "Other harness", control: select([["", "the same"], ...titles], "", () => {}) },
      { name: "q", label: "Other first prompt", control: otherText() },
      { name: "commit", label: "Other commit", control: otherText() },
    ],
    ask: (given, mine) => preview({ ...asked, ...given }, mine),
    sideOf: (found, given) => {
      const { engine, q, commit } = { ...asked, ...given };
      return sideOf(found, [engine, q ? `“${q.slice(0, 60)}”` : "the start", `at ${commit || short(found.commit)}`]);
    },
  });
  context.root.append(compared.whole);
  const next = newest(signal);
  const load = async () => {
    const mine = next();
    let found;
    try {
      [found] = await Promise.all([preview(asked, mine), compared.load(mine)]);
    } catch (error) {
      if (error.name === "AbortError") throw error; // a later question: its answer replaces what is there
      for (const part of [parts.asked, parts.bar, parts.copies, parts.middle, parts.out]) fill(part);
      return refuse(parts.said, error);
    }
    drawn(parts, found, harnesses, asked.commit ? "" : lineOf("inspect", asked.engine, asked.q));
    compared.draw(found);
  };
  let timer = 0;
  function later() {
    keep("pack", "", { source: "start", ...asked, ...compared.kept() });
    clearTimeout(timer);
    timer = setTimeout(() => load().catch(trouble), PAUSE);
  }
  function change(name, value) {
    asked[name] = value;
    later();
  }
  compared.onChange = later;
  await load();
}

/** What one prompt of a session was told. */
export async function delivered(context) {
  const { params, signal } = context;
  const [{ items: harnesses }, { items: sessions }] = await Promise.all([
    get("/v2/harnesses", {}, signal),
    get("/v2/sessions", { limit: 200 }, signal),
  ]);
  const id = params.get("session") || (sessions[0]?.id ?? "");
  if (!id) return context.root.append(h("p", {}, "No session has been told anything yet."));
  const session = await get(of("/v2/sessions", id), {}, signal).catch((error) => noSession(context, error, id, sessions));
  if (!session) return;
  const [{ items: told }, { items: silent }] = await Promise.all([
    get("/v2/turns", { session: id, limit: MOST_TURNS }, signal),
    silentTurns(MOST_TURNS, session.id, signal),
  ]);
  const open = (turn) => ({ source: "turn", session: session.id, turn });
  const wanted = params.get("turn") || told[0]?.id || "";
  const known = sessions.some((one) => one.id === session.id) ? sessions : [session, ...sessions];
  const chooser = select(
    known.map((one) => [one.id, one.title.slice(0, 80)]),
    session.id,
    (value) => {
      location.hash = href("pack", "", { source: "turn", session: value });
    },
  );
  const parts = frame(context, [
    field("Session", chooser),
    h("div", { class: "field" }, h("h3", {}, "Turns"), turnList(session, [...told, ...silent], wanted, open)),
  ]);
  const current = told.find((one) => one.id === wanted);
  if (!current)
    return fill(
      parts.said,
      params.get("turn") ? `This session has no turn ${params.get("turn")}, or not any more. ` : "",
      told.length ? "Choose a turn." : "This session was told nothing, or it is too long ago: turns are kept for a week.",
    );
  const what = answered(current);
  const found = await get(of("/v2/turns", current.id), {}, signal).catch((error) =>
    error.status === 404 ? null : Promise.reject(error),
  );
  if (!found) return fill(parts.said, `${what}, ${when(current.prepared_at)}: ${count(current.tokens, "token")}. ${UNKEPT}`);
  drawn(parts, found, harnesses, lineOf(current.key, current.harness, current.asked));
  const place = `${found.commit ? `, at ${found.commit}` : ""}${found.branch ? ` (${found.branch})` : ""}`;
  parts.said.prepend(`${what}, ${when(current.prepared_at)}, ${current.harness}${place}. `);
  if (current.asked) parts.asked.append(h("blockquote", { dir: "auto" }, current.asked));
  await besideAnother(context, session, current, found);
}

/** Says that there is no such session, and offers others. */
function noSession({ root }, error, id, sessions) {
  const about = h("p", { role: "status" });
  refuse(about, error, searched(id), link(href("sessions"), {}, "All sessions"));
  const open = (one) => h("li", { dir: "auto" }, link(href("pack", "", { source: "turn", session: one.id }), {}, one.title));
  root.append(about, sessions.length ? h("ul", { class: "plain" }, sessions.slice(0, 10).map(open)) : "");
}

/** Shows what another turn told, of this session or another one, beside what this one did. */
async function besideAnother({ root, params, signal }, session, current, found) {
  const { items: turns } = await get("/v2/turns", { limit: 200 }, signal);
  const others = turns.filter((one) => one.id !== current.id && one.status !== "failed");
  const label = (one) => `${when(one.prepared_at)} ${one.asked || answered(one)}`.slice(0, 90);
  const compared = comparison(params, {
    summary: "Compare with another turn",
    fields: [
      {
        name: "turn",
        label: "Other turn",
        control: select([["", "choose one"], ...others.map((one) => [one.id, label(one)])], "", () => {}),
      },
    ],
    ask: ({ turn }, mine) => get(of("/v2/turns", turn), {}, mine),
    sideOf: (answer, { turn }) => {
      const its = turn ? others.find((one) => one.id === turn) : current;
      return sideOf(answer, [its ? label(its) : turn, answer.harness, answer.commit ? `at ${short(answer.commit)}` : ""]);
    },
  });
  const load = async () => {
    await compared.load(signal);
    compared.draw(found);
  };
  compared.onChange = () => {
    keep("pack", "", { source: "turn", session: session.id, turn: current.id, ...compared.kept() });
    load().catch(trouble);
  };
  root.append(compared.whole);
  await load().catch(trouble);
}

/** Returns a turn as one side of a comparison. */
function sideOf(found, words) {
  const out = new Map(found.left_out.map((one) => [one.id, one.why]));
  return {
    words,
    rows: found.items.map((one) => ({ id: one.id, title: one.title, href: whole(one), tokens: one.tokens })),
    reason: (id) => (out.has(id) ? outOf(found, out.get(id)) : "not considered"),
    used: found.tokens,
    total: roomOf(found),
  };
}

/** Returns what a session asked, in order, each with the turn that answered it, newest last. `turns`: the silent ones, too. */
function turnList(session, turns, wanted, open) {
  const of_prompt = new Map(turns.filter((one) => one.prompt).map((one) => [one.prompt, one]));
  const told = (turn) => (turn ? (turn.isSilent ? "told nothing new" : count(turn.tokens, "token")) : NOT_KNOWN);
  const others = turns
    .filter((one) => !one.prompt)
    .map((one) => ({ at: one.prepared_at, turn: one, label: occasion(one).toLowerCase(), text: one.asked }));
  const prompts = session.prompt_list.map((one) => ({
    at: one.created_at,
    turn: of_prompt.get(one.id),
    label: `prompt ${one.number}`,
    text: one.text || "",
  }));
  const rows = [...others, ...prompts].sort((a, b) => a.at.localeCompare(b.at));
  return h(
    "ol",
    { class: "turn-list" },
    rows.map(({ turn, label, text }) =>
      h(
        "li",
        {},
        turn && !turn.isSilent
          ? link(href("pack", "", open(turn.id)), { "aria-current": turn.id === wanted ? "true" : null }, label)
          : label,
        h("span", { class: "muted" }, ` ${told(turn)}`),
        text ? h("span", { class: "small said", dir: "auto" }, text.slice(0, 90)) : null,
      ),
    ),
  );
}

function frame(context, asks) {
  const parts = {
    said: h("p", { class: "muted", role: "status" }),
    asked: h("div", {}),
    bar: h("div", {}),
    copies: h("div", { class: "copies" }),
    middle: h("div", {}),
    out: h("div", {}),
    whole: h("div", { class: "inspector" }),
  };
  parts.whole.append(
    h("section", { class: "pack-ask", "aria-label": "What is looked at" }, asks),
    h(
      "section",
      { class: "pack-middle", "aria-label": "What the agent gets" },
      h("h2", {}, "What the agent gets"),
      parts.said,
      parts.asked,
      parts.bar,
      parts.copies,
      parts.middle,
    ),
    h("section", { class: "pack-out", "aria-label": "What stayed out" }, parts.out),
  );
  context.root.append(parts.whole);
  pointing(parts.whole);
  return parts;
}

function lineOf(session, engine, query) {
  return command("turn prepare", { session, engine, query, format: "prompt" });
}

/** Returns how many tokens there was room for: where a limit on tokens left something out, up to that limit. */
function roomOf({ limits, tokens: used, max_tokens: most }) {
  const bound = limits.filter((one) => one.unit === "tokens").map((one) => Math.max(used, one.value));
  return Math.min(most, ...bound);
}

function drawn(parts, found, harnesses, line) {
  const open = new Set([...parts.whole.querySelectorAll("details[open][data-key]")].map((one) => one.dataset.key));
  const total = roomOf(found);
  fill(
    parts.said,
    `${figure(found.tokens)} of ${figure(total)} tokens, ${figure(found.bytes)} bytes: ${count(found.items.length, "item")}`,
    found.mode === "delta" ? ", only what is new to the session" : "",
    found.is_exact ? "" : ". Some of it changed since: what is marked reads as it does now",
  );
  fill(parts.bar, found.items.length ? bar(segments(found), found.tokens, total) : null);
  fill(
    parts.copies,
    found.text ? copier("Copy as text", () => found.text) : null,
    line ? copier("Copy as a command line", () => line) : null,
  );
  fill(
    parts.middle,
    found.items.length
      ? h(
          "ol",
          { class: "items" },
          found.items.map((one) => item(one, total)),
        )
      : h("p", { class: "muted" }, "Nothing is told."),
    around(AROUND_ITEMS, aroundIn(found), total),
    found.removed.length ? h("p", {}, `Said to hold no more, or to have made room: ${found.removed.join(", ")}.`) : null,
    found.text
      ? h(
          "details",
          { "data-key": "exact" },
          h("summary", {}, found.is_exact ? "The exact text" : "The text, as far as it can be put together again"),
          h("pre", { class: "exact", tabindex: 0, "aria-label": "The text" }, found.text),
        )
      : null,
  );
  const unlisted = Object.entries(found.unlisted).map(([why, n]) => ({ why, n }));
  const more = (test) => unlisted.filter(test).reduce((sum, one) => sum + one.n, 0);
  const [moreKnown, moreLeft] = [more(isKnown), more((one) => !isKnown(one))];
  const known = found.left_out.filter(isKnown);
  const left = found.left_out.filter((one) => !isKnown(one));
  const rows = (all) =>
    h(
      "ul",
      { class: "items" },
      all.map((one) => out(one, outOf(found, one.why))),
    );
  fill(
    parts.out,
    h("h2", {}, "What stayed out ", h("span", { class: "muted" }, figure(left.length + moreLeft))),
    bounds(found.limits, left.length + moreLeft),
    known.length && found.limits.some((one) => one.unit === "tokens" && one.value > found.tokens)
      ? h("p", { class: "muted small" }, "What the session knew already took a part of that room.")
      : null,
    left.length ? rows(left) : h("p", { class: "muted" }, "Nothing that was considered."),
    andMore(moreLeft),
    known.length
      ? h(
          "details",
          { "data-key": "known" },
          h("summary", {}, "Already known to the session ", h("span", { class: "muted" }, figure(known.length + moreKnown))),
          rows(known),
          andMore(moreKnown),
        )
      : null,
    caps(harnesses, found.tokens, found.bytes),
  );
  for (const one of parts.whole.querySelectorAll("details[data-key]")) one.open = open.has(one.dataset.key);
}

const andMore = (n) => (n ? h("p", { class: "muted" }, `and ${figure(n)} more, which the turn does not keep by name`) : null);

const tone = (one) => (one.kind === "chunk" ? "chunk" : "memory");

/** Returns how many tokens of a turn are of no item. */
const aroundIn = ({ tokens: all, items }) => Math.max(0, all - items.reduce((sum, one) => sum + one.tokens, 0));

function segments(found) {
  const made = found.items.map((one) => ({ id: one.id, tokens: one.tokens, label: one.title, tone: tone(one) }));
  return [{ id: "frame", tokens: aroundIn(found), label: AROUND_ITEMS, tone: "frame" }, ...made];
}

function item(one, total) {
  const state = STATES[one.state];
  return h(
    "li",
    { class: "item", "data-part": one.id },
    h("div", { class: "memory-head" }, named(one), state ? badge(state[0], state[1]) : null),
    h("p", { class: "why-told" }, "Told, as it ", h("span", { dir: "auto" }, reasonsOf(one).filter(Boolean).join("; ")), "."),
    h(
      "p",
      { class: "meta" },
      sort(one),
      one.score
        ? h("span", { title: "How well it fits the prompt: the sum of what mem explain lists." }, `score ${one.score.toFixed(2)}`)
        : null,
    ),
    tokens(one.tokens, total, tone(one)),
    one.text
      ? h(
          "details",
          { "data-key": one.id },
          h("summary", {}, "As it is told"),
          h("pre", { class: "code", tabindex: 0, "aria-label": one.title }, one.text),
        )
      : null,
  );
}

function out(one, why) {
  return h(
    "li",
    { class: "item" },
    h("div", { class: "memory-head" }, named(one), badge(why, "plain")),
    h("p", { class: "meta" }, sort(one), one.forgotten ? badge("forgotten since", "bad") : null),
  );
}
