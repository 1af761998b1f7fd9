// What a session is told: at its start, by its first prompt, or at one prompt as it was delivered.

import { get, newest, of } from "../lib/api.js";
import { pointing } from "../lib/budget.js";
import { command } from "../lib/copy.js";
import { field, fill, h, link, select } from "../lib/dom.js";
import { refuse, searched } from "../lib/problems.js";
import { href, keep } from "../lib/route.js";
import { trouble } from "../lib/toast.js";
import { count, cut, sessionName, short, when } from "../lib/words.js";
import { comparison, otherText } from "./compare.js";
import { outOf, whole } from "./parts.js";
import { roomOf, showTurn } from "./told_turn.js";
import { NOT_KNOWN, labelOf, occasion, silentTurns, whyNothing } from "./turns.js";

const MOST_TURNS = 200;
const PAUSE = 200; // ms after a change before the service is asked
const UNKEPT = "What it was is not kept: something was erased since, or it is more than a week ago.";

/** What a new session would be told now. */
export async function start(context) {
  const { params, signal } = context;
  const { items: harnesses } = await get("/v2/harnesses", {}, signal);
  const isHarness = (name) => !name || harnesses.some((harness) => harness.name === name);
  const engine = params.get("engine") || "";
  if (!isHarness(engine)) context.say(`No harness is called ${engine}: here is what Claude Code gets.`);
  const request = {
    engine: (isHarness(engine) && engine) || "claude",
    q: params.get("q") || "",
    commit: params.get("commit") || "",
  };
  const titles = harnesses.map((harness) => [harness.name, harness.title]);
  const choice = select(titles, request.engine, (value) => change("engine", value));
  const prompt = h("textarea", {
    rows: 3,
    value: request.q,
    "data-search": true,
    "aria-keyshortcuts": "/",
    maxlength: 4000,
    on: { input: () => change("q", prompt.value) },
  });
  const commit = h("input", {
    value: request.commit,
    placeholder: "HEAD",
    maxlength: 200,
    autocomplete: "off",
    on: { change: () => change("commit", commit.value.trim()) },
  });
  const parts = frame(context, "What the agent gets", [
    field("Harness", choice),
    field("First prompt", prompt, "empty: what the start of the session is answered"),
    field("At commit", commit),
  ]);
  const preview = (options, ownSignal) =>
    get("/v2/turn/preview", { engine: options.engine, query: options.q, commit: options.commit || null }, ownSignal);
  const compared = comparison(params, {
    summary: "Compare with another harness, first prompt or commit",
    fields: [
      { name: "engine", label: "Other harness", control: select([["", "the same"], ...titles], "", () => {}) },
      { name: "q", label: "Other first prompt", control: otherText() },
      { name: "commit", label: "Other commit", control: otherText() },
    ],
    ask: (changes, ownSignal) => preview({ ...request, ...changes }, ownSignal),
    sideOf: (details, changes) => {
      const { engine, q, commit } = { ...request, ...changes };
      return sideOf(details, [engine, q ? `“${cut(q, 60)}”` : "the start", `at ${commit || short(details.commit)}`]);
    },
  });
  context.root.append(compared.whole);
  const next = newest(signal);
  const load = async () => {
    const ownSignal = next();
    let details;
    try {
      [details] = await Promise.all([preview(request, ownSignal), compared.load(ownSignal)]);
    } catch (error) {
      if (error.name === "AbortError") throw error; // a later question: its answer replaces what is there
      for (const part of [parts.prompt, parts.bar, parts.copies, parts.middle, parts.out]) fill(part);
      return refuse(parts.status, error);
    }
    showTurn(parts, details, harnesses, request.commit ? "" : lineOf("inspect", request.engine, request.q));
    compared.draw(details);
  };
  let timer = 0;
  function later() {
    keep("pack", "", { source: "start", ...request, ...compared.parameters() });
    clearTimeout(timer);
    timer = setTimeout(() => load().catch(trouble), PAUSE);
  }
  function change(name, value) {
    request[name] = value;
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
  const [{ items: turns }, { items: silent }] = await Promise.all([
    get("/v2/turns", { session: id, limit: MOST_TURNS }, signal),
    silentTurns(MOST_TURNS, session.id, signal),
  ]);
  const open = (turn) => ({ source: "turn", session: session.id, turn });
  const turnId = params.get("turn") || turns[0]?.id || "";
  const choices = sessions.some((item) => item.id === session.id) ? sessions : [session, ...sessions];
  const chooser = select(
    choices.map((item) => [item.id, sessionName(item)]),
    session.id,
    (value) => {
      location.hash = href("pack", "", { source: "turn", session: value });
    },
  );
  const parts = frame(context, "What the agent got", [
    field("Session", chooser),
    h("div", { class: "field" }, h("h3", {}, "Turns"), turnList(session, [...turns, ...silent], turnId, open)),
  ]);
  const silentTurn = silent.find((turn) => turn.id === turnId);
  if (silentTurn) return unanswered(parts, silentTurn, harnesses, signal);
  const current = turns.find((turn) => turn.id === turnId);
  if (!current)
    return fill(
      parts.status,
      params.get("turn") ? `This session has no turn ${params.get("turn")}, or not any more. ` : "",
      turns.length ? "Choose a turn." : "This session was told nothing, or it is too long ago: turns are kept for a week.",
    );
  const label = labelOf(current);
  const details = await get(of("/v2/turns", current.id), {}, signal).catch((error) =>
    error.status === 404 ? null : Promise.reject(error),
  );
  if (!details) return fill(parts.status, `${label}, ${when(current.prepared_at)}: ${count(current.tokens, "token")}. ${UNKEPT}`);
  showTurn(parts, details, harnesses, lineOf(current.key, current.harness, current.asked));
  const place = `${details.commit ? `, at ${details.commit}` : ""}${details.branch ? ` (${details.branch})` : ""}`;
  parts.status.prepend(`${label}, ${when(current.prepared_at)}, ${current.harness}${place}. `);
  if (current.asked) parts.prompt.append(h("blockquote", { dir: "auto" }, current.asked));
  await besideAnother(context, session, current, details);
}

/** Shows what was considered for a prompt that was told nothing new. */
async function unanswered(parts, turn, harnesses, signal) {
  const details = await get(of("/v2/untold", turn.id), {}, signal);
  showTurn(parts, details, harnesses, "");
  const what = `Prompt ${turn.number}, ${when(turn.prepared_at)}: told nothing new.`;
  fill(parts.status, `${what} ${whyNothing(details)} What was considered is judged as of now.`);
  fill(parts.middle);
  parts.prompt.append(h("blockquote", { dir: "auto" }, turn.asked));
}

/** Says that there is no such session, and offers others. */
function noSession({ root }, error, id, sessions) {
  const about = h("p", { role: "status" });
  refuse(about, error, searched(id), link(href("sessions"), {}, "All sessions"));
  const open = (session) =>
    h("li", { dir: "auto" }, link(href("pack", "", { source: "turn", session: session.id }), {}, session.title));
  root.append(about, sessions.length ? h("ul", { class: "plain" }, sessions.slice(0, 10).map(open)) : "");
}

/** Shows what another turn told, of this session or another one, beside what this one did. */
async function besideAnother({ root, params, signal }, session, current, details) {
  const { items: turns } = await get("/v2/turns", { limit: 200 }, signal);
  const others = turns.filter((other) => other.id !== current.id && other.status !== "failed");
  const label = (other) => cut(`${when(other.prepared_at)} ${other.asked || labelOf(other)}`, 90);
  const compared = comparison(params, {
    summary: "Compare with another turn",
    fields: [
      {
        name: "turn",
        label: "Other turn",
        control: select([["", "choose one"], ...others.map((other) => [other.id, label(other)])], "", () => {}),
      },
    ],
    ask: ({ turn }, ownSignal) => get(of("/v2/turns", turn), {}, ownSignal),
    sideOf: (answer, { turn }) => {
      const row = turn ? others.find((other) => other.id === turn) : current;
      return sideOf(answer, [row ? label(row) : turn, answer.harness, answer.commit ? `at ${short(answer.commit)}` : ""]);
    },
  });
  const load = async () => {
    await compared.load(signal);
    compared.draw(details);
  };
  compared.onChange = () => {
    keep("pack", "", { source: "turn", session: session.id, turn: current.id, ...compared.parameters() });
    load().catch(trouble);
  };
  root.append(compared.whole);
  await load().catch(trouble);
}

/** Returns a turn as one side of a comparison. */
function sideOf(details, words) {
  const out = new Map(details.left_out.map((item) => [item.id, item.why]));
  return {
    words,
    rows: details.items.map((item) => ({ id: item.id, title: item.title, href: whole(item), tokens: item.tokens, at: item.at })),
    reason: (id, { at }) =>
      out.has(id) ? outOf(details, out.get(id)) : at && at > details.at ? "not there yet" : "not considered",
    used: details.tokens,
    total: roomOf(details),
  };
}

/** Returns what a session asked, in order, each with the turn that answered it, newest last. `turns`: the silent ones, too. */
function turnList(session, turns, turnId, open) {
  const byPrompt = new Map(turns.filter((turn) => turn.prompt).map((turn) => [turn.prompt, turn]));
  const costText = (turn) => (turn ? (turn.isSilent ? "told nothing new" : count(turn.tokens, "token")) : NOT_KNOWN);
  const withoutPrompt = turns
    .filter((turn) => !turn.prompt)
    .map((turn) => ({ at: turn.prepared_at, turn, label: occasion(turn).toLowerCase(), text: turn.asked }));
  const prompts = session.prompt_list.map((prompt) => ({
    at: prompt.created_at,
    turn: byPrompt.get(prompt.id),
    label: `prompt ${prompt.number}`,
    text: prompt.text || "",
  }));
  const rows = [...withoutPrompt, ...prompts].sort((a, b) => a.at.localeCompare(b.at));
  return h(
    "ol",
    { class: "turn-list" },
    rows.map(({ turn, label, text }) =>
      h(
        "li",
        {},
        turn ? link(href("pack", "", open(turn.id)), { "aria-current": turn.id === turnId ? "true" : null }, label) : label,
        h("span", { class: "muted" }, ` ${costText(turn)}`),
        text ? h("span", { class: "small said", dir: "auto" }, cut(text, 90)) : null,
      ),
    ),
  );
}

function frame(context, title, asks) {
  const parts = {
    status: h("p", { class: "muted", role: "status" }),
    prompt: h("div", {}),
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
      { class: "pack-middle", "aria-label": title },
      h("h2", {}, title),
      parts.status,
      parts.prompt,
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
