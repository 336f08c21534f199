//! Several questions under one time limit: none is starved by another.
//!
//! Each question is a computation that can be paused. All get a short first try, in their order; what is left of the time
//! then goes round among those that are still open. Without a limit of the time for all, they are answered one after
//! another. A computation that does not hear that it should pause, or end, is left alone: its thread ends with the process.

use crate::paced::Paced;
use crate::portfolio::News;
use lariat_base::{Budget, Progress, Stop};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// How often the limits are looked at.
const PERIOD: Duration = Duration::from_millis(10);
/// How long a computation may take to pause after it was asked to.
const GRACE: Duration = Duration::from_millis(150);
/// How long it may take to end and to say how far it came. It waits for the engines that it has started, too.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// The shortest turn.
const SHORTEST: Duration = Duration::from_millis(100);
/// All first tries together take one over this of the time.
const FIRST_TRIES: u32 = 4;

/// What answers a question, within a budget; it tells what it is at.
pub type Question<T> = Box<dyn FnOnce(&Budget, Sender<News>) -> T + Send>;

/// What becomes of a question.
#[derive(Debug)]
pub enum Event<T> {
    /// It has its first turn.
    Begun,
    /// It tells what it is at.
    News(News),
    /// It was answered.
    Answered(T),
    /// It was stopped after so long, and did not say what it had found out by then.
    Stopped(Stop, Duration),
    /// It never had a turn.
    NotTried(Stop),
}

/// Answers questions within a budget, each at most for the time `each`; tells what becomes of them. Each ends with exactly
/// one of the last three events.
pub fn share<T: Send + 'static>(
    questions: Vec<Question<T>>,
    budget: &Budget,
    each: Option<Duration>,
    tell: &mut dyn FnMut(usize, Event<T>),
) {
    let questions = questions.into_iter();
    let mut sharing = Sharing {
        entries: questions.map(Entry::new).collect(),
        budget,
        each,
        tell,
    };
    for round in 0.. {
        let open: Vec<usize> = sharing.open().collect();
        if open.is_empty() {
            return;
        }
        for (place, &at) in open.iter().enumerate() {
            let turn = sharing.length(round, open.len(), open.len() - place);
            sharing.turn(at, turn);
            if let Err(stop @ (Stop::Time | Stop::Cancelled)) = budget.check() {
                return sharing.stop(stop);
            }
        }
    }
}

struct Sharing<'s, T> {
    entries: Vec<Entry<T>>,
    budget: &'s Budget,
    each: Option<Duration>,
    tell: &'s mut dyn FnMut(usize, Event<T>),
}

/// One question.
struct Entry<T> {
    question: Option<Question<T>>,
    run: Option<(Paced<T>, Receiver<News>)>,
    time: Duration,
    has_ended: bool,
}

impl<T> Entry<T> {
    fn new(question: Question<T>) -> Self {
        Self {
            question: Some(question),
            run: None,
            time: Duration::ZERO,
            has_ended: false,
        }
    }
}

impl<T: Send + 'static> Sharing<'_, T> {
    fn open(&self) -> impl Iterator<Item = usize> + '_ {
        let entries = self.entries.iter().enumerate();
        entries
            .filter(|(_, entry)| !entry.has_ended)
            .map(|(at, _)| at)
    }

    /// How long a turn may be when so many questions are open, and so many have not had theirs in this round; nothing: any
    /// time.
    fn length(&self, round: u32, n_open: usize, n_waiting: usize) -> Option<Duration> {
        let left = self.budget.remaining()?;
        let (n_open, n_waiting) = (n_open as u32, n_waiting as u32);
        let turn = match (round, n_open) {
            (_, 1) => return None,
            (0, _) => left / (FIRST_TRIES * n_waiting),
            (_, _) => left / (2 * n_waiting),
        };
        Some(turn.max(SHORTEST))
    }

    fn start(&mut self, at: usize) {
        let entry = &mut self.entries[at];
        if let Some(question) = entry.question.take() {
            let (send, news) = channel();
            let run = Paced::start(self.budget, |budget: &Budget| question(budget, send));
            entry.run = Some((run, news));
            (self.tell)(at, Event::Begun);
        }
    }

    /// Lets one work until its turn is over or it has ended.
    fn turn(&mut self, at: usize, length: Option<Duration>) {
        self.start(at);
        let entry = &self.entries[at];
        let (run, _) = entry.run.as_ref().expect("it was started");
        let own = self.each.map(|each| each.saturating_sub(entry.time));
        let start = Instant::now();
        match length {
            Some(length) => run.quota.grant(length.as_micros() as u64),
            None => run.quota.open(),
        }
        loop {
            let entry = &self.entries[at];
            let (run, _) = entry.run.as_ref().expect("it was started");
            let progress = run.quota.wait(PERIOD);
            let elapsed = start.elapsed();
            let is_late = own.is_some_and(|own| elapsed > own);
            let is_over = length.is_some_and(|length| elapsed > length);
            if is_over {
                run.quota.preempt();
            }
            if is_late {
                run.expire();
            }
            self.hear(at);
            match progress {
                Progress::Done => return self.answered(at),
                Progress::Waiting if !is_late => break,
                Progress::Waiting | Progress::Working => {}
            }
            if own.is_some_and(|own| elapsed > own + LAST_WORDS) {
                let time = self.entries[at].time + elapsed;
                return self.end(at, Event::Stopped(Stop::Time, time));
            }
            let is_deaf = length.is_some_and(|length| elapsed > length + GRACE);
            let is_stopped = matches!(self.budget.check(), Err(Stop::Time | Stop::Cancelled));
            if is_stopped || is_deaf && !is_late {
                break;
            }
        }
        self.entries[at].time += start.elapsed();
    }

    /// Hands on what a computation told.
    fn hear(&mut self, at: usize) {
        if let Some((_, news)) = &self.entries[at].run {
            for news in news.try_iter() {
                (self.tell)(at, Event::News(news));
            }
        }
    }

    fn answered(&mut self, at: usize) {
        self.hear(at);
        let (run, _) = self.entries[at].run.as_mut().expect("it was started");
        let answer = run.take();
        self.end(at, Event::Answered(answer));
    }

    fn end(&mut self, at: usize, event: Event<T>) {
        self.entries[at].has_ended = true;
        (self.tell)(at, event);
    }

    /// Ends all that are open; those that end soon may say what they found out.
    fn stop(mut self, stop: Stop) {
        let open: Vec<usize> = self.open().collect();
        for &at in &open {
            match (&self.entries[at].run, stop) {
                (Some((run, _)), Stop::Cancelled) => run.cancel(),
                (Some((run, _)), _) => run.expire(),
                (None, _) => {}
            }
        }
        let start = Instant::now();
        for at in open {
            let left = LAST_WORDS.saturating_sub(start.elapsed());
            match &self.entries[at].run {
                None => self.end(at, Event::NotTried(stop)),
                Some((run, _)) if run.quota.wait(left) == Progress::Done => self.answered(at),
                Some(_) => {
                    let time = self.entries[at].time;
                    self.end(at, Event::Stopped(stop, time));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
