//! `MoXI`: systems, their composition, queries, and what is said about bad scripts.

mod common;

use common::{load, refused, round_trip};
use lariat_system::{Language, PropertyBody, TransitionSystem};

const DELAY: &str = "
(define-system Delay :input ((i Int)) :output ((o Int)) :local ((s Int))
  :inv (= s i) :init (= o 0) :trans (= o' s))
(define-system Twice :input ((in Int)) :output ((out Int)) :local ((mid Int))
  :subsys (A (Delay in mid)) :subsys (B (Delay mid out)))
";

#[track_caller]
fn refuses(text: &str, finding: &str) {
    let found = refused(Language::Moxi, text);
    assert!(found.starts_with(finding), "{found}");
}

/// The variables of a model that survives a round trip, and its properties.
#[track_caller]
fn made(text: &str) -> (Vec<String>, Vec<PropertyBody>) {
    let mut loaded = load(Language::Moxi, "test", text).unwrap_or_else(|why| panic!("{why}"));
    round_trip(&mut loaded).unwrap_or_else(|why| panic!("{why}"));
    let variables = loaded.system.variables().iter();
    let names = variables.map(|variable| loaded.cx.terms.name(variable.var).to_owned());
    let properties = loaded.system.properties.iter();
    (
        names.collect(),
        properties.map(|property| property.body.clone()).collect(),
    )
}

#[test]
fn parts_are_instances_with_locals_of_their_own() {
    let text = format!(
        "{DELAY}(check-system Twice :input ((x Int)) :output ((y Int)) :local ((m Int))
        :reachable (r (= y 3)) :query (q (r)))"
    );
    let (names, properties) = made(&text);
    assert_eq!(names, ["x", "y", "m", "A.s", "B.s"]);
    assert!(matches!(properties[..], [PropertyBody::Invariant(_)]));
}

#[test]
fn several_conditions_are_watched_by_flags() {
    let text = format!(
        "{DELAY}(check-system Twice :input ((x Int)) :output ((y Int)) :local ((m Int))
        :assumption (a (>= x 0)) :reachable (r (= y 3)) :reachable (s (= y 4))
        :fairness (f (= x 0)) :fairness (g (> x' x))
        :query (one (a r)) :query (two (r s)) :query (three (a f)) :query (four (a r f g)))"
    );
    let (names, properties) = made(&text);
    let flags = [
        "one.ok", "two.r", "two.s", "three.ok", "four.ok", "four.r", "four.f", "four.g",
    ];
    assert_eq!(names[5..], flags);
    let kinds: Vec<bool> = properties
        .iter()
        .map(|body| matches!(body, PropertyBody::Invariant(_)))
        .collect();
    assert_eq!(kinds, [true, true, false, false]);
}

#[test]
fn questions_from_different_starts_share_a_model() {
    let text = format!(
        "(declare-const c Int){DELAY}
        (check-system Delay :input ((x Int)) :output ((y Int)) :local ((l Int))
          :current (now (= y c)) :reachable (r (= y 3)) :query (here (now r)) :query (there (r)))
        (check-system Twice :input ((x Int)) :output ((y Int)) :local ((m Int))
          :reachable (r (= y 4)) :query (again (r)))"
    );
    let (names, properties) = made(&text);
    assert_eq!(names, ["c", "x", "y", "l", "m", "A.s", "B.s", "start"]);
    assert_eq!(properties.len(), 3);
}

#[test]
fn what_nobody_uses_may_be_unsupported() {
    let text = "(declare-fun f (Int) Int) (define-fun g () Bool (forall ((x Int)) (> (f x) 0)))
        (declare-enum-sort Color (red green)) (define-system S :output ((c Color)) :init ((= c red)))";
    let (names, properties) = made(text);
    assert_eq!((names.len(), properties.len()), (1, 0));
    refuses(
        "(declare-fun f (Int) Int) (define-system S :output ((o Int)) :init (= o (f 0)))",
        "smtlib-uninterpreted 1:73",
    );
}

#[test]
fn bad_scripts_are_refused_with_their_places() {
    refuses("(set-logic PHONY)", "smtlib-logic 1:1");
    refuses(
        "(set-logic QF_LIA)(define-system S :output ((o (_ BitVec 8))))",
        "smtlib-logic 1:48",
    );
    refuses("(check-system S)", "moxi-system 1:15");
    refuses(
        "(define-system S :output ((o Int)) :init (= o' 0))",
        "moxi-prime 1:42",
    );
    refuses(
        "(define-system S :init true :init true)",
        "moxi-attribute 1:29",
    );
    refuses(
        "(define-system S :init true :output ((o Int)))",
        "moxi-attribute 1:29",
    );
    refuses(
        "(define-system S)(define-system T :subsys (A (R)))",
        "moxi-subsystem 1:46",
    );
    refuses(
        "(define-system S :input ((i Int)))(define-system T :input ((b Bool)) :subsys (A (S b)))",
        "moxi-subsystem 1:84",
    );
    refuses(
        "(define-system S)(check-system S :query (q ()))",
        "moxi-query 1:44",
    );
    refuses(
        "(define-system S)(check-system S :queries ())",
        "moxi-query 1:43",
    );
    refuses(
        "(define-system S)(check-system S :query (q (r)))",
        "moxi-query 1:45",
    );
    refuses("(define-system S :input (('a Bool)))", "smtlib-token 1:27");
    refuses("(define-fun f () Real 0.)", "smtlib-token 1:23");
    refuses("(declare-datatype D ((a)))", "moxi-command 1:1");
}
