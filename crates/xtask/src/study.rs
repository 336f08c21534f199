//! `cargo xtask study`: the published research questions, run again on the corpora beside the checkout, as a page.
//!
//! Each question is a run of `lariat compare`, all of them in one campaign: what two questions ask alike is run once, and a study that was
//! ended can go on (`--resume`). By default a choice of tasks and a short limit, so that a person can wait for it; `--full` takes all
//! tasks and a long one. Everything on the page comes from that run: tables, plots, and the sentences below them (`page.rs`).

mod page;

use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A line of a manifest: id, model, kind, property, expected.
#[derive(Clone)]
struct Row {
    id: String,
    model: String,
    formalism: String,
    kind: String,
    property: String,
    expected: String,
}

/// A question of the study.
struct Question {
    /// Its name in files.
    id: &'static str,
    title: &'static str,
    /// What is asked, and how it is measured.
    words: &'static str,
    rows: Vec<Row>,
    configurations: Vec<(String, String)>,
    /// Which plots are shown.
    plots: &'static [&'static str],
    /// Whether runs that get stuck stay as they are: formulas speak of infinite runs only.
    stutters: bool,
}

/// What a question gave.
struct Found {
    /// The table with PAR-2, as CSV.
    table: String,
    /// Everything, as JSON.
    json: Value,
    /// What went wrong, if anything did.
    complaints: String,
}

struct Study {
    lariat: PathBuf,
    folder: PathBuf,
    limit: &'static str,
    is_full: bool,
    root: PathBuf,
}

/// Runs the study and writes docs/study.md with its plots.
pub fn run(args: &[String]) -> Result<(), String> {
    let is_full = args.iter().any(|arg| arg == "--full");
    let resume = args.iter().any(|arg| arg == "--resume");
    if let Some(other) = args
        .iter()
        .find(|arg| !["--full", "--resume"].contains(&&***arg))
    {
        return Err(format!(
            "cargo xtask study takes --full and --resume, not `{other}`"
        ));
    }
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let study = Study {
        lariat: own.with_file_name("lariat"),
        folder: root.join("target/study"),
        limit: if is_full { "60s" } else { "2s" },
        is_full,
        root,
    };
    if !resume {
        let _ = std::fs::remove_dir_all(&study.folder);
    }
    make_folder(&study.folder)?;
    let theta = study.root.join("../shared/corpus/theta");
    let theta = theta
        .canonicalize()
        .map_err(|_| "the corpora are not beside this checkout (../shared/corpus)".to_owned())?;
    let corpus = rows(&theta)?;
    let before = page::Machine::look();
    let mut parts = Vec::new();
    for question in study.questions(&corpus)? {
        println!(
            "{}: {} tasks, {} configurations",
            question.title,
            question.rows.len(),
            question.configurations.len()
        );
        let found = study.ask(&question)?;
        parts.push((question, found));
    }
    let text = page::page(&study, &before, &parts)?;
    let path = study.root.join("docs/study.md");
    std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("written: {}", path.display());
    Ok(())
}

