//! VMT-LIB: what is read, what is said about bad scripts, and that what is printed reads back.

mod common;

use common::{check, load, refused, round_trip};
use lariat_system::{Language, PropertyBody, TransitionSystem};
use std::fmt::Write as _;

const COUNTER: &str = "
(declare-fun x () Int)
(declare-fun x.next () Int)
(define-fun .sv () Int (! x :next |x.next|))
(declare-fun up () Bool)
(define-fun .init () Bool (! (= x 0) :init true))
(define-fun .trans () Bool (! (= x.next (ite up (+ x 1) x)) :trans true))
";

#[track_caller]
fn refuses(text: &str, finding: &str) {
    let found = refused(Language::Vmt, text);
    assert!(found.starts_with(finding), "{found}");
}

#[track_caller]
fn refuses_more(line: &str, finding: &str) {
    refuses(&format!("{COUNTER}{line}\n"), finding);
}

#[test]
fn a_counter_is_printed_back() {
    let text = format!(
        "{COUNTER}
        (define-fun even () Bool (= (mod x 2) 0))
        (define-fun .p0 () Bool (! (>= x 0) :invar-property 0))
        (define-fun .p1 () Bool (! (not up) :live-property 7))
        (define-fun steps () Bool (! (ltl.G (=> up (ltl.X (> x 0)))) :ltl-property 2))
        (assert true)"
    );
    assert_eq!(
        check(Language::Vmt, &text),
        "(declare-fun x () Int)
(declare-fun x.next () Int)
(define-fun .sv0 () Int (! x :next x.next))
(declare-fun up () Bool)
(define-fun even () Bool (= (mod x 2) 0))
(define-fun .init1 () Bool (! (= x 0) :init true))
(define-fun .trans2 () Bool (! (= x.next (ite up (+ x 1) x)) :trans true))
(define-fun .p0 () Bool (! (<= 0 x) :invar-property 0))
(define-fun .p1 () Bool (! (not up) :live-property 7))
(define-fun steps () Bool (! (ltl.G (=> up (ltl.X (< 0 x)))) :ltl-property 2))
(assert true)
"
    );
}

#[test]
fn properties_go_by_index_and_by_name() {
    let text = format!("{COUNTER}(define-fun safe () Bool (! (>= x 0) :invar-property 3))");
    let loaded = load(Language::Vmt, "test", &text).unwrap_or_else(|why| panic!("{why}"));
    let property = &loaded.system.properties[0];
    assert!(property.is_called("3") && property.is_called("safe"));
}

