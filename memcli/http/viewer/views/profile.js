// The profile: lasting preferences and facts under keys, word for word.

import { get, of, put, remove } from "../lib/api.js";
import { form } from "../lib/dialog.js";
import { button, field, fill, h } from "../lib/dom.js";
import { badge, moment } from "../lib/rows.js";
import { guarded, toast, trouble } from "../lib/toast.js";
import { count } from "../lib/words.js";

export async function show(context) {
  const { root, signal } = context;
  const status = h("p", { class: "muted", role: "status" });
  const list = h("ul", { class: "list", "aria-label": "Entries" });
  const load = async () => {
    const { items } = await get("/v2/profile", {}, signal);
    fill(
      list,
      items.map((one) => row(one, load)),
    );
    status.textContent = items.length
      ? count(items.length, "entry", "entries")
      : "The profile is empty. What is kept here, every session is told.";
  };
  root.append(
    h(
      "div",
      { class: "head" },
      h("h1", {}, "Profile"),
      button("Set…", () => edit("", "", load), { class: "strong" }),
    ),
    status,
    list,
  );
  await load();
  context.onEvent = (name, data, isOld) => {
    if (name === "profile-changed" && !isOld && !list.contains(document.activeElement)) load().catch(trouble);
  };
}

function row(one, load) {
  const isOwn = one.from === "user";
  const drop = () =>
    guarded(async () => {
      await remove(of("/v2/profile", one.key));
      toast(`${one.key} is taken out.`, {
        label: "Undo",
        run: async () => {
          await put(of("/v2/profile", one.key), { value: one.value });
          await load();
        },
      });
      await load();
    });
  return h(
    "li",
    { class: "memory" },
    h(
      "div",
      { class: "memory-head" },
      h("strong", { dir: "auto" }, one.key),
      isOwn ? badge("yours", "plain", "from your own memory") : null,
    ),
    h("p", { class: "text", dir: "auto" }, one.value),
    h(
      "div",
      { class: "memory-foot" },
      h(
        "p",
        { class: "meta" },
        h("code", {}, one.id),
        moment(one.updated_at),
        one.trust === "high" ? null : h("span", {}, `by ${one.origin}`),
      ),
      isOwn
        ? null
        : h(
            "div",
            { class: "acts" },
            button("Edit", () => edit(one.key, one.value, load), { class: "quiet", "aria-label": `Edit ${one.key}` }),
            button("Take out", drop, { class: "quiet", "aria-label": `Take out ${one.key}` }),
          ),
    ),
  );
}

function edit(key, value, load) {
  const name = h("input", { value: key, required: true, disabled: Boolean(key), autocomplete: "off", autofocus: !key });
  const text = h("textarea", { value, rows: 4, required: true, autofocus: Boolean(key) });
  form(
    key ? `Edit ${key}` : "Set a key",
    [field("Key", name, "a short name, such as editor"), field("Value", text)],
    "Save",
    async () => {
      const answer = await put(of("/v2/profile", name.value.trim()), { value: text.value });
      const back = () => (key ? put(of("/v2/profile", key), { value }) : remove(of("/v2/profile", answer.key)));
      toast(`${answer.key} is set.`, {
        label: "Undo",
        run: async () => {
          await back();
          await load();
        },
      });
      await load();
    },
  );
}
