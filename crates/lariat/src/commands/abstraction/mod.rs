//! `lariat abstract`: a model as some predicates see it, with what may and what must happen.

mod render;

use super::check::deadlock;
use crate::cli::ModelArgs;
use crate::load::{Overflow, load_for, read};
use crate::session::{Failure, Session};
use clap::{Args, ValueEnum};
use lariat_base::{Budget, Diagnostic, FxHashSet};
use lariat_check::{CegarConfig, DomainConfig, Mode, PredicateConfig, Proof, atoms_of};
use lariat_expr::{TermId, VarId};
use lariat_smt::{Z3, Z3Config};
use lariat_system::TransitionSystem as _;
use lariat_verify::boolean::{Named, Shown, StepKind, read_predicates, value_predicates};
use lariat_verify::{Asker, Model, Options, Task, read_functions};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Prints what some predicates tell of a model.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct AbstractArgs {
    #[command(flatten)]
    models: ModelArgs,
    #[command(flatten)]
    by: By,
    /// Which steps a model that is printed has
    #[arg(long, value_enum, default_value_t = Kind::May)]
    kind: Kind,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Gcl)]
    format: Format,
    /// Give up after this time
    #[arg(long, value_name = "TIME", value_parser = crate::quantity::parse_time)]
    timeout: Option<Duration>,
}

/// Where the predicates come from.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct By {
    /// A file of predicates: one a line, `NAME: CONDITION` or just the condition
    #[arg(long, value_name = "FILE")]
    predicates: Option<PathBuf>,
    /// Abstraction functions of variables: `x:sign, y:mod 4`
    #[arg(long = "abstract", value_name = "VAR:FUNCTION,…")]
    functions: Option<String>,
    /// The predicates with which abstraction refinement shows that this formula holds
    #[arg(long, value_name = "FORMULA")]
    from_check: Option<String>,
}

const AFTER: &str = "\
Examples:
  lariat abstract counter.gcl --predicates counter.preds                  guarded commands over truth values
  lariat abstract counter.gcl --abstract 'x:sign' --format dot | dot -Tsvg > signs.svg
  lariat abstract lock.gcl --from-check 'G (owner = 1 -> F owner = 0)' > lock_abstract.gcl

A property over the predicates that holds on the guarded commands holds on the model. docs/abstractions.md explains it.
Exit codes: 0 printed, 2 the input or the options were wrong, 3 it was too large or took too long.";

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Kind {
    /// What some state of a class can do
    May,
    /// What every state of a class can do
    Must,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// Guarded commands, which `lariat check` reads
    Gcl,
    /// The classes with their steps, for people
    Text,
    /// A picture for Graphviz: must steps are solid, may steps dashed
    Dot,
    /// Data
    Json,
}

/// Runs the command.
pub fn run(args: &AbstractArgs, session: &mut Session) -> Result<ExitCode, Failure> {
    let mut model = load_for(session, &args.models, Overflow::Ignore, &[])?;
    let mut budget = Budget::unlimited();
    if let Some(time) = args.timeout {
        budget = budget.with_time(time);
    }
    let predicates = predicates(&args.by, session, &mut model, &budget)?;
    deadlock::go_on(session, &mut model, None)?;
    let solver = Box::new(Z3::new(Z3Config::default()));
    let shown = match Shown::new(&mut session.cx, &mut model, &predicates, solver, &budget) {
        Ok(shown) => shown,
        Err(why) => {
            let message = format!("the abstraction was not made: {why}");
            let finding = Diagnostic::error("no-abstraction", message);
            session.report(&[finding.hint("take fewer predicates, or allow more time")]);
            return Ok(ExitCode::from(3));
        }
    };
    let kind = match args.kind {
        Kind::May => StepKind::May,
        Kind::Must => StepKind::Must,
    };
    let text = match args.format {
        Format::Gcl => shown.gcl(&session.cx, kind),
        Format::Text => render::text(&shown, &session.cx),
        Format::Dot => render::dot(&shown, &session.cx),
        Format::Json => render::json(&shown, &session.cx),
    };
    session.out.bytes(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// The predicates that are asked for.
fn predicates(
    by: &By,
    session: &mut Session,
    model: &mut Model,
    budget: &Budget,
) -> Result<Vec<Named>, Failure> {
    let mut found = Vec::new();
    if let Some(path) = &by.predicates {
        found.extend(of_file(session, model, path)?);
    }
    if let Some(text) = &by.functions {
        let functions = read_functions(&mut session.cx, &mut session.sources, model, text)?;
        found.extend(value_predicates(&mut session.cx, &functions)?);
    }
    if let Some(formula) = &by.from_check {
        found.extend(of_proof(session, model, formula, budget)?);
    }
    Ok(found)
}

fn of_file(session: &mut Session, model: &Model, path: &Path) -> Result<Vec<Named>, Failure> {
    let source = session.sources.add(path.display().to_string(), read(path)?);
    let named = read_predicates(&mut session.cx, &session.sources, model, source)?;
    Ok(named)
}

/// What the proof of a formula by predicates speaks of.
fn of_proof(
    session: &mut Session,
    model: &mut Model,
    formula: &str,
    budget: &Budget,
) -> Result<Vec<Named>, Failure> {
    let asked = Asker::new(&mut session.cx, &mut session.sources, model).ltl(formula)?;
    let property = asked.translated(budget).map_err(|error| {
        Diagnostic::error(
            "no-abstraction",
            format!("the formula was not translated: {error}"),
        )
    })?;
    let config = CegarConfig {
        domain: DomainConfig::Predicates(PredicateConfig {
            mode: Mode::Split,
            ..PredicateConfig::default()
        }),
        ..CegarConfig::default()
    };
    let mut options = Options {
        engine: Some(Arc::new(config)),
        budget: budget.clone(),
        ..Options::default()
    };
    let property = &property;
    let answer = Task { model, property }.check(&mut session.cx, &mut options);
    let Some(proved) = answer.proof else {
        let verdict = match answer.verdict {
            lariat_check::Verdict::Violated(_) => "it is violated".to_owned(),
            other => format!("{other:?}"),
        };
        let message =
            format!("there is no proof of `{formula}` to take predicates from: {verdict}");
        let hint = "name the predicates in a file, `--predicates FILE`";
        return Err(Diagnostic::error("no-abstraction", message)
            .hint(hint)
            .into());
    };
    // The proof speaks of terms that were made later than those of the session.
    session.cx = proved.cx;
    let variables: FxHashSet<VarId> = model.variables().iter().map(|v| v.var).collect();
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    let mut found = Vec::new();
    if let Proof::Graph(graph) = proved.proof {
        for node in &graph.nodes {
            for term in atoms_of(&session.cx.terms, node.formula) {
                let vars = session.cx.terms.free_vars(&[term]);
                if vars.iter().all(|var| variables.contains(var)) && seen.insert(term) {
                    let name = String::new();
                    found.push(Named { name, term });
                }
            }
        }
    }
    Ok(found)
}
