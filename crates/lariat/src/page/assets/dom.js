// Elements. Text from models only ever becomes a text node or an attribute here, never markup.

function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

// A heading and what belongs to it.
function panel(title, attributes, ...children) {
  const id = `panel-${(panel.count = (panel.count ?? 0) + 1)}`;
  const head = el("h3", { id }, title);
  return el("section", { ...attributes, "aria-labelledby": id }, head, ...children);
}

// A text in which backticks stand around what is not words; `inner` makes something of the words.
function worded(text, inner = (words) => words) {
  return text.split("`").map((part, i) => (i % 2 === 1 ? el("code", {}, part) : inner(part)));
}

// A table of some rows; the first cell of each is its head.
function table(heads, rows, attributes) {
  return el("div", { class: "wide" }, el("table", attributes,
    el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell, i) =>
      i === 0 ? el("th", { scope: "row" }, cell) : el("td", {}, cell)))))));
}

// Something several times a second at most: once for each picture that the browser shows.
function oncePerFrame(action) {
  let waits = false;
  return () => {
    if (waits) return;
    waits = true;
    requestAnimationFrame(() => { waits = false; action(); });
  };
}

function seconds(time) {
  return time < 10 ? `${time.toFixed(2)} s` : `${time.toFixed(1)} s`;
}

function plural(n, what) {
  return n === 1 ? `1 ${what}` : `${n.toLocaleString("en")} ${what}s`;
}
