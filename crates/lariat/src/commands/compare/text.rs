//! A comparison as text: a table for each task, a summary of the configurations, and what must not be.

use super::comparison::{Alarm, Comparison, Repeated, Run};
use super::prepare::Prepared;
use super::runner::{Ending, Outcome};
use std::fmt::Write as _;

/// Which tables are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tables {
    /// One for each task, and the summary if there are several.
    Tasks,
    /// One of tasks by configurations, and the summary.
    Matrix,
    /// Only the summary.
    Summary,
}

/// The tables.
pub fn tables(comparison: &Comparison, which: Tables) -> String {
    let mut text = match which {
        Tables::Tasks => tasks(comparison),
        Tables::Matrix => matrix(comparison),
        Tables::Summary => String::new(),
    };
    if comparison.tasks.len() > 1 || which != Tables::Tasks {
        if !text.is_empty() {
            text.push('\n');
        }
        text += &summary(comparison);
    }
    if comparison.n_missing > 0 {
        let (n, all) = (
            comparison.n_missing,
            comparison.n_missing + comparison.runs.len(),
        );
        let _ = writeln!(text, "\nunfinished: {n} of {all} runs are missing");
    }
    text
}

/// A table for each task.
fn tasks(comparison: &Comparison) -> String {
    let mut text = String::new();
    for (number, task) in comparison.tasks.iter().enumerate() {
        let runs = comparison.repeated(number);
        if runs.is_empty() && task.error.is_none() {
            continue;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text += &task_title(task);
        if let Some(error) = &task.error {
            let _ = writeln!(text, "  error: {error}");
            continue;
        }
        let rows = runs.iter().map(|run| run_row(comparison, run)).collect();
        text += &table_of(&RUN_COLUMNS, rows);
    }
    text
}

/// Tasks by configurations: how each ended, and how long it took.
fn matrix(comparison: &Comparison) -> String {
    let mut columns: Vec<Column<'_>> = vec![("task", false)];
    let configurations = comparison.configurations.iter();
    columns.extend(configurations.map(|configuration| (&*configuration.name, true)));
    let mut rows = Vec::new();
    for (number, task) in comparison.tasks.iter().enumerate() {
        // A configuration that was run on no task is none of this comparison: its column stays empty.
        let mut row = vec![String::new(); columns.len()];
        row[0].clone_from(&task.task.id);
        if task.error.is_some() {
            row[1..].fill("error".into());
        }
        for run in comparison.repeated(number) {
            let mut cell = verdict(comparison, &run);
            if run.middle().outcome.ending.is_verdict() {
                let _ = write!(cell, " {}", seconds(run.time()));
            }
            row[1 + run.middle().configuration] = cell;
        }
        rows.push(row);
    }
    table_of(&columns, rows)
}

fn task_title(task: &Prepared) -> String {
    let mut title = task.task.id.clone();
    // The id of a row says nothing about the model and the question.
    if task.task.place.is_some() {
        let _ = write!(title, "  ({})", shell(&task.task.words()));
    }
    if let Some(expected) = task.task.expected {
        let _ = write!(title, "  expected: {}", expected.name());
    }
    title + "\n"
}

/// A column: its title, and whether its fields are numbers.
type Column<'a> = (&'a str, bool);

const RUN_COLUMNS: [Column<'static>; 11] = [
    ("configuration", false),
    ("verdict", false),
    ("time", true),
    ("spread", true),
    ("cpu", true),
    ("rounds", true),
    ("states", true),
    ("tracked", true),
    ("solver calls", true),
    ("memory", true),
    ("", false),
];

/// How runs ended; several words if they ended differently.
fn verdict(comparison: &Comparison, runs: &Repeated<'_>) -> String {
    let endings = runs.endings().into_iter().map(Ending::name);
    let text = endings.collect::<Vec<_>>().join(", ");
    match comparison.is_correct(runs.middle()) {
        Some(false) => format!("{text} WRONG"),
        _ => text,
    }
}

fn run_row(comparison: &Comparison, runs: &Repeated<'_>) -> Vec<String> {
    let run = runs.middle();
    let Outcome {
        reason,
        cpu,
        counters,
        ..
    } = &run.outcome;
    let number = |n: Option<u64>| n.map_or_else(|| "-".to_owned(), |n| n.to_string());
    let memory = counters.peak_memory.map_or_else(
        || "-".to_owned(),
        |bytes| format!("{} MiB", bytes.div_ceil(1 << 20)),
    );
    let spread = if comparison.is_repeated() {
        let (least, most) = runs.spread();
        format!("{} … {}", seconds(least), seconds(most))
    } else {
        String::new()
    };
    vec![
        comparison.configurations[run.configuration].name.clone(),
        verdict(comparison, runs),
        seconds(runs.time()),
        spread,
        cpu.map_or_else(|| "-".to_owned(), seconds),
        number(counters.iterations),
        number(counters.states),
        number(counters.precision),
        number(counters.checks),
        memory,
        reason.clone().unwrap_or_default(),
    ]
}

const SUMMARY_COLUMNS: [Column<'static>; 9] = [
    ("configuration", false),
    ("tasks", true),
    ("decided", true),
    ("wrong", true),
    ("unknown", true),
    ("failed", true),
    ("time", true),
    ("median", true),
    ("cpu", true),
];

