// The profile: lasting preferences and facts under keys, word for word.

import { Refused, get, of, place, put, remove } from "../lib/api.js";
import { button, field, fill, h } from "../lib/dom.js";
import { paced } from "../lib/pace.js";
import { badge, moment } from "../lib/rows.js";
import { textForm } from "../lib/textform.js";
import { guarded, toast } from "../lib/toast.js";
import { count } from "../lib/words.js";

export async function show(context) {
  const { root, signal } = context;
  const status = h("p", { class: "muted", role: "status" });
  const list = h("ul", { class: "list", "aria-label": "Entries" });
  const load = async () => {
    const { items } = await get("/v2/profile", {}, signal);
    fill(
      list,
      items.map((entry) => row(entry, load)),
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
      button("Set…", () => guarded(() => edit(null, load)), { class: "strong" }),
    ),
    status,
    list,
  );
  await load();
  const follow = paced(load, 150, signal);
  context.onEvent = (name, data, isOld) => {
    if (name === "profile-changed" && !isOld && !list.contains(document.activeElement)) follow();
  };
}

function row(entry, load) {
  const isOwn = entry.from === "user";
  const drop = () =>
    guarded(async () => {
      const answer = await remove(of("/v2/profile", entry.key), {}, entry.revision);
      toast(`${entry.key} is taken out.`, {
        label: "Undo",
        run: async () => {
          await put(of("/v2/profile", entry.key), { value: entry.value }, answer.revision);
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
      h("strong", { dir: "auto" }, entry.key),
      isOwn ? badge("yours", "plain", "from your own memory") : null,
    ),
    h("p", { class: "text", dir: "auto" }, entry.value),
    h(
      "div",
      { class: "memory-foot" },
      h(
        "p",
        { class: "meta" },
        h("code", {}, entry.id),
        moment(entry.updated_at),
        entry.trust === "high" ? null : h("span", {}, `by ${entry.origin}`),
      ),
      isOwn
        ? null
        : h(
            "div",
            { class: "acts" },
            button("Edit", () => guarded(() => edit(entry, load)), { class: "quiet", "aria-label": `Edit ${entry.key}` }),
            button("Take out", drop, { class: "quiet", "aria-label": `Take out ${entry.key}` }),
          ),
    ),
  );
}

/** Returns the entry under a key, empty and of now where there is none. */
async function current(key) {
  const { items } = await get("/v2/profile");
  const match = items.find((entry) => entry.key === key && (place.user || entry.from !== "user"));
  return match || { value: "", revision: (await get("/v2/stats")).revision };
}

/** Lets a person set a key: that of an entry, or, where `one` is null, another one. */
async function edit(entry, load) {
  let value = entry || { value: "", revision: (await get("/v2/stats")).revision };
  const fixed = Boolean(entry);
  const name = h("input", { value: entry?.key || "", required: true, disabled: fixed, autocomplete: "off", autofocus: !fixed });
  const text = h("textarea", { value: value.value, rows: 4, required: true, autofocus: fixed });
  const theirs = async () => {
    value = await current(name.value.trim());
    return value;
  };
  const send = async (revision) => {
    const key = name.value.trim();
    if (!fixed && value.key !== key && (await current(key)).id) throw new Refused(412, {}); // it has a value that was not shown
    const before = value;
    const answer = await put(of("/v2/profile", key), { value: text.value }, revision);
    const path = of("/v2/profile", answer.key);
    const back = () => (before.id ? put(path, { value: before.value }, answer.revision) : remove(path, {}, answer.revision));
    toast(`${answer.key} is set.`, {
      label: "Undo",
      run: async () => {
        await back();
        await load();
      },
    });
    await load();
  };
  const fields = [field("Key", name, "a short name, such as editor"), field("Value", text)];
  textForm(entry ? `Edit ${entry.key}` : "Set a key", fields, text, value.revision, send, theirs);
}
