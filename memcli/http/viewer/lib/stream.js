// Server-sent events over fetch: unlike EventSource it tells why a stream ended, notices a silent one, waits longer each time.

import { address } from "./api.js";
import { send } from "./session.js";

const FIRST = 500; // ms before the second attempt
const MOST = 20_000; // ms between two attempts
const SILENCE = 45_000; // ms without a byte after which a stream counts as dead; the service sends something every 15 s

/** Returns how long to wait before an attempt: doubled each time, half by chance, so that not all pages come back at once. */
export function backoff(attempt, random = Math.random()) {
  const most = Math.min(MOST, FIRST * 2 ** attempt);
  return most / 2 + (most / 2) * random;
}

/** Returns the events in a text that has come in so far, and what is left of it. */
export function parse(text) {
  const parts = text.split(/\r?\n\r?\n/);
  const remainder = parts.pop();
  const events = [];
  for (const part of parts) {
    const event = { id: null, name: "message", data: "" };
    for (const line of part.split(/\r?\n/)) {
      const at = line.indexOf(":");
      if (at <= 0) continue;
      const value = line.slice(at + 1).replace(/^ /, "");
      if (line.slice(0, at) === "id") event.id = value;
      else if (line.slice(0, at) === "event") event.name = value;
      else if (line.slice(0, at) === "data") event.data += value;
    }
    if (event.data) events.push(event);
  }
  return { events, rest: remainder };
}

/** A stream that comes back by itself, where it ended. `onEvent(name, data)`; `onState(name, ms)`: live, waiting, refused. */
export class Stream {
  constructor(onEvent, onState) {
    this.onEvent = onEvent;
    this.onState = onState;
    this.last = null;
    this.attempt = 0;
    this.run = 0;
    this.isClosed = true;
    this.isPaused = false;
  }

  /** Begins, behind a revision where one is given. */
  open(since = null) {
    this.close();
    this.isClosed = false;
    this.last = since;
    this.attempt = 0;
    this.follow(this.run);
  }

  close() {
    this.isClosed = true;
    this.isPaused = false;
    this.end();
  }

  /** Ends the connection and all attempts. */
  end() {
    this.run += 1;
    clearTimeout(this.timer);
    this.wake?.();
    this.stop?.abort();
  }

  /** Lets go of the connection: a browser has six for a service, and tabs that nobody looks at would hold them all. */
  pause() {
    this.isPaused = this.last !== null && !this.isClosed;
    if (this.isPaused) this.end();
  }

  /** Goes on behind the last event after a pause, and at once instead of waiting. */
  resume() {
    if (!this.isPaused) return this.wake?.();
    this.isPaused = false;
    this.attempt = 0;
    this.follow(this.run);
  }

  async follow(run) {
    while (run === this.run) {
      try {
        await this.read(run);
      } catch (error) {
        if (run !== this.run) return;
        if (error.status && error.status < 500) {
          this.onState("refused", 0);
          return;
        }
      }
      if (run !== this.run) return;
      const pause = backoff(this.attempt);
      this.attempt += 1;
      this.onState("waiting", pause);
      await new Promise((resolve) => {
        this.wake = resolve;
        this.timer = setTimeout(resolve, pause);
      });
    }
  }

  async read(run) {
    this.stop = new AbortController();
    const stop = this.stop;
    let silence;
    const restart = () => {
      clearTimeout(silence);
      silence = setTimeout(() => stop.abort(), SILENCE);
    };
    restart();
    try {
      const headers = { Accept: "text/event-stream", ...(this.last === null ? {} : { "Last-Event-ID": String(this.last) }) };
      const answer = await send(address("/stream", { own: true }), { headers, signal: stop.signal });
      if (!answer.ok) throw Object.assign(new Error("refused"), { status: answer.status });
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done || run !== this.run) return;
        restart();
        const batch = parse(text + value);
        text = batch.rest;
        for (const event of batch.events) this.take(event);
      }
    } finally {
      clearTimeout(silence);
    }
  }

  take(event) {
    const data = JSON.parse(event.data);
    if (event.id !== null) this.last = Number(event.id);
    if (event.name === "ready") {
      this.attempt = 0;
      this.onState("live", 0);
    }
    this.onEvent(event.name, data);
  }
}
