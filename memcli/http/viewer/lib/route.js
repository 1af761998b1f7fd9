// Where the page is: #/view/id?parameters, the memory that is looked at among them.

import { place } from "./api.js";

/** Returns what an address says: {view, id, params}. */
export function read(hash = location.hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [view = "", ...idParts] = path.split("/");
  const id = idParts.join("/").replace(/\/$/, "");
  let name = id;
  try {
    name = decodeURIComponent(id);
  } catch {
    // Then it is taken as it stands.
  }
  return { view, id: name, params: new URLSearchParams(query) };
}

/** Returns the address of a view, for the same memory. */
export function href(view, id = "", params = {}) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(params)) {
    if (value !== null && value !== undefined && value !== "") query.set(key, value);
  }
  if (place.user) query.set("repo", "user");
  else if (place.repo) query.set("repo", place.repo);
  if (place.workspace) query.set("workspace", place.workspace);
  return `#/${view}${id ? `/${encodeURIComponent(id)}` : ""}${query.size ? `?${query}` : ""}`;
}

/** Returns where something is whole: of a statement, the session in which it was said; "" where that is not known, or nowhere. */
export function placeOf(id, session) {
  if (id.startsWith("P-")) return session ? href("session", session, { at: id }) : "";
  const [owner] = id.split("#");
  if (id.startsWith("N-")) return href("notes", "", { at: owner });
  if (id.startsWith("K-")) return href("profile");
  return /^[MC]-/.test(id) ? href("memory", owner) : "";
}

/** Goes to a view. */
export function go(view, id, params) {
  location.hash = href(view, id, params);
}

/** Changes the address without going anywhere, so that it can be kept and come back to. */
export function keep(view, id, params) {
  history.replaceState(null, "", href(view, id, params));
}
