// Making elements. Every text goes through `plain` into a text node: nothing stored ever becomes markup.

const SVG = "http://www.w3.org/2000/svg";

// Controls, marks that turn the direction of text, what is not seen at all, and lone surrogates: they are written out.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
const MARKS = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/u;
const HIDDEN = new RegExp(`${CONTROLS.source}|${MARKS.source}|\\p{Cs}`, "gu");

/** Returns a text as it can be shown: what would be invisible, or move other text, is written out as ⟨U+202E⟩. */
export function plain(text) {
  return String(text).replace(
    HIDDEN,
    (character) => `⟨U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
}

/** Returns an element. `props`: attributes; `on` {event: function}; `style` {property: value}; `value`, `checked`: properties. */
export function h(tag, props, ...children) {
  return filled(document.createElement(tag), props, children);
}

/** Runs something once what was changed by now is on the screen. */
export function afterPaint(run) {
  requestAnimationFrame(() => setTimeout(run, 0));
}

/** Returns an element of SVG. */
export function svg(tag, props, ...children) {
  return filled(document.createElementNS(SVG, tag), props, children);
}

function filled(element, props, children) {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, run] of Object.entries(value)) element.addEventListener(event, run);
    else if (name === "style") for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
    else if (name === "value" || name === "checked" || name === "selected") element[name] = value;
    else element.setAttribute(name, value === true ? "" : plain(value));
  }
  element.append(...nodes(children));
  return element;
}

function nodes(children) {
  return children
    .flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : document.createTextNode(plain(child))));
}

/** Replaces what is in an element. */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
  return element;
}

/** Notes which details of an element are open. Returns a function that opens those that it has then by the same keys. */
export function keepOpen(root) {
  const open = new Set([...root.querySelectorAll("details[open][data-key]")].map((box) => box.dataset.key));
  return () => {
    for (const box of root.querySelectorAll("details[data-key]")) box.open = open.has(box.dataset.key);
  };
}

/** Returns a text in parts, with the words of a set (as written) marked. */
export function marked(text, words) {
  if (!words || !words.length) return [text];
  const lowered = new Set(words.map((word) => word.toLowerCase()));
  return String(text)
    .split(/([\p{L}\p{M}\p{N}]+)/u)
    .map((part) => (lowered.has(part.toLowerCase()) ? h("mark", {}, part) : part));
}

/** Returns a button. */
export function button(label, run, props = {}) {
  return h("button", { type: "button", ...props, on: { click: run } }, label);
}

/** Returns a link to a view. */
export function link(href, props, ...children) {
  return h("a", { href, ...props }, ...children);
}

let counted = 0;

/** Returns an id that no other element has. */
export function fresh(prefix) {
  counted += 1;
  return `${prefix}-${counted}`;
}

/** Returns a label with its field. */
export function field(label, control, hint) {
  const id = control.id || fresh("field");
  control.id = id;
  const about = hint ? h("small", { id: `${id}-hint` }, hint) : null;
  if (about) control.setAttribute("aria-describedby", about.id);
  return h("div", { class: "field" }, h("label", { for: id }, label), control, about);
}

/** Returns a choice of one of several. `options`: [value, label] each. */
export function select(options, value, run, props = {}) {
  return h("select", { ...props, on: { change: (event) => run(event.target.value) } }, choices(options, value));
}

/** Returns the options of a choice. */
export const choices = (options, value) =>
  options.map(([key, label]) => h("option", { value: key, selected: key === value }, label));
