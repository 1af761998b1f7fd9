// What can be done with a memory, each with its way back.

import { get, of, patch, post, remove } from "./api.js";
import { field, h } from "./dom.js";
import { form } from "./dialog.js";
import { toast } from "./toast.js";

const MEMORIES = "/v2/memories";
export const KINDS = ["note", "decision", "bugfix", "feature", "refactor", "discovery", "change", "checkpoint", "summary"];

function fields(given) {
  const kinds = KINDS.includes(given.kind) ? KINDS : [given.kind, ...KINDS];
  const made = {
    title: h("input", { value: given.title, required: true, maxlength: 1000, autocomplete: "off", autofocus: true }),
    summary: h("textarea", { value: given.summary, rows: 6, required: true }),
    thread: h("input", { value: given.thread_id, maxlength: 80, autocomplete: "off", spellcheck: "false" }),
    kind: h("select", {}, kinds.map((one) => h("option", { value: one, selected: one === given.kind }, one))),
    tags: h("input", { value: given.tags.join(", "), autocomplete: "off" }),
  };
  const shown = [
    field("Title", made.title, "the fact, in one line"),
    field("Summary", made.summary, "why it is so"),
    h("div", { class: "pair" }, field("Thread", made.thread), field("Kind", made.kind)),
    field("Tags", made.tags, "parted by commas"),
  ];
  const values = () => ({
    title: made.title.value,
    summary: made.summary.value,
    thread: made.thread.value.trim() || null,
    kind: made.kind.value,
    tags: made.tags.value.split(",").map((one) => one.trim()).filter(Boolean),
  });
  return { shown, values };
}

const before = (one) => ({ title: one.title, summary: one.summary, thread: one.thread_id, kind: one.kind, tags: one.tags });
const hidden = (said) => (said.masked ? ` What looked like a secret was left out: ${said.masked.join(", ")}.` : "");

/** Returns the fields of the second that differ from the first. */
function changed(old, now) {
  return Object.fromEntries(Object.entries(now).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name])));
}

/** Lets a person write a new memory. */
export function add(done) {
  const { shown, values } = fields({ title: "", summary: "", thread_id: "", kind: "note", tags: [] });
  form("Remember something", shown, "Remember", async () => {
    const said = await post(MEMORIES, values());
    const undo = { label: "Undo", run: async () => { await remove(of(MEMORIES, said.id)); done(); } };
    toast(said.duplicate_of ? `${said.id} says that already.` : `Kept as ${said.id}.${hidden(said)}`, said.duplicate_of ? null : undo);
    done(said.id);
  });
}

/** Lets a person change a memory. */
export async function edit(id, done) {
  const { memory: old } = await get(of(MEMORIES, id));
  const { shown, values } = fields(old);
  form(`Edit ${old.id}`, shown, "Save", async () => {
    const change = changed(before(old), values());
    if (!Object.keys(change).length) return;
    const said = await patch(of(MEMORIES, id), change, old.revision);
    const back = Object.fromEntries(Object.keys(change).map((name) => [name, before(old)[name]]));
    toast(`${old.id} is changed.${hidden(said)}`, { label: "Undo", run: async () => { await patch(of(MEMORIES, id), back, said.revision); done(); } });
    done();
  });
}

/** Lets a person say what holds instead of a memory. */
export async function supersede(id, done) {
  const { memory: old } = await get(of(MEMORIES, id));
  const { shown, values } = fields(old);
  form(`Supersede ${old.id}`, [h("p", { class: "muted" }, "The old one stays, and points to what you write now."), ...shown], "Supersede", async () => {
    const said = await post(of(MEMORIES, id, "/supersede"), changed(before(old), values()), old.revision);
    toast(`${said.new_id} replaces ${said.old_id}.${hidden(said)}`, { label: "Undo", run: () => taken(said.revision, done) });
    done(said.new_id);
  });
}

/** Takes the last command back, where it is the one that ended with this revision. */
async function taken(revision, done) {
  await post("/v2/undo", undefined, revision);
  toast("Taken back.");
  done();
}

/** Pins a memory, or lets it age again. */
export async function pin(id, isPinned, done) {
  const turn = (on) => post(of(MEMORIES, id, on ? "/pin" : "/unpin"));
  await turn(!isPinned);
  toast(isPinned ? `${id} ages again.` : `${id} is pinned: it does not age.`, {
    label: "Undo",
    run: async () => { await turn(isPinned); done(); },
  });
  done();
}

/** Hides a memory from every recall. */
export async function forget(id, revision, done) {
  await remove(of(MEMORIES, id), {}, revision);
  toast(`${id} is forgotten.`, { label: "Undo", run: () => restore(id, done) });
  done();
}

/** Brings a forgotten memory back. */
export async function restore(id, done) {
  await post(of(MEMORIES, id, "/restore"));
  toast(`${id} is back.`);
  done(id);
}

/** Says that a memory holds on what is checked out. */
export async function confirm(id, done) {
  await post(of(MEMORIES, id, "/confirm"));
  toast(`${id} is confirmed at what is checked out.`);
  done();
}
