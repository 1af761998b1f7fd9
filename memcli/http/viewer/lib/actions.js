// What can be done with a memory, each with its way back.

import { get, of, patch, post, remove } from "./api.js";
import { form, forThisView } from "./dialog.js";
import { fill, h } from "./dom.js";
import { closingForm, fieldsOf, memoryForm } from "./memoryform.js";
import { conflictPanel, merge } from "./merge.js";
import { toast } from "./toast.js";
import { cut } from "./words.js";

export { KINDS } from "./memoryform.js";

const MEMORIES = "/v2/memories";
const LONGEST = 60; // characters of a title in a message

const masked = (result) => (result.masked ? ` What looked like a secret was left out: ${result.masked.join(", ")}.` : "");
const quotedTitle = (memory) => `“${cut(memory.title, LONGEST)}”`;

/** Returns what takes something back: the button names it, and so does the message afterwards. */
function undo(deed, memory, run, done) {
  return {
    label: `Undo ${deed}`,
    run: async () => {
      await run();
      toast(`Taken back: ${deed} ${quotedTitle(memory)}.`);
      done();
    },
  };
}

/** Returns the fields of the second that differ from the first. */
function changedFields(old, now) {
  return Object.fromEntries(Object.entries(now).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name])));
}

/** Lets a person write a new memory. */
export function add(done) {
  const { fields, values } = memoryForm({ title: "", summary: "", thread_id: "", kind: "note", tags: [] });
  form("Remember something", fields, "Remember", async () => {
    const result = await post(MEMORIES, values());
    const back = undo("remembering", values(), () => unwrite(result), done);
    if (result.duplicate_of) toast(`${result.id} says that already.`);
    else toast(`${quotedTitle(values())} is remembered.${masked(result)}`, back);
    done(result.id);
  });
}

/** Undoes the command that wrote a memory; where another came after it, the memory is forgotten. */
async function unwrite({ id, revision }) {
  try {
    await post("/v2/undo", undefined, revision);
  } catch (error) {
    if (error.status !== 412) throw error;
    await remove(of(MEMORIES, id));
  }
}

/** Shows the form of a memory whose change is based on what it says now; another one's change meanwhile is merged in. */
function changing(id, memory, title, label, send, ...before) {
  let base = memory;
  const { fields, values, put } = memoryForm(memory);
  const panel = h("div", { "aria-live": "polite" });
  form(title, [...before, panel, ...fields], label, async () => {
    try {
      await send(base, changedFields(fieldsOf(base), values()));
    } catch (error) {
      if (error.status !== 412) throw error;
      const theirs = (await get(of(MEMORIES, id))).memory;
      const mine = values();
      const both = merge(fieldsOf(base), mine, fieldsOf(theirs));
      for (const [name, value] of Object.entries(both.values)) put(name, value);
      fill(panel, conflictPanel(both.conflicts, mine, fieldsOf(theirs), put));
      base = theirs;
      panel.scrollIntoView({ block: "nearest" });
      return false;
    }
    return true;
  });
}

/** Lets a person change a memory. */
export async function edit(id, done) {
  const { memory } = await forThisView(get(of(MEMORIES, id)));
  changing(id, memory, `Edit ${memory.id}`, "Save", async (base, change) => {
    if (!Object.keys(change).length) return;
    const result = await patch(of(MEMORIES, id), change, base.revision);
    const back = Object.fromEntries(Object.keys(change).map((name) => [name, fieldsOf(base)[name]]));
    const takeBack = () => patch(of(MEMORIES, id), back, result.revision);
    toast(`${quotedTitle({ ...base, ...change })} is changed.${masked(result)}`, undo("changing", base, takeBack, done));
    done();
  });
}

/** Lets a person say what holds instead of a memory. */
export async function supersede(id, done) {
  const { memory } = await forThisView(get(of(MEMORIES, id)));
  const about = h("p", { class: "muted" }, "The old one stays, and points to what you write now.");
  changing(
    id,
    memory,
    `Supersede ${memory.id}`,
    "Supersede",
    async (base, change) => {
      const result = await post(of(MEMORIES, id, "/supersede"), change, base.revision);
      const takeBack = () => post("/v2/undo", undefined, result.revision); // the command that ended with this revision
      toast(`${result.new_id} replaces ${quotedTitle(base)}.${masked(result)}`, undo("replacing", base, takeBack, done));
      done(result.new_id);
    },
    about,
  );
}

/** Lets a person close what a session left open: one line says what became of it, the rest can be unfolded. */
export function close(point, done) {
  const said = point.title || point.snippet;
  const { fields, values } = closingForm();
  const about = [
    h("p", { class: "text", dir: "auto" }, `“${said}”`),
    h("p", { class: "muted" }, "Agents are then no longer told that it is open. The history keeps what became of it."),
  ];
  form("Close an open point", [about, ...fields], "Close", async () => {
    const result = await post(of(MEMORIES, point.id, "/supersede"), values());
    const takeBack = () => post("/v2/undo", undefined, result.revision);
    toast(`${quotedTitle({ title: said })} is closed.${masked(result)}`, undo("closing", { title: said }, takeBack, done));
    done();
  });
}

/** Opens a point again that a memory closed, by forgetting that memory. */
export async function reopen(point, done) {
  const title = point.title || point.snippet;
  await remove(of(MEMORIES, point.closed_by));
  const closeAgain = () => post(of(MEMORIES, point.closed_by, "/restore"));
  toast(`${quotedTitle({ title })} is open again.`, undo("reopening", { title }, closeAgain, done));
  done();
}

/** Pins a memory, or lets it age again. */
export async function pin(memory, done) {
  const turn = (on, revision) => post(of(MEMORIES, memory.id, on ? "/pin" : "/unpin"), undefined, revision);
  await turn(!memory.pinned, memory.revision);
  const message = memory.pinned ? "ages again" : "is pinned: it does not age";
  toast(
    `${quotedTitle(memory)} ${message}.`,
    undo(memory.pinned ? "unpinning" : "pinning", memory, () => turn(memory.pinned), done),
  );
  done();
}

/** Hides a memory from every recall. */
export async function forget(memory, done) {
  await remove(of(MEMORIES, memory.id), {}, memory.revision);
  const bringBack = () => post(of(MEMORIES, memory.id, "/restore"));
  toast(
    `${quotedTitle(memory)} is forgotten.`,
    undo("forgetting", memory, bringBack, () => done(memory.id)),
  );
  done();
}

/** Brings a memory back that was forgotten by a revision. */
export async function restore(id, revision, done) {
  const result = await post(of(MEMORIES, id, "/restore"), undefined, revision);
  toast(result.title ? `${quotedTitle(result)} is back.` : `${id} is back.`);
  done(id);
}

/** Says that a memory, as it reads now, holds on what is checked out. */
export async function confirm(memory, done) {
  const result = await post(of(MEMORIES, memory.id, "/confirm"), undefined, memory.revision);
  if (result.revision === memory.revision) {
    toast(`${quotedTitle(memory)} holds on what is checked out already: nothing changed.`);
    return;
  }
  const takeBack = () => post("/v2/undo", undefined, result.revision);
  toast(`${quotedTitle(memory)} is confirmed on what is checked out.`, undo("confirming", memory, takeBack, done));
  done();
}
