// A long list of which only what is near the window is in the document: rows come in blocks, one far away is a gap as high.

const BLOCK = 40; // rows that come and go together
const MARGIN = 2_000; // px around the window in which blocks stay
const GUESS = 110; // px of a row that was never drawn

/** Shows rows of data in a list. `makeRow(data)` makes one; `settle()` is called when rows came or went. */
export class WindowedList {
  constructor(list, makeRow, settle, signal) {
    this.list = list;
    this.makeRow = makeRow;
    this.settle = settle;
    this.items = [];
    this.blocks = [];
    let isDue = false;
    const later = () => {
      if (isDue) return;
      isDue = true;
      requestAnimationFrame(() => {
        isDue = false;
        this.update();
      });
    };
    addEventListener("scroll", later, { passive: true, signal });
    addEventListener("resize", later, { passive: true, signal });
  }

  get length() {
    return this.items.length;
  }

  /** Replaces what is in the list. The first rows are drawn at once. */
  replace(items) {
    this.items = [];
    this.blocks = [];
    this.list.replaceChildren();
    this.append(items);
  }

  /** Adds rows at the end. */
  append(items) {
    const from = this.items.length;
    this.items.push(...items);
    for (let at = from; at < this.items.length; at += BLOCK) {
      const block = { from: at, to: Math.min(at + BLOCK, this.items.length), rows: [] };
      block.gap = document.createElement("li");
      block.gap.className = "gap";
      block.gap.setAttribute("aria-hidden", "true");
      block.gap.style.setProperty("height", `${GUESS * (block.to - block.from)}px`);
      this.blocks.push(block);
      this.list.append(block.gap);
      if (at < BLOCK) this.draw(block);
    }
    this.update();
  }

  /** Draws what came near and takes out what went far. */
  update() {
    if (!this.list.isConnected) return this.settle();
    const changes = this.blocks.filter((block) => isNear(block) === !block.rows.length && !holdsFocus(block));
    for (const block of changes) {
      if (block.rows.length) this.drop(block);
      else this.draw(block);
    }
    if (changes.length) this.settle();
  }

  draw(block) {
    block.rows = this.items.slice(block.from, block.to).map((item, at) => {
      const row = this.makeRow(item);
      row.setAttribute("aria-posinset", String(block.from + at + 1));
      return row;
    });
    block.gap.replaceWith(...block.rows);
  }

  drop(block) {
    const { top } = block.rows[0].getBoundingClientRect();
    block.gap.style.setProperty("height", `${block.rows.at(-1).getBoundingClientRect().bottom - top}px`);
    block.rows[0].before(block.gap);
    for (const row of block.rows) row.remove();
    block.rows = [];
  }
}

const holdsFocus = (block) => block.rows.some((row) => row.contains(document.activeElement));

function isNear(block) {
  const first = block.rows[0] || block.gap;
  const last = block.rows.at(-1) || block.gap;
  return first.getBoundingClientRect().top < innerHeight + MARGIN && last.getBoundingClientRect().bottom > -MARGIN;
}
