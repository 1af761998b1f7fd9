// What was done with a memory, and how its text was before each change.

import { get, of } from "../lib/api.js";
import { fieldChange } from "../lib/changes.js";
import { fill, h, link } from "../lib/dom.js";
import { href } from "../lib/route.js";
import { trouble } from "../lib/toast.js";
import { when } from "../lib/words.js";

const DONE = {
  put: "written",
  forget: "forgotten",
  restore: "restored",
  supersede: "superseded",
  link: "linked",
  undo: "undone",
  erase: "erased",
  share: "shared",
  unshare: "not shared any more",
};

/** Returns the operations on an object, oldest last, with what each set. `id`: of one whose text at each of them can be seen. */
export function log(past, id, signal) {
  const edited = past.findIndex((op) => op.k === "put" || op.k === "undo"); // the last edit: before it the text was another one
  return h(
    "ol",
    { class: "log", reversed: true },
    past.map((op, at) => {
      const isFirst = at === past.length - 1;
      const action = op.k === "put" && !isFirst ? "changed" : DONE[op.k] || op.k;
      return h(
        "li",
        { value: op.revision },
        h(
          "p",
          { class: "meta" },
          h("strong", {}, action),
          h("span", {}, `by ${op.actor}`),
          h("time", { datetime: new Date(op.hlc[0]).toISOString() }, when(op.hlc[0])),
          h("span", {}, `revision ${op.revision}`),
        ),
        isFirst && op.k === "put"
          ? null
          : op.k === "link"
            ? edge(op.b)
            : h(
                "dl",
                { class: "fields" },
                Object.entries(op.b)
                  .filter(([name]) => name !== "via") // by which call: for programs
                  .map(([name, value]) => [
                    h("dt", {}, name),
                    h("dd", { dir: "auto" }, typeof value === "string" ? value : JSON.stringify(value)),
                  ]),
              ),
        id && edited >= 0 && at > edited ? earlier(id, op.revision, signal) : null,
      );
    }),
  );
}

function edge({ on, rel, to }) {
  return h(
    "p",
    { class: "small" },
    on ? "" : "no longer ",
    rel,
    " ",
    /^[MC]-/.test(to) ? link(href("memory", to), {}, to) : h("code", {}, to),
  );
}

/** Returns the way to what a memory said after a revision, beside what it says now. */
function earlier(id, revision, signal) {
  const body = h("div", { class: "earlier" });
  const load = async () => {
    const { changes } = await get(of("/v2/memories", id, "/diff"), { revision }, signal);
    fill(
      body,
      changes.length ? changes.map((change) => fieldChange(change, text)) : h("p", { class: "muted" }, "It says the same now."),
    );
  };
  const open = ({ target }) => target.open && !body.childNodes.length && load().catch(trouble);
  return h("details", { on: { toggle: open } }, h("summary", {}, "Its text then, and now"), body);
}

const text = (value) => (typeof value === "string" ? value : value === null ? "" : JSON.stringify(value));
