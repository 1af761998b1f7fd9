// The repositories that have a memory on this machine.

import { get } from "../lib/api.js";
import { fill, h, link } from "../lib/dom.js";
import { roving } from "../lib/keys.js";
import { badge } from "../lib/rows.js";
import { count } from "../lib/words.js";

export async function show({ root, signal }) {
  const list = h("ul", { class: "list", "aria-label": "Repositories" });
  const status = h("p", { class: "muted", role: "status" });
  const settle = roving(list);
  const { items } = await get("/v2/repos", {}, signal);
  fill(
    list,
    items.map((repo) =>
      h(
        "li",
        { class: "memory" },
        h(
          "div",
          { class: "memory-head" },
          link(
            `#/memories?repo=${encodeURIComponent(repo.repo_id)}`,
            { class: "title", "data-stop": true, dir: "auto" },
            repo.root_name || repo.repo_id,
          ),
          repo.active ? badge("active", "accent") : null,
        ),
        h("p", { class: "meta" }, h("code", {}, repo.repo_id), h("code", {}, repo.git_root)),
      ),
    ),
  );
  status.textContent = items.length ? count(items.length, "repository", "repositories") : "None yet: mem init begins one.";
  settle();
  root.append(
    h("div", { class: "head" }, h("h1", {}, "Repositories")),
    status,
    list,
    h("p", {}, link("#/memories?repo=user", {}, "My own memory")),
  );
}
