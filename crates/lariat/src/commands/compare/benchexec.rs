//! Comparisons for `BenchExec`: what it needs to run one by itself, and our results as it would have written them.
//!
//! A folder for `BenchExec` has a definition (`lariat.xml`) with a run definition for each configuration, a task definition (YAML) for each task, a
//! property file for each kind of question, and the tool-info module, which makes command lines and reads exit codes.
//! A question that is no property file stands in the task's `options`, where the module and `--manifest` read it.

use super::comparison::{Comparison, Repeated};
use super::configuration::Configuration;
use super::export::Setup;
use super::prepare::Prepared;
use super::report::File;
use super::runner::Ending;
use super::task::{Expected, Question};
use crate::page::escape;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

const MODULE: &str = include_str!("assets/lariat_tool_info.py");
const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// All that `BenchExec` needs.
pub fn benchmark(
    folder: &Path,
    tasks: &[Prepared],
    configurations: &[Configuration],
    setup: &Setup<'_>,
) -> std::io::Result<Vec<File>> {
    let mut files = vec![
        File {
            path: folder.join("lariat_benchexec/lariat.py"),
            text: MODULE.to_owned(),
        },
        File {
            path: folder.join("lariat.xml"),
            text: definition(tasks, configurations, setup),
        },
    ];
    let readable = tasks
        .iter()
        .enumerate()
        .filter(|(_, task)| task.error.is_none());
    for (i, task) in readable {
        let kind = kind(task);
        let path = folder.join(format!("tasks/{}", file_name(i, task)));
        let text = task_definition(task, &kind)?;
        files.push(File { path, text });
        if let Question::Prop(file) = &task.task.question {
            let text = std::fs::read_to_string(file)?;
            let path = folder.join(format!("tasks/{kind}.prp"));
            files.push(File { path, text });
        } else {
            let path = folder.join(format!("tasks/{kind}.prp"));
            let text = format!("The question of kind `{kind}` stands in `options` of each task.\n");
            files.push(File { path, text });
        }
    }
    Ok(files)
}

/// What kind of property a task has: what its property file is called.
fn kind(task: &Prepared) -> String {
    match &task.task.question {
        Question::Prop(path) => {
            let stem = path.file_stem().unwrap_or_default();
            stem.to_string_lossy().into_owned()
        }
        question => question.option().map_or("own", |(name, _)| name).to_owned(),
    }
}

fn file_name(number: usize, task: &Prepared) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let stem = task.task.models[0].file_stem().unwrap_or_default();
    let name: String = stem.to_string_lossy().chars().map(plain).collect();
    format!("{:03}-{name}.yml", number + 1)
}

fn task_definition(task: &Prepared, kind: &str) -> std::io::Result<String> {
    let mut text = format!(
        "# {}\nformat_version: '2.0'\n",
        task.task.id.replace('\n', " ")
    );
    text += "input_files:\n";
    for model in &task.task.models {
        let path = std::path::absolute(model)?;
        let _ = writeln!(text, "  - {}", quoted(&path.display().to_string()));
    }
    let _ = write!(
        text,
        "properties:\n  - property_file: {}\n",
        quoted(&format!("{kind}.prp"))
    );
    if let Some(expected) = task.task.expected {
        let _ = writeln!(
            text,
            "    expected_verdict: {}",
            expected == Expected::Holds
        );
    }
    if !matches!(task.task.question, Question::Prop(_)) {
        let n_models = task.task.models.len();
        let words: Vec<String> = task
            .task
            .words()
            .iter()
            .skip(n_models)
            .map(|word| quoted(word))
            .collect();
        let words = match &*words {
            [] => quoted("--own"),
            words => words.join(", "),
        };
        let _ = write!(text, "options:\n  lariat: [{words}]\n");
    }
    Ok(text)
}

