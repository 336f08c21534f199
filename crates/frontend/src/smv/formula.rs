//! Formulas of LTLSPEC: temporal operators over atoms, each the largest part without one.
//!
//! A letter of the word that a formula reads is a state, the inputs of the step that leaves it, and (by `next`) the state after
//! it. Our words are sequences of states. So a formula that reads more is read one step later: what it says of now is what the
//! model remembers of the state before the last step (`Memory`), and the whole formula stands under `X`
//! (`Temporal::one_step_later`).

use super::build::Model;
use super::flat::{InstId, Sound, Wrong};
use super::tree::{Binary, ExprId, Node, Unary};
use lariat_base::{Diagnostic, FxHashMap, FxHashSet};
use lariat_expr::TermId;
use lariat_system::{BinaryTemporal, Temporal, TemporalId, TemporalNode, UnaryTemporal};

impl Model<'_, '_> {
    /// The formula of an expression, over states and the steps that leave them; whether it reads such steps.
    pub(super) fn formula(
        &mut self,
        instance: InstId,
        root: ExprId,
        source: &str,
    ) -> Sound<(Temporal, bool)> {
        let order = self.formula_nodes(root);
        let mut atoms: FxHashMap<ExprId, TermId> = FxHashMap::default();
        let mut later = false;
        for &(expr, is_atom) in &order {
            if is_atom {
                let span = self.flat.tree.spans[expr];
                let value = self.flat.value(instance, expr, false)?;
                let term = self.flat.truth(&value, span)?;
                self.may_be_undefined(value.undefined, span);
                later |= self.reads_step(term);
                atoms.insert(expr, term);
            }
        }
        let span = self.flat.tree.spans[root];
        let mut tree = Temporal::new(text_at(source, span.range()));
        let mut done: FxHashMap<ExprId, TemporalId> = FxHashMap::default();
        for (expr, is_atom) in order {
            let node = if is_atom {
                let text = text_at(source, self.flat.tree.spans[expr].range());
                tree.push(TemporalNode::Atom(atoms[&expr], text.into()))
            } else {
                self.operator(expr, &done, &mut tree)?
            };
            done.insert(expr, node);
        }
        Ok((tree, later))
    }

    /// A formula over steps as one over states, one step later.
    pub(super) fn of_states(&mut self, formula: &Temporal) -> Temporal {
        let yes = self.flat.cx.terms.true_();
        formula.one_step_later(yes, |term| self.after_step(term))
    }

    /// The parts of a formula, inner ones first; which of them are atoms.
    fn formula_nodes(&self, root: ExprId) -> Vec<(ExprId, bool)> {
        let nodes = &self.flat.tree.nodes;
        let mut inside: FxHashSet<ExprId> = FxHashSet::default();
        let mut todo = vec![root];
        while let Some(at) = todo.pop() {
            if inside.insert(at) {
                todo.extend(nodes[at].children());
            }
        }
        let mut order: Vec<ExprId> = inside.into_iter().collect();
        order.sort_unstable();
        // Children are older than what holds them.
        let mut temporal: FxHashSet<ExprId> = FxHashSet::default();
        for &at in &order {
            let own = match &nodes[at] {
                Node::Unary(operator, _) => operator.is_temporal(),
                Node::Bounded(..) => true,
                Node::Binary(operator, ..) => operator.is_temporal(),
                _ => false,
            };
            if own
                || nodes[at]
                    .children()
                    .iter()
                    .any(|child| temporal.contains(child))
            {
                temporal.insert(at);
            }
        }
        let mut parts: FxHashSet<ExprId> = FxHashSet::default();
        let mut todo = vec![root];
        while let Some(at) = todo.pop() {
            if parts.insert(at) && temporal.contains(&at) {
                todo.extend(nodes[at].children());
            }
        }
        order.retain(|at| parts.contains(at));
        order
            .into_iter()
            .map(|at| (at, !temporal.contains(&at)))
            .collect()
    }

    fn operator(
        &mut self,
        expr: ExprId,
        done: &FxHashMap<ExprId, TemporalId>,
        tree: &mut Temporal,
    ) -> Sound<TemporalId> {
        match self.flat.tree.nodes[expr] {
            Node::Unary(operator, of) => {
                let Some(operator) = unary(operator) else {
                    return Err(self.misplaced(expr));
                };
                Ok(tree.push(TemporalNode::Unary(operator, done[&of])))
            }
            Node::Bounded(operator, low, high, of) => {
                let operator = unary(operator).expect("a bound stands behind a temporal operator");
                if operator == UnaryTemporal::H {
                    self.warn_bounded_past(expr);
                }
                Ok(tree.push(TemporalNode::Within(operator, low, high, done[&of])))
            }
            Node::Binary(operator, left, right) => {
                let (left, right) = (done[&left], done[&right]);
                let operator = match operator {
                    Binary::And => BinaryTemporal::And,
                    Binary::Or => BinaryTemporal::Or,
                    Binary::Xor => BinaryTemporal::Xor,
                    Binary::Xnor | Binary::Iff => BinaryTemporal::Iff,
                    Binary::Implies => BinaryTemporal::Implies,
                    Binary::Until => BinaryTemporal::U,
                    Binary::Releases => BinaryTemporal::R,
                    Binary::WeakUntil => BinaryTemporal::W,
                    Binary::StrongRelease => BinaryTemporal::M,
                    Binary::Since => BinaryTemporal::S,
                    Binary::Triggered => BinaryTemporal::T,
                    _ => return Err(self.misplaced(expr)),
                };
                Ok(tree.push(TemporalNode::Binary(operator, left, right)))
            }
            _ => Err(self.misplaced(expr)),
        }
    }

    fn misplaced(&mut self, expr: ExprId) -> Wrong {
        let span = self.flat.tree.spans[expr];
        let message = "a temporal operator cannot stand inside of this expression";
        let finding = Diagnostic::error("temporal-operator", message).at(span);
        let hint = "temporal operators stand under `! & | xor xnor -> <->` and each other";
        self.flat.report(finding.hint(hint))
    }

    fn warn_bounded_past(&mut self, expr: ExprId) {
        let span = self.flat.tree.spans[expr];
        let message = "positions before the start do not count for this bounded `H`";
        let finding = Diagnostic::warning("bounded-history", message).at(span);
        let hint = "NuSMV 2.6 takes it as false as soon as one of its positions does not exist";
        self.flat.report(finding.hint(hint));
    }
}

fn unary(operator: Unary) -> Option<UnaryTemporal> {
    Some(match operator {
        Unary::Not => UnaryTemporal::Not,
        Unary::X => UnaryTemporal::X,
        Unary::F => UnaryTemporal::F,
        Unary::G => UnaryTemporal::G,
        Unary::Y => UnaryTemporal::Y,
        Unary::Z => UnaryTemporal::Z,
        Unary::O => UnaryTemporal::O,
        Unary::H => UnaryTemporal::H,
        Unary::Minus => return None,
    })
}

/// A part of the source in one line.
pub(super) fn text_at(source: &str, range: std::ops::Range<usize>) -> String {
    let text = source.get(range).unwrap_or("");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
