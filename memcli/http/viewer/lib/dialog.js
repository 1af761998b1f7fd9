// Dialogs: one at a time, by the browser's own <dialog>, which keeps the focus inside and gives it back.

import { button, fresh, h } from "./dom.js";
import { SHORTCUTS, enabled } from "./keys.js";
import { toast, trouble } from "./toast.js";

/** Shows a dialog. `body`: elements. Returns it. */
export function dialog(title, ...body) {
  const name = fresh("dialog");
  const element = h("dialog", { "aria-labelledby": name }, h("h2", { id: name }, title), ...body);
  element.addEventListener("close", () => element.remove());
  open(element);
  return element;
}

function open(element) {
  document.body.append(element);
  element.showModal();
  element.scrollTop = 0; // it was moved to the button that has the focus, at its end
}

let viewsLeft = 0; // views that were left

/** Returns what is fetched for a dialog. Where the view that asked for it is left meanwhile, it fails as what was given up. */
export async function forThisView(fetched) {
  const before = viewsLeft;
  const answer = await fetched;
  if (viewsLeft !== before) throw new DOMException("The view was left.", "AbortError");
  return answer;
}

/** Closes what belongs to a view that is left. A form with something written in it can be opened again. */
export function leave() {
  viewsLeft += 1;
  const element = /** @type {HTMLDialogElement} */ (document.querySelector("dialog[open]"));
  if (!element) return;
  element.close();
  if (element.matches("[data-written]"))
    toast("What you wrote is not saved.", { label: "Open the form again", run: () => open(element) });
}

/** Shows a form. `save()` sends it; the dialog stays open where it returns false and, saying why, where it fails. */
export function form(title, fields, label, save) {
  const problem = h("p", { class: "bad", role: "alert" });
  const sent = async (event) => {
    event.preventDefault();
    if (submit.ariaDisabled) return;
    submit.ariaDisabled = "true"; // one that is disabled loses the focus, and with it all keys of the form
    problem.textContent = "";
    try {
      if ((await save()) !== false) element.close();
    } catch (error) {
      if (error.name === "AbortError" || !element.open) trouble(error);
      problem.textContent = error.hint ? `${error.message} (${error.hint})` : error.message;
    } finally {
      submit.ariaDisabled = null;
    }
  };
  const submit = h("button", { type: "submit", class: "strong" }, label);
  const cancel = button("Cancel", () => element.close());
  const inside = h(
    "form",
    { on: { submit: sent }, novalidate: true },
    fields,
    problem,
    h("div", { class: "row end" }, cancel, submit),
  );
  inside.addEventListener("input", () => element.setAttribute("data-written", ""));
  inside.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) inside.requestSubmit();
  });
  const element = dialog(title, inside);
  return element;
}

/** Shows the shortcuts. */
export function help() {
  const keys = SHORTCUTS.map(([names, effect]) => [
    h(
      "dt",
      {},
      names.split(" ").map((key) => h("kbd", {}, key)),
    ),
    h("dd", {}, effect),
  ]);
  const off = enabled() ? null : h("p", { class: "bad" }, "Single keys are switched off in the settings.");
  const shown = dialog(
    "Keys",
    off,
    h("dl", { class: "keys" }, keys),
    h(
      "div",
      { class: "row end" },
      button("Close", () => shown.close()),
    ),
  );
}
