// Where somebody was in a list: kept while another view is looked at, so that Back leads to the same rows.

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
  const moved = () => {
    address = location.hash;
  };
  signal.addEventListener("abort", () => {
    states.set(address, { ...read(), y });
    last.set(view, address);
  });
  return moved;
}

/** Returns where the list of this address was left, null if it was not. */
export const stateOf = (address = location.hash) => states.get(address) || null;

/** Returns the address at which a view was left, or another one. */
export const lastAddress = (view, other) => last.get(view) || other;
