//! The page of a study: for each question the table, the plots, and what follows from the numbers.

use super::{Found, Question, Study, make_folder};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::Command;

/// The machine, and how busy it was.
pub struct Machine {
    processor: String,
    n_cores: usize,
    memory: String,
    load: String,
}

impl Machine {
    /// Looks at it (Linux; elsewhere it stays unnamed).
    pub fn look() -> Self {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let value = |text: &str, key: &str| {
            let line = text.lines().find(|line| line.starts_with(key));
            let value = line.and_then(|line| line.split_once(':'));
            value.map_or_else(
                || "unknown".to_owned(),
                |(_, value)| value.trim().to_owned(),
            )
        };
        Self {
            processor: value(&read("/proc/cpuinfo"), "model name"),
            n_cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory: value(&read("/proc/meminfo"), "MemTotal"),
            load: load(),
        }
    }
}

fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').take(3).collect::<Vec<_>>().join(", ")
}

/// The page, with its plots beside it.
pub fn page(
    study: &Study,
    machine: &Machine,
    parts: &[(Question, Found)],
) -> Result<String, String> {
    let now = said("date", &["-u", "+%Y-%m-%d %H:%M"]);
    let commit = said(
        "git",
        &[
            "-C",
            &study.root.display().to_string(),
            "rev-parse",
            "--short",
            "HEAD",
        ],
    );
    let how = if study.is_full {
        "cargo xtask study --full"
    } else {
        "cargo xtask study"
    };
    let n_runs: usize = parts
        .iter()
        .map(|(_, found)| list(&found.json["runs"]).len())
        .sum();
    let share = 100.0 * share(parts);
    let mut text = format!(
        "# A study\n\n\
         Published research questions about abstraction refinement for LTL, asked of Lariat. **This page is written by `{how}`; every figure is of \
         one run**, which ended at {now} UTC.\n\n\
         | | |\n|---|---|\n\
         | program | commit {commit}, release build |\n\
         | machine | {}, {} cores, {} |\n\
         | load (1, 5, 15 minutes) | {} before, {} after; a run got {share:.0} % of a processor in the mean |\n\
         | limit | {} and 4 GiB for each run, one at a time |\n\
         | runs | {n_runs} (those that two questions share were made once) |\n\n\
         The tasks are those of the Theta project's tests whose answers are known, from the corpora beside the checkout, and examples of this project{}. \
         PAR-2 is the mean time in seconds, where what is not decided counts twice the limit; the virtual best takes the fastest configuration for each \
         task. On a busy machine with a short limit, a difference of a few tasks says little. Plots: \
         the quantile plot shows how many tasks (across) are decided within how much time each (up); \
         data is beside each plot as CSV. [compare.md](compare.md) tells how to make such tables and plots of your own models.\n",
        machine.processor,
        machine.n_cores,
        machine.memory,
        machine.load,
        load(),
        study.limit,
        if study.is_full {
            ""
        } else {
            "; some questions take every second or fifth of them (`--full` takes all)"
        },
    );
    for (number, (question, found)) in parts.iter().enumerate() {
        let _ = write!(
            text,
            "\n## {}. {}\n\n{}\n\n",
            number + 1,
            question.title,
            question.words
        );
        if !found.complaints.is_empty() {
            let _ = write!(
                text,
                "**Contradictions or wrong verdicts:**\n\n```\n{}\n```\n\n",
                found.complaints
            );
        }
        if question.id == "cost" {
            text += &cost(question, found);
        } else {
            // Forty rows say less than the map of them.
            let most = if question.plots.contains(&"heat") {
                6
            } else {
                usize::MAX
            };
            text += &table(&found.table, most);
            let _ = write!(text, "\n{}\n", conclusion(found));
        }
        for plot in question.plots {
            text += &picture(study, question, plot)?;
        }
    }
    Ok(text)
}

/// How much of a processor the runs got: processor time by the time that passed.
fn share(parts: &[(Question, Found)]) -> f64 {
    let runs = parts
        .iter()
        .flat_map(|(_, found)| list(&found.json["runs"]));
    let times = runs.filter_map(|run| Some((run["cpu_s"].as_f64()?, run["wall_s"].as_f64()?)));
    let (cpu, wall) = times.fold((0.0, 0.0), |(a, b), (cpu, wall)| (a + cpu, b + wall));
    cpu / wall.max(1e-9)
}

fn said(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).output();
    let text = output.map_or_else(|_| Vec::new(), |output| output.stdout);
    String::from_utf8_lossy(&text).trim().to_owned()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], |list| list)
}

/// The table with PAR-2 as Markdown.
fn table(csv: &str, most: usize) -> String {
    let mut text = String::new();
    for (i, line) in csv.lines().take(most.saturating_add(2)).enumerate() {
        let mut fields: Vec<String> = line.split(',').map(str::to_owned).collect();
        for field in fields.iter_mut().skip(1) {
            if i > 0 && field.contains('.') {
                let number: f64 = field.parse().unwrap_or(f64::NAN);
                *field = format!("{number:.2}");
            }
        }
        let line = fields
            .join(" | ")
            .replace("par2_s", "PAR-2 (s)")
            .replace("time_s", "time (s)");
        let _ = writeln!(text, "| {line} |");
        if i == 0 {
            let _ = writeln!(text, "|---|{}", "---:|".repeat(fields.len() - 1));
        }
    }
    text
}

/// The times of what each configuration decided rightly, by task.
type Decided = BTreeMap<String, BTreeMap<String, f64>>;

