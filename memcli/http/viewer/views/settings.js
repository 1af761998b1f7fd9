// The settings in force, where each comes from, and the page's own.

import { get, of, put, remove } from "../lib/api.js";
import { button, fill, h, select } from "../lib/dom.js";
import { groupBy } from "../lib/groups.js";
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
    const { items } = await get("/v2/config", {}, signal);
    const groups = groupBy(items, (setting) => setting.key.split(".")[0]);
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
            all.map((setting) => row(setting, draw)),
          ),
        ),
      ),
    );
    narrow(body, filter.value);
  };
  root.append(h("div", { class: "head" }, h("h1", {}, "Settings"), filter), pageSettings(), body);
  await draw();
}

function narrow(body, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of body.querySelectorAll("li[data-key]"))
    row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
  for (const part of body.querySelectorAll("section")) part.hidden = !part.querySelector("li:not([hidden])");
}

function pageSettings() {
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

function row(setting, draw) {
  const id = `set-${setting.key}`;
  const isFixed = CLI_ONLY.test(setting.key);
  const save = (value) =>
    guarded(async () => {
      await put(of("/v2/config", setting.key), { value });
      toast(`${setting.key} is ${value === "" ? "empty" : value}.`, {
        label: "Undo",
        run: async () => {
          await back();
        },
      });
      await draw();
      document.getElementById(id)?.focus({ preventScroll: true });
    });
  const back = async () => {
    if (setting.source === "user") await put(of("/v2/config", setting.key), { value: setting.value });
    else await remove(of("/v2/config", setting.key));
    await draw();
  };
  const reset = button(
    "Reset",
    () =>
      guarded(async () => {
        await remove(of("/v2/config", setting.key));
        await draw();
      }),
    { class: "quiet", "aria-label": `Reset ${setting.key}` },
  );
  return h(
    "li",
    { "data-key": setting.key },
    h(
      "div",
      {},
      h("label", { for: id }, h("code", {}, setting.key)),
      h(
        "p",
        { class: "muted", id: `${id}-about` },
        setting.about,
        ` (${FROM[setting.source] || setting.source}${isFixed ? "; set on the command line only" : ""})`,
      ),
    ),
    h("div", { class: "row" }, setting.source === "user" && !isFixed ? reset : null, control(setting, id, isFixed, save)),
  );
}

function control(setting, id, isFixed, save) {
  const props = { id, disabled: isFixed, "aria-describedby": `${id}-about` };
  if (typeof setting.value === "boolean")
    return h("input", {
      ...props,
      type: "checkbox",
      checked: setting.value,
      on: { change: (event) => save(event.target.checked) },
    });
  if (typeof setting.value === "number")
    return h("input", {
      ...props,
      type: "number",
      step: "any",
      value: setting.value,
      on: { change: (event) => event.target.value !== "" && save(event.target.valueAsNumber) },
    });
  return h("input", {
    ...props,
    value: setting.value,
    autocomplete: "off",
    spellcheck: "false",
    on: { change: (event) => save(event.target.value) },
  });
}