#[test]
fn a_state_variable_may_be_its_own_property() {
    let text = "(declare-fun ok () Bool)
        (define-fun .ok () Bool (! ok :next ok' :invar-property 0))
        (define-fun .t () Bool (! (= ok' ok) :trans true))";
    let mut loaded = load(Language::Vmt, "test", text).unwrap_or_else(|why| panic!("{why}"));
    let system = &loaded.system;
    assert_eq!(
        system.variables().len(),
        1,
        "the next variable is declared by its use"
    );
    assert!(matches!(
        system.properties[0].body,
        PropertyBody::Invariant(_)
    ));
    round_trip(&mut loaded).unwrap_or_else(|why| panic!("{why}"));
}

#[test]
fn terms_of_all_sorts_read_back_the_same() {
    let text = "
        (set-logic ALL)
        (define-sort Word () (_ BitVec 8))
        (declare-fun r () Real)
        (declare-fun |a b| () (Array Int Real))
        (declare-fun w () Word)
        (declare-fun v () Word)
        (declare-fun n () Int)
        (define-fun twice ((y Int)) Int (* 2 y))
        (define-fun .a () Bool (! (and (= r 0) (<= r (/ 1 3) 12.50) (= (select |a b| n) (- r))) :init true))
        (define-fun .b () Bool (! (= |a b| (store ((as const (Array Int Real)) 0) (twice n) 1)) :init true))
        (define-fun .c () Bool (! (let ((y (bvadd w #x0f)) (z v))
            (distinct (bvnand y z) (concat ((_ extract 3 0) y) ((_ rotate_left 9) #b0001)))) :init true))
        (define-fun .d () Bool (! (xor (bvugt w (_ bv7 8)) (= (bvcomp w v) #b1) ((_ divisible 3) n)) :init true))
        (define-fun .e () Bool (! (=> (is_int r) (= (to_int r) (abs n)) (< (bv2nat w) -5)) :init true))
        (define-fun .f () Bool (! (= ((_ sign_extend 8) w) ((_ repeat 2) v) ((_ zero_extend 8) ((_ int2bv 8) (div n 3)))) :init true))
    ";
    let mut loaded = load(Language::Vmt, "test", text).unwrap_or_else(|why| panic!("{why}"));
    round_trip(&mut loaded).unwrap_or_else(|why| panic!("{why}"));
}

#[test]
fn next_variables_in_properties_are_remembered() {
    let text = format!(
        "{COUNTER}
        (define-fun .p0 () Bool (! (>= x.next x) :invar-property 0))
        (define-fun .p1 () Bool (! (ltl.G (ltl.O (and up (> x.next x)))) :ltl-property 1))"
    );
    let mut loaded = load(Language::Vmt, "test", &text).unwrap_or_else(|why| panic!("{why}"));
    let names: Vec<&str> = loaded
        .system
        .variables()
        .iter()
        .map(|variable| loaded.cx.terms.name(variable.var))
        .collect();
    assert_eq!(names, ["x", "up", "prev(x)", "stepped", "prev(up)"]);
    round_trip(&mut loaded).unwrap_or_else(|why| panic!("{why}"));
}

#[test]
fn bad_scripts_are_refused_with_their_places() {
    refuses("(declare-fun x () Int", "smtlib-brackets 1:1");
    refuses("(declare-fun x () Int))", "smtlib-brackets 1:23");
    refuses("(declare-fun |x () Int)", "smtlib-token 1:14");
    refuses(
        "(declare-fun x () Int)(declare-fun x () Bool)",
        "duplicate-name 1:36",
    );
    refuses("(declare-fun f (Int) Int)", "smtlib-uninterpreted 1:14");
    refuses(
        "(declare-sort S 0)(declare-fun f () S)",
        "smtlib-uninterpreted 1:37",
    );
    refuses("(declare-fun x () Integer)", "smtlib-sort 1:19");
    refuses("(check-sat)", "vmt-command 1:1");
    refuses("(assert (= 1 1))", "vmt-command 1:1");
    refuses("(declare-fun x () (_ BitVec 0))", "smtlib-width 1:29");
    refuses_more(
        "(define-fun .q () Bool (! (= x.next 0) :init true))",
        "vmt-init 8:27",
    );
    refuses_more(
        "(define-fun .q () Bool (! up :init false))",
        "vmt-annotation 8:30",
    );
    refuses_more(
        "(define-fun .q () Bool (! up :invar true))",
        "vmt-annotation 8:30",
    );
    refuses_more(
        "(define-fun .q () Bool (! up :invar-property p))",
        "vmt-index 8:46",
    );
    refuses_more(
        "(define-fun .q () Int (! x :invar-property 0))",
        "smtlib-sort 8:26",
    );
    refuses_more("(define-fun .q () Bool (! up :next x))", "vmt-next 8:36");
    refuses_more("(define-fun .q () Int (! 5 :next x.next))", "vmt-next 8:26");
    refuses_more(
        "(define-fun .q () Bool (! (ltl.F up) :invar-property 0))",
        "smtlib-temporal 8:27",
    );
    refuses_more(
        "(define-fun .q () Bool (and up x))",
        "smtlib-operands 8:24 `and` does not take a Boolean and an integer",
    );
    refuses_more(
        "(define-fun .q () Bool (an up up))",
        "smtlib-unknown 8:25 `an` is not declared (did you mean `and`?)",
    );
    refuses_more("(define-fun .q () Bool (= y 1))", "smtlib-unknown 8:27");
    refuses_more(
        "(define-fun .q () Bool x)",
        "smtlib-sort 8:24 this is an integer, not a Boolean",
    );
    refuses_more(
        "(define-fun .q () Bool (! (forall ((y Int)) (> y x)) :init true))",
        "smtlib-quantifier 8:27",
    );
    refuses_more(
        "(define-fun .q () Bool (! up :live-property 0))(define-fun .r () Bool (! up :ltl-property 0))",
        "duplicate-name 8:91",
    );
    let text = "(declare-fun x () Int)(declare-fun y () Bool)(define-fun .x () Int (! x :next y))";
    refuses(
        text,
        "vmt-next 1:79 the variable is an integer, its next value a Boolean",
    );
}

#[test]
fn deep_chains_load_without_recursion() {
    let mut text = String::from("(declare-fun b () Bool)\n(define-fun .d0 () Bool b)\n");
    let n = 100_000;
    for at in 1..=n {
        let before = at - 1;
        let _ = match at % 3 {
            0 => writeln!(
                text,
                "(declare-fun v{at} () Bool)(define-fun .d{at} () Bool (and .d{before} v{at}))"
            ),
            1 => writeln!(
                text,
                "(declare-fun v{at} () Bool)(define-fun .d{at} () Bool (or .d{before} v{at}))"
            ),
            _ => writeln!(text, "(define-fun .d{at} () Bool (not .d{before}))"),
        };
    }
    let _ = writeln!(text, "(define-fun .i () Bool (! .d{n} :init true))");
    assert!(load(Language::Vmt, "chain", &text).is_ok());
    let nested = format!(
        "(define-fun .i () Bool {}true{})",
        "(let ((z false)) (not ".repeat(n),
        "))".repeat(n)
    );
    assert!(load(Language::Vmt, "nested", &nested).is_ok());
}
