//! Several engines on one question: each works on a thread of its own, is paused when its portion of work is used up,
//! and goes on from there when its turn comes again.
//!
//! With one job, exactly one member works at any time, and portions are counted in work, not in time: the same input
//! gives the same run on every machine, as far as no limit of time or memory cuts in. With several jobs, that many work
//! at once. The first definite answer wins, the others are cancelled. Two members that contradict each other are a bug,
//! and then neither is believed.

use crate::auto::Form;
use crate::model::{Compose, Model};
use crate::paced::Paced;
use crate::pass::Stage;
use crate::prepare::Forms;
use lariat_base::{Budget, Progress, Stop, cpu_time};
use lariat_check::{
    Candidate, Counterexample, Engine, ExplicitStats, Goal, Job, Outcome, Problem, Round,
    Statistics, Unknown, Verdict,
};
use lariat_smt::Backend;
use lariat_system::{Context, System};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// How often the limits are looked at while members work.
const PERIOD: Duration = Duration::from_millis(10);
/// How long a cancelled member may take to end, or one that is asked to pause to do so: the solver library does not always
/// hear that it should. After that its thread is left alone.
const GRACE: Duration = Duration::from_millis(100);
/// How long members that were paused may take to end after the answer is known.
const REAP: Duration = Duration::from_millis(50);
/// The least time that a turn may take.
const PATIENCE: Duration = Duration::from_millis(100);
/// How many times longer a turn may take than its work is worth, on a machine whose processors have other things to do.
const BUSY: u32 = 10;
/// An engine on one form of the model.
#[derive(Debug)]
pub struct Member {
    /// The form.
    pub form: Form,
    /// The engine.
    pub engine: Arc<dyn Engine>,
    /// Which place it has in line after the rounds in which all get the same; nothing: it has no turn but the first.
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
    /// What it did; nothing if it could not be stopped.
    pub statistics: Option<Statistics>,
    /// Its last round of refinement.
    pub last_round: Option<LastRound>,
}

/// How far a refinement loop came.
#[derive(Clone, Debug)]
pub struct LastRound {
    /// The number of the round, from 1.
    pub number: u64,
    /// What was found in it, in words.
    pub outcome: String,
    /// The counterexample of the abstraction, if there was one.
    pub candidate: Option<Candidate>,
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

/// What a portfolio is at.
#[derive(Clone, Debug)]
pub enum News {
    /// A member has a turn.
    Turn {
        /// The engine and the form of the model, in words.
        what: String,
        /// Which of the members it is, from 1, and how many there are.
        member: (usize, usize),
    },
    /// How many concrete states the member whose turn it is has explored.
    States(u64),
    /// A round of a refinement loop.
    Round(RoundNews),
}

/// A round of a member's refinement loop.
#[derive(Clone, Debug)]
pub struct RoundNews {
    /// Which member of the portfolio it is.
    pub member: usize,
    /// The engine and the form of the model, in words.
    pub engine: String,
    /// The round's number, from 1.
    pub number: u64,
    /// The nodes of the abstraction.
    pub n_nodes: usize,
    /// What is tracked.
    pub precision: Vec<String>,
    /// What was found, in words.
    pub outcome: String,
    /// The counterexample of the abstraction, if there is one.
    pub candidate: Option<Candidate>,
    /// How many solver checks were made so far.
    pub n_checks: u64,
}

/// A prepared problem as a thread can take it.
struct Seed {
    cx: Context,
    systems: Vec<System>,
    how: Option<Compose>,
    goal: Goal,
    form: Form,
}

impl Seed {
    fn new(cx: &Context, stage: &Stage, form: Form) -> Self {
        Self {
            cx: cx.clone(),
            systems: stage.model.systems.clone(),
            how: stage.model.how(),
            goal: stage.property.goal(),
            form,
        }
    }

