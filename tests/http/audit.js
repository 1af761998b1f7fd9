// What somebody who does not see the page, or sees it badly, would stumble over. Returns complaints.
() => {
  const said = [];
  const seen = (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !one.closest(".hidden, .skip");
  const text = (one) => (one ? one.textContent.trim() : "");
  const named = (one) =>
    one.getAttribute("aria-label") ||
    (one.getAttribute("aria-labelledby") || "").split(" ").map((id) => text(document.getElementById(id))).join("") ||
    [...(one.labels || [])].map(text).join("") || (one.matches("input, select, textarea") ? "" : text(one));
  const what = (one) => one.outerHTML.slice(0, 120);

  for (const one of document.querySelectorAll("a, button, input, select, textarea, summary, [role=img], [role=log], nav, section, dialog, svg a")) {
    const needs = one.matches("section") ? one.hasAttribute("aria-label") || one.querySelector("h1, h2, h3") : named(one).trim();
    if (!needs && one.checkVisibility()) said.push(`no name: ${what(one)}`);
  }
  for (const name of ["header", "nav", "main"]) {
    if (document.querySelectorAll(name).length !== 1) said.push(`not one ${name}`);
  }
  if (document.querySelectorAll("h1").length !== 1) said.push("not one h1");
  let level = 0;
  for (const one of document.querySelectorAll("main h1, main h2, main h3")) {
    const now = Number(one.tagName[1]);
    if (now > level + 1) said.push(`a level is left out: ${what(one)}`);
    level = now;
  }
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) said.push(`twice the id ${id}`);
  for (const attribute of ["for", "aria-labelledby", "aria-describedby"]) {
    for (const one of document.querySelectorAll(`[${attribute}]`)) {
      for (const id of one.getAttribute(attribute).split(" ")) if (!document.getElementById(id)) said.push(`nothing is called ${id}`);
    }
  }
  for (const one of document.querySelectorAll("[tabindex]")) if (one.tabIndex > 0) said.push(`an order of its own: ${what(one)}`);
  for (const one of document.querySelectorAll("ul > :not(li), ol > :not(li)")) said.push(`no item of a list: ${what(one)}`);
  if (!document.querySelector("[role=status]") || !document.querySelector("[aria-live]")) said.push("nothing is read out");
  if (document.documentElement.lang !== "en" || !document.title) said.push("no language or no title");
  for (const one of document.querySelectorAll("button, .bar nav a")) {
    const box = one.getBoundingClientRect();
    if (seen(one) && (box.width < 24 || box.height < 22)) said.push(`too small to hit: ${what(one)}`);
  }

  // Contrast by WCAG 2: 4.5 for text, 3 for large text.
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b].map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const found = rgba(getComputedStyle(at).backgroundColor);
      if (found[3] > 250) return found;
    }
    return [255, 255, 255, 255];
  };
  const open = document.querySelector("dialog[open]");
  const walk = document.createTreeWalker(open || document.body, NodeFilter.SHOW_TEXT);
  const known = new Set();
  while (walk.nextNode()) {
    const one = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || known.has(one) || !seen(one) || one.closest("[disabled], noscript, script, option")) continue;
    known.add(one);
    const style = getComputedStyle(one);
    const [a, b] = [light(rgba(one.namespaceURI.endsWith("svg") ? style.fill : style.color)), light(behind(one))].sort((x, y) => y - x);
    const size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
    const found = (a + 0.05) / (b + 0.05);
    if (found < least) said.push(`contrast ${found.toFixed(2)}: ${what(one)}`);
  }
  return [...new Set(said)];
}
