//! `cargo xtask tables`: the measured tables of docs/configurations.md, measured again.
//!
//! Every table is a run of `lariat compare`, so every run is a process of its own and every expected verdict is
//! checked. Models that grow are written here; the others are the project's examples.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const DOMAINS: [&str; 7] = [
    "expl",
    "pred-bool",
    "pred-cart",
    "pred-split",
    "expl-pred-bool",
    "expl-pred-cart",
    "expl-pred-split",
];
const LIMIT: &str = "10s";

/// A question about a model.
struct Task {
    id: String,
    model: PathBuf,
    kind: &'static str,
    property: &'static str,
    expected: &'static str,
}

/// Prints all tables.
pub fn run(args: &[String]) -> Result<(), String> {
    if !args.is_empty() {
        return Err("cargo xtask tables takes no arguments".into());
    }
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let bench = Bench {
        lariat: own.with_file_name("lariat"),
        folder: std::env::temp_dir().join(format!("lariat-tables-{}", std::process::id())),
    };
    std::fs::create_dir_all(&bench.folder).map_err(|error| error.to_string())?;
    let domains: Vec<(String, String)> = DOMAINS
        .iter()
        .map(|domain| {
            (
                domain.to_string(),
                format!("--engine cegar --domain {domain}"),
            )
        })
        .collect();
    bench.table(
        "Traffic lights around a street",
        &lights(&bench.folder)?,
        &domains,
    )?;
    bench.table("A counter", &counters(&bench.folder)?, &domains)?;
    bench.table("The published comparison", &published(&root), &six())?;
    bench.pruning(&root)?;
    let _ = std::fs::remove_dir_all(&bench.folder);
    Ok(())
}

struct Bench {
    lariat: PathBuf,
    folder: PathBuf,
}

/// Time in seconds, rounds and states of a run, or its verdict if it decided nothing.
type Cell = Result<(f64, u64, u64), String>;

impl Bench {
    /// Prints one table: a row per task, a column per configuration.
    fn table(
        &self,
        title: &str,
        tasks: &[Task],
        configurations: &[(String, String)],
    ) -> Result<(), String> {
        let cells = self.compare(tasks, configurations)?;
        println!("\n{title} (seconds / rounds / states)\n");
        let names: Vec<&str> = configurations.iter().map(|(name, _)| &**name).collect();
        println!("| task | {} |", names.join(" | "));
        println!("|---|{}", "---|".repeat(names.len()));
        for task in tasks {
            let mut line = format!("| {} |", task.id);
            for name in &names {
                let _ = match &cells[&(task.id.clone(), (*name).to_owned())] {
                    Ok((time, rounds, states)) => {
                        write!(line, " {time:.2} / {rounds} / {states} |")
                    }
                    Err(verdict) => write!(line, " {verdict} |"),
                };
            }
            println!("{line}");
        }
        Ok(())
    }

    /// Prints how lazy pruning compares with full pruning, on what both decide.
    fn pruning(&self, root: &Path) -> Result<(), String> {
        let mut tasks = published(root);
        tasks.extend(lights(&self.folder)?.into_iter().skip(4));
        let mut configurations = Vec::new();
        for domain in DOMAINS {
            for prune in ["lazy", "full"] {
                let options = format!("--engine cegar --domain {domain} --prune {prune}");
                configurations.push((format!("{domain}-{prune}"), options));
            }
        }
        let cells = self.compare(&tasks, &configurations)?;
        println!("\nLazy against full pruning\n");
        println!("| domain | decided by lazy, full | time of lazy / full on both |");
        println!("|---|---|---|");
        for domain in DOMAINS {
            let cell = |task: &Task, prune: &str| {
                cells[&(task.id.clone(), format!("{domain}-{prune}"))].clone()
            };
            let decided = |prune: &str| {
                tasks
                    .iter()
                    .filter(|task| cell(task, prune).is_ok())
                    .count()
            };
            let both = tasks
                .iter()
                .filter_map(|task| Some((cell(task, "lazy").ok()?.0, cell(task, "full").ok()?.0)));
            let (lazy, full) = both.fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
            println!(
                "| {domain} | {}, {} of {} | {lazy:.2} s / {full:.2} s = {:.2} |",
                decided("lazy"),
                decided("full"),
                tasks.len(),
                lazy / f64::max(full, 1e-9)
            );
        }
        Ok(())
    }

    /// Runs every task under every configuration.
    fn compare(
        &self,
        tasks: &[Task],
        configurations: &[(String, String)],
    ) -> Result<BTreeMap<(String, String), Cell>, String> {
        let mut manifest = String::from("id\tmodel\tkind\tproperty\texpected\n");
        for task in tasks {
            let Task {
                id,
                model,
                kind,
                property,
                expected,
            } = task;
            let model = model.display();
            let _ = writeln!(manifest, "{id}\t{model}\t{kind}\t{property}\t{expected}");
        }
        let mut configs = String::new();
        for (name, options) in configurations {
            let _ = writeln!(configs, "{name}: {options}");
        }
        let [table, list, csv] =
            ["manifest.tsv", "configs.txt", "runs.csv"].map(|name| self.folder.join(name));
        for (file, text) in [(&table, manifest), (&list, configs)] {
            std::fs::write(file, text).map_err(|error| error.to_string())?;
        }
        let output = Command::new(&self.lariat)
            .arg("compare")
            .args(["--timeout", LIMIT, "--jobs", "1", "--manifest"])
            .arg(&table)
            .arg("--configs")
            .arg(&list)
            .arg("--csv")
            .arg(&csv)
            .output()
            .map_err(|error| format!("{} does not start: {error}", self.lariat.display()))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let text = std::fs::read_to_string(&csv).map_err(|error| error.to_string())?;
        read(&text).ok_or_else(|| format!("{} is not as expected", csv.display()))
    }
}

