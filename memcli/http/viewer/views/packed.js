// The parts of a pack: the bar of its budget, what is in it and why, what is out and why.

import { AROUND, bounds, share } from "../lib/budget.js";
import { fresh, h, link } from "../lib/dom.js";
import { href } from "../lib/route.js";
import { badge, marks } from "../lib/rows.js";
import { ANCHORS, BY_CI, count, date, figure } from "../lib/words.js";

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
  const memories = pack.top_memories.map((hit) => ({ id: hit.id, tokens: hit.tokens, label: hit.title, tone: "memory" }));
  const chunks = pack.top_chunks.map((hit) => ({ id: hit.chunk_id, tokens: hit.tokens, label: hit.locator, tone: "chunk" }));
  const frameTokens = pack.budget.used_total - [...memories, ...chunks].reduce((sum, part) => sum + part.tokens, 0);
  const label = pack.state_source === "db" ? "state and text around" : "text around";
  return [{ id: "frame", tokens: Math.max(0, frameTokens), label, tone: "frame" }, ...memories, ...chunks];
}

/** Returns how many things of each sort are in a pack, in words. */
export function contentsOf(pack) {
  const sorts = [
    ["memory", "memories", ({ id }) => !id.includes("#")],
    ["prompt", "prompts", ({ id }) => /^P-.*#\d/.test(id)],
    ["message of a commit", "messages of commits", ({ id }) => /^P-.*#c/.test(id)],
    ["part of an answer", "parts of answers", ({ id }) => /^P-.*#(?!c|\d)/.test(id)],
    ["other passage", "other passages", ({ id }) => /^(?!P-).*#/.test(id)],
  ];
  const counts = sorts.map(([one, many, fits]) => [pack.top_memories.filter(fits).length, one, many]);
  return [
    ...counts.filter(([n]) => n).map(([n, one, many]) => count(n, one, many)),
    pack.top_chunks.length ? count(pack.top_chunks.length, "chunk") : "",
    pack.state_source === "db" ? "the state" : "",
  ]
    .filter(Boolean)
    .join(", ");
}

/** Returns what is in a pack as rows of a comparison. */
export function rowsOf(pack) {
  return [
    ...pack.top_memories.map((hit) => ({ id: hit.id, title: hit.title, href: href("memory", hit.id), tokens: hit.tokens })),
    ...pack.top_chunks.map((hit) => ({
      id: hit.chunk_id,
      title: hit.locator,
      href: href("memory", hit.chunk_id),
      tokens: hit.tokens,
    })),
  ];
}

/** Returns why something is not in a pack. */
export function whyNot({ memories, chunks }, id) {
  const row = [...memories, ...chunks].find((candidate) => candidate.id === id);
  return row ? WHY[row.verdict] || row.verdict : "does not match";
}

/** Returns what is in a pack, each with its share of the budget and why it is in. */
export function asItems(pack, explain) {
  const total = Math.max(1, pack.budget.target_total);
  const reasonsById = new Map(explain.memories.map((candidate) => [candidate.id, candidate]));
  const most = Math.max(0.01, ...explain.memories.flatMap((candidate) => Object.values(candidate.features).map(Math.abs)));
  const [frame] = parts(pack);
  const isEmpty = !pack.top_memories.length && !pack.top_chunks.length;
  return [
    pack.state_source === "db" ? state("state", pack.state, pack.state_ci ? BY_CI : "") : null,
    pack.states_beside.map((beside) =>
      state(beside.state_id, beside.state, `${beside.ci ? BY_CI : "by another writer"}, ${date(beside.created_at)}`),
    ),
    h(
      "ol",
      { class: "items" },
      pack.top_memories.map((hit) => memory(hit, reasonsById.get(hit.id), total, most)),
      pack.top_chunks.map((hit) => chunk(hit, total)),
    ),
    around(frame.label, frame.tokens, total),
    isEmpty ? h("p", { class: "muted" }, "Nothing matches, or nothing has room.") : null,
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

function state(key, value, remark) {
  return h(
    "details",
    { class: "item", "data-key": key, "data-part": "frame" },
    h(
      "summary",
      {},
      h("strong", {}, "State"),
      " ",
      h(
        "span",
        { class: "muted" },
        [
          remark,
          Object.keys(value ?? {})
            .slice(0, 6)
            .join(", "),
        ]
          .filter(Boolean)
          .join(" · "),
      ),
    ),
    h("pre", { class: "code", tabindex: 0, "aria-label": "The state" }, JSON.stringify(value, null, 2)),
  );
}

function memory(hit, why, total, most) {
  return h(
    "li",
    { class: "item", "data-part": hit.id },
    h("div", { class: "memory-head" }, link(href("memory", hit.id), { class: "title", dir: "auto" }, hit.title), marks(hit)),
    hit.summary === hit.title ? null : h("p", { class: "summary", dir: "auto" }, hit.summary),
    h(
      "p",
      { class: "meta" },
      h("code", {}, hit.id),
      h("span", {}, hit.thread_id),
      h("span", {}, date(hit.created_at)),
      hit.also.length ? h("span", {}, `says the same as ${hit.also.join(", ")}`) : null,
    ),
    tokens(hit.tokens, total, "memory"),
    why ? reasons(why, most) : null,
  );
}

function chunk(hit, total) {
  return h(
    "li",
    { class: "item", "data-part": hit.chunk_id },
    h(
      "div",
      { class: "memory-head" },
      link(href("memory", hit.chunk_id), { class: "title" }, `${hit.path}:${hit.lines[0]}`),
      h("span", { class: "muted" }, hit.symbol),
      badge("evidence"),
    ),
    tokens(hit.tokens, total, "chunk"),
    h(
      "details",
      { "data-key": hit.chunk_id },
      h("summary", {}, count(hit.lines[1] - hit.lines[0] + 1, "line")),
      h("pre", { class: "code", tabindex: 0, "aria-label": hit.locator }, hit.text),
    ),
  );
}

/** Returns what a score is the sum of, largest first. */
function reasons(why, most) {
  const ofPrompt = why.words_of_prompt || [];
  const own = (why.words || []).filter((word) => !ofPrompt.includes(word));
  const matching = [
    own.length ? `has words of the task: ${own.join(", ")}` : "",
    ofPrompt.length ? `the prompt that it answers has ${ofPrompt.join(", ")}` : "",
  ]
    .filter(Boolean)
    .join("; ");
  const features = Object.entries(why.features)
    .filter(([, value]) => value)
    .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
  const first = features
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
        features.map(([key, value]) =>
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
  const most = Math.max(0.01, ...explain.memories.flatMap((candidate) => Object.values(candidate.features).map(Math.abs)));
  const titles = new Map(explain.memories.map((candidate) => [candidate.id, candidate.title]));
  const memories = explain.memories.filter((candidate) => !candidate.included);
  const chunks = explain.chunks.filter((candidate) => !candidate.included);
  const { orphans, outdated_chunks: outdated } = pack.left_out;
  const orphaned = memories.filter((candidate) => candidate.verdict === "orphan").length;
  return [
    h("h2", {}, "What stayed out ", h("span", { class: "muted" }, figure(memories.length + chunks.length))),
    bounds(explain.limits, memories.length + chunks.length),
    memories.length || chunks.length ? null : h("p", { class: "muted" }, "Nothing that matched."),
    h(
      "ul",
      { class: "items" },
      memories.map((candidate) => outMemory(candidate, titles, most)),
      chunks.map(outChunk),
    ),
    orphans > orphaned ? h("p", { class: "muted" }, `${count(orphans, "memory", "memories")} ${ANCHORS.orphan}.`) : null,
    outdated ? h("p", { class: "muted" }, `${count(outdated, "chunk")} changed since: mem ingest.`) : null,
  ];
}

function outMemory(candidate, titles, most) {
  const isReplaced = candidate.lost_to && ["superseded", "duplicate"].includes(candidate.verdict);
  return h(
    "li",
    { class: "item" },
    h(
      "div",
      { class: "memory-head" },
      link(href("memory", candidate.id), { class: "title", dir: "auto" }, candidate.title),
      badge(
        WHY[candidate.verdict] || candidate.verdict,
        candidate.verdict === "budget" || candidate.verdict === "count" ? "plain" : "warn",
      ),
    ),
    isReplaced
      ? h(
          "p",
          { class: "meta" },
          h(
            "span",
            {},
            candidate.verdict === "superseded" ? "by " : "in ",
            link(href("memory", candidate.lost_to), {}, titles.get(candidate.lost_to) || candidate.lost_to),
          ),
        )
      : null,
    reasons(candidate, most),
  );
}

function outChunk(candidate) {
  return h(
    "li",
    { class: "item" },
    h(
      "div",
      { class: "memory-head" },
      link(href("memory", candidate.id), { class: "title" }, candidate.locator),
      badge(WHY[candidate.verdict] || candidate.verdict),
    ),
  );
}
