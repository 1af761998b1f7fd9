// Given against used over time: how many times sessions were told a memory each day, and how often they used it.

import { get } from "../lib/api.js";
import { h, svg } from "../lib/dom.js";
import { figure, room, sized, table } from "../lib/figure.js";
import { bars } from "../lib/scales.js";
import { count } from "../lib/words.js";

const HEIGHT = 130;
const DAYS = 30;

/** Returns the picture, null where nothing was told. */
export async function usageChart(signal) {
  const { items: days } = await get("/v2/usage", { days: DAYS }, signal);
  const told = days.reduce((sum, one) => sum + one.told, 0);
  if (!told) return null;
  const used = days.reduce((sum, one) => sum + one.used, 0);
  const sums = `Told ${count(told, "time")} in ${DAYS} days, used ${count(used, "time")}`;
  const wide = room();
  const all = bars(
    days.map((one) => one.told),
    wide,
    HEIGHT - 20,
  );
  const bar = (one, at) => {
    const { x, y, width, height } = all[at];
    const part = one.told ? (one.used / one.told) * height : 0;
    return svg(
      "g",
      {},
      svg("title", {}, `${one.day}: ${one.told} told, ${one.used} used`),
      svg("rect", { x, y, width, height, class: "mark", "data-mark": "told" }),
      svg("rect", { x, y: y + height - part, width, height: part, class: "mark", "data-mark": "used" }),
    );
  };
  const picture = svg(
    "svg",
    {
      ...sized(wide, HEIGHT),
      role: "img",
      "aria-label": sums,
    },
    days.map(bar),
    svg("text", { x: 0, y: HEIGHT - 4, class: "rel" }, days[0].day),
    svg("text", { x: wide, y: HEIGHT - 4, class: "rel", "text-anchor": "end" }, days.at(-1).day),
  );
  return h(
    "section",
    {},
    h("h2", {}, "Given and used"),
    figure(
      picture,
      `${sums}.`,
      table(
        "Given and used by day",
        ["day", "told", "used"],
        days.filter((one) => one.told).map((one) => [one.day, one.told, one.used]),
      ),
      [
        ["told", "told"],
        ["used", "used"],
      ],
    ),
  );
}