fn make_folder(path: &Path) -> Result<(), String> {
    std::fs::create_dir_all(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The tasks of a corpus whose answers are known, with paths that stand alone.
fn rows(folder: &Path) -> Result<Vec<Row>, String> {
    let path = folder.join("manifest.tsv");
    let text =
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let mut rows = Vec::new();
    for line in lines {
        let fields: Vec<&str> = line.split('\t').collect();
        let field = |name: &str| {
            let at = columns.iter().position(|column| *column == name);
            at.and_then(|at| fields.get(at))
                .copied()
                .unwrap_or_default()
                .to_owned()
        };
        let property = field("property");
        let file = folder.join(&property);
        let property = if !property.is_empty() && file.is_file() {
            file.display().to_string()
        } else {
            property
        };
        rows.push(Row {
            id: field("id"),
            model: folder.join(field("model")).display().to_string(),
            formalism: field("formalism"),
            kind: field("property_kind"),
            property,
            expected: field("expected"),
        });
    }
    Ok(rows)
}

/// Configurations that differ in one option.
fn varied(prefix: &str, option: &str, values: &[&str]) -> Vec<(String, String)> {
    let one = |value: &&str| {
        let options = format!("--engine cegar {prefix} --{option} {value}");
        ((*value).to_owned(), options)
    };
    values.iter().map(one).collect()
}

const DOMAINS: [&str; 7] = [
    "expl",
    "pred-bool",
    "pred-cart",
    "pred-split",
    "expl-pred-bool",
    "expl-pred-cart",
    "expl-pred-split",
];

impl Study {
    /// Every `n`th, unless all are wanted.
    fn some(&self, rows: impl Iterator<Item = Row>, n: usize) -> Vec<Row> {
        rows.step_by(if self.is_full { 1 } else { n }).collect()
    }

    fn questions(&self, corpus: &[Row]) -> Result<Vec<Question>, String> {
        let of_kind = |kinds: &'static [&'static str]| {
            let rows = corpus.iter().filter(move |row| kinds.contains(&&*row.kind));
            rows.filter(|row| row.formalism != "aiger").cloned()
        };
        let ltl: Vec<Row> = of_kind(&["ltl"]).collect();
        let reach = self.some(of_kind(&["invar", "errloc"]), 2);
        let domain = "--domain expl-pred-split";
        let pruned = ["lazy", "full"].into_iter().flat_map(|prune| {
            let one = move |(search, many): (&str, &str)| {
                let options = format!("--engine cegar {domain} --search {search} --prune {prune}");
                (format!("{prune}-{many}"), options)
            };
            [("scc", "one"), ("full", "many")].map(one)
        });
        Ok(vec![
            Question {
                id: "search",
                title: "Which search for lassos decides most, and fastest?",
                words: "Temporal properties of XSTS and CFA models; domain `expl-pred-split`, lasso refinement `direct`.",
                rows: ltl.clone(),
                configurations: varied(
                    domain,
                    "search",
                    &["scc", "ndfs", "gdfs", "layers", "full"],
                ),
                plots: &["cactus"],
                stutters: false,
            },
            Question {
                id: "lasso",
                title: "Which lasso refinement?",
                words: "The same tasks; domain `expl-pred-split`, search `scc`.",
                rows: ltl.clone(),
                configurations: varied(
                    &format!("{domain} --search scc"),
                    "lasso-refinement",
                    &["direct", "bounded-unrolling"],
                ),
                plots: &["scatter-direct-bounded-unrolling"],
                stutters: false,
            },
            Question {
                id: "domain",
                title: "Which domain?",
                words: "The same tasks; search `scc`, lasso refinement `direct`.",
                rows: ltl.clone(),
                configurations: varied("--search scc", "domain", &DOMAINS),
                plots: &["cactus"],
                stutters: false,
            },
            Question {
                id: "path",
                title: "Which path refinement?",
                words: "Bad states of XSTS, CFA and STS models; domain `expl-pred-split`, search `bfs`.",
                rows: reach,
                configurations: varied(
                    &format!("{domain} --search bfs"),
                    "refinement",
                    &[
                        "seq-itp",
                        "fw-bin-itp",
                        "bw-bin-itp",
                        "unsat-core",
                        "newton",
                        "path-program",
                    ],
                ),
                plots: &["cactus"],
                stutters: false,
            },
            self.both_ways(corpus)?,
            self.combined(corpus)?,
            Question {
                id: "lazy",
                title: "How do lazy refinement and several counterexamples at once behave?",
                words: "The tasks of the first question. `lazy` keeps what was explored, `full` explores again from the start; `one` refines by \
                        the first lasso (search `scc`), `many` by all that a full exploration finds (search `full`). `lazy-one` and `lazy-many` are \
                        `scc` and `full` of the first question, measured again: what differs between the two is the load of the machine.",
                rows: ltl.clone(),
                configurations: pruned.collect(),
                plots: &["cactus"],
                stutters: false,
            },
            Question {
                id: "all",
                title: "All together: domain by search and lasso refinement",
                words: "Every configuration on a choice of the temporal tasks.",
                rows: self.some(ltl.into_iter(), 5),
                configurations: product(),
                plots: &["heat"],
                stutters: false,
            },
        ])
    }

    /// Safety properties as bad states and as formulas.
    fn both_ways(&self, corpus: &[Row]) -> Result<Question, String> {
        let safety = corpus
            .iter()
            .filter(|row| row.kind == "invar" && Path::new(&row.property).is_file());
        let mut rows = Vec::new();
        for row in self.some(safety.cloned(), 2) {
            let text = std::fs::read_to_string(&row.property).map_err(|error| error.to_string())?;
            let inner = text
                .split_once('{')
                .and_then(|(_, rest)| rest.rsplit_once('}'));
            let Some((expression, _)) = inner else {
                continue;
            };
            let words: Vec<&str> = expression.split_whitespace().collect();
            let formula = Row {
                id: format!("{} [formula]", row.id),
                kind: "ltl".to_owned(),
                property: format!("G ({})", words.join(" ")),
                ..row.clone()
            };
            rows.push(Row {
                id: format!("{} [states]", row.id),
                ..row
            });
            rows.push(formula);
        }
        let configurations = ["expl", "pred-cart", "expl-pred-split"];
        let mut configurations = varied("", "domain", &configurations);
        configurations.push(("explicit".to_owned(), "--engine explicit".to_owned()));
        Ok(Question {
            id: "cost",
            title: "What does LTL cost over reachability on the same safety properties?",
            words: "Invariants of XSTS models, asked as bad states (`--prop`) and as a formula (`--ltl 'G …'`). Runs that get stuck stay as they \
                    are (`--deadlock stutter`), so that both ask the same.",
            rows,
            configurations,
            plots: &[],
            stutters: true,
        })
    }

    /// Programs of controllers, Fischer's protocol and circuits.
    fn combined(&self, corpus: &[Row]) -> Result<Question, String> {
        /// Larger circuits are for `--full`.
        const SMALL: u64 = 60_000;
        let is_small = |row: &Row| {
            let bytes = std::fs::metadata(&row.model).map_or(0, |data| data.len());
            self.is_full || bytes < SMALL
        };
        let mut rows: Vec<Row> = corpus
            .iter()
            .filter(|row| row.model.contains("cfa-plc") || row.formalism == "aiger")
            .filter(|row| is_small(row))
            .cloned()
            .collect();
        let examples = self.root.join("examples").canonicalize();
        let examples = examples.map_err(|error| error.to_string())?;
        let text = std::fs::read_to_string(examples.join("expected.tsv"))
            .map_err(|error| error.to_string())?;
        for line in text.lines().filter(|line| line.starts_with("sts/fischer")) {
            let fields: Vec<&str> = line.split('\t').collect();
            let [model, _, kind, property, expected, ..] = fields[..] else {
                continue;
            };
            let name = model.trim_start_matches("sts/").trim_end_matches(".sts");
            rows.push(Row {
                id: format!("{name} {property}"),
                model: examples.join(model).display().to_string(),
                formalism: "sts".to_owned(),
                kind: kind.to_owned(),
                property: property.to_owned(),
                expected: expected.to_owned(),
            });
        }
        Ok(Question {
            id: "combined",
            title: "What does the combined domain buy on PLC programs, Fischer's protocol and hardware?",
            words: "Values alone, predicates alone, and both; the default search and refinement of each property.",
            rows,
            configurations: varied(
                "",
                "domain",
                &[
                    "expl",
                    "pred-cart",
                    "pred-split",
                    "expl-pred-cart",
                    "expl-pred-split",
                ],
            ),
            plots: &["cactus"],
            stutters: false,
        })
    }

    /// Runs a question.
    fn ask(&self, question: &Question) -> Result<Found, String> {
        let folder = self.folder.join(question.id);
        make_folder(&folder)?;
        let mut manifest = String::from("id\tmodel\tkind\tproperty\texpected\n");
        for Row {
            id,
            model,
            kind,
            property,
            expected,
            ..
        } in &question.rows
        {
            let _ = writeln!(manifest, "{id}\t{model}\t{kind}\t{property}\t{expected}");
        }
        let path = |name: &str| folder.join(name).display().to_string();
        let mut configurations = String::new();
        let mut files = Vec::new();
        for (name, options) in &question.configurations {
            let _ = writeln!(configurations, "{name}: {options}");
            if question.stutters {
                let file = path(&format!("{name}.toml"));
                std::fs::write(&file, settings(options)).map_err(|error| error.to_string())?;
                files.push(file);
            }
        }
        let chosen = if files.is_empty() {
            path("configurations.txt")
        } else {
            files.join(",")
        };
        for (name, text) in [
            ("tasks.tsv", &manifest),
            ("configurations.txt", &configurations),
        ] {
            std::fs::write(path(name), text).map_err(|error| error.to_string())?;
        }
        let campaign = self.folder.join("campaign").display().to_string();
        let output = Command::new(&self.lariat)
            .args([
                "compare",
                "--manifest",
                &path("tasks.tsv"),
                "--configs",
                &chosen,
            ])
            .args([
                "--timeout",
                self.limit,
                "--memory",
                "4GiB",
                "--jobs",
                "1",
                "--summary",
            ])
            .args(["--campaign", &campaign, "--resume"])
            .args([
                "--json",
                &path("runs.json"),
                "--report",
                &path("report.html"),
            ])
            .output()
            .map_err(|error| format!("{}: {error}", self.lariat.display()))?;
        print!("{}", String::from_utf8_lossy(&output.stdout));
        let read = |name: &str| std::fs::read_to_string(path(name));
        let (Ok(table), Ok(json)) = (read("report-table.csv"), read("runs.json")) else {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        };
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_loud = |line: &&str| line.starts_with("BUG") || line.starts_with("WRONG");
        Ok(Found {
            table,
            json: serde_json::from_str(&json).map_err(|error| error.to_string())?,
            complaints: errors
                .lines()
                .filter(is_loud)
                .collect::<Vec<_>>()
                .join("\n"),
        })
    }
}

/// Options as a file for `lariat check --config`, which can also say what becomes of runs that get stuck.
fn settings(options: &str) -> String {
    let mut text = String::from("deadlock = \"stutter\"\n");
    let words: Vec<&str> = options.split_whitespace().collect();
    for pair in words.chunks(2) {
        if let [name, value] = pair {
            let _ = writeln!(text, "{} = \"{value}\"", name.trim_start_matches('-'));
        }
    }
    text
}

/// Every domain with every search and lasso refinement.
fn product() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for domain in DOMAINS {
        for search in ["scc", "ndfs", "gdfs"] {
            for refinement in ["direct", "bounded-unrolling"] {
                let options = format!(
                    "--engine cegar --domain {domain} --search {search} --lasso-refinement {refinement}"
                );
                all.push((format!("{domain}/{search}/{refinement}"), options));
            }
        }
    }
    all
}
