// Turns: what each session was told, when, in answer to what.

import { get } from "../lib/api.js";
import { button, fill, h, link } from "../lib/dom.js";
import { roving } from "../lib/keys.js";
import { href } from "../lib/route.js";
import { badge, moment } from "../lib/rows.js";
import { trouble } from "../lib/toast.js";
import { count } from "../lib/words.js";
import { usageChart } from "./usagechart.js";

const PAGE = 50;
const MODES = { full: "everything", delta: "what is new", none: "nothing" };

export async function show(context) {
  const { root, params, signal } = context;
  const session = params.get("session");
  const list = h("ul", { class: "list", "aria-label": "Turns" });
  const status = h("p", { class: "muted", role: "status" });
  const more = button("Show more", () => load(list.children.length).catch(trouble), { hidden: true });
  const settle = roving(list);
  const load = async (offset = 0) => {
    const page = await get("/v2/turns", { session, limit: PAGE, offset }, signal);
    const rows = page.items.map(row);
    if (offset) list.append(...rows);
    else fill(list, rows);
    settle();
    more.hidden = !page.has_more;
    status.textContent = page.total
      ? count(page.total, "turn")
      : "No session was told anything yet, or it is too long ago: turns are kept for days.";
  };
  root.append(
    h("div", { class: "head" }, h("h1", {}, "Turns"), session ? link(href("turns"), {}, "of every session") : null),
    status,
    list,
    more,
  );
  await load();
  const chart = session ? null : await usageChart(signal);
  if (chart) list.before(chart);
}

function row(one) {
  const what = one.asked || (one.event === "session-start" ? "The session began" : "Somebody asked for it");
  return h(
    "li",
    { class: "memory" },
    h(
      "div",
      { class: "memory-head" },
      one.session
        ? link(href("session", one.session, { at: one.prompt }), { class: "title", "data-stop": true, dir: "auto" }, what)
        : h("strong", { "data-stop": true, tabindex: -1, dir: "auto" }, what),
      badge(MODES[one.mode] || one.mode),
      one.status === "failed" ? badge("did not arrive", "warn") : null,
    ),
    one.memories.length
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
      h("span", {}, one.harness),
      h("span", {}, count(one.tokens, "token")),
      one.number ? h("span", {}, `prompt ${one.number}`) : null,
      one.memories.length ? h("span", {}, `${count(one.memories.length, "memory", "memories")} told for the first time`) : null,
      one.session && one.status !== "failed"
        ? link(href("pack", "", { source: "turn", session: one.session, turn: one.id }), {}, "what it was told")
        : null,
    ),
  );
}
