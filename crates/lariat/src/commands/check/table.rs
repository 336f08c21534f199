//! The cycles of a run as a table: a row for each, a column for each variable that changes.
//!
//! A value that is still what it was in the row above is a dot. Where the loop starts, all values are shown again.

use super::trace::{View, fold_line, line_list};
use lariat_verify::report::{FoldReport, FoldRow, StepReport, Values, folds};

/// Wider tables, or tables wider than the screen, are not made: the changes of each cycle are listed instead.
const WIDEST: usize = 180;
/// So many cycles in a row may be one round of a fold.
const MAX_PERIOD: usize = 8;
/// A value as it was in the row above.
const SAME: &str = "·";

/// A row: the steps from one to another, counted from 1.
#[derive(Clone, Copy)]
struct Row {
    first: usize,
    last: usize,
}

impl Row {
    fn steps<'r>(self, view: &View<'r>) -> &'r [StepReport] {
        &view.run.steps[self.first - 1..self.last]
    }

    /// The state at its end.
    fn state<'r>(self, view: &View<'r>) -> &'r Values {
        &view.run.steps[self.last - 1].state
    }

    fn name(self) -> String {
        if self.first == self.last {
            self.last.to_string()
        } else {
            format!("{}-{}", self.first, self.last)
        }
    }

    /// The lines of the source that changed something.
    fn lines(self, view: &View<'_>) -> String {
        let steps = self.steps(view).iter();
        let mut lines: Vec<u32> = steps.flat_map(|step| step.lines.iter().copied()).collect();
        lines.sort_unstable();
        lines.dedup();
        line_list(&lines)
    }
}

/// The lines of the table; nothing if the run has no cycles.
pub fn lines(view: &View<'_>) -> Option<Vec<String>> {
    let rows = rows(view)?;
    let columns = columns(view);
    let names: Vec<String> = rows.iter().map(|row| row.name()).collect();
    let lines: Vec<String> = rows.iter().map(|row| row.lines(view)).collect();
    let first = width("steps", names.iter().map(String::as_str));
    let widths: Vec<usize> = columns
        .iter()
        .map(|&column| {
            let name = &*rows[0].state(view)[column].0;
            let values = rows.iter().map(|row| row.state(view)[column].1.to_string());
            let values: Vec<String> = values.collect();
            width(name, values.iter().map(String::as_str))
        })
        .collect();
    let at_end = width("lines", lines.iter().map(String::as_str));
    let total = first + widths.iter().map(|width| width + 2).sum::<usize>() + 2 + at_end;
    let is_narrow = total <= view.screen.columns().unwrap_or(WIDEST);
    let mut text = Vec::new();
    let folded = folded(view, &rows);
    let mut above: Option<&Values> = None;
    let mut at = 0;
    while at < rows.len() {
        let row = rows[at];
        if let Some(heading) = view.heading(row.first) {
            text.push(heading);
            above = None;
            if is_narrow && at == 0 {
                let names = columns
                    .iter()
                    .map(|&c| rows[0].state(view)[c].0.to_string());
                let mut names: Vec<String> = names.collect();
                if lines.iter().any(|lines| !lines.is_empty()) {
                    names.push("lines".into());
                }
                text.push(line("steps", first, &names, &widths));
            }
        }
        if let Some(fold) = folded.iter().find(|fold| fold.hidden().0 == at + 1) {
            let (_, last) = fold.hidden();
            text.push(fold_line(row.first, rows[last - 1].last, fold));
            above = Some(rows[last - 1].state(view));
            at = last;
            continue;
        }
        let state = row.state(view);
        let changed = |&column: &usize| {
            let value = &state[column].1;
            above.is_none_or(|above| above[column].1 != *value)
        };
        if is_narrow {
            let value = |column: &usize| {
                if changed(column) {
                    state[*column].1.to_string()
                } else {
                    SAME.to_owned()
                }
            };
            let mut values: Vec<String> = columns.iter().map(value).collect();
            values.push(lines[at].clone());
            text.push(line(&names[at], first, &values, &widths));
        } else {
            let values = columns.iter().filter(|column| changed(column));
            let values = values.map(|&c| format!("{} = {}", state[c].0, state[c].1));
            let mut values: Vec<String> = values.collect();
            if values.is_empty() {
                values.push("nothing changes".into());
            }
            let place = match &*lines[at] {
                "" => String::new(),
                lines => format!("lines {lines}: "),
            };
            text.push(format!(
                "{:>first$}  {place}{}",
                names[at],
                values.join(", ")
            ));
        }
        above = Some(state);
        at += 1;
    }
    Some(text)
}

/// The rows: each ends where a cycle does, where the loop starts, or where the run ends.
fn rows(view: &View<'_>) -> Option<Vec<Row>> {
    let ends = view.run.cycles.as_ref()?.iter().copied();
    let mut ends: Vec<usize> = ends.filter(|&end| end < view.last).collect();
    ends.push(view.last);
    let starts = std::iter::once(1).chain(ends.iter().map(|end| end + 1));
    let rows = starts.zip(&ends).map(|(first, &last)| Row { first, last });
    Some(rows.collect())
}

/// The variables that are shown: those asked for, or those that change and are no function's own.
fn columns(view: &View<'_>) -> Vec<usize> {
    let state = view.run.steps.first().map_or(&[][..], |step| &step.state);
    let changing = view.changing();
    let is_shown = |at: &usize| {
        let name = &*state[*at].0;
        match view.show {
            [] => changing[*at] && !view.run.locals.iter().any(|local| local == name),
            _ => view.shows(name),
        }
    };
    (0..state.len()).filter(is_shown).collect()
}

/// Rows that do the same as those before them, counted in rows from 1.
fn folded(view: &View<'_>, rows: &[Row]) -> Vec<FoldReport> {
    let all: Vec<FoldRow<'_>> = rows
        .iter()
        .map(|row| FoldRow {
            steps: row.steps(view),
            is_named: (row.first..=row.last).any(|step| view.is_named(step)),
        })
        .collect();
    let honda = view.run.loop_starts_after_step;
    let in_stem = |row: &&Row| honda.is_none_or(|honda| row.last <= honda);
    let n_stem = rows.iter().take_while(in_stem).count();
    let mut found = folds(None, &all[..n_stem], MAX_PERIOD);
    let before = n_stem.checked_sub(1).map(|last| rows[last].state(view));
    let in_loop = folds(before, &all[n_stem..], MAX_PERIOD);
    found.extend(in_loop.into_iter().map(|fold| FoldReport {
        first_step: fold.first_step + n_stem,
        ..fold
    }));
    found
}

/// The width of a column.
fn width<'t>(name: &'t str, values: impl Iterator<Item = &'t str>) -> usize {
    let all = std::iter::once(name).chain(values);
    all.map(|text| text.chars().count()).max().unwrap_or(0)
}

fn line(name: &str, first: usize, values: &[String], widths: &[usize]) -> String {
    let mut text = format!("{name:>first$}");
    let widths = widths.iter().copied().chain(std::iter::repeat(0));
    for (value, width) in values.iter().zip(widths) {
        text.push_str("  ");
        text.push_str(value);
        let pad = width.saturating_sub(value.chars().count());
        text.extend(std::iter::repeat_n(' ', pad));
    }
    text.truncate(text.trim_end().len());
    text
}
