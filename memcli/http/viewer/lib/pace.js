// How fast a view follows what happens: soon, but never again and again for each of many events.

import { trouble } from "./toast.js";

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

/**
 * Returns a function that runs something soon after it was called. Calls until then are one run, those during a run another.
 * Between two runs lie `pause` ms, or as long as the last one took: who brings events faster does not put the next run off.
 */
export function paced(run, pause, signal) {
  let isDue = false;
  let isFollowing = false;
  let took = 0;
  return async () => {
    isDue = true;
    if (isFollowing) return;
    isFollowing = true;
    while (isDue && !signal.aborted) {
      await wait(Math.max(pause, took));
      isDue = false;
      if (signal.aborted) return;
      const start = performance.now();
      await Promise.resolve(run()).catch(trouble);
      took = performance.now() - start;
    }
    isFollowing = false;
  };
}
