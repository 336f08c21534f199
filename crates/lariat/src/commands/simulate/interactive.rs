//! A run that a person chooses step by step. It works from a pipe as well: one answer per line.

use super::Walk;
use super::end::End;
use super::row::Row;
use super::table::Table;
use super::typed::typed;
use crate::output::Output;
use crate::session::Failure;
use lariat_frontend::statement::shorten;
use lariat_system::{Incomplete, Outcome, Step, Successors};
use std::io::{self, BufRead as _, IsTerminal as _};

/// How many choices are listed.
const MAX_LISTED: usize = 20;

/// What a person answered.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Answer {
    Take(usize),
    /// The step after which variables have the values that were typed.
    Go(Step),
    Random,
    Back,
    Quit,
    Help,
}

/// Asks for every step.
pub fn run(walk: &mut Walk<'_>, out: &mut Output) -> Result<(), Failure> {
    let mut history: Vec<Step> = Vec::new();
    let is_terminal = io::stdin().is_terminal();
    let mut lines = io::stdin().lock().lines();
    let end = loop {
        let found = walk.simulator.successors();
        if found.steps.is_empty() {
            break match found.more {
                None => walk.no_step(),
                Some(_) => End::NotFound,
            };
        }
        list(walk, &found, out)?;
        let answer = loop {
            out.text("> ")?;
            out.flush()?;
            let Some(line) = lines.next().transpose()? else {
                out.text("\n")?;
                break Answer::Quit;
            };
            if !is_terminal {
                // A terminal shows what was typed; a transcript should as well.
                out.line(line.trim())?;
            }
            match parse(&line, found.steps.len()) {
                Some(Answer::Help) => out.line(HELP)?,
                Some(answer) => break answer,
                None => match by_values(walk, &line) {
                    Ok(step) => break Answer::Go(step),
                    Err(why) => out.line(&format!("{}. {HELP}", shorten(&why, 100)))?,
                },
            }
        };
        match answer {
            Answer::Quit | Answer::Help => break End::Quit,
            Answer::Back => {
                history.pop();
                walk.simulator.restart();
                for step in &history {
                    walk.simulator.take(step.clone());
                }
                walk.n_steps = history.len() as u64;
                continue;
            }
            Answer::Random => {
                let before = walk.simulator.state();
                if walk.random_step() == Outcome::Stepped {
                    finish_step(walk, before.as_ref(), &mut history, out)?;
                }
            }
            Answer::Take(index) => {
                let before = walk.simulator.state();
                walk.simulator.take(found.steps[index].clone());
                finish_step(walk, before.as_ref(), &mut history, out)?;
            }
            Answer::Go(step) => {
                let before = walk.simulator.state();
                walk.simulator.take(step);
                finish_step(walk, before.as_ref(), &mut history, out)?;
            }
        }
        if walk.is_at_end() {
            break End::Until;
        }
    };
    for line in end.lines(walk) {
        out.line(&line)?;
    }
    Ok(())
}

const HELP: &str = "A number takes that step, values such as `x = 5, go = true` one that leads to them, an empty line a random one, \
     `b` goes back, `q` quits.";

/// A step after which variables have the values that were typed.
fn by_values(walk: &mut Walk<'_>, line: &str) -> Result<Step, String> {
    let simulator = &mut walk.simulator;
    let wanted = typed(&simulator.context().terms, simulator.variables(), line)?;
    let found = simulator.successors_where(&wanted);
    let first = found.steps.into_iter().next();
    first.ok_or_else(|| format!("no step leads to `{}`", line.trim()))
}

fn finish_step(
    walk: &mut Walk<'_>,
    before: Option<&lariat_system::State>,
    history: &mut Vec<Step>,
    out: &mut Output,
) -> io::Result<()> {
    history.extend(walk.simulator.last_step());
    let row = walk.row(before);
    let mut table = Table::without_title(walk.simulator.system(), walk.screen);
    table.row(row, out)?;
    table.finish(out)
}

/// The steps that can be taken, with what each would change.
fn list(walk: &mut Walk<'_>, found: &Successors, out: &mut Output) -> io::Result<()> {
    let before = walk.simulator.state();
    let edges = walk.simulator.edges();
    let title = match walk.n_steps {
        0 => "The run can start in these ways:".to_owned(),
        n => format!("After step {}, these steps can be taken:", n - 1),
    };
    out.line(&title)?;
    let n = found.steps.len();
    let width = n.min(MAX_LISTED).to_string().len();
    for (i, step) in found.steps.iter().take(MAX_LISTED).enumerate() {
        let edge = edges[step.edge];
        let row = walk.scribe.describe(
            &walk.simulator,
            walk.sources,
            before.as_ref(),
            step,
            edge,
            walk.n_steps,
        );
        out.line(&format!("  {:>width$}  {}", i + 1, choice(&row)))?;
    }
    if n > MAX_LISTED {
        let line = format!("  … up to {n}; choose by number, or type values: `x = 5`");
        out.line(&line)?;
    }
    match found.more {
        None => Ok(()),
        Some(Incomplete::Sampled(_)) => {
            out.line("  (and more: some variable may have infinitely many values)")
        }
        Some(_) => out.line("  (and more: there are too many to list them all)"),
    }
}

fn choice(row: &Row) -> String {
    let changes: Vec<String> = row
        .texts
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    let changes = if changes.is_empty() {
        "nothing changes".to_owned()
    } else {
        shorten(&changes.join(", "), 90)
    };
    let name = match &*row.name {
        "" => format!("to {}", row.location),
        name => name.to_owned(),
    };
    let line = match &*row.line {
        "" => String::new(),
        line => format!(" ({line})"),
    };
    format!("{name}{line}: {changes}")
}

fn parse(line: &str, n: usize) -> Option<Answer> {
    match line.trim() {
        "" => Some(Answer::Random),
        "b" | "back" => Some(Answer::Back),
        "q" | "quit" | "exit" => Some(Answer::Quit),
        "h" | "help" | "?" => Some(Answer::Help),
        number => {
            let number: usize = number.parse().ok()?;
            (1..=n).contains(&number).then(|| Answer::Take(number - 1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_understood() {
        assert_eq!(parse(" 2 ", 3), Some(Answer::Take(1)));
        assert_eq!(parse("", 3), Some(Answer::Random));
        assert_eq!(parse("q", 3), Some(Answer::Quit));
        assert_eq!(parse("b", 3), Some(Answer::Back));
        assert_eq!(parse("4", 3), None);
        assert_eq!(parse("0", 3), None);
        assert_eq!(parse("x", 3), None);
    }
}
