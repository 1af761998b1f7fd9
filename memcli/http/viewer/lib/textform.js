// A form around one text that somebody else may change meanwhile.

import { form } from "./dialog.js";
import { fill, h } from "./dom.js";
import { conflictPanel } from "./merge.js";

/**
 * Shows it. `send(revision)` stores what `text` says in place of what was there at that revision. Where that was changed since,
 * `theirs()` returns it as {value, revision}: both texts are shown, and saving again replaces theirs.
 */
export function textForm(title, fields, text, revision, send, theirs) {
  const panel = h("div", { "aria-live": "polite" });
  let base = revision;
  form(title, [panel, fields].flat(), "Save", async () => {
    try {
      await send(base);
    } catch (error) {
      if (error.status !== 412) throw error;
      const now = await theirs();
      const take = (_, value) => {
        text.value = value;
      };
      fill(panel, conflictPanel(["text"], { text: text.value }, { text: now.value }, take));
      base = now.revision;
      panel.scrollIntoView({ block: "nearest" });
      return false;
    }
    return true;
  });
}
