// The parts of a pack: the bar of its budget, what is in it and why, what is out and why.

import { AROUND, bounds, share } from "../lib/budget.js";
import { fresh, h, link } from "../lib/dom.js";
import { href } from "../lib/route.js";
import { badge, marks } from "../lib/rows.js";
import { ANCHORS, count, date, figure } from "../lib/words.js";

// What a feature of `mem explain` is, for people.
const FEATURES = {
  words: "words of the task",
  spelling: "corrected words",
  near: "near words",
  pairs: "words side by side",
  coverage: "words it has not",
  beside: "neighbours in its thread",
  linked: "linked memories",
  meaning: "meaning",
  semantic: "meaning, by a model",
  recency: "how recent",
  thread: "its thread is named",
  penalty: "looks like an order",
  role: "states what is asked for",
  overtaken: "overtaken since",
  captured: "observed, not written",
};
const WHY = {
  budget: "no room",
  count: "enough are in",
  superseded: "superseded",
  duplicate: "says the same",
  orphan: ANCHORS.orphan,
  relevance: "not near enough",
};

/** Returns the parts of a pack: what frames it, then its memories and chunks. */
export function parts(pack) {
  const memories = pack.top_memories.map((one) => ({ id: one.id, tokens: one.tokens, label: one.title, tone: "memory" }));
  const chunks = pack.top_chunks.map((one) => ({ id: one.chunk_id, tokens: one.tokens, label: one.locator, tone: "chunk" }));
  const rest = pack.budget.used_total - [...memories, ...chunks].reduce((sum, one) => sum + one.tokens, 0);
  const label = pack.state_source === "db" ? "state and text around" : "text around";
  return [{ id: "frame", tokens: Math.max(0, rest), label, tone: "frame" }, ...memories, ...chunks];
}

/** Returns what is in a pack as rows of a comparison. */
export function rowsOf(pack) {
  return [
    ...pack.top_memories.map((one) => ({ id: one.id, title: one.title, href: href("memory", one.id), tokens: one.tokens })),
    ...pack.top_chunks.map((one) => ({
      id: one.chunk_id,
      title: one.locator,
      href: href("memory", one.chunk_id),
      tokens: one.tokens,
    })),
  ];
}

/** Returns why something is not in a pack. */
export function whyNot({ memories, chunks }, id) {
  const row = [...memories, ...chunks].find((one) => one.id === id);
  return row ? WHY[row.verdict] || row.verdict : "does not match";
}

/** Returns what is in a pack, each with its share of the budget and why it is in. */
export function asItems(pack, explain) {
  const total = Math.max(1, pack.budget.target_total);
  const known = new Map(explain.memories.map((one) => [one.id, one]));
  const most = Math.max(0.01, ...explain.memories.flatMap((one) => Object.values(one.features).map(Math.abs)));
  const [frame] = parts(pack);
  const nothing = !pack.top_memories.length && !pack.top_chunks.length;
  return [
    pack.state_source === "db" ? state(pack) : null,
    h(
      "ol",
      { class: "items" },
      pack.top_memories.map((one) => memory(one, known.get(one.id), total, most)),
      pack.top_chunks.map((one) => chunk(one, total)),
    ),
    around(frame.label, frame.tokens, total),
    nothing ? h("p", { class: "muted" }, "Nothing matches, or nothing has room.") : null,
  ];
}

/** Returns how many tokens something costs, with its share of the budget. */
export function tokens(n, total, tone) {
  return h(
    "div",
    { class: "tokens" },
    h("span", { class: "meter", "aria-hidden": "true" }, h("span", { "data-tone": tone, style: { width: share(n, total) } })),
    h("span", { class: "n" }, `${figure(n)} tokens`),
  );
}

/** Returns what stands around the items, so that with it they add up to the whole; null where that is nothing. */
export function around(label, n, total) {
  if (n < 1) return null;
  return h(
    "div",
    { class: "item", "data-part": "frame" },
    h("div", { class: "memory-head" }, h("strong", { class: "title" }, label)),
    h("p", { class: "meta" }, AROUND),
    tokens(n, total, "frame"),
  );
}

function state(pack) {
  return h(
    "details",
    { class: "item", "data-key": "state", "data-part": "frame" },
    h(
      "summary",
      {},
      h("strong", {}, "State"),
      " ",
      h("span", { class: "muted" }, Object.keys(pack.state).slice(0, 6).join(", ")),
    ),
    h("pre", { class: "code", tabindex: 0, "aria-label": "The state" }, JSON.stringify(pack.state, null, 2)),
  );
}

