// Memories along the history of commits: when each was written, on which branch, and whether it holds.

import { get, newest } from "../lib/api.js";
import { fill, h, link, select, svg } from "../lib/dom.js";
import { figure, room, sized, table } from "../lib/figure.js";
import { href, keep } from "../lib/route.js";
import { apart, byDay, grouped, scale } from "../lib/scales.js";
import { trouble } from "../lib/toast.js";
import { STATES, count, date, figure as number, short } from "../lib/words.js";

const LANE = 76;
const LEFT = 110; // px for the name of a branch; in a narrow window it stands above its line
const NARROW = 600;
const GAP = 26; // px between two marks: room for the largest
const MARKS = [
  ["holds", "holds"],
  ["drifted", "a file changed"],
  ["superseded", STATES.superseded],
  ["orphan", STATES.orphan],
  ["unknown", STATES.unknown],
];
const NONE = "none"; // the lane of what was written, or imported, without a commit; that of a branch begins with a slash
const MANY = 2; // memories of a mark from which on it says how many
const FILTERS = ["kind", "state", "branch", "thread"];

export async function show(context) {
  const { root, params, signal } = context;
  const query = Object.fromEntries(FILTERS.map((name) => [name, params.get(name) || ""]));
  const status = h("p", { class: "muted", role: "status" });
  const body = h("div", {});
  const next = newest(signal);
  const load = async () => {
    const timeline = await get(
      "/v2/history",
      Object.fromEntries(Object.entries(query).map(([name, value]) => [name, value || null])),
      next(),
    );
    status.textContent = counts(timeline);
    fill(body, timeline.commits.length ? timelineFigure(timeline) : empty());
  };
  const filters = h("div", { class: "picture-filters", role: "group", "aria-label": "Filters", "aria-busy": "true" });
  const choose = (name, value) => {
    query[name] = value;
    keep("history", "", query);
    load().catch(trouble);
  };
  /** Offers what to choose from, with the counts once they are there: of all memories they take longer than the picture. */
  const offer = (facets) =>
    fill(
      filters,
      FILTERS.map((name) => {
        const options = [["", "any"], ...choices(facets?.[name], query[name])];
        const chooser = select(options, query[name], (value) => choose(name, value), { disabled: !facets });
        return h("label", { class: "field-inline" }, `${name} `, chooser);
      }),
    );
  const counted = async () => {
    offer((await get("/v2/items", { type: "memory", limit: 1 }, signal)).facets);
    filters.removeAttribute("aria-busy");
  };
  offer(null);
  root.append(
    h(
      "div",
      { class: "head" },
      h("h1", {}, "History"),
      h("p", { class: "muted" }, "Memories along the commits they were written on."),
    ),
    filters,
    status,
    body,
  );
  await load();
  counted().catch(trouble);
}

/** Returns how many memories are on how many commits, and how many without any. */
function counts({ commits, total, capped }) {
  const drawn = commits.filter((commit) => commit.id);
  const without = commits.filter((commit) => !commit.id).reduce((sum, commit) => sum + commit.memories.length, 0);
  if (capped) {
    const aside = without ? `, ${number(without)} of them without one` : "";
    return `${count(total, "memory", "memories")}; the newest are drawn, on ${count(drawn.length, "commit")}${aside}`;
  }
  const on = `${count(total - without, "memory", "memories")} on ${count(drawn.length, "commit")}`;
  return without ? `${on}, ${number(without)} without a commit` : on;
}

const empty = () => h("p", { class: "muted" }, "No memory fits. ", link(href("history"), {}, "Without filters"));

/** Returns the values of a facet with their counts, if they are there; one that an address names and nothing has, too. */
function choices(values, chosen) {
  if (!values) return chosen ? [[chosen, chosen]] : [];
  const options = values.map((entry) => [entry.value, `${entry.label} (${entry.count})`]);
  return !chosen || values.some((entry) => entry.value === chosen) ? options : [...options, [chosen, `${chosen} (0)`]];
}

/** How a memory is drawn: what does not hold is told by its shape, too. */
function mark(memory) {
  if (memory.state === "overtaken") return "superseded";
  return MARKS.some(([tone]) => tone === memory.state) ? memory.state : "holds";
}

/** Returns the lane of a commit: null is HEAD's history. */
const laneOf = (commit) => (commit.id ? (commit.branch === null ? null : `/${commit.branch}`) : NONE);

/** Returns the marks of a lane: neighbouring commits, the oldest first, and where they stand. */
function spread(commits, branch, place, from, until) {
  const inLane = commits.filter((commit) => laneOf(commit) === branch);
  const places = inLane.map((commit) => place(Date.parse(commit.at)));
  const groups = grouped(places, GAP, until - from);
  const firsts = groups.map((group) => places[group[0]]);
  const xs = apart(firsts, GAP, from, until);
  return groups.map((group, at) => ({ commits: group.map((number) => inLane[number]), x: xs[at], branch }));
}

