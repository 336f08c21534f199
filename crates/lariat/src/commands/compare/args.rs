//! The options of `lariat compare`.

use super::campaign::Part;
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
        required_unless_present_any = ["manifest", "campaign"],
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
    /// Write a page with tables and plots, and beside it each plot as SVG with its data as CSV
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Draw these two configurations against each other, separated by a comma (several times for several plots)
    ///
    /// If not given: every two of up to three configurations, of more the best two.
    #[arg(long, value_name = "A,B", requires = "report")]
    pub scatter: Vec<String>,
    /// Write the runs as result files of `BenchExec` into this folder, one for each configuration, for `table-generator`
    #[arg(long, value_name = "FOLDER")]
    pub benchexec_results: Option<PathBuf>,
    /// Run nothing, but write what `BenchExec` needs to run it: a benchmark definition, tasks and a tool-info module
    #[arg(long, value_name = "FOLDER", conflicts_with = "campaign")]
    pub benchexec: Option<PathBuf>,
    #[command(flatten)]
    pub campaign: CampaignArgs,
    /// The program that checks, such as an older build of lariat (this one if not given)
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
}

/// How a long comparison is kept, shared and gathered.
#[derive(Clone, Debug, Default, Args)]
pub struct CampaignArgs {
    /// Note every run in this folder as soon as it has ended, so that nothing is lost
    #[arg(long, value_name = "FOLDER")]
    pub campaign: Option<PathBuf>,
    /// Go on with a campaign that was ended: only what is missing is run
    ///
    /// Models and options need not be said again.
    #[arg(long, requires = "campaign", conflicts_with_all = ["slurm", "collect"])]
    pub resume: bool,
    /// Submit the runs of a campaign to Slurm as the jobs of an array, and end; its folder must be one that all machines see
    #[arg(long, requires = "campaign", conflicts_with = "collect")]
    pub slurm: bool,
    /// How many jobs the runs are divided among (one job for each run if not given, but at most 1000)
    #[arg(long, value_name = "N", requires = "slurm")]
    pub slurm_jobs: Option<NonZeroUsize>,
    /// An option of `sbatch`, such as `--sbatch=--partition=long` (several times for several)
    #[arg(
        long,
        value_name = "OPTION",
        requires = "slurm",
        allow_hyphen_values = true
    )]
    pub sbatch: Vec<String>,
    /// Gather what the jobs of a campaign have made; jobs that died are submitted again
    #[arg(long, requires = "campaign")]
    pub collect: bool,
    /// Make only every Nth run of a campaign, from the Kth on: what each job does
    #[arg(long, value_name = "K/N", requires = "campaign", conflicts_with_all = ["slurm", "collect"], value_parser = Part::parse)]
    pub part: Option<Part>,
}

const AFTER: &str = "\
Examples:
  lariat compare traffic.xsts --ltl 'G F red'
  lariat compare traffic.xsts --ltl 'G F red' --configs auto,expl/scc,pred-cart/scc --timeout 20s
  lariat compare a.cfa b.cfa c.cfa --configs mine.txt --csv runs.csv
  lariat compare --manifest tasks.tsv --kind ltl --jobs 4 --json runs.json
  lariat compare --manifest tasks.tsv --configs auto,explicit --matrix --repeat 5
  lariat compare --manifest tasks.tsv --configs auto,expl,pred-cart --report study.html
  lariat compare --manifest tasks.tsv --repeat 5 --campaign night    and after a crash
  lariat compare --campaign night --resume --report night.html
  lariat compare --manifest tasks.tsv --campaign night --slurm       and later
  lariat compare --campaign night --collect --report night.html

Each run is a process of its own: `lariat check` with the options of the configuration. Ctrl-C ends the comparison and
prints what is done so far. Two configurations that contradict each other are a bug of Lariat, shown with both
command lines.
Exit codes: 0 all went well (`unknown` included), 1 a verdict is not the expected one, 2 the input or the options were
wrong or a task could not be run, 101 a bug: configurations disagree, or a run crashed,
3 a signal kept some runs from being made.";
