// Why a line, a file or a commit is as it is: the commits, who asked for them, what was decided and dropped.

import { get } from "../lib/api.js";
import { field, fill, h, link } from "../lib/dom.js";
import { refuse, searched } from "../lib/problems.js";
import { href, keep } from "../lib/route.js";
import { badge, moment } from "../lib/rows.js";
import { trouble } from "../lib/toast.js";
import { STATES, count, date, short } from "../lib/words.js";
import { causes } from "./reverts.js";

const LONGEST = 4_096; // characters that the service takes

const CODE = 400; // lines that are shown
const STANDING = { ...STATES, "other branch": STATES.orphan };

export async function show({ root, params, signal }) {
  const input = h("input", {
    type: "text",
    value: params.get("target") || "",
    maxlength: LONGEST,
    placeholder: "src/login.py:12",
    "data-search": true,
    autocomplete: "off",
    spellcheck: "false",
  });
  const status = h("p", { class: "muted", role: "status" });
  const list = h("ul", { class: "list why-list", "aria-label": "What led to it" });
  const code = h("div", { class: "code-side" });
  const load = async () => {
    const target = input.value.trim();
    keep("why", "", { target });
    fill(list);
    fill(code);
    status.textContent = "";
    if (!target) return;
    const answer = await explained(target, status, signal);
    if (!answer) return;
    if (answer.kind !== "commit") lines(target, code, signal).catch(trouble); // a commit has no lines to show
    fill(list, answer.changes.map(change));
    const reverted = answer.changes.find((one) => one.taken_back_by);
    if (reverted) list.querySelector(".taken-back")?.after(...(await causes(reverted.commit.id, signal)));
    status.textContent = [...(answer.more ? [`${answer.more} or more further commits.`] : []), ...answer.notes].join(" ");
  };
  const ask = (event) => {
    event.preventDefault();
    load().catch(trouble);
  };
  root.append(
    h(
      "div",
      { class: "head" },
      h("h1", {}, "Why"),
      h("p", { class: "muted" }, "From a line to the prompt and the decision behind it."),
    ),
    h(
      "form",
      { on: { submit: ask } },
      field("File, file:line, file:line-line or commit", input),
      h("div", { class: "row" }, h("button", { type: "submit" }, "Why?")),
    ),
    status,
    h("div", { class: "why-sides" }, code, h("div", {}, list)),
  );
  await load();
}

async function explained(target, status, signal) {
  try {
    return await get("/v2/why", { target }, signal);
  } catch (error) {
    const name = target.replace(/:\d+(-\d+)?$/, "");
    refuse(status, error, searched(name), link(href("evidence"), {}, "The files that are stored"));
    return null;
  }
}

/** Shows the lines of a file, each with the commit that brought it; nothing for what is no file with lines. */
async function lines(target, side, signal) {
  const [, path, first, last] = /^(.*?)(?::(\d+)(?:-(\d+))?)?$/s.exec(target);
  const meant = [Number(first || 0), Number(last || first || 0)];
  let file;
  try {
    file = await get("/v2/code", { path, line: Math.max(1, meant[0] - CODE / 2), limit: CODE }, signal);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return;
  }
  const commits = new Map(file.commits.map((one) => [one.id, one]));
  let before;
  const rows = file.lines.map((line) => {
    const isNew = line.commit !== before;
    before = line.commit;
    const isMeant = line.number >= meant[0] && line.number <= meant[1];
    return row(file.path, line, commits.get(line.commit), isNew, isMeant);
  });
  fill(
    side,
    h("h2", {}, h("code", {}, file.path)),
    naming(file.memories),
    h("ol", { class: "code-lines", "aria-label": `Lines of ${file.path}` }, rows),
    file.has_more || file.offset
      ? h(
          "p",
          { class: "muted" },
          `Lines ${file.offset + 1} to ${file.offset + file.lines.length} of ${file.total}; name others: ${file.path}:LINE`,
        )
      : null,
  );
  requestAnimationFrame(() => side.querySelector(".is-meant")?.scrollIntoView({ block: "center" }));
}

