// What happens, as it happens.

import { button, fill, h, link, select } from "../lib/dom.js";
import { roving } from "../lib/keys.js";
import { href } from "../lib/route.js";
import { badge } from "../lib/rows.js";
import { clock, count, date, when } from "../lib/words.js";

const SORTS = [
  ["", "everything"],
  ["memory", "memories"],
  ["observation", "observations"],
  ["user-prompt", "prompts"],
  ["session", "sessions"],
  ["state", "state"],
];

export async function show(context) {
  const { root, channel } = context;
  let sort = "";
  let isPaused = false;
  let missed = 0;
  const list = h("ol", { class: "feed" });
  const log = h("div", { role: "log", "aria-label": "Events, the newest first", "aria-relevant": "additions" }, list);
  const settle = roving(list);
  const empty = h("p", { class: "muted" }, "Nothing happened here yet. What agents and people keep shows up here at once.");
  const fits = (name) => !sort || name.startsWith(sort);
  const draw = () => {
    log.setAttribute("aria-busy", "true"); // what was there before is not read out
    fill(
      list,
      latestFirst(channel.events.filter((event) => fits(event.name))).map((event) => row(event.name, event.data)),
    );
    empty.hidden = list.children.length > 0;
    settle();
    log.removeAttribute("aria-busy");
  };
  /** Puts a row where its moment is: what a hook saw is stored later than it happened. */
  const insert = (element) => {
    const at = momentOf(element);
    list.insertBefore(element, [...list.children].find((other) => momentOf(other) <= at) || null);
  };
  const pause = button(
    "Pause",
    () => {
      isPaused = !isPaused;
      missed = 0;
      pause.setAttribute("aria-pressed", String(isPaused));
      pause.textContent = isPaused ? "Go on" : "Pause";
      if (!isPaused) draw();
    },
    { "aria-pressed": "false" },
  );
  root.append(
    h(
      "div",
      { class: "head" },
      h("h1", {}, "Live feed"),
      h(
        "div",
        { class: "row" },
        select(
          SORTS,
          "",
          (value) => {
            sort = value;
            draw();
          },
          { "aria-label": "Show" },
        ),
        pause,
      ),
    ),
    empty,
    log,
  );
  draw();
  let timer = 0;
  context.onEvent = (name, data, isOld) => {
    if (isPaused && name !== "ready") {
      missed += 1;
      pause.textContent = `Go on (${count(missed, "event")})`;
    } else if (isOld) {
      clearTimeout(timer);
      timer = setTimeout(draw, 30);
    } else if (fits(name)) {
      insert(row(name, data));
      if (list.children.length > 200) list.lastElementChild.remove();
      empty.hidden = true;
      settle();
    }
  };
}

const momentOf = (element) => element.querySelector("time").dateTime;

/** Returns events by when they happened, those of one moment by their revision. */
const latestFirst = (events) =>
  [...events].sort((a, b) => b.data.happened_at.localeCompare(a.data.happened_at) || b.data.revision - a.data.revision);

const TITLES = {
  "observation-created": "observed",
  "session-summary-created": "summed up",
  "user-prompt-created": "asked",
  "user-prompt-updated": "answered",
  "memory-created": "remembered",
  "memory-updated": "changed",
  "memory-forgotten": "forgotten",
  "memory-restored": "restored",
  "memory-superseded": "superseded",
  "memory-linked": "linked",
  "memory-erased": "erased",
  "session-created": "session began",
  "session-updated": "session",
  "state-changed": "checkpoint",
  "thread-changed": "thread",
  "profile-changed": "profile",
  "note-changed": "note",
  undo: "undone",
};
const TONES = {
  "memory-forgotten": "bad",
  "memory-erased": "bad",
  "memory-created": "accent",
  "observation-created": "accent",
  "state-changed": "warn",
};

function row(name, data) {
  return h(
    "li",
    { class: "event" },
    h(
      "time",
      { datetime: data.happened_at, title: when(data.happened_at) },
      h("span", { class: "date" }, date(data.happened_at).slice(5)),
      clock(data.happened_at),
    ),
    badge(TITLES[name] || name, TONES[name] || "plain"),
    h(
      "div",
      { class: "what" },
      subject(data),
      relation(data.link),
      h(
        "p",
        { class: "meta" },
        h("code", {}, data.id),
        h("span", {}, data.actor === "http" ? "on this page, or over HTTP" : `by ${data.actor}`),
        h("span", {}, `revision ${data.revision}`),
      ),
    ),
  );
}

function subject(data) {
  const stop = { "data-stop": true, dir: "auto" };
  if (data.memory) return link(href("memory", data.memory.id), stop, data.memory.title);
  if (data.prompt)
    return h("span", { ...stop, tabindex: -1 }, data.prompt.text || `A prompt that was not kept: ${data.prompt.skipped}`);
  if (data.session) return link(href("session", data.session.id), stop, data.session.title);
  if (data.state) return link(href("state", "", { to: data.state.state_id }), stop, data.state.reason);
  if (data.id.startsWith("M-")) return link(href("memory", data.id), stop, `${data.id}, a memory that is hidden now`);
  return h("span", { ...stop, tabindex: -1 }, words(data));
}

/** Returns what a memory was linked with, and how. */
function relation(edge) {
  if (!edge) return null;
  const target = /^[MC]-/.test(edge.to)
    ? link(href("memory", edge.to), { dir: "auto" }, edge.title || edge.to)
    : h("code", {}, edge.to);
  return h("p", { class: "relation" }, edge.removed ? "no longer " : "", `${edge.rel} `, target);
}

/** Returns what an event says of a thing that has no view of its own. */
function words(data) {
  if (data.note) return firstLine(data.note.text);
  if (data.entry) return `${data.entry.key}: ${firstLine(data.entry.value)}`;
  if (data.thread) return data.thread.title;
  if (data.undone)
    return `Taken back: ${KINDS[data.undone.k] || data.undone.k} ${data.undone.b.title || data.undone.b.text || data.undone.o}`;
  const gone = {
    "N-": "A note that is gone now",
    "K-": "A key that is gone now",
    "T-": "A thread that is gone now",
    "P-": "A prompt that is gone now",
  };
  return gone[data.id.slice(0, 2)] || data.id;
}

const KINDS = { put: "writing", supersede: "replacing", profile: "setting", state: "the checkpoint", note: "the note" };

function firstLine(text) {
  return text.trim().split("\n", 1)[0];
}
