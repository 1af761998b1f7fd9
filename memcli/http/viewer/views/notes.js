// Notes, day by day: what happened, a line or a few each.

import { get, of, post, put } from "../lib/api.js";
import { button, field, fill, h, select } from "../lib/dom.js";
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
    const byDay = new Map();
    for (const one of page.items) byDay.set(one.day, [...(byDay.get(one.day) || []), one]);
    fill(
      body,
      [...byDay].reverse().map(([day, notes]) => section(day, notes, load)),
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
  const meant = at ? body.querySelector(`[data-note="${CSS.escape(at.toUpperCase())}"]`) : null;
  if (at && !meant) context.say(`No note of the last year has the id ${at}.`);
  context.onShown = () => meant?.scrollIntoView({ block: "center" });
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
      notes.map((one) =>
        h(
          "li",
          { "data-note": one.id },
          h("p", { class: "text", dir: "auto" }, one.text),
          h(
            "div",
            { class: "memory-foot" },
            h(
              "p",
              { class: "meta" },
              h("time", { datetime: one.created_at }, clock(one.created_at)),
              h("code", {}, one.id),
              one.trust === "high" ? null : h("span", {}, `by ${one.origin}`),
              one.from === "user" ? h("span", {}, "yours") : null,
            ),
            h(
              "div",
              { class: "acts" },
              one.from === "user"
                ? null
                : button(
                    "Edit",
                    () => edit(`Edit ${one.id}`, one, (text, base) => put(of("/v2/notes", one.id), { text }, base), load),
                    { class: "quiet", "aria-label": `Edit ${one.id}` },
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
    const now = items.find((one) => one.id === note.id) || note;
    return { value: now.text, revision: now.revision };
  };
  textForm(title, field("Text", text), text, note?.revision, send, theirs);
}
