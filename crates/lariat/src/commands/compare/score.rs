//! How configurations did, as numbers for plots and tables: what each decided and when, PAR-2, and the virtual best.
//!
//! A task counts as decided if the run in the middle of its repetitions has a verdict and no repetition a wrong one. PAR-2 is
//! the mean over the tasks of the time to decide them, where what was not decided counts as twice the limit. The virtual best is the
//! one that would choose the fastest configuration for each task.

use super::comparison::Comparison;
use super::runner::Ending;
use std::time::Duration;

/// The name of the virtual best in tables and plots.
pub const VIRTUAL_BEST: &str = "virtual best";

/// All configurations that were run, the best first.
pub struct Scores {
    /// Seconds that each run had.
    pub limit: f64,
    /// The configurations.
    pub all: Vec<Score>,
    /// The virtual best of all of them.
    pub best: Score,
}

/// How a configuration did on each task.
pub struct Score {
    /// Its name.
    pub name: String,
    /// The configuration's number; nothing for the virtual best.
    pub configuration: Option<usize>,
    /// For each task of the comparison how it went, if it was run there.
    pub tasks: Vec<Option<Outcome>>,
}

/// How a task went.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// Whether a verdict was not the expected one.
    pub is_wrong: bool,
    /// Seconds: the median of the repetitions.
    pub time: f64,
    /// The least and the largest time of the repetitions.
    pub spread: (f64, f64),
}

impl Outcome {
    /// The time to decide it, if it was decided.
    pub fn decided(&self) -> Option<f64> {
        (self.ending.is_verdict() && !self.is_wrong).then_some(self.time)
    }
}

impl Scores {
    /// The scores of a comparison.
    pub fn new(comparison: &Comparison, limit: Duration) -> Self {
        let n_tasks = comparison.tasks.len();
        let repeated: Vec<_> = (0..n_tasks).map(|task| comparison.repeated(task)).collect();
        let score = |configuration: usize| {
            let tasks = repeated.iter().map(|runs| {
                let own = |runs: &&super::comparison::Repeated<'_>| {
                    runs.middle().configuration == configuration
                };
                let runs = runs.iter().find(own)?;
                Some(Outcome {
                    ending: runs.middle().outcome.ending,
                    is_wrong: runs
                        .all()
                        .any(|run| comparison.is_correct(run) == Some(false)),
                    time: runs.time(),
                    spread: runs.spread(),
                })
            });
            Score {
                name: comparison.configurations[configuration].name.clone(),
                configuration: Some(configuration),
                tasks: tasks.collect(),
            }
        };
        let summaries = comparison.summaries();
        let all: Vec<Score> = summaries
            .iter()
            .map(|one| score(one.configuration))
            .collect();
        Self {
            limit: limit.as_secs_f64(),
            best: virtual_best(&all, n_tasks),
            all,
        }
    }

    /// The least time of all, for the lower end of axes.
    pub fn least_time(&self) -> f64 {
        let times = self.all.iter().flat_map(Score::times);
        times.fold(self.limit, f64::min)
    }
}

/// For each task the run that decided it first; one that did not decide it if there is none.
fn virtual_best(all: &[Score], n_tasks: usize) -> Score {
    let best = |task: usize| {
        let outcomes = all.iter().filter_map(|score| score.tasks[task]);
        outcomes.min_by(|a, b| {
            let key = |one: &Outcome| one.decided().unwrap_or(f64::INFINITY);
            let is_unknown = |one: &Outcome| one.ending != Ending::Unknown;
            (key(a).total_cmp(&key(b))).then(is_unknown(a).cmp(&is_unknown(b)))
        })
    };
    Score {
        name: VIRTUAL_BEST.to_owned(),
        configuration: None,
        tasks: (0..n_tasks).map(best).collect(),
    }
}

impl Score {
    /// The times of what was decided.
    pub fn times(&self) -> impl Iterator<Item = f64> {
        let outcomes = self.tasks.iter().flatten();
        outcomes.filter_map(Outcome::decided)
    }

    /// The same, the least first.
    pub fn sorted_times(&self) -> Vec<f64> {
        let mut times: Vec<f64> = self.times().collect();
        times.sort_by(f64::total_cmp);
        times
    }

    /// On how many tasks it was run.
    pub fn n_tasks(&self) -> usize {
        self.tasks.iter().flatten().count()
    }

    /// On how many tasks this is so.
    pub fn count(&self, test: impl Fn(&Outcome) -> bool) -> usize {
        let outcomes = self.tasks.iter().flatten();
        outcomes.filter(|outcome| test(outcome)).count()
    }

    /// How many tasks it decided, rightly as far as that is known.
    pub fn n_decided(&self) -> usize {
        self.count(|outcome| outcome.decided().is_some())
    }

    /// The mean time, where what was not decided counts twice the limit.
    #[expect(clippy::cast_precision_loss, reason = "nobody has 2^52 tasks")]
    pub fn par2(&self, limit: f64) -> f64 {
        let outcomes = self.tasks.iter().flatten();
        let times = outcomes.map(|outcome| outcome.decided().unwrap_or(2.0 * limit));
        times.sum::<f64>() / (self.n_tasks() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(name: &str, outcomes: &[(Ending, bool, f64)]) -> Score {
        let one = |&(ending, is_wrong, time): &(Ending, bool, f64)| {
            Some(Outcome {
                ending,
                is_wrong,
                time,
                spread: (time, time),
            })
        };
        Score {
            name: name.to_owned(),
            configuration: Some(0),
            tasks: outcomes.iter().map(one).collect(),
        }
    }

    #[test]
    fn what_is_not_decided_rightly_counts_twice_the_limit() {
        let score = score(
            "a",
            &[
                (Ending::Holds, false, 1.0),
                (Ending::Unknown, false, 10.0),
                (Ending::Violated, true, 2.0),
            ],
        );
        assert_eq!(score.n_decided(), 1);
        assert!((score.par2(10.0) - 41.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn the_virtual_best_takes_the_fastest_right_one() {
        let all = [
            score(
                "a",
                &[(Ending::Holds, false, 3.0), (Ending::Unknown, false, 9.0)],
            ),
            score(
                "b",
                &[(Ending::Holds, false, 2.0), (Ending::Crash, false, 1.0)],
            ),
            score(
                "c",
                &[(Ending::Violated, true, 0.1), (Ending::Error, false, 1.0)],
            ),
        ];
        let best = virtual_best(&all, 2);
        assert_eq!(best.sorted_times(), [2.0]);
        assert_eq!(best.tasks[1].expect("it was run").ending, Ending::Unknown);
    }
}
