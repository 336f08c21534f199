//! Which runs a comparison consists of, which of them are known from a campaign, and how the others are made.

use super::args::CompareArgs;
use super::campaign::{Campaign, Digests, Key, Part};
use super::comparison::{Comparison, Run};
use super::configuration::Configuration;
use super::prepare::Prepared;
use super::progress::Progress;
use super::runner::{Outcome, Runner};
use super::task::Question;
use crate::session::Failure;
use crate::target::cannot_write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Ended by a second signal, at once.
const INTERRUPTED: i32 = 130;

/// All runs, in order.
pub struct Plan {
    /// The tasks.
    pub tasks: Vec<Prepared>,
    /// The configurations.
    pub configurations: Vec<Configuration>,
    runs: Vec<Planned>,
}

struct Planned {
    task: usize,
    configuration: usize,
    key: Key,
    outcome: Option<Outcome>,
}

impl Plan {
    /// Every configuration on every task that it applies to, as often as was asked; with what a campaign knows.
    pub fn new(
        args: &CompareArgs,
        tasks: Vec<Prepared>,
        configurations: Vec<Configuration>,
        campaign: Option<&Campaign>,
    ) -> Self {
        let mut runs = Vec::new();
        let mut digests = Digests::default();
        for (number, task) in tasks.iter().enumerate() {
            for &configuration in &task.configurations {
                let words = words(args, task, &configurations[configuration]);
                // Only a campaign asks for more than the command line.
                let input = campaign.map_or_else(String::new, |_| {
                    digests.of(files(task, &configurations[configuration]))
                });
                for repetition in 0..args.repeat.get() {
                    let key = Key {
                        arguments: words.clone(),
                        repetition,
                        input: input.clone(),
                    };
                    let outcome = campaign.and_then(|campaign| campaign.known(&key)).cloned();
                    runs.push(Planned {
                        task: number,
                        configuration,
                        key,
                        outcome,
                    });
                }
            }
        }
        Self {
            tasks,
            configurations,
            runs,
        }
    }

    /// How many runs there are.
    pub fn n_runs(&self) -> usize {
        self.runs.len()
    }

    /// The numbers of those that are not known.
    pub fn missing(&self) -> impl Iterator<Item = usize> {
        let runs = self.runs.iter().enumerate();
        runs.filter_map(|(i, run)| run.outcome.is_none().then_some(i))
    }

    /// Says how a run ended that nobody made.
    pub fn settle(&mut self, run: usize, outcome: Outcome) {
        self.runs[run].outcome = Some(outcome);
    }

    /// Leaves only the runs of a part.
    pub fn keep(&mut self, part: Part) {
        let mut number = 0;
        self.runs.retain(|_| {
            number += 1;
            part.has(number - 1)
        });
    }

    /// Makes the runs that are not known. A signal ends that.
    pub fn make(
        &mut self,
        runner: &Runner<'_>,
        campaign: Option<&Campaign>,
    ) -> Result<(), Failure> {
        let wanted: Vec<usize> = self.missing().collect();
        let commands = wanted
            .iter()
            .map(|&run| self.runs[run].key.arguments.clone());
        let commands: Vec<Vec<String>> = commands.collect();
        let interrupted = interrupt();
        let progress = Mutex::new(Progress::new(
            commands.len(),
            self.n_runs() - commands.len(),
        ));
        let failed = Mutex::new(None);
        let done = |at: usize, outcome: &Outcome| {
            if let Some(campaign) = campaign {
                let run = &self.runs[wanted[at]];
                let task = &self.tasks[run.task].task.id;
                let configuration = &self.configurations[run.configuration].name;
                if let Err(error) = campaign.note(task, configuration, &run.key, outcome) {
                    // What cannot be noted would be lost: better to stop and say so.
                    *failed.lock().expect("no worker panics") = Some(error);
                    interrupted.store(true, Ordering::Relaxed);
                }
            }
            progress
                .lock()
                .expect("no worker panics")
                .done(outcome.ending);
        };
        let outcomes = runner.run(&commands, &interrupted, &done);
        progress.into_inner().expect("no worker panics").clear();
        if let (Some(error), Some(campaign)) =
            (failed.into_inner().expect("no worker panics"), campaign)
        {
            return Err(cannot_write(campaign.folder(), &error).into());
        }
        for (run, outcome) in wanted.into_iter().zip(outcomes) {
            self.runs[run].outcome = outcome;
        }
        Ok(())
    }

    /// What is known now.
    pub fn comparison(self) -> Comparison {
        let n_planned = self.runs.len();
        let run = |planned: Planned| {
            Some(Run {
                task: planned.task,
                configuration: planned.configuration,
                repetition: planned.key.repetition,
                words: planned.key.arguments,
                outcome: planned.outcome?,
            })
        };
        let runs: Vec<Run> = self.runs.into_iter().filter_map(run).collect();
        Comparison {
            tasks: self.tasks,
            configurations: self.configurations,
            n_missing: n_planned - runs.len(),
            runs,
        }
    }
}

/// A flag that a signal sets.
fn interrupt() -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    // Without a handler Ctrl-C just ends the program; a second one does so in any case.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
    });
    interrupted
}

/// The files that a run reads: what was asked of what, and how.
fn files<'a>(
    task: &'a Prepared,
    configuration: &'a Configuration,
) -> impl Iterator<Item = &'a Path> {
    let task = &task.task;
    let question = match &task.question {
        Question::Prop(path) | Question::LtlFile(path) | Question::Automaton(path) => Some(&**path),
        Question::Own
        | Question::Ltl(_)
        | Question::Pattern(_)
        | Question::Termination
        | Question::Invariant(_)
        | Question::Property(_) => None,
    };
    let words = configuration.options.iter();
    let config = words.skip_while(|word| *word != "--config").nth(1);
    let models = task.models.iter().map(|model| &**model);
    models.chain(question).chain(config.map(Path::new))
}

/// The command line of a run, after the program.
fn words(args: &CompareArgs, task: &Prepared, configuration: &Configuration) -> Vec<String> {
    let mut words = vec!["check".to_owned()];
    words.extend(task.task.words());
    words.extend(configuration.options.iter().cloned());
    let millis = args.timeout.as_millis();
    let time = if millis.is_multiple_of(1000) {
        format!("{}s", millis / 1000)
    } else {
        format!("{millis}ms")
    };
    words.extend(["--timeout".to_owned(), time]);
    if let Some(bytes) = args.memory {
        // Sizes are given in mebibytes; a part of one is not worth a unit of its own.
        words.extend([
            "--memory".to_owned(),
            format!("{}MiB", bytes.div_ceil(1 << 20)),
        ]);
    }
    words
}
