// One session as a timeline: what was asked, what was done for it, what was answered, what it came to.

import { get, of } from "../lib/api.js";
import { fill, h, link } from "../lib/dom.js";
import { href } from "../lib/route.js";
import { badge } from "../lib/rows.js";
import { trouble } from "../lib/toast.js";
import { clock, count, lasted, when } from "../lib/words.js";

export async function show(context) {
  const { root, id, params, signal } = context;
  let known = null;
  const draw = async () => {
    const one = await get(of("/v2/sessions", id), {}, signal);
    known = one.id;
    fill(root, page(one));
  };
  await draw();
  const meant = params.get("at") ? root.querySelector(`[id="${CSS.escape(params.get("at"))}"]`) : null;
  meant?.classList.add("is-meant");
  context.onShown = () => meant?.scrollIntoView({ block: "center" });
  let timer = 0;
  context.onEvent = (name, data, isOld) => {
    const of_ = data.session?.id || data.id;
    if (isOld || (of_ !== known && !name.startsWith("user-prompt"))) return;
    clearTimeout(timer);
    timer = setTimeout(() => draw().catch(trouble), 300);
  };
}

function page(one) {
  const loose = one.observations.filter((seen) => !one.prompt_list.some((asked) => asked.number === seen.prompt));
  return [
    link(href("sessions"), { class: "back" }, "All sessions"),
    h("div", { class: "head" }, h("h1", {}, `${one.harness} ${one.key}`)),
    h("p", { class: "meta" }, h("code", {}, one.id), h("span", {}, when(one.started_at)), h("span", {}, lasted(one.started_at, one.ended_at || one.last_at)),
      h("span", {}, count(one.prompts, "prompt")), h("span", {}, one.status), h("code", {}, one.root)),
    one.summary_text ? h("section", { class: "panel" }, h("h2", {}, "Summary"), h("p", { class: "text", dir: "auto" }, one.summary_text), one.summary ? link(href("memory", one.summary), {}, "as a memory") : null) : null,
    h("section", {}, h("h2", {}, "Timeline"),
      h("ol", { class: "timeline" },
        loose.map(observed),
        one.prompt_list.map((asked) => turn(asked, one.observations.filter((seen) => seen.prompt === asked.number))),
        one.ended_at ? h("li", { class: "moment end" }, h("p", { class: "meta" }, h("time", { datetime: one.ended_at }, clock(one.ended_at)), h("span", {}, `ended${one.reason ? `: ${one.reason}` : ""}`))) : null)),
  ];
}

function turn(asked, seen) {
  const text = asked.text || (asked.skipped ? `not kept: ${asked.skipped}` : "");
  return [
    h("li", { class: "moment prompt", id: asked.id },
      h("p", { class: "meta" }, h("time", { datetime: asked.created_at }, clock(asked.created_at)), h("span", {}, `prompt ${asked.number}`)),
      h("p", { class: asked.text ? "text asked" : "muted", dir: "auto" }, text)),
    seen.map(observed),
    asked.files.length ? h("li", { class: "moment seen" }, h("p", { class: "meta" }, h("span", {}, `read ${count(asked.files.length, "file")}`)), h("p", { class: "summary", dir: "auto" }, asked.files.join(", "))) : null,
    asked.reply ? h("li", { class: "moment reply" }, h("p", { class: "meta" }, h("span", {}, "answer")), h("p", { class: "text", dir: "auto" }, asked.reply)) : null,
  ];
}

function observed(one) {
  return h("li", { class: "moment seen" },
    h("p", { class: "meta" }, h("time", { datetime: one.created_at }, clock(one.created_at)), one.tools.map((tool) => badge(tool, "plain", "a tool call")), h("span", {}, one.kind)),
    h("p", {}, link(href("memory", one.id), { dir: "auto" }, one.title)),
    h("p", { class: "summary", dir: "auto" }, one.summary));
}