function timelineFigure({ head, commits: all }) {
  const commits = byDay(all, date);
  const rank = (lane) => (lane === null ? 0 : lane === NONE ? 2 : 1);
  const lanes = [...new Set(commits.map(laneOf))].sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
  const width = room();
  const margin = width < NARROW ? 0 : LEFT;
  const times = commits.map((commit) => Date.parse(commit.at));
  const [from, until] = [margin + 20, width - 20];
  const place = scale(Math.min(...times), Math.max(...times), from, until);
  const marked = lanes.flatMap((branch) => spread(commits, branch, place, from, until));
  const height = lanes.length * LANE + 30;
  const middle = (branch) => lanes.indexOf(branch) * LANE + LANE / 2;
  const picture = svg(
    "svg",
    {
      ...sized(width, height),
      role: "group",
      "aria-label": "Memories along the history of commits, from the oldest to the newest",
    },
    lanes.map((branch) => [
      svg("line", { x1: margin, x2: width, y1: middle(branch), y2: middle(branch), class: "edge" }),
      svg("text", { x: 4, y: middle(branch) + (margin ? 4 : -24), class: "label" }, laneName(branch)),
    ]),
    marked.map((group) => dots(group.commits, group.x, middle(group.branch))),
    svg("text", { x: from, y: height - 6, class: "rel" }, date(Math.min(...times))),
    svg("text", { x: width - 4, y: height - 6, class: "rel", "text-anchor": "end" }, date(Math.max(...times))),
  );
  const rows = commits.flatMap((commit) =>
    commit.memories.map((memory) => [
      link(href("memory", memory.id), { dir: "auto" }, memory.title),
      memory.kind,
      STATES[memory.state] || memory.state,
      commit.id
        ? [link(href("why", "", { target: commit.id }), {}, short(commit.id)), commit.id === head ? " (HEAD)" : ""]
        : "none",
      commit.subject,
      laneName(laneOf(commit)),
      h("time", { datetime: commit.at }, date(commit.at)),
    ]),
  );
  return figure(
    picture,
    marked.length < commits.length
      ? "Each mark stands for the memories of neighbouring commits that are in one state; the more, the larger."
      : "Each mark stands for the memories of one commit that are in one state; the more, the larger.",
    table("Memories by commit", ["memory", "kind", "state", "commit", "subject", "branch", "date"], rows),
    MARKS,
  );
}

function laneName(lane) {
  if (lane === null) return "HEAD's history";
  return lane === NONE ? "no commit" : lane.slice(1, 17) || "elsewhere";
}

/** Returns the marks of neighbouring commits, the oldest first: one for each state that their memories have. */
function dots(commits, x, y) {
  const memories = commits.flatMap((commit) => commit.memories);
  const groups = MARKS.map(([tone, label]) => [tone, label, memories.filter((memory) => mark(memory) === tone)]).filter(
    ([, , group]) => group.length,
  );
  const step = Math.min(22, LANE / groups.length);
  return groups.map(([tone, label, group], at) =>
    dot(commits, { tone, label, group }, x, y + (at - (groups.length - 1) / 2) * step),
  );
}

/** Enter opens the memory, of several the list. */
function dot(commits, { tone, label, group }, x, y) {
  const [first] = group;
  const content =
    group.length === 1
      ? `${first.title}, ${STATES[first.state] || first.state}`
      : `${count(group.length, "memory", "memories")}: ${label}`;
  const name = `${commitsName(commits)}: ${content}`;
  const r = Math.min(11, 5 + Math.sqrt(group.length));
  const isCounted = !commits[0].id && group.length >= MANY;
  return svg(
    "a",
    { href: group.length === 1 ? href("memory", first.id) : listed(commits), "aria-label": name },
    svg("title", {}, name),
    shape(tone, x, y, r),
    isCounted ? svg("text", { x, y: y - r - 4, class: "rel", "text-anchor": "middle" }, number(group.length)) : null,
  );
}

/** Returns what commits are called: one by its subject, several by their dates. */
function commitsName(commits) {
  const [oldest, newest] = [date(commits[0].at), date(commits.at(-1).at)];
  const span = oldest === newest ? oldest : `${oldest} to ${newest}`;
  if (!commits[0].id) return `${span}, without a commit`;
  return commits.length > 1
    ? `${span}, ${count(commits.length, "commit")}`
    : `${span}, ${short(commits[0].id)} ${commits[0].subject}`;
}

/** Returns where the memories of commits are listed: those of one commit, or of the days on which these were written. */
function listed(commits) {
  if (commits.length === 1 && commits[0].id) return href("memories", "", { anchor: commits[0].id });
  const days = commits.flatMap((commit) => commit.memories.map((memory) => date(memory.at))).sort();
  return href("memories", "", { since: days[0], until: days.at(-1) });
}

function shape(tone, x, y, r) {
  const props = { class: "mark", "data-mark": tone };
  if (tone === "superseded") return svg("rect", { ...props, x: x - r * 0.8, y: y - r * 0.8, width: r * 1.6, height: r * 1.6 });
  if (tone === "drifted")
    return svg("path", { ...props, d: `M ${x} ${y - r} L ${x + r} ${y + r * 0.8} L ${x - r} ${y + r * 0.8} Z` });
  return svg("circle", { ...props, cx: x, cy: y, r });
}
