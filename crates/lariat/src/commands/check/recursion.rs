//! Recursion of C programs that is inlined up to a limit (`--recursion N`).
//!
//! Where a program goes deeper the model is cut off, at locations of their own without a step (`LocRole::Cut`). What
//! happens there is not known, so a run that comes there is evidence of nothing:
//!
//! - it is finite, and only infinite runs or bad states refute a property. The step to the cut is not observed, so no
//!   bad state lies there. In a composition another part may go on; a counterexample with one part at its cut is refused;
//! - a property that no other run refutes holds only if no run comes there. That is a question of its own, about bad
//!   states, asked of the whole model: reductions and blocks are made anew for it.

use super::args::CheckArgs;
use super::form::Form;
use super::property::Question;
use super::{Aim, Answered, decide};
use crate::load::Model;
use crate::session::{Failure, Session};
use lariat_base::Budget;
use lariat_check::{Bad, Counterexample, Focus, Goal, Settings, Unknown, Verdict};
use lariat_system::LocId;

/// What is added to the name of an attempt to find deeper recursion.
const DEEPER: &str = ", looking for deeper recursion";

/// Where a model is cut off, and whether runs come there once that is known.
pub struct Cuts {
    places: Vec<(usize, LocId)>,
    depth: u32,
    verdict: Option<Verdict>,
}

impl Cuts {
    /// Those of a model.
    pub fn new(args: &CheckArgs, model: &Model) -> Self {
        Self {
            places: model.cuts(),
            depth: depth(args),
            verdict: None,
        }
    }

    /// Takes back that a property holds unless no run comes to a cut.
    pub fn judge(
        &mut self,
        args: &CheckArgs,
        session: &mut Session,
        model: &Model,
        answered: &mut Answered,
        budget: &Budget,
    ) -> Result<(), Failure> {
        if self.places.is_empty() || answered.outcome.verdict != Verdict::Holds {
            return Ok(());
        }
        let verdict = match self.verdict.take() {
            Some(known) => known,
            None => self.look(args, session, model, answered, budget)?,
        };
        let n = self.depth;
        let why = match &verdict {
            Verdict::Holds => None,
            Verdict::Violated(_) => {
                Some("deeper recursion is possible: raise `--recursion`".to_owned())
            }
            Verdict::Unknown(why) => Some(format!(
                "whether deeper recursion is possible is unknown: {why}"
            )),
        };
        if let Some(why) = why {
            let why = format!("holds on all runs whose recursion is at most {n} deep; {why}");
            answered.outcome.verdict = Verdict::Unknown(Unknown::CutOff(why));
        }
        self.verdict = Some(verdict);
        Ok(())
    }

    /// Whether a run comes to a cut: a check of its own, with the settings of the one before.
    fn look(
        &self,
        args: &CheckArgs,
        session: &mut Session,
        model: &Model,
        answered: &mut Answered,
        budget: &Budget,
    ) -> Result<Verdict, Failure> {
        let mut settings = Settings {
            focus: Focus::All,
            ..answered.settings.clone()
        };
        if answered.question.is_temporal() {
            // That search is for lassos.
            settings.explicit.search = None;
        }
        let question = Question {
            name: String::new(),
            text: format!("recursion is at most {} deep", self.depth),
            goal: Goal::Reach(Bad {
                when: None,
                at: self.places.clone(),
            }),
            atoms: Vec::new(),
        };
        let how = (Form::Usual, Aim::Cuts);
        let looked = decide(args, session, model, &question, &settings, budget, how)?;
        let mut attempts = looked.outcome.attempts;
        for attempt in &mut attempts {
            attempt.what += DEEPER;
        }
        answered.outcome.attempts.extend(attempts);
        answered.time += looked.time;
        Ok(looked.outcome.verdict)
    }
}

/// Takes back a counterexample in which a part of the composition is at its cut.
pub fn distrust(args: &CheckArgs, checked: &Model, verdict: &mut Verdict) {
    let cuts = checked.cuts();
    let run = match verdict {
        Verdict::Violated(Counterexample::Path(run)) => run,
        Verdict::Violated(Counterexample::Lasso(lasso)) => &lasso.run,
        Verdict::Holds | Verdict::Unknown(_) => return,
    };
    let is_cut = |at| {
        cuts.iter()
            .any(|&(part, cut)| checked.location_of(part, at) == cut)
    };
    if run.steps.iter().any(|step| is_cut(step.state.loc)) {
        let n = depth(args);
        let why = format!(
            "a run was found that refutes it, but its recursion is more than {n} deep: raise `--recursion`"
        );
        *verdict = Verdict::Unknown(Unknown::CutOff(why));
    }
}

fn depth(args: &CheckArgs) -> u32 {
    args.model.recursion.unwrap_or(0)
}
