// The pack inspector: what an agent would be given for a task in a budget, and why.

import { get } from "../lib/api.js";
import { fill, h } from "../lib/dom.js";
import { keep } from "../lib/route.js";
import { trouble } from "../lib/toast.js";
import { count, figure } from "../lib/words.js";
import { asItems, bar, leftOut } from "./packed.js";

const PAUSE = 150; // ms after a change before the pack is asked for
const LEAST = 100; // tokens
const MOST = 8_000;
const LONGEST = 4_000; // characters of a task that the service takes
const SPLIT = [["items", "As items"], ["text", "The exact text"]];

export async function show(context) {
  const { root, params, signal } = context;
  const { value: usual } = await get("/v2/config/budget.total", {}, signal);
  const asked = {
    q: (params.get("q") || "").slice(0, LONGEST),
    budget: clamp(Number(params.get("budget")) || usual),
    orphans: params.get("orphans") === "true",
    semantic: params.get("semantic") === "true",
  };
  let way = params.get("as") === "text" ? "text" : "items";
  let found = null;
  const parts = frame(asked, usual);
  const draw = () => {
    if (found) drawn(parts, found, way);
  };
  let running = null;
  signal.addEventListener("abort", () => running?.abort());
  const load = async () => {
    running?.abort();
    running = new AbortController();
    const query = { query: asked.q, budget: asked.budget, include_orphans: asked.orphans, semantic: asked.semantic };
    found = await get("/v2/pack", query, running.signal);
    draw();
  };
  let timer = 0;
  const change = () => {
    keep("pack", "", { q: asked.q, budget: asked.budget === usual ? "" : asked.budget, orphans: asked.orphans || "", semantic: asked.semantic || "", as: way === "text" ? way : "" });
    clearTimeout(timer);
    timer = setTimeout(() => load().catch(trouble), PAUSE);
  };
  wire(parts, asked, change);
  fill(parts.ways, SPLIT.map(([name, label]) => h("label", {}, h("input", { type: "radio", name: "way", value: name, checked: name === way, on: { change: () => { way = name; change(); draw(); } } }), label)));
  root.append(h("div", { class: "head" }, h("h1", {}, "Pack inspector"), h("p", { class: "muted" }, "What an agent would be given for a task, and why.")), parts.whole);
  await load();
  context.onEvent = (name, data, isOld) => {
    if (isOld || root.querySelector(".pack-middle, .pack-out")?.contains(document.activeElement)) return;
    clearTimeout(timer);
    timer = setTimeout(() => load().catch(trouble), 300);
  };
}

const clamp = (budget) => Math.min(MOST, Math.max(LEAST, Math.round(budget)));

function frame(asked, usual) {
  const parts = {
    task: h("textarea", { id: "task", rows: 4, value: asked.q, "data-search": true, "aria-keyshortcuts": "/", placeholder: "why is login slow", maxlength: LONGEST }),
    slider: h("input", { type: "range", id: "budget", min: LEAST, max: MOST, step: 50, value: asked.budget }),
    number: h("input", { type: "number", min: LEAST, max: MOST, value: asked.budget, "aria-label": "Budget in tokens" }),
    orphans: h("input", { type: "checkbox", checked: asked.orphans }),
    semantic: h("input", { type: "checkbox", checked: asked.semantic }),
    said: h("p", { class: "muted", role: "status" }),
    bar: h("div", {}),
    ways: h("fieldset", { class: "ways", "aria-label": "How it is shown" }),
    read: h("div", { class: "read" }),
    middle: h("div", {}),
    out: h("div", {}),
  };
  parts.whole = h("div", { class: "inspector" },
    h("section", { class: "pack-ask", "aria-label": "The task" },
      h("label", { for: "task" }, "Task"), parts.task,
      h("div", { class: "budget-row" }, h("label", { for: "budget" }, "Budget"), h("span", {}, parts.number, " tokens")), parts.slider,
      h("p", { class: "muted small" }, `Usually ${figure(usual)}; settings, budget.total.`),
      h("label", { class: "check" }, parts.orphans, "with memories of other branches"),
      h("label", { class: "check" }, parts.semantic, "compare meanings, too"),
      parts.read),
    h("section", { class: "pack-middle", "aria-label": "What the agent gets" }, h("div", { class: "head" }, h("h2", {}, "What the agent gets"), parts.ways), parts.said, parts.bar, parts.middle),
    h("section", { class: "pack-out", "aria-label": "What stayed out" }, parts.out));
  return parts;
}

function wire(parts, asked, change) {
  const budget = (value) => {
    if (!Number.isFinite(value)) return;
    asked.budget = clamp(value);
    parts.slider.value = asked.budget;
    if (document.activeElement !== parts.number) parts.number.value = asked.budget;
    change();
  };
  parts.task.addEventListener("input", () => { asked.q = parts.task.value; change(); });
  parts.slider.addEventListener("input", () => budget(parts.slider.valueAsNumber));
  parts.number.addEventListener("input", () => parts.number.value && budget(parts.number.valueAsNumber));
  parts.number.addEventListener("blur", () => { parts.number.value = asked.budget; });
  parts.orphans.addEventListener("change", () => { asked.orphans = parts.orphans.checked; change(); });
  parts.semantic.addEventListener("change", () => { asked.semantic = parts.semantic.checked; change(); });
}

/** Shows a pack, and keeps what was open and where the focus was. */
function drawn(parts, found, way) {
  const { pack, explain, prompt } = found;
  const open = new Set([...parts.whole.querySelectorAll("details[open][data-key]")].map((one) => one.dataset.key));
  const { used_total: used, target_total: total } = pack.budget;
  const items = count(pack.top_memories.length, "memory", "memories");
  const chunks = pack.top_chunks.length ? `, ${count(pack.top_chunks.length, "chunk")}` : "";
  parts.said.textContent = `${figure(used)} of ${figure(total)} tokens: ${items}${chunks}${pack.state_source === "db" ? ", the state" : ""}`;
  fill(parts.bar, bar(pack));
  fill(parts.middle, way === "text" ? h("pre", { class: "exact", tabindex: 0, "aria-label": "The exact text" }, prompt) : asItems(pack, explain));
  fill(parts.out, leftOut(pack, explain));
  fill(parts.read, read(explain));
  for (const one of parts.whole.querySelectorAll("details[data-key]")) one.open = open.has(one.dataset.key);
}

/** Returns how the task was read: its terms, corrections, near words. */
function read(explain) {
  if (!explain.terms.length) return h("p", { class: "muted small" }, "Without a task the pack holds the state and what is recent.");
  const corrected = Object.entries(explain.corrected);
  const line = (label, words) => (words.length ? h("div", {}, h("dt", {}, label), h("dd", {}, words.join(", "))) : null);
  return h("dl", { class: "how" },
    line("asked for", explain.terms),
    line("read as", corrected.map(([word, known]) => `${word}: ${known.join(" or ")}`)),
    line("near", explain.near));
}
