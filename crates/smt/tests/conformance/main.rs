//! What every backend must do, run on each backend we have.
//!
//! A topic is a function that is given a way to make backends and panics where one does not conform. To
//! add a backend, add a line to the list below. The recording backend's scripts are also replayed in a
//! fresh solver, which must give the same answers.

mod answers;
mod interpolation;
mod limits;
mod operators;
mod replay;

use lariat_smt::{Backend, Recorder, Z3, Z3Config};
use std::io::sink;

/// Makes a backend without assertions.
type Make<'a> = &'a dyn Fn() -> Box<dyn Backend>;

fn z3() -> Box<dyn Backend> {
    Box::new(Z3::default())
}

fn recording() -> Box<dyn Backend> {
    Box::new(Recorder::new(Z3::default(), sink()))
}

/// Starts afresh whenever it may.
fn renewing() -> Box<dyn Backend> {
    Box::new(Z3::new(Z3Config {
        max_guards: 0,
        ..Z3Config::default()
    }))
}

/// Has no step to spare: every check goes to a new solver.
fn hurried() -> Box<dyn Backend> {
    Box::new(Z3::new(Z3Config {
        unwatched_steps: 1,
        ..Z3Config::default()
    }))
}

macro_rules! conformance {
    ($($backend:ident),*; $($topic:ident :: { $($case:ident),* $(,)? }),* $(,)?) => {
        conformance!(@backends [$($backend)*] [$($topic { $($case)* })*]);
    };
    (@backends [$($backend:ident)*] $cases:tt) => {
        $(conformance!(@backend $backend $cases);)*
    };
    (@backend $backend:ident [$($topic:ident { $($case:ident)* })*]) => {
        mod $backend {
            $($(
                #[test]
                fn $case() {
                    crate::$topic::$case(&|| crate::$backend());
                }
            )*)*
        }
    };
}

conformance! {
    z3, recording, renewing, hurried;
    answers::{
        scopes_forget,
        assumptions_may_be_any_terms,
        assumptions_in_scopes_are_forgotten_with_them,
        cores_are_enough_and_can_be_minimised,
        models_are_of_every_sort,
        big_numbers_survive,
        questions_are_counted,
    },
    operators::{
        operators_agree_with_the_evaluator,
        models_satisfy_what_was_asserted,
        division_by_zero_is_fixed,
    },
    limits::{
        time_ends_a_long_query,
        cancellation_ends_a_long_query,
        memory_ends_a_query,
        limits_end_interpolation,
    },
    interpolation::{
        two_counters_move_together,
        every_sort_is_interpolated,
        parts_that_do_not_matter_are_skipped,
        feasible_paths_have_none,
        random_paths,
    },
}

/// Interpolation methods that usually come last, by themselves.
mod fallbacks {
    use crate::interpolation;
    use lariat_smt::{Backend, InterpolationConfig, Method, Z3, Z3Config};

    fn random_paths(method: Method) {
        let (n_infeasible, n_given_up) =
            interpolation::count_random_paths(&|| -> Box<dyn Backend> {
                Box::new(Z3::new(Z3Config {
                    interpolation: InterpolationConfig {
                        check: true,
                        methods: vec![method],
                        ..InterpolationConfig::default()
                    },
                    ..Z3Config::default()
                }))
            });
        assert!(
            n_infeasible > 15 && n_given_up == 0,
            "{n_infeasible}, {n_given_up} given up"
        );
    }

    #[test]
    fn projection_is_enough_for_random_paths() {
        random_paths(Method::Projection);
    }

    #[test]
    fn newton_is_enough_for_random_paths() {
        random_paths(Method::Newton);
    }
}

/// The scripts of the recorder, replayed.
mod replayed {
    use crate::{answers, interpolation, operators, replay};

    #[test]
    fn answers_are_the_same() {
        replay::same_answers(answers::scopes_forget);
        replay::same_answers(answers::assumptions_may_be_any_terms);
        replay::same_answers(answers::assumptions_in_scopes_are_forgotten_with_them);
        replay::same_answers(answers::cores_are_enough_and_can_be_minimised);
        replay::same_answers(answers::models_are_of_every_sort);
        replay::same_answers(answers::big_numbers_survive);
    }

    #[test]
    fn every_operator_is_read_back() {
        replay::same_answers(operators::operators_agree_on_fewer_terms);
        replay::same_answers(operators::division_by_zero_is_fixed);
    }

    #[test]
    fn interpolation_is_recorded() {
        replay::same_answers(interpolation::every_sort_is_interpolated);
    }
}
