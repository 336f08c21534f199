//! The options of `lariat compare`.

use crate::cli::{Compose, LanguageArg};
use crate::commands::check::PropertyArgs;
use crate::options::ReadingOptions;
use crate::quantity::{parse_size, parse_time};
use clap::Args;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// Runs many configurations on one or many tasks, and compares them.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct CompareArgs {
    /// Model files; each is a task of its own, unless `--compose` puts them together
    #[arg(
        value_name = "MODEL",
        required_unless_present = "manifest",
        conflicts_with = "manifest"
    )]
    pub models: Vec<PathBuf>,
    /// The language of the models, whatever their names say
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub language: Option<LanguageArg>,
    /// Makes one task of all models: they step in turn, or any of them at any time
    #[arg(long, value_enum, value_name = "HOW", conflicts_with = "manifest")]
    pub compose: Option<Compose>,
    #[command(flatten)]
    pub reading: ReadingOptions,
    #[command(flatten)]
    pub property: PropertyArgs,
    /// Tasks from a table: one line each, columns separated by tabs, their names in the first line
    ///
    /// `model` (a path, relative to the table; several joined by ` + ` with a column `compose`) and at most one
    /// of `ltl`, `invariant`, `prop` (a file) and `property` (a name, or a file if there is one of that name);
    /// without any of them the model's own properties are checked. `expected` (`holds` or
    /// `violated`) and `id` are optional. A column `kind` says how to read `property`.
    #[arg(long, value_name = "FILE", conflicts_with = "question")]
    pub manifest: Option<PathBuf>,
    /// Only tasks of this kind: what the column `kind` says, or the column that holds the property
    #[arg(long, value_name = "KIND")]
    pub kind: Option<String>,
    /// Only tasks whose id or model contains this text
    #[arg(long = "match", value_name = "TEXT")]
    pub filter: Option<String>,
    /// Which configurations: `all`, a file, or names separated by commas
    ///
    /// A name is `auto`, `explicit`, or a domain, a search and a refinement joined by `/`, of which any may be
    /// left out: `expl`, `pred-cart/ndfs`, `expl-pred-split/scc/bounded-unrolling`. `all` is every domain with
    /// every search and refinement that makes sense for the property. A line of a file is `name: options`
    /// with options of `lariat check`; `#` starts a comment. A name that ends with `.toml` is a file for
    /// `lariat check --config`.
    #[arg(long, value_name = "WHICH", default_value = "all")]
    pub configs: String,
    /// The time for each run: `500ms`, `20s`, `5m`
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_time)]
    pub timeout: Duration,
    /// The memory for each run: `500MiB`, `4GiB`
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,
    /// How many runs at the same time (as many as there are processors if not given)
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// Run each configuration this many times on each task; tables show the run in the middle and the spread
    #[arg(long, value_name = "N", default_value = "1")]
    pub repeat: NonZeroUsize,
    /// Print one table, tasks by configurations, instead of one for each task
    #[arg(long, conflicts_with = "summary")]
    pub matrix: bool,
    /// Print only how each configuration did on all tasks
    #[arg(long)]
    pub summary: bool,
    /// Write every run as a line of a CSV file
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write everything as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// The program that checks, such as an older build of lariat (this one if not given)
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
}

const AFTER: &str = "\
Examples:
  lariat compare traffic.xsts --ltl 'G F red'
  lariat compare traffic.xsts --ltl 'G F red' --configs auto,expl/scc,pred-cart/scc --timeout 20s
  lariat compare a.cfa b.cfa c.cfa --configs mine.txt --csv runs.csv
  lariat compare --manifest tasks.tsv --kind ltl --jobs 4 --json runs.json
  lariat compare --manifest tasks.tsv --configs auto,explicit --matrix --repeat 5

Each run is a process of its own: `lariat check` with the options of the configuration. Ctrl-C ends the comparison and
prints what is done so far. Two configurations that contradict each other are a bug of Lariat, shown with both
command lines.
Exit codes: 0 all went well (`unknown` included), 1 a verdict is not the expected one, 2 the input or the options were
wrong or a task could not be run, 101 a bug: configurations disagree, or a run crashed,
3 a signal kept some runs from being made.";
