// Times, numbers and names as people read them.

const DAY = 86_400_000;
const near = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const day = new Intl.DateTimeFormat("en-CA", { year: "numeric", month: "2-digit", day: "2-digit" });
const minute = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const number = new Intl.NumberFormat("en");

/** Returns the day of a moment by this machine's calendar, as a number. */
function dayNumber(moment) {
  const at = new Date(moment);
  return Date.UTC(at.getFullYear(), at.getMonth(), at.getDate()) / DAY;
}

/** Returns how long ago a moment was: "3 hours ago", from a day on by the calendar, "yesterday", then a date. */
export function ago(moment, now = Date.now()) {
  const at = typeof moment === "number" ? moment : Date.parse(moment);
  const past = now - at;
  if (past < 0 || past > 30 * DAY) return day.format(at);
  if (past < 60_000) return "just now";
  if (past < 3_600_000) return near.format(-Math.floor(past / 60_000), "minute");
  if (past < DAY) return near.format(-Math.floor(past / 3_600_000), "hour");
  return near.format(dayNumber(at) - dayNumber(now), "day");
}

/** Returns a date. */
export function date(moment) {
  return day.format(typeof moment === "number" ? moment : Date.parse(moment));
}

/** Returns a date and the time of the day. */
export function when(moment) {
  return `${date(moment)} ${clock(moment)}`;
}

/** Returns the time of the day. */
export function clock(moment) {
  return minute.format(typeof moment === "number" ? moment : Date.parse(moment));
}

/** Returns how long something took. */
export function lasted(from, until) {
  const minutes = Math.max(0, Math.round((Date.parse(until) - Date.parse(from)) / 60_000));
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Returns a number with its noun. */
export function count(n, singular, plural = `${singular}s`) {
  return `${number.format(n)} ${n === 1 ? singular : plural}`;
}

/** Returns how many there are of what a page lists, and how many of them it has, where that is not all. */
export function counted({ items, total }, singular, plural) {
  return count(total, singular, plural) + (total > items.length ? `, ${number.format(items.length)} of them shown` : "");
}

/** Returns a text of so many characters at most: up to the end of a word, where one ends near there. */
export function cut(text, most) {
  if (text.length <= most) return text;
  const start = text.slice(0, most);
  const end = start.lastIndexOf(" ");
  return `${start.slice(0, end > most / 2 ? end : most - 1).trimEnd()}…`;
}

/** Returns what tells a session from others of the same title: its day and its title. */
export const sessionName = (session, most = 80) => `${date(session.started_at)} ${cut(session.title, most)}`;

export const figure = (n) => number.format(n);
export const short = (commit) => commit.slice(0, 7);

/** What the anchor of a memory says: each state has one word, the same in all views (docs/glossary.md). */
export const ANCHORS = {
  reachable: "on this branch",
  carried: "carried over",
  orphan: "not on this branch",
  unknown: "commit unknown here",
};

/** What these say, in full. */
export const ANCHOR_HINTS = {
  carried: "Its commit is not in this branch, but the same change is: amended, rebased, cherry-picked or squash-merged.",
  orphan: "Its commit, and the change of it, are not in this branch: agents are not told it here.",
  unknown: "This clone lacks the commits by which git could tell.",
};

/** What the files of a memory say. */
export const FRESHNESS = { fresh: "files as they were", drifted: "a file changed", unlinked: "names no file" };

/** Of a state that no person saved. */
export const BY_CI = "saved by a CI job";

/** What the session of something had met by then. */
export const EXPOSED = { "foreign-page": "after a foreign page", "unknown-program": "after an unknown program" };

/** What the types of stored things are called. */
export const TYPES = {
  memory: "memory",
  prompt: "prompt",
  answer: "answer",
  passage: "statement",
  note: "note",
  profile: "profile",
  state: "state",
  session: "session",
  chunk: "code",
};

/** Through what somebody wrote, where no session is known. */
export const WRITERS = {
  cli: "somebody with mem in a terminal",
  http: "somebody in this page, or a program over HTTP",
  mcp: "an agent over MCP",
  agent: "an agent",
  ci: "a CI job",
  hook: "a hook",
};

const WAYS = ["reverted", "fixed", "done"];

/** Returns the word for what another memory replaced, and how where that is known. */
export const superseded = (way) => (WAYS.includes(way) ? `superseded (${way})` : "superseded");

/** Whether something holds. */
export const STATES = {
  ...ANCHORS,
  holds: "holds",
  drifted: "a file changed",
  superseded: "superseded",
  overtaken: "overtaken",
  forgotten: "forgotten",
};
