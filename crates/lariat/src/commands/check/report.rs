//! The answer as text: the verdict, the run that shows it, what the check did.

use super::along::Branches;
use super::inputs::{Input, ProgramRun};
use super::property::Question;
use super::{Answered, CheckArgs, along, blocks, explain};
use crate::load::Model;
use crate::session::{Failure, Session};
use crate::{label, statement};
use lariat_base::Id as _;
use lariat_check::{Counterexample, Goal, Round, Verdict, accepting_run, lasso_letters, letter};
use lariat_expr::TermId;
use lariat_ltl::{LassoWord, StateId};
use lariat_system::{Context, Edge, Language, LocId, State, Step, System, TransitionSystem as _};

/// Prints one answer.
pub fn print(args: &CheckArgs, session: &mut Session, answered: &Answered) -> Result<(), Failure> {
    let question = &answered.question;
    let name = if question.name.is_empty() {
        String::new()
    } else {
        format!("{}: ", question.name)
    };
    session.out.line(&format!("{name}{}", question.text))?;
    if args.explain {
        for line in explain::lines(answered) {
            session.out.line(&line)?;
        }
    }
    match &answered.outcome.verdict {
        Verdict::Holds => session.out.line("holds")?,
        Verdict::Unknown(why) => session.out.line(&format!("unknown: {why}"))?,
        Verdict::Violated(_) => session.out.line("violated")?,
    }
    if let Some(run) = &answered.counterexample {
        for line in counterexample_lines(run, &answered.question.atoms) {
            session.out.line(&line)?;
        }
        for line in answered.program.iter().flat_map(input_lines) {
            session.out.line(&line)?;
        }
        for note in answered.reduction.notes() {
            session.out.line(&note)?;
        }
    }
    if args.statistics {
        for line in statistics(answered) {
            session.out.line(&line)?;
        }
    }
    Ok(())
}

/// One round of the refinement loop.
pub fn round(round: &Round) -> String {
    let tracked = if round.precision.is_empty() {
        "nothing".into()
    } else {
        round.precision.join(", ")
    };
    format!(
        "round {}: tracking {tracked}; {} abstract states; {}",
        round.number, round.n_nodes, round.outcome
    )
}

/// A step of a counterexample as a person reads it.
pub struct Shown {
    /// The place in the model after it.
    pub location: String,
    /// What was done: the branch or action, and its line.
    pub action: String,
    /// `file:line` of what was done.
    pub source: Option<String>,
    /// The variables that changed, with their new values.
    pub changes: Vec<(String, String)>,
    /// What a condition was found to be, if that is what was done.
    pub tested: Option<bool>,
    /// Whether the state after it is observed.
    pub observed: bool,
    /// Whether it lies inside a step that the check took as a whole.
    pub inside: bool,
    /// The atoms' truth, if observed.
    pub letter: Option<u64>,
    /// The automaton's state after reading it.
    pub automaton: Option<usize>,
}

/// A counterexample as a person reads it.
pub struct ShownRun {
    /// The steps: the stem and once round the loop.
    pub steps: Vec<Shown>,
    /// For an infinite run: the step after whose state the loop starts.
    pub honda: Option<usize>,
    /// Whether the places of the model are worth showing.
    has_locations: bool,
}

