// The text of the models, with the lines of the current step marked. Only the lines in sight are in the page.

const LINE = 20;

class SourceView {
  constructor(sources) {
    this.files = sources.map(({ name, text }) => ({ name, lines: text.split("\n") }));
    this.file = null;
    this.marked = new Set();
    this.choice = el("select", { "aria-label": "file", onchange: () => this.open(this.files[this.choice.selectedIndex]) },
      this.files.map((file) => el("option", {}, file.name)));
    this.title = el("p", { class: "file" });
    this.lines = el("div", { class: "lines" });
    this.view = el("div", { class: "source", tabindex: 0, role: "region", "aria-label": "text of the model" }, this.lines);
    this.view.addEventListener("scroll", oncePerFrame(() => this.draw()), { passive: true });
    new ResizeObserver(oncePerFrame(() => this.draw())).observe(this.view);
    this.element = panel("Source", { class: "panel sources" }, this.files.length > 1 ? this.choice : this.title, this.view);
    this.open(this.files[0]);
  }

  open(file) {
    if (file === this.file) return;
    this.file = file;
    this.marked = new Set();
    this.choice.selectedIndex = this.files.indexOf(file);
    this.title.textContent = file.name;
    const longest = file.lines.reduce((most, line) => Math.max(most, line.length), 0);
    this.lines.style.height = `${file.lines.length * LINE + 8}px`;
    this.lines.style.minWidth = `calc(${Math.min(longest, 400)}ch + 4.5rem)`;
    this.view.style.height = `${Math.min(file.lines.length * LINE + 26, 420)}px`;
    this.draw();
  }

  // Marks what a step did.
  show(step) {
    const place = /^(.*):(\d+)$/.exec(step.source ?? "");
    const file = place && this.files.find((file) => file.name === place[1]);
    if (!file) {
      this.marked = new Set();
      return this.draw();
    }
    this.open(file);
    const lines = step.lines.length > 0 ? step.lines : [Number(place[2])];
    this.marked = new Set(lines);
    const [top, bottom] = [(Math.min(...lines) - 1) * LINE, Math.max(...lines) * LINE];
    const { scrollTop, clientHeight } = this.view;
    if (top < scrollTop || bottom > scrollTop + clientHeight) this.view.scrollTop = Math.max(0, top - clientHeight / 3);
    this.draw();
  }

  draw() {
    const { scrollTop, clientHeight } = this.view;
    const { lines } = this.file;
    const first = Math.max(0, Math.floor(scrollTop / LINE) - 4);
    const last = Math.min(lines.length, Math.ceil((scrollTop + Math.max(clientHeight, 420)) / LINE) + 4);
    const places = Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i);
    // The marked lines are always there, so that they can be found.
    places.push(...[...this.marked].map((number) => number - 1).filter((i) => (i < first || i >= last) && i < lines.length));
    const shown = [];
    for (const i of places) {
      const marked = this.marked.has(i + 1);
      const line = el("div", { class: `code${marked ? " now" : ""}`, "data-line": i + 1, "aria-current": marked ? "step" : null },
        el("span", { class: "number" }, `${i + 1}`), lines[i]);
      line.style.top = `${i * LINE + 4}px`;
      shown.push(line);
    }
    this.lines.replaceChildren(...shown);
  }
}
