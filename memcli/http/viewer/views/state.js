// Where the work stands, and how it came to stand there.

import { get } from "../lib/api.js";
import { field, fill, h, link, select } from "../lib/dom.js";
import { fieldChange } from "../lib/changes.js";
import { paced } from "../lib/pace.js";
import { refuse } from "../lib/problems.js";
import { go, href } from "../lib/route.js";
import { counted, when } from "../lib/words.js";

export async function show(context) {
  const { root, params, signal } = context;
  const draw = async () => {
    const history = await get("/v2/state/history", { limit: 200 }, signal);
    const past = history.items;
    const to = params.get("to") || past[0]?.state_id;
    const compare = (since) => get("/v2/state/diff", { to, since }, signal);
    const wrong = h("p", {});
    const diff = to
      ? await compare(params.get("since")).catch((error) =>
          refuse(wrong, error, link(href("state"), {}, "The latest checkpoint")),
        )
      : null;
    const body = past.length ? page(history, diff, to) : empty();
    fill(root, h("div", { class: "head" }, h("h1", {}, "State")), wrong.firstChild ? wrong : null, body);
  };
  await draw();
  const follow = paced(draw, 150, signal);
  context.onEvent = (name, data, isOld) => {
    if (name === "state-changed" && !isOld && !root.contains(document.activeElement)) follow();
  };
}

const empty = () =>
  h("p", { class: "muted" }, "No checkpoint yet: mem checkpoint --reason WHY --state-json JSON keeps where the work stands.");

function page(history, diff, to) {
  const past = history.items;
  const [now] = past;
  const options = past.map((checkpoint) => [
    checkpoint.state_id,
    `${when(checkpoint.created_at)} ${checkpoint.reason}`.slice(0, 60),
  ]);
  return h(
    "div",
    { class: "columns" },
    h(
      "section",
      {},
      h("h2", {}, "Now"),
      h("p", {}, h("strong", { dir: "auto" }, now.reason)),
      h(
        "p",
        { class: "meta" },
        h("span", {}, when(now.created_at)),
        h("span", {}, now.thread_id),
        now.memory_id ? link(href("memory", now.memory_id), {}, now.memory_id) : null,
      ),
      h("pre", { class: "code", tabindex: 0, "aria-label": "The state now" }, JSON.stringify(now.state, null, 2)),
      h("h2", {}, counted(history, "checkpoint")),
      h(
        "ol",
        { class: "checkpoints" },
        past.map((checkpoint) =>
          h(
            "li",
            {},
            link(
              href("state", "", { to: checkpoint.state_id }),
              { "aria-current": checkpoint.state_id === to ? "true" : null, dir: "auto" },
              checkpoint.reason,
            ),
            h(
              "p",
              { class: "meta" },
              h("time", { datetime: checkpoint.created_at }, when(checkpoint.created_at)),
              h("span", {}, checkpoint.thread_id),
            ),
          ),
        ),
      ),
    ),
    h(
      "section",
      {},
      h("h2", {}, "What changed"),
      h(
        "div",
        { class: "pair" },
        field(
          "From",
          select([["", "the one before"], ...options], diff?.from || "", (value) => go("state", "", { to, since: value })),
        ),
        field(
          "To",
          select(options, to, (value) => go("state", "", { to: value })),
        ),
      ),
      changes(diff),
    ),
  );
}

function changes(diff) {
  if (!diff) return h("p", { class: "muted" }, "Choose a checkpoint.");
  if (diff.changes.length) return diff.changes.map((change) => fieldChange(change, text));
  return h("p", { class: "muted" }, diff.from ? "Nothing differs." : "It is the first.");
}

const text = (value) => (value === null ? "" : JSON.stringify(value, null, 2).replace(/,$/gm, "")); // a comma more is no change
