// The settings in force, where each comes from, and the page's own.

import { get, of, put, remove } from "../lib/api.js";
import { button, fill, h, select } from "../lib/dom.js";
import { enabled } from "../lib/keys.js";
import * as session from "../lib/session.js";
import * as theme from "../lib/themes.js";
import { guarded, toast } from "../lib/toast.js";

const CLI_ONLY = /\.(command|provider|url)$|^(mcp\.write|turn\.instructions)$/; // the service refuses them too
const FROM = {
  default: "as shipped",
  user: "yours",
  environment: "from the environment",
  repository: "this repository's",
  repo: "this repository's",
};

export async function show({ root, signal }) {
  const body = h("div", {});
  const filter = h("input", {
    type: "search",
    "data-search": true,
    "aria-label": "Find a setting",
    placeholder: "Find a setting",
    autocomplete: "off",
    on: { input: () => narrow(body, filter.value) },
  });
  const draw = async () => {
    const { items: found } = await get("/v2/config", {}, signal);
    const groups = Map.groupBy ? Map.groupBy(found, (one) => one.key.split(".")[0]) : grouped(found);
    fill(
      body,
      [...groups].map(([name, all]) =>
        h(
          "section",
          {},
          h("h2", {}, name),
          h(
            "ul",
            { class: "settings-list" },
            all.map((one) => row(one, draw)),
          ),
        ),
      ),
    );
    narrow(body, filter.value);
  };
  root.append(h("div", { class: "head" }, h("h1", {}, "Settings"), filter), own(), body);
  await draw();
}

function grouped(found) {
  const groups = new Map();
  for (const one of found) {
    const name = one.key.split(".")[0];
    groups.set(name, [...(groups.get(name) || []), one]);
  }
  return groups;
}

function narrow(body, wanted) {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  for (const one of body.querySelectorAll("li[data-key]"))
    one.hidden = !words.every((word) => one.textContent.toLowerCase().includes(word));
  for (const part of body.querySelectorAll("section")) part.hidden = !part.querySelector("li:not([hidden])");
}

function own() {
  const keys = h("input", {
    type: "checkbox",
    id: "keys-on",
    checked: enabled(),
    on: {
      change: () => {
        try {
          localStorage.setItem("mem.keys", keys.checked ? "on" : "off");
        } catch {
          toast("This browser keeps nothing for the page.", null, "bad");
        }
      },
    },
  });
  const colours = select(
    [
      ["auto", "as the system"],
      ["light", "light"],
      ["dark", "dark"],
    ],
    theme.chosen(),
    theme.choose,
    { id: "colours" },
  );
  return h(
    "section",
    {},
    h("h2", {}, "This page"),
    h(
      "ul",
      { class: "settings-list" },
      h(
        "li",
        {},
        h("div", {}, h("label", { for: "colours" }, "Colours"), h("p", { class: "muted" }, "kept in this browser")),
        colours,
      ),
      h(
        "li",
        {},
        h(
          "div",
          {},
          h("label", { for: "keys-on" }, "Single keys are shortcuts"),
          h("p", { class: "muted" }, "switch off if they get in the way of dictation"),
        ),
        keys,
      ),
      h(
        "li",
        {},
        h(
          "div",
          {},
          h("span", {}, "Signed in"),
          h("p", { class: "muted" }, "in this browser, until the service stops, for twelve hours at most"),
        ),
        button("Log out", () => guarded(session.end), { class: "quiet" }),
      ),
    ),
  );
}

function row(one, draw) {
  const id = `set-${one.key}`;
  const isFixed = CLI_ONLY.test(one.key);
  const save = (value) =>
    guarded(async () => {
      await put(of("/v2/config", one.key), { value });
      toast(`${one.key} is ${value === "" ? "empty" : value}.`, {
        label: "Undo",
        run: async () => {
          await back();
        },
      });
      await draw();
      document.getElementById(id)?.focus({ preventScroll: true });
    });
  const back = async () => {
    if (one.source === "user") await put(of("/v2/config", one.key), { value: one.value });
    else await remove(of("/v2/config", one.key));
    await draw();
  };
  const reset = button(
    "Reset",
    () =>
      guarded(async () => {
        await remove(of("/v2/config", one.key));
        await draw();
      }),
    { class: "quiet", "aria-label": `Reset ${one.key}` },
  );
  return h(
    "li",
    { "data-key": one.key },
    h(
      "div",
      {},
      h("label", { for: id }, h("code", {}, one.key)),
      h(
        "p",
        { class: "muted", id: `${id}-about` },
        one.about,
        ` (${FROM[one.source] || one.source}${isFixed ? "; set on the command line only" : ""})`,
      ),
    ),
    h("div", { class: "row" }, one.source === "user" && !isFixed ? reset : null, control(one, id, isFixed, save)),
  );
}

function control(one, id, isFixed, save) {
  const props = { id, disabled: isFixed, "aria-describedby": `${id}-about` };
  if (typeof one.value === "boolean")
    return h("input", { ...props, type: "checkbox", checked: one.value, on: { change: (event) => save(event.target.checked) } });
  if (typeof one.value === "number")
    return h("input", {
      ...props,
      type: "number",
      step: "any",
      value: one.value,
      on: { change: (event) => event.target.value !== "" && save(event.target.valueAsNumber) },
    });
  return h("input", {
    ...props,
    value: one.value,
    autocomplete: "off",
    spellcheck: "false",
    on: { change: (event) => save(event.target.value) },
  });
}
