// Everything that is stored in one list: search as you type, narrowed by facets with their counts.

import { get, newest } from "../lib/api.js";
import { afterPaint, button, fill, h, link } from "../lib/dom.js";
import { roving } from "../lib/keys.js";
import { backTo, keepState, leftAt, rowsFrom, stateOf } from "../lib/liststate.js";
import { refuse } from "../lib/problems.js";
import { href, keep, placeOf } from "../lib/route.js";
import { badge, exposure, moment, order } from "../lib/rows.js";
import { trouble } from "../lib/toast.js";
import { STATES, TYPES, count, figure, superseded } from "../lib/words.js";
import { isClosed, pointButton } from "./points.js";

const PAGE = 30;
const PAUSE = 20; // ms after a key before the search is made: longer than between two keys of one stroke
const FEW = 8; // values of a facet that are shown before the rest is asked for
const FACETS = [
  ["type", "Type"],
  ["state", "State"],
  ["kind", "Kind"],
  ["origin", "Written by"],
  ["thread", "Thread"],
  ["branch", "Branch"],
  ["file", "File"],
  ["session", "Session"],
];
const NAMES = { type: TYPES, state: STATES };

export async function show(context) {
  const { root, params, signal } = context;
  const criteria = { query: params.get("q") || "" };
  for (const [name] of FACETS) criteria[name] = params.get(name) || "";
  const list = h("ul", { class: "list", "aria-label": "What is stored" });
  const status = h("p", { class: "muted", role: "status" });
  const facets = h("div", { class: "facets" });
  let loaded = 0; // items: those of one exchange share a row
  let merged = 0; // of them, those without a row of their own
  const more = button("Show more", () => load(loaded).catch(trouble), { hidden: true });
  const settle = roving(list);
  const next = newest(signal);
  let timer = 0;

  async function load(offset = 0, length = PAGE) {
    const ownSignal = next();
    const filters = Object.fromEntries(Object.entries(criteria).filter(([, value]) => value));
    const counts = Boolean(criteria.query); // those of all that is stored take long: they are asked for once its rows are painted
    const read = (from, limit) => get("/v2/items", { ...filters, limit, offset: from, counts }, ownSignal);
    let page;
    try {
      page = await rowsFrom(read, offset, length);
    } catch (error) {
      if (error.name === "AbortError") throw error; // a later question: its answer replaces what is there
      fill(list);
      more.hidden = true;
      return refuse(status, error, link(href("all", "", { q: criteria.query }), {}, "Without filters"));
    }
    loaded = offset + page.items.length;
    const groups = together(page.items);
    const rows = groups.map((group) => row(group, again));
    merged = (offset ? merged : 0) + page.items.length - groups.length;
    if (offset) list.append(...rows);
    else fill(list, rows);
    settle();
    if (offset) rows[0]?.querySelector("[data-stop]").focus();
    more.hidden = !page.has_more;
    const isNarrowed = FACETS.some(([name]) => criteria[name]);
    fill(
      status,
      page.total
        ? `${count(page.total, "item")}${page.capped ? " of the best matches; more may match" : ""}${sharing(merged)}`
        : "Nothing matches.",
      page.total || !isNarrowed ? null : [" ", link(href("all", "", { q: criteria.query }), {}, "Without filters")],
    );
    if (!offset) afterPaint(() => narrow(counts ? page.facets : null, filters, ownSignal).catch(trouble));
  }

  const again = () => load(0, Math.max(loaded, PAGE)).catch(trouble);

  /** Paints the counts, which takes as long as the rows, or longer; without any it asks for them. */
  async function narrow(counts, filters, until) {
    if (until.aborted) return;
    facets.setAttribute("aria-busy", "true");
    try {
      draw(counts || (await get("/v2/items", { ...filters, limit: PAGE }, until)).facets);
    } finally {
      facets.removeAttribute("aria-busy");
    }
  }

  const summary = h("summary", {});
  const counted = () => {
    const set = FACETS.filter(([name]) => criteria[name]).length;
    summary.textContent = set ? `Narrow (${set})` : "Narrow";
  };
  counted();
  const noteAddress = keepState("all", signal, () => ({ length: loaded, id: leftAt(list) }));
  const choose = (name, value) => {
    criteria[name] = value;
    const { query, ...filters } = criteria;
    keep("all", "", { q: query, ...filters });
    counted();
    noteAddress();
    clearTimeout(timer);
    timer = setTimeout(() => load().catch(trouble), name === "query" ? PAUSE : 0);
  };

  // By what is wanted now, which what is painted may not show yet.
  const toggle = (name, value) => choose(name, criteria[name] === value ? "" : value);

  function draw(counts) {
    const focused = facets.contains(document.activeElement) ? document.activeElement.getAttribute("data-value") : null;
    const open = new Set([...facets.querySelectorAll("details[open]")].map((box) => box.dataset.facet));
    const states = criteria.kind === "open" ? counts.state.map(ofPoints) : counts.state;
    const values = { ...counts, state: states };
    fill(
      facets,
      FACETS.map(([name, label]) => facet(name, label, values[name], criteria[name], toggle, open)),
    );
    if (focused) facets.querySelector(`[data-value="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }

  const search = h("input", {
    type: "search",
    value: criteria.query,
    "data-search": true,
    "aria-label": "Search everything",
    "aria-keyshortcuts": "/",
    placeholder: "Search memories, prompts, answers, notes, states, sessions, code",
    autocomplete: "off",
    spellcheck: "false",
    on: { input: () => choose("query", search.value.trim()) },
  });
  root.append(
    h("div", { class: "head" }, h("h1", {}, "Everything")),
    h("search", { class: "search", role: "search" }, search),
    h(
      "div",
      { class: "with-facets" },
      h("details", { class: "facet-box", open: matchMedia("(min-width: 60rem)").matches }, summary, facets),
      h("div", { class: "found" }, status, list, more),
    ),
  );
  const before = stateOf();
  await load(0, before?.length || PAGE);
  if (before) context.onShown = () => backTo(list, before);
}

/** Returns a state with the word for it where all that is listed are points that sessions left open. */
const ofPoints = (entry) => (entry.value === "overtaken" ? { ...entry, name: "closed" } : entry);

function facet(name, label, values, chosen, toggle, open) {
  if (!values.length && !chosen) return null;
  const all =
    values.some((entry) => entry.value === chosen) || !chosen ? values : [{ value: chosen, label: chosen, count: 0 }, ...values];
  const sorted = [...all].sort((a, b) => Number(b.value === chosen) - Number(a.value === chosen));
  const rows = sorted.map((entry) => facetValue(name, entry, entry.value === chosen, toggle));
  return h(
    "fieldset",
    { class: "facet" },
    h("legend", {}, label),
    h("ul", {}, rows.slice(0, FEW)),
    rows.length > FEW
      ? h(
          "details",
          { "data-facet": name, open: open.has(name) },
          h("summary", {}, `${rows.length - FEW} more`),
          h("ul", {}, rows.slice(FEW)),
        )
      : null,
  );
}

function facetValue(name, entry, isChosen, toggle) {
  const label = entry.name || NAMES[name]?.[entry.value] || entry.label;
  return h(
    "li",
    {},
    button(
      [h("span", { class: "value", dir: "auto" }, label), h("span", { class: "n" }, figure(entry.count))],
      () => toggle(name, entry.value),
      { class: "quiet", "aria-pressed": String(isChosen), "data-value": `${name} ${entry.value}`, title: entry.label },
    ),
  );
}

/** Returns where an item is shown whole. */
function place(item) {
  if (item.type === "session") return href("session", item.id);
  if (item.type === "state") return href("state", "", { to: item.id });
  return placeOf(item.id, item.session) || href("memory", ownerOf(item));
}

/** Returns how many of the items that are listed have no row of their own, "" for none. */
const sharing = (n) => (n ? `; ${figure(n)} of them ${n === 1 ? "shares" : "share"} the row of what repeats the same words` : "");

/** Returns items in groups: beside a prompt or an answer, what of the same exchange only repeats words of it. */
function together(items) {
  const groups = [];
  for (const item of items) {
    const first = groups.at(-1)?.[0];
    const repeats =
      first &&
      ownerOf(item) === ownerOf(first) &&
      item.state === first.state &&
      [first.title, first.snippet].some((text) => text.includes(item.title.replace(/…$/, "")));
    if (repeats) groups.at(-1).push(item);
    else groups.push([item]);
  }
  return groups;
}

const ownerOf = (item) => item.id.split("#")[0];
/** Returns the word for the state of an item. */
function wordOf(item) {
  if (isClosed(item)) return "closed";
  return item.state === "superseded" ? superseded(item.superseded_how) : STATES[item.state] || item.state;
}

const TONES = { holds: null, forgotten: "bad" };

function row(group, again) {
  const [first] = group;
  const types = [...new Set(group.map((item) => TYPES[item.type]))];
  const tone = first.state in TONES ? TONES[first.state] : "warn";
  return h(
    "li",
    { class: "memory typed" },
    h("span", { class: "type" }, types.join(", ")),
    h(
      "div",
      { class: "memory-head" },
      link(place(first), { class: "title", "data-stop": true, dir: "auto" }, first.title || first.id),
      tone ? badge(wordOf(first), tone) : null,
      order({ suspicious: group.some((item) => item.suspicious) }),
      exposure(first),
    ),
    first.snippet && first.snippet !== first.title ? h("p", { class: "summary", dir: "auto" }, first.snippet) : null,
    h(
      "p",
      { class: "meta" },
      h("code", {}, ownerOf(first)),
      first.kind === first.type ? null : h("span", {}, first.kind),
      first.thread_id ? h("span", {}, first.thread_id) : null,
      moment(first.at),
      first.branch ? h("span", {}, `on ${first.branch}`) : null,
      first.files.length && first.type !== "chunk" ? h("span", {}, first.files.slice(0, 3).join(", ")) : null,
      first.trust === "high" ? null : h("span", {}, `by ${first.origin}`),
      group.map((item) => pointButton(item, again)),
    ),
  );
}
