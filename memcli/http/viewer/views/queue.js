// What hooks have seen and nobody has worked up yet, and what was given up.

import { get, post } from "../lib/api.js";
import { button, fill, h } from "../lib/dom.js";
import { moment } from "../lib/rows.js";
import { guarded, toast, trouble } from "../lib/toast.js";
import { count, figure } from "../lib/words.js";

const EVERY = 2_000; // ms between two looks while the view is open
const COUNTS = [
  ["pending", "waiting"],
  ["processing", "at work"],
  ["stuck", "stuck"],
  ["failed", "given up"],
  ["processed", "done"],
];

export async function show({ root, signal }) {
  const numbers = h("dl", { class: "figures" });
  const worker = h("p", {});
  const parked = h("div", {});
  let last = "";
  const look = async () => {
    const queue = await get("/v2/queue", {}, signal);
    const text = JSON.stringify(queue);
    if (text === last) return;
    last = text;
    fill(
      numbers,
      COUNTS.map(([name, label]) =>
        h(
          "div",
          { "data-tone": queue[name] && (name === "failed" || name === "stuck") ? "bad" : null },
          h("dt", {}, label),
          h("dd", {}, figure(queue[name])),
        ),
      ),
    );
    fill(worker, workerLine(queue));
    if (!parked.contains(document.activeElement)) fill(parked, table(queue.parked, look));
  };
  root.append(
    h("div", { class: "head" }, h("h1", {}, "Queue")),
    numbers,
    worker,
    h("section", {}, h("h2", {}, "Given up"), parked),
  );
  await look();
  const timer = setInterval(() => document.visibilityState === "visible" && look().catch(() => {}), EVERY);
  signal.addEventListener("abort", () => clearInterval(timer));
}

function workerLine(queue) {
  const model = queue.compressor;
  return [
    queue.worker.running
      ? `The worker runs (process ${queue.worker.pid}).`
      : "The worker rests; it starts by itself with the next event.",
    queue.oldest_seconds === null ? "" : ` The oldest has waited for ${count(Math.round(queue.oldest_seconds / 60), "minute")}.`,
    model.provider === "none"
      ? " No model condenses: rules do."
      : ` ${model.provider}: ${model.calls} of ${model.calls_an_hour} calls this hour, ` +
        `${figure(model.tokens)} of ${figure(model.tokens_a_day)} tokens today.`,
  ];
}

function table(jobs, look) {
  if (!jobs.length) return h("p", { class: "muted" }, "Nothing.");
  const act = (verb, job) =>
    guarded(async () => {
      const result = await post(`/v2/queue/${verb}`, job ? { job } : undefined);
      toast(verb === "retry" ? `${count(result.retry, "event")} put back to wait.` : `${count(result.purge, "event")} removed.`);
      document.getElementById("main").focus({ preventScroll: true });
      await look().catch(trouble);
    });
  return [
    h(
      "div",
      { class: "row" },
      button("Retry all", () => act("retry")),
      button("Remove all", () => act("purge")),
    ),
    h(
      "ul",
      { class: "list" },
      jobs.map((job) =>
        h(
          "li",
          { class: "memory" },
          h("div", { class: "memory-head" }, h("strong", {}, `${job.harness} ${job.event}`)),
          h("p", { class: "summary bad", dir: "auto" }, job.error),
          h(
            "div",
            { class: "memory-foot" },
            h(
              "p",
              { class: "meta" },
              h("code", {}, job.job),
              h("span", {}, job.session),
              h("span", {}, count(job.attempts, "attempt")),
              moment(job.created_at),
            ),
            h(
              "div",
              { class: "acts" },
              button("Retry", () => act("retry", job.job), { class: "quiet" }),
              button("Remove", () => act("purge", job.job), { class: "quiet" }),
            ),
          ),
        ),
      ),
    ),
  ];
}
