// The form of a memory's fields.

import { field, h } from "./dom.js";

export const KINDS = ["note", "decision", "bugfix", "feature", "refactor", "discovery", "change", "checkpoint", "summary"];

/** Returns the fields of a memory as they are written. */
export const fieldsOf = (memory) => ({
  title: memory.title,
  summary: memory.summary,
  thread: memory.thread_id,
  kind: memory.kind,
  tags: memory.tags,
});

/** Returns {fields, values, put}: the elements, what they say, and how to write into them. */
export function memoryForm(memory) {
  const kinds = KINDS.includes(memory.kind) ? KINDS : [memory.kind, ...KINDS];
  const inputs = {
    title: h("input", { value: memory.title, required: true, maxlength: 1000, autocomplete: "off", autofocus: true }),
    summary: h("textarea", { value: memory.summary, rows: 6, required: true }),
    thread: h("input", { value: memory.thread_id, maxlength: 80, autocomplete: "off", spellcheck: "false" }),
    kind: h(
      "select",
      {},
      kinds.map((kind) => h("option", { value: kind, selected: kind === memory.kind }, kind)),
    ),
    tags: h("input", { value: memory.tags.join(", "), autocomplete: "off" }),
  };
  const fields = [
    field("Title", inputs.title, "the fact, in one line"),
    field("Summary", inputs.summary, "why it is so"),
    h("div", { class: "pair" }, field("Thread", inputs.thread), field("Kind", inputs.kind)),
    field("Tags", inputs.tags, "parted by commas"),
  ];
  const values = () => ({
    title: inputs.title.value,
    summary: inputs.summary.value,
    thread: inputs.thread.value.trim() || null,
    kind: inputs.kind.value,
    tags: inputs.tags.value
      .split(",")
      .map((tag) => tag.trim())
      .filter(Boolean),
  });
  const put = (name, value) => {
    inputs[name].value = Array.isArray(value) ? value.join(", ") : (value ?? "");
  };
  return { fields, values, put };
}
