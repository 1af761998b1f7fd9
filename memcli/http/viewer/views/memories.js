// Memories: search as you type, filters, and what can be done with each.

import * as actions from "../lib/actions.js";
import { KINDS } from "../lib/actions.js";
import { get, newest } from "../lib/api.js";
import { button, choices, field, fill, h, link, select } from "../lib/dom.js";
import { roving } from "../lib/keys.js";
import { keepState, rowsFrom, stateOf } from "../lib/liststate.js";
import { paced } from "../lib/pace.js";
import { refuse } from "../lib/problems.js";
import { go, href, keep } from "../lib/route.js";
import { row } from "../lib/rows.js";
import { trouble } from "../lib/toast.js";
import { WindowedList } from "../lib/windowed.js";
import { ANCHORS, FRESHNESS, STATES, WRITERS, count, figure, sessionName } from "../lib/words.js";
import { SETS, SET_NAMES } from "./usagechart.js";

const PAGE = 30;
const NEXT = 100; // rows that Show more brings
const PAUSE = 20; // ms after a key before the search is made: longer than between two keys of one stroke
const FILTERS = ["kind", "thread", "origin", "session", "since", "until", "anchor", "anchor_state", "freshness", "only"];
// What "only" stands for in the service's words.
const ONLY = {
  pinned: { pinned: true },
  current: { superseded: false },
  superseded: { superseded: true },
  forgotten: { forgotten: true },
  ...SETS,
  shared: { shared: true },
};
const ONLY_NAMES = { ...SET_NAMES, shared: "shared with other stores" };

export async function show(context) {
  const { root, params, signal } = context;
  const criteria = { query: params.get("q") || "" };
  for (const name of FILTERS) criteria[name] = params.get(name) || "";
  const list = h("ul", { class: "list", "aria-label": "Memories" });
  const status = h("p", { class: "muted", role: "status" });
  const more = button("Show more", () => load(rows.length).catch(trouble), { hidden: true });
  const settle = roving(list);
  const rows = new WindowedList(list, (memory) => row(memory, () => again(Math.max(PAGE, rows.length))), settle, signal);
  const next = newest(signal);
  let timer = 0;

  async function load(offset = 0, length = offset ? NEXT : PAGE) {
    const ownSignal = next();
    const { only, ...all } = criteria;
    const plain = Object.fromEntries(Object.entries(all).filter(([, value]) => value));
    const page = (from, limit) => get("/v2/memories", { ...plain, ...ONLY[only], limit, offset: from }, ownSignal);
    let matches;
    try {
      matches = await rowsFrom(page, offset, length);
    } catch (error) {
      if (error.name === "AbortError") throw error; // a later question: its answer replaces what is there
      rows.replace([]);
      more.hidden = true;
      return refuse(status, error, link(href("memories", "", { q: criteria.query }), {}, "Without filters"));
    }
    const items = matches.items;
    const focused = list.contains(document.activeElement) ? document.activeElement.closest("li") : null;
    const at = focused ? [...list.children].indexOf(focused) : 0;
    if (offset) rows.append(items);
    else rows.replace(items);
    settle();
    if (focused && !offset) focusOn(list, focused.dataset.memory, at);
    if (offset) focusOn(list, items[0]?.id, -1);
    more.hidden = !matches.has_more;
    fill(status, summed(matches), aside(matches));
  }

  const summed = ({ total, capped, not_on_this_branch: elsewhere, superseded: replaced }) => {
    const many = capped ? `${figure(total)}+ memories` : count(total, "memory", "memories");
    if (total) return criteria.query ? `${many} ${total === 1 ? "matches" : "match"}, the best first` : many;
    if (elsewhere + replaced) return "Nothing that holds here matches";
    return criteria.query || FILTERS.some((name) => criteria[name])
      ? "Nothing matches. Other words, or fewer filters?"
      : "Nothing is remembered yet. Press n to begin.";
  };
  /** Returns how many more match and are not shown, as links that show them. */
  const aside = ({ not_on_this_branch: elsewhere, superseded: replaced }) => {
    const { query, ...filters } = criteria;
    const hiddenLink = (n, word, filter) =>
      n ? link(href("memories", "", { q: query, ...filters, ...filter }), {}, `${figure(n)} ${word}`) : null;
    const parts = [
      hiddenLink(replaced, STATES.superseded, { only: "superseded" }),
      hiddenLink(elsewhere, ANCHORS.orphan, { anchor_state: "orphan" }),
    ].filter(Boolean);
    return parts.length
      ? [`; ${figure(elsewhere + replaced)} not shown: `, parts.flatMap((part, at) => (at ? [", ", part] : [part]))]
      : null;
  };
  const again = (length = PAGE) => load(0, length).catch(trouble);
  const follow = paced(() => load(0, Math.max(PAGE, rows.length)), 150, signal);
  const noteAddress = keepState("memories", signal, () => ({ length: rows.length, id: openedIn(list) }));
  const change = (name, value, pause = 0) => {
    criteria[name] = value.trim();
    const { query, ...filters } = criteria;
    keep("memories", "", { q: query, ...filters });
    noteAddress();
    clearTimeout(timer);
    timer = setTimeout(again, pause);
    count_();
  };
  const search = h("input", {
    type: "search",
    value: criteria.query,
    "data-search": true,
    "aria-label": "Search memories",
    "aria-keyshortcuts": "/",
    placeholder: 'Search: words, "a phrase", prefix*, AND, OR, NOT',
    autocomplete: "off",
    spellcheck: "false",
    on: {
      input: () => change("query", search.value, PAUSE),
      keydown: (event) => {
        if (event.key === "ArrowDown" && list.children.length) {
          event.preventDefault();
          list.querySelector("[data-stop]").focus();
        }
      },
    },
  });
  const summary = h("summary", {});
  const count_ = () => {
    const set = FILTERS.filter((name) => criteria[name]).length;
    summary.textContent = set ? `Filters (${set})` : "Filters";
  };
  count_();
  const filters = h(
    "details",
    { class: "filters", open: matchMedia("(min-width: 60rem)").matches },
    summary,
    h("div", { class: "filter-grid" }, fields(criteria, change, signal)),
  );
  root.append(
    h(
      "div",
      { class: "head" },
      h("h1", {}, "Memories"),
      button("Remember…", () => actions.add((id) => id && go("memory", id)), { class: "strong", "aria-keyshortcuts": "n" }),
    ),
    h("search", { class: "search", role: "search" }, search, filters),
    status,
    list,
    more,
  );
  const before = stateOf();
  await load(0, before?.length || PAGE);
  context.onShown = () => (before ? back(rows, list, before) : rows.update());
  context.onEvent = (name, data, isOld) => {
    if (!isOld && /^(memory|observation|session-summary|undo)/.test(name)) follow();
  };
}

