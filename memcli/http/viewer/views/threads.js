// Threads: the lines of work and subjects that memories belong to.

import { get } from "../lib/api.js";
import { fill, h, link } from "../lib/dom.js";
import { roving } from "../lib/keys.js";
import { paced } from "../lib/pace.js";
import { href } from "../lib/route.js";
import { moment } from "../lib/rows.js";
import { count, counted, figure } from "../lib/words.js";

export async function show(context) {
  const { root, signal } = context;
  const list = h("ul", { class: "list", "aria-label": "Threads" });
  const status = h("p", { class: "muted", role: "status" });
  const settle = roving(list);
  const load = async () => {
    const page = await get("/v2/threads", {}, signal);
    fill(list, page.items.sort((a, b) => b.memory_count - a.memory_count).map(row));
    status.textContent = page.total ? counted(page, "thread") : "No thread yet: each memory names one.";
    settle();
  };
  root.append(h("div", { class: "head" }, h("h1", {}, "Threads")), status, list);
  await load();
  const follow = paced(load, 300, signal);
  context.onEvent = (name, data, isOld) => {
    if (!isOld && /^(thread|memory|observation)/.test(name) && !list.contains(document.activeElement)) follow();
  };
}

function row(thread) {
  return h(
    "li",
    { class: "memory" },
    h(
      "div",
      { class: "memory-head" },
      link(
        href("thread", thread.thread_id),
        { class: "title", "data-stop": true, dir: "auto" },
        thread.title || thread.thread_id,
      ),
    ),
    h(
      "p",
      { class: "meta" },
      thread.title === thread.thread_id ? null : h("code", {}, thread.thread_id),
      h("span", {}, count(thread.memory_count, "memory", "memories")),
      thread.invalid_count ? h("span", {}, `${figure(thread.invalid_count)} superseded or not on this branch`) : null,
      thread.chunk_count ? h("span", {}, count(thread.chunk_count, "chunk")) : null,
      h("span", {}, "begun ", moment(thread.created_at)),
    ),
  );
}