/// A counterexample of a model as a person reads it.
pub fn shown(
    session: &Session,
    model: &mut Model,
    branches: &Branches,
    question: &Question,
    counterexample: &Counterexample,
) -> ShownRun {
    let (run, honda) = match counterexample {
        Counterexample::Path(run) => (run, None),
        Counterexample::Lasso(lasso) => (&lasso.run, Some(lasso.honda)),
    };
    let observed = run
        .replay(&session.cx, model)
        .expect("a counterexample has been replayed");
    let atoms: &[TermId] = match &question.goal {
        Goal::Accept { atoms, .. } => atoms,
        Goal::Reach(_) => &[],
    };
    let mut states =
        automaton_states(&session.cx, model, question, counterexample, &observed).into_iter();
    let mut steps: Vec<Shown> = Vec::new();
    let mut ends = Vec::new();
    for (i, step) in run.steps.iter().enumerate() {
        let before = i.checked_sub(1).map(|before| &run.steps[before].state);
        steps.extend(show_step(session, model, branches, before, step));
        let last = steps.last_mut().expect("a step is shown");
        (last.observed, last.inside) = (observed[i], false);
        if observed[i] && !atoms.is_empty() {
            last.letter = Some(letter(&session.cx, model.variables(), &step.state, atoms));
        }
        if observed[i] {
            last.automaton = states.next().map(StateId::index);
        }
        ends.push(steps.len() - 1);
    }
    let is_cfa = |system: &System| matches!(system.language, Language::Cfa | Language::C);
    let has_locations = model.systems.iter().any(is_cfa);
    ShownRun {
        steps,
        honda: honda.map(|honda| ends[honda]),
        has_locations,
    }
}

fn automaton_states(
    cx: &Context,
    model: &Model,
    question: &Question,
    counterexample: &Counterexample,
    observed: &[bool],
) -> Vec<StateId> {
    let (
        Goal::Accept {
            automaton, atoms, ..
        },
        Counterexample::Lasso(lasso),
    ) = (&question.goal, counterexample)
    else {
        return Vec::new();
    };
    let (stem, cycle) = lasso_letters(cx, model.variables(), lasso, observed, atoms);
    let word = LassoWord::new(automaton.aps().to_vec(), stem, cycle);
    word.and_then(|word| accepting_run(automaton, &word))
        .unwrap_or_default()
}

/// What a step did: one entry, or for a program one for each statement.
fn show_step(
    session: &Session,
    model: &mut Model,
    branches: &Branches,
    before: Option<&State>,
    step: &Step,
) -> Vec<Shown> {
    let edge = match before {
        None => model.initial()[step.edge],
        Some(state) => model.edges(state.loc)[step.edge],
    };
    if blocks::can_merge(model) && before.is_some() && !edge.stutter {
        let mut statements = along::statements(session, model, branches, before, edge, step);
        if let Some(last) = statements.last_mut() {
            last.location = model.location_name(step.state.loc);
            return statements;
        }
    }
    let at: Option<LocId> = before.map(|state| state.loc);
    let cx = &session.cx;
    let source = cx
        .stmts
        .span(edge.stmt)
        .map(|span| label::place(&session.sources, span));
    let mut changes = Vec::new();
    for (i, variable) in model.variables().iter().enumerate() {
        if before.is_none_or(|state| state.values[i] != step.state.values[i]) {
            let sort = cx.terms.var_sort(variable.var);
            let value = step.state.values[i].display(&cx.terms.sorts, sort);
            changes.push((cx.terms.name(variable.var).to_owned(), value));
        }
    }
    vec![Shown {
        location: model.location_name(step.state.loc),
        action: action(cx, model, at, &edge),
        source,
        changes,
        tested: None,
        observed: false,
        inside: false,
        letter: None,
        automaton: None,
    }]
}

/// What a step does: the name of its branch or action, and for an edge of a CFA its statement.
fn action(cx: &Context, model: &Model, at: Option<LocId>, edge: &Edge) -> String {
    const WIDTH: usize = 60;
    if edge.stutter {
        return "stays".into();
    }
    let origin = at.and_then(|at| label::origin(model, at, edge));
    match origin.map(|origin| model.systems[origin.part].language) {
        Some(Language::Cfa) => statement::one_line(cx, Language::Cfa, edge.stmt, WIDTH),
        _ => Some(label::step(cx, model, at, edge))
            .filter(|step| !step.is_empty())
            .unwrap_or_else(|| "goes on".into()),
    }
}

fn counterexample_lines(run: &ShownRun, atoms: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    for (i, step) in run.steps.iter().enumerate() {
        match run.honda {
            Some(honda) if i == honda + 1 => {
                lines.push(format!("the loop, for ever from the state after step {i}:"));
            }
            Some(_) if i == 0 => lines.push("the stem:".into()),
            None if i == 0 => lines.push("a run to a bad state:".into()),
            _ => {}
        }
        lines.push(step_line(i, step, run.has_locations));
        lines.extend(letter_line(atoms, step));
    }
    lines
}