function memory(one, why, total, most) {
  return h(
    "li",
    { class: "item", "data-part": one.id },
    h("div", { class: "memory-head" }, link(href("memory", one.id), { class: "title", dir: "auto" }, one.title), marks(one)),
    one.summary === one.title ? null : h("p", { class: "summary", dir: "auto" }, one.summary),
    h(
      "p",
      { class: "meta" },
      h("code", {}, one.id),
      h("span", {}, one.thread_id),
      h("span", {}, date(one.created_at)),
      one.also.length ? h("span", {}, `says the same as ${one.also.join(", ")}`) : null,
    ),
    tokens(one.tokens, total, "memory"),
    why ? reasons(why, most) : null,
  );
}

function chunk(one, total) {
  return h(
    "li",
    { class: "item", "data-part": one.chunk_id },
    h(
      "div",
      { class: "memory-head" },
      link(href("memory", one.chunk_id), { class: "title" }, `${one.path}:${one.lines[0]}`),
      h("span", { class: "muted" }, one.symbol),
      badge("evidence"),
    ),
    tokens(one.tokens, total, "chunk"),
    h(
      "details",
      { "data-key": one.chunk_id },
      h("summary", {}, count(one.lines[1] - one.lines[0] + 1, "line")),
      h("pre", { class: "code", tabindex: 0, "aria-label": one.locator }, one.text),
    ),
  );
}

/** Returns what a score is the sum of, largest first. */
function reasons(why, most) {
  const matching = why.words?.length ? `has words of the task: ${why.words.join(", ")}` : "";
  const found = Object.entries(why.features)
    .filter(([, value]) => value)
    .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
  const first = found
    .filter(([name, value]) => value > 0 && name !== "coverage") // which is no reason by itself
    .slice(0, 2)
    .map(([name]) => FEATURES[name] || name);
  const name = fresh("why");
  const { told, used } = why.usage;
  return h(
    "details",
    { class: "why", "data-key": `why ${why.id}` },
    h(
      "summary",
      { id: name },
      `Score ${why.final_score.toFixed(2)}`,
      matching || first.length ? h("span", { class: "muted", dir: "auto" }, `: ${matching || first.join(", ")}`) : null,
    ),
    told ? h("p", { class: "meta" }, `told to ${count(told, "session")}, used by ${figure(used)}`) : null,
    h(
      "table",
      { class: "features", "aria-labelledby": name },
      h(
        "tbody",
        {},
        found.map(([key, value]) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, FEATURES[key] || key),
            h("td", { class: "number" }, (value > 0 ? "+" : "−") + Math.abs(value).toFixed(3)),
            h(
              "td",
              { class: "gauge", "aria-hidden": "true" },
              h("span", { "data-tone": value > 0 ? "memory" : "minus", style: { width: share(Math.abs(value), most) } }),
            ),
          ),
        ),
      ),
    ),
  );
}

/** Returns what is not in a pack, by the reason. */
export function leftOut(pack, explain) {
  const most = Math.max(0.01, ...explain.memories.flatMap((one) => Object.values(one.features).map(Math.abs)));
  const titles = new Map(explain.memories.map((one) => [one.id, one.title]));
  const memories = explain.memories.filter((one) => !one.included);
  const chunks = explain.chunks.filter((one) => !one.included);
  const { orphans, outdated_chunks: outdated } = pack.left_out;
  const orphaned = memories.filter((one) => one.verdict === "orphan").length;
  return [
    h("h2", {}, "What stayed out ", h("span", { class: "muted" }, figure(memories.length + chunks.length))),
    bounds(explain.limits, memories.length + chunks.length),
    memories.length || chunks.length ? null : h("p", { class: "muted" }, "Nothing that matched."),
    h(
      "ul",
      { class: "items" },
      memories.map((one) => out(one, titles, most)),
      chunks.map(outChunk),
    ),
    orphans > orphaned ? h("p", { class: "muted" }, `${count(orphans, "memory", "memories")} ${ANCHORS.orphan}.`) : null,
    outdated ? h("p", { class: "muted" }, `${count(outdated, "chunk")} changed since: mem ingest.`) : null,
  ];
}

function out(one, titles, most) {
  const lost = one.lost_to && ["superseded", "duplicate"].includes(one.verdict);
  return h(
    "li",
    { class: "item" },
    h(
      "div",
      { class: "memory-head" },
      link(href("memory", one.id), { class: "title", dir: "auto" }, one.title),
      badge(WHY[one.verdict] || one.verdict, one.verdict === "budget" || one.verdict === "count" ? "plain" : "warn"),
    ),
    lost
      ? h(
          "p",
          { class: "meta" },
          h(
            "span",
            {},
            one.verdict === "superseded" ? "by " : "in ",
            link(href("memory", one.lost_to), {}, titles.get(one.lost_to) || one.lost_to),
          ),
        )
      : null,
    reasons(one, most),
  );
}

function outChunk(one) {
  return h(
    "li",
    { class: "item" },
    h(
      "div",
      { class: "memory-head" },
      link(href("memory", one.id), { class: "title" }, one.locator),
      badge(WHY[one.verdict] || one.verdict),
    ),
  );
}
