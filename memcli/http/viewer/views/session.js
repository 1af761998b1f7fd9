// One session as a timeline: what was asked, what was done for it, what was answered, what it came to.

import { get, of } from "../lib/api.js";
import { fill, h, link } from "../lib/dom.js";
import { paced } from "../lib/pace.js";
import { href } from "../lib/route.js";
import { badge, exposure, marks, topic } from "../lib/rows.js";
import { trouble } from "../lib/toast.js";
import { CONSIDERED, NOTHING, NOT_KNOWN, occasion, silentTurns, turnPlace, whyNothing } from "./turns.js";
import { LEFT, isClosed, outcome, pointButton } from "./points.js";
import { waterfall } from "./waterfall.js";
import { clock, count, date, lasted, when } from "../lib/words.js";

const MOST_STATEMENTS = 200;
const MOST_TURNS = 200;
const OF_POINTS = /^(user-prompt|memory-(forgotten|restored|erased))/; // events by which a point may be closed, or open again

export async function show(context) {
  const { root, id, params, signal } = context;
  let sessionId = null;
  const reasons = silentReasons(signal);
  const draw = async () => {
    const session = await get(of("/v2/sessions", id), {}, signal);
    const [{ items: turns }, { items: silent }, points, acts] = await Promise.all([
      get("/v2/turns", { session: session.id, limit: MOST_TURNS }, signal),
      silentTurns(MOST_TURNS, session.id, signal),
      get("/v2/items", { ...LEFT, session: session.id, limit: MOST_STATEMENTS, counts: false }, signal),
      get(of("/v2/sessions", session.id, "/acts"), {}, signal),
    ]);
    sessionId = session.id;
    const left = await leftOpen(points.items, () => draw().catch(trouble), signal);
    const closed = points.items.filter(isClosed);
    fill(root, page(session, [...turns, ...silent], left, closed, acts.items), waterfall(session, acts));
    reasons.disconnect();
    for (const element of root.querySelectorAll("[data-silent]")) reasons.observe(element);
  };
  await draw();
  const target = await partAt(root, params.get("at") || "", sessionId, signal);
  if (params.get("at") && !target) context.say(`Nothing in this session has the id ${params.get("at")}.`);
  target?.classList.add("is-meant");
  context.onShown = () => target?.scrollIntoView({ block: "center" });
  const follow = paced(draw, 300, signal);
  context.onEvent = (name, data, isOld) => {
    const session = data.session?.id || data.id;
    if (!isOld && (session === sessionId || OF_POINTS.test(name))) follow();
  };
}

/** Returns what says why prompts were told nothing: each is asked for once it is seen, as judging it takes a while. */
function silentReasons(signal) {
  const answers = new Map(); // by prompt, as the view is drawn anew while the session goes on
  const explain = async (element) => {
    const id = element.dataset.silent;
    if (!answers.has(id)) answers.set(id, get(of("/v2/untold", id), {}, signal).then(whyNothing));
    element.textContent = await answers.get(id);
  };
  const observer = new IntersectionObserver((entries) => {
    for (const { target } of entries.filter((entry) => entry.isIntersecting)) {
      observer.unobserve(target);
      explain(target).catch(() => null); // it says what is known of every such prompt
    }
  });
  signal.addEventListener("abort", () => observer.disconnect());
  return observer;
}

/** Returns what an address names: a prompt, or a statement of it or of its answer by its id, P-1#a2. */
async function partAt(root, at, session, signal) {
  const [prompt, part] = at.split("#");
  const owner = root.querySelector(`[id="${CSS.escape(isOfAnswer(part) ? answerOf(prompt) : prompt)}"]`);
  if (!owner || !part) return owner;
  const { items } = await get("/v2/items", { type: "passage", session, limit: MOST_STATEMENTS, counts: false }, signal);
  return marked(owner, items.find((item) => item.id === at)?.title || "");
}

/** Marks words in the text of a moment. Returns where they stand; the moment, where they are not in it as they are. */
function marked(moment, words) {
  const text = moment.querySelector(".text")?.firstChild;
  const exact = words.replace(/…$/, "").replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const match = words && text ? text.data.match(new RegExp(exact.replace(/\s+/g, "\\s+"))) : null;
  if (!match) return moment;
  const range = document.createRange();
  range.setStart(text, match.index);
  range.setEnd(text, match.index + match[0].length);
  const mark = h("mark", {});
  range.surroundContents(mark);
  return mark;
}

const isOfAnswer = (part) => Boolean(part) && !/^\d/.test(part);
const answerOf = (prompt) => `${prompt}-answer`;

