//! Which steps of a program a property cannot tell apart: they are checked as one (`--blocks large`).

use super::property::Question;
use crate::load::Model;
use lariat_base::FxHashSet;
use lariat_check::Goal;
use lariat_ltl::Class;
use lariat_system::{Context, Language, View, forget_dead, merge_blocks};

/// Whether the model has steps to merge: a program by itself. In a composition, every step is a point
/// where another part may go on.
pub fn can_merge(model: &Model) -> bool {
    let is_program = |language| matches!(language, Language::Cfa | Language::C);
    model.composed.is_none() && is_program(model.systems[0].language)
}

/// Lets a program forget the variables that nothing reads any more.
pub fn forget(cx: &mut Context, model: &mut Model, question: &Question) {
    let view = view(cx, question);
    forget_dead(cx, &mut model.systems[0], &view.variables);
}

/// Merges the steps of a program where the question cannot tell.
pub fn merge(cx: &mut Context, model: &mut Model, question: &Question) {
    let view = view(cx, question);
    merge_blocks(cx, &mut model.systems[0], &view);
}

fn view(cx: &Context, question: &Question) -> View {
    let variables = cx.terms.free_vars(&question.terms()).into_iter().collect();
    match &question.goal {
        Goal::Reach(bad) => View {
            variables,
            locations: bad.at.iter().map(|&(_, at)| at).collect(),
            counts_steps: false,
            ends_early: true,
        },
        Goal::Accept { formula, .. } => View {
            variables,
            locations: FxHashSet::default(),
            counts_steps: !formula
                .as_ref()
                .is_some_and(|(formulas, f)| formulas.class(*f).has(Class::STUTTER_FREE)),
            ends_early: false,
        },
    }
}
