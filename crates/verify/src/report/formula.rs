//! What a temporal property is made of, along a run: the truth of every part of the formula after each step, and the
//! automaton of its negation, which reads the run.

use super::why::text;
use lariat_base::{FxHashSet, Id as _};
use lariat_ltl::{
    Acceptance, Automaton, FormulaId, Formulas, LassoWord, Op, StateId, label_text, truths,
};
use serde::Serialize;

/// The most truth values that are told together, and the most parts of a formula.
const MAX_CELLS: usize = 1 << 21;
const MAX_PARTS: usize = 200;
/// Larger automata tell a person nothing.
const MAX_STATES: usize = 100;
const MAX_EDGES: usize = 600;

/// The truth of a part of a formula along a run.
#[derive(Clone, Debug, Serialize)]
pub struct PartReport {
    /// The part; the first is the whole formula, and each stands before its own parts.
    pub formula: String,
    /// How many operators are above it.
    pub depth: usize,
    /// After each step of the run, the stem and the first round of the loop: `1` true, `0` false, `-` not observed.
    pub truth: String,
    /// The same for the steps of the loop in its second and later rounds: as many as the formula's operators of the past
    /// can tell apart, none without such operators. The last of all rounds repeats for ever.
    pub later: Vec<String>,
}

/// Which steps of a run show the letters of its word.
#[derive(Clone, Copy, Debug)]
pub struct Letters<'r> {
    /// The number of the step (from 1) of each letter, of the stem and one round of the loop.
    pub steps: &'r [usize],
    /// How many steps there are.
    pub n_steps: usize,
    /// How many of them are before the loop.
    pub n_stem: usize,
}

impl PartReport {
    /// All parts of a formula along a word; none if they are too many.
    pub fn all(
        formulas: &Formulas,
        word: &LassoWord,
        formula: FormulaId,
        letters: Letters<'_>,
    ) -> Vec<Self> {
        let parts = outer_first(formulas, formula);
        let (n_stem, n_cycle) = (word.stem().len(), word.cycle().len());
        let n_letters = n_stem + n_cycle;
        if parts.len() > MAX_PARTS || parts.len().saturating_mul(n_letters) > MAX_CELLS {
            return Vec::new();
        }
        let truths = truths(formulas, word, formula);
        let row = |(part, depth): (FormulaId, usize)| {
            let values = &truths.values[&part];
            let later = (1..truths.n_rounds).map(|round| {
                let from = n_stem + round * n_cycle;
                let values = &values[from..from + n_cycle];
                letters.row(n_stem, values).split_off(letters.n_stem)
            });
            Self {
                formula: text(formulas, part),
                depth,
                truth: letters.row(0, &values[..n_letters]),
                later: later.collect(),
            }
        };
        parts.into_iter().map(row).collect()
    }
}

/// The parts of a formula but for constants, each before its own parts, with the number of operators above it.
fn outer_first(formulas: &Formulas, formula: FormulaId) -> Vec<(FormulaId, usize)> {
    let (mut seen, mut parts) = (FxHashSet::default(), Vec::new());
    let mut todo = vec![(formula, 0)];
    while let Some((part, depth)) = todo.pop() {
        let is_constant = matches!(formulas.op(part), Op::True | Op::False);
        if !is_constant && seen.insert(part) {
            parts.push((part, depth));
            let own = formulas.children(part).iter().rev();
            todo.extend(own.map(|&own| (own, depth + 1)));
        }
    }
    parts
}

impl Letters<'_> {
    /// A character for each step, of values that start with that of a letter.
    fn row(&self, first: usize, values: &[bool]) -> String {
        let mut row = vec![b'-'; self.n_steps];
        for (&step, &value) in self.steps[first..].iter().zip(values) {
            row[step - 1] = if value { b'1' } else { b'0' };
        }
        row.into_iter().map(char::from).collect()
    }
}

