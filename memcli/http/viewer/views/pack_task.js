// What an agent would be given for a task in a budget, and why; compared with another task, budget, harness or commit.

import { get, newest } from "../lib/api.js";
import { BUDGET, bar, caps, pointing } from "../lib/budget.js";
import { command, copier } from "../lib/copy.js";
import { fill, h, keepOpen, select } from "../lib/dom.js";
import { paced } from "../lib/pace.js";
import { refuse } from "../lib/problems.js";
import { keep } from "../lib/route.js";
import { trouble } from "../lib/toast.js";
import { ANCHORS, count, cut, figure, short } from "../lib/words.js";
import { comparison, otherText } from "./compare.js";
import { asItems, contentsOf, leftOut, parts as partsOf, rowsOf, whyNot } from "./packed.js";

const PAUSE = 150; // ms after a change before the pack is asked for
const LONGEST = 4_000; // characters of a task that the service takes
const SPLIT = [
  ["items", "As items"],
  ["text", "The exact text"],
];

export async function show(context) {
  const { root, params, signal } = context;
  const [{ value: usual }, { items: harnesses }] = await Promise.all([
    get("/v2/config/budget.total", {}, signal),
    get("/v2/harnesses", {}, signal),
  ]);
  const request = read(params, usual);
  const parts = frame(request, usual, harnesses);
  const merged = (changes) => ({
    ...request,
    ...changes,
    budget: changes.budget ? clamp(Number(changes.budget)) : request.budget,
  });
  const compared = comparison(params, {
    summary: "Compare with another task, budget, harness or commit",
    fields: [
      { name: "q", label: "Other task", control: otherText() },
      { name: "budget", label: "Other budget", control: h("input", { type: "number", min: 1, placeholder: usual }) },
      { name: "harness", label: "Other harness", control: select([["", "the same"], ...limited(harnesses)], "", () => {}) },
      { name: "commit", label: "Other commit", control: otherText() },
    ],
    ask: (changes, ownSignal) => get("/v2/pack", queryOf(merged(changes), usual), ownSignal),
    sideOf: (answer, changes) => sideOf(answer, merged(changes)),
  });
  let way = params.get("as") === "text" ? "text" : "items";
  let current = null;
  const draw = () => current && showPack(parts, current, { way, request, usual, harnesses });
  const next = newest(signal);
  const load = async () => {
    const ownSignal = next();
    try {
      [current] = await Promise.all([get("/v2/pack", queryOf(request, usual), ownSignal), compared.load(ownSignal)]);
    } catch (error) {
      if (error.name === "AbortError") throw error; // a later question: its answer replaces what is there
      for (const part of [parts.bar, parts.copies, parts.middle, parts.out, parts.read]) fill(part);
      return refuse(parts.status, error);
    }
    draw();
    compared.draw(current);
  };
  let timer = 0;
  const change = () => {
    keep("pack", "", { ...addressOf(request, usual), as: way === "text" ? way : "", ...compared.parameters() });
    clearTimeout(timer);
    timer = setTimeout(() => load().catch(trouble), PAUSE);
  };
  wire(parts, request, change);
  compared.onChange = change;
  fill(
    parts.ways,
    SPLIT.map(([name, label]) =>
      h(
        "label",
        {},
        h("input", {
          type: "radio",
          name: "way",
          value: name,
          checked: name === way,
          on: {
            change: () => {
              way = name;
              change();
              draw();
            },
          },
        }),
        label,
      ),
    ),
  );
  root.append(parts.whole, compared.whole);
  pointing(parts.whole);
  await load();
  const follow = paced(load, 300, signal);
  context.onEvent = (name, data, isOld) => {
    if (!isOld && !root.querySelector(".pack-middle, .pack-out")?.contains(document.activeElement)) follow();
  };
}

/** Returns [name, title] of each harness whose limits are documented. */
const limited = (harnesses) =>
  harnesses.filter((harness) => harness.is_documented).map((harness) => [harness.name, harness.title]);

/** Returns a pack as one side of a comparison. */
function sideOf({ pack, explain }, request) {
  return {
    words: [
      request.q ? `“${cut(request.q, 60)}”` : "no task",
      count(request.budget, "token"),
      request.harness,
      pack.repo.head ? `at ${short(pack.repo.head)}` : "",
    ],
    rows: rowsOf(pack),
    reason: (id) => whyNot(explain, id),
    used: pack.budget.used_total,
    total: pack.budget.target_total,
  };
}

const clamp = (budget) => Math.min(BUDGET.most, Math.max(BUDGET.least, Math.round(budget)));

function read(params, usual) {
  return {
    q: (params.get("q") || "").slice(0, LONGEST),
    budget: clamp(Number(params.get("budget")) || usual),
    harness: params.get("harness") || "",
    commit: params.get("commit") || "",
    orphans: params.get("orphans") === "true",
    semantic: params.get("semantic") === "true",
  };
}

/** Returns what the service is asked. The usual budget is not named: then what binds has the name of the setting. */
function queryOf(request, usual) {
  return {
    query: request.q,
    budget: request.budget === usual ? null : request.budget,
    harness: request.harness || null,
    commit: request.commit || null,
    include_orphans: request.orphans,
    semantic: request.semantic,
  };
}

function addressOf(request, usual) {
  return {
    ...request,
    budget: request.budget === usual ? "" : request.budget,
    orphans: request.orphans || "",
    semantic: request.semantic || "",
  };
}

