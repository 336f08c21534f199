//! Temporal formulas over terms: `ltl.X` and the like, and the connectives between them.
//!
//! All formulas of a script live in one list, so that a definition is used often and exists once.

use super::operator::Failed;
use super::read::{Reader, Val};
use lariat_base::FxHashMap;
use lariat_expr::{Dialect, TermId, show_term};
use lariat_system::{BinaryTemporal, Temporal, TemporalId, TemporalNode, UnaryTemporal};

/// A formula in the list of its script.
pub(crate) type FormulaId = TemporalId;

/// The formulas of a script.
pub(crate) type Formula = Temporal;

/// The temporal operator with one operand of this name.
fn unary(name: &str) -> Option<UnaryTemporal> {
    Some(match name {
        "ltl.X" => UnaryTemporal::X,
        "ltl.F" => UnaryTemporal::F,
        "ltl.G" => UnaryTemporal::G,
        "ltl.Y" => UnaryTemporal::Y,
        "ltl.Z" => UnaryTemporal::Z,
        "ltl.O" => UnaryTemporal::O,
        "ltl.H" => UnaryTemporal::H,
        _ => return None,
    })
}

/// The temporal operator with two operands of this name.
fn binary(name: &str) -> Option<BinaryTemporal> {
    Some(match name {
        "ltl.U" => BinaryTemporal::U,
        "ltl.R" => BinaryTemporal::R,
        "ltl.W" => BinaryTemporal::W,
        "ltl.M" => BinaryTemporal::M,
        "ltl.S" => BinaryTemporal::S,
        "ltl.T" => BinaryTemporal::T,
        _ => return None,
    })
}

/// Whether this is a temporal operator.
pub(super) fn is_temporal(name: &str) -> bool {
    unary(name).is_some() || binary(name).is_some()
}

impl Reader<'_, '_> {
    /// An operator on operands of which some are formulas, or a temporal one.
    pub(super) fn connect(&mut self, name: &str, args: &[Val]) -> Result<Val, Failed> {
        let mut parts = Vec::with_capacity(args.len());
        for &arg in args {
            parts.push(self.as_formula(arg)?);
        }
        let node = match (name, &parts[..]) {
            (_, &[of]) if unary(name).is_some() => {
                TemporalNode::Unary(unary(name).expect("it is one"), of)
            }
            (_, &[left, right]) if binary(name).is_some() => {
                TemporalNode::Binary(binary(name).expect("it is one"), left, right)
            }
            ("not", &[of]) => TemporalNode::Unary(UnaryTemporal::Not, of),
            ("and", [_, ..]) => return Ok(self.joined(BinaryTemporal::And, &parts)),
            ("or", [_, ..]) => return Ok(self.joined(BinaryTemporal::Or, &parts)),
            ("xor", [_, ..]) => return Ok(self.joined(BinaryTemporal::Xor, &parts)),
            ("=", &[left, right]) => TemporalNode::Binary(BinaryTemporal::Iff, left, right),
            ("distinct" | "!=", &[left, right]) => {
                TemporalNode::Binary(BinaryTemporal::Xor, left, right)
            }
            ("=>", &[.., last]) => {
                let premises = parts[..parts.len() - 1].iter().rev();
                let result = premises.fold(last, |result, &premise| {
                    let node = TemporalNode::Binary(BinaryTemporal::Implies, premise, result);
                    self.formulas.push(node)
                });
                return Ok(Val::Formula(result));
            }
            ("ite", &[condition, then, otherwise]) => {
                let not = self
                    .formulas
                    .push(TemporalNode::Unary(UnaryTemporal::Not, condition));
                let mut pair = |left, right| {
                    let node = TemporalNode::Binary(BinaryTemporal::And, left, right);
                    self.formulas.push(node)
                };
                let cases = [pair(condition, then), pair(not, otherwise)];
                TemporalNode::Binary(BinaryTemporal::Or, cases[0], cases[1])
            }
            _ if is_temporal(name) => return Err(Failed::Operands),
            _ => {
                let message = format!("a temporal operator cannot stand inside of `{name}`");
                return Err(Failed::Other(message));
            }
        };
        Ok(Val::Formula(self.formulas.push(node)))
    }

    fn joined(&mut self, operator: BinaryTemporal, parts: &[FormulaId]) -> Val {
        let all = parts.iter().copied().reduce(|left, right| {
            self.formulas
                .push(TemporalNode::Binary(operator, left, right))
        });
        Val::Formula(all.expect("there are operands"))
    }

    fn as_formula(&mut self, val: Val) -> Result<FormulaId, Failed> {
        match val {
            Val::Formula(formula) => Ok(formula),
            Val::Term(term) if self.cx.terms.sort(term) == self.cx.terms.sorts.bool() => {
                Ok(self.formulas.push(TemporalNode::Atom(term, Box::default())))
            }
            Val::Term(_) => Err(Failed::Operands),
        }
    }

    /// A formula by itself, with the text that a person reads of it.
    pub fn extract(&self, val: Val, text: &str) -> Temporal {
        let mut tree = Temporal::new(text);
        let root = match val {
            Val::Term(term) => {
                tree.push(self.atom(term));
                return tree;
            }
            Val::Formula(root) => root,
        };
        let nodes = self.formulas.nodes();
        let mut inside = vec![root];
        let mut todo = vec![root];
        let mut place: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
        place.insert(root, 0);
        while let Some(at) = todo.pop() {
            for operand in nodes[at as usize].operands() {
                if place.insert(operand, 0).is_none() {
                    inside.push(operand);
                    todo.push(operand);
                }
            }
        }
        // Operands are older than what holds them.
        inside.sort_unstable();
        for at in inside {
            let node = match &nodes[at as usize] {
                TemporalNode::Atom(term, _) => self.atom(*term),
                TemporalNode::Unary(operator, of) => TemporalNode::Unary(*operator, place[of]),
                TemporalNode::Within(operator, low, high, of) => {
                    TemporalNode::Within(*operator, *low, *high, place[of])
                }
                TemporalNode::Binary(operator, left, right) => {
                    TemporalNode::Binary(*operator, place[left], place[right])
                }
            };
            let id = tree.push(node);
            place.insert(at, id);
        }
        tree
    }

    fn atom(&self, term: TermId) -> TemporalNode {
        let text = show_term(&self.cx.terms, term, &Dialect::GCL);
        TemporalNode::Atom(term, text.into())
    }
}
