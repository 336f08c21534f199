//! A report as text: the verdict, the run that shows it, what the check did.

use super::output::Format;
use super::{CheckArgs, explain, trace};
use crate::screen::{Piece, Screen};
use crate::session::{Failure, Session};
use lariat_verify::RoundNews;
use lariat_verify::report::{Inputs, MeasureReport, NoteReport, Report, UnknownReport, shortened};

/// Prints one report.
pub fn print(args: &CheckArgs, session: &mut Session, report: &Report) -> Result<(), Failure> {
    let screen = session.screen;
    if args.output.stdout() != Format::Text {
        return Ok(());
    }
    if args.output.quiet {
        let name = match &*report.property.name {
            "" => &report.property.text,
            name => name,
        };
        let verdict = screen.paint(Piece::of_verdict(report.verdict), report.verdict);
        session.out.line(&format!("{name}: {verdict}"))?;
        return Ok(());
    }
    let name = if report.property.name.is_empty() {
        String::new()
    } else {
        format!("{}: ", report.property.name)
    };
    let mut lines = vec![format!("{name}{}", report.property.text)];
    if args.output.explain {
        lines.extend(explain::lines(args, report));
    }
    if !report.fairness.is_empty() {
        lines.push(format!("on runs with {}", report.fairness.join(", and ")));
    }
    let verdict = screen.paint(Piece::of_verdict(report.verdict), report.verdict);
    lines.push(match &report.reason {
        Some(why) => format!("{verdict}: {}", shortened(why)),
        None => verdict,
    });
    let notes = report.notes.iter().map(NoteReport::sentence);
    lines.extend(notes.map(|sentence| format!("    {sentence}")));
    if let Some(unknown) = &report.unknown {
        let UnknownReport { cause, advice, .. } = unknown;
        // The reason may say it all.
        if !report
            .reason
            .as_ref()
            .is_some_and(|why| shortened(why).ends_with(cause))
        {
            lines.push(format!("    cause: {cause}"));
        }
        lines.extend(
            advice
                .iter()
                .map(|advice| format!("    what may help: {advice}")),
        );
        let known = unknown.known();
        lines.extend(known.map(|known| format!("    known: {known}")));
    }
    let why = MeasureReport::sentences(&report.measures).into_iter();
    lines.extend(why.map(|sentence| format!("    {sentence}")));
    if let Some(run) = &report.counterexample {
        let why = run.why.iter().flat_map(|why| &why.sentences);
        lines.extend(why.map(|sentence| format!("    {sentence}")));
        lines.extend(trace::lines(run, &args.trace, screen));
        let inputs = report
            .inputs_until_broken
            .as_ref()
            .or(report.inputs.as_ref());
        let inputs = inputs.into_iter();
        lines.extend(inputs.flat_map(|inputs| input_lines(inputs, screen)));
        lines.extend(report.changes.notes());
    }
    if args.output.statistics {
        lines.extend(statistics(report));
    }
    for line in lines {
        session.out.line(&screen.wrap(&line))?;
    }
    Ok(())
}

/// One round of a refinement loop: of which property, if there are several, and of which engine.
pub fn round(property: &str, round: &RoundNews) -> String {
    let property = match property {
        "" => String::new(),
        name => format!("{name}: "),
    };
    let tracked = if round.precision.is_empty() {
        "nothing".into()
    } else {
        round.precision.join(", ")
    };
    format!(
        "{property}{}: round {}: tracking {tracked}; {} abstract states; {}",
        round.engine, round.number, round.n_nodes, round.outcome
    )
}

/// What came in from outside, in order.
fn input_lines(inputs: &Inputs, screen: Screen) -> Vec<String> {
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
        lines.push(screen.paint(Piece::Title, &format!("{what}:")));
        let told = inputs.iter().map(|input| {
            let (call, value, source) = (&input.call, &input.value, &input.source);
            format!("{call} = {value} ({source})")
        });
        let told: Vec<String> = told.collect();
        for (n_times, part) in repeated(&told) {
            let mut blanks = "       ";
            if n_times > 1 {
                lines.push(format!("{blanks}{n_times} times:"));
                blanks = "         ";
            }
            lines.extend(part.iter().map(|line| format!("{blanks}{line}")));
        }
    }
    lines
}

/// A list as parts, each with how often it stands there in a row: parts that come at least three times are told once.
fn repeated<T: PartialEq>(list: &[T]) -> Vec<(usize, &[T])> {
    const LONGEST: usize = 16;
    const FEWEST: usize = 3;
    let (mut parts, mut start, mut at) = (Vec::new(), 0, 0);
    while at < list.len() {
        let rest = &list[at..];
        let n_times = |len: usize| {
            let rounds = rest.chunks_exact(len);
            rounds.take_while(|round| *round == &rest[..len]).count()
        };
        let lengths = (1..=LONGEST.min(rest.len())).map(|len| (len, n_times(len)));
        let often = lengths.filter(|&(_, n_times)| n_times >= FEWEST);
        // What saves most; of several such, the shortest.
        match often.max_by_key(|&(len, n_times)| (len * (n_times - 1), std::cmp::Reverse(len))) {
            Some((len, n_times)) => {
                if start < at {
                    parts.push((1, &list[start..at]));
                }
                parts.push((n_times, &rest[..len]));
                at += len * n_times;
                start = at;
            }
            None => at += 1,
        }
    }
    if start < list.len() {
        parts.push((1, &list[start..]));
    }
    parts
}

/// What the check did, as a table.
fn statistics(report: &Report) -> Vec<String> {
    let stats = &report.statistics;
    let mut rows: Vec<(&str, String)> = report.changes.rows();
    for attempt in &report.attempts {
        let (what, end, time) = (&attempt.what, &attempt.end, attempt.time_s);
        rows.push(("attempt", format!("{what}: {end} ({time:.3} s)")));
    }
    rows.push(("time", format!("{:.3} s", report.time_s)));
    if report.attempts.is_empty() {
        // Nothing was tried, or what was tried did not say how far it came.
        return table(&rows);
    }
    rows.extend([
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
    if stats.may_steps > 0 {
        let is_exact = stats.may_steps == stats.must_steps;
        let exact = if is_exact { ": exact" } else { "" };
        let (may, must) = (stats.may_steps, stats.must_steps);
        rows.push(("may steps, must steps", format!("{may}, {must}{exact}")));
    }
    if !stats.symmetries.is_empty() {
        rows.push(("states that count as one", stats.symmetries.join("; ")));
    }
    if let Some(bytes) = stats.peak_memory_bytes {
        rows.push(("peak memory", format!("{} MiB", bytes.div_ceil(1 << 20))));
    }
    table(&rows)
}

fn table(rows: &[(&str, String)]) -> Vec<String> {
    rows.iter()
        .map(|(name, value)| format!("  {name:<34} {value}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::repeated;

    #[test]
    fn parts_that_come_again_and_again_are_told_once() {
        let check = |list: &str, expected: &str| {
            let list: Vec<char> = list.chars().collect();
            let parts = repeated(&list);
            let told = parts
                .iter()
                .map(|(n, part)| format!("{n}{}", String::from_iter(*part)));
            assert_eq!(told.collect::<Vec<_>>().join(" "), expected);
        };
        check("", "");
        check("abc", "1abc");
        check("abab", "1abab");
        check("ababab", "3ab");
        check("xabcabcabcabcy", "1x 4abc 1y");
        check("aaaabbb", "4a 3b");
        check("aabaabaab", "3aab");
    }
}
