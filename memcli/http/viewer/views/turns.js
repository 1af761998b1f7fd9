// Turns: what each session was told, when, in answer to what.

import { get } from "../lib/api.js";
import { button, fill, h, link } from "../lib/dom.js";
import { roving } from "../lib/keys.js";
import { backTo, keepState, leftAt, rowsFrom, stateOf } from "../lib/liststate.js";
import { refuse } from "../lib/problems.js";
import { href, placeOf } from "../lib/route.js";
import { badge, moment } from "../lib/rows.js";
import { trouble } from "../lib/toast.js";
import { count, figure } from "../lib/words.js";
import { isKnown } from "./parts.js";
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

const KEPT =
  "Turns are kept for 7 days, and until a session starts after that. What sessions were told and used before is counted still: " +
  "a memory says how often.";
export const NOT_KNOWN = "what it was told is no longer known";
export const CONSIDERED = "why, and what was considered";
const TOLD = "what it was told, and why";
export const NOTHING = "Nothing was near enough to the prompt, or all of it had been told before.";

/** Returns why a prompt was told nothing, as far as it is known. `details`: what was considered for it. */
export function whyNothing(details) {
  if (details.left_out.some(isKnown)) return "All that was near enough to the prompt had been told to the session before.";
  return details.left_out.some((part) => part.why === "since") ? NOTHING : "Nothing was near enough to the prompt.";
}

/** Returns how many older prompts have no turn any more, in words; "" for none. */
export async function olderPrompts(session, signal) {
  const { prompts } = await get("/v2/untold/older", { session }, signal);
  return prompts ? `${count(prompts, "older prompt")}: what ${prompts > 1 ? "they were" : "it was"} told is no longer known` : "";
}

/** Returns the address of what a turn told, or of what was considered for a prompt that was told nothing. */
export const turnPlace = (turn) => href("pack", "", { source: "turn", session: turn.session, turn: turn.id });

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
  const ending = h("div", { class: "muted small", hidden: true });
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
    if (page.has_more) return;
    const older = await olderPrompts(session, signal);
    fill(ending, older ? h("p", {}, `${older}.`) : null, h("p", {}, KEPT));
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
  const isOpen = turn.session && turn.status !== "failed";
  const address = isOpen ? turnPlace(turn) : href("session", turn.session, { at: turn.prompt });
  const memories = turn.memories || [];
  const passages = turn.passages || [];
  const rest = (turn.parts || 0) - memories.length - passages.length;
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
    memories.length || passages.length
      ? h(
          "ul",
          { class: "plain" },
          memories.map((memory) =>
            h(
              "li",
              { dir: "auto" },
              link(href("memory", memory.id), {}, memory.title),
              memory.used_at ? [" ", badge("used", "accent")] : null,
            ),
          ),
          passages.map((passage) => h("li", { dir: "auto" }, link(placeOf(passage.id, passage.session), {}, passage.title))),
          rest > 0 ? h("li", {}, link(address, {}, `and ${figure(rest)} more`)) : null,
        )
      : null,
    h(
      "p",
      { class: "meta" },
      moment(turn.prepared_at),
      title ? link(href("session", turn.session, { at: turn.prompt }), { dir: "auto" }, `in “${title}”`) : null,
      turn.isSilent ? null : h("span", {}, turn.harness),
      turn.isSilent ? null : h("span", {}, count(turn.tokens, "token")),
      memories.length ? h("span", {}, `${count(memories.length, "memory", "memories")} new to the session`) : null,
      isOpen ? link(address, {}, `${turn.number ? `prompt ${turn.number}: ` : ""}${turn.isSilent ? CONSIDERED : TOLD}`) : null,
    ),
  );
}
