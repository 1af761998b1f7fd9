// Copying what the page shows, and command lines that bring the same in a terminal.

import { place } from "./api.js";
import { button } from "./dom.js";
import { toast } from "./toast.js";

/** Returns a word as a shell takes it. */
export function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${String(word).replaceAll("'", "'\\''")}'`;
}

/** Returns a command line about the memory that is looked at. Options without a value are left out; `true`: a flag. */
export function command(verb, options, text = "") {
  const where = { repo: place.repo, workspace: place.workspace, user: place.user };
  const pairs = Object.entries({ ...options, ...where }).filter(
    ([, value]) => value !== null && value !== undefined && value !== false && value !== "",
  );
  const flags = pairs.map(([name, value]) => (value === true ? `--${name}` : `--${name} ${quoted(String(value))}`));
  return ["mem", verb, ...flags, text.startsWith("-") ? "--" : "", text ? quoted(text) : ""].filter(Boolean).join(" ");
}

/** Returns a button that copies what `text()` returns. */
export function copier(label, text) {
  return button(label, async () => {
    try {
      await navigator.clipboard.writeText(text());
      toast("Copied.");
    } catch {
      toast("The browser does not let the page copy: mark the text and copy it.", null, "bad");
    }
  });
}
