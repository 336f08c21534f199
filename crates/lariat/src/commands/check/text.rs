//! A report as text: the verdict, the run that shows it, what the check did.

use super::{Answered, CheckArgs, explain};
use crate::session::{Failure, Session};
use lariat_verify::RoundNews;
use lariat_verify::report::{
    GrowthReport, Input, Inputs, MeasureReport, Report, RunReport, StepReport, WhyReport,
};

/// The longest condition of a region that is printed.
const LONGEST_REGION: usize = 300;

/// Prints one report.
pub fn print(args: &CheckArgs, session: &mut Session, answered: &Answered) -> Result<(), Failure> {
    let report = &answered.report;
    let name = if report.property.name.is_empty() {
        String::new()
    } else {
        format!("{}: ", report.property.name)
    };
    let mut lines = vec![format!("{name}{}", report.property.text)];
    if args.explain {
        lines.extend(explain::lines(args, report));
    }
    lines.push(match &report.reason {
        Some(why) => format!("{}: {why}", report.verdict),
        None => report.verdict.to_owned(),
    });
    let why = MeasureReport::sentences(&report.measures).into_iter();
    lines.extend(why.map(|sentence| format!("    {sentence}")));
    if let Some(run) = &report.counterexample {
        let why = run.why.iter().flat_map(|why| &why.sentences);
        lines.extend(why.map(|sentence| format!("    {sentence}")));
        lines.extend(run_lines(run));
        lines.extend(report.inputs.iter().flat_map(input_lines));
        lines.extend(report.changes.notes());
    }
    if args.statistics {
        lines.extend(statistics(report));
    }
    for line in lines {
        session.out.line(&line)?;
    }
    Ok(())
}

/// One round of a refinement loop.
pub fn round(round: &RoundNews) -> String {
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

fn run_lines(run: &RunReport) -> Vec<String> {
    let mut lines = Vec::new();
    // The letter that was shown last: one that repeats it says nothing.
    let mut shown: Option<&Vec<bool>> = None;
    let named = run
        .why
        .as_ref()
        .map_or_else(Vec::new, WhyReport::named_steps);
    for (i, step) in run.steps.iter().enumerate() {
        match run.loop_starts_after_step {
            Some(honda) if i == honda => {
                shown = None;
                lines.push(format!("the loop, for ever from the state after step {i}:"));
            }
            Some(_) if i == 0 => lines.push("the stem:".into()),
            None if i == 0 => lines.push("a run to a bad state:".into()),
            _ => {}
        }
        let is_new = step.atoms.is_some() && step.atoms.as_ref() != shown;
        let has_news = is_new || named.contains(&(i + 1));
        if step.is_silent() && !has_news && i + 1 < run.steps.len() {
            continue;
        }
        lines.push(step_line(i, step, run.has_locations));
        if is_new {
            shown = step.atoms.as_ref();
            lines.extend(letter_line(&run.atoms, step));
        }
    }
    for sentence in run.growth.iter().flat_map(GrowthReport::sentences) {
        lines.push(format!("no state comes back: {sentence}"));
    }
    if !run.region.is_empty() {
        let region = match run.region.join(" and ") {
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
            "from round to round these go on changing, which changes nothing else: {names}"
        ));
    }
    lines
}

/// What came in from outside, in order.
fn input_lines(inputs: &Inputs) -> Vec<String> {
    let (stem, round) = (&inputs.stem, inputs.round.as_deref());
    let what = match round {
        Some(_) => "inputs of the stem",
        None => "inputs",
    };
    let parts = [
        (what, &stem[..]),
        ("inputs of the loop", round.unwrap_or(&[])),
    ];
    let mut lines = Vec::new();
    for (what, inputs) in parts.into_iter().filter(|(_, inputs)| !inputs.is_empty()) {
        lines.push(format!("{what}:"));
        for Input {
            call,
            source,
            value,
        } in inputs
        {
            lines.push(format!("       {call} = {value} ({source})"));
        }
    }
    lines
}

fn step_line(i: usize, step: &StepReport, show_location: bool) -> String {
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
fn letter_line(names: &[String], step: &StepReport) -> Option<String> {
    let truth = |(name, &truth): (&String, &bool)| match truth {
        true => name.clone(),
        false if name.contains(' ') => format!("not ({name})"),
        false => format!("not {name}"),
    };
    let truths: Vec<String> = names.iter().zip(step.atoms.as_ref()?).map(truth).collect();
    let state = step
        .automaton_state
        .map_or_else(String::new, |state| format!("   automaton in q{state}"));
    Some(format!("       {}{state}", truths.join(", ")))
}

/// What the check did, as a table.
fn statistics(report: &Report) -> Vec<String> {
    let stats = &report.statistics;
    let mut rows: Vec<(&str, String)> = report.changes.rows();
    for attempt in &report.attempts {
        let (what, end, time) = (&attempt.what, &attempt.end, attempt.time_s);
        rows.push(("attempt", format!("{what}: {end} ({time:.3} s)")));
    }
    rows.extend([
        ("time", format!("{:.3} s", report.time_s)),
        ("iterations", stats.iterations.to_string()),
        ("states of the last exploration", stats.states.to_string()),
        (
            "states expanded in all rounds",
            stats.total_states.to_string(),
        ),
        ("states kept by refinements", stats.kept_states.to_string()),
        ("states settled for good", stats.settled_states.to_string()),
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
        ("time exploring", format!("{:.3} s", stats.exploring_s)),
        (
            "time testing and refining",
            format!("{:.3} s", stats.refining_s),
        ),
    ]);
    if let Some(bytes) = stats.peak_memory_bytes {
        rows.push(("peak memory", format!("{} MiB", bytes.div_ceil(1 << 20))));
    }
    rows.into_iter()
        .map(|(name, value)| format!("  {name:<34} {value}"))
        .collect()
}
