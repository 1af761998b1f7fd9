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
const MOST_FURTHER = 5; // memories that may say more
const LOOKED_AT = 30;
const OF_COMMIT = /^Committed: /; // says what the lines say already
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
    const answer = await explain(target, status, signal);
    if (!answer) return;
    if (answer.kind !== "commit") lines(target, code, signal).catch(trouble); // a commit has no lines to show
    fill(list, answer.changes.map(change));
    const reverted = answer.changes.find((entry) => entry.taken_back_by);
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

async function explain(target, status, signal) {
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
  const range = [Number(first || 0), Number(last || first || 0)];
  let file;
  try {
    file = await get("/v2/code", { path, line: Math.max(1, range[0] - CODE / 2), limit: CODE }, signal);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return;
  }
  const commits = new Map(file.commits.map((commit) => [commit.id, commit]));
  let before;
  const rows = file.lines.map((line) => {
    const isNew = line.commit !== before;
    before = line.commit;
    const isMeant = line.number >= range[0] && line.number <= range[1];
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
  const meant = new Set(file.lines.filter(({ number }) => number >= range[0] && number <= range[1]).map((line) => line.commit));
  const subjects = file.commits.filter((commit) => !meant.size || meant.has(commit.id)).map((commit) => commit.subject);
  further(file, subjects, side, signal).catch(trouble);
  requestAnimationFrame(() => side.querySelector(".is-meant")?.scrollIntoView({ block: "center" }));
}

/** Adds the memories that a search finds by a file's name and the subjects of commits, without those that name the file. */
async function further(file, subjects, side, signal) {
  const name = file.path.split("/").at(-1);
  const query = wordsOf([name, name.replace(/(?!^)\..*$/, ""), ...subjects].join(" "));
  const { items } = await get("/v2/memories", { query, limit: LOOKED_AT }, signal);
  const known = new Set(file.memories.map((memory) => memory.id));
  const rest = items.filter((memory) => !known.has(memory.id) && !OF_COMMIT.test(memory.title)).slice(0, MOST_FURTHER);
  side.append(
    h(
      "section",
      { class: "further" },
      h("h2", {}, "Memories that may say more"),
      rest.length ? h("ul", { class: "plain" }, rest.map(named)) : h("p", { class: "muted" }, "No other memory has its words."),
      h("p", {}, searched(name)),
    ),
  );
}

/** Returns the words of a text, each once, as a search in which none is an operator. */
const wordsOf = (text) =>
  [...new Set(text.match(/[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.-]*/gu) || [])]
    .map((word) => (/^(AND|OR|NOT)$/.test(word) ? word.toLowerCase() : word))
    .join(" ")
    .slice(0, LONGEST);

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
    h("ul", { class: "plain" }, memories.map(named)),
  );
}

const named = (memory) =>
  h("li", { dir: "auto" }, link(href("memory", memory.id), {}, memory.title), " ", h("span", { class: "muted" }, memory.kind));

function change(entry) {
  const spans = entry.lines.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(", ");
  const title = entry.commit ? `${entry.commit.id.slice(0, 10)} ${entry.commit.subject}` : "Not committed yet";
  return h(
    "li",
    { class: "memory" },
    h(
      "div",
      { class: "memory-head" },
      h("strong", { dir: "auto" }, title),
      entry.commit ? null : badge("working tree", "accent"),
    ),
    h(
      "p",
      { class: "meta" },
      entry.commit ? h("span", {}, entry.commit.author) : null,
      entry.commit ? moment(entry.commit.at) : null,
      entry.place ? h("code", {}, `${entry.place.path}:${entry.place.line}`) : null,
      spans ? h("span", {}, `lines ${spans}`) : null,
      entry.moved_from ? h("span", {}, `from ${entry.moved_from.path}:${entry.moved_from.line}, next`) : null,
    ),
    commitLink("Took back ", entry.took_back),
    commitLink("Taken back by ", entry.taken_back_by, "taken-back"),
    entry.text ? h("pre", { dir: "auto" }, entry.text) : null,
    entry.commit?.message ? h("p", { class: "summary", dir: "auto" }, withCommits(entry.commit.message)) : null,
    entry.sessions.length ? entry.sessions.map(session) : h("p", { class: "muted" }, "No session is known."),
    reasons("Decided", entry.decisions),
    reasons("Dropped or reverted", entry.dropped),
  );
}

/** Returns a commit that can be opened, behind what it has to do with this one; nothing for none. */
function commitLink(words, commit, name = "") {
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

function session(item) {
  return h(
    "div",
    {},
    h(
      "p",
      { class: "meta" },
      link(href("session", item.id), { dir: "auto" }, item.title),
      h("span", {}, item.harness),
      h("span", {}, item.how === "committed" ? "made the commit" : "edited the file before"),
    ),
    item.prompts.map((prompt) => h("p", { class: "summary", dir: "auto" }, prompt.text)),
  );
}

function reasons(label, all) {
  if (!all.length) return null;
  return [
    h("h2", {}, label),
    h(
      "ul",
      { class: "plain" },
      all.map((reason) =>
        h(
          "li",
          { dir: "auto" },
          reason.id.startsWith("M-") ? link(href("memory", reason.id), {}, reason.text) : reason.text,
          " ",
          reason.state === "holds" || reason.state === "dropped" ? null : badge(STANDING[reason.state] || reason.state, "plain"),
          " ",
          moment(reason.created_at),
          reason.detail ? h("p", { class: "muted" }, reason.detail) : null,
          reason.earlier.map((old) => h("p", { class: "muted" }, `before: ${old.text}`)),
        ),
      ),
    ),
  ];
}
