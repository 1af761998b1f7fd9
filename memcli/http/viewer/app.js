// The page: which view is shown, which memory is looked at, and what goes on in it.

import * as actions from "./lib/actions.js";
import { check } from "./lib/addresses.js";
import { calls, get, place } from "./lib/api.js";
import { foot } from "./lib/calls.js";
import { help, leave } from "./lib/dialog.js";
import { fill, h } from "./lib/dom.js";
import { currentMemory, listen } from "./lib/keys.js";
import { showFailure, showNowhere } from "./lib/missing.js";
import * as nav from "./lib/nav.js";
import * as route from "./lib/route.js";
import * as session from "./lib/session.js";
import { Stream } from "./lib/stream.js";
import * as theme from "./lib/themes.js";
import { guarded, moveOn, toast, trouble, undoLast } from "./lib/toast.js";
import { show as all } from "./views/all.js";
import { show as doctor } from "./views/doctor.js";
import { show as evidence } from "./views/evidence.js";
import { show as feed } from "./views/feed.js";
import { show as graph } from "./views/graph.js";
import { show as historyOf } from "./views/history.js";
import { show as home } from "./views/home.js";
import { show as jsonOf } from "./views/json.js";
import { show as memories } from "./views/memories.js";
import { show as memory } from "./views/memory.js";
import { show as notes } from "./views/notes.js";
import { show as pack } from "./views/pack.js";
import { show as profile } from "./views/profile.js";
import { show as queue } from "./views/queue.js";
import { show as repositories } from "./views/repositories.js";
import { show as reverts } from "./views/reverts.js";
import { show as oneSession } from "./views/session.js";
import { show as sessions } from "./views/sessions.js";
import { show as settings } from "./views/settings.js";
import { show as state } from "./views/state.js";
import { show as oneThread } from "./views/thread.js";
import { show as threads } from "./views/threads.js";
import { show as turns } from "./views/turns.js";
import { show as why } from "./views/why.js";

const VIEWS = {
  all,
  doctor,
  evidence,
  feed,
  graph,
  history: historyOf,
  home,
  json: jsonOf,
  memories,
  memory,
  notes,
  pack,
  profile,
  queue,
  repositories,
  reverts,
  session: oneSession,
  sessions,
  settings,
  state,
  thread: oneThread,
  threads,
  turns,
  why,
};
const KEPT = 200; // events for the feed
const BEFORE = 40; // operations before the page was opened that the feed begins with

/** @type {any} */ // its parts are fields, rows, buttons, as a view has them
const main = document.getElementById("main");
const chooser = /** @type {HTMLSelectElement} */ (document.getElementById("repo"));
const workspace = /** @type {HTMLSelectElement} */ (document.getElementById("workspace"));
const channel = { events: [], newest: 0 };
let current = null;
let pendingText = null; // on the way to a search field

function go(view) {
  route.go(view);
  return true;
}

