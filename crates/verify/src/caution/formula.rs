//! The formula of a property as one can ask further questions about it: its parts, and the same formula with a part replaced.

use super::Note;
use crate::property::{Atom, Claim, Property};
use lariat_base::Budget;
use lariat_ltl::{
    Acceptance, ApId, Brackets, Effort, FormulaId, Formulas, Op, Syntax, TranslateConfig,
    print_formula, translate,
};
use std::sync::Arc;

/// That a formula is true of every run of every model.
pub fn constant(property: &Property) -> Option<Note> {
    let Claim::Temporal { automaton, .. } = &property.claim else {
        return None;
    };
    // The automaton of the negation, without a single edge, accepts nothing.
    (automaton.n_edges() == 0).then(|| {
        let text = "the formula is true whatever the model does: it says nothing about it";
        Note::warning("true-formula", text)
    })
}

/// A formula with the meaning of its atoms.
pub struct Asked {
    pub formulas: Formulas,
    pub root: FormulaId,
    atoms: Vec<(ApId, Atom)>,
    acceptance: Acceptance,
    budget: Budget,
}

impl Asked {
    /// The formula of a property, if it has one.
    pub fn new(property: &Property, budget: &Budget) -> Option<Self> {
        let Claim::Temporal {
            automaton,
            atoms,
            formula: Some((formulas, root)),
        } = &property.claim
        else {
            return None;
        };
        let aps = automaton.aps().iter().copied();
        Some(Self {
            formulas: Formulas::clone(formulas),
            root: *root,
            atoms: aps.zip(atoms.iter().cloned()).collect(),
            acceptance: automaton.acceptance(),
            budget: budget.clone(),
        })
    }

    /// The question whether another formula over the same atoms holds, unless its automaton is too large.
    pub fn question(&mut self, formula: FormulaId) -> Option<Property> {
        let negated = self.formulas.not(formula);
        let config = TranslateConfig::new(self.acceptance, Effort::Low);
        let automaton = translate(&mut self.formulas, negated, &config, &self.budget).ok()?;
        let atoms = automaton.aps().iter().map(|ap| {
            let known = self.atoms.iter().find(|(known, _)| known == ap);
            known.map(|(_, atom)| atom.clone())
        });
        Some(Property {
            name: String::new(),
            text: self.text(formula),
            claim: Claim::Temporal {
                atoms: atoms.collect::<Option<_>>()?,
                automaton: Arc::new(automaton),
                formula: Some((Arc::new(self.formulas.clone()), formula)),
            },
            atom_names: Vec::new(),
        })
    }

    /// A part as people read it.
    pub fn text(&self, formula: FormulaId) -> String {
        print_formula(&self.formulas, formula, Syntax::Spot, Brackets::All)
            .unwrap_or_else(|_| "a part of the formula".into())
    }

    /// Whether the formula itself says that an atom always has this value: then it is no surprise.
    pub fn claims(&self, ap: ApId, value: bool) -> bool {
        let mut todo = vec![(self.root, true, false)];
        while let Some((part, truth, always)) = todo.pop() {
            let children = self.formulas.children(part);
            match (self.formulas.op(part), truth) {
                (Op::Ap(own), _) if always && own == ap && truth == value => return true,
                (Op::Not, _) => todo.push((children[0], !truth, always)),
                (Op::And, true) | (Op::Or, false) => {
                    todo.extend(children.iter().map(|&child| (child, truth, always)));
                }
                (Op::G, true) | (Op::F, false) => todo.push((children[0], truth, true)),
                _ => {}
            }
        }
        false
    }

    /// The left sides of implications that have temporal operators, each with a formula that holds exactly if it is never
    /// true where it matters. Only those that stand at the top or under one `G` are looked at.
    pub fn assumptions(&mut self) -> Vec<(FormulaId, FormulaId)> {
        let mut found = Vec::new();
        let mut todo = vec![(self.root, false)];
        while let Some((part, always)) = todo.pop() {
            let children = self.formulas.children(part).to_vec();
            match self.formulas.op(part) {
                Op::And => todo.extend(children.iter().map(|&child| (child, always))),
                Op::G => todo.push((children[0], true)),
                Op::Implies if !self.is_literal(children[0]) => {
                    let never = self.formulas.not(children[0]);
                    let never = if always {
                        self.formulas.globally(never)
                    } else {
                        never
                    };
                    found.push((children[0], never));
                }
                _ => {}
            }
        }
        found
    }

    fn is_literal(&self, part: FormulaId) -> bool {
        match self.formulas.op(part) {
            Op::Not => self.is_literal(self.formulas.child(part, 0)),
            Op::Ap(_) | Op::True | Op::False => true,
            _ => false,
        }
    }

    /// Replaces the part at a path of children by what makes the formula stronger; nothing if that depends on where else the
    /// truth of the part counts.
    pub fn strengthened(&mut self, path: &[usize]) -> Option<FormulaId> {
        let mut parts = vec![self.root];
        let mut is_positive = true;
        for &child in path {
            let at = *parts.last().expect("the root is there");
            match self.formulas.op(at) {
                Op::Iff | Op::Xor => return None,
                Op::Not => is_positive = !is_positive,
                Op::Implies if child == 0 => is_positive = !is_positive,
                _ => {}
            }
            parts.push(self.formulas.child(at, child));
        }
        let mut new = self.formulas.constant(!is_positive);
        for (&at, &child) in parts[..path.len()].iter().zip(path).rev() {
            let mut children = self.formulas.children(at).to_vec();
            children[child] = new;
            new = self.formulas.make(self.formulas.op(at), &children);
        }
        Some(new)
    }

    /// The part at a path of children.
    pub fn part(&self, path: &[usize]) -> FormulaId {
        let part = path.iter();
        part.fold(self.root, |at, &child| self.formulas.child(at, child))
    }
}