/** Returns which memory of a list was opened last, else none. */
const openedIn = (list) => list.querySelector("[data-stop][tabindex='0']")?.closest("li").dataset.memory;

/** Leads back to where the list was left. */
function back(rows, list, { y, id }) {
  rows.update();
  scrollTo(0, y);
  rows.update();
  focusOn(list, id, -1);
}

/** Gives the focus back to a memory; where it is gone, to what stands in its place. */
function focusOn(list, id, at) {
  const rows = [...list.children];
  const target = rows.find((row) => row.dataset.memory === id) || rows[Math.min(at, rows.length - 1)];
  target?.querySelector("[data-stop]").focus({ preventScroll: true });
}

/** Returns the filters. Threads and sessions come later: the list does not wait for them. */
function fields(criteria, change, signal) {
  const withChosen = (name, options) => {
    const isThere = !criteria[name] || options.some(([value]) => value === criteria[name]);
    return [["", "any"], ...options, ...(isThere ? [] : [[criteria[name], criteria[name]]])];
  };
  const chooser = (name, options) => select(withChosen(name, options), criteria[name], (value) => change(name, value));
  const pick = (label, name, options) => field(label, chooser(name, options));
  const pickLate = (label, name, path, params, option) => {
    const choice = chooser(name, []);
    get(path, params, signal)
      .then(({ items }) => fill(choice, choices(withChosen(name, items.map(option)), criteria[name])))
      .catch(() => null); // the list tells what is the matter
    return field(label, choice);
  };
  const text = (label, name, props) =>
    field(label, h("input", { value: criteria[name], ...props, on: { change: (event) => change(name, event.target.value) } }));
  return [
    pick(
      "Kind",
      "kind",
      KINDS.map((kind) => [kind, kind]),
    ),
    pickLate("Thread", "thread", "/v2/threads", {}, (thread) => [
      thread.thread_id,
      `${thread.thread_id} (${thread.memory_count})`,
    ]),
    pick("Written by", "origin", Object.entries({ ...WRITERS, import: "an import" })),
    pickLate("Session", "session", "/v2/sessions", { limit: 100 }, (session) => [session.id, sessionName(session, 60)]),
    pick("Its commit is", "anchor_state", Object.entries(ANCHORS)),
    pick("Files", "freshness", Object.entries(FRESHNESS)),
    pick(
      "Only",
      "only",
      Object.keys(ONLY).map((name) => [name, ONLY_NAMES[name] || name]),
    ),
    text("From", "since", { type: "date" }),
    text("Until", "until", { type: "date" }),
    text("Written on commit", "anchor", {
      placeholder: "4 digits or more",
      pattern: "[0-9a-fA-F]{4,64}",
      spellcheck: "false",
      autocomplete: "off",
    }),
  ];
}
