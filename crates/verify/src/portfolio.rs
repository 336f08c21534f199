//! Several engines on one question: each works on a thread of its own, is paused when its portion of work is used up,
//! and goes on from there when its turn comes again.
//!
//! With one job, exactly one member works at any time, and portions are counted in work, not in time: the same input
//! gives the same run on every machine, as far as no limit of time or memory cuts in. With several jobs, that many work
//! at once. The first definite answer wins, the others are cancelled. Two members that contradict each other are a bug,
//! and then neither is believed.

use crate::auto::Form;
use crate::model::{Compose, Model};
use crate::pass::Stage;
use crate::prepare::Forms;
use lariat_base::{Budget, Progress, Quota};
use lariat_check::{
    Engine, ExplicitStats, Goal, Job, Outcome, Problem, Round, Statistics, Unknown, Verdict,
};
use lariat_smt::Backend;
use lariat_system::{Context, System};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the limits are looked at while members work.
const PERIOD: Duration = Duration::from_millis(10);
/// How long a cancelled member may take to end: the solver library does not always hear that it should. After that its
/// thread is left alone.
const GRACE: Duration = Duration::from_millis(500);
/// The least time that a turn may take.
const PATIENCE: Duration = Duration::from_millis(100);
/// Some walks over statements recurse along their nesting; only what is used of a stack is ever backed by memory.
const STACK: usize = 1 << 30;

/// An engine on one form of the model.
#[derive(Debug)]
pub struct Member {
    /// The form.
    pub form: Form,
    /// The engine.
    pub engine: Arc<dyn Engine>,
    /// Which place it has in line after the first round, in which all have a turn; nothing: it has no other turn.
    pub rank: Option<usize>,
    /// Its portion is one over this of what is left.
    pub part: u64,
}

/// How one member fared.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The form of the model.
    pub form: Form,
    /// The engine.
    pub engine: Arc<dyn Engine>,
    /// How it ended.
    pub end: End,
    /// The work it did; a unit is about a microsecond.
    pub work: u64,
    /// The time that its turns took.
    pub time: Duration,
}

/// How an attempt ended.
#[derive(Clone, PartialEq, Debug)]
pub enum End {
    /// It decided that the property holds.
    Holds,
    /// It decided that the property is violated.
    Violated,
    /// It gave up.
    GaveUp(Unknown),
    /// It was still at work, or paused, when the check ended.
    Unfinished,
}

/// What a portfolio came to.
#[derive(Debug)]
pub struct Decided {
    /// Which attempt decided; nothing if none did.
    pub attempt: Option<usize>,
    /// What it found; else what the last one to end said.
    pub found: Found,
    /// How each member that had a turn fared, in the order of their first turns.
    pub attempts: Vec<Attempt>,
}

/// What a member found.
#[derive(Debug)]
pub struct Found {
    /// What its engine says.
    pub outcome: Outcome,
    /// The context that the terms of its proof live in, if there is a proof.
    pub cx: Option<Context>,
}

impl Found {
    /// Nothing.
    fn unknown(why: Unknown) -> Self {
        let outcome = Outcome {
            verdict: Verdict::Unknown(why),
            statistics: Statistics::Explicit(ExplicitStats::default()),
            proof: None,
        };
        Self { outcome, cx: None }
    }
}

/// Makes solvers, on the threads of members.
pub type MakeSolver = dyn Fn() -> Box<dyn Backend> + Send + Sync;

/// A round of a member's refinement loop.
#[derive(Clone, Debug)]
pub struct RoundNews {
    /// The engine.
    pub engine: String,
    /// The round's number, from 1.
    pub number: u64,
    /// The nodes of the abstraction.
    pub n_nodes: usize,
    /// What is tracked.
    pub precision: Vec<String>,
    /// What was found, in words.
    pub outcome: String,
    /// How many solver checks were made so far.
    pub n_checks: u64,
}

/// A prepared problem as a thread can take it.
struct Seed {
    cx: Context,
    systems: Vec<System>,
    how: Option<Compose>,
    goal: Goal,
}

