// The answer of one call of the API, as it came.

import { copier } from "../lib/copy.js";
import { h } from "../lib/dom.js";
import { send } from "../lib/session.js";

const LONGEST = 400_000; // characters that are shown

export async function show({ root, params, signal }) {
  const call = params.get("call") || "";
  const path = /^\/(v2|api|v1)\/[^\s]*$/.test(call) ? call : "/v2/stats";
  const answer = await send(path, { signal });
  const text = indented(await answer.text());
  const url = `${location.origin}${path}`;
  const command = `curl -H "Authorization: Bearer $(cat TOKEN)" '${url.replaceAll("'", "%27")}'`;
  root.append(
    h(
      "div",
      { class: "head" },
      h("h1", {}, "As JSON"),
      h(
        "div",
        { class: "row" },
        copier("Copy the JSON", () => text),
        copier("Copy the command", () => command),
      ),
    ),
    h("p", {}, h("code", {}, `GET ${path}`), answer.ok ? null : h("span", { class: "bad" }, ` ${answer.status}`)),
    h("pre", { class: "code", tabindex: 0, "aria-label": "A command for the same" }, command),
    h(
      "p",
      { class: "muted small" },
      "TOKEN: the file ",
      h("code", {}, "token"),
      " in the data directory, which ",
      h("code", {}, "mem serve status"),
      " names.",
    ),
    h("pre", { class: "code tall", tabindex: 0, "aria-label": "The answer" }, text.slice(0, LONGEST)),
    h("p", { class: "muted" }, text.length > LONGEST ? "The rest is left out here." : ""),
  );
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