fn summary(comparison: &Comparison) -> String {
    let has_expected = comparison
        .tasks
        .iter()
        .any(|task| task.task.expected.is_some());
    let row = |one: super::comparison::Summary| {
        let wrong = if has_expected {
            one.n_wrong.to_string()
        } else {
            "-".to_owned()
        };
        vec![
            comparison.configurations[one.configuration].name.clone(),
            one.n_runs.to_string(),
            one.n_decided().to_string(),
            wrong,
            one.n_unknown.to_string(),
            one.n_failed.to_string(),
            seconds(one.total),
            seconds(one.median),
            one.cpu.map_or_else(|| "-".to_owned(), seconds),
        ]
    };
    let rows: Vec<Vec<String>> = comparison.summaries().into_iter().map(row).collect();
    if rows.is_empty() {
        return String::new();
    }
    let unread = comparison
        .tasks
        .iter()
        .filter(|task| task.error.is_some())
        .count();
    let unread = match unread {
        0 => String::new(),
        n => format!(", {n} of them could not be read"),
    };
    let n_tasks = comparison.tasks.len();
    format!(
        "{}{unread}, the best first\n{}",
        match n_tasks {
            1 => "one task".to_owned(),
            n => format!("all {n} tasks"),
        },
        table(&SUMMARY_COLUMNS, rows)
    )
}

/// A table without the columns that hold nothing.
fn table_of(columns: &[Column<'_>], rows: Vec<Vec<String>>) -> String {
    let is_used = |column: &usize| rows.iter().any(|row| !row[*column].is_empty());
    let used: Vec<usize> = (0..columns.len()).filter(is_used).collect();
    let columns: Vec<Column<'_>> = used.iter().map(|&i| columns[i]).collect();
    let pick = |row: &Vec<String>| used.iter().map(|&i| row[i].clone()).collect();
    table(&columns, rows.iter().map(pick).collect())
}

/// Rows under titles, each column as wide as its widest field.
fn table(columns: &[Column<'_>], rows: Vec<Vec<String>>) -> String {
    let titles = columns.iter().map(|&(title, _)| title.to_owned()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(titles).chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..columns.len()).map(|i| width(i).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for ((field, &width), &(_, is_number)) in row.iter().zip(&widths).zip(columns) {
            let blanks = " ".repeat(width - field.chars().count());
            let (before, after) = if is_number {
                (&*blanks, "")
            } else {
                ("", &*blanks)
            };
            let _ = write!(line, "  {before}{field}{after}");
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

fn seconds(time: f64) -> String {
    if time < 9.9995 {
        format!("{time:.3} s")
    } else {
        format!("{time:.1} s")
    }
}

/// What must not be, in words that cannot be missed.
pub fn alarm(comparison: &Comparison, program: &str, alarm: &Alarm<'_>) -> String {
    let names = |runs: &[&Run]| -> String {
        let name = |run: &&Run| &*comparison.configurations[run.configuration].name;
        runs.iter().map(name).collect::<Vec<_>>().join(", ")
    };
    let command = |run: &Run| {
        let words = std::iter::once(program.to_owned()).chain(run.words.iter().cloned());
        shell(&words.collect::<Vec<_>>())
    };
    match alarm {
        Alarm::Disagreement {
            task,
            holds,
            violated,
        } => format!(
            "BUG: configurations disagree on {}\n  holds:    {}\n  violated: {}\n  to see it:\n    {}\n    {}\n",
            task.task.id,
            names(holds),
            names(violated),
            command(holds[0]),
            command(violated[0]),
        ),
        Alarm::Crash { task, run } => format!(
            "BUG: {} crashed on {}\n  {}\n  to see it:\n    {}\n",
            names(&[run]),
            task.task.id,
            run.outcome
                .reason
                .as_deref()
                .unwrap_or("no reason is known"),
            command(run),
        ),
        Alarm::Wrong {
            task,
            expected,
            runs,
        } => {
            let got = runs[0].outcome.ending.name();
            format!(
                "WRONG: {} is {got}, expected {}\n  {got}: {}\n  to see it:\n    {}\n",
                task.task.id,
                expected.name(),
                names(runs),
                command(runs[0]),
            )
        }
    }
}

/// Words as a shell takes them.
pub fn shell(words: &[String]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    let quote = |word: &String| {
        if !word.is_empty() && word.chars().all(is_plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = vec![
            vec!["a".into(), "10".into()],
            vec!["béta".into(), "9".into()],
        ];
        assert_eq!(
            table(&[("name", false), ("n", true)], rows),
            "  name   n\n  a     10\n  béta   9\n"
        );
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        let words = ["check", "a b.gcl", "--ltl", "G x' = 1", ""].map(str::to_owned);
        assert_eq!(shell(&words), r"check 'a b.gcl' --ltl 'G x'\'' = 1' ''");
    }

    #[test]
    fn times_are_short() {
        assert_eq!(
            (&*seconds(0.01234), &*seconds(12.34)),
            ("0.012 s", "12.3 s")
        );
    }
}
