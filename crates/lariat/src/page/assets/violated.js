// A run that violates a property: everything on the page shows the same position of it.

class Violated {
  constructor(result, sources) {
    const run = (this.run = new Run(result.run));
    this.position = 0;
    this.rows = new Rows(run);
    this.grid = new Grid("the run: a row for each part of the formula and each variable, a column for each step", {
      get rows() { return this.own.rows; },
      own: this.rows,
      columns: () => run.length,
      name: (row) => this.rows.name(row),
      head: (position) => this.rows.head(position),
      cell: (row, position) => this.rows.cell(row, position),
      choose: (position, row) => this.chosen(position, row),
    }, { rowHeight: 26, nameWidth: nameWidth(this.rows), columnWidth: columnWidth(run) });
    this.timeline = new Timeline(run, (position) => this.show(position));
    this.live = el("p", { class: "now-words", "aria-live": "polite" });
    this.changed = el("p", { class: "changed-words" });
    const named = new Set(run.steps.map((step) => (step.source ?? "").replace(/:\d+$/, "")));
    const own = sources.filter((source) => named.has(source.name));
    this.source = own.length > 0 ? new SourceView(own) : null;
    this.automaton = run.data.automaton === null ? null : drawAutomaton(run.data.automaton);
    this.element = el("div", { class: "violated" }, this.main(), this.side(result));
  }

  main() {
    const { run } = this;
    const why = run.data.why === null ? null : new Why(run, (number, round, formula) => this.go(number, round, formula));
    return el("div", { class: "main" }, why?.element ?? null, this.closing(),
      panel("The run", { class: "panel" }, this.timeline.element, this.controls(), this.grid.element));
  }

  side(result) {
    return el("div", { class: "side" },
      panel("Now", { class: "panel" }, this.live, this.changed),
      this.source?.element ?? null,
      this.automaton === null ? null : panel("Automaton of bad runs", { class: "panel" }, this.automaton.element,
        el("p", { class: "small" }, acceptance(this.run.data.automaton))),
      inputs(result.inputs));
  }

  // Why the loop can be taken for ever although no state comes back.
  closing() {
    const { drifting, growth, growth_words, region } = this.run.data;
    const parts = growth_words.map((sentence) => el("p", { class: "sentence" }, sentence));
    if (growth !== null) {
      const n = Math.max(0, ...growth.variables.map((variable) => variable.values.length));
      const heads = ["at the start of round", ...Array.from({ length: n }, (_, i) => `${i + 1}`), ""];
      parts.push(table(heads, growth.variables.map((variable) => [variable.name, ...variable.values.map(shown), "…"])));
    }
    if (region.length > 0) {
      parts.push(el("p", {}, "No state need come back. Each round starts where these conditions hold, and leads to where they hold again:"),
        el("ul", {}, region.map((condition) => el("li", {}, el("code", {}, condition)))));
    }
    if (drifting.length > 0) {
      parts.push(el("p", {}, `These are not the same in every round, while nothing else depends on them: ${drifting.join(", ")}.`));
    }
    return parts.length === 0 ? null : panel("Why the loop never ends", { class: "panel closing" }, parts);
  }

  controls() {
    const { run, rows } = this;
    const button = (label, text, to) => el("button", { type: "button", "aria-label": label, title: label, onclick: () => this.show(to()) }, text);
    this.slider = el("input", { type: "range", min: 1, max: run.length, value: 1, "aria-label": "step", oninput: () => this.show(this.slider.valueAsNumber - 1) });
    const refresh = () => { rows.update(); this.grid.layOut(); };
    const filter = el("input", {
      type: "search", placeholder: "filter rows", "aria-label": "filter rows by name",
      oninput: () => { rows.filter = filter.value; refresh(); },
    });
    const changing = el("input", { type: "checkbox", onchange: () => { rows.onlyChanging = changing.checked; refresh(); } });
    changing.checked = rows.onlyChanging;
    const rounds = el("input", {
      type: "number", min: 1, max: 50, value: 1, "aria-label": "rounds of the loop that are shown",
      onchange: () => this.unroll(Number(rounds.value)),
    });
    this.rounds = rounds;
    return el("div", { class: "controls" },
      el("div", { class: "moves" },
        button("first step (Home)", "⇤", () => 0), button("step before (←)", "←", () => this.position - 1),
        button("next step (→)", "→", () => this.position + 1), button("last step (End)", "⇥", () => run.length - 1)),
      this.slider,
      el("div", { class: "choices" }, filter, el("label", {}, changing, "only what changes"),
        run.canUnroll ? el("label", {}, "rounds of the loop", rounds) : null));
  }