function page(session, turns, left, closed, acts) {
  const byPrompt = new Map(turns.map((turn) => [turn.prompt, turn]));
  const numbers = new Set(session.prompt_list.map((prompt) => prompt.number));
  const moments = [
    ...session.observations
      .filter((memory) => !numbers.has(memory.prompt))
      .map((memory) => [memory.created_at, observationRow(memory)]),
    ...turns.filter((turn) => !turn.prompt).map((turn) => [turn.prepared_at, turnRow(turn, session)]),
  ].sort((a, b) => a[0].localeCompare(b[0]));
  const days = dayMarks();
  return [
    link(href("sessions"), { class: "back" }, "All sessions"),
    h("div", { class: "head" }, h("h1", { dir: "auto" }, session.title)),
    h(
      "p",
      { class: "meta" },
      h("code", {}, session.id),
      h("span", {}, `${session.harness} ${session.key}`),
      h("span", {}, when(session.started_at)),
      h("span", {}, lasted(session.started_at, session.ended_at || session.last_at)),
      h("span", {}, count(session.prompts, "prompt")),
      h("span", {}, session.status),
      h("code", {}, session.root),
    ),
    topic(session),
    session.summary_text ? summary(session, closed) : null,
    left,
    h(
      "section",
      {},
      h("h2", {}, "Timeline"),
      h(
        "ol",
        { class: "timeline" },
        moments.map(([at, row]) => [days(at), row]),
        session.prompt_list.map((prompt) => [days(prompt.created_at), turn(prompt, session, byPrompt.get(prompt.id), acts)]),
        session.ended_at ? [days(session.ended_at), end(session)] : null,
      ),
    ),
  ];
}

/** Returns a function that names a day where it is another than the one before. */
function dayMarks() {
  let last = "";
  return (at) => {
    const day = date(at);
    if (day === last) return null;
    last = day;
    return h("li", { class: "day" }, h("time", { datetime: at }, day));
  };
}

const SECTION = /^(Asked|Left|Done|Learned|Said last|Tools said \(quoted\)|Files): /;

/** Returns the summary of a session in its sections. What was asked stands in the timeline already. `closed`: points. */
function summary(session, closed) {
  const sections = [];
  for (const line of session.summary_text.split("\n")) {
    const name = line.match(SECTION)?.[1];
    if (name || !sections.length) sections.push([name || "", line.replace(SECTION, "")]);
    else sections.at(-1)[1] += `\n${line}`;
  }
  const shownSections = sections.filter(([name]) => name !== "Asked");
  if (!shownSections.length) return null;
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, "Summary"),
    h(
      "dl",
      { class: "summary-parts" },
      shownSections.map(([name, text]) => [h("dt", {}, name || "What it was"), h("dd", { dir: "auto" }, items(text, closed))]),
    ),
    session.summary ? link(href("memory", session.summary), { class: "small" }, "as a memory") : null,
  );
}

/** Returns what the session left open; of what is closed since, also what became of it. */
async function leftOpen(points, done, signal) {
  const shown = points.filter((point) => point.state === "holds" || isClosed(point));
  if (!shown.length) return null;
  const row = async (point) =>
    h(
      "li",
      {},
      h("span", { dir: "auto", class: isClosed(point) ? "muted" : null }, point.title || point.snippet),
      " ",
      isClosed(point) ? [h("small", {}, await outcome(point, signal)), " "] : null,
      pointButton(point, done),
    );
  const rows = await Promise.all(shown.map(row));
  return h("section", { class: "panel" }, h("h2", {}, "Left open"), h("ul", { class: "plain" }, rows));
}

/** Returns the items of a section of the summary, with a mark behind what is closed since. */
function items(text, closed) {
  const points = closed.map((point) => point.title.replace(/[.…]$/, "")).filter(Boolean);
  const each = text.split("; ");
  return each.length > 1
    ? h(
        "ul",
        {},
        each.map((item) => h("li", {}, withMarks(item, points))),
      )
    : withMarks(text, points);
}

function withMarks(text, points) {
  const point = points.find((words) => text.includes(words));
  if (!point) return [text];
  const [before, ...after] = text.split(point);
  const rest = after.join(point);
  const end = rest.match(/^\S*/)[0];
  return [withMarks(before, points), point, end, " ", badge("closed since", "accent"), withMarks(rest.slice(end.length), points)];
}

