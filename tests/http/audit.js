// What somebody who does not see the page, or sees it badly, would stumble over. Returns complaints.
() => {
  const complaints = [];
  const isSeen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !element.closest(".hidden, .skip");
  const text = (element) => (element ? element.textContent.trim() : "");
  const nameOf = (element) =>
    element.getAttribute("aria-label") ||
    (element.getAttribute("aria-labelledby") || "").split(" ").map((id) => text(document.getElementById(id))).join("") ||
    [...(element.labels || [])].map(text).join("") || (element.matches("input, select, textarea") ? "" : text(element));
  const excerpt = (element) => element.outerHTML.slice(0, 120);

  for (const element of document.querySelectorAll("a, button, input, select, textarea, summary, [role=img], [role=log], nav, section, dialog, svg a")) {
    const name = element.matches("section") ? element.hasAttribute("aria-label") || element.querySelector("h1, h2, h3") : nameOf(element).trim();
    if (!name && element.checkVisibility()) complaints.push(`no name: ${excerpt(element)}`);
  }
  for (const name of ["header", "nav", "main"]) {
    if (document.querySelectorAll(name).length !== 1) complaints.push(`not one ${name}`);
  }
  if (document.querySelectorAll("h1").length !== 1) complaints.push("not one h1");
  let level = 0;
  for (const element of document.querySelectorAll("main h1, main h2, main h3")) {
    const now = Number(element.tagName[1]);
    if (now > level + 1) complaints.push(`a level is left out: ${excerpt(element)}`);
    level = now;
  }
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) complaints.push(`twice the id ${id}`);
  for (const attribute of ["for", "aria-labelledby", "aria-describedby"]) {
    for (const element of document.querySelectorAll(`[${attribute}]`)) {
      for (const id of element.getAttribute(attribute).split(" ")) if (!document.getElementById(id)) complaints.push(`nothing is called ${id}`);
    }
  }
  for (const element of document.querySelectorAll("[tabindex]")) if (element.tabIndex > 0) complaints.push(`an order of its own: ${excerpt(element)}`);
  for (const element of document.querySelectorAll("ul > :not(li), ol > :not(li)")) complaints.push(`no item of a list: ${excerpt(element)}`);
  if (!document.querySelector("[role=status]") || !document.querySelector("[aria-live]")) complaints.push("nothing is read out");
  if (document.documentElement.lang !== "en" || !document.title) complaints.push("no language or no title");
  for (const element of document.querySelectorAll("button, .bar nav a")) {
    const box = element.getBoundingClientRect();
    if (isSeen(element) && (box.width < 24 || box.height < 22)) complaints.push(`too small to hit: ${excerpt(element)}`);
  }

  // Contrast by WCAG 2: 4.5 for text, 3 for large text.
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = ([r, g, b]) => [r, g, b].map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const background = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour[3] > 250) return colour;
    }
    return [255, 255, 255, 255];
  };
  const open = document.querySelector("dialog[open]");
  const walk = document.createTreeWalker(open || document.body, NodeFilter.SHOW_TEXT);
  const checkedElements = new Set();
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || checkedElements.has(element) || !isSeen(element) || element.closest("[disabled], noscript, script, option")) continue;
    checkedElements.add(element);
    const style = getComputedStyle(element);
    const [a, b] = [luminance(rgba(element.namespaceURI.endsWith("svg") ? style.fill : style.color)), luminance(background(element))].sort((x, y) => y - x);
    const size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < least) complaints.push(`contrast ${contrast.toFixed(2)}: ${excerpt(element)}`);
  }
  return [...new Set(complaints)];
}
