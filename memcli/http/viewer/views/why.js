// Why a line, a file or a commit is as it is: the commits, who asked for them, what was decided and dropped.

import { get } from "../lib/api.js";
import { field, fill, h, link } from "../lib/dom.js";
import { href, keep } from "../lib/route.js";
import { badge, moment } from "../lib/rows.js";

const LONGEST = 4_096; // characters that the service takes

export async function show({ root, params, signal }) {
  const input = h("input", { type: "text", value: params.get("target") || "", maxlength: LONGEST, placeholder: "src/login.py:12", "data-search": true, autocomplete: "off", spellcheck: "false" });
  const told = h("p", { class: "muted", role: "status" });
  const list = h("ul", { class: "list", "aria-label": "What led to it" });
  const load = async () => {
    const target = input.value.trim();
    keep("why", "", { target });
    fill(list);
    told.textContent = "";
    if (!target) return;
    try {
      const answer = await get("/v2/why", { target }, signal);
      fill(list, answer.changes.map(change));
      told.textContent = [...(answer.more ? [`${answer.more} or more further commits.`] : []), ...answer.notes].join(" ");
    } catch (error) {
      if (error.name === "AbortError") throw error;
      told.textContent = error.message;
    }
  };
  const form = h("form", { on: { submit: (event) => { event.preventDefault(); load().catch(() => {}); } } },
    field("File, file:line, file:line-line or commit", input), h("div", { class: "row" }, h("button", { type: "submit" }, "Why?")));
  root.append(h("div", { class: "head" }, h("h1", {}, "Why"), h("p", { class: "muted" }, "From a line to the prompt and the decision behind it.")), form, told, list);
  await load();
}

function change(one) {
  const spans = one.lines.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(", ");
  const title = one.commit ? `${one.commit.id.slice(0, 10)} ${one.commit.subject}` : "Not committed yet";
  return h("li", { class: "memory" },
    h("div", { class: "memory-head" }, h("strong", { dir: "auto" }, title), one.commit ? null : badge("working tree", "accent")),
    h("p", { class: "meta" },
      one.commit ? h("span", {}, one.commit.author) : null, one.commit ? moment(one.commit.at) : null,
      one.place ? h("code", {}, `${one.place.path}:${one.place.line}`) : null, spans ? h("span", {}, `lines ${spans}`) : null,
      one.moved_from ? h("span", {}, `from ${one.moved_from.path}:${one.moved_from.line}, next`) : null),
    one.text ? h("pre", { dir: "auto" }, one.text) : null,
    one.commit?.message ? h("p", { class: "summary", dir: "auto" }, one.commit.message) : null,
    one.sessions.length ? one.sessions.map(session) : h("p", { class: "muted" }, "No session is known."),
    reasons("Decided", one.decisions), reasons("Dropped", one.dropped));
}

function session(one) {
  return h("div", {},
    h("p", { class: "meta" }, link(href("session", one.id), {}, `${one.harness} ${one.id}`), h("span", {}, one.how === "committed" ? "made the commit" : "edited the file before")),
    one.prompts.map((prompt) => h("p", { class: "summary", dir: "auto" }, prompt.text)));
}

function reasons(label, all) {
  if (!all.length) return null;
  return [h("h2", {}, label), h("ul", { class: "plain" }, all.map((one) => h("li", { dir: "auto" },
    one.id.startsWith("M-") ? link(href("memory", one.id), {}, one.text) : one.text, " ",
    one.state === "holds" || one.state === "dropped" ? null : badge(one.state, "plain"), " ", moment(one.created_at),
    one.detail ? h("p", { class: "muted" }, one.detail) : null,
    one.earlier.map((old) => h("p", { class: "muted" }, `before: ${old.text}`)))))];
}