/// The cells of a CSV file of `lariat compare`; its fields hold no quotes, since our ids have no commas.
fn read(text: &str) -> Option<BTreeMap<(String, String), Cell>> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next()?.split(',').collect();
    // The question may hold commas: fields behind it are counted from the end.
    let from_end = |name: &str| Some(header.len() - header.iter().position(|h| *h == name)?);
    let [config, verdict, time, rounds, states] =
        ["configuration", "verdict", "time_s", "iterations", "states"].map(from_end);
    let mut cells = BTreeMap::new();
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let field = |from_end: usize| fields.get(fields.len().checked_sub(from_end)?).copied();
        let cell = match field(verdict?)? {
            "holds" | "violated" => Ok((
                field(time?)?.parse().ok()?,
                field(rounds?)?.parse().ok()?,
                field(states?)?.parse().ok()?,
            )),
            other => Err(other.to_owned()),
        };
        cells.insert((fields[0].to_owned(), field(config?)?.to_owned()), cell);
    }
    Some(cells)
}

/// Lights of which each is green only while its neighbours are red: no two neighbours are ever green.
fn lights(folder: &Path) -> Result<Vec<Task>, String> {
    let mut tasks = Vec::new();
    for n in 1..=8 {
        let mut text = String::from("type Color : { Red, Green, Yellow }\n");
        for i in 0..n {
            let _ = writeln!(text, "ctrl var l{i} : Color = Red");
        }
        let mut branches = Vec::new();
        for i in 0..n {
            let (left, right) = ((i + n - 1) % n, (i + 1) % n);
            branches.push(format!(
                "assume l{i} == Red && l{left} == Red && l{right} == Red; l{i} := Green;"
            ));
            branches.push(format!("assume l{i} == Green; l{i} := Yellow;"));
            branches.push(format!("assume l{i} == Yellow; l{i} := Red;"));
        }
        let _ = writeln!(text, "trans {{ {} }}", branches.join(" } or { "));
        let apart: Vec<String> = (0..n)
            .filter(|_| n > 1)
            .map(|i| format!("!(l{i} == Green && l{} == Green)", (i + 1) % n))
            .chain(["(l0 == Red || l0 == Green || l0 == Yellow)".to_owned()])
            .collect();
        let _ = writeln!(
            text,
            "init {{}}\nenv {{}}\nprop {{ {} }}",
            apart.join(" && ")
        );
        let model = folder.join(format!("lights{n}.xsts"));
        std::fs::write(&model, text).map_err(|error| error.to_string())?;
        tasks.push(Task {
            id: format!("{n} lights"),
            model,
            kind: "own",
            property: "-",
            expected: "holds",
        });
    }
    Ok(tasks)
}

/// Counts up to a limit and stays there: the limit is not passed, and is reached.
fn counters(folder: &Path) -> Result<Vec<Task>, String> {
    let mut tasks = Vec::new();
    for limit in [10, 100, 1000] {
        let text = format!(
            "var x : int = 0\naction count: x < {limit} -> x := x + 1\n\
             action stay: x >= {limit} -> x := x\n\
             property bounded: G (x <= {limit})\nproperty done: F (x = {limit})\n"
        );
        let model = folder.join(format!("counter{limit}.gcl"));
        std::fs::write(&model, text).map_err(|error| error.to_string())?;
        for property in ["bounded", "done"] {
            tasks.push(Task {
                id: format!("to {limit}: {property}"),
                model: model.clone(),
                kind: "property",
                property,
                expected: "holds",
            });
        }
    }
    Ok(tasks)
}

/// Our examples of the kinds that the published comparison used: PLC programs, Fischer's protocol, hardware.
fn published(root: &Path) -> Vec<Task> {
    let rows = [
        ("PLC mixer", "xsts/plc_mixer.xsts", "own", "-", "holds"),
        (
            "PLC mixer: timer",
            "xsts/plc_mixer.xsts",
            "invariant",
            "timer >= 0 && timer <= 3",
            "holds",
        ),
        (
            "PLC mixer: batches",
            "xsts/plc_mixer.xsts",
            "invariant",
            "batches < 2",
            "violated",
        ),
        (
            "Fischer 2",
            "sts/fischer_2.sts",
            "property",
            "exclusive",
            "holds",
        ),
        (
            "Fischer 2 faulty",
            "sts/fischer_2_faulty.sts",
            "property",
            "exclusive",
            "violated",
        ),
        (
            "Fischer 3",
            "sts/fischer_3.sts",
            "property",
            "exclusive",
            "holds",
        ),
        (
            "shift register",
            "cfa/shift_register.cfa",
            "own",
            "-",
            "holds",
        ),
        (
            "token ring",
            "sts/token_ring.sts",
            "property",
            "one_holder",
            "holds",
        ),
        ("counters", "gcl/counters_3.gcl", "property", "sum", "holds"),
    ];
    let task = |(id, model, kind, property, expected): (&str, &str, _, _, _)| Task {
        id: id.to_owned(),
        model: root.join("examples").join(model),
        kind,
        property,
        expected,
    };
    rows.into_iter().map(task).collect()
}

/// Predicates, both, and values, each with binary (Craig) and with sequence interpolation.
fn six() -> Vec<(String, String)> {
    let mut configurations = Vec::new();
    for domain in ["pred-cart", "expl-pred-cart", "expl"] {
        for (name, refinement) in [("craig", "bw-bin-itp"), ("sequence", "seq-itp")] {
            configurations.push((
                format!("{domain}-{name}"),
                format!("--engine cegar --domain {domain} --refinement {refinement}"),
            ));
        }
    }
    configurations
}