  unroll(n) {
    const { run } = this;
    run.extraRounds = Math.min(49, Math.max(0, Math.floor(n) - 1 || 0));
    this.rounds.value = run.extraRounds + 1;
    this.slider.max = run.length;
    this.grid.layOut();
    this.show(Math.min(this.position, run.length - 1));
  }

  chosen(position, row) {
    if (position !== null) return this.show(position);
    if (row?.kind !== "group") return undefined;
    this.rows.toggle(row.title);
    return this.grid.layOut();
  }

  // Shows a step by its number, in a round of the loop, with the row of a part of the formula.
  go(number, round, formula) {
    if (round > 1 && this.run.canUnroll && round > this.run.extraRounds + 1) this.unroll(round);
    const position = this.run.position(number, round) ?? number - 1;
    const row = formula === null ? -1 : this.rows.placeOf(formula);
    this.show(position, row < 0 ? null : row);
  }

  show(position, row = null) {
    const { run } = this;
    position = Math.min(run.length - 1, Math.max(0, position));
    const before = position > 0 ? run.automatonState(position - 1) : null;
    this.position = position;
    const step = run.steps[run.step(position)];
    this.slider.value = position + 1;
    this.slider.setAttribute("aria-valuetext", run.name(position));
    this.grid.show(position, row);
    this.timeline.show(position);
    this.source?.show(step);
    this.automaton?.mark(run.automatonState(position), step.automaton_state === null ? null : before);
    const place = step.source === null ? "" : ` (${step.source})`;
    this.live.replaceChildren(el("strong", {}, run.name(position)), `: ${said(step)}${place}`);
    const changed = position === 0 ? [] : run.variables.filter((variable) => run.changes(variable, position));
    const words = changed.slice(0, 12).map((variable) => `${variable.name} = ${run.value(variable, position)}`);
    const more = changed.length > 12 ? `, and ${changed.length - 12} more` : "";
    const nothing = position === 0 ? "The initial state." : "Nothing changes.";
    this.changed.textContent = changed.length > 0 ? `${words.join(", ")}${more}` : nothing;
  }

  // When the page has room for it.
  start() {
    this.timeline.layOut();
    this.grid.layOut();
    this.show(this.position);
  }

  key(event) {
    const moves = { ArrowLeft: this.position - 1, ArrowRight: this.position + 1, Home: 0, End: this.run.length - 1 };
    if (!(event.key in moves)) return;
    event.preventDefault();
    this.show(moves[event.key]);
  }

  printed() {
    return printable(this.run, this.rows);
  }
}

// Columns as wide as most values need.
function columnWidth(run) {
  const value = run.data.texts.reduce((most, text) => Math.max(most, text.length), 3);
  const action = run.steps.reduce((most, step) => Math.max(most, step.action.length), 3);
  return Math.round(Math.max(48, Math.min(120, 18 + value * 7.5), Math.min(innerWidth < 600 ? 60 : 96, 14 + action * 7)));
}

function nameWidth(rows) {
  const lengths = rows.rows.map((row) => rows.name(row).text.length + 2);
  const wanted = 20 + Math.max(...lengths) * 7.4;
  return Math.round(Math.min(wanted, Math.max(110, Math.min(300, innerWidth * 0.36))));
}

// A value of JSON as a person writes it.
function shown(value) {
  return typeof value === "object" ? JSON.stringify(value) : `${value}`;
}

// What came in from outside.
function inputs(all) {
  if (all === null || (all.stem.length === 0 && (all.loop ?? []).length === 0)) return null;
  const rows = (list, where) => list.map((input) => [input.call, where, input.source, shown(input.value)]);
  const own = [...rows(all.stem, all.loop === null ? "" : "stem"), ...rows(all.loop ?? [], "loop")];
  return panel("Inputs", { class: "panel" }, table(["call", "", "place", "value"], own.slice(0, 500)),
    own.length > 500 ? el("p", { class: "small" }, `${own.length - 500} more are not shown.`) : null);
}
