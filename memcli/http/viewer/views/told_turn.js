// A turn with its parts: what it told and why, what stayed out and why, and the room that it had.

import { bar, bounds, caps } from "../lib/budget.js";
import { copier } from "../lib/copy.js";
import { fill, h, keepOpen } from "../lib/dom.js";
import { badge } from "../lib/rows.js";
import { count, figure } from "../lib/words.js";
import { around, tokens } from "./packed.js";
import { isKnown, outOf, reasonsOf, sortOf, titleOf } from "./parts.js";

const AROUND_ITEMS = "text around";
const STATES = {
  changed: ["changed since; this is how it reads now", "warn"],
  forgotten: ["forgotten since", "bad"],
  gone: ["gone since: erased, undone or no longer in its file", "bad"],
};
const NOTHING_ELSE = "Nothing but what the session knew already.";
const NOTHING_OUT = "Nothing: all that was considered is told.";
const ROOMS = { prompt: "for the prompt", instructions: "for the instructions", "budget.total": "budget.total less the frame" };

/** Returns how many tokens a turn had room for. */
export function roomOf({ room, tokens: used }) {
  const sum = room.reduce((all, part) => all + part.tokens, 0);
  return Math.max(used, sum);
}

/** Returns what allowed a turn so many tokens, by name. */
function boundOf({ room }) {
  const name = (part) => ROOMS[part.name] || part.name;
  return room.length === 1 ? name(room[0]) : room.map((part) => `${figure(part.tokens)} ${name(part)}`).join(" and ");
}

/** Shows a turn in the parts of a view: {whole, status, bar, copies, middle, out}. `line`: a command line for it, or "". */
export function showTurn(parts, details, harnesses, line) {
  const openAgain = keepOpen(parts.whole);
  const total = roomOf(details);
  fill(
    parts.status,
    `${figure(details.tokens)} of ${figure(total)} tokens (${boundOf(details)}), ${figure(details.bytes)} bytes: `,
    count(details.items.length, "item"),
    details.mode === "delta" ? ", only what is new to the session" : "",
    details.is_exact ? "" : ". Some of it changed since: what is marked reads as it does now, and its tokens are those of then",
  );
  fill(parts.bar, details.items.length ? bar(segments(details), details.tokens, total, details.free) : null);
  fill(
    parts.copies,
    details.text ? copier("Copy as text", () => details.text) : null,
    line ? copier("Copy as a command line", () => line) : null,
  );
  fill(
    parts.middle,
    details.items.length
      ? h(
          "ol",
          { class: "items" },
          details.items.map((part) => item(part, total)),
        )
      : h("p", { class: "muted" }, "Nothing is told."),
    around(AROUND_ITEMS, aroundIn(details), total),
    details.removed.length ? h("p", {}, `Said to hold no more, or to have made room: ${details.removed.join(", ")}.`) : null,
    details.text
      ? h(
          "details",
          { "data-key": "exact" },
          h("summary", {}, details.is_exact ? "The exact text" : "The text, as far as it can be put together again"),
          h("pre", { class: "exact", tabindex: 0, "aria-label": "The text" }, details.text),
        )
      : null,
  );
  const unlisted = Object.entries(details.unlisted).map(([why, n]) => ({ why, n }));
  const more = (test) => unlisted.filter(test).reduce((sum, entry) => sum + entry.n, 0);
  const [moreKnown, moreLeft] = [more(isKnown), more((entry) => !isKnown(entry))];
  const knownParts = details.left_out.filter(isKnown);
  const leftParts = details.left_out.filter((part) => !isKnown(part));
  const rows = (all) =>
    h(
      "ul",
      { class: "items" },
      all.map((part) => leftOutItem(part, outOf(details, part.why))),
    );
  fill(
    parts.out,
    h("h2", {}, "What stayed out ", h("span", { class: "muted" }, figure(leftParts.length + moreLeft))),
    bounds(details.limits, leftParts.length + moreLeft),
    knownParts.length && details.limits.some((limit) => limit.unit === "tokens" && limit.value > details.tokens)
      ? h("p", { class: "muted small" }, "What the session knew already took a part of that room.")
      : null,
    leftParts.length ? rows(leftParts) : h("p", { class: "muted" }, knownParts.length ? NOTHING_ELSE : NOTHING_OUT),
    andMore(moreLeft),
    knownParts.length
      ? h(
          "details",
          { "data-key": "known" },
          h("summary", {}, "Already known to the session ", h("span", { class: "muted" }, figure(knownParts.length + moreKnown))),
          rows(knownParts),
          andMore(moreKnown),
        )
      : null,
    caps(harnesses, details.tokens, details.bytes),
  );
  openAgain();
}

const andMore = (n) => (n ? h("p", { class: "muted" }, `and ${figure(n)} more, which the turn does not keep by name`) : null);

const tone = (part) => (part.kind === "chunk" ? "chunk" : "memory");

/** Returns how many tokens of a turn are of no item. */
const aroundIn = ({ tokens: all, items }) => Math.max(0, all - items.reduce((sum, part) => sum + part.tokens, 0));

function segments(details) {
  const items = details.items.map((part) => ({ id: part.id, tokens: part.tokens, label: part.title, tone: tone(part) }));
  return [{ id: "frame", tokens: aroundIn(details), label: AROUND_ITEMS, tone: "frame" }, ...items];
}

function item(part, total) {
  const state = STATES[part.state];
  return h(
    "li",
    { class: "item", "data-part": part.id },
    h("div", { class: "memory-head" }, titleOf(part), state ? badge(state[0], state[1]) : null),
    part.told_as ? h("p", { class: "small muted" }, "It was told as “", h("span", { dir: "auto" }, part.told_as), "”.") : null,
    h("p", { class: "why-told" }, "Told, as it ", h("span", { dir: "auto" }, reasonsOf(part).filter(Boolean).join("; ")), "."),
    h(
      "p",
      { class: "meta" },
      sortOf(part),
      part.score
        ? h(
            "span",
            { title: "How well it fits the prompt: the sum of what mem explain lists." },
            `score ${part.score.toFixed(2)}`,
          )
        : null,
    ),
    tokens(part.tokens, total, tone(part)),
    part.text
      ? h(
          "details",
          { "data-key": part.id },
          h("summary", {}, part.state === "changed" ? "As it would be told now" : "As it is told"),
          h("pre", { class: "code", tabindex: 0, "aria-label": part.title }, part.text),
        )
      : null,
  );
}

function leftOutItem(part, why) {
  return h(
    "li",
    { class: "item" },
    h("div", { class: "memory-head" }, titleOf(part), badge(why, "plain")),
    h("p", { class: "meta" }, sortOf(part), part.forgotten ? badge("forgotten since", "bad") : null),
  );
}
