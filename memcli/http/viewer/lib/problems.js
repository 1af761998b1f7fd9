// What went wrong, in sentences, and where to go on from there.

import { Refused } from "./api.js";
import { fill, h, link } from "./dom.js";
import { href } from "./route.js";

/** Returns a message of the service as a sentence; a name of a file at its beginning stays as it is. */
export function sentence(text) {
  if (!text) return "";
  const begun = /^[a-z]+ /.test(text) ? text[0].toUpperCase() + text.slice(1) : text;
  return /[.?!]$/.test(begun) ? begun : `${begun}.`;
}

/** Returns an error as sentences. */
export const sentences = (error) => [sentence(error.message), sentence(error.hint)].filter(Boolean).join(" ");

/** Whether an error is about what was asked for: something that is not there, or a value that is none. */
export function isOfQuestion(error) {
  return error instanceof Refused && [404, 409, 422].includes(error.status) && !isOfPlace(error) && error.code !== "no_store";
}

/** Whether an error is about the repository that is looked at. */
export const isOfPlace = (error) => error.code === "no_repository" || error.message.startsWith("no repository ");

/** Says in its place what is wrong with what was asked for, with links to go on; any other error is thrown again. */
export function refuse(element, error, ...links) {
  if (!isOfQuestion(error)) throw error;
  fill(element, h("span", { class: "bad" }, sentences(error)), onward(...links));
}

/** Returns links of a line. */
export const onward = (...links) => links.filter(Boolean).map((anchor) => [" ", anchor]);

/** Returns a link that looks for something in all of the memory. */
export const searched = (text) => link(href("all", "", { q: text }), {}, `Search everything for “${text.slice(0, 60)}”`);

const KINDS = {
  A: ["session", (id) => href("session", id)],
  C: ["piece of a file", (id) => href("memory", id)],
  K: ["profile entry", () => href("profile")],
  M: ["memory", (id) => href("memory", id)],
  N: ["note", (id) => href("notes", "", { at: id })],
  P: ["prompt", (id) => href("memory", id)], // which leads to its session
  S: ["checkpoint", (id) => href("state", "", { to: id })],
};

/** Returns what a text that begins with an id means: {id, noun, address}; null where it begins with none. */
export function itemOf(id) {
  const match = /^([ACKMNPS])-[0-9A-Z]{4,}/i.exec(id);
  if (!match) return null;
  const [noun, address] = KINDS[match[1].toUpperCase()];
  const itemId = match[0].toUpperCase();
  return { id: itemId, noun, address: address(itemId) };
}