function frame(request, usual, harnesses) {
  const parts = {
    task: h("textarea", {
      id: "task",
      rows: 4,
      value: request.q,
      "data-search": true,
      "aria-keyshortcuts": "/",
      placeholder: "why is login slow",
      maxlength: LONGEST,
    }),
    slider: h("input", { type: "range", id: "budget", min: BUDGET.least, max: BUDGET.most, step: 50, value: request.budget }),
    number: h("input", {
      type: "number",
      min: BUDGET.least,
      max: BUDGET.most,
      value: request.budget,
      "aria-label": "Budget in tokens",
    }),
    harness: select([["", "any"], ...limited(harnesses)], request.harness, () => {}, { id: "harness" }),
    commit: h("input", {
      id: "commit",
      value: request.commit,
      placeholder: "HEAD",
      maxlength: 200,
      spellcheck: "false",
      autocomplete: "off",
    }),
    orphans: h("input", { type: "checkbox", checked: request.orphans }),
    semantic: h("input", { type: "checkbox", checked: request.semantic }),
    status: h("p", { class: "muted", role: "status" }),
    bar: h("div", {}),
    copies: h("div", { class: "copies" }),
    ways: h("fieldset", { class: "ways", "aria-label": "How it is shown" }),
    read: h("div", { class: "read" }),
    middle: h("div", {}),
    out: h("div", {}),
  };
  parts.whole = h(
    "div",
    { class: "inspector" },
    h(
      "section",
      { class: "pack-ask", "aria-label": "The task" },
      h("label", { for: "task" }, "Task"),
      parts.task,
      h("div", { class: "budget-row" }, h("label", { for: "budget" }, "Budget"), h("span", {}, parts.number, " tokens")),
      parts.slider,
      h("p", { class: "muted small" }, `Usually ${figure(usual)}; settings, budget.total.`),
      h("div", { class: "budget-row" }, h("label", { for: "harness" }, "Fits"), parts.harness),
      h("div", { class: "budget-row" }, h("label", { for: "commit" }, "At commit"), parts.commit),
      h("label", { class: "check" }, parts.orphans, `with memories ${ANCHORS.orphan}`),
      h("label", { class: "check" }, parts.semantic, "compare meanings, too"),
      parts.read,
    ),
    h(
      "section",
      { class: "pack-middle", "aria-label": "What the agent gets" },
      h("div", { class: "head" }, h("h2", {}, "What the agent gets"), parts.ways),
      parts.status,
      parts.bar,
      parts.copies,
      parts.middle,
    ),
    h("section", { class: "pack-out", "aria-label": "What stayed out" }, parts.out),
  );
  return parts;
}

function wire(parts, request, change) {
  const budget = (value) => {
    if (!Number.isFinite(value)) return;
    request.budget = clamp(value);
    parts.slider.value = request.budget;
    if (document.activeElement !== parts.number) parts.number.value = request.budget;
    change();
  };
  parts.task.addEventListener("input", () => {
    request.q = parts.task.value;
    change();
  });
  parts.slider.addEventListener("input", () => budget(parts.slider.valueAsNumber));
  parts.number.addEventListener("input", () => parts.number.value && budget(parts.number.valueAsNumber));
  parts.number.addEventListener("blur", () => {
    parts.number.value = request.budget;
  });
  parts.harness.addEventListener("change", () => {
    request.harness = parts.harness.value;
    change();
  });
  parts.commit.addEventListener("change", () => {
    request.commit = parts.commit.value.trim();
    change();
  });
  parts.orphans.addEventListener("change", () => {
    request.orphans = parts.orphans.checked;
    change();
  });
  parts.semantic.addEventListener("change", () => {
    request.semantic = parts.semantic.checked;
    change();
  });
}

/** Shows a pack, and keeps what was open and where the focus was. */
function showPack(parts, answer, { way, request, usual, harnesses }) {
  const { pack, explain, prompt } = answer;
  const openAgain = keepOpen(parts.whole);
  const { used_total: used, target_total: total, used_bytes: bytes } = pack.budget;
  parts.status.textContent = `${figure(used)} of ${figure(total)} tokens: ${contentsOf(pack) || "nothing"}`;
  fill(parts.bar, bar(partsOf(pack), used, total));
  fill(
    parts.copies,
    copier("Copy as text", () => prompt),
    request.commit ? null : copier("Copy as a command line", () => lineOf(request, usual)),
  );
  fill(
    parts.middle,
    way === "text" ? h("pre", { class: "exact", tabindex: 0, "aria-label": "The exact text" }, prompt) : asItems(pack, explain),
  );
  fill(parts.out, leftOut(pack, explain), caps(harnesses, used, bytes));
  fill(parts.read, reading(explain));
  openAgain();
}

function lineOf(request, usual) {
  const options = {
    budget: request.budget === usual ? "" : request.budget,
    for: request.harness,
    "include-orphans": request.orphans,
    semantic: request.semantic,
  };
  return command("get", options, request.q);
}

/** Returns how the task was read: its terms, corrections, near words. */
function reading(explain) {
  if (!explain.terms.length)
    return h("p", { class: "muted small" }, "Without a task the pack holds the state and what is left open.");
  const corrected = Object.entries(explain.corrected);
  const line = (label, words) => (words.length ? h("div", {}, h("dt", {}, label), h("dd", {}, words.join(", "))) : null);
  return h(
    "dl",
    { class: "how" },
    line("asked for", explain.terms),
    line(
      "read as",
      corrected.map(([word, corrections]) => `${word}: ${corrections.join(" or ")}`),
    ),
    line("used alike, opposites too", explain.near),
  );
}
