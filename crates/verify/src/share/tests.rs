//! Easy questions are answered beside hard ones, and limits are kept whatever a computation does.

use super::*;

/// Works so many microseconds, as work; says how much of it was done.
fn counts(work: u64) -> Question<u64> {
    Box::new(move |budget, _| {
        let mut done = 0;
        while done < work && budget.spend(1000).is_ok() {
            std::thread::sleep(Duration::from_millis(1));
            done += 1000;
        }
        done
    })
}

/// Does not hear anything.
fn deaf(time: Duration) -> Question<u64> {
    Box::new(move |_, _| {
        std::thread::sleep(time);
        7
    })
}

fn answers(
    questions: Vec<Question<u64>>,
    budget: &Budget,
    each: Option<Duration>,
) -> Vec<(usize, String)> {
    let mut told = Vec::new();
    share(questions, budget, each, &mut |at, event| match event {
        Event::Begun | Event::News(_) => {}
        Event::Answered(n) => told.push((at, format!("{n}"))),
        Event::Stopped(stop, _) => told.push((at, format!("stopped: {stop}"))),
        Event::NotTried(stop) => told.push((at, format!("not tried: {stop}"))),
    });
    told
}

const FOREVER: u64 = u64::MAX;

#[test]
fn a_hard_question_does_not_starve_the_easy_ones_after_it() {
    let budget = Budget::unlimited().with_time(Duration::from_secs(2));
    let questions = vec![counts(FOREVER), counts(2000), counts(3000)];
    let start = Instant::now();
    let told = answers(questions, &budget, None);
    assert_eq!(told[..2], [(1, "2000".into()), (2, "3000".into())]);
    assert_eq!(
        told[2].0, 0,
        "it ends with the time, and says how far it came"
    );
    assert!(start.elapsed() < Duration::from_secs(4));
}

#[test]
fn a_question_goes_on_where_it_was() {
    let budget = Budget::unlimited().with_time(Duration::from_secs(20));
    // More than the first try, less than what is left.
    let told = answers(vec![counts(3_000_000), counts(1000)], &budget, None);
    assert_eq!(told, [(1, "1000".into()), (0, "3000000".into())]);
}

#[test]
fn without_a_limit_they_are_answered_in_their_order() {
    let questions = vec![counts(200_000), counts(1000)];
    let told = answers(questions, &Budget::unlimited(), None);
    assert_eq!(told, [(0, "200000".into()), (1, "1000".into())]);
}

#[test]
fn each_question_has_its_own_limit() {
    let each = Some(Duration::from_millis(200));
    let questions = vec![counts(FOREVER), counts(1000)];
    let told = answers(questions, &Budget::unlimited(), each);
    assert_eq!(told.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(told[1].1, "1000");
}

#[test]
fn limits_are_kept_whatever_a_computation_does() {
    let minute = Duration::from_mins(1);
    let budget = Budget::unlimited().with_time(Duration::from_millis(500));
    let start = Instant::now();
    let told = answers(
        vec![deaf(minute), counts(1000), deaf(minute)],
        &budget,
        None,
    );
    let late = "stopped: the time limit was reached";
    assert_eq!(
        told,
        [(1, "1000".into()), (0, late.into()), (2, late.into())]
    );
    assert!(start.elapsed() < Duration::from_secs(3));
}

#[test]
fn what_had_no_turn_says_so() {
    let budget = Budget::unlimited();
    budget.cancel();
    let told = answers(vec![deaf(Duration::from_mins(1)), counts(1)], &budget, None);
    assert_eq!(told[0], (0, "stopped: it was cancelled".into()));
    assert_eq!(told[1], (1, "not tried: it was cancelled".into()));
}
