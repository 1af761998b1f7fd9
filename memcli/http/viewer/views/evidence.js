// The evidence: which of the repository's own text is stored, and whether that is up to date.

import { get, post } from "../lib/api.js";
import { button, field, fill, h, link } from "../lib/dom.js";
import { groupBy } from "../lib/groups.js";
import { refuse, searched } from "../lib/problems.js";
import { href } from "../lib/route.js";
import { moment } from "../lib/rows.js";
import { guarded, toast, trouble } from "../lib/toast.js";
import { count, figure } from "../lib/words.js";

const MOST = 500; // chunks that are listed

export async function show({ root, params, signal }) {
  const numbers = h("dl", { class: "figures" });
  const about = h("p", { role: "status" });
  const list = h("div", { class: "days" });
  const path = h("input", {
    value: params.get("path") || "",
    "data-search": true,
    placeholder: "src/login.py, or a directory",
    autocomplete: "off",
    spellcheck: "false",
  });
  const status = async () => {
    const evidence = await get("/v2/evidence", {}, signal);
    fill(
      numbers,
      [
        ["files", evidence.files],
        ["chunks", evidence.chunks],
      ].map(([label, n]) => h("div", {}, h("dt", {}, label), h("dd", {}, figure(n)))),
    );
    fill(
      about,
      evidence.ingested_at
        ? ["Read ", moment(evidence.ingested_at), " from ", h("code", {}, evidence.root), "."]
        : "Nothing of the working tree was read yet.",
    );
  };
  const chunks = async () => {
    const query = { path: path.value.trim() || ".", limit: MOST };
    const page = await get("/v2/chunks", query, signal).catch((error) => refuse(list, error));
    if (!page) return;
    const { items, has_more: more } = page;
    fill(
      list,
      [...groupBy(items, (chunk) => chunk.path)].map(([name, all]) => file(name, all)),
      items.length ? null : h("p", { class: "muted" }, emptyText(path.value.trim())),
      more ? h("p", { class: "muted" }, `The first ${MOST} are shown; name a path for others.`) : null,
    );
  };
  const look = button("What changed?", () =>
    guarded(async () => {
      const changes = await post("/v2/ingest", { dry_run: true });
      toast(
        changes.new + changes.changed + changes.removed
          ? `${changes.new} new, ${changes.changed} changed, ${count(changes.removed, "file")} gone.`
          : "All is up to date.",
      );
    }),
  );
  const read = button(
    "Read what changed",
    () =>
      guarded(async () => {
        const ingested = await post("/v2/ingest", {});
        toast(`${count(ingested.new + ingested.changed, "file")} read, ${ingested.chunks_added} chunks new.`);
        await Promise.all([status(), chunks()]);
      }),
    { class: "strong" },
  );
  root.append(
    h("div", { class: "head" }, h("h1", {}, "Evidence"), h("div", { class: "row" }, look, read)),
    about,
    numbers,
    h(
      "form",
      {
        on: {
          submit: (event) => {
            event.preventDefault();
            chunks().catch(trouble);
          },
        },
      },
      field("Path", path),
    ),
    list,
  );
  await Promise.all([status(), chunks()]);
}

function emptyText(path) {
  if (!path) return "Nothing is stored yet.";
  return [`Nothing of ${path} is stored. `, searched(path), " ", link(href("evidence"), {}, "All files")];
}

function file(path, all) {
  return h(
    "details",
    { open: false },
    h("summary", {}, h("code", {}, path), h("span", { class: "muted" }, ` ${count(all.length, "chunk")}`)),
    h("p", {}, link(href("why", "", { target: path }), {}, "why it is so")),
    h(
      "ul",
      { class: "plain" },
      all.map((chunk) =>
        h(
          "li",
          {},
          link(href("memory", chunk.id), {}, `${chunk.first_line}–${chunk.last_line}`),
          " ",
          h("code", {}, chunk.symbol),
          h("span", { class: "muted" }, ` ${chunk.kind} ${chunk.tokens} tokens`),
        ),
      ),
    ),
  );
}