    /// Decides it.
    fn decide(
        mut self,
        member: usize,
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
        let who = format!("{}{}", engine.describe(), self.form.words());
        let mut listener = |round: &Round| {
            // Nobody listens any more once the check has ended.
            let _ = news.send(RoundNews {
                member,
                engine: who.clone(),
                number: round.number,
                n_nodes: round.n_nodes,
                precision: round.precision.to_vec(),
                outcome: round.outcome.clone(),
                candidate: round.candidate.clone(),
                n_checks: round.stats.checks,
            });
        };
        let mut outcome = engine.decide(Job {
            cx,
            problem: &mut problem,
            solver: &|| solver(),
            budget,
            listener: &mut listener,
        });
        drop(problem);
        if let Verdict::Violated(Counterexample::Lasso(lasso)) = &mut outcome.verdict {
            // The terms of a region mean nothing outside of this context; one is found anew in the model as given.
            lasso.inputs.clear();
            lasso.region.fill(self.cx.terms.true_());
        }
        let cx = outcome.proof.is_some().then_some(self.cx);
        Found { outcome, cx }
    }
}

/// A member that has had a turn.
struct Running {
    paced: Paced<Found>,
    time: Duration,
    end: End,
    statistics: Option<Statistics>,
    last_round: Option<LastRound>,
}

impl Running {
    fn start(
        seed: Seed,
        member: usize,
        engine: Arc<dyn Engine>,
        solver: Arc<MakeSolver>,
        budget: &Budget,
        news: Sender<RoundNews>,
    ) -> Self {
        let paced = Paced::start(budget, move |budget| match budget.check() {
            Ok(()) => seed.decide(member, &*engine, &*solver, budget, &news),
            Err(stop) => Found::unknown(Unknown::Stopped(stop)),
        });
        Self {
            paced,
            time: Duration::ZERO,
            end: End::Unfinished,
            statistics: None,
            last_round: None,
        }
    }
}

/// How large the portion of a member is.
#[derive(Clone, Copy)]
enum Share {
    /// So much; if time is limited, all members together get at most one over the second of it.
    Fixed(u64, u64),
    /// A part of what the time limit leaves, but so much at least for who gets half, and less for who gets less; just that if time is not
    /// limited.
    Part(u64),
    /// What the time limit leaves, divided evenly, but so much at least.
    Rest(u64),
}

/// How many rounds give all members the same, in the order of their first turns; then they stand in line by their ranks.
const EQUAL_ROUNDS: u32 = 2;

/// The shares of the rounds: all members get a little, and then a little more, before one gets much.
fn share(round: u32) -> Share {
    match round {
        0 => Share::Fixed(400_000, 2),
        1 => Share::Fixed(1_200_000, 4),
        2 => Share::Part(4_000_000),
        3 => Share::Part(8_000_000),
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
    /// The time that it may expect to have, if that is limited: a part of it is each member's.
    pub time: Option<Duration>,
    /// The most work that all members may do together, if that is limited.
    pub work: Option<u64>,
    /// How many members may work at once, at least one.
    pub jobs: usize,
    /// Hears of what goes on.
    pub listener: &'p mut dyn FnMut(&News),
}

impl Portfolio<'_> {
    /// Runs the members until one decides or all have given up. `forms` has the model in the forms of the members.
    pub fn run(self, cx: &mut Context, forms: &mut Forms<'_>) -> Decided {
        let (send, news) = channel();
        let limit = self.time.map(|time| time.as_micros() as u64);
        let mut run = Scheduler {
            running: Vec::new(),
            attempts: Vec::new(),
            last: None,
            decided: None,
            limit,
            stopped: None,
            accounted: 0,
            news,
            portfolio: self,
        };
        let mut line: Vec<usize> = (0..run.portfolio.members.len()).collect();
        for round in 0.. {
            let jobs = run.portfolio.jobs.max(1);
            for at in (0..line.len()).step_by(jobs) {
                let turn = &line[at..line.len().min(at + jobs)];
                run.turn(cx, forms, turn, round, line.len() - at, &send);
                if run.decided.is_some() || run.work_left() == 0 || run.stop().is_some() {
                    return run.finish();
                }
            }
            line.retain(|&member| run.may_go_on(member));
            if round + 1 == EQUAL_ROUNDS {
                line.sort_by_key(|&member| run.portfolio.members[member].rank);
            }
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
    /// Why a form of the model could not be made.
    stopped: Option<Stop>,
    /// The work of all members that was counted for the whole.
    accounted: u64,
    news: Receiver<RoundNews>,
}

impl Scheduler<'_> {
    fn may_go_on(&self, member: usize) -> bool {
        let mut running = self.running.iter();
        let unfinished = running.any(|(m, run)| *m == member && run.paced.is_unfinished());
        unfinished && self.portfolio.members[member].rank.is_some()
    }

    /// Why it has to stop, if it has to.
    fn stop(&self) -> Option<Stop> {
        self.stopped.or(self.portfolio.budget.check().err())
    }

    /// The work of all members so far.
    fn work(&self) -> u64 {
        let used = self.running.iter().map(|(_, run)| run.paced.quota.used());
        used.sum()
    }

    fn work_left(&self) -> u64 {
        let work = self.portfolio.work.unwrap_or(u64::MAX);
        work.saturating_sub(self.work())
    }

    /// The portion of a member when so many are still in line, itself included.
    fn portion(&self, member: usize, round: u32, n_in_line: usize) -> u64 {
        let n_members = self.portfolio.members.len();
        let used = self.work();
        let left = self.limit.map_or(0, |limit| limit.saturating_sub(used));
        let portion = match share(round) {
            _ if n_members == 1 => u64::MAX,
            Share::Fixed(work, part) => match self.limit {
                Some(limit) => work.min(limit / (part * n_members as u64)),
                None => work,
            },
            Share::Part(least) if self.limit.is_none() => least,
            Share::Part(least) => left.max(2 * least) / self.portfolio.members[member].part,
            Share::Rest(least) => (left / n_in_line as u64).max(least),
        };
        portion.min(self.work_left())
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
        let mut start = Instant::now();
        let mut working = Vec::new();
        for &member in turn {
            let Member { form, engine, .. } = &self.portfolio.members[member];
            let turn = News::Turn {
                what: format!("{}{}", engine.describe(), form.words()),
                member: (member + 1, self.portfolio.members.len()),
            };
            (self.portfolio.listener)(&turn);
            let portion = self.portion(member, round, n_in_line);
            let known = self.running.iter().position(|(m, _)| *m == member);
            let at = match known {
                Some(at) => at,
                None => {
                    let Member { form, engine, .. } = &self.portfolio.members[member];
                    let budget = self.portfolio.budget;
                    let prepared = match forms.get(cx, *form, budget) {
                        Ok(prepared) => prepared,
                        Err(stop) => {
                            self.stopped = Some(stop);
                            continue;
                        }
                    };
                    let seed = Seed::new(cx, &prepared.stage, *form);
                    let (engine, solver) = (Arc::clone(engine), Arc::clone(&self.portfolio.solver));
                    let run = Running::start(seed, member, engine, solver, budget, news.clone());
                    self.running.push((member, run));
                    self.running.len() - 1
                }
            };
            self.running[at].1.paced.quota.grant(portion);
            working.push(at);
        }
        // Work is worth about a microsecond, but not always. A time limit must be shared out all the same.
        let patience = self.limit.map(|_| {
            let portions = turn
                .iter()
                .map(|&member| self.portion(member, round, n_in_line));
            Duration::from_micros(portions.max().unwrap_or(0)).max(PATIENCE)
        });
        let cpu_start = cpu_time();
        let mut since_stop: Option<Instant> = None;
        while !working.is_empty() {
            let mut ended = Vec::new();
            working.retain(|&at| {
                let run = &mut self.running[at].1;
                let progress = run.paced.quota.wait(PERIOD);
                if progress == Progress::Done {
                    ended.push(at);
                }
                if progress != Progress::Working {
                    run.time += start.elapsed();
                }
                progress == Progress::Working
            });
            let is_over = |patience: Duration| {
                let elapsed = start.elapsed();
                let worked = cpu_time().zip(cpu_start);
                let worked = worked.map_or(elapsed, |(now, then)| now.saturating_sub(then));
                let left = self.portfolio.budget.remaining().unwrap_or_default();
                let most = (BUSY * patience).min(left / n_in_line as u32).max(patience);
                elapsed > patience && worked > patience || elapsed > most
            };
            if patience.is_some_and(is_over) {
                for &at in &working {
                    self.running[at].1.paced.quota.preempt();
                }
            }
            self.tell();
            if let Some(&at) = working.last() {
                let n_states = self.running[at].1.paced.quota.n_states();
                (self.portfolio.listener)(&News::States(n_states));
            }
            for at in ended {
                self.ended(at);
            }
            // What the limit says first counts: memory that is given back at once would hide it.
            self.stopped = self.stop();
            if self.decided.is_some() || self.stopped.is_some() {
                let since = *since_stop.get_or_insert_with(Instant::now);
                for &at in &working {
                    self.running[at].1.paced.cancel();
                }
                if since.elapsed() > GRACE {
                    break;
                }
            }
            start += self.account(&working);
        }
        for at in working {
            self.running[at].1.time += start.elapsed();
        }
    }

    /// Counts the members' work for whoever shares out time among several portfolios, and waits while it is the others' turn,
    /// with all members paused. Returns how long that was.
    fn account(&mut self, working: &[usize]) -> Duration {
        let used = self.work();
        let work = used - self.accounted;
        self.accounted = used;
        let budget = self.portfolio.budget;
        let Some(left) = budget.work_left() else {
            return Duration::ZERO;
        };
        let start = Instant::now();
        if work <= left && !budget.is_preempted() {
            // It does not wait; limits are looked at elsewhere.
            let _ = budget.spend(work);
            return Duration::ZERO;
        }
        let members = || working.iter().map(|&at| &self.running[at].1.paced.quota);
        let portions: Vec<u64> = members().map(|quota| quota.left()).collect();
        members().for_each(|quota| quota.preempt());
        for quota in members() {
            quota.wait(GRACE.saturating_sub(start.elapsed()));
        }
        let _ = budget.spend(work);
        for (quota, portion) in members().zip(portions) {
            quota.grant(portion);
        }
        start.elapsed()
    }

    /// Hands on what members told.
    fn tell(&mut self) {
        while let Ok(news) = self.news.try_recv() {
            let mut running = self.running.iter_mut();
            if let Some((_, run)) = running.find(|(member, _)| *member == news.member) {
                run.last_round = Some(LastRound {
                    number: news.number,
                    outcome: news.outcome.clone(),
                    candidate: news.candidate.clone(),
                });
            }
            (self.portfolio.listener)(&News::Round(news));
        }
    }

    /// Notes what a member found.
    fn ended(&mut self, at: usize) {
        let found = self.running[at].1.paced.take();
        let end = match &found.outcome.verdict {
            Verdict::Holds => End::Holds,
            Verdict::Violated(_) => End::Violated,
            Verdict::Unknown(why) => End::GaveUp(why.clone()),
        };
        self.running[at].1.end = end.clone();
        self.running[at].1.statistics = Some(found.outcome.statistics.clone());
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
            run.paced.cancel();
        }
        let stop = self.stop();
        let start = Instant::now();
        for (member, mut run) in self.running {
            let found = run.paced.reap(REAP.saturating_sub(start.elapsed()));
            if let Some(found) = found {
                run.statistics = Some(found.outcome.statistics);
            }
            let Member { form, engine, .. } = &self.portfolio.members[member];
            self.attempts.push(Attempt {
                form: *form,
                engine: Arc::clone(engine),
                end: run.end,
                work: run.paced.quota.used(),
                time: run.time,
                statistics: run.statistics,
                last_round: run.last_round,
            });
        }
        let (attempt, found) = match (self.decided, self.last) {
            (Some((at, found)), _) => (Some(at), found),
            (None, last) => {
                let mut found = match (stop, last) {
                    (_, Some(last)) => last,
                    (Some(stop), None) => Found::unknown(Unknown::Stopped(stop)),
                    (None, None) => Found::unknown(Unknown::NoProgress(
                        "the work that it may take is done".into(),
                    )),
                };
                if let Some(stop) = stop {
                    found.outcome.verdict = Verdict::Unknown(Unknown::Stopped(stop));
                }
                (None, found)
            }
        };
        Decided {
            attempt,
            found,
            attempts: self.attempts,
        }
    }
}
