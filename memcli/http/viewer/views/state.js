// Where the work stands, and how it came to stand there.

import { get } from "../lib/api.js";
import { field, fill, h, link, select } from "../lib/dom.js";
import { fieldChange } from "../lib/changes.js";
import { paced } from "../lib/pace.js";
import { refuse } from "../lib/problems.js";
import { go, href } from "../lib/route.js";
import { BY_CI, counted, when } from "../lib/words.js";

export async function show(context) {
  const { root, params, signal } = context;
  const draw = async () => {
    const [history, current] = await Promise.all([
      get("/v2/state/history", { limit: 200 }, signal),
      get("/v2/state", {}, signal),
    ]);
    const past = history.items;
    const to = params.get("to") || current.state_id;
    const compare = (since) => get("/v2/state/diff", { to, since }, signal);
    const wrong = h("p", {});
    const diff = to
      ? await compare(params.get("since")).catch((error) =>
          refuse(wrong, error, link(href("state"), {}, "The latest checkpoint")),
        )
      : null;
    const body = past.length ? page(history, current, diff, to) : empty();
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

function page(history, current, diff, to) {
  const past = history.items;
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
      standing(current, "The state now"),
      (current.beside || []).map((state) => standing(state, "A state beside it")),
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
              writer(checkpoint),
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

/** Returns a state that holds: the one that leads, or one beside it. */
function standing(state, label) {
  return [
    h("p", {}, h("strong", { dir: "auto" }, state.reason)),
    h(
      "p",
      { class: "meta" },
      h("span", {}, when(state.created_at)),
      h("span", {}, state.thread_id),
      writer(state),
      state.memory_id ? link(href("memory", state.memory_id), {}, state.memory_id) : null,
    ),
    h("pre", { class: "code", tabindex: 0, "aria-label": label }, JSON.stringify(state.state, null, 2)),
  ];
}

/** Returns who saved a state, where it was another writer or a CI job. */
function writer(state) {
  const name = state.author ? `by ${state.author}` : state.trust === "low" ? "by another writer" : "";
  return [name ? h("span", { dir: "auto" }, name) : null, state.ci ? h("span", {}, BY_CI) : null];
}

function changes(diff) {
  if (!diff) return h("p", { class: "muted" }, "Choose a checkpoint.");
  if (diff.changes.length) return diff.changes.map((change) => fieldChange(change, text));
  return h("p", { class: "muted" }, diff.from ? "Nothing differs." : "It is the first.");
}

const text = (value) => (value === null ? "" : JSON.stringify(value, null, 2).replace(/,$/gm, "")); // a comma more is no change
