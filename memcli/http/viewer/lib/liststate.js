// Where somebody was in a list: kept while another view is looked at, so that Back leads to the same rows.

const MOST = 200; // rows of one call
const states = new Map(); // address -> {length, y, id}
const last = new Map(); // view -> the address at which it was left

/** Notes where a list stands when its view is left. `read()` returns {length, id}. */
export function keepState(view, signal, read) {
  let y = scrollY;
  addEventListener(
    "scroll",
    () => {
      y = scrollY;
    },
    { passive: true, signal },
  );
  let address = location.hash;
  const noteAddress = () => {
    address = location.hash;
  };
  signal.addEventListener("abort", () => {
    states.set(address, { ...read(), y });
    last.set(view, address);
  });
  return noteAddress;
}

/** Returns where the list of this address was left, null if it was not. */
export const stateOf = (address = location.hash) => states.get(address) || null;

/** Returns the address at which a view was left, or another one. */
export const lastAddress = (view, other) => last.get(view) || other;

/** Returns rows of a list as a page of them, in several calls where one brings fewer. `page(offset, limit)` is a call. */
export async function rowsFrom(page, offset, length) {
  const all = await page(offset, Math.min(MOST, length));
  while (all.has_more && all.items.length < length) {
    const next = await page(offset + all.items.length, Math.min(MOST, length - all.items.length));
    all.items.push(...next.items);
    all.has_more = next.has_more;
  }
  return all;
}

/** Returns the address of the row that was opened last, else none. */
export const leftAt = (list) => list.querySelector("[data-stop][tabindex='0']")?.getAttribute("href");

/** Leads back to where a list was left, and to the row that was opened. */
export function backTo(list, { y, id }) {
  scrollTo(0, y);
  const stops = [...list.querySelectorAll("[data-stop]")];
  stops.find((stop) => id && stop.getAttribute("href") === id)?.focus({ preventScroll: true });
}
