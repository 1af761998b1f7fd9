// Items in groups.

/** Returns items by what `key(item)` returns, each group in the order of the items: a Map. */
export function groupBy(items, key) {
  const groups = new Map();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) || []), item]);
  return groups;
}
