// What there is to see of a property that holds, and of one of which that is not known.

class Holds {
  constructor(result) {
    const { proof, measures, certificate = null } = result;
    this.element = el("div", { class: "holds" },
      notes(result.notes),
      measures.length === 0 ? null : panel("Why loops end", { class: "panel" }, measures.map((sentence) => el("p", { class: "sentence" }, sentence))),
      proof === null ? null : proofPanel(proof),
      certificate === null ? null : panel("The certificate", { class: "panel" }, el("p", {},
        el("a", { href: certificate }, certificate), " has this proof as formulas and a graph that another program can check: ",
        el("code", {}, `scripts/check-certificate ${certificate}`), ".")),
      attempts(result));
  }

  start() {}

  key() {}

  printed() {
    return null;
  }
}

const DRAWN = 60;

function proofPanel(proof) {
  if (proof.kind === "states") {
    return panel("What it rests on", { class: "panel" }, el("p", {},
      `All ${plural(proof.n_states, "state")} of the product of model and property were listed; none refutes the property.`));
  }
  const facts = (all) => el("ul", { class: "facts" }, all.map((fact) => el("li", {}, el("code", {}, fact))));
  if (proof.kind === "words") {
    const parts = [el("p", {}, "Sets of runs that cannot be executed were subtracted from all that would refute the property, until none was left.")];
    proof.excluded.forEach((all) => parts.push(facts(all)));
    return panel("What it rests on", { class: "panel" }, parts);
  }
  const parts = [el("p", {}, `An abstract graph of ${plural(proof.n_states, "state")} has no run that would refute the property: `
    + "each real step is a step of the graph.")];
  if (proof.nodes.length > 0 && proof.nodes.length <= DRAWN) {
    const nodes = proof.nodes.map((node, id) => ({
      id, shape: "box", double: false, initial: proof.initial.includes(id), lines: nodeLines(node),
      title: `${node.location}: ${node.formula}`,
    }));
    const edges = proof.arcs.map(([from, to]) => ({ from, to, lines: [], thick: false }));
    parts.push(drawGraph("the abstract graph", nodes, edges, "TB").element);
  } else {
    parts.push(el("p", { class: "small" }, "The graph is too large to draw; below is what it says of each location."));
  }
  if (proof.locations.some((location) => location.facts.length > 0)) {
    parts.push(el("h4", {}, "What is tracked, by location"), table(["location", "states", "what they say"],
      proof.locations.map((location) => [location.location, `${location.n_nodes}`, facts(location.facts)]), { class: "locations" }));
    if (proof.cut) parts.push(el("p", { class: "small" }, "There is more than is shown."));
  }
  return panel("What it rests on", { class: "panel" }, parts);
}

function nodeLines({ location, automaton_state, formula }) {
  const head = automaton_state === null ? location : `${location} · ${automaton_state}`;
  const lines = formula === "true" ? [] : broken(formula, 24).slice(0, 6);
  return [head.length > 44 ? `${head.slice(0, 43)}…` : head, ...lines];
}

class Unknown {
  constructor(result) {
    const { unknown, reason } = result;
    const parts = [el("p", { class: "sentence" }, worded(reason ?? ""))];
    if (unknown !== null) parts.push(el("p", {}, "What stood in the way: ", worded(unknown.cause), "."));
    const advice = unknown?.advice ?? null;
    this.element = el("div", { class: "unknown" },
      panel("Why it is unknown", { class: "panel" }, parts),
      advice === null ? null : panel("What to try next", { class: "panel" }, el("p", { class: "sentence" }, worded(advice))),
      candidates(result), notes(result.notes), attempts(result));
  }

  start() {}

  key() {}

  printed() {
    return null;
  }
}

// What each method was at when it ended.
function candidates(result) {
  const told = result.attempts.filter((attempt) => attempt.last_round !== null);
  if (told.length === 0) return null;
  return panel("The last candidate of each method", { class: "panel" },
    el("p", { class: "small" }, "A candidate is a run of the abstraction that would refute the property; this is what became of the last one."),
    table(["method", "round", "what was found"],
      told.map((attempt) => [attempt.what, `${attempt.rounds}`, attempt.last_round])),
    told.filter((attempt) => attempt.candidate !== null).map(candidate));
}

// The statements of a run that could be neither confirmed nor excluded.
function candidate({ what, end, unfinished, candidate: { stem, loop, cut } }) {
  const list = (name, steps) => (steps.length === 0 ? [] : [el("p", {}, name), el("ol", { class: "candidate" },
    steps.map(({ source, action }) => el("li", {}, el("code", {}, action), el("span", { class: "small" }, ` ${source}`))))]);
  const why = unfinished ? "the check ended while it was being tested" : end;
  return el("details", {}, el("summary", {}, `The run that ${what} looked at last`),
    el("p", {}, "Neither confirmed nor excluded: ", worded(why), "."),
    list(loop.length === 0 ? "It does:" : "It starts with:", stem), list("and then repeats:", loop),
    cut ? el("p", { class: "small" }, "It is longer than what is told here.") : null);
}

// What the reader of the verdict should know.
function notes(all) {
  if (all.length === 0) return null;
  return panel("Notes", { class: "panel" }, el("ul", {}, all.map((note) => el("li", { class: note.severity },
    el("strong", {}, note.severity === "warning" ? "Warning: " : "Note: "), worded(note.text)))));
}

// What was tried, for how long, and how far it got.
function attempts(result) {
  if (result.attempts.length === 0) return null;
  const longest = Math.max(0.001, ...result.attempts.map((attempt) => attempt.time_s));
  const bar = (time) => el("div", { class: "bar" }, el("meter", { min: 0, max: longest, value: time, "aria-label": seconds(time) }), ` ${seconds(time)}`);
  const number = (n) => (n === null ? "–" : n.toLocaleString("en"));
  return panel("What was tried", { class: "panel" },
    result.shape === null ? null : el("p", {}, `The model: ${result.shape}.`),
    table(["method", "how it ended", "rounds", "states", "time"], result.attempts.map((attempt) =>
      [attempt.what, attempt.end, number(attempt.rounds), number(attempt.states), bar(attempt.time_s)])));
}
