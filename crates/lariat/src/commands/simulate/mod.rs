//! `lariat simulate`: random runs, or runs that a person chooses.

mod end;
mod interactive;
mod json;
mod row;
mod table;
mod until;

use crate::cli::ModelArgs;
use crate::load::load;
use crate::output::Output;
use crate::session::{Failure, Session};
use clap::{Args, ValueEnum};
use end::End;
use lariat_base::SourceMap;
use lariat_system::{Limits, Outcome, Simulator, State, TransitionSystem as _};
use lariat_verify::Model;
use rand::{Rng as _, SeedableRng as _};
use row::{Row, Scribe};
use std::process::ExitCode;
use until::Until;

/// Options of `lariat simulate`.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct SimulateArgs {
    #[command(flatten)]
    models: ModelArgs,
    /// How many steps to take after the initial one
    #[arg(long, value_name = "N", default_value_t = 20)]
    steps: u64,
    /// Which random run: the same number gives the same run
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Stop as soon as this holds: a Boolean expression, or `loc(NAME)`
    #[arg(long, value_name = "EXPR")]
    until: Option<String>,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Choose each step yourself
    #[arg(long, conflicts_with = "format")]
    interactive: bool,
}

const AFTER: &str = "\
Examples:
  lariat simulate traffic.xsts                      20 steps of a random run
  lariat simulate traffic.xsts --seed 7 --steps 50  another run, longer
  lariat simulate counter.cfa --until 'x = 4'       until something holds
  lariat simulate counter.cfa --until 'loc(L3)'     until a location is reached
  lariat simulate buffer.gcl --interactive          you choose among the enabled steps
  lariat simulate a.cfa b.xsts --compose alternate  two models that step in turn

The table shows what changed at each step. A star marks observed states: the letters of the word
that temporal formulas read. The JSON carries `\"schema\": \"lariat-simulate/1\"`; fields are only
ever added under that name.";

/// What `lariat simulate` prints.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// A table of what changed
    Table,
    /// The same for programs
    Json,
}

/// How many successors of a state are looked at: a person chooses among far fewer.
const MAX_CASES: usize = 10_000;

/// Random numbers that are the same everywhere.
pub type Dice = rand_pcg::Pcg64Mcg;

/// A run under way.
pub struct Walk<'a> {
    /// Runs the model.
    pub simulator: Simulator<'a, Model>,
    /// The texts of the models.
    pub sources: &'a SourceMap,
    /// When to stop early.
    pub until: Option<Until>,
    /// Makes rows of steps.
    pub scribe: Scribe,
    /// How many steps were taken, the initial one included.
    pub n_steps: u64,
    /// The random choices.
    pub dice: Dice,
}

/// Runs the command.
pub fn run(args: &SimulateArgs, session: &mut Session) -> Result<ExitCode, Failure> {
    let mut model = load(session, &args.models)?;
    let until = match &args.until {
        None => None,
        Some(text) => Some(Until::parse(session, &model, text)?),
    };
    let Session {
        cx, sources, out, ..
    } = session;
    let scribe = Scribe::new(&model);
    let limits = Limits {
        seed: args.seed,
        cases: MAX_CASES,
        ..Limits::default()
    };
    let mut walk = Walk {
        simulator: Simulator::new(cx, &mut model, limits),
        sources,
        until,
        scribe,
        n_steps: 0,
        dice: Dice::seed_from_u64(args.seed),
    };
    if args.interactive {
        interactive::run(&mut walk, out)?;
        return Ok(ExitCode::SUCCESS);
    }
    match args.format {
        Format::Table => print_table(args, &mut walk, out)?,
        Format::Json => print_json(args, &mut walk, out)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn print_table(args: &SimulateArgs, walk: &mut Walk<'_>, out: &mut Output) -> Result<(), Failure> {
    let mut table = table::Table::new(walk.simulator.system());
    let end = walk.run(args.steps, |row| table.row(row, out))?;
    table.finish(out)?;
    out.text("\n")?;
    for line in end.lines(walk) {
        out.line(&line)?;
    }
    Ok(())
}

fn print_json(args: &SimulateArgs, walk: &mut Walk<'_>, out: &mut Output) -> Result<(), Failure> {
    let mut rows = Vec::new();
    let end = walk.run(args.steps, |row| {
        rows.push(row);
        Ok(())
    })?;
    let report = json::report(walk, args.seed, rows, end);
    out.json(&report)?;
    Ok(())
}

impl Walk<'_> {
    /// Takes up to `n` random steps after the initial one and hands each on.
    fn run(
        &mut self,
        n: u64,
        mut emit: impl FnMut(Row) -> std::io::Result<()>,
    ) -> Result<End, Failure> {
        while self.n_steps <= n {
            let before = self.simulator.state();
            match self.random_step() {
                Outcome::Stepped => {}
                Outcome::Deadlock => return Ok(self.no_step()),
                Outcome::NotFound(_) => return Ok(End::NotFound),
            }
            let stutters = self.simulator.last_edge().is_some_and(|edge| edge.stutter);
            if stutters {
                return Ok(End::Stutters);
            }
            emit(self.row(before.as_ref()))?;
            if self.is_at_end() {
                return Ok(End::Until);
            }
        }
        Ok(End::Steps)
    }

    /// Why no step is possible.
    pub fn no_step(&self) -> End {
        let model = self.simulator.system();
        let state = self.simulator.state();
        let is_cut = state.is_some_and(|state| {
            let mut cuts = model.cuts().into_iter();
            cuts.any(|(part, cut)| model.leaf_location(state.loc, part) == cut)
        });
        if is_cut { End::CutOff } else { End::Deadlock }
    }

    /// Takes a random step.
    pub fn random_step(&mut self) -> Outcome {
        let Self {
            simulator, dice, ..
        } = self;
        simulator.step(|n| dice.random_range(0..n))
    }

    /// The row of the step that was just taken from `before`.
    pub fn row(&mut self, before: Option<&State>) -> Row {
        let row = self
            .scribe
            .row(&self.simulator, self.sources, before, self.n_steps);
        self.n_steps += 1;
        row
    }

    /// Whether the condition to stop at holds.
    pub fn is_at_end(&mut self) -> bool {
        match &mut self.until {
            None => false,
            Some(until) => until.holds(&self.simulator),
        }
    }
}
