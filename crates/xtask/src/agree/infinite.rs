//! One case of `cargo xtask agree --infinite`: a random model with infinitely many states, whose answer is known by construction,
//! read from its text and decided as a user's would be: by `auto`, by abstraction refinement as it comes, and by trace abstraction.
//!
//! A verdict that is not the known one is a failure, and so is any verdict where nobody knows. Unknown is no failure; how
//! often it is said of each kind is reported.

use super::{INFINITE, Score, cegar, pipeline};
use lariat_base::{Budget, SourceMap};
use lariat_check::{CegarConfig, Engine, TraceConfig, Verdict};
use lariat_expr::VarId;
use lariat_frontend::parse;
use lariat_system::{Context, TransitionSystem as _};
use lariat_testkit::{Expected, InfiniteModel, random_infinite, rng};
use lariat_verify::{Asker, Model, News, Options, Task};
use rand::Rng as _;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// The rounds of refinement after which a check is ended, of all engines together.
const MAX_ROUNDS: u64 = 60;
/// The work after which it is ended, about as many microseconds: nearly all that is decided at all is decided in much less, and a
/// series is to have thousands of models.
const MAX_WORK: u64 = 800_000;
/// A check also ends after this time: not everything is counted as work.
const TIME: Duration = Duration::from_secs(3);

/// The ways in which each model is decided.
const N_WAYS: usize = 3;

/// How many models of each kind, and with each answer, were decided.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: BTreeMap<(String, String), Row>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Row {
    models: u64,
    /// By `auto`, by the drawn configuration and by trace abstraction.
    decided: [u64; N_WAYS],
}

impl Score for Table {
    const ARGS: &'static [&'static str] = &[INFINITE];

    fn compare(seed: u64) -> Result<String, String> {
        let mut random = rng(seed);
        let drawn = random_infinite(&mut random);
        let config = cegar::config(&mut random);
        let by_value: u64 = random.random();
        let mut line = format!("{} {}", drawn.kind, word(drawn.expected));
        for way in [
            Way::Auto,
            Way::Cegar(Box::new(config), by_value),
            Way::Trace(pipeline::trace(&mut random)),
        ] {
            let name = format!("{way:?}");
            let decide = AssertUnwindSafe(|| decide(&drawn, way));
            let verdict = catch_unwind(decide).unwrap_or_else(|_| Err("a panic, see above".into()));
            let verdict = verdict.and_then(|verdict| judge(&verdict, drawn.expected));
            match verdict {
                Ok(is_decided) => line += if is_decided { " decided" } else { " unknown" },
                Err(why) => return Err(tell(&drawn, &format!("{why}, by {name}"))),
            }
        }
        Ok(line)
    }

    fn add(&mut self, line: &str) -> Option<()> {
        let words: Vec<&str> = line.split(' ').collect();
        let [kind, expected, ref answers @ ..] = words[..] else {
            return None;
        };
        let is_answer = |word: &&str| ["decided", "unknown"].contains(word);
        if answers.len() != N_WAYS || !answers.iter().all(is_answer) {
            return None;
        }
        let row = self.rows.entry((kind.into(), expected.into())).or_default();
        row.models += 1;
        for (count, answer) in row.decided.iter_mut().zip(answers) {
            *count += u64::from(*answer == "decided");
        }
        Some(())
    }

    fn done(&self) -> u64 {
        self.total().models
    }

    fn unknown(&self) -> u64 {
        let Row { models, decided } = self.total();
        N_WAYS as u64 * models - decided.iter().sum::<u64>()
    }

    /// A series in which hardly anything is decided says nothing.
    fn judge(&self) -> Result<(), String> {
        for expected in [Expected::Holds, Expected::Violated] {
            let rows = self.rows.iter();
            let rows = rows.filter(|((_, own), _)| own == word(expected));
            let Row { models, decided } = sum(rows.map(|(_, row)| row));
            if decided[0] < models / 3 {
                let [decided, ..] = decided;
                let word = word(expected);
                return Err(format!("auto decided only {decided} of {models}: {word}"));
            }
        }
        Ok(())
    }

    fn report(&self) -> String {
        let mut text = format!(
            "{:<16} {:<9} {:>7} {:>14} {:>14} {:>14} {:>14} {:>14} {:>14}\n",
            "kind",
            "expected",
            "models",
            "auto: decided",
            "unknown",
            "cegar: decided",
            "unknown",
            "trace: decided",
            "unknown"
        );
        let mut row = |kind: &str, expected: &str, row: Row| {
            let Row { models, decided } = row;
            let _ = writeln!(
                text,
                "{kind:<16} {expected:<9} {models:>7} {:>14} {:>14} {:>14} {:>14} {:>14} {:>14}",
                decided[0],
                models - decided[0],
                decided[1],
                models - decided[1],
                decided[2],
                models - decided[2]
            );
        };
        for ((kind, expected), counts) in &self.rows {
            row(kind, expected, *counts);
        }
        row("all", "", self.total());
        text += "each verdict that is counted here is the known one";
        text
    }
}

