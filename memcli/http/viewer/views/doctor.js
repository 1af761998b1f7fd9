// Health: what mem doctor finds, what is stale, what sessions were told without a sign of use.

import * as actions from "../lib/actions.js";
import { get } from "../lib/api.js";
import { button, fill, h, link } from "../lib/dom.js";
import { href } from "../lib/route.js";
import { badge, moment } from "../lib/rows.js";
import { guarded, trouble } from "../lib/toast.js";
import { count, figure } from "../lib/words.js";
import { counting, counts, sets, unlisted } from "./usagechart.js";

const LEVELS = { error: ["error", "bad"], warn: ["warning", "warn"], ok: ["well", "plain"] };

export async function show({ root, params, signal }) {
  const status = h("p", { role: "status" }, "Looking…");
  const findings = h("ul", { class: "list", "aria-label": "Findings" });
  const stale = h("div", {}, h("p", { class: "muted" }, "Looking…"));
  const unused = h("div", {});
  const examine = async () => {
    const report = await get("/v2/doctor", {}, signal);
    const order = Object.keys(LEVELS);
    fill(findings, report.findings.sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level)).map(finding));
    const problems = report.findings.filter((entry) => entry.level !== "ok").length;
    status.textContent = problems ? `${count(problems, "finding")} to look at.` : "All is well.";
  };
  const showStale = async () => {
    const { items } = await get("/v2/stale", {}, signal);
    fill(
      stale,
      items.length
        ? h(
            "ul",
            { class: "list" },
            items.map((memory) => staleRow(memory, () => showStale().catch(trouble))),
          )
        : h("p", { class: "muted" }, "None."),
    );
  };
  const showUnused = async () => {
    const least = { least: 1, observed: true, limit: 200 };
    const [{ items, total }, numbers] = await Promise.all([get("/v2/unused", least, signal), counts(signal)]);
    fill(
      unused,
      sets(numbers),
      items.length ? h("ul", { class: "plain" }, items.map(unusedRow)) : h("p", { class: "muted" }, "None."),
      total > items.length ? h("p", { class: "muted" }, `and ${figure(total - items.length)} more`) : null,
      await unlisted(numbers, total, signal),
    );
  };
  const isAboutUnused = params.get("at") === "unused"; // then it is first: what comes later would push it away
  const never = h("section", {}, h("h2", {}, "Told, no sign of use"), counting(), unused);
  fill(
    root,
    h(
      "div",
      { class: "head" },
      h("h1", {}, "Health"),
      button("Look again", () => guarded(examine)),
    ),
    isAboutUnused ? [never, h("h2", {}, "Checks")] : null,
    status,
    findings,
    h("section", {}, h("h2", {}, "Memories whose files changed"), stale),
    isAboutUnused ? null : never,
  );
  await showUnused();
  arriving(status, examine()); // reads a large store to its end
  arriving(stale, showStale());
}

/** Marks a part of the view as busy until it is there; why it failed is told in its place. */
function arriving(part, loading) {
  part.setAttribute("aria-busy", "true");
  loading
    .catch((error) => error.name === "AbortError" || fill(part, h("p", { class: "muted" }, error.message)))
    .finally(() => part.removeAttribute("aria-busy"));
}

function finding(entry) {
  const [label, tone] = LEVELS[entry.level];
  return h(
    "li",
    { class: "memory" },
    h("div", { class: "memory-head" }, badge(label, tone), h("strong", {}, entry.subject)),
    h("p", { dir: "auto" }, entry.text),
    entry.hint ? h("p", { class: "muted" }, entry.hint) : null,
  );
}

function staleRow(memory, done) {
  return h(
    "li",
    { class: "memory", "data-memory": memory.id },
    h("div", { class: "memory-head" }, link(href("memory", memory.id), { class: "title", dir: "auto" }, memory.title)),
    h(
      "p",
      { class: "meta" },
      h(
        "span",
        {},
        [...memory.changed.map((path) => `${path} changed`), ...memory.gone.map((path) => `${path} is gone`)].join(", "),
      ),
      moment(memory.created_at),
    ),
    h(
      "div",
      { class: "acts" },
      button("Confirm", () => guarded(() => actions.confirm(memory, done)), {
        class: "quiet",
        "aria-label": `Confirm ${memory.title}`.slice(0, 120),
      }),
      button("Supersede", () => guarded(() => actions.supersede(memory.id, done)), {
        class: "quiet",
        "aria-label": `Supersede ${memory.title}`.slice(0, 120),
      }),
    ),
  );
}

function unusedRow(memory) {
  return h(
    "li",
    { dir: "auto" },
    link(href("memory", memory.id), {}, memory.title),
    h("span", { class: "muted" }, ` told to ${count(memory.told, "session")}, last `, moment(memory.last_told)),
  );
}
