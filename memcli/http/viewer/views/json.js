// The answer of one call of the API, as it came.

import { send } from "../lib/session.js";
import { button, h } from "../lib/dom.js";
import { guarded, toast } from "../lib/toast.js";

const LONGEST = 400_000; // characters that are shown

export async function show({ root, params, signal }) {
  const call = params.get("call") || "";
  const known = /^\/(v2|api|v1)\/[^\s]*$/.test(call) ? call : "/v2/stats";
  const answer = await send(known, { signal });
  const text = shaped(await answer.text());
  const url = `${location.origin}${known}`;
  const command = `curl -H "Authorization: Bearer $(cat TOKEN)" '${url.replaceAll("'", "%27")}'`;
  const copy = (label, value) =>
    button(label, () =>
      guarded(async () => {
        await navigator.clipboard.writeText(value);
        toast("Copied.");
      }),
    );
  root.append(
    h(
      "div",
      { class: "head" },
      h("h1", {}, "As JSON"),
      h("div", { class: "row" }, copy("Copy the JSON", text), copy("Copy the command", command)),
    ),
    h("p", {}, h("code", {}, `GET ${known}`), answer.ok ? null : h("span", { class: "bad" }, ` ${answer.status}`)),
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

function shaped(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