/// The automaton that accepts the words of bad runs.
#[derive(Clone, Debug, Serialize)]
pub struct AutomatonReport {
    /// How many states it has; they are numbered from 0.
    pub n_states: usize,
    /// Where it starts.
    pub initial: usize,
    /// How many sets of edges a run must meet infinitely often to be accepted.
    pub n_sets: u32,
    /// The accepting states, if acceptance is one of states.
    pub accepting: Vec<usize>,
    /// The edges.
    pub edges: Vec<AutomatonEdge>,
}

/// An edge of an automaton.
#[derive(Clone, Debug, Serialize)]
pub struct AutomatonEdge {
    /// The state that it leaves.
    pub from: usize,
    /// Where it leads.
    pub to: usize,
    /// The letters that it reads.
    pub label: String,
    /// The sets that it is in, from 0.
    pub sets: Vec<u32>,
}

impl AutomatonReport {
    /// An automaton whose atoms have these names; nothing if it is very large.
    pub fn new(automaton: &Automaton, atoms: &[String]) -> Option<Self> {
        if automaton.n_states() > MAX_STATES || automaton.n_edges() > MAX_EDGES {
            return None;
        }
        let names: Vec<&str> = atoms.iter().map(String::as_str).collect();
        let by_states = automaton.acceptance() == Acceptance::StateBuchi;
        let mut edges = Vec::new();
        for state in automaton.states() {
            edges.extend(automaton.edges(state).iter().map(|edge| {
                AutomatonEdge {
                    from: state.index(),
                    to: edge.target.index(),
                    label: label_text(automaton, &names, edge.label),
                    sets: (0..automaton.n_sets())
                        .filter(|set| !by_states && edge.marks >> set & 1 == 1)
                        .collect(),
                }
            }));
        }
        let accepting = automaton
            .states()
            .filter(|&state| by_states && automaton.is_accepting_state(state));
        Some(Self {
            n_states: automaton.n_states(),
            initial: automaton.initial().index(),
            n_sets: automaton.n_sets(),
            accepting: accepting.map(StateId::index).collect(),
            edges,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Letters, PartReport};
    use lariat_base::{Id as _, SourceId};
    use lariat_ltl::{Formulas, LassoWord, PlainNames, Syntax, parse_formula};

    /// The rows of a formula's parts: the truth along the run, then that in later rounds.
    fn rows(formula: &str, word: &str, steps: &[usize], n_stem: usize) -> Vec<String> {
        let mut formulas = Formulas::new();
        let source = SourceId::from_index(0);
        let parsed = parse_formula(
            &mut formulas,
            source,
            formula,
            Syntax::Spot,
            &mut PlainNames,
        );
        let parsed = parsed.expect("a formula");
        let word = LassoWord::parse(&mut formulas, word).expect("a word");
        let letters = Letters {
            steps,
            n_steps: *steps.last().expect("a step"),
            n_stem,
        };
        let parts = PartReport::all(&formulas, &word, parsed.formula, letters);
        let row = |part: PartReport| {
            let rounds: Vec<&str> = part.later.iter().map(String::as_str).collect();
            let depth = " ".repeat(part.depth);
            format!(
                "{depth}{}: {} {}",
                part.formula,
                part.truth,
                rounds.join(" ")
            )
        };
        parts.into_iter().map(row).collect()
    }

    #[test]
    fn rounds_differ_by_what_has_been() {
        // Steps 2 and 4 are not observed; the loop is steps 2 to 5.
        let rows = rows("G O p", "!p; cycle{!p; p}", &[1, 3, 5], 1);
        let expected = ["G O p: 0-0-1 -1-1", " O p: 0-0-1 -1-1", "  p: 0-0-1 -0-1"];
        assert_eq!(rows, expected);
    }

    #[test]
    fn parts_stand_before_their_own_parts_and_once() {
        let rows = rows("(p U q) W q", "p & !q; cycle{q & !p}", &[1, 2], 1);
        let expected = ["(p U q) W q: 11 ", " p U q: 11 ", "  p: 10 ", "  q: 01 "];
        assert_eq!(rows, expected);
    }
}
