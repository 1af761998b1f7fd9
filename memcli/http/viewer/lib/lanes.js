// The geometry of a picture of commits: rows, lanes and lines as numbers. It needs no browser.

/**
 * @typedef {{ id: string, parents?: string[] }} Commit
 * @typedef {{ above: string, below: string, between: number }} Edge
 */

/** Returns which lane each commit stands in, children first: the first parent goes on in its child's lane. */
export function lanes(commits) {
  const waiting = []; // what each lane waits for
  return commits.map((commit) => {
    let lane = waiting.indexOf(commit.id);
    if (lane < 0) lane = free(waiting);
    waiting.forEach((name, at) => {
      if (name === commit.id) waiting[at] = null;
    });
    commit.parents.forEach((parent, at) => {
      const other = waiting.indexOf(parent);
      if (other >= 0 && (at > 0 || other < lane)) return;
      if (other >= 0) waiting[other] = null; // the line further left goes on
      waiting[at === 0 ? lane : free(waiting)] = parent;
    });
    return { ...commit, lane };
  });
}

function free(waiting) {
  const at = waiting.indexOf(null);
  if (at >= 0) return at;
  waiting.push(null);
  return waiting.length - 1;
}

/**
 * Returns the rows of a picture, from the top: {commit, lane} each, or {between, lane} for commits that are passed over.
 * @param {Commit[]} commits children before their parents
 * @param {Edge[]} edges
 */
export function rows(commits, edges) {
  const below = new Map(commits.map((commit) => [commit.id, edges.filter((edge) => edge.above === commit.id)]));
  const placed = lanes(commits.map((commit) => ({ ...commit, parents: below.get(commit.id).map((edge) => edge.below) })));
  return placed.flatMap((commit, at) => [
    { commit: commits[at], lane: commit.lane },
    ...below
      .get(commit.id)
      .filter((edge) => edge.between)
      .map((edge) => ({ between: edge.between, lane: commit.lane })),
  ]);
}

/**
 * Returns the lines of a picture: {from, to, isGap}, with {lane, row} at each end.
 * @param {ReturnType<typeof rows>} all
 * @param {Edge[]} edges
 */
export function lines(all, edges) {
  const places = new Map();
  all.forEach(({ commit, lane }, row) => commit && places.set(commit.id, { lane, row }));
  return edges.map((edge) => ({ from: places.get(edge.above), to: places.get(edge.below), isGap: edge.between > 0 }));
}
