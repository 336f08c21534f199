// The whole run in one line: the stem, the loop, and the way back from its end to where it starts.

class Timeline {
  constructor(run, choose) {
    Object.assign(this, { run, choose, current: 0 });
    this.element = el("div", { class: "timeline" });
    this.element.addEventListener("click", (event) => this.clicked(event));
    new ResizeObserver(oncePerFrame(() => this.layOut())).observe(this.element);
  }

  x(position) {
    const { width, run } = this;
    const n = Math.max(1, run.steps.length - 1);
    return 20 + ((width - 40) * run.step(position)) / n;
  }

  clicked(event) {
    const x = event.clientX - this.element.getBoundingClientRect().left;
    const n = this.run.steps.length;
    const position = Math.round(((x - 20) / Math.max(1, this.width - 40)) * Math.max(1, n - 1));
    this.choose(Math.min(n - 1, Math.max(0, position)));
  }

  words() {
    const { run } = this;
    const n = run.steps.length;
    if (run.loopStart === null) return `A run of ${plural(n, "step")} to a bad state`;
    const loop = run.loopLength === 1 ? `step ${n}` : `steps ${run.loopStart + 1} to ${n}`;
    const stem = run.loopStart === 1 ? "step 1" : `steps 1 to ${run.loopStart}`;
    return `Stem: ${stem}. Loop: ${loop}, for ever again from the state after step ${run.loopStart}`;
  }

  layOut() {
    this.width = Math.max(120, this.element.clientWidth);
    const { run, width } = this;
    const [n, y] = [run.steps.length, 52];
    const parts = [];
    const end = this.x(n - 1);
    const start = run.loopStart === null ? end : this.x(run.loopStart - 1);
    parts.push(svg("line", { class: "stem", x1: 20, y1: y, x2: start, y2: y }));
    if (run.loopStart !== null) {
      parts.push(svg("line", { class: "loop", x1: start, y1: y, x2: end, y2: y }));
      const high = Math.max(10, y - 18 - (end - start) / 10);
      const back = `M ${end} ${y - 7} C ${end + 12} ${high}, ${Math.max(8, start - 12)} ${high}, ${start} ${y - 7}`;
      parts.push(svg("path", { class: "back", d: back }));
      parts.push(svg("path", { class: "tip", d: `M ${start} ${y - 5} l -4 -8 l 8 0 z` }));
    }
    const [many, broken] = [n > Math.min(80, width / 9), run.data.why?.broken_after_step ?? 0];
    for (let i = 0; i < n && !many; i += 1) {
      const loop = run.loopStart !== null && i >= run.loopStart ? "loop" : "stem";
      parts.push(svg("circle", { class: `dot ${loop}${run.steps[i].observed ? "" : " unseen"}`, cx: this.x(i), cy: y, r: 4 }));
    }
    if (broken > 0) {
      const x = this.x(broken - 1);
      parts.push(svg("path", { class: "broken", d: `M ${x - 4} ${y + 9} l 8 8 m 0 -8 l -8 8` },
        svg("title", {}, `broken for good after step ${broken}`)));
    }
    const label = (x, text, anchor) => svg("text", { x, y: y + 32, "text-anchor": anchor }, text);
    if (run.loopStart === null) {
      parts.push(label(20, "1", "middle"), label(end, `${n}`, "middle"));
    } else {
      parts.push(label(20, "1", "middle"), label(end, `${n}`, "middle"));
      if (start > 60 && end - start > 40) parts.push(label(start, `${run.loopStart}`, "middle"));
    }
    this.marker = svg("circle", { class: "here", r: 8, cy: y });
    parts.push(this.marker);
    this.element.replaceChildren(svg("svg", { width, height: 92, role: "img", "aria-label": this.words() }, parts));
    this.show(this.current);
  }

  show(position) {
    this.current = position;
    this.marker?.setAttribute("cx", this.x(position));
  }
}
