//! `lariat simulate`: random runs, or runs that a person chooses.

mod chart;
mod cycles;
mod end;
mod interactive;
mod json;
mod plc;
mod replay;
mod row;
mod table;
mod typed;
mod until;

use crate::cli::ModelArgs;
use crate::load::{Overflow, load, load_for};
use crate::output::Output;
use crate::screen::Screen;
use crate::session::{Failure, Session};
use clap::{Args, ValueEnum};
use end::End;
use lariat_base::SourceMap;
use lariat_system::{Limits, Outcome, Simulator, State, Step, TransitionSystem as _};
use lariat_verify::Model;
use rand::{Rng as _, SeedableRng as _};
use replay::{Recorded, Replay};
use row::{Row, Scribe};
use std::path::PathBuf;
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
    /// Follow the run of a report that `check --json FILE` wrote: the first counterexample in it
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["interactive", "until", "steps", "seed"])]
    replay: Option<PathBuf>,
    /// The inputs of a program in Structured Text, scan by scan: `start=TRUE, level=5; ; start=FALSE`
    #[arg(long, value_name = "INPUTS", conflicts_with_all = ["interactive", "until", "replay"])]
    inputs: Option<String>,
    /// How many rounds of its loop to follow
    #[arg(long, value_name = "N", default_value_t = 1, requires = "replay")]
    rounds: u64,
}

const AFTER: &str = "\
Examples:
  lariat simulate traffic.xsts                      20 steps of a random run
  lariat simulate traffic.xsts --seed 7 --steps 50  another run, longer
  lariat simulate counter.cfa --until 'x = 4'       until something holds
  lariat simulate counter.cfa --until 'loc(L3)'     until a location is reached
  lariat simulate buffer.gcl --interactive          you choose among the enabled steps
  lariat simulate traffic.xsts --replay r.json      the run that `check --json r.json` found
  lariat simulate a.cfa b.xsts --compose alternate  two models that step in turn
  lariat simulate chart.scxml --events 'a b (after 100 ms) c'
                                                    a statechart gets these events
  lariat simulate pump.st --inputs 'high=TRUE, low=TRUE; ; low=FALSE'
                                                    a controller runs three scans
  lariat simulate m.gcd --events 'police.whistle; ; buttons.call(2) (after 500 ms)'
                                                    what comes in each cycle of a Gamma model

The table shows what changed at each step. A star marks observed states: the letters of the word
that temporal formulas read. A statechart is shown macrostep by macrostep: the event, the transitions
that fire, the active states and the data (JSON: `\"schema\": \"lariat-play/1\"`). The JSON of the others carries `\"schema\": \"lariat-simulate/1\"`; fields are only
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

/// How often a run of a program is taken back since it fails an assumption.
const MAX_TRIES: usize = 20_000;
/// How many steps behind its end must be possible.
const LOOK_AHEAD: usize = 10;
/// How often from the same distance.
const TRIES_AT_A_DISTANCE: usize = 40;

/// Random numbers that are the same everywhere.
pub type Dice = rand_pcg::Pcg64Mcg;

