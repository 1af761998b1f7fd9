// The form of a memory's fields.

import { field, h } from "./dom.js";

export const KINDS = ["note", "decision", "bugfix", "feature", "refactor", "discovery", "change", "checkpoint", "summary"];

const labelsIn = (text) =>
  text
    .split(",")
    .map((label) => label.trim())
    .filter(Boolean);

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
    tags: labelsIn(inputs.tags.value),
  });
  const put = (name, value) => {
    inputs[name].value = Array.isArray(value) ? value.join(", ") : (value ?? "");
  };
  return { fields, values, put };
}

/** Returns {fields, values}: one line for what became of an open point, and what a memory may have beside it. */
export function closingForm() {
  const became = h("input", { maxlength: 1000, autocomplete: "off", autofocus: true });
  const thread = h("input", { maxlength: 80, autocomplete: "off", spellcheck: "false" });
  const tags = h("input", { autocomplete: "off" });
  const fields = [
    field("What became of it", became, "one line; it may stay empty"),
    h("details", {}, h("summary", {}, "More"), h("div", { class: "pair" }, field("Thread", thread), field("Tags", tags))),
  ];
  const values = () => {
    const labels = labelsIn(tags.value);
    return {
      ...(became.value.trim() ? { summary: became.value.trim() } : {}),
      ...(thread.value.trim() ? { thread: thread.value.trim() } : {}),
      ...(labels.length ? { tags: labels } : {}),
    };
  };
  return { fields, values };
}
