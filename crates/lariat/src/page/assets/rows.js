// The rows of the table of a run: the parts of the formula, the automaton's state, the place in the model, and the
// variables, by what they belong to.

class Rows {
  constructor(run) {
    this.run = run;
    this.filter = "";
    this.onlyChanging = run.variables.length > 12;
    this.closed = new Set();
    this.marked = marks(run.data.why);
    this.rows = [];
    this.changing = new Set(run.variables.filter((variable) => run.everChanges(variable)));
    this.update();
  }

  // The parts of the formula; of a property that is an automaton, the atoms.
  get parts() {
    const { data, steps } = this.run;
    if (data.parts.length > 0) return data.parts;
    const truth = (atom) => steps.map((step) => (step.atoms === null ? "-" : step.atoms[atom] ? "1" : "0")).join("");
    return data.atoms.map((formula, atom) => ({ formula, depth: 0, truth: truth(atom), later: [] }));
  }

  update() {
    const { run } = this;
    const words = this.filter.toLowerCase().split(/[\s,]+/).filter((word) => word !== "");
    const fits = (name) => words.length === 0 || words.some((word) => name.toLowerCase().includes(word));
    const rows = [];
    const section = (title, own) => {
      if (own.length === 0) return;
      rows.push({ kind: "group", title, n: own.length });
      if (!this.closed.has(title)) rows.push(...own);
    };
    section("formula", this.parts.filter((part) => fits(part.formula)).map((part) => ({ kind: "part", part })));
    const run_rows = [];
    if (words.length === 0) {
      run_rows.push({ kind: "action" });
      if (run.data.has_locations) run_rows.push({ kind: "location" });
      if (run.steps.some((step) => step.automaton_state !== null)) run_rows.push({ kind: "state" });
    }
    section("run", run_rows);
    const shown = run.variables.filter((variable) =>
      fits(variable.name) && (!this.onlyChanging || this.changing.has(variable)));
    const groups = new Map();
    for (const variable of shown) {
      const group = variable.group ?? "variables";
      if (!groups.has(group)) groups.set(group, []);
      groups.get(group).push({ kind: "variable", variable });
    }
    for (const [group, own] of groups) section(group, own);
    this.rows = rows;
  }

  toggle(title) {
    if (!this.closed.delete(title)) this.closed.add(title);
    this.update();
  }

  name(row) {
    switch (row.kind) {
      case "group": {
        const mark = this.closed.has(row.title) ? "▸" : "▾";
        return { text: `${mark} ${row.title} (${row.n})`, kind: "group", title: "show or hide these rows", depth: 0 };
      }
      case "part":
        return { text: row.part.formula, kind: "part", title: row.part.formula, depth: row.part.depth };
      case "variable":
        return { text: row.variable.name, kind: "variable", title: row.variable.name, depth: 0 };
      case "state":
        return { text: "automaton", kind: "state", title: "the state of the automaton of bad runs", depth: 0 };
      default:
        return { text: row.kind, kind: row.kind, title: row.kind, depth: 0 };
    }
  }

  head(position) {
    const { run } = this;
    const round = run.round(position);
    const text = `${run.step(position) + 1}${round > 1 ? ` ·${round}` : ""}`;
    return { text, kind: this.part(position), title: run.name(position) };
  }

  // The part of the run that a position is in, for its look.
  part(position) {
    const { run } = this;
    if (run.round(position) === 0) return "";
    return run.step(position) === run.loopStart ? " loop first" : " loop";
  }

  cell(row, position) {
    const { run } = this;
    const step = run.steps[run.step(position)];
    const where = this.part(position);
    switch (row.kind) {
      case "group":
        return null;
      case "part": {
        const truth = run.truth(row.part, position);
        const because = this.marked.has(`${row.part.formula}\n${run.step(position) + 1}\n${run.round(position)}`) ? " because" : "";
        const kind = { 1: "true", 0: "false" }[truth] ?? "unseen";
        const text = { 1: "✓", 0: "✗" }[truth] ?? "·";
        const label = { 1: "true", 0: "false" }[truth] ?? "not observed";
        return { text, kind: `${kind}${because}${where}`, label, title: `${row.part.formula} is ${label}` };
      }
      case "action":
        return { text: step.action, kind: `words${where}`, title: said(step) };
      case "location":
        return { text: step.location, kind: `words${where}`, title: step.location };
      case "state":
        return { text: step.automaton_state === null ? "·" : `${step.automaton_state}`, kind: `state${where}` };
      default: {
        const text = run.value(row.variable, position);
        const changed = run.changes(row.variable, position) ? " changed" : "";
        return { text, kind: `value${changed}${where}`, title: `${row.variable.name} = ${text}` };
      }
    }
  }

  // The place of the row of a part of the formula.
  placeOf(formula) {
    return this.rows.findIndex((row) => row.kind === "part" && row.part.formula === formula);
  }
}

// What a step did, in words.
function said(step) {
  if (step.case !== null) return `${step.action}: ${step.case}`;
  return step.tested === null ? step.action : `${step.action}: ${step.tested}`;
}

// The cells that an explanation speaks of.
function marks(why) {
  const marked = new Set();
  for (const reason of why?.reasons ?? []) {
    for (const [step, round] of reason.at) marked.add(`${reason.formula}\n${step}\n${round}`);
  }
  return marked;
}
