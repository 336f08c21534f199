//! Rounds that do the same, told once: "4 times more, each time timer + 1".
//!
//! A step is known by what it does and by how it changes values: numbers by how much, others to what. Some steps that stand
//! several times in a row, all known alike, are a *fold*: who shows the run shows the first of its rounds. Steps that are
//! named elsewhere, and the start of the loop, are never inside a fold that would hide them.

use super::{StepReport, Values};
use lariat_base::FxHashMap;
use serde::Serialize;

/// The longest round.
const MAX_PERIOD: usize = 200;
/// A fold leaves out at least so many steps, and rounds.
const MIN_HIDDEN: usize = 4;
const MIN_TIMES: usize = 2;

/// Rounds that do the same as the one before them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FoldReport {
    /// The number (from 1) of the first step of the first round, which is to be shown.
    pub first_step: usize,
    /// The steps of a round.
    pub n_steps: usize,
    /// How many more rounds there are.
    pub more_times: usize,
    /// What is added in each of them, by variable.
    pub adds: Vec<(String, i64)>,
}

impl FoldReport {
    /// The number of the first step that is left out, and of the last.
    pub fn hidden(&self) -> (usize, usize) {
        let first = self.first_step + self.n_steps;
        (first, first + self.n_steps * self.more_times - 1)
    }

    /// In words.
    pub fn words(&self) -> String {
        let times = match self.more_times {
            1 => "once more".to_owned(),
            n => format!("{n} times more"),
        };
        let adds = self.adds.iter().map(|(name, by)| match by {
            by if *by < 0 => format!("{name} - {}", by.unsigned_abs()),
            by => format!("{name} + {by}"),
        });
        let adds: Vec<String> = adds.collect();
        match &*adds {
            [] => format!("{times} the same"),
            adds => format!("{times}: {}", adds.join(", ")),
        }
    }
}

/// What makes two rows alike.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Kind {
    what: Vec<String>,
    changes: Vec<(String, Change)>,
    atoms: Option<Vec<bool>>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Change {
    By(i64),
    To(String),
}

/// A row of a table or list: one step, or several.
#[derive(Clone, Debug)]
pub struct FoldRow<'s> {
    /// The steps.
    pub steps: &'s [StepReport],
    /// Whether something is said of it elsewhere.
    pub is_named: bool,
}

/// The folds of some rows, counted in rows (from 1), for those that start after the state `before`.
pub fn folds(before: Option<&Values>, rows: &[FoldRow<'_>], max_period: usize) -> Vec<FoldReport> {
    let mut numbers: FxHashMap<Kind, usize> = FxHashMap::default();
    let mut kinds: Vec<(usize, Kind)> = Vec::new();
    let mut state = before;
    for row in rows {
        let after = row.steps.last().map(|step| &step.state);
        let kind = kind(state, after, row.steps);
        let next = numbers.len();
        let number = *numbers.entry(kind.clone()).or_insert(next);
        kinds.push((number, kind));
        state = after;
    }
    let mut folds = Vec::new();
    let mut at = 0;
    while at < rows.len() {
        let found = (1..=max_period.min(MAX_PERIOD)).find_map(|period| {
            let times = repetitions(&kinds, rows, at, period);
            let is_worth = times >= MIN_TIMES && times * period >= MIN_HIDDEN;
            is_worth.then_some((period, times))
        });
        let Some((period, times)) = found else {
            at += 1;
            continue;
        };
        folds.push(FoldReport {
            first_step: at + 1,
            n_steps: period,
            more_times: times,
            adds: adds(kinds[at..at + period].iter().map(|(_, kind)| kind)),
        });
        at += period * (times + 1);
    }
    folds
}

/// The folds of a run, step by step.
pub fn of_steps(
    steps: &[StepReport],
    loop_start: Option<usize>,
    named: &[usize],
) -> Vec<FoldReport> {
    let row = |(at, step)| FoldRow {
        steps: std::slice::from_ref(step),
        is_named: named.contains(&(at + 1)),
    };
    let rows: Vec<FoldRow<'_>> = steps.iter().enumerate().map(row).collect();
    let (stem, round) = rows.split_at(loop_start.unwrap_or(steps.len()));
    let mut all = folds(None, stem, MAX_PERIOD);
    let before = stem.last().and_then(|row| row.steps.last());
    let in_loop = folds(before.map(|step| &step.state), round, MAX_PERIOD);
    all.extend(in_loop.into_iter().map(|fold| FoldReport {
        first_step: fold.first_step + stem.len(),
        ..fold
    }));
    all
}

fn kind(before: Option<&Values>, after: Option<&Values>, steps: &[StepReport]) -> Kind {
    let what = steps.iter().map(|step| {
        let source = step.source.as_deref().unwrap_or_default();
        let found = step.tested.map(|truth| truth.to_string());
        let found = step.case.clone().or(found).unwrap_or_default();
        format!("{} {source} {found}", step.action)
    });
    let changes = match (before, after) {
        (Some(before), Some(after)) => before
            .iter()
            .zip(after)
            .filter(|((_, old), (_, new))| old != new)
            .map(|((name, old), (_, new))| {
                let by = old.number().zip(new.number());
                let by = by.and_then(|(old, new)| new.checked_sub(old));
                let change = by.map_or_else(|| Change::To(new.to_string()), Change::By);
                (name.to_string(), change)
            })
            .collect(),
        _ => Vec::new(),
    };
    Kind {
        what: what.collect(),
        changes,
        atoms: steps.iter().rev().find_map(|step| step.atoms.clone()),
    }
}

/// How often the `period` rows from `at` on stand there again.
fn repetitions(kinds: &[(usize, Kind)], rows: &[FoldRow<'_>], at: usize, period: usize) -> usize {
    let round = |n: usize| {
        let start = at + n * period;
        kinds.get(start..start + period)
    };
    let Some(first) = round(0) else {
        return 0;
    };
    let same = |n: &usize| {
        round(*n).is_some_and(|other| {
            let mut pairs = first.iter().zip(other);
            pairs.all(|((a, _), (b, _))| a == b)
        })
    };
    let is_hidden = |n: &usize| {
        let start = at + n * period;
        !rows[start..start + period].iter().any(|row| row.is_named)
    };
    (1..=kinds.len())
        .take_while(|n| same(n) && is_hidden(n))
        .count()
}

/// What a round adds to numbers; those it brings back are left out.
fn adds<'k>(round: impl Iterator<Item = &'k Kind>) -> Vec<(String, i64)> {
    let mut sums: Vec<(String, i64)> = Vec::new();
    for (name, change) in round.flat_map(|kind| &kind.changes) {
        let Change::By(by) = change else { continue };
        match sums.iter_mut().find(|(known, _)| known == name) {
            Some((_, sum)) => *sum = sum.saturating_add(*by),
            None => sums.push((name.clone(), *by)),
        }
    }
    sums.retain(|(_, sum)| *sum != 0);
    sums
}