impl Seed {
    fn new(cx: &Context, stage: &Stage) -> Self {
        Self {
            cx: cx.clone(),
            systems: stage.model.systems.clone(),
            how: stage.model.how(),
            goal: stage.property.goal(),
        }
    }

    /// Decides it.
    fn decide(
        mut self,
        engine: &dyn Engine,
        solver: &MakeSolver,
        budget: &Budget,
        news: &Sender<RoundNews>,
    ) -> Found {
        let cx = &mut self.cx;
        let model = match self.how {
            None => Model::single(self.systems.remove(0)),
            Some(how) => Model::compose(cx, self.systems, how)
                .expect("what was composed once can be composed again"),
        };
        let mut problem = Problem {
            system: Box::new(model),
            goal: self.goal,
        };
        if let Err(why) = engine.supports(&problem) {
            return Found::unknown(Unknown::Unsupported(why));
        }
        let mut listener = |round: &Round| {
            // Nobody listens any more once the check has ended.
            let _ = news.send(RoundNews {
                engine: engine.describe(),
                number: round.number,
                n_nodes: round.n_nodes,
                precision: round.precision.to_vec(),
                outcome: round.outcome.clone(),
                n_checks: round.stats.checks,
            });
        };
        let outcome = engine.decide(Job {
            cx,
            problem: &mut problem,
            solver: &|| solver(),
            budget,
            listener: &mut listener,
        });
        drop(problem);
        let cx = outcome.proof.is_some().then_some(self.cx);
        Found { outcome, cx }
    }
}

/// A member that has had a turn.
struct Running {
    quota: Arc<Quota>,
    budget: Budget,
    thread: Option<JoinHandle<()>>,
    found: Receiver<Found>,
    time: Duration,
    end: End,
}

/// Tells the scheduler that a member has ended, even by a panic.
struct FinishOnDrop(Arc<Quota>);

impl Drop for FinishOnDrop {
    fn drop(&mut self) {
        self.0.finish();
    }
}

impl Running {
    fn start(
        seed: Seed,
        engine: Arc<dyn Engine>,
        solver: Arc<MakeSolver>,
        budget: &Budget,
        news: Sender<RoundNews>,
    ) -> Self {
        let quota = Arc::new(Quota::default());
        let budget = budget.with_quota(Arc::clone(&quota));
        let (send, found) = channel();
        let (own_quota, own_budget) = (Arc::clone(&quota), budget.clone());
        let thread = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn(move || {
                let _finish = FinishOnDrop(own_quota);
                // The first portion is granted after the thread has started.
                let found = match own_budget.spend(1) {
                    Ok(()) => seed.decide(&*engine, &*solver, &own_budget, &news),
                    Err(stop) => Found::unknown(Unknown::Stopped(stop)),
                };
                // Nobody waits for it once the check has ended.
                let _ = send.send(found);
            })
            .expect("a thread can be started");
        Self {
            quota,
            budget,
            thread: Some(thread),
            found,
            time: Duration::ZERO,
            end: End::Unfinished,
        }
    }

    /// What the member found; a panic there is one here.
    fn take(&mut self) -> Found {
        if let Some(thread) = self.thread.take()
            && let Err(panic) = thread.join()
        {
            std::panic::resume_unwind(panic);
        }
        self.found
            .recv()
            .expect("a member that ended has said what it found")
    }

    fn cancel(&self) {
        self.budget.cancel();
        self.quota.open();
    }
}

/// How large the portion of a member is.
#[derive(Clone, Copy)]
enum Share {
    /// So much.
    Fixed(u64),
    /// A part of what the time limit leaves, but so much at least; just that if time is not limited.
    Part(u64),
    /// What the time limit leaves, divided evenly, but so much at least.
    Rest(u64),
}

/// The shares of the rounds: all members get a little before one gets much; after the first round they stand in line by
/// their ranks.
fn share(round: u32) -> Share {
    match round {
        0 => Share::Fixed(400_000),
        1 => Share::Part(2_500_000),
        2 => Share::Part(8_000_000),
        later => Share::Rest(16_000_000 << later.min(20)),
    }
}

