//! A counterexample as text: every step, a table of cycles, or what changes.
//!
//! All say the same run and number its steps alike, so that the sentences above it fit each of them. A run that has broken
//! the property for good is shown up to there.

use super::args::{TraceArg, TraceArgs};
use super::table;
use crate::screen::{Piece, Screen};
use crate::session::Failure;
use lariat_base::{Diagnostic, nearest};
use lariat_system::{Context, TransitionSystem as _};
use lariat_verify::Model;
use lariat_verify::report::{FoldReport, GrowthReport, RunReport, StepReport, Values, WhyReport};

/// The longest condition of a region that is printed.
const LONGEST_REGION: usize = 300;
/// Lines of a step with branches that are named.
const MAX_LINES: usize = 6;
/// After a stem of so many steps the whole state is shown where the loop starts.
const LONG_STEM: usize = 10;

/// A run, ready to be shown.
pub struct View<'r> {
    pub run: &'r RunReport,
    pub screen: Screen,
    /// The variables that are shown; nothing: all.
    pub show: &'r [String],
    pub automaton: bool,
    /// The number of the last step that is shown.
    pub last: usize,
    /// The steps that are named in the sentences above.
    named: Vec<usize>,
}

/// The lines of a run.
pub fn lines(run: &RunReport, args: &TraceArgs, screen: Screen) -> Vec<String> {
    let view = View::new(run, args, screen);
    let usual = match &run.cycles {
        Some(_) => TraceArg::Cycles,
        None => TraceArg::Steps,
    };
    let mut lines = match args.trace.unwrap_or(usual) {
        TraceArg::Cycles => table::lines(&view).unwrap_or_else(|| view.steps(false)),
        TraceArg::Steps => view.steps(false),
        TraceArg::Changes => view.steps(true),
    };
    // What the loop is like does not matter if nothing that follows does; the sentences above say so.
    if !view.is_cut() {
        lines.extend(view.about_the_loop());
    }
    lines
}

/// Refuses to show variables that the model does not have.
pub fn refuse_unknown(cx: &Context, model: &Model, args: &TraceArgs) -> Result<(), Failure> {
    let names = model.variables().iter().map(|own| cx.terms.name(own.var));
    let names: Vec<&str> = names.collect();
    let unknown = args.show.iter().filter(|name| !names.contains(&&***name));
    let findings: Vec<Diagnostic> = unknown
        .map(|name| {
            let message = format!("`--show {name}`: the model has no such variable");
            let near = nearest(name, names.iter().copied());
            let hint = near.map(|near| format!("did you mean `{near}`?"));
            Diagnostic::error("unknown-name", message).maybe_hint(hint)
        })
        .collect();
    if findings.is_empty() {
        Ok(())
    } else {
        Err(Failure::Findings(findings))
    }
}

impl<'r> View<'r> {
    fn new(run: &'r RunReport, args: &'r TraceArgs, screen: Screen) -> Self {
        let broken = run.why.as_ref().and_then(|why| why.broken_after_step);
        Self {
            run,
            screen,
            show: &args.show,
            automaton: args.automaton_states,
            last: broken.filter(|&step| step > 0).unwrap_or(run.steps.len()),
            named: run
                .why
                .as_ref()
                .map_or_else(Vec::new, WhyReport::named_steps),
        }
    }

    /// Whether the run is shown up to where it is broken, not to its end.
    fn is_cut(&self) -> bool {
        self.last < self.run.steps.len()
    }

    /// The line above the step with this number (from 1), if there is one.
    pub fn heading(&self, number: usize) -> Option<String> {
        let heading = match self.run.loop_starts_after_step {
            Some(_) if number == 1 && self.is_cut() => {
                Some("a run, up to where it breaks the property:".into())
            }
            Some(honda) if number == honda + 1 && !self.is_cut() => Some(format!(
                "the loop, for ever from the state after step {honda}:"
            )),
            Some(_) if number == 1 => Some("the stem:".into()),
            None if number == 1 => Some("a run to a bad state:".into()),
            _ => None,
        };
        heading.map(|text| self.screen.paint(Piece::Title, &text))
    }

    pub fn is_named(&self, number: usize) -> bool {
        self.named.contains(&number)
    }

    /// Whether a variable is shown.
    pub fn shows(&self, name: &str) -> bool {
        self.show.is_empty() || self.show.iter().any(|shown| shown == name)
    }

    /// Step by step; or only those that change something.
    fn steps(&self, only_changes: bool) -> Vec<String> {
        let mut lines = Vec::new();
        // The letter that was shown last: one that repeats it says nothing.
        let mut letter: Option<&Vec<bool>> = None;
        let marks_observed = self.marks_observed();
        // With few variables there is little to fold.
        let folds = self.run.folds.iter().filter(|_| self.show.is_empty());
        let mut folds = folds.peekable();
        let mut number = 0;
        while number < self.last {
            number += 1;
            if let Some(heading) = self.heading(number) {
                lines.push(heading);
                letter = None;
                if number > LONG_STEM {
                    lines.extend(self.state_line(&self.run.steps[number - 2].state));
                }
            }
            if let Some(fold) = folds.next_if(|fold| fold.hidden().0 == number) {
                let (_, last) = fold.hidden();
                lines.push(fold_line(number, last, fold));
                number = last;
                continue;
            }
            let step = &self.run.steps[number - 1];
            let is_new = step.atoms.is_some() && step.atoms.as_ref() != letter;
            let has_news = is_new || self.is_named(number) || number == self.last;
            let changes = self.changes(step);
            let is_dull =
                step.is_silent() || (only_changes || !self.show.is_empty()) && changes.is_empty();
            if is_dull && !has_news {
                continue;
            }
            lines.push(self.step_line(number, step, &changes, marks_observed));
            if is_new || self.automaton && step.atoms.is_some() {
                letter = step.atoms.as_ref();
                lines.extend(self.letter_line(step));
            }
        }
        lines
    }

