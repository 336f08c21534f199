//! What a comparison found: the runs, what contradicts what, and how each configuration did.

use super::configuration::Configuration;
use super::prepare::Prepared;
use super::runner::{Ending, Outcome};
use super::task::Expected;

/// All of it.
pub struct Comparison {
    /// The tasks.
    pub tasks: Vec<Prepared>,
    /// The configurations that were run on any of them.
    pub configurations: Vec<Configuration>,
    /// The runs that ended, by task and configuration.
    pub runs: Vec<Run>,
    /// How many runs an interrupt cut off.
    pub n_missing: usize,
}

/// A configuration on a task.
pub struct Run {
    /// The task's number.
    pub task: usize,
    /// The configuration's number.
    pub configuration: usize,
    /// Which of the repetitions it is, from 0.
    pub repetition: usize,
    /// The words of the command line, without the program.
    pub words: Vec<String>,
    /// What it gave.
    pub outcome: Outcome,
}

/// All repetitions of a configuration on a task, the fastest first.
pub struct Repeated<'a>(Vec<&'a Run>);

impl<'a> Repeated<'a> {
    /// The run in the middle, the faster one of two.
    pub fn middle(&self) -> &'a Run {
        self.0[(self.0.len() - 1) / 2]
    }

    /// The time in the middle, in seconds.
    pub fn time(&self) -> f64 {
        median(&self.times()).expect("there is a run")
    }

    /// The least and the largest time, in seconds.
    pub fn spread(&self) -> (f64, f64) {
        let times = self.times();
        (times[0], times[times.len() - 1])
    }

    /// How the runs ended, each way once, the most frequent first.
    pub fn endings(&self) -> Vec<Ending> {
        let mut counted: Vec<(usize, Ending)> = Vec::new();
        for run in &self.0 {
            let ending = run.outcome.ending;
            match counted.iter_mut().find(|(_, known)| *known == ending) {
                Some((n, _)) => *n += 1,
                None => counted.push((1, ending)),
            }
        }
        counted.sort_by_key(|&(n, _)| std::cmp::Reverse(n));
        counted.into_iter().map(|(_, ending)| ending).collect()
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &'a Run> {
        self.0.iter().copied()
    }

    fn times(&self) -> Vec<f64> {
        self.0.iter().map(|run| run.outcome.time).collect()
    }
}

/// Something that must not be.
pub enum Alarm<'a> {
    /// Configurations contradict one another.
    Disagreement {
        /// The task.
        task: &'a Prepared,
        /// The runs that say that it holds.
        holds: Vec<&'a Run>,
        /// The runs that say that it is violated.
        violated: Vec<&'a Run>,
    },
    /// A process ended as no check should.
    Crash {
        /// The task.
        task: &'a Prepared,
        /// The run.
        run: &'a Run,
    },
    /// Verdicts are not the expected one.
    Wrong {
        /// The task.
        task: &'a Prepared,
        /// What was expected.
        expected: Expected,
        /// The runs.
        runs: Vec<&'a Run>,
    },
}

/// How a configuration did on all of its tasks.
pub struct Summary {
    /// The configuration's number.
    pub configuration: usize,
    /// On how many tasks it was run.
    pub n_runs: usize,
    /// How many ended as this.
    pub n_holds: usize,
    /// How many ended as this.
    pub n_violated: usize,
    /// How many ended as this.
    pub n_unknown: usize,
    /// How many ended as an error or a crash.
    pub n_failed: usize,
    /// How many verdicts were not the expected ones.
    pub n_wrong: usize,
    /// Seconds of all runs together.
    pub total: f64,
    /// Seconds of the run in the middle.
    pub median: f64,
    /// Seconds of processor time of all runs together, where all of them told it.
    pub cpu: Option<f64>,
}

impl Summary {
    /// How many tasks were decided.
    pub fn n_decided(&self) -> usize {
        self.n_holds + self.n_violated
    }
}

impl Comparison {
    /// Whether a run's verdict is the expected one, if it has one and one is expected.
    pub fn is_correct(&self, run: &Run) -> Option<bool> {
        let expected = self.tasks[run.task].task.expected?;
        match run.outcome.ending {
            Ending::Holds => Some(expected == Expected::Holds),
            Ending::Violated => Some(expected == Expected::Violated),
            Ending::Unknown | Ending::Error | Ending::Crash => None,
        }
    }