/// What a portfolio needs.
pub struct Portfolio<'p> {
    /// The members, in the order of their first turns.
    pub members: Vec<Member>,
    /// Makes solvers.
    pub solver: Arc<MakeSolver>,
    /// The limits.
    pub budget: &'p Budget,
    /// How many members may work at once, at least one.
    pub jobs: usize,
    /// Hears of rounds.
    pub listener: &'p mut dyn FnMut(&RoundNews),
}

impl Portfolio<'_> {
    /// Runs the members until one decides or all have given up. `forms` has the model in the forms of the members.
    pub fn run(self, cx: &mut Context, forms: &mut Forms<'_>) -> Decided {
        let (send, news) = channel();
        let limit = self.budget.remaining().map(|left| left.as_micros() as u64);
        let mut run = Scheduler {
            running: Vec::new(),
            attempts: Vec::new(),
            last: None,
            decided: None,
            limit,
            news,
            portfolio: self,
        };
        let mut line: Vec<usize> = (0..run.portfolio.members.len()).collect();
        for round in 0.. {
            let jobs = run.portfolio.jobs.max(1);
            for at in (0..line.len()).step_by(jobs) {
                let turn = &line[at..line.len().min(at + jobs)];
                run.turn(cx, forms, turn, round, line.len() - at, &send);
                if run.decided.is_some() || run.portfolio.budget.check().is_err() {
                    return run.finish();
                }
            }
            line.retain(|&member| run.may_go_on(member));
            line.sort_by_key(|&member| run.portfolio.members[member].rank);
            if line.is_empty() {
                return run.finish();
            }
        }
        unreachable!("rounds do not end by themselves")
    }
}

struct Scheduler<'p> {
    portfolio: Portfolio<'p>,
    /// Those that have had a turn, with the number of the member.
    running: Vec<(usize, Running)>,
    attempts: Vec<Attempt>,
    /// What the last member to give up said.
    last: Option<Found>,
    decided: Option<(usize, Found)>,
    /// The time limit as work.
    limit: Option<u64>,
    news: Receiver<RoundNews>,
}

