// The calls of the API that a view is made of, so that it can be had as JSON.

import { calls } from "./api.js";
import { fill, h, link } from "./dom.js";
import { href } from "./route.js";

/** Returns a link to the answer of a call. */
function asJson(address, label = address) {
  return link(href("json", "", { call: address }), {}, label);
}

/** Returns the foot of a view: the calls that it is made of, looked up when it is opened. */
export function foot() {
  const list = h("ul", { class: "plain" });
  const look = () =>
    fill(
      list,
      [...calls.values()].map((call) => h("li", {}, asJson(call))),
    );
  return h(
    "details",
    { class: "api", on: { toggle: look } },
    h(
      "summary",
      { title: "The answers of the service that this view is made of, as a program gets them." },
      "This view as JSON (for programs)",
    ),
    list,
  );
}
