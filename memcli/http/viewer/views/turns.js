// Turns: what each session was told, when, in answer to what.

import { get } from "../lib/api.js";
import { button, fill, h, link } from "../lib/dom.js";
import { roving } from "../lib/keys.js";
import { backTo, keepState, leftAt, rowsFrom, stateOf } from "../lib/liststate.js";
import { refuse } from "../lib/problems.js";
import { href } from "../lib/route.js";
import { badge, moment } from "../lib/rows.js";
import { trouble } from "../lib/toast.js";
import { count } from "../lib/words.js";
import { usageChart } from "./usagechart.js";

const PAGE = 50;
const MOST_SILENT = 200;
/** Returns what sessions asked and were told nothing to, in the shape of turns: {items, total}. */
export async function silentTurns(limit, session, signal) {
  const { items, total } = await get("/v2/untold", { session, limit }, signal);
  const turns = items.map((one) => ({ ...one, prompt: one.id, asked: one.text, prepared_at: one.created_at, isSilent: true }));
  return { items: turns, total };
}

const KEPT = "Turns are kept for 7 days. What sessions were told and used before is counted still: a memory says how often.";
export const NOTHING = "Nothing was near enough to the prompt, or all of it had been told before.";

/** Sorts turns, latest first. */
export const latestFirst = (turns) => turns.sort((a, b) => b.prepared_at.localeCompare(a.prepared_at));

const OCCASIONS = { "session-start": "Start of the session", "user-prompt": "A prompt that is no longer known" };

/** Returns what a turn without a prompt was made for; where no event tells, a client called for it. */
export const occasion = (turn) => OCCASIONS[turn.event] || "On request";

/** Returns what a turn answered, in few words. */
export const answered = (turn) => (turn.number ? `Prompt ${turn.number}` : occasion(turn));

const MODES = { full: "everything", delta: "what is new", none: "nothing" };

export async function show(context) {
  const { root, params, signal } = context;
  const session = params.get("session");
  const list = h("ul", { class: "list", "aria-label": "Turns" });
  const status = h("p", { class: "muted", role: "status" });
  let loaded = 0; // turns that have a record
  const more = button("Show more", () => load(loaded).catch(trouble), { hidden: true });
  const ending = h("p", { class: "muted small", hidden: true }, KEPT);
  const settle = roving(list);
  const known = get("/v2/sessions", { limit: 200 }, signal);
  known.catch(() => null); // what fails is told by what waits for it
  const silent = await silentTurns(MOST_SILENT, session, signal).catch((error) => {
    refuse(status, error, link(href("turns"), {}, "Turns of every session"), link(href("sessions"), {}, "All sessions"));
  });
  if (!silent) return root.append(h("h1", {}, "Turns"), status);
  const titles = new Map((await known).items.map((one) => [one.id, one.title]));
  let waiting = silent.items;
  const load = async (offset = 0, length = PAGE) => {
    const read = (from, limit) => get("/v2/turns", { session, limit, offset: from }, signal);
    const page = await rowsFrom(read, offset, length);
    const until = page.has_more ? page.items.at(-1).prepared_at : "";
    const between = waiting.filter((one) => one.prepared_at >= until);
    waiting = waiting.filter((one) => one.prepared_at < until);
    loaded = offset + page.items.length;
    const rows = latestFirst([...page.items, ...between]).map((one) => row(one, session ? "" : titles.get(one.session)));
    if (offset) list.append(...rows);
    else fill(list, rows);
    settle();
    more.hidden = !page.has_more;
    const nothing = silent.total ? `, and ${count(silent.total, "prompt")} told nothing new` : "";
    status.textContent = page.total
      ? `${count(page.total, "turn")}${nothing}`
      : "No session was told anything yet, or it is too long ago.";
    ending.hidden = page.has_more;
  };
  root.append(
    h("div", { class: "head" }, h("h1", {}, "Turns"), session ? link(href("turns"), {}, "of every session") : null),
    status,
    list,
    more,
    ending,
  );
  keepState("turns", signal, () => ({ length: loaded, id: leftAt(list) }));
  const before = stateOf();
  await load(0, before?.length || PAGE);
  const chart = session ? null : await usageChart(signal);
  if (chart) list.before(chart);
  if (before) context.onShown = () => backTo(list, before);
}

/** Returns a turn as a row. `title`: of its session, where that is to be said. */
function row(one, title) {
  const what = one.asked || occasion(one);
  const isTold = one.session && one.status !== "failed" && !one.isSilent;
  const address = isTold
    ? href("pack", "", { source: "turn", session: one.session, turn: one.id })
    : href("session", one.session, { at: one.prompt });
  return h(
    "li",
    { class: "memory" },
    h(
      "div",
      { class: "memory-head" },
      one.session
        ? link(address, { class: "title", "data-stop": true, dir: "auto" }, what)
        : h("strong", { "data-stop": true, tabindex: -1, dir: "auto" }, what),
      one.isSilent ? badge("told nothing new", "plain", NOTHING) : badge(MODES[one.mode] || one.mode),
      one.status === "failed" ? badge("did not arrive", "warn") : null,
    ),
    one.memories?.length
      ? h(
          "ul",
          { class: "plain" },
          one.memories.map((memory) =>
            h(
              "li",
              { dir: "auto" },
              link(href("memory", memory.id), {}, memory.title),
              memory.used_at ? [" ", badge("used", "accent")] : null,
            ),
          ),
        )
      : null,
    h(
      "p",
      { class: "meta" },
      moment(one.prepared_at),
      title ? link(href("session", one.session, { at: one.prompt }), { dir: "auto" }, `in “${title}”`) : null,
      one.isSilent ? null : h("span", {}, one.harness),
      one.isSilent ? null : h("span", {}, count(one.tokens, "token")),
      one.number ? h("span", {}, `prompt ${one.number}`) : null,
      one.memories?.length ? h("span", {}, `${count(one.memories.length, "memory", "memories")} new to the session`) : null,
      isTold ? link(address, {}, "what it was told, and why") : null,
    ),
  );
}
