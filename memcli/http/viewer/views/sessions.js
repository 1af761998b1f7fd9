// The sessions of agents, latest first.

import { get, of } from "../lib/api.js";
import { fill, h, link } from "../lib/dom.js";
import { roving } from "../lib/keys.js";
import { paced } from "../lib/pace.js";
import { href } from "../lib/route.js";
import { badge, exposure, moment, topic } from "../lib/rows.js";
import { count, figure, lasted } from "../lib/words.js";
import { counting } from "./usagechart.js";

const MOST = 200; // sessions that are listed

export async function show(context) {
  const { root, params, signal } = context;
  const told = params.get("told");
  const list = h("ul", { class: "list", "aria-label": "Sessions" });
  const settle = roving(list);
  const status = h("p", { class: "muted", role: "status" });
  const usageFigures = h("div", {});
  const load = async () => {
    const calls = [get("/v2/sessions", { limit: MOST, told }, signal), get("/v2/stats", {}, signal)];
    const [{ items, total }, { usage }] = await Promise.all(calls);
    fill(
      list,
      items.map((session) => row(session, told)),
    );
    if (!told && !usageFigures.contains(document.activeElement)) fill(usageFigures, figures(usage));
    const more = total > items.length ? `, the latest ${items.length} of them` : "";
    status.textContent =
      total || told ? count(total, "session") + more : "No agent was seen here yet: mem setup tells the harnesses.";
    settle();
  };
  root.append(h("div", { class: "head" }, h("h1", {}, "Sessions"), told ? await toldOf(told, signal) : null));
  root.append(usageFigures, status, list);
  await load();
  const follow = paced(load, 300, signal);
  context.onEvent = (name, data, isOld) => {
    if (!isOld && /^(session|user-prompt)/.test(name) && !list.contains(document.activeElement)) follow();
  };
}

/** Returns which memory the listed sessions were told, and the way to all sessions. */
async function toldOf(id, signal) {
  const { memory } = await get(of("/v2/memories", id), {}, signal);
  return h(
    "p",
    {},
    "that were told ",
    link(href("memory", id), { dir: "auto" }, `“${memory.title}”`),
    ", ",
    link(href("sessions"), {}, "all sessions"),
  );
}

/** Returns what sessions were told and used, and what was told often without a sign of use. */
function figures(usage) {
  if (!usage.told) return [];
  const days = `in ${usage.days} days`;
  const numbers = [
    ["memories told", usage.memories],
    ["times told", usage.told],
    ["times used", usage.used],
    ["tokens a day", usage.tokens_a_day],
    [`prompts ${days}`, usage.prompts],
    ["of them told nothing new", usage.empty],
  ];
  return [
    h(
      "dl",
      { class: "figures" },
      numbers.map(([label, n]) => h("div", {}, h("dt", {}, label), h("dd", {}, figure(n)))),
    ),
    counting(),
    usage.never_used.length
      ? h(
          "details",
          {},
          h("summary", {}, "Told to five sessions or more, no sign of use"),
          h(
            "ul",
            { class: "plain" },
            usage.never_used.map((memory) =>
              h(
                "li",
                { dir: "auto" },
                link(href("memory", memory.id), {}, memory.title),
                " ",
                h("span", { class: "muted" }, `told to ${count(memory.usage.told, "session")}`),
              ),
            ),
          ),
          link(href("doctor", "", { at: "unused" }), { class: "small" }, "all that were told, no sign of use"),
        )
      : null,
  ];
}

function row(session, told) {
  return h(
    "li",
    { class: "memory" },
    h(
      "div",
      { class: "memory-head" },
      link(href("session", session.id), { class: "title", "data-stop": true, dir: "auto" }, session.title),
      session.status === "active" ? badge("active", "accent") : null,
      exposure(session),
    ),
    h(
      "p",
      { class: "meta" },
      h("code", {}, session.id),
      h("span", {}, `${session.harness} ${session.key}`),
      moment(session.last_at),
      h("span", {}, lasted(session.started_at, session.ended_at || session.last_at)),
      h("span", {}, count(session.prompts, "prompt")),
      session.reason ? h("span", {}, `ended: ${session.reason}`) : null,
      session.summary ? h("span", {}, "summed up") : null,
      told ? link(href("turns", "", { session: session.id }), {}, "its turns") : null,
    ),
    topic(session),
  );
}