async function render() {
  const at = route.read();
  const { params, wrong } = check(at.view, at.params);
  const list = nav.LISTS[at.view];
  if (list && !at.id) {
    wrong.push(`The address names no ${at.view}. Choose one here.`);
    at.view = list;
    history.replaceState(null, "", `#/${list}${at.params.size ? `?${at.params}` : ""}`);
  } else if (at.id && !list) wrong.push(`The address goes on with /${at.id}, which means nothing in this view.`);
  const view = at.view || "home";
  if (!session.isOpen()) return signedOut(view);
  if (takePlace(params)) {
    listenTo();
    workspaces();
  }
  current?.stop.abort();
  const stop = new AbortController();
  const root = h("div", { class: "view" });
  const about = h("div", { class: "about-address", role: "alert" });
  const say = (text) => about.append(h("p", { class: "note", dir: "auto" }, text));
  const context = { root, id: at.id, params, signal: stop.signal, channel, say, onEvent: null, onShortcut: null };
  current = { ...at, view, stop, context, isWaiting: false };
  calls.clear();
  showPlace(view);
  const isView = Object.hasOwn(VIEWS, view);
  root.classList.add(isView ? `view-${view}` : "view-nowhere");
  try {
    if (isView) {
      wrong.forEach(say);
      await VIEWS[view](context);
    } else showNowhere(root, view);
  } catch (error) {
    if (error.name === "AbortError") return;
    showFailure(root, error, view, at.id);
    current.isWaiting = error.code === "away";
  }
  if (stop.signal.aborted) return;
  const isFirst = !main.dataset.view;
  main.dataset.view = view;
  fill(main, about, root, view === "json" || !isView ? null : foot());
  const heading = root.querySelector("h1");
  document.title = `${heading?.textContent || "mem"} · mem`;
  if (!isFirst && !root.contains(document.activeElement)) {
    heading?.setAttribute("tabindex", "-1");
    heading?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
  context.onShown?.(); // may scroll to its place
  if (pendingText !== null) search();
}

/** Says how to sign in. The address stays, so that the tab goes on where it is. */
function signedOut(view) {
  current?.stop.abort();
  current = null;
  stream.close();
  channel.isOpen = false;
  showState("out", 0);
  showPlace(view);
  document.title = "Not signed in · mem";
  fill(
    main,
    h(
      "div",
      { class: "view view-signed-out" },
      h("h1", {}, "Not signed in"),
      h(
        "p",
        {},
        "Run ",
        h("code", {}, "mem serve open"),
        " in a terminal. It opens a new tab, and this one goes on where it is.",
      ),
      h("p", { class: "muted" }, "You are signed in until you log out, the service stops, or twelve hours have passed."),
    ),
  );
}

/** Takes the memory that an address names. Returns whether it is another than before. */
function takePlace(params) {
  const repo = params.get("repo");
  const target = { repo: repo === "user" ? null : repo, workspace: params.get("workspace"), user: repo === "user" };
  const hasMoved = !channel.isOpen || isOther(target);
  Object.assign(place, target);
  return hasMoved;
}

function isOther(target) {
  return ["repo", "workspace", "user"].some((name) => target[name] !== place[name]);
}

function showPlace(view) {
  nav.show(view);
  chooser.value = chosen();
}

/** Returns which option is the memory that is looked at: an address may name it by its id, its name or its path. */
function chosen() {
  if (place.user) return "user";
  const repo = place.repo;
  if (!repo) return chooser.dataset.meant || "";
  const options = [...chooser.options];
  const match =
    options.find((option) => option.value === repo) ||
    options.find((option) => [option.title, option.dataset.name].includes(repo));
  if (!match) chooser.append(h("option", { value: repo }, repo));
  return match ? match.value : repo;
}

async function offerRepositories() {
  const { items: repos } = await get("/v2/repos");
  const names = JSON.stringify(repos);
  if (names === chooser.dataset.known) return; // it may be open
  chooser.dataset.known = names;
  const twice = (name) => repos.filter((repo) => repo.root_name === name).length > 1;
  chooser.dataset.meant = repos.find((repo) => repo.active)?.repo_id || "";
  fill(
    chooser,
    chooser.dataset.meant ? null : h("option", { value: "" }, repos.length ? "Choose a repository" : "No repository yet"),
    repos.map((repo) =>
      h(
        "option",
        { value: repo.repo_id, title: repo.git_root, "data-name": repo.root_name },
        twice(repo.root_name) ? `${repo.root_name} (${repo.git_root || repo.repo_id})` : repo.root_name,
      ),
    ),
    h("option", { value: "user" }, "My own memory"),
  );
  chooser.value = chosen();
}

/** Offers the workspaces of the memory that is looked at, where it has several. */
async function workspaces() {
  const before = { ...place };
  let items = [];
  try {
    items = (await get("/v2/workspaces")).items;
  } catch {
    // What is the matter is told by the view.
  }
  if (isOther(before)) return;
  if (place.workspace && items.length && !items.some((item) => item.active)) {
    items.push({ workspace: place.workspace, active: true });
    current?.context.say(`Nothing was ever written to a workspace ${place.workspace} here: it is empty.`);
  }
  fill(
    workspace,
    items.map((item) => h("option", { value: item.workspace }, item.workspace)),
  );
  workspace.value = items.find((item) => item.active)?.workspace ?? "";
  workspace.parentElement.hidden = items.length < 2;
}

function choose(target) {
  const at = route.read();
  Object.assign(place, target);
  channel.isOpen = false;
  location.hash = route.href(nav.LISTS[at.view] || at.view || "home");
}

function showState(name, ms) {
  if (name === "refused") channel.isOpen = false; // the next view tries again
  if (name === "live" && current?.isWaiting) render().catch(trouble); // what failed while the service was away
  const status = document.getElementById("status");
  status.dataset.state = name;
  status.textContent = {
    live: "Live",
    waiting: ms < 1500 ? "Reconnecting" : `Away, again in ${Math.round(ms / 1000)} s`,
    refused: "No stream",
    out: "Not signed in",
  }[name];
}

function receive(name, data) {
  if (name === "ready") {
    if (data.reset) channel.events.length = 0;
    channel.newest = Math.max(channel.newest, data.newest);
    current?.context.onEvent?.(name, data, true);
    return;
  }
  const isOld = channel.backlog && data.revision <= channel.backlog;
  channel.events.unshift({ name, data });
  channel.events.length = Math.min(channel.events.length, KEPT);
  current?.context.onEvent?.(name, data, isOld);
}

const stream = new Stream(receive, showState);
let listening = 0; // which time; an answer that an earlier one waited for is late

/** Begins to listen to the memory that is looked at, a little before now. */
async function listenTo() {
  listening += 1;
  const attempt = listening;
  stream.close();
  channel.isOpen = true;
  channel.events.length = 0;
  channel.newest = 0;
  try {
    const { revision } = await get("/v2/stats");
    if (attempt !== listening) return; // another memory was chosen meanwhile
    channel.backlog = revision;
    stream.open(Math.max(0, revision - BEFORE));
  } catch (error) {
    if (attempt !== listening) return;
    showState(error.status ? "refused" : "waiting", 0);
    if (!error.status) stream.open();
    else stream.close();
  }
}

function onKey(name) {
  if (!session.isOpen()) return signedOutKey(name);
  if (pendingText !== null) {
    pendingText += name.length === 1 ? name : "";
    return true;
  }
  const view = nav.byKeys(name);
  if (view) return go(view);
  if (current?.context.onShortcut?.(name)) return true;
  if (name === "?") return help() ?? true;
  if (name === "t") return theme.next() ?? true;
  if (name === "u") return undoLast();
  if (name === "n") return actions.add((id) => id && route.go("memory", id)) ?? true;
  if (name === "/") return toSearch();
  if (name === "j" || name === "k") return toRow(name === "j" ? 1 : -1);
  const act = (currentMemory(name !== "x") || null)?.querySelector(`[data-act="${CSS.escape(name)}"]`);
  /** @type {HTMLElement} */ (act)?.click();
  return Boolean(act);
}

/** What a key does where nobody is signed in: what needs no memory; of the rest it says what is the matter. */
function signedOutKey(name) {
  if (name === "?") return help() ?? true;
  if (name === "t") return theme.next() ?? true;
  if (name === "g" || (name !== "/" && name !== "n" && !nav.byKeys(name))) return false;
  toast("Not signed in: run mem serve open in a terminal.");
  return true;
}

function toSearch() {
  const field = main.querySelector("[data-search]");
  if (!field && current.view === "memories") return false; // it could not be shown
  if (!field) {
    pendingText = "";
    return go("memories");
  }
  field.focus();
  field.select();
  return true;
}

/** Goes to the search field of a view that was opened for it, with what was typed meanwhile. */
function search() {
  const text = pendingText;
  pendingText = null;
  if (!toSearch() || !text) return;
  const field = /** @type {HTMLInputElement} */ (document.activeElement);
  field.value = text;
  field.dispatchEvent(new Event("input"));
}

/** Goes to the next row of the view, or the one before, from list to list; from elsewhere to the list. */
function toRow(step) {
  const stops = [...main.querySelectorAll("[data-stop]")].filter((stop) => stop.checkVisibility());
  const row = document.activeElement.closest("li");
  const at = row ? stops.findIndex((stop) => stop.closest("li") === row) : -1;
  const next = at < 0 ? stops.find((stop) => stop.matches("[tabindex='0']")) || stops[0] : stops[at + step];
  next?.focus();
  return Boolean(next);
}

theme.begin(document.getElementById("theme"));
document.getElementById("help").addEventListener("click", help);
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault(); // the hash is where the page is
  main.focus();
});
listen(onKey);
addEventListener("hashchange", () => {
  moveOn();
  if (session.isLink()) return;
  leave();
  render().catch(trouble);
});
addEventListener("online", () => stream.resume());
addEventListener("pagehide", () => stream.pause());
addEventListener("pageshow", () => stream.resume());
document.addEventListener("visibilitychange", () => (document.visibilityState === "visible" ? stream.resume() : stream.pause()));
workspace.addEventListener("change", () => choose({ workspace: workspace.value }));
chooser.addEventListener("change", () => {
  const isUser = chooser.value === "user";
  choose({ repo: isUser ? null : chooser.value, user: isUser, workspace: null });
});
chooser.addEventListener("focus", () => session.isOpen() && guarded(offerRepositories)); // there may be a new one
await session.begin(() => begin());
await begin();

async function begin() {
  if (session.isOpen()) await guarded(offerRepositories);
  await render().catch(trouble);
}