/// What came in from outside, in order.
fn input_lines(run: &ProgramRun) -> Vec<String> {
    let (stem, round) = run.inputs();
    let mut lines = Vec::new();
    let parts = match run.n_round {
        Some(_) => [("inputs of the stem", stem), ("inputs of the loop", round)],
        None => [("inputs", stem), ("", round)],
    };
    for (what, inputs) in parts {
        if inputs.is_empty() {
            continue;
        }
        lines.push(format!("{what}:"));
        for Input { call, place, value } in inputs {
            lines.push(format!("       {call} = {value} ({place})"));
        }
    }
    lines
}

fn step_line(i: usize, step: &Shown, show_location: bool) -> String {
    let changes: Vec<String> = step
        .changes
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    let changes = match (step.tested, changes.is_empty()) {
        (Some(truth), true) => truth.to_string(),
        (None, true) => "nothing changes".into(),
        (_, false) => changes.join(", "),
    };
    let place = if show_location && !step.location.is_empty() {
        format!(" at {}", step.location)
    } else {
        String::new()
    };
    let source = step
        .source
        .as_ref()
        .map_or_else(String::new, |source| format!(" ({source})"));
    let unseen = if step.observed || step.inside {
        ""
    } else {
        " [not observed]"
    };
    format!(
        "{:>5}  {}{source}{place}: {changes}{unseen}",
        i + 1,
        step.action
    )
}

/// The atoms that are true and false, and the automaton's state.
fn letter_line(atoms: &[String], step: &Shown) -> Option<String> {
    let letter = step.letter?;
    let truth = |(i, atom): (usize, &String)| {
        let negated = if letter >> i & 1 == 1 { "" } else { "not " };
        let bracketed = if atom.contains(' ') && !negated.is_empty() {
            format!("({atom})")
        } else {
            atom.clone()
        };
        format!("{negated}{bracketed}")
    };
    let truths: Vec<String> = atoms.iter().enumerate().map(truth).collect();
    let state = step
        .automaton
        .map_or_else(String::new, |state| format!("   automaton in q{state}"));
    Some(format!("       {}{state}", truths.join(", ")))
}

/// What the check did, as a table.
fn statistics(answered: &Answered) -> Vec<String> {
    let stats = &answered.outcome.stats;
    let mut rows: Vec<(&str, String)> = answered.reduction.rows();
    for attempt in &answered.outcome.attempts {
        let (what, end, time) = (&attempt.what, &attempt.end, attempt.time.as_secs_f64());
        rows.push(("attempt", format!("{what}: {end} ({time:.3} s)")));
    }
    rows.extend([
        ("time", format!("{:.3} s", answered.time.as_secs_f64())),
        ("iterations", stats.iterations.to_string()),
        ("states of the last exploration", stats.nodes.to_string()),
        (
            "states expanded in all rounds",
            stats.total_nodes.to_string(),
        ),
        ("states kept by refinements", stats.kept_nodes.to_string()),
        ("states settled for good", stats.settled_nodes.to_string()),
        (
            "tracked predicates or variables",
            stats.precision.to_string(),
        ),
        (
            "abstract successors",
            format!("{} ({} from the cache)", stats.posts, stats.cached_posts),
        ),
        ("solver checks", stats.checks.to_string()),
        (
            "  for abstract successors",
            format!(
                "{} on {} predicates",
                stats.post_checks, stats.queried_predicates
            ),
        ),
        ("interpolations", stats.interpolations.to_string()),
        (
            "time exploring",
            format!("{:.3} s", stats.exploring.as_secs_f64()),
        ),
        (
            "time testing and refining",
            format!("{:.3} s", stats.refining.as_secs_f64()),
        ),
    ]);
    if let Some(bytes) = lariat_base::peak_memory() {
        rows.push(("peak memory", format!("{} MiB", bytes.div_ceil(1 << 20))));
    }
    rows.into_iter()
        .map(|(name, value)| format!("  {name:<34} {value}"))
        .collect()
}
