// What stands in place of a view that cannot be shown: what is the matter, and where to go on.

import { place } from "./api.js";
import { fill, h, link } from "./dom.js";
import { LISTS } from "./nav.js";
import { isOfPlace, isOfQuestion, itemOf, searched, sentence } from "./problems.js";
import { href } from "./route.js";

/** Says that there is no such view, and what may be meant. */
export function showNowhere(root, name) {
  const other = itemOf(name);
  fill(
    root,
    h("h1", {}, "There is no such view"),
    h("p", {}, "The address says ", h("code", {}, `#/${name.slice(0, 200)}`), ", and no view of this page is called so."),
    onwards(
      other && link(other.address, {}, `Open the ${other.noun} ${other.id}`),
      link(href("home"), {}, "Home"),
      searched(name),
    ),
  );
}

const onwards = (...links) =>
  h(
    "ul",
    { class: "onward", "aria-label": "Where to go on" },
    links.filter(Boolean).map((anchor) => h("li", {}, anchor)),
  );

// What is said of one thing that is not there.
const MISSING = {
  memory: (id) => `Nothing in this memory has the id ${id}.`,
  session: (id) => `No session of this memory has the id or the name ${id}.`,
  thread: (id) => `No thread of this memory is called ${id}.`,
};

/** Says why a view could not be shown: what it is about is not there, or something else. */
export function showFailure(root, error, view, id) {
  if (isOfPlace(error) || error.code === "no_store") return showNoMemory(root, error);
  const list = LISTS[view];
  const isMissing = Boolean(list) && isOfQuestion(error) && error.status === 404;
  const other = isMissing && itemOf(id);
  const isSame = other && other.noun === view && other.id === id.toUpperCase();
  return fill(
    root,
    h("h1", {}, isMissing ? `There is no such ${view}` : "That did not work"),
    h("p", { dir: "auto" }, isMissing ? MISSING[view](id.slice(0, 200)) : sentence(error.message)),
    h("p", { class: "muted" }, isMissing ? "It may be in another repository: choose one above." : sentence(error.hint)),
    onwards(
      other && !isSame && link(other.address, {}, `Open the ${other.noun} ${other.id}`),
      list && link(href(list), {}, `All ${list}`),
      isMissing && searched(id),
      link(href("home"), {}, "Home"),
    ),
  );
}

/** Says that there is no memory here, or no such repository. */
function showNoMemory(root, error) {
  const isGone = error.code === "not_found";
  const isUnknown = Boolean(place.repo) && isOfPlace(error) && !isGone;
  const next = isGone
    ? "It is not where it was; its memory is kept. Choose another one above."
    : isUnknown
      ? "Choose one above."
      : "Begin one with mem init in a repository, or choose another above.";
  fill(
    root,
    h("h1", {}, isGone ? "The repository is gone" : isUnknown ? "There is no such repository" : "No memory here yet"),
    h("p", {}, isUnknown ? `No repository on this machine is called ${place.repo}.` : sentence(error.message)),
    h("p", { class: "muted" }, next),
    onwards(link("#/repositories", {}, "All repositories"), link("#/home?repo=user", {}, "My own memory")),
  );
}
