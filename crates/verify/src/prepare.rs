//! A model prepared for an engine, and the way back: what an engine finds is lifted to the model as given.

use crate::auto::Form;
use crate::confirm::{Confirmed, closes, confirm, is_bad};
use crate::lift::lift;
use crate::model::Model;
use crate::pass::{Applied, Passes, Stage};
use crate::property::Property;
use lariat_check::Counterexample;
use lariat_system::{Context, Run, TransitionSystem as _};

/// A rewritten model with its property, and what was done to make it.
#[derive(Debug)]
pub struct Prepared {
    /// The model and the property as an engine sees them.
    pub stage: Stage,
    /// What each pass did, in their order.
    pub applied: Vec<Applied>,
}

impl Prepared {
    /// Makes the passes on a copy of the model.
    pub fn new(cx: &mut Context, model: &Model, property: &Property, passes: Passes) -> Self {
        let mut stage = Stage {
            model: model.copy(cx),
            property: property.clone(),
        };
        let applied = passes.apply(cx, &mut stage);
        Self { stage, applied }
    }

    /// A counterexample of the rewritten model as one of the model as given, replayed there. Panics if that fails: then a
    /// pass or an engine has a bug.
    pub fn lift(
        &mut self,
        cx: &mut Context,
        given: &mut Model,
        property: &Property,
        mut found: Counterexample,
    ) -> (Counterexample, Confirmed) {
        let model = &mut self.stage.model;
        match &mut found {
            Counterexample::Path(run) => locate(model, run),
            Counterexample::Lasso(lasso) => locate(model, &mut lasso.run),
        }
        let mut closes =
            |cx: &Context, model: &mut Model, lasso: &_| closes(cx, model, property, lasso).is_ok();
        let lifted = lift(cx, given, model, &self.applied, &found, &mut closes);
        let mut lifted = lifted.unwrap_or_else(|why| panic!("a counterexample is lost: {why}"));
        if let Counterexample::Path(run) = &mut lifted {
            stop_at_bad(cx, given, property, run);
        }
        let confirmed = confirm(cx, given, property, &lifted);
        (lifted, confirmed)
    }
}

/// Gives the states of a run their places in this composition: each numbers them in the order in which they are met.
fn locate(model: &mut Model, run: &mut Run) {
    let mut at = None;
    for step in &mut run.steps {
        let edges = match at {
            None => model.initial(),
            Some(at) => model.edges(at),
        };
        step.state.loc = edges[step.edge].target;
        at = Some(step.state.loc);
    }
}

/// Cuts a run at its first bad state: a step of the rewritten model may stand for several.
fn stop_at_bad(cx: &Context, model: &mut Model, property: &Property, run: &mut Run) {
    let Ok(observed) = run.replay(cx, model) else {
        return;
    };
    let steps = run.steps.iter().zip(&observed);
    let mut bad = steps.map(|(step, &seen)| is_bad(cx, model, property, &step.state, seen));
    if let Some(first) = bad.position(|is_bad| is_bad) {
        run.steps.truncate(first + 1);
    }
}

/// The forms of a model that were asked for, each made once.
pub struct Forms<'m> {
    model: &'m Model,
    property: &'m Property,
    passes: Passes,
    made: Vec<(Form, Prepared)>,
}

impl<'m> Forms<'m> {
    /// Nothing made yet.
    pub fn new(model: &'m Model, property: &'m Property, passes: Passes) -> Self {
        Self {
            model,
            property,
            passes,
            made: Vec::new(),
        }
    }

    /// The model in a form.
    pub fn get(&mut self, cx: &mut Context, form: Form) -> &mut Prepared {
        let known = self.made.iter().position(|(known, _)| *known == form);
        let at = known.unwrap_or_else(|| {
            let passes = form.passes(self.passes);
            let prepared = Prepared::new(cx, self.model, self.property, passes);
            self.made.push((form, prepared));
            self.made.len() - 1
        });
        &mut self.made[at].1
    }

    /// Hands over the model in a form.
    pub fn take(mut self, cx: &mut Context, form: Form) -> Prepared {
        self.get(cx, form);
        let at = self.made.iter().position(|(known, _)| *known == form);
        self.made.swap_remove(at.expect("just made")).1
    }

    /// The stage of a form.
    pub fn stage(&mut self, cx: &mut Context, form: Form) -> &Stage {
        &self.get(cx, form).stage
    }
}