function row(path, line, commit, isNew, isMeant) {
  const by = commit ? `${date(commit.at)} ${commit.subject}` : "not committed yet";
  return h(
    "li",
    { class: [isNew ? "is-new" : "", isMeant ? "is-meant" : ""].join(" ").trim() || null },
    h("span", { class: "by", title: by }, isNew ? by : ""),
    link(
      href("why", "", { target: `${path}:${line.number}` }),
      { "aria-label": `Why line ${line.number}: ${by}` },
      String(line.number),
    ),
    h("code", { dir: "auto" }, line.text || " "),
  );
}

function naming(memories) {
  if (!memories.length) return null;
  return h(
    "details",
    {},
    h("summary", {}, count(memories.length, "memory names it", "memories name it")),
    h(
      "ul",
      { class: "plain" },
      memories.map((one) =>
        h("li", { dir: "auto" }, link(href("memory", one.id), {}, one.title), " ", h("span", { class: "muted" }, one.kind)),
      ),
    ),
  );
}

function change(one) {
  const spans = one.lines.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(", ");
  const title = one.commit ? `${one.commit.id.slice(0, 10)} ${one.commit.subject}` : "Not committed yet";
  return h(
    "li",
    { class: "memory" },
    h("div", { class: "memory-head" }, h("strong", { dir: "auto" }, title), one.commit ? null : badge("working tree", "accent")),
    h(
      "p",
      { class: "meta" },
      one.commit ? h("span", {}, one.commit.author) : null,
      one.commit ? moment(one.commit.at) : null,
      one.place ? h("code", {}, `${one.place.path}:${one.place.line}`) : null,
      spans ? h("span", {}, `lines ${spans}`) : null,
      one.moved_from ? h("span", {}, `from ${one.moved_from.path}:${one.moved_from.line}, next`) : null,
    ),
    linked("Took back ", one.took_back),
    linked("Taken back by ", one.taken_back_by, "taken-back"),
    one.text ? h("pre", { dir: "auto" }, one.text) : null,
    one.commit?.message ? h("p", { class: "summary", dir: "auto" }, withCommits(one.commit.message)) : null,
    one.sessions.length ? one.sessions.map(session) : h("p", { class: "muted" }, "No session is known."),
    reasons("Decided", one.decisions),
    reasons("Dropped or reverted", one.dropped),
  );
}

/** Returns a commit that can be opened, behind what it has to do with this one; nothing for none. */
function linked(words, commit, name = "") {
  if (!commit) return null;
  const to = link(href("why", "", { target: commit.id }), {}, h("code", {}, short(commit.id)), ` ${commit.subject}`);
  const by = h("span", { dir: "auto" }, words, to, ` by ${commit.author}`);
  return h("p", { class: `meta ${name}`.trim() }, by, moment(commit.at));
}

/** Returns a message in which the commits that it names can be opened. */
function withCommits(message) {
  return message
    .split(/\b([0-9a-f]{40}|[0-9a-f]{64})\b/)
    .map((part, at) => (at % 2 ? link(href("why", "", { target: part }), {}, h("code", {}, short(part))) : part));
}

function session(one) {
  return h(
    "div",
    {},
    h(
      "p",
      { class: "meta" },
      link(href("session", one.id), { dir: "auto" }, one.title),
      h("span", {}, one.harness),
      h("span", {}, one.how === "committed" ? "made the commit" : "edited the file before"),
    ),
    one.prompts.map((prompt) => h("p", { class: "summary", dir: "auto" }, prompt.text)),
  );
}

function reasons(label, all) {
  if (!all.length) return null;
  return [
    h("h2", {}, label),
    h(
      "ul",
      { class: "plain" },
      all.map((one) =>
        h(
          "li",
          { dir: "auto" },
          one.id.startsWith("M-") ? link(href("memory", one.id), {}, one.text) : one.text,
          " ",
          one.state === "holds" || one.state === "dropped" ? null : badge(STANDING[one.state] || one.state, "plain"),
          " ",
          moment(one.created_at),
          one.detail ? h("p", { class: "muted" }, one.detail) : null,
          one.earlier.map((old) => h("p", { class: "muted" }, `before: ${old.text}`)),
        ),
      ),
    ),
  ];
}
