// Notes, day by day: what happened, a line or a few each.

import { get, of, post, put } from "../lib/api.js";
import { button, field, fill, h, select } from "../lib/dom.js";
import { groupBy } from "../lib/groups.js";
import { paced } from "../lib/pace.js";
import { textForm } from "../lib/textform.js";
import { toast, trouble } from "../lib/toast.js";
import { clock, counted } from "../lib/words.js";

const SPANS = [
  ["7", "the last week"],
  ["31", "the last month"],
  ["366", "the last year"],
];

export async function show(context) {
  const { root, params, signal } = context;
  const at = params.get("at");
  let days = at ? "366" : "31";
  const status = h("p", { class: "muted", role: "status" });
  const body = h("div", { class: "days" });
  const load = async () => {
    const page = await get("/v2/notes", { days }, signal);
    fill(
      body,
      [...groupBy(page.items, (note) => note.day)].reverse().map(([day, notes]) => section(day, notes, load)),
    );
    status.textContent = page.total ? counted(page, "note") : "No note in this time.";
  };
  const write = () => edit("Note for today", null, (text) => post("/v2/notes", { text }), load);
  root.append(
    h(
      "div",
      { class: "head" },
      h("h1", {}, "Notes"),
      h(
        "div",
        { class: "row" },
        select(
          SPANS,
          days,
          (value) => {
            days = value;
            load().catch(trouble);
          },
          { "aria-label": "Time" },
        ),
        button("Note…", write, { class: "strong" }),
      ),
    ),
    status,
    body,
  );
  await load();
  const target = at ? body.querySelector(`[data-note="${CSS.escape(at.toUpperCase())}"]`) : null;
  if (at && !target) context.say(`No note of the last year has the id ${at}.`);
  context.onShown = () => target?.scrollIntoView({ block: "center" });
  const follow = paced(load, 150, signal);
  context.onEvent = (name, data, isOld) => {
    if (name === "note-changed" && !isOld && !body.contains(document.activeElement)) follow();
  };
}

function section(day, notes, load) {
  return h(
    "section",
    {},
    h("h2", {}, day),
    h(
      "ul",
      { class: "plain notes" },
      notes.map((note) =>
        h(
          "li",
          { "data-note": note.id },
          h("p", { class: "text", dir: "auto" }, note.text),
          h(
            "div",
            { class: "memory-foot" },
            h(
              "p",
              { class: "meta" },
              h("time", { datetime: note.created_at }, clock(note.created_at)),
              h("code", {}, note.id),
              note.trust === "high" ? null : h("span", {}, `by ${note.origin}`),
              note.from === "user" ? h("span", {}, "yours") : null,
            ),
            h(
              "div",
              { class: "acts" },
              note.from === "user"
                ? null
                : button(
                    "Edit",
                    () => edit(`Edit ${note.id}`, note, (text, base) => put(of("/v2/notes", note.id), { text }, base), load),
                    { class: "quiet", "aria-label": `Edit ${note.id}` },
                  ),
            ),
          ),
        ),
      ),
    ),
  );
}

function edit(title, note, save, load) {
  const text = h("textarea", { value: note?.text || "", rows: 5, required: true, autofocus: true });
  const send = async (revision) => {
    await save(text.value, revision);
    toast("Kept.");
    await load();
  };
  const theirs = async () => {
    const { items } = await get("/v2/notes", { days: "366" });
    const now = items.find((item) => item.id === note.id) || note;
    return { value: now.text, revision: now.revision };
  };
  textForm(title, field("Text", text), text, note?.revision, send, theirs);
}
