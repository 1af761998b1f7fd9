// The session of this tab: a key that it keeps and sends as a header. It is no cookie, since browsers send those to every port.

const NAME = "mem.session";
const ANSWER = 250; // ms that other tabs get to answer
const LINK = "#login="; // what `mem serve open` opens; browsers send a fragment to nobody

const ended = new Set(); // keys that the service refused: other tabs may not know yet
const tabs = new BroadcastChannel(NAME); // tabs of this service only: another port is another origin
let key = storedKey();
let changed = () => {};

function storedKey() {
  try {
    return sessionStorage.getItem(NAME) || "";
  } catch {
    return ""; // storage may be switched off: then a reload signs out
  }
}

function keep(value) {
  key = value;
  try {
    if (value) sessionStorage.setItem(NAME, value);
    else sessionStorage.removeItem(NAME);
  } catch {
    // It is kept for as long as the tab is not reloaded.
  }
}

export const isOpen = () => Boolean(key);
export const isLink = () => location.hash.startsWith(LINK);

/** Begins: with the link in the address, with the key of this tab, or with another's. `onChange()`: opened or ended later. */
export async function begin(onChange) {
  tabs.onmessage = ({ data }) => receive(data);
  if (isLink()) await enter();
  else if (!key) await askTabs();
  changed = onChange;
  addEventListener("hashchange", (event) => isLink() && enter(new URL(event.oldURL).hash));
}

/** Opens a session with the link in the address, and goes back to where the tab was. */
async function enter(place = "") {
  const code = location.hash.slice(LINK.length);
  history.replaceState(null, "", place && !place.startsWith(LINK) ? place : "#/");
  const answer = await fetch(`/login?code=${encodeURIComponent(code)}`, { method: "POST", credentials: "omit" });
  if (answer.ok) open((await answer.json()).session);
  else changed();
}

function open(value) {
  keep(value);
  tabs.postMessage({ key }); // to tabs that wait
  changed();
}

/** Asks other tabs for a session. */
function askTabs() {
  tabs.postMessage({ isWanted: true });
  return new Promise((resolve) => setTimeout(resolve, ANSWER));
}

function receive(data) {
  if (data.isWanted && key) tabs.postMessage({ key });
  else if (data.key && !key && !ended.has(data.key)) {
    keep(data.key);
    changed();
  } else if (data.ended) lose(data.ended);
}

function lose(value) {
  ended.add(value);
  if (value !== key) return;
  keep("");
  tabs.postMessage({ isWanted: true });
  changed();
}

/** Sends a request with the key. */
export async function send(path, options = {}) {
  if (!key) return new Response(null, { status: 401 });
  const sent = key;
  const headers = { ...options.headers, Authorization: `Bearer ${sent}` };
  const answer = await fetch(path, { ...options, headers, credentials: "omit", cache: "no-store" });
  if (answer.status === 401) lose(sent);
  return answer;
}

/** Ends the session, in every tab that has it. */
export async function end() {
  const sent = key;
  await send("/logout", { method: "POST" });
  tabs.postMessage({ ended: sent });
  lose(sent);
}
