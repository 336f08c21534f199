//! Past operators: deterministic monitors beside a future-only automaton.
//!
//! A past operator over Boolean arguments is decided by the present letter and one bit of memory:
//! `Y f` and `Z f` remember the last value of `f` (at first false and true), `O H S T` their own last
//! value. So every past subformula is replaced by a fresh atom, the formula that remains is
//! translated as usual, and the product with the monitor bits replaces each fresh atom by its value
//! as a function of bits and letter. If an argument speaks about the future it is first replaced by a
//! fresh atom `g` of its own, with `G(g <-> argument)` as a further conjunct; at the end `g` is
//! projected out: the one right guess is the only one that survives.
//!
//! Rejected: separating past from future by rewriting (Gabbay), which grows without bound in practice.

use crate::bdd::{Bdd, Lit, Ref};
use crate::class::Class;
use crate::formula::{ApId, FormulaId, Formulas, Op};
use crate::graph::{Arc, Graph, Numbering};
use crate::limits::{LOOK, TranslateError};
use crate::nnf::to_nnf;
use crate::translate::TranslateConfig;
use lariat_base::{Budget, FxHashMap};

/// A formula without past operators over more atoms, and what the new atoms mean.
#[derive(Debug)]
pub(crate) struct Separated {
    /// In negation normal form, without past operators.
    pub(crate) formula: FormulaId,
    /// Atoms that stand for arguments about the future.
    guesses: Vec<ApId>,
    /// Arguments before the operators that use them.
    monitors: Vec<Monitor>,
}

/// One past operator.
#[derive(Debug)]
struct Monitor {
    ap: ApId,
    op: Op,
    /// Boolean formulas over atoms, guesses and earlier monitors.
    arguments: Vec<FormulaId>,
}

impl Separated {
    /// The new atoms, in the order in which they follow the old ones as variables.
    pub(crate) fn fresh(&self) -> impl Iterator<Item = ApId> + '_ {
        let monitors = self.monitors.iter().map(|monitor| monitor.ap);
        self.guesses.iter().copied().chain(monitors)
    }
}

/// Replaces the past operators of `nnf`, which is in negation normal form.
pub(crate) fn separate(
    formulas: &mut Formulas,
    nnf: FormulaId,
) -> Result<Separated, TranslateError> {
    let mut without: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
    let (mut guesses, mut monitors) = (Vec::new(), Vec::new());
    let mut conjuncts = Vec::new();
    for f in formulas.subformulas(nnf) {
        let op = formulas.op(f);
        let mut children: Vec<FormulaId> =
            formulas.children(f).iter().map(|c| without[c]).collect();
        if !matches!(op, Op::Y | Op::Z | Op::O | Op::H | Op::S | Op::T) {
            without.insert(f, formulas.make(op, &children));
            continue;
        }
        for child in &mut children {
            if !formulas.is(*child, Class::BOOLEAN) {
                let guess = formulas.fresh_ap();
                guesses.push(guess);
                let atom = formulas.ap(guess);
                let same = formulas.iff(atom, *child);
                conjuncts.push(formulas.globally(same));
                *child = atom;
            }
        }
        let ap = formulas.fresh_ap();
        monitors.push(Monitor {
            ap,
            op,
            arguments: children,
        });
        if monitors.len() > 64 {
            return Err(TranslateError::TooManySubformulas);
        }
        without.insert(f, formulas.ap(ap));
    }
    conjuncts.push(without[&nnf]);
    let whole = formulas.and_all(&conjuncts);
    Ok(Separated {
        formula: to_nnf(formulas, whole, false),
        guesses,
        monitors,
    })
}

/// The automaton of the original formula from `graph`, the one of the separated formula. Atom `i` of
/// `aps` is variable `i`: the original atoms, then the fresh ones.
pub(crate) fn with_monitors(
    formulas: &Formulas,
    bdd: &mut Bdd,
    graph: &Graph<Ref>,
    separated: &Separated,
    aps: &[ApId],
    config: &TranslateConfig,
    budget: &Budget,
) -> Result<Graph<Ref>, TranslateError> {
    let n_visible = (aps.len() - separated.fresh().count()) as u32;
    let max_states = config.max_states;
    let vars: FxHashMap<ApId, u32> = aps
        .iter()
        .enumerate()
        .map(|(i, &ap)| (ap, i as u32))
        .collect();
    let first = separated
        .monitors
        .iter()
        .enumerate()
        .filter(|(_, monitor)| matches!(monitor.op, Op::Z | Op::H | Op::T))
        .fold(0u64, |bits, (i, _)| bits | 1 << i);
    let n_guesses = separated.guesses.len() as u32;
    let mut states = Numbering::new();
    states.id(&(graph.initial, first));
    let mut views: FxHashMap<u64, View> = FxHashMap::default();
    let mut rows = Vec::new();
    while rows.len() < states.keys.len() {
        if states.keys.len() > max_states {
            return Err(TranslateError::TooManyStates(max_states));
        }
        if rows.len() % 64 == 63 {
            budget.spend(LOOK)?;
        }
        let (s, bits) = states.keys[rows.len()];
        let view = views
            .entry(bits)
            .or_insert_with(|| View::new(formulas, bdd, separated, &vars, bits));
        let mut row = Vec::new();
        for arc in &graph.rows[s as usize] {
            let label = bdd.and(arc.label, view.meaning);
            let label = bdd.exists(label, &|var| var >= n_visible + n_guesses);
            for (label, next) in view.split(bdd, label) {
                row.push(Arc {
                    target: states.id(&(arc.target, next)),
                    marks: arc.marks,
                    label: bdd.exists(label, &|var| var >= n_visible),
                });
            }
        }
        bdd.stopped()?;
        rows.push(row);
    }
    Ok(Graph {
        initial: 0,
        n_sets: graph.n_sets,
        rows,
    })
}

