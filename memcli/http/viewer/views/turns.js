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
  const turns = items.map((prompt) => ({
    ...prompt,
    prompt: prompt.id,
    asked: prompt.text,
    prepared_at: prompt.created_at,
    isSilent: true,
  }));
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
export const labelOf = (turn) => (turn.number ? `Prompt ${turn.number}` : occasion(turn));

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
  const sessionsCall = get("/v2/sessions", { limit: 200 }, signal);
  sessionsCall.catch(() => null); // what fails is told by what waits for it
  const silent = await silentTurns(MOST_SILENT, session, signal).catch((error) => {
    refuse(status, error, link(href("turns"), {}, "Turns of every session"), link(href("sessions"), {}, "All sessions"));
  });
  if (!silent) return root.append(h("h1", {}, "Turns"), status);
  const titles = new Map((await sessionsCall).items.map((item) => [item.id, item.title]));
  let waiting = silent.items;
  const load = async (offset = 0, length = PAGE) => {
    const read = (from, limit) => get("/v2/turns", { session, limit, offset: from }, signal);
    const page = await rowsFrom(read, offset, length);
    const until = page.has_more ? page.items.at(-1).prepared_at : "";
    const between = waiting.filter((turn) => turn.prepared_at >= until);
    waiting = waiting.filter((turn) => turn.prepared_at < until);
    loaded = offset + page.items.length;
    const rows = latestFirst([...page.items, ...between]).map((turn) => row(turn, session ? "" : titles.get(turn.session)));
    if (offset) list.append(...rows);
    else fill(list, rows);
    settle();
    more.hidden = !page.has_more;
    const silentText = silent.total ? `, and ${count(silent.total, "prompt")} told nothing new` : "";
    status.textContent = page.total
      ? `${count(page.total, "turn")}${silentText}`
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
function row(turn, title) {
  const label = turn.asked || occasion(turn);
  const isTold = turn.session && turn.status !== "failed" && !turn.isSilent;
  const address = isTold
    ? href("pack", "", { source: "turn", session: turn.session, turn: turn.id })
    : href("session", turn.session, { at: turn.prompt });
  return h(
    "li",
    { class: "memory" },
    h(
      "div",
      { class: "memory-head" },
      turn.session
        ? link(address, { class: "title", "data-stop": true, dir: "auto" }, label)
        : h("strong", { "data-stop": true, tabindex: -1, dir: "auto" }, label),
      turn.isSilent ? badge("told nothing new", "plain", NOTHING) : badge(MODES[turn.mode] || turn.mode),
      turn.status === "failed" ? badge("did not arrive", "warn") : null,
    ),
    turn.memories?.length
      ? h(
          "ul",
          { class: "plain" },
          turn.memories.map((memory) =>
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
      moment(turn.prepared_at),
      title ? link(href("session", turn.session, { at: turn.prompt }), { dir: "auto" }, `in “${title}”`) : null,
      turn.isSilent ? null : h("span", {}, turn.harness),
      turn.isSilent ? null : h("span", {}, count(turn.tokens, "token")),
      turn.number ? h("span", {}, `prompt ${turn.number}`) : null,
      turn.memories?.length ? h("span", {}, `${count(turn.memories.length, "memory", "memories")} new to the session`) : null,
      isTold ? link(address, {}, "what it was told, and why") : null,
    ),
  );
}
