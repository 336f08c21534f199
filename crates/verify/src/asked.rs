//! A question that was read, and the property that is made of it.
//!
//! The automaton of a temporal formula is made when the question's turn comes, within its own share of the limits: one huge
//! formula must not hold up the other questions.

use crate::property::{Atom, Claim, Property};
use lariat_base::{Budget, FxHashMap};
use lariat_ltl::{
    Acceptance, ApId, Effort, FormulaId, Formulas, TranslateConfig, TranslateError, translate,
};
use std::sync::Arc;

/// A question about a model.
#[derive(Clone, Debug)]
pub enum Asked {
    /// One that needs nothing more.
    Property(Property),
    /// A temporal formula; its automaton is still to be made.
    Formula(Box<AskedFormula>),
}

/// A temporal formula that was asked.
#[derive(Clone, Debug)]
pub struct AskedFormula {
    /// Its name; may be empty.
    pub name: String,
    /// What it says, as it was understood.
    pub text: String,
    /// The formula.
    pub formula: FormulaId,
    /// Where it lives.
    pub formulas: Formulas,
    /// What its atoms say of a state.
    pub atoms: FxHashMap<ApId, Atom>,
    /// The acceptance of the automaton.
    pub acceptance: Acceptance,
}

impl From<Property> for Asked {
    fn from(property: Property) -> Self {
        Self::Property(property)
    }
}

impl Asked {
    /// Its name; may be empty.
    pub fn name(&self) -> &str {
        match self {
            Self::Property(property) => &property.name,
            Self::Formula(formula) => &formula.name,
        }
    }

    /// What it says, as it was understood.
    pub fn text(&self) -> &str {
        match self {
            Self::Property(property) => &property.text,
            Self::Formula(formula) => &formula.text,
        }
    }

    /// Whether it is about infinite runs.
    pub fn is_temporal(&self) -> bool {
        match self {
            Self::Property(property) => property.is_temporal(),
            Self::Formula(_) => true,
        }
    }

    /// The property as engines take it: of a formula with the automaton of its negation.
    pub fn translated(self, budget: &Budget) -> Result<Property, TranslateError> {
        let asked = match self {
            Self::Property(property) => return Ok(property),
            Self::Formula(formula) => *formula,
        };
        let (formula, mut formulas) = (asked.formula, asked.formulas);
        let negated = formulas.not(formula);
        let config = TranslateConfig::new(asked.acceptance, Effort::High);
        let automaton = translate(&mut formulas, negated, &config, budget)?;
        let aps = automaton.aps().iter();
        let named = aps.map(|&ap| (asked.atoms[&ap].clone(), formulas.ap_name(ap).to_owned()));
        let (atoms, atom_names) = named.unzip();
        Ok(Property {
            name: asked.name,
            text: asked.text,
            claim: Claim::Temporal {
                automaton: Arc::new(automaton),
                atoms,
                formula: Some((Arc::new(formulas), formula)),
            },
            atom_names,
        })
    }
}

/// The properties of several questions.
pub fn translate_all(asked: Vec<Asked>, budget: &Budget) -> Result<Vec<Property>, TranslateError> {
    let properties = asked
        .into_iter()
        .map(|question| question.translated(budget));
    properties.collect()
}