    /// Whether states that are observed are marked, since most are not.
    fn marks_observed(&self) -> bool {
        let steps = self.run.steps.iter().filter(|step| !step.inside);
        let (seen, unseen): (Vec<_>, Vec<_>) = steps.partition(|step| step.observed);
        unseen.len() > seen.len()
    }

    /// The changes that are shown of a step.
    pub fn changes(&self, step: &StepReport) -> Vec<String> {
        let changes = step.changes.iter().filter(|(name, _)| self.shows(name));
        changes
            .map(|(name, value)| {
                self.screen
                    .paint(Piece::Change, &format!("{name} = {value}"))
            })
            .collect()
    }

    fn step_line(
        &self,
        number: usize,
        step: &StepReport,
        changes: &[String],
        marks_observed: bool,
    ) -> String {
        let what = match (&step.case, step.tested, changes) {
            (Some(case), _, []) => case.clone(),
            (None, Some(truth), []) => truth.to_string(),
            (None, None, []) => "nothing changes".into(),
            _ => changes.join(", "),
        };
        let place = if self.run.has_locations && !step.location.is_empty() {
            format!(" at {}", step.location)
        } else {
            String::new()
        };
        let mark = match (step.observed, marks_observed) {
            (true, true) => " [observed]",
            (false, false) if !step.inside => " [not observed]",
            _ => "",
        };
        let source = source(step);
        format!("{number:>5}  {}{source}{place}: {what}{mark}", step.action)
    }

    /// The atoms that are true and false, and the automaton's state if it is asked for.
    fn letter_line(&self, step: &StepReport) -> Option<String> {
        let truth = |(name, &truth): (&String, &bool)| match truth {
            true => name.clone(),
            false if name.contains(' ') => format!("not ({name})"),
            false => format!("not {name}"),
        };
        let atoms = self.run.atoms.iter().zip(step.atoms.as_ref()?);
        let truths: Vec<String> = atoms.map(truth).collect();
        let state = step.automaton_state.filter(|_| self.automaton);
        let state = state.map_or_else(String::new, |state| format!("   automaton in q{state}"));
        Some(format!("       {}{state}", truths.join(", ")))
    }

    /// All variables that change somewhere in the run, with their values in one state.
    fn state_line(&self, state: &Values) -> Option<String> {
        let changing = self.changing();
        let values = state.iter().zip(changing).filter(|(_, changes)| *changes);
        let values = values.filter(|((name, _), _)| self.shows(name));
        let values: Vec<String> = values
            .map(|((name, value), _)| format!("{name} = {value}"))
            .collect();
        (!values.is_empty()).then(|| format!("       where {}", values.join(", ")))
    }

    /// For each variable whether it changes in what is shown of the run.
    pub fn changing(&self) -> Vec<bool> {
        let shown = &self.run.steps[..self.last];
        let n = shown.first().map_or(0, |step| step.state.len());
        let mut changing = vec![false; n];
        for pair in shown.windows(2) {
            let values = pair[0].state.iter().zip(&pair[1].state);
            for (changes, ((_, old), (_, new))) in changing.iter_mut().zip(values) {
                *changes |= old != new;
            }
        }
        changing
    }

    /// What is to be said of a loop that does not come back to the same state, and of the automaton.
    fn about_the_loop(&self) -> Vec<String> {
        let run = self.run;
        let mut lines = Vec::new();
        for sentence in run.growth.iter().flat_map(GrowthReport::sentences) {
            lines.push(format!("no state comes back: {sentence}"));
        }
        if !run.region.is_empty() {
            let bracketed = |condition: &String| {
                if condition.contains(" or ") && run.region.len() > 1 {
                    format!("({condition})")
                } else {
                    condition.clone()
                }
            };
            let region: Vec<String> = run.region.iter().map(bracketed).collect();
            let region = match region.join(" and ") {
                long if long.len() > LONGEST_REGION => "what the JSON report says".into(),
                region => region,
            };
            lines.push(format!(
                "no state need come back: every round starts with {region}, and leads to where that is true again"
            ));
        }
        if !run.drifting.is_empty() {
            let names = run.drifting.join(", ");
            lines.push(format!(
                "these are not the same in every round, which changes nothing else: {names}"
            ));
        }
        if self.automaton && run.steps.iter().any(|step| step.automaton_state.is_some()) {
            lines.push(
                "q0, q1, …: the states of the automaton of the negated formula, as `lariat automaton FORMULA --negate` prints it"
                    .into(),
            );
        }
        lines
    }
}

/// Steps that are left out.
pub fn fold_line(first: usize, last: usize, fold: &FoldReport) -> String {
    format!("    …  steps {first} to {last}: {}", fold.words())
}

/// Where a step stands in the source, with the lines that changed something.
fn source(step: &StepReport) -> String {
    let Some(source) = &step.source else {
        return String::new();
    };
    if step.lines.is_empty() {
        return format!(" ({source})");
    }
    let file = source.rsplit_once(':').map_or(&**source, |(file, _)| file);
    format!(" ({file}:{})", line_list(&step.lines))
}

/// Some lines, by their numbers.
pub fn line_list(lines: &[u32]) -> String {
    let shown = lines.iter().take(MAX_LINES).map(ToString::to_string);
    let mut shown: Vec<String> = shown.collect();
    if lines.len() > MAX_LINES {
        shown.push("…".into());
    }
    shown.join(", ")
}