/** Returns what was done in a turn, in its order: what hooks saw, and the commits of which that does not tell. */
function done(number, observations, acts) {
  const own = observations.filter((memory) => memory.prompt === number);
  const isTold = ({ title }) => own.some((memory) => isOfCommit(memory, title.slice(title.indexOf(" ") + 1)));
  const commits = acts.filter((act) => act.lane === "commit" && act.number === number && !isTold(act));
  const order = new Map(acts.map((act, at) => [act.id, at]));
  const placeIn = ({ id }) => order.get(id) ?? acts.length;
  return [
    ...own.map((memory) => [placeIn(memory), observationRow(memory)]),
    ...commits.map((act) => [placeIn(act), commitRow(act)]),
  ]
    .sort((a, b) => a[0] - b[0])
    .map(([, element]) => element);
}

const COMMITTED = "Committed: ";
const isOfCommit = ({ title }, subject) =>
  Boolean(subject) && title.startsWith(COMMITTED) && subject.startsWith(title.slice(COMMITTED.length).replace(/…$/, ""));

function commitRow(act) {
  const [hash, ...subject] = act.title.split(" ");
  return h(
    "li",
    { class: "moment seen" },
    h(
      "p",
      { class: "meta" },
      h("time", { datetime: act.at, title: when(act.at) }, clock(act.at)),
      h("span", {}, "commit"),
      h("code", {}, hash.slice(0, 7)),
    ),
    h("p", {}, link(href("why", "", { target: act.id }), { dir: "auto" }, subject.join(" ") || hash)),
  );
}

function turn(prompt, { id, observations }, answer, acts) {
  const text = prompt.text || (prompt.skipped ? `not kept: ${prompt.skipped}` : "");
  return [
    h(
      "li",
      { class: "moment prompt", id: prompt.id },
      h(
        "p",
        { class: "meta" },
        h("time", { datetime: prompt.created_at, title: when(prompt.created_at) }, clock(prompt.created_at)),
        h("span", {}, `prompt ${prompt.number}`),
        turnLink(answer, id),
      ),
      h("p", { class: prompt.text ? "text asked" : "muted", dir: "auto" }, text),
    ),
    done(prompt.number, observations, acts),
    prompt.files.length
      ? h(
          "li",
          { class: "moment seen" },
          h("p", { class: "meta" }, h("span", {}, `read ${count(prompt.files.length, "file")} in this turn`)),
          h("p", { class: "summary", dir: "auto" }, prompt.files.join(", ")),
        )
      : null,
    prompt.reply
      ? h(
          "li",
          { class: "moment reply", id: answerOf(prompt.id) },
          h("p", { class: "meta" }, h("span", {}, "answer")),
          h("p", { class: "text", dir: "auto" }, prompt.reply),
        )
      : null,
  ];
}

/** Returns what a prompt was told, as a link to the reasons, or that it is too long ago. */
function turnLink(turn, session) {
  if (!turn) return h("span", {}, NOT_KNOWN);
  const address = turnPlace({ id: turn.id, session });
  if (turn.isSilent)
    return [badge("told nothing new"), h("span", { "data-silent": turn.id }, NOTHING), link(address, {}, CONSIDERED)];
  return [h("span", {}, `${count(turn.tokens, "token")} told`), link(address, {}, "what it was told, and why")];
}

/** Returns the moment of a turn that no prompt asked for. */
function turnRow(turn, session) {
  return h(
    "li",
    { class: "moment" },
    h(
      "p",
      { class: "meta" },
      h("time", { datetime: turn.prepared_at, title: when(turn.prepared_at) }, clock(turn.prepared_at)),
      h("span", {}, occasion(turn).toLowerCase()),
      turnLink(turn, session.id),
    ),
  );
}

function observationRow(memory) {
  const text = memory.summary
    .split("\n")
    .filter((line) => !line.startsWith("Asked: "))
    .join("\n"); // it stands above
  return h(
    "li",
    { class: "moment seen" },
    h(
      "p",
      { class: "meta" },
      h("time", { datetime: memory.created_at, title: when(memory.created_at) }, clock(memory.created_at)),
      exposure(memory),
      memory.tools.map((tool) => badge(tool, "plain", "a tool call")),
      h("span", {}, memory.kind),
      marks({ superseded_by: memory.superseded_by, superseded_how: memory.superseded_how }),
    ),
    h("p", {}, link(href("memory", memory.id), { dir: "auto" }, memory.title)),
    text.trim() ? h("p", { class: "summary lines", dir: "auto" }, text.trim()) : null,
  );
}

function end(session) {
  return h(
    "li",
    { class: "moment end" },
    h(
      "p",
      { class: "meta" },
      h("time", { datetime: session.ended_at }, clock(session.ended_at)),
      h("span", {}, `ended${session.reason ? `: ${session.reason}` : ""}`),
    ),
  );
}
