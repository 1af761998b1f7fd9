// Asking the service. Every call names the memory that is looked at.

import { send } from "./session.js";

const OF_API = /\bGET \/|openapi|\/v2\//; // a hint for programs

/** A call that was refused, in the words of the service. */
export class Refused extends Error {
  constructor(status, problem) {
    super(problem.detail || problem.error || `The service answered ${status}.`);
    this.status = status;
    this.code = problem.code || "";
    this.hint = OF_API.test(problem.hint || "") ? "" : problem.hint || "";
  }
}

/** Which memory is looked at: {repo, workspace, user}. */
export const place = { repo: null, workspace: null, user: false };

/** Returns the part of an address that says which memory is meant. */
export function address(path, params = {}) {
  const query = new URLSearchParams();
  if (place.user) query.set("user", "true");
  else if (place.repo) query.set("repo", place.repo);
  if (place.workspace) query.set("workspace", place.workspace);
  for (const [name, value] of Object.entries(params)) {
    if (value !== null && value !== undefined) query.set(name, value);
  }
  return query.size ? `${path}?${query}` : path;
}

/**
 * Asks the service. `revision`: what the change was made for; it is refused where somebody else changed that meanwhile.
 * @param {string} method
 * @param {string} path
 * @param {{ params?: object, body?: object, signal?: AbortSignal, revision?: number }} options
 */
async function ask(method, path, { params, body, signal, revision }) {
  /** @type {Record<string, string>} */
  const headers = revision ? { "If-Match": `"${revision}"` } : {};
  /** @type {RequestInit} */
  const request = { method, signal, headers };
  if (body !== undefined) {
    request.body = JSON.stringify(body);
    headers["Content-Type"] = "application/json";
  }
  let answer;
  try {
    answer = await send(address(path, params), request);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, { detail: "The service does not answer.", hint: "start it with: mem serve start", code: "away" });
  }
  if (answer.ok) return answer.json();
  let problem = {};
  try {
    problem = await answer.json();
  } catch {
    // Not every refusal is a problem document.
  }
  if (answer.status === 401)
    problem = { detail: "This tab is not signed in.", hint: "run mem serve open; then this tab goes on", code: "signed_out" };
  throw new Refused(answer.status, problem);
}

/** What the view was made of so far: path -> the address that was asked last. */
export const calls = new Map();

/** Reads. What a view reads has its `signal`, and is noted. */
export function get(path, params, signal) {
  if (signal) calls.set(path, address(path, params));
  return ask("GET", path, { params, signal });
}

/** Returns a function that gives a signal and aborts the one before: of several answers only that to the last question counts. */
export function newest(signal) {
  let running = null;
  signal.addEventListener("abort", () => running?.abort());
  return () => {
    running?.abort();
    running = new AbortController();
    return running.signal;
  };
}

export const post = (path, body, revision) => ask("POST", path, { body, revision });
export const patch = (path, body, revision) => ask("PATCH", path, { body, revision });
export const put = (path, body, revision) => ask("PUT", path, { body, revision });
export const remove = (path, params, revision) => ask("DELETE", path, { params, revision });

/** Returns a path of an object. */
export const of = (base, id, suffix = "") => `${base}/${encodeURIComponent(id)}${suffix}`;
