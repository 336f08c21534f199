//! How the time of a short answer grows with the size of the model: four times the size may take little more than four
//! times as long. What is measured is the processor time of whole runs of `lariat check` on models whose answer is two
//! or three steps away, so that what is done before the search is what counts. A ratio beyond the limit is an error.

use super::{Figure, Goal};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// The sizes that are compared, and those that are shown beside.
const SIZES: [usize; 2] = [2_500, 10_000];
const FACTOR: f64 = 4.0;
/// What n log n, caches and the clock may add to the factor.
const SLACK: f64 = 2.0;
/// The start of the process, and the clock's tick.
const NOISE: f64 = 0.03;
const N_RUNS: usize = 3;

/// A family of models.
struct Family {
    what: &'static str,
    extension: &'static str,
    text: fn(usize) -> String,
    formula: &'static str,
}

const FAMILIES: [Family; 4] = [
    Family {
        what: "actions of a GCL model",
        extension: "gcl",
        text: actions,
        formula: "F x0",
    },
    Family {
        what: "branches of an XSTS",
        extension: "xsts",
        text: branches,
        formula: "F x0",
    },
    Family {
        what: "steps of an XSTS, one after the other",
        extension: "xsts",
        text: sequence,
        formula: "F x0",
    },
    Family {
        what: "statements of a C program",
        extension: "c",
        text: statements,
        formula: "F x == 1",
    },
];

/// How the time grows.
pub fn measure() -> Result<Vec<Figure>, String> {
    let (_, lariat) = super::built()?;
    let mut figures = Vec::new();
    for family in &FAMILIES {
        let [small, large] = SIZES.map(|n| shortest(&lariat, family, n));
        let (small, large) = (small?, large?);
        let ratio = large / small.max(NOISE);
        figures.push(Figure {
            what: family.what.into(),
            value: ratio,
            unit: "times for 4 times more",
            goal: Goal::AtMost(FACTOR * SLACK),
            beside: format!(
                "{small:.2} s for {}, {large:.2} s for {}",
                SIZES[0], SIZES[1]
            ),
        });
        if ratio > FACTOR * SLACK {
            figures.iter().for_each(Figure::print);
            return Err(format!("the time grows faster than the {}", family.what));
        }
    }
    Ok(figures)
}

/// Seconds of processor time, the least of some runs.
fn shortest(lariat: &Path, family: &Family, n: usize) -> Result<f64, String> {
    let name = format!("lariat-growth-{}.{}", std::process::id(), family.extension);
    let model = std::env::temp_dir().join(name);
    std::fs::write(&model, (family.text)(n)).map_err(|error| error.to_string())?;
    let mut least = f64::MAX;
    for _ in 0..N_RUNS {
        let before = of_children()?;
        let status = Command::new(lariat)
            .args([
                "check",
                "--quiet",
                "--timeout",
                "300s",
                "--ltl",
                family.formula,
            ])
            .arg(&model)
            .stdout(Stdio::null())
            .status()
            .map_err(|error| error.to_string())?;
        if status.code() != Some(1) {
            return Err(format!("{} {}: not violated", n, family.what));
        }
        least = least.min(of_children()? - before);
    }
    std::fs::remove_file(&model).map_err(|error| error.to_string())?;
    Ok(least)
}

/// Seconds of processor time that processes took which have ended (Linux).
fn of_children() -> Result<f64, String> {
    /// Linux counts in hundredths of a second here.
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").map_err(|error| error.to_string())?;
    // The name may hold spaces: what follows it is in the order of proc(5), from the third field on.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let number = |at: usize| fields.get(at).and_then(|text| text.parse::<f64>().ok());
    let ticks = number(13).zip(number(14));
    let (user, system) = ticks.ok_or("the time of child processes is not told")?;
    Ok((user + system) / TICKS)
}

/// Each variable may become true after the one before it.
fn actions(n: usize) -> String {
    let mut text = String::new();
    for i in 0..n {
        let _ = writeln!(text, "var x{i} : bool = false");
    }
    for i in 0..n {
        let guard = i.checked_sub(1).map_or("true".into(), |i| format!("x{i}"));
        let _ = writeln!(text, "action a{i}: {guard} and not x{i} -> x{i} := true");
    }
    text + "action loop: true -> skip\n"
}

/// The same as one choice.
fn branches(n: usize) -> String {
    let step = |i: usize| {
        let guard = i.checked_sub(1).map_or("true".into(), |i| format!("x{i}"));
        format!("assume ({guard} && !x{i}); x{i} := true;")
    };
    let steps: Vec<String> = (0..n).map(step).collect();
    format!(
        "{}trans {{ choice {{ {} }} or {{ }} }}\ninit {{}}\nenv {{}}\n",
        booleans(n),
        steps.join(" } or {\n")
    )
}

/// All of them in every step, in an order in which the last comes first.
fn sequence(n: usize) -> String {
    let step = |i: usize| format!("if (x{i}) {{ x{} := true; }}\n", i + 1);
    let steps: String = (0..n - 1).rev().map(step).collect();
    format!("{}trans {{ {steps} }}\ninit {{}}\nenv {{}}\n", booleans(n))
}

fn booleans(n: usize) -> String {
    let declared: Vec<String> = (0..n)
        .map(|i| format!("var x{i} : boolean = false"))
        .collect();
    declared.join("\n") + "\n"
}

/// A loop with very many statements, half of them conditional.
fn statements(n: usize) -> String {
    let statement = |i: usize| match i % 2 {
        0 => format!("  y = y - {i};\n"),
        _ => format!("  if (x == {i}) y = y + {i};\n"),
    };
    let body: String = (0..n).map(statement).collect();
    format!(
        "extern int rd(void);\nint x; int y;\nint main(void) {{ while (1) {{ x = rd();\n{body}}} }}\n"
    )
}
