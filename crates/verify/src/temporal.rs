//! Temporal formulas that a front end has read, as formulas of the `ltl` crate.

use lariat_base::FxHashMap;
use lariat_expr::{TermId, Terms};
use lariat_frontend::ExprAtom;
use lariat_ltl::{ApId, FormulaId, Formulas};
use lariat_system::{BinaryTemporal, Temporal, TemporalNode, UnaryTemporal};

/// The formula; its atoms with their meanings go into `known`.
pub fn formula_of(
    terms: &Terms,
    formulas: &mut Formulas,
    tree: &Temporal,
    known: &mut FxHashMap<ApId, ExprAtom>,
) -> FormulaId {
    let mut atoms: FxHashMap<TermId, ApId> = FxHashMap::default();
    let mut done: Vec<FormulaId> = Vec::with_capacity(tree.nodes().len());
    for node in tree.nodes() {
        let formula = match node {
            TemporalNode::Atom(term, _) if *term == terms.true_() => formulas.tt(),
            TemporalNode::Atom(term, _) if *term == terms.false_() => formulas.ff(),
            TemporalNode::Atom(term, text) => {
                let ap = *atoms.entry(*term).or_insert_with(|| {
                    // Two atoms may be written alike and mean different things, in different instances.
                    let mut name = text.to_string();
                    let mut ap = formulas.ap_id(&name);
                    while known.contains_key(&ap) {
                        name.push('\'');
                        ap = formulas.ap_id(&name);
                    }
                    known.insert(ap, ExprAtom::Term(*term));
                    ap
                });
                formulas.ap(ap)
            }
            TemporalNode::Unary(operator, of) => unary(formulas, *operator, done[*of as usize]),
            TemporalNode::Within(operator, low, high, of) => {
                within(formulas, *operator, (*low, *high), done[*of as usize])
            }
            TemporalNode::Binary(operator, left, right) => binary(
                formulas,
                *operator,
                done[*left as usize],
                done[*right as usize],
            ),
        };
        done.push(formula);
    }
    *done.last().expect("a formula has a node")
}

fn unary(formulas: &mut Formulas, operator: UnaryTemporal, of: FormulaId) -> FormulaId {
    match operator {
        UnaryTemporal::Not => formulas.not(of),
        UnaryTemporal::X => formulas.next(of),
        UnaryTemporal::F => formulas.finally(of),
        UnaryTemporal::G => formulas.globally(of),
        UnaryTemporal::Y => formulas.yesterday(of),
        UnaryTemporal::Z => formulas.weak_yesterday(of),
        UnaryTemporal::O => formulas.once(of),
        UnaryTemporal::H => formulas.historically(of),
    }
}

/// An operator that looks a bounded number of steps ahead or back.
fn within(
    formulas: &mut Formulas,
    operator: UnaryTemporal,
    (low, high): (u32, u32),
    of: FormulaId,
) -> FormulaId {
    match operator {
        UnaryTemporal::F => formulas.finally_within(low, high, of),
        UnaryTemporal::G => formulas.globally_within(low, high, of),
        UnaryTemporal::O => once_within(formulas, low, high, of),
        UnaryTemporal::H => {
            let not = formulas.not(of);
            let once = once_within(formulas, low, high, not);
            formulas.not(once)
        }
        _ => unary(formulas, operator, of),
    }
}

/// At some position from `high` to `low` steps ago that exists.
fn once_within(formulas: &mut Formulas, low: u32, high: u32, of: FormulaId) -> FormulaId {
    let mut so_far = of;
    for _ in low..high {
        let before = formulas.yesterday(so_far);
        so_far = formulas.or(of, before);
    }
    for _ in 0..low {
        so_far = formulas.yesterday(so_far);
    }
    so_far
}

fn binary(
    formulas: &mut Formulas,
    operator: BinaryTemporal,
    left: FormulaId,
    right: FormulaId,
) -> FormulaId {
    match operator {
        BinaryTemporal::And => formulas.and(left, right),
        BinaryTemporal::Or => formulas.or(left, right),
        BinaryTemporal::Xor => formulas.xor(left, right),
        BinaryTemporal::Iff => formulas.iff(left, right),
        BinaryTemporal::Implies => formulas.implies(left, right),
        BinaryTemporal::U => formulas.until(left, right),
        BinaryTemporal::R => formulas.release(left, right),
        BinaryTemporal::W => formulas.weak_until(left, right),
        BinaryTemporal::M => formulas.strong_release(left, right),
        BinaryTemporal::S => formulas.since(left, right),
        BinaryTemporal::T => formulas.triggered(left, right),
    }
}