/// What the monitors say with given memory bits, as functions of letter and guesses.
struct View {
    /// Every monitor's atom equals its value.
    meaning: Ref,
    /// The next memory bit of each monitor.
    next: Vec<Ref>,
}

impl View {
    fn new(
        formulas: &Formulas,
        bdd: &mut Bdd,
        separated: &Separated,
        vars: &FxHashMap<ApId, u32>,
        bits: u64,
    ) -> Self {
        let mut values: FxHashMap<ApId, Ref> = FxHashMap::default();
        let mut meaning = Ref::TRUE;
        let mut next = Vec::with_capacity(separated.monitors.len());
        for (i, monitor) in separated.monitors.iter().enumerate() {
            let bit = if bits >> i & 1 == 1 {
                Ref::TRUE
            } else {
                Ref::FALSE
            };
            let arguments: Vec<Ref> = monitor
                .arguments
                .iter()
                .map(|&f| evaluate(formulas, bdd, f, vars, &values))
                .collect();
            let last = *arguments.last().expect("a past operator has an argument");
            let value = match monitor.op {
                Op::Y | Op::Z => bit,
                Op::O => bdd.or(last, bit),
                Op::H => bdd.and(last, bit),
                Op::S => {
                    let kept = bdd.and(arguments[0], bit);
                    bdd.or(last, kept)
                }
                Op::T => {
                    let kept = bdd.or(arguments[0], bit);
                    bdd.and(last, kept)
                }
                op => unreachable!("{op:?} is not a past operator"),
            };
            next.push(match monitor.op {
                Op::Y | Op::Z => last,
                _ => value,
            });
            let atom = bdd.var(vars[&monitor.ap]);
            let not_value = bdd.not(value);
            let equal = bdd.ite(atom, value, not_value);
            meaning = bdd.and(meaning, equal);
            values.insert(monitor.ap, value);
        }
        Self { meaning, next }
    }

    /// Splits `label` by the memory bits that follow.
    fn split(&self, bdd: &mut Bdd, label: Ref) -> Vec<(Ref, u64)> {
        let mut parts = vec![(label, 0u64)];
        for (i, &next) in self.next.iter().enumerate() {
            let before = std::mem::take(&mut parts);
            for (label, bits) in before {
                let set = bdd.and(label, next);
                let clear = bdd.diff(label, next);
                parts.push((set, bits | 1 << i));
                parts.push((clear, bits));
            }
            parts.retain(|(label, _)| *label != Ref::FALSE);
        }
        parts
    }
}

/// The function of a Boolean formula, where monitors' atoms stand for their values.
fn evaluate(
    formulas: &Formulas,
    bdd: &mut Bdd,
    f: FormulaId,
    vars: &FxHashMap<ApId, u32>,
    values: &FxHashMap<ApId, Ref>,
) -> Ref {
    let mut done: FxHashMap<FormulaId, Ref> = FxHashMap::default();
    for g in formulas.subformulas(f) {
        let parts: Vec<Ref> = formulas.children(g).iter().map(|c| done[c]).collect();
        let function = match formulas.op(g) {
            Op::True => Ref::TRUE,
            Op::False => Ref::FALSE,
            Op::Ap(ap) => match values.get(&ap) {
                Some(&value) => value,
                None => bdd.lit(Lit {
                    var: vars[&ap],
                    positive: true,
                }),
            },
            Op::Not => bdd.not(parts[0]),
            Op::And => parts.iter().fold(Ref::TRUE, |a, &b| bdd.and(a, b)),
            Op::Or => parts.iter().fold(Ref::FALSE, |a, &b| bdd.or(a, b)),
            op => unreachable!("{op:?} is not Boolean in negation normal form"),
        };
        done.insert(g, function);
    }
    done[&f]
}