/// A run under way.
pub struct Walk<'a> {
    /// Runs the model.
    pub simulator: Simulator<'a, Model>,
    /// Whether it is a C program: a run that fails an assumption is none of it.
    is_program: bool,
    /// The run to show, if it is known, and what it violates.
    replay: Option<(Replay, String)>,
    /// The texts of the models.
    pub sources: &'a SourceMap,
    /// What the run is shown on.
    pub screen: Screen,
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
    if chart::run(args, session)?.is_some() || cycles::run(args, session)?.is_some() {
        return Ok(ExitCode::SUCCESS);
    }
    if plc::run(args, session)?.is_some() {
        return Ok(ExitCode::SUCCESS);
    }
    let recorded = args.replay.as_deref().map(Recorded::read).transpose()?;
    let mut model = match recorded {
        None => load(session, &args.models)?,
        // What is asked of a program decides what its model has.
        Some(_) => load_for(session, &args.models, Overflow::Ignore, &[])?,
    };
    let until = match &args.until {
        None => None,
        Some(text) => Some(Until::parse(session, &model, text)?),
    };
    let Session {
        cx,
        sources,
        out,
        screen,
        ..
    } = session;
    let scribe = Scribe::new(&model);
    let limits = Limits {
        seed: args.seed,
        cases: MAX_CASES,
        ..Limits::default()
    };
    let is_program = matches!(&model.systems[..], [system] if system.program.is_some());
    let mut simulator = Simulator::new(cx, &mut model, limits);
    if is_program {
        simulator.prefer_likely_values();
    }
    let replay = match &recorded {
        None => None,
        Some(recorded) => {
            let run = recorded.follow(&mut simulator, args.rounds)?;
            Some((run, recorded.property.clone()))
        }
    };
    let mut walk = Walk {
        simulator,
        is_program,
        replay,
        sources,
        screen: *screen,
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
    if let Some((_, property)) = &walk.replay {
        out.line(&format!("a run that violates {property}"))?;
    }
    let mut table = table::Table::new(walk.simulator.system(), walk.screen);
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
        if let Some((replay, _)) = self.replay.take() {
            self.show(&replay.steps, &replay.rounds, emit)?;
            return Ok(End::Replayed);
        }
        if self.is_program {
            let (steps, end) = self.run_of_program(n);
            self.show(&steps, &[], emit)?;
            return Ok(end);
        }
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

    /// A random run of a program that fails no assumption, if one is found: else one as far as it goes.
    fn run_of_program(&mut self, n: u64) -> (Vec<Step>, End) {
        let n = usize::try_from(n).unwrap_or(usize::MAX);
        let (mut steps, end) = self.long_run_of_program(n.saturating_add(LOOK_AHEAD));
        if steps.len() <= n {
            return (steps, end);
        }
        steps.truncate(n + 1);
        (steps, End::Steps)
    }

    fn long_run_of_program(&mut self, n: usize) -> (Vec<Step>, End) {
        let (mut steps, mut longest) = (Vec::new(), 0);
        let (mut n_tries, mut n_failures) = (0, 0);
        while steps.len() <= n {
            match self.random_step() {
                Outcome::Stepped => {}
                outcome @ (Outcome::Deadlock | Outcome::NotFound(_)) => {
                    let end = match outcome {
                        Outcome::NotFound(_) => End::NotFound,
                        _ => self.no_step(),
                    };
                    n_tries += 1;
                    if end == End::CutOff || n_tries > MAX_TRIES || steps.is_empty() {
                        return (steps, end);
                    }
                    // Further back each time, until the values are others that matter.
                    n_failures += 1;
                    let back = (1 + n_failures / TRIES_AT_A_DISTANCE).min(steps.len());
                    steps.truncate(steps.len() - back);
                    let last: Option<&Step> = steps.last();
                    self.simulator.jump(last.map(|step| step.state.clone()));
                    continue;
                }
            }
            let stutters = self.simulator.last_edge().is_some_and(|edge| edge.stutter);
            if stutters {
                return (steps, End::Stutters);
            }
            steps.extend(self.simulator.last_step());
            if steps.len() > longest {
                (longest, n_failures) = (steps.len(), 0);
            }
            if self.is_at_end() {
                return (steps, End::Until);
            }
        }
        (steps, End::Steps)
    }

    /// Hands on the steps of a known run; the rows with which `rounds` start say so.
    fn show(
        &mut self,
        steps: &[Step],
        rounds: &[usize],
        mut emit: impl FnMut(Row) -> std::io::Result<()>,
    ) -> Result<(), Failure> {
        self.simulator.restart();
        for (i, step) in steps.iter().enumerate() {
            let before = self.simulator.state();
            self.simulator.take(step.clone());
            let mut row = self.row(before.as_ref());
            row.round = rounds.iter().position(|&start| start == i).map(|n| n + 1);
            emit(row)?;
        }
        Ok(())
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
