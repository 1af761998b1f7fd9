// One thread: its memories, the newest first.

import { get, of } from "../lib/api.js";
import { fill, h, link } from "../lib/dom.js";
import { roving } from "../lib/keys.js";
import { href } from "../lib/route.js";
import { row } from "../lib/rows.js";
import { trouble } from "../lib/toast.js";
import { count, figure } from "../lib/words.js";

const MOST = 200; // memories that are shown

export async function show(context) {
  const { root, id, signal } = context;
  const list = h("ul", { class: "list", "aria-label": "Memories" });
  const title = h("h1", { dir: "auto" }, id);
  const about = h("p", { class: "meta", role: "status" });
  const settle = roving(list);
  const load = async () => {
    const { thread } = await get(of("/v2/threads", id), { limit: 1 }, signal);
    const page = await get("/v2/memories", { thread: id, limit: MOST }, signal);
    fill(title, thread.title);
    fill(
      about,
      h("code", {}, thread.thread_id),
      h("span", {}, count(thread.memory_count, "memory", "memories")),
      thread.invalid_count ? h("span", {}, `${figure(thread.invalid_count)} superseded or not on this branch`) : null,
      thread.chunk_count ? h("span", {}, count(thread.chunk_count, "chunk")) : null,
      page.has_more ? h("span", {}, `the newest ${MOST} are shown`) : null,
    );
    fill(
      list,
      page.items.map((memory) => row(memory, () => load().catch(trouble))),
    );
    settle();
  };
  root.append(link(href("threads"), { class: "back" }, "All threads"), h("div", { class: "head" }, title), about, list);
  await load();
}