    /// The runs of a task.
    pub fn runs_of(&self, task: usize) -> impl Iterator<Item = &Run> {
        self.runs.iter().filter(move |run| run.task == task)
    }

    /// The runs of a task, those of a configuration together.
    pub fn repeated(&self, task: usize) -> Vec<Repeated<'_>> {
        let mut all: Vec<Repeated<'_>> = Vec::new();
        for run in self.runs_of(task) {
            let same = |other: &&mut Repeated<'_>| other.0[0].configuration == run.configuration;
            match all.iter_mut().find(same) {
                Some(known) => known.0.push(run),
                None => all.push(Repeated(vec![run])),
            }
        }
        for Repeated(runs) in &mut all {
            runs.sort_by(|a, b| a.outcome.time.total_cmp(&b.outcome.time));
        }
        all
    }

    /// Whether any configuration was run more than once on a task.
    pub fn is_repeated(&self) -> bool {
        self.runs.iter().any(|run| run.repetition > 0)
    }

    /// Everything that must not be, by task.
    pub fn alarms(&self) -> Vec<Alarm<'_>> {
        let mut alarms = Vec::new();
        for (number, task) in self.tasks.iter().enumerate() {
            let ended = |ending: Ending| -> Vec<&Run> {
                let runs = self.runs_of(number);
                runs.filter(|run| run.outcome.ending == ending).collect()
            };
            let (holds, violated) = (ended(Ending::Holds), ended(Ending::Violated));
            if !holds.is_empty() && !violated.is_empty() {
                alarms.push(Alarm::Disagreement {
                    task,
                    holds,
                    violated,
                });
            }
            for run in ended(Ending::Crash) {
                alarms.push(Alarm::Crash { task, run });
            }
            let runs = self.runs_of(number);
            let runs: Vec<&Run> = runs
                .filter(|run| self.is_correct(run) == Some(false))
                .collect();
            if let (Some(expected), false) = (task.task.expected, runs.is_empty()) {
                alarms.push(Alarm::Wrong {
                    task,
                    expected,
                    runs,
                });
            }
        }
        alarms
    }

    /// How each configuration did, the best first: by what it decided, then by time.
    pub fn summaries(&self) -> Vec<Summary> {
        let all = 0..self.configurations.len();
        let mut all: Vec<Summary> = all.filter_map(|number| self.summary(number)).collect();
        all.sort_by(|a, b| {
            (a.n_wrong.cmp(&b.n_wrong))
                .then(b.n_decided().cmp(&a.n_decided()))
                .then(a.total.total_cmp(&b.total))
        });
        all
    }

    fn summary(&self, configuration: usize) -> Option<Summary> {
        let tasks = 0..self.tasks.len();
        let runs: Vec<Repeated<'_>> = tasks
            .flat_map(|task| self.repeated(task))
            .filter(|repeated| repeated.middle().configuration == configuration)
            .collect();
        let count = |test: &dyn Fn(&Run) -> bool| {
            let runs = runs.iter();
            runs.filter(|repeated| test(repeated.middle())).count()
        };
        let ended = |ending: Ending| count(&|run| run.outcome.ending == ending);
        let is_wrong = |repeated: &&Repeated<'_>| {
            let mut runs = repeated.0.iter();
            runs.any(|run| self.is_correct(run) == Some(false))
        };
        let mut times: Vec<f64> = runs.iter().map(Repeated::time).collect();
        times.sort_by(f64::total_cmp);
        let cpu = runs.iter().map(|repeated| repeated.middle().outcome.cpu);
        Some(Summary {
            configuration,
            n_runs: runs.len(),
            n_holds: ended(Ending::Holds),
            n_violated: ended(Ending::Violated),
            n_unknown: ended(Ending::Unknown),
            n_failed: ended(Ending::Error) + ended(Ending::Crash),
            n_wrong: runs.iter().filter(is_wrong).count(),
            total: times.iter().sum(),
            median: median(&times)?,
            cpu: cpu.sum(),
        })
    }
}

/// The value in the middle of a sorted list; of an even number the mean of the two.
fn median(sorted: &[f64]) -> Option<f64> {
    let (low, high) = (
        sorted.get(sorted.len().checked_sub(1)? / 2)?,
        sorted.get(sorted.len() / 2)?,
    );
    Some(f64::midpoint(*low, *high))
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[1.0]), Some(1.0));
        assert_eq!(median(&[1.0, 3.0]), Some(2.0));
        assert_eq!(median(&[1.0, 2.0, 9.0]), Some(2.0));
    }
}
