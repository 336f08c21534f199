//! How long `lariat check` takes for temporal properties, start of the process included, and how many
//! questions predicate abstraction asks. Every verdict is compared with the expected one.

use super::{Figure, Goal};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const N_RUNS: usize = 3;
/// The plain algorithm: the baseline of the default.
const TEXTBOOK: [&str; 8] = [
    "--engine", "cegar", "--domain", "expl", "--slice", "off", "--prune", "full",
];
const PREDICATES: [&str; 4] = ["--engine", "cegar", "--domain", "pred-cart"];

/// A temporal property of a model.
struct Task {
    model: PathBuf,
    formula: String,
    exit_code: i32,
}

/// Median times, and questions per predicate.
pub fn measure() -> Result<Vec<Figure>, String> {
    let (root, lariat) = super::built()?;
    let tasks = match corpus(&root) {
        Some(tasks) => tasks,
        None => examples(&root)?,
    };
    let (mut own, mut textbook) = (Vec::new(), Vec::new());
    let (mut asked, mut predicates) = (0, 0);
    for task in &tasks {
        own.push(shortest(&lariat, task, &[], true)?);
        textbook.push(shortest(&lariat, task, &TEXTBOOK, false)?);
        let statistics = statistics(&lariat, task)?;
        let number = |key: &str| statistics[key].as_u64().unwrap_or(0);
        asked += number("post_checks") - number("guard_checks");
        predicates += number("queried_predicates");
    }
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    let (own, textbook) = (millis(median(own)), millis(median(textbook)));
    Ok(vec![
        Figure {
            what: format!("median of {} temporal properties", tasks.len()),
            value: own,
            unit: "ms",
            goal: Goal::AtMost(50.0),
            beside: format!(
                "the textbook loop takes {textbook:.2} ms, {:.2} of it",
                own / textbook
            ),
        },
        Figure {
            what: "solver calls per predicate that a step can change".into(),
            value: asked as f64 / f64::max(predicates as f64, 1.0),
            unit: "",
            goal: Goal::AtMost(2.0),
            beside: format!("{asked} calls on {predicates} predicates, none on others"),
        },
    ])
}

/// The temporal properties of the corpus beside the project, if it is there.
fn corpus(root: &Path) -> Option<Vec<Task>> {
    let folder = root.join("../shared/corpus/theta");
    let manifest = std::fs::read_to_string(folder.join("manifest.tsv")).ok()?;
    let mut lines = manifest.lines();
    let header: Vec<&str> = lines.next()?.split('\t').collect();
    let column = |name: &str| header.iter().position(|&field| field == name);
    let columns = ["model", "property_kind", "property", "expected"].map(column);
    let [Some(model), Some(kind), Some(property), Some(expected)] = columns else {
        return None;
    };
    let task = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        (*fields.get(kind)? == "ltl").then_some(())?;
        Some(Task {
            model: folder.join(fields.get(model)?),
            formula: (*fields.get(property)?).to_owned(),
            exit_code: exit_code(fields.get(expected)?)?,
        })
    };
    Some(lines.filter_map(task).collect())
}

/// The temporal properties of the examples.
fn examples(root: &Path) -> Result<Vec<Task>, String> {
    let folder = root.join("examples");
    let table = std::fs::read_to_string(folder.join("expected.tsv"))
        .map_err(|error| format!("examples/expected.tsv: {error}"))?;
    let task = |line: &str| match line.split('\t').collect::<Vec<_>>()[..] {
        [model, "-", "ltl", formula, expected, ..] => Some(Task {
            model: folder.join(model),
            formula: formula.to_owned(),
            exit_code: exit_code(expected)?,
        }),
        _ => None,
    };
    Ok(table.lines().filter_map(task).collect())
}

fn exit_code(verdict: &str) -> Option<i32> {
    match verdict {
        "holds" => Some(0),
        "violated" => Some(1),
        _ => None,
    }
}

/// The shortest of a few checks.
fn shortest(
    lariat: &Path,
    task: &Task,
    options: &[&str],
    must_decide: bool,
) -> Result<Duration, String> {
    let mut shortest = Duration::MAX;
    for _ in 0..N_RUNS {
        let mut command = command(lariat, task, options);
        let start = Instant::now();
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        shortest = shortest.min(start.elapsed());
        let code = status.map_err(|error| error.to_string())?.code();
        let is_right = code == Some(task.exit_code) || (!must_decide && code == Some(3));
        if !is_right {
            let model = task.model.display();
            return Err(format!("{model}, {}: exit code {code:?}", task.formula));
        }
    }
    Ok(shortest)
}

/// What the check did under predicate abstraction.
fn statistics(lariat: &Path, task: &Task) -> Result<Value, String> {
    let file = std::env::temp_dir().join(format!("lariat-bench-{}.json", std::process::id()));
    let output = command(lariat, task, &PREDICATES)
        .arg("--json")
        .arg(&file)
        .output()
        .map_err(|error| error.to_string())?;
    let text = std::fs::read_to_string(&file).map_err(|_| {
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        format!("no JSON was written: {error}")
    })?;
    // It lies among temporary files; that it may stay there does no harm.
    let _ = std::fs::remove_file(&file);
    let json: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    Ok(json["results"][0]["statistics"].clone())
}

fn command(lariat: &Path, task: &Task, options: &[&str]) -> Command {
    let mut command = Command::new(lariat);
    command.arg("check").arg(&task.model);
    command.args(["--ltl", &task.formula, "--timeout", "10s"]);
    command.args(options);
    command
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