/// A text in YAML.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn definition(tasks: &[Prepared], configurations: &[Configuration], setup: &Setup<'_>) -> String {
    let seconds = setup.timeout.as_secs_f64().ceil();
    let memory = setup.memory.map_or_else(String::new, |bytes| {
        format!(" memlimit=\"{} MB\"", bytes.div_ceil(1_000_000))
    });
    let mut text = format!(
        "{HEAD}<!-- Written by `lariat compare`. To run it, in this folder: PYTHONPATH=. benchexec lariat.xml -->\n\
         <benchmark tool=\"lariat_benchexec.lariat\" displayName=\"Lariat\" timelimit=\"{seconds} s\" \
         hardtimelimit=\"{} s\"{memory}>\n",
        (seconds * 1.5).ceil() + 10.0
    );
    for (i, configuration) in configurations.iter().enumerate() {
        let _ = writeln!(
            text,
            "  <rundefinition name=\"{}\">",
            escape(&configuration.name.replace('/', "."))
        );
        let mut words = configuration.options.iter().peekable();
        while let Some(word) = words.next() {
            let value = words.next_if(|next| !next.starts_with("--"));
            let (name, value) = match (word.split_once('='), value) {
                (Some((name, value)), _) => (name, Some(value)),
                (None, value) => (&**word, value.map(|text| &**text)),
            };
            let _ = writeln!(
                text,
                "    <option name=\"{}\">{}</option>",
                escape(name),
                escape(value.unwrap_or_default())
            );
        }
        // A configuration runs on the tasks that it applies to.
        let applies = |task: &Prepared| task.error.is_none() && task.configurations.contains(&i);
        let chosen: Vec<(usize, &Prepared)> = tasks
            .iter()
            .enumerate()
            .filter(|(_, task)| applies(task))
            .collect();
        let mut kinds: Vec<String> = chosen.iter().map(|(_, task)| kind(task)).collect();
        kinds.sort();
        kinds.dedup();
        for kind in kinds {
            let _ = writeln!(text, "    <tasks name=\"{}\">", escape(&kind));
            for (number, task) in chosen.iter().filter(|(_, task)| self::kind(task) == kind) {
                let _ = writeln!(
                    text,
                    "      <include>tasks/{}</include>",
                    file_name(*number, task)
                );
            }
            let _ = writeln!(
                text,
                "      <propertyfile>tasks/{}.prp</propertyfile>",
                escape(&kind)
            );
            text += "    </tasks>\n";
        }
        text += "  </rundefinition>\n";
    }
    text + "</benchmark>\n"
}

/// The results of each configuration as `table-generator` reads them.
pub fn results(folder: &Path, comparison: &Comparison, setup: &Setup<'_>, date: &str) -> Vec<File> {
    let tasks: Vec<Vec<Repeated<'_>>> = (0..comparison.tasks.len())
        .map(|task| comparison.repeated(task))
        .collect();
    let mut files = Vec::new();
    for (number, configuration) in comparison.configurations.iter().enumerate() {
        let mut rows = String::new();
        for runs in tasks.iter().flatten() {
            if runs.middle().configuration == number {
                rows += &row(comparison, runs);
            }
        }
        if rows.is_empty() {
            continue;
        }
        let name = configuration.name.replace('/', ".");
        let memory = setup
            .memory
            .map_or_else(String::new, |bytes| format!(" memlimit=\"{bytes}B\""));
        let text = format!(
            "{HEAD}<result benchmarkname=\"lariat\" name=\"{}\" tool=\"Lariat\" version=\"{}\" toolmodule=\"lariat_benchexec.lariat\" \
             generator=\"lariat compare\" date=\"{date}\" timelimit=\"{}s\"{memory} options=\"{}\">\n{rows}</result>\n",
            escape(&name),
            env!("CARGO_PKG_VERSION"),
            setup.timeout.as_secs_f64(),
            escape(&configuration.options.join(" ")),
        );
        files.push(File {
            path: folder.join(format!("lariat.{name}.results.xml")),
            text,
        });
    }
    files
}

