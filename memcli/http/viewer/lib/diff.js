// Which lines of a text became which: the longest common subsequence of two texts, by their lines.

const MOST = 1_000; // lines of each; what is longer is shown as a whole

/** Returns [sign, line] each: "-" only before, "+" only after, " " in both. */
export function lines(before, after) {
  const old = before ? before.split("\n") : [];
  const now = after ? after.split("\n") : [];
  if (old.length > MOST || now.length > MOST) return [...old.map((line) => ["-", line]), ...now.map((line) => ["+", line])];
  const length = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      length[i][j] = old[i] === now[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
    }
  }
  const result = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      result.push([" ", old[i]]);
      i += 1;
      j += 1;
    } else if (j >= now.length || (i < old.length && length[i + 1][j] >= length[i][j + 1])) {
      result.push(["-", old[i]]);
      i += 1;
    } else {
      result.push(["+", now[j]]);
      j += 1;
    }
  }
  return result;
}
