// What agents are given: for a task, at the start of a session, at one prompt as it was delivered.

import { h, link } from "../lib/dom.js";
import { href } from "../lib/route.js";
import { show as task } from "./pack_task.js";
import { delivered, start } from "./pack_turn.js";

const SOURCES = [
  { source: "", label: "For a task", run: task },
  { source: "start", label: "At the start of a session", run: start },
  { source: "turn", label: "A turn as it was delivered", run: delivered },
];

export async function show(context) {
  const name = context.params.get("source") || "";
  const current = SOURCES.find(({ source }) => source === name) || SOURCES[0];
  context.root.append(
    h(
      "div",
      { class: "head" },
      h("h1", {}, "What agents are given"),
      h("p", { class: "muted" }, "A pack, and why each thing is in it."),
    ),
    h(
      "ul",
      { class: "sources", "aria-label": "What is inspected" },
      SOURCES.map(({ source, label }) =>
        h("li", {}, link(href("pack", "", { source }), { "aria-current": source === current.source ? "true" : null }, label)),
      ),
    ),
  );
  await current.run(context);
}