/// A run: the one in the middle, where there are several.
fn row(comparison: &Comparison, runs: &Repeated<'_>) -> String {
    let run = runs.middle();
    let task = &comparison.tasks[run.task];
    let outcome = &run.outcome;
    let status = match outcome.ending {
        Ending::Holds => "true".to_owned(),
        Ending::Violated => "false".to_owned(),
        Ending::Unknown
            if outcome
                .reason
                .as_deref()
                .is_some_and(|why| why.contains("time")) =>
        {
            "TIMEOUT".to_owned()
        }
        Ending::Unknown => "unknown".to_owned(),
        Ending::Error => "ERROR (input)".to_owned(),
        Ending::Crash => "ERROR (crash)".to_owned(),
    };
    let category = match (
        comparison.is_correct(run),
        outcome.ending.is_verdict(),
        outcome.ending,
    ) {
        (Some(true), ..) => "correct",
        (Some(false), ..) => "wrong",
        (None, true, _) => "missing",
        (None, false, Ending::Unknown) if status == "unknown" => "unknown",
        (None, false, _) => "error",
    };
    let expected = task.task.expected.map_or_else(String::new, |expected| {
        format!(" expectedVerdict=\"{}\"", expected == Expected::Holds)
    });
    let models: Vec<String> = task
        .task
        .models
        .iter()
        .map(|model| model.display().to_string())
        .collect();
    let mut text = format!(
        "<run name=\"{}\" files=\"[{}]\" properties=\"{}\"{expected}>\n",
        escape(&task.task.id),
        escape(&models.join(", ")),
        escape(&kind(task)),
    );
    let mut column = |title: &str, value: String| {
        let hidden = if title == "category" {
            " hidden=\"true\""
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "  <column title=\"{title}\"{hidden} value=\"{}\"/>",
            escape(&value)
        );
    };
    column("category", category.to_owned());
    column("status", status);
    if let Some(cpu) = outcome.cpu {
        column("cputime", format!("{cpu:.6}s"));
    }
    column("walltime", format!("{:.6}s", outcome.wall));
    if let Some(bytes) = outcome.counters.peak_memory {
        column("memory", format!("{bytes}B"));
    }
    for (title, number) in [
        ("rounds", outcome.counters.iterations),
        ("states", outcome.counters.states),
        ("solver calls", outcome.counters.checks),
    ] {
        if let Some(number) = number {
            column(title, number.to_string());
        }
    }
    text + "</run>\n"
}

/// A time as `BenchExec` writes it, in universal time.
pub fn date(now: SystemTime) -> String {
    let seconds = now
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Days since the first of March of the year 0, in eras of 400 years; years begin in March, so that leap days come last.
    let day = days + 719_468;
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, late) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    let year = year + era * 400 + late;
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

/// Writes files, with the folders that they are in.
pub fn write(files: Vec<File>) -> Result<Vec<PathBuf>, lariat_base::Diagnostic> {
    let mut written = Vec::new();
    for File { path, text } in files {
        let folder = path.parent().unwrap_or(Path::new(""));
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|error| crate::target::cannot_write(&path, &error))?;
        written.push(path);
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn dates_are_those_of_the_calendar() {
        let at = |seconds: u64| date(UNIX_EPOCH + Duration::from_secs(seconds));
        // As `date -u -d @N` says.
        assert_eq!(at(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(at(951_782_400), "2000-02-29 00:00:00 UTC");
        assert_eq!(at(1_709_251_199), "2024-02-29 23:59:59 UTC");
        assert_eq!(at(1_794_000_000), "2026-11-06 21:20:00 UTC");
        assert_eq!(at(4_107_542_400), "2100-03-01 00:00:00 UTC");
    }

    #[test]
    fn texts_are_quoted_for_yaml() {
        assert_eq!(quoted("G 'a: b'"), "'G ''a: b'''");
    }
}
