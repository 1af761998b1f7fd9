// Short messages at the foot of the page, read out by screen readers, with at most one thing to do.

import { button, h } from "./dom.js";

const STAYS = 12_000; // ms: long enough to reach the button by keyboard
const OFFERS = 30_000; // ms that the offer to undo something stays, whatever is shown meanwhile
const MOVED = 4_000; // ms that anything else stays where another view is shown meanwhile

let hurry = () => {};

/** Lets what is shown leave soon: it is about a view that was left. */
export const moveOn = () => hurry();

/** Shows a message in place of the one before; an offer to undo something stays beside what is none. `action`: {label, run}. */
export function toast(text, action = null, tone = "plain") {
  const region = document.getElementById("toasts");
  const message = h("div", { class: "toast", "data-tone": tone }, h("p", {}, text));
  const leave = () => message.remove();
  const isUndo = Boolean(action?.label.startsWith("Undo"));
  const stays = isUndo ? OFFERS : STAYS;
  if (action) {
    const act = async () => {
      leave();
      await guarded(action.run);
    };
    message.append(button(action.label, act, { class: "strong", "data-undo": isUndo }));
  }
  message.append(button([h("span", { "aria-hidden": "true" }, "× "), "Dismiss"], leave, { class: "quiet" }));
  for (const before of region.querySelectorAll(".toast")) if (isUndo || !before.querySelector("[data-undo]")) before.remove();
  region.append(message);
  let timer = setTimeout(leave, stays);
  const wait = (ms) => {
    clearTimeout(timer);
    timer = setTimeout(leave, ms);
  };
  hurry = () => isUndo || message.contains(document.activeElement) || wait(MOVED);
  // A finger leaves the focus where it was: only who goes by keyboard is waited for.
  message.addEventListener("focusin", () => message.querySelector(":focus-visible") && clearTimeout(timer));
  message.addEventListener("focusout", () => wait(stays));
}

/** Shows why something failed. */
export function trouble(error) {
  if (error.name === "AbortError") return;
  toast(error.hint ? `${error.message} (${error.hint})` : error.message, null, "bad");
}

/** Runs something that asks the service; tells where it failed. Returns whether it did not. */
export async function guarded(run) {
  try {
    await run();
    return true;
  } catch (error) {
    trouble(error);
    return false;
  }
}

/** Takes the last thing back that can be. Returns whether there was one. */
export function undoLast() {
  const offer = /** @type {HTMLElement} */ (document.querySelector("#toasts button[data-undo]"));
  offer?.click();
  return Boolean(offer);
}