fn decided(json: &Value) -> Decided {
    let mut decided = Decided::new();
    for run in list(&json["runs"]) {
        let name = |key: &str| run[key].as_str().unwrap_or_default().to_owned();
        let own = decided.entry(name("configuration")).or_default();
        let is_decided = matches!(run["verdict"].as_str(), Some("holds" | "violated"));
        if let (true, Some(time), Some(true) | None) =
            (is_decided, run["time_s"].as_f64(), run["correct"].as_bool())
        {
            own.insert(name("task"), time);
        }
    }
    decided
}

/// What follows from the numbers: who decides most, and who is fastest on what all decide.
fn conclusion(found: &Found) -> String {
    let decided = decided(&found.json);
    let tasks: BTreeSet<&str> = list(&found.json["runs"])
        .iter()
        .filter_map(|run| run["task"].as_str())
        .collect();
    let n_tasks = tasks.len();
    let most = decided.values().map(BTreeMap::len).max().unwrap_or(0);
    let least = decided.values().map(BTreeMap::len).min().unwrap_or(0);
    let with = |n: usize| -> String {
        let names = decided.iter().filter(|(_, own)| own.len() == n);
        let names: Vec<String> = names.map(|(name, _)| format!("`{name}`")).collect();
        if names.len() > 6 {
            format!("{} configurations", names.len())
        } else {
            names.join(", ")
        }
    };
    let mut text = if most == least {
        format!("**Conclusion.** All decide {most} of {n_tasks} tasks")
    } else {
        format!(
            "**Conclusion.** {} decide{} most: {most} of {n_tasks} tasks; {} least: {least}",
            with(most),
            if decided.values().filter(|own| own.len() == most).count() == 1 {
                "s"
            } else {
                ""
            },
            with(least)
        )
    };
    let mut tasks = decided
        .values()
        .map(|own| own.keys().collect::<BTreeSet<_>>());
    let first = tasks.next().unwrap_or_default();
    let common: BTreeSet<&String> = tasks.fold(first, |common, own| {
        common.intersection(&own).copied().collect()
    });
    let sums = decided.iter().map(|(name, own)| {
        let sum: f64 = common.iter().map(|task| own[*task]).sum();
        (sum, name)
    });
    let mut sums: Vec<(f64, &String)> = sums.collect();
    sums.sort_by(|a, b| a.0.total_cmp(&b.0));
    if let (Some((fast, one)), Some((slow, other)), true) =
        (sums.first(), sums.last(), common.len() > 1)
    {
        let _ = write!(
            text,
            ". On the {} tasks that all decide, `{one}` needs least time ({fast:.2} s) and `{other}` most ({slow:.2} s)",
            common.len()
        );
    }
    let union: BTreeSet<&String> = decided.values().flat_map(BTreeMap::keys).collect();
    if union.len() > most {
        let _ = write!(
            text,
            ". Together they decide {}, so that they complement each other",
            union.len()
        );
    }
    text + "."
}

/// The same properties as bad states and as formulas.
fn cost(question: &Question, found: &Found) -> String {
    let decided = decided(&found.json);
    let n_pairs = question.rows.len() / 2;
    let mut text = String::from(
        "| configuration | properties | decided as bad states | decided as formulas | time on both, states (s) | formulas (s) | factor (geometric mean) |\n\
         |---|---:|---:|---:|---:|---:|---:|\n",
    );
    let mut factors = Vec::new();
    for (name, _) in &question.configurations {
        let Some(own) = decided.get(name) else {
            continue;
        };
        let count = |end: &str| own.keys().filter(|task| task.ends_with(end)).count();
        let both: Vec<(f64, f64)> = own
            .iter()
            .filter_map(|(task, &states)| {
                let formula = own.get(&format!("{}[formula]", task.strip_suffix("[states]")?))?;
                Some((states, *formula))
            })
            .collect();
        let (states, formulas) = both
            .iter()
            .fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
        // Below a millisecond there is nothing to compare.
        let logs = both.iter().map(|(x, y)| (y.max(1e-3) / x.max(1e-3)).ln());
        let n_both = u32::try_from(both.len().max(1)).unwrap_or(u32::MAX);
        let factor = (logs.sum::<f64>() / f64::from(n_both)).exp();
        let _ = writeln!(
            text,
            "| {name} | {n_pairs} | {} | {} | {states:.2} | {formulas:.2} | {factor:.2} |",
            count("[states]"),
            count("[formula]")
        );
        factors.push((name, factor, count("[states]"), count("[formula]")));
    }
    let parts: Vec<String> = factors
        .iter()
        .map(|(name, factor, states, formulas)| {
            let change = match formulas.cmp(states) {
                std::cmp::Ordering::Less => format!(", {} decided fewer", states - formulas),
                std::cmp::Ordering::Greater => format!(", {} decided more", formulas - states),
                std::cmp::Ordering::Equal => String::new(),
            };
            format!("{factor:.2} with `{name}`{change}")
        })
        .collect();
    let _ = write!(
        text,
        "\n**Conclusion.** As a formula a safety property takes this many times as long: {}.\n",
        parts.join("; ")
    );
    text
}

/// Puts a plot beside the page, and shows it.
fn picture(study: &Study, question: &Question, plot: &str) -> Result<String, String> {
    let from = study.folder.join(question.id);
    let folder = study.root.join("docs/pictures");
    make_folder(&folder)?;
    let name = format!(
        "study-{}-{}",
        question.id,
        plot.split('-').next().unwrap_or(plot)
    );
    for end in ["svg", "csv"] {
        let source = from.join(format!("report-{plot}.{end}"));
        let target = folder.join(format!("{name}.{end}"));
        std::fs::copy(&source, &target)
            .map_err(|error| format!("{}: {error}", source.display()))?;
    }
    Ok(format!(
        "\n![{}](pictures/{name}.svg) ([data](pictures/{name}.csv))\n",
        question.title
    ))
}