impl Table {
    fn total(&self) -> Row {
        sum(self.rows.values())
    }
}

fn sum<'r>(rows: impl Iterator<Item = &'r Row>) -> Row {
    rows.fold(Row::default(), |sum, row| Row {
        models: sum.models + row.models,
        decided: std::array::from_fn(|way| sum.decided[way] + row.decided[way]),
    })
}

fn word(expected: Expected) -> &'static str {
    match expected {
        Expected::Holds => "holds",
        Expected::Violated => "violated",
        Expected::Open => "open",
    }
}

/// Whether the verdict is one; an error if it is the wrong one.
fn judge(verdict: &Verdict, expected: Expected) -> Result<bool, String> {
    match (verdict, expected) {
        (Verdict::Unknown(_), _) => Ok(false),
        (Verdict::Holds, Expected::Holds) | (Verdict::Violated(_), Expected::Violated) => Ok(true),
        _ => Err(format!("WRONG: {verdict:?}")),
    }
}

/// How a model is decided.
#[derive(Debug)]
enum Way {
    Auto,
    /// With the bits that say which variables are tracked by value.
    Cegar(Box<CegarConfig>, u64),
    Trace(TraceConfig),
}

/// Reads the model and decides it.
fn decide(drawn: &InfiniteModel, way: Way) -> Result<Verdict, String> {
    let (mut cx, mut sources) = (Context::new(), SourceMap::new());
    let source = sources.add("random", &*drawn.text);
    let parsed = parse(&mut cx, drawn.language, source, sources.file(source));
    let parsed = parsed.map_err(|findings| format!("the model is wrong: {findings:?}"))?;
    let mut model = Model::single(parsed.system);
    let property = Asker::new(&mut cx, &mut sources, &model).ltl(&drawn.ltl);
    let property = property.map_err(|findings| format!("the formula is wrong: {findings:?}"))?;
    let property = property.translated(&Budget::unlimited());
    let property = property.map_err(|error| error.to_string())?;
    let variables: Vec<VarId> = model.variables().iter().map(|v| v.var).collect();
    let engine: Option<Arc<dyn Engine>> = match way {
        Way::Auto => None,
        Way::Cegar(mut config, by_value) => {
            cegar::name_variables(&mut config.domain, &cx.terms, &variables, by_value);
            Some(Arc::new(*config))
        }
        Way::Trace(config) => Some(Arc::new(config)),
    };
    let budget = Budget::unlimited().with_time(TIME);
    let (end, mut n_rounds) = (budget.clone(), 0);
    let mut options = Options {
        engine,
        budget,
        work: Some(MAX_WORK),
        listener: Box::new(move |news| {
            if matches!(news, News::Round(_)) {
                n_rounds += 1;
            }
            if n_rounds > MAX_ROUNDS {
                end.cancel();
            }
        }),
        ..Options::default()
    };
    let mut task = Task {
        model: &mut model,
        property: &property,
    };
    Ok(task.check(&mut cx, &mut options).verdict)
}

/// Shows a case that failed, and says why.
fn tell(drawn: &InfiniteModel, why: &str) -> String {
    let InfiniteModel {
        kind,
        language,
        text,
        ltl,
        expected,
    } = drawn;
    eprintln!(
        "{kind} in {language:?}, {}:\n{text}\n{ltl}",
        word(*expected)
    );
    format!(
        "{kind}, {} is known, the model is above: {why}",
        word(*expected)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_and_failures_are_none() {
        let mut table = Table::default();
        assert!(table.add("up holds decided unknown decided").is_some());
        assert!(table.add("up violated decided decided decided").is_some());
        assert!(table.add("up holds decided unknown").is_none());
        assert!(table.add("seed 5: \"WRONG\"").is_none());
        assert_eq!((table.done(), table.unknown()), (2, 1));
        assert!(table.judge().is_ok());
    }

    #[test]
    fn where_nobody_knows_every_verdict_is_wrong() {
        assert!(judge(&Verdict::Holds, Expected::Open).is_err());
        assert!(judge(&Verdict::Holds, Expected::Violated).is_err());
        assert_eq!(judge(&Verdict::Holds, Expected::Holds), Ok(true));
    }
}
