// Given against used over time: how many times sessions were told a memory each day, and how often they used it.

import { get } from "../lib/api.js";
import { h, link, svg } from "../lib/dom.js";
import { figure, room, sized, table } from "../lib/figure.js";
import { href } from "../lib/route.js";
import { bars } from "../lib/scales.js";
import { count, figure as number } from "../lib/words.js";

const HEIGHT = 130;
const DAYS = 30;

const SIGNS = [
  "its id stands in an answer, or in what a tool was called with",
  "a file that it names was read or edited, also one that a summary lists",
  "an answer has four of its words in a row",
  "an answer has a name of code that no other memory has",
];

/** Returns how it is counted what sessions were told and used. */
export const counting = () =>
  h(
    "details",
    { class: "counting" },
    h("summary", {}, "What counts as told and used?"),
    h(
      "p",
      {},
      h("strong", {}, "Told"),
      ": it, a part of it, or the sentence of which it was made stood in what a session got at its start or with a ",
      "prompt. A memory counts once for each session, when the session has gone on. Only sessions whose hooks reach mem ",
      "count; what a person asks with ",
      h("code", {}, "mem get"),
      " does not.",
    ),
    h("p", {}, h("strong", {}, "Used"), ": after that, one of these was seen in the session:"),
    h(
      "ul",
      { class: "dots" },
      SIGNS.map((sign) => h("li", {}, sign)),
    ),
    h(
      "p",
      {},
      "What the person wrote in the prompt is no sign. If the same question is asked again at once, what counted as used since ",
      "it was asked first no longer does: it did not help.",
    ),
    h(
      "p",
      {},
      "Each memory that is not forgotten is told and used, told without a sign of use, or told to no session: the three numbers ",
      "add up.",
    ),
    h(
      "p",
      {},
      h("strong", {}, "No sign of use"),
      ": one session or more was told it, and none used it. What is pinned, superseded or forgotten is not listed. These are ",
      "signs, no proof: a session may heed a memory without a word about it. The counts are kept for a year.",
    ),
  );

const MOST_COMPARED = 200;
const MOST_NAMED = 5;
const NOT_GONE_ON = "told only to a session that has not gone on";

/** The three sets of which each memory that is not forgotten is in one. */
export const SETS = { used: { used: true }, unused: { told: true, used: false }, untold: { told: false } };
export const SET_NAMES = { used: "told and used", unused: "told, no sign of use", untold: "told to no session" };

/** Returns how many memories are in each set: they add up to `all`. */
export async function counts(signal) {
  const total = async (only) => (await get("/v2/memories", { ...only, limit: 1 }, signal)).total;
  const [all, told, used] = await Promise.all([total({}), total({ told: true }), total(SETS.used)]);
  return { all, used, unused: told - used, untold: all - told };
}

/** Returns the numbers of the sets in a sentence, each with the way to its memories; null where there are none. */
export function sets(numbers) {
  if (!numbers.all) return null;
  const part = (name) => link(href("memories", "", { only: name }), {}, `${number(numbers[name])} ${SET_NAMES[name]}`);
  const [used, unused, untold] = Object.keys(SETS).map(part);
  return h("p", {}, `Of ${count(numbers.all, "memory", "memories")}: `, used, ", ", unused, ", ", untold, ".");
}

/** What is to be known of memories without a sign of use. */
export const CAVEAT = "No sign is no proof: a session may heed a memory without a word about it.";

/** Returns which memories without a sign of use a list of so many leaves out, and why; null for none. */
export async function unlisted(numbers, listed, signal) {
  const missing = numbers.unused - listed;
  if (missing <= 0) return null;
  const [all, shown] = await Promise.all([
    get("/v2/memories", { ...SETS.unused, limit: MOST_COMPARED }, signal),
    get("/v2/unused", { least: 1, observed: true, limit: MOST_COMPARED }, signal),
  ]);
  const known = new Set(shown.items.map((memory) => memory.id));
  const reason = (memory) => (memory.pinned ? "pinned" : memory.superseded_by ? "superseded" : NOT_GONE_ON);
  const others = all.items.filter((memory) => !known.has(memory.id));
  // Where the list has more than was compared, one that is not among them may yet be in it.
  const certain = shown.has_more ? others.filter((memory) => reason(memory) !== NOT_GONE_ON) : others;
  const named = certain.slice(0, MOST_NAMED);
  const rest = missing - named.length;
  return h(
    "p",
    { class: "muted small" },
    `${number(missing)} of the ${number(numbers.unused)} ${missing === 1 ? "is" : "are"} not listed here`,
    named.map((memory, at) => [
      at ? "; " : ": ",
      link(href("memory", memory.id), { dir: "auto" }, memory.title),
      ` (${reason(memory)})`,
    ]),
    rest > 0 && named.length ? `; and ${number(rest)} more.` : ".",
  );
}

/** Returns the picture, null where nothing was told. */
export async function usageChart(signal) {
  const { items: days } = await get("/v2/usage", { days: DAYS }, signal);
  const told = days.reduce((sum, day) => sum + day.told, 0);
  if (!told) return null;
  const used = days.reduce((sum, day) => sum + day.used, 0);
  const sums = `Told ${count(told, "time")} in ${DAYS} days, used ${count(used, "time")}`;
  const wide = room();
  const all = bars(
    days.map((day) => day.told),
    wide,
    HEIGHT - 20,
  );
  const bar = (day, at) => {
    const { x, y, width, height } = all[at];
    const part = day.told ? (day.used / day.told) * height : 0;
    return svg(
      "g",
      {},
      svg("title", {}, `${day.day}: ${day.told} told, ${day.used} used`),
      svg("rect", { x, y, width, height, class: "mark", "data-mark": "told" }),
      svg("rect", { x, y: y + height - part, width, height: part, class: "mark", "data-mark": "used" }),
    );
  };
  const picture = svg(
    "svg",
    {
      ...sized(wide, HEIGHT),
      role: "img",
      "aria-label": sums,
    },
    days.map(bar),
    svg("text", { x: 0, y: HEIGHT - 4, class: "rel" }, days[0].day),
    svg("text", { x: wide, y: HEIGHT - 4, class: "rel", "text-anchor": "end" }, days.at(-1).day),
  );
  return h(
    "section",
    {},
    h("h2", {}, "Given and used"),
    figure(
      picture,
      `${sums}.`,
      table(
        "Given and used by day",
        ["day", "told", "used"],
        days.filter((day) => day.told).map((day) => [day.day, day.told, day.used]),
      ),
      [
        ["told", "told"],
        ["used", "used"],
      ],
    ),
    counting(),
  );
}
