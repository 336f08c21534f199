//! Files in VMT-LIB and `MoXI` that `lariat convert` writes are settled: converting one gives the same bytes, whatever it is
//! called, and the verdicts stay. `cargo xtask convert` does this with random models of all languages.

mod folder;

use folder::{call, scratch};
use std::ffi::OsStr;
use std::path::Path;

/// A counter from 0 to 5 beside a ring of four bits, and an input to divide by.
const COUNTER: &str = "
(declare-fun n () Int)
(declare-fun n1 () Int)
(declare-fun ring () (_ BitVec 4))
(declare-fun ring1 () (_ BitVec 4))
(declare-fun by () Int)
(define-fun .n () Int (! n :next n1))
(define-fun .ring () (_ BitVec 4) (! ring :next ring1))
(define-fun start () Bool (! (and (= ring #b0001) (= n 0)) :init true))
(define-fun up () Int (ite (< n 5) (+ n 1) 0))
(define-fun step () Bool (! (and (<= (- 1) by 1) (= n1 up) (= ring1 ((_ rotate_left 1) ring))) :trans true))
(define-fun bounded () Bool (! (<= 0 n 5) :invar-property 0))
(define-fun never_three () Bool (! (distinct n 3) :invar-property 1))
(define-fun small_parts () Bool (! (and (<= (div n by) 5) (<= (mod n by) 5)) :invar-property 2))
(define-fun low () Bool (! (ltl.G (=> (= n 2) (ltl.W (< n 6) (= n 7)))) :ltl-property 3))
(define-fun in_order () Bool (! (ltl.G (=> (= n 4) (ltl.O (= n 2)))) :ltl-property 4))
(define-fun rises () Bool (! (ltl.G (< n n1)) :ltl-property 5))
(define-fun stays_low () Bool (! (< n 3) :live-property 6))
(define-fun meets () Bool (! (ltl.G (ltl.F (and (= ring #b0001) (= n 0)))) :ltl-property 7))
(assert true)
";

/// Three is reached and left, and so is five; both start anew after twelve steps.
const OF_COUNTER: [(&str, &str); 8] = [
    ("bounded", "holds"),
    ("never_three", "violated"),
    ("small_parts", "holds"),
    ("low", "holds"),
    ("in_order", "holds"),
    ("rises", "violated"),
    ("stays_low", "violated"),
    ("meets", "holds"),
];

/// A counter from 0 to 5 that goes on when it is told to, and a lamp.
const LAMP: &str = "
(declare-enum-sort Colour (red green))
(declare-const limit Int)
(define-system Count :input ((up Bool)) :output ((n Int)) :local ((lamp Colour))
  :init (and (= lamp red) (= n 0))
  :inv (<= 0 n)
  :trans (and (= n' (ite up (ite (< n 5) (+ n 1) 0) n)) (= lamp' (ite (= lamp red) green red))))
(check-system Count :input ((u Bool)) :output ((m Int)) :local ((k Colour))
  :assumption (positive (< 0 limit))
  :reachable (three (= m 3))
  :reachable (below (< m 0))
  :reachable (two (= m 2))
  :fairness (told u)
  :fairness (is_green (= k green))
  :fairness (six (= m 6))
  :current (four (= m 4))
  :query (comes (positive three))
  :query (drops (below))
  :query (goes_on (told is_green))
  :query (goes_far (told six))
  :query (comes_back (four two)))
";

/// A query is violated if there is such a run. From four the counter comes to two by way of zero.
const OF_LAMP: [(&str, &str); 5] = [
    ("comes", "violated"),
    ("drops", "holds"),
    ("goes_on", "violated"),
    ("goes_far", "holds"),
    ("comes_back", "violated"),
];

/// `check` says of the properties of a file what is expected, in any order. In VMT-LIB they have numbers.
fn decided(file: &str, expected: &[(&str, &str)]) {
    let (_, said) = call(&["check", file, "--quiet", "--timeout", "60s"]);
    let mut said: Vec<&str> = said.lines().collect();
    let is_vmt = Path::new(file).extension() == Some(OsStr::new("vmt"));
    let line = |(at, (name, verdict)): (usize, &(&str, &str))| {
        if is_vmt {
            format!("{at}: {verdict}")
        } else {
            format!("{name}: {verdict}")
        }
    };
    let mut expected: Vec<String> = expected.iter().enumerate().map(line).collect();
    said.sort_unstable();
    expected.sort_unstable();
    assert_eq!(said, expected, "{file}");
}

/// Converts a model, and what it is converted to.
fn check(name: &str, text: &str, expected: &[(&str, &str)]) {
    let folder = scratch(&format!("settled-{name}"));
    let path = |name: String| folder.join(name).display().to_string();
    let given = path(name.to_owned());
    std::fs::write(&given, text).expect("the file can be written");
    decided(&given, expected);
    for language in ["vmt", "moxi"] {
        let [first, second] = ["first", "second"].map(|which| path(format!("{which}.{language}")));
        for (from, to) in [(&given, &first), (&first, &second)] {
            let (code, said) = call(&["convert", from, "-o", to]);
            assert_eq!(code, Some(0), "{from} to {to}: {said}");
        }
        let [first_text, second_text] = [&first, &second]
            .map(|file| std::fs::read_to_string(file).expect("the file was written"));
        assert_eq!(first_text, second_text, "{name} as {language}");
        // With the automata of all formulas in one model it takes long; `convert.rs` has one at a time.
        if name.ends_with(language) {
            decided(&first, expected);
        }
    }
}

#[test]
fn vmt_is_written_as_it_is_read() {
    check("counter.vmt", COUNTER, &OF_COUNTER);
}

#[test]
fn moxi_is_written_as_it_is_read() {
    check("lamp.moxi", LAMP, &OF_LAMP);
}

/// The properties keep their names, in whatever language they are.
#[test]
fn names_of_properties_are_kept() {
    let folder = scratch("settled-names");
    let path = |name: &str| folder.join(name).display().to_string();
    let (given, moxi, vmt) = (path("given.vmt"), path("there.moxi"), path("back.vmt"));
    std::fs::write(&given, COUNTER).expect("the file can be written");
    for (from, to) in [(&given, &moxi), (&moxi, &vmt)] {
        let (code, said) = call(&["convert", from, "-o", to]);
        assert_eq!(code, Some(0), "{said}");
        for name in ["bounded", "never_three", "in_order", "stays_low"] {
            assert!(said.contains(&format!("--property {name} ")), "{said}");
        }
    }
    let (_, said) = call(&["check", &vmt, "--property", "never_three", "--quiet"]);
    assert!(said.ends_with("violated\n"), "{said}");
}