impl Scheduler<'_> {
    fn may_go_on(&self, member: usize) -> bool {
        let mut running = self.running.iter();
        let unfinished = running.any(|(m, run)| *m == member && run.thread.is_some());
        unfinished && self.portfolio.members[member].rank.is_some()
    }

    /// The portion of a member when so many are still in line, itself included.
    fn portion(&self, member: usize, round: u32, n_in_line: usize) -> u64 {
        let n_members = self.portfolio.members.len();
        let used: u64 = self.running.iter().map(|(_, run)| run.quota.used()).sum();
        let left = self.limit.map_or(0, |limit| limit.saturating_sub(used));
        match share(round) {
            _ if n_members == 1 => u64::MAX,
            // All first turns together take half of the time at most.
            Share::Fixed(work) => match self.limit {
                Some(limit) => work.min(limit / (2 * n_members as u64)),
                None => work,
            },
            Share::Part(least) => (left / self.portfolio.members[member].part).max(least),
            Share::Rest(least) => (left / n_in_line as u64).max(least),
        }
    }

    /// Lets some members work until each has used up its portion or ended.
    fn turn(
        &mut self,
        cx: &mut Context,
        forms: &mut Forms<'_>,
        turn: &[usize],
        round: u32,
        n_in_line: usize,
        news: &Sender<RoundNews>,
    ) {
        let start = Instant::now();
        let mut working = Vec::new();
        for &member in turn {
            let portion = self.portion(member, round, n_in_line);
            let known = self.running.iter().position(|(m, _)| *m == member);
            let at = known.unwrap_or_else(|| {
                let Member { form, engine, .. } = &self.portfolio.members[member];
                let stage = forms.stage(cx, *form);
                let seed = Seed::new(cx, stage);
                let (engine, solver) = (Arc::clone(engine), Arc::clone(&self.portfolio.solver));
                let budget = self.portfolio.budget;
                let run = Running::start(seed, engine, solver, budget, news.clone());
                self.running.push((member, run));
                self.running.len() - 1
            });
            self.running[at].1.quota.grant(portion);
            working.push(at);
        }
        // Work is worth about a microsecond, but not always. A time limit must be shared out all the same.
        let patience = self.limit.map(|_| {
            let portions = turn
                .iter()
                .map(|&member| self.portion(member, round, n_in_line));
            Duration::from_micros(portions.max().unwrap_or(0)).max(PATIENCE)
        });
        let mut since_stop: Option<Instant> = None;
        while !working.is_empty() {
            let mut ended = Vec::new();
            working.retain(|&at| {
                let run = &mut self.running[at].1;
                let progress = run.quota.wait(PERIOD);
                if progress == Progress::Done {
                    ended.push(at);
                }
                if progress != Progress::Working {
                    run.time += start.elapsed();
                }
                progress == Progress::Working
            });
            if patience.is_some_and(|patience| start.elapsed() > patience) {
                for &at in &working {
                    self.running[at].1.quota.preempt();
                }
            }
            self.tell();
            for at in ended {
                self.ended(at);
            }
            if self.decided.is_some() || self.portfolio.budget.check().is_err() {
                let since = *since_stop.get_or_insert_with(Instant::now);
                for &at in &working {
                    self.running[at].1.cancel();
                }
                if since.elapsed() > GRACE {
                    break;
                }
            }
        }
        for at in working {
            self.running[at].1.time += start.elapsed();
        }
    }

    /// Hands on what members told.
    fn tell(&mut self) {
        while let Ok(news) = self.news.try_recv() {
            (self.portfolio.listener)(&news);
        }
    }

    /// Notes what a member found.
    fn ended(&mut self, at: usize) {
        let found = self.running[at].1.take();
        let end = match &found.outcome.verdict {
            Verdict::Holds => End::Holds,
            Verdict::Violated(_) => End::Violated,
            Verdict::Unknown(why) => End::GaveUp(why.clone()),
        };
        self.running[at].1.end = end.clone();
        if matches!(end, End::GaveUp(_)) {
            self.last = Some(found);
            return;
        }
        match &self.decided {
            None => self.decided = Some((at, found)),
            Some((first, _)) => {
                let before = &self.running[*first].1.end;
                assert!(
                    *before == end,
                    "two engines contradict each other: one says {before:?}, the other {end:?}"
                );
            }
        }
    }

    /// Stops those that are still there and sums up.
    fn finish(mut self) -> Decided {
        self.tell();
        for (_, run) in &self.running {
            run.cancel();
        }
        let stop = self.portfolio.budget.check().err();
        for (member, run) in &self.running {
            let Member { form, engine, .. } = &self.portfolio.members[*member];
            self.attempts.push(Attempt {
                form: *form,
                engine: Arc::clone(engine),
                end: run.end.clone(),
                work: run.quota.used(),
                time: run.time,
            });
        }
        let (attempt, found) = match (self.decided, self.last) {
            (Some((at, found)), _) => (Some(at), found),
            (None, last) => {
                let mut found = match (stop, last) {
                    (_, Some(last)) => last,
                    (Some(stop), None) => Found::unknown(Unknown::Stopped(stop)),
                    (None, None) => panic!("a portfolio without limits ends when a member does"),
                };
                if let Some(stop) = stop {
                    found.outcome.verdict = Verdict::Unknown(Unknown::Stopped(stop));
                }
                (None, found)
            }
        };
        for (_, run) in &mut self.running {
            reap(run);
        }
        Decided {
            attempt,
            found,
            attempts: self.attempts,
        }
    }
}

/// Waits a little for a cancelled member to end; the process ends the thread otherwise.
fn reap(run: &mut Running) {
    if run.quota.wait(GRACE) == Progress::Done
        && let Some(thread) = run.thread.take()
    {
        // A panic after the answer is known changes nothing.
        let _ = thread.join();
    }
}
