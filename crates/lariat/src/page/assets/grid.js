// A table of which only the visible part is in the page, whatever its size: rows and columns have fixed sizes, and
// scrolling draws the cells that have come into sight.

class Grid {
  // `content` has rows (an array), columns (a function: how many), name(row, i), head(column), cell(row, column) and
  // choose(column, row).
  constructor(label, content, { rowHeight, nameWidth, columnWidth }) {
    Object.assign(this, { content, rowHeight, nameWidth, columnWidth, current: 0 });
    this.corner = el("div", { class: "corner", role: "presentation" }, "step");
    this.heads = el("div", { class: "heads", role: "row", "aria-rowindex": 1 });
    this.names = el("div", { class: "names", role: "presentation" });
    this.cells = el("div", { class: "cells", role: "presentation" });
    this.canvas = el("div", { class: "canvas", role: "presentation" },
      this.corner, this.heads, this.names, this.cells);
    this.element = el("div", { class: "grid", role: "grid", tabindex: 0, "aria-label": label, "aria-readonly": "true" }, this.canvas);
    this.element.addEventListener("scroll", oncePerFrame(() => this.draw()), { passive: true });
    this.element.addEventListener("click", (event) => this.clicked(event));
    new ResizeObserver(oncePerFrame(() => this.draw())).observe(this.element);
  }

  // To be called when rows or columns have changed.
  layOut() {
    const { rowHeight, nameWidth, columnWidth, content } = this;
    const [n, m] = [content.rows.length, content.columns()];
    this.canvas.style.gridTemplateColumns = `${nameWidth}px ${m * columnWidth}px`;
    this.canvas.style.gridTemplateRows = `${rowHeight}px ${n * rowHeight}px`;
    this.canvas.style.width = `${nameWidth + m * columnWidth}px`;
    this.element.setAttribute("aria-rowcount", n + 1);
    this.element.setAttribute("aria-colcount", m + 1);
    const bar = nameWidth + m * columnWidth > this.element.clientWidth ? 18 : 3;
    this.element.style.height = `${Math.min((n + 1) * rowHeight + bar, Math.max(240, innerHeight * 0.62))}px`;
    this.draw();
  }

  clicked(event) {
    const target = event.target.closest("[data-column], [data-row]");
    if (target === null) return;
    const column = target.dataset.column === undefined ? null : Number(target.dataset.column);
    const row = target.dataset.row === undefined ? null : this.content.rows[Number(target.dataset.row)];
    this.content.choose(column, row);
  }

  // Makes a column the current one and brings it, and a row if one is given, into sight.
  show(column, row = null) {
    this.current = column;
    const view = this.element;
    const [left, width] = [column * this.columnWidth, view.clientWidth - this.nameWidth];
    const margin = Math.max(0, Math.min(2 * this.columnWidth, (width - this.columnWidth) / 2));
    let x = view.scrollLeft;
    if (left - margin < x) x = left - margin;
    if (left + this.columnWidth + margin > x + width) x = left + this.columnWidth + margin - width;
    if (x !== view.scrollLeft) view.scrollLeft = x;
    if (row !== null) {
      const [top, height] = [row * this.rowHeight, view.clientHeight - this.rowHeight];
      if (top < view.scrollTop || top + this.rowHeight > view.scrollTop + height) view.scrollTop = top - height / 2;
    }
    this.draw();
  }

  // Puts what is in sight into the page. Elements are used again, and only what differs is written: most steps change the
  // look of two columns.
  draw() {
    const { rowHeight, nameWidth, columnWidth, content, element: view } = this;
    const spare = 2;
    const visible = (from, size, each, n) => {
      const first = Math.max(0, Math.floor(from / each) - spare);
      return [first, Math.min(n, Math.ceil((from + size) / each) + spare)];
    };
    const [row0, row1] = visible(view.scrollTop, view.clientHeight, rowHeight, content.rows.length);
    const [column0, column1] = visible(view.scrollLeft, view.clientWidth - nameWidth, columnWidth, content.columns());
    const columns = Math.max(0, column1 - column0);
    fit(this.heads, columns, () => piece("columnheader"));
    fit(this.names, Math.max(0, row1 - row0), () => piece("rowheader"));
    fit(this.cells, Math.max(0, row1 - row0), () => el("div", { role: "row" }));
    for (let j = column0; j < column1; j += 1) {
      const { text, kind, title } = content.head(j);
      const head = this.heads.children[j - column0];
      write(head, { class: `head ${kind}${this.now(j)}`, text, title, "data-column": j, "aria-colindex": j + 2 });
      place(head, "left", j * columnWidth, columnWidth);
    }
    for (let i = row0; i < row1; i += 1) {
      const row = content.rows[i];
      const { text, kind, title, depth } = content.name(row);
      const [name, line] = [this.names.children[i - row0], this.cells.children[i - row0]];
      write(name, { class: `name ${kind} deep-${Math.min(depth, 8)}`, text, title, "data-row": i, "aria-rowindex": i + 2 });
      write(line, { class: `line ${kind}`, "aria-rowindex": i + 2 });
      place(name, "top", i * rowHeight, rowHeight);
      place(line, "top", i * rowHeight, rowHeight);
      fit(line, kind === "group" ? 0 : columns, () => piece("gridcell"));
      for (let j = column0; j < column1 && kind !== "group"; j += 1) {
        const shown = content.cell(row, j);
        const cell = line.children[j - column0];
        write(cell, {
          class: `cell ${shown.kind}${this.now(j)}`, text: shown.text, title: shown.title ?? "", "aria-label": shown.label ?? "",
          "data-row": i, "data-column": j, "aria-colindex": j + 2,
        });
        place(cell, "left", j * columnWidth, columnWidth);
      }
    }
  }

  now(column) {
    return column === this.current ? " now" : "";
  }
}

// Makes an element have so many children.
function fit(parent, n, make) {
  while (parent.childElementCount < n) parent.append(make());
  while (parent.childElementCount > n) parent.lastElementChild.remove();
}

// An element with some text.
function piece(role) {
  return el("div", { role }, "\u200b");
}

// Writes the attributes of an element that differ from what was written before; `text` is its text.
function write(element, attributes) {
  const before = (element.written ??= {});
  for (const name in attributes) {
    const value = attributes[name];
    if (before[name] === value) continue;
    before[name] = value;
    if (name === "text") element.firstChild.data = value;
    else if (value === "") element.removeAttribute(name);
    else element.setAttribute(name, value);
  }
}

// Puts an element at a distance, with a size along it.
function place(element, side, distance, size) {
  const before = (element.written ??= {});
  if (before.distance === distance && before.size === size) return;
  Object.assign(before, { distance, size });
  element.style[side] = `${distance}px`;
  element.style[side === "left" ? "width" : "height"] = `${size}px`;
}
