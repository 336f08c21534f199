//! The forms in which a model is checked: the same runs, in larger or smaller steps.

use super::args::{CheckArgs, EngineArg};
use super::blocks;
use super::property::Question;
use crate::load::{Model, Relations};
use lariat_check::Focus;
use lariat_system::Language;

/// A form of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Relations are split into their cases, the steps of a program are merged: best for most models.
    Usual,
    /// Relations stay whole.
    WholeRelations,
    /// Each statement of a program is a step. A program with very many branches is a huge formula otherwise.
    SmallSteps,
}

impl Form {
    /// In which forms the model is checked, one after the other; all but the first only by `auto`.
    pub fn all(args: &CheckArgs, model: &Model, question: &Question) -> Vec<Self> {
        /// Programs with more steps are tried in small ones, too.
        const MANY_STEPS: usize = 150;
        let mut forms = vec![Self::Usual];
        if args.engine.engine != EngineArg::Auto {
            return forms;
        }
        let has_relations = model.systems.iter().any(|s| s.language == Language::Sts);
        if has_relations && question.is_temporal() {
            forms.push(Self::WholeRelations);
        }
        let is_long = || model.systems[0].edges.n_items() > MANY_STEPS;
        if args.engine.blocks.is_none() && blocks::can_merge(model) && is_long() {
            forms.push(Self::SmallSteps);
        }
        forms
    }

    /// Which part of the time goes to the form before this one.
    pub fn part_before(self) -> u32 {
        match self {
            Self::Usual | Self::WholeRelations => 2,
            // What large steps are good for is found soon.
            Self::SmallSteps => 3,
        }
    }

    /// What the form before this one is for: large steps mean few states, small ones simple formulas.
    pub fn focus_before(self) -> Focus {
        match self {
            Self::Usual | Self::WholeRelations => Focus::All,
            Self::SmallSteps => Focus::Explicit,
        }
    }

    /// What becomes of relations.
    pub fn relations(self) -> Relations {
        match self {
            Self::Usual | Self::SmallSteps => Relations::Split,
            Self::WholeRelations => Relations::Whole,
        }
    }

    /// What is added to the names of attempts in this form.
    pub fn words(self) -> &'static str {
        match self {
            Self::Usual => "",
            Self::WholeRelations => ", relations whole",
            Self::SmallSteps => ", small steps",
        }
    }
}
