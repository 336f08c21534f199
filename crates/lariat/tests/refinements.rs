//! Refinements and searches on models that published versions of them get wrong, or never end on.
//!
//! Each model is checked with a set of configurations; the verdict must be the same for all.

use std::path::PathBuf;
use std::process::Command;

/// Much more than any check needs on a quiet machine.
const TIMEOUT: &str = "120s";

/// A loop with a fixpoint, `x = 0`, that no run reaches: a cycle is feasible there and nowhere else.
const UNREACHABLE_FIXPOINT: &str = "\
var x : integer = 1
trans {
    choice { assume (x == 0); }
    or { assume (x > 0 && x < 3); x := x + 1; }
    or { assume (x == 3); }
}
init {}
env {}
prop { true }
";

/// Sixteen rounds until a state comes back.
const BITS: &str = "\
var b0 : boolean = false
var b1 : boolean = false
var b2 : boolean = false
var b3 : boolean = false
trans {
    if (b0 && b1 && b2) { b3 := !b3; }
    if (b0 && b1) { b2 := !b2; }
    if (b0) { b1 := !b1; }
    b0 := !b0;
}
init {}
env {}
prop { true }
";

/// Every state is new.
const COUNTER: &str = "\
var x : integer = 0
trans { x := x + 1; }
init {}
env {}
prop { true }
";

/// `x = 1 or y = 1` always, though neither atom is ever certain.
const EITHER: &str = "\
var x : integer = 0
var y : integer = 0
trans { choice { x := 1; y := 0; } or { x := 0; y := 1; } }
init { choice { x := 1; y := 0; } or { x := 0; y := 1; } }
env {}
prop { x == 1 || y == 1 }
";

/// An error location behind a loop; reached if the last guard is `y = 5`.
fn behind_a_loop(guard: &str) -> String {
    format!(
        "\
main process deep {{
    var x : int
    var y : int
    init loc A
    loc B
    loc C
    loc D
    error loc Bad
    A -> B {{ x := 0 havoc y }}
    B -> B {{ assume x < 5 x := x + 1 }}
    B -> C {{ assume x = 5 }}
    C -> D {{ y := x }}
    D -> Bad {{ assume {guard} }}
    D -> A {{ assume y = 5 }}
}}
"
    )
}

/// What `lariat check` prints, and its exit code: 0 holds, 1 violated, 3 unknown.
fn check(name: &str, model: &str, options: &[&str]) -> (Option<i32>, String) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("refinements");
    std::fs::create_dir_all(&folder).expect("a folder for models");
    let path = folder.join(name);
    std::fs::write(&path, model).expect("a writable model");
    let output = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .args(["check", "--engine", "cegar", "--timeout", TIMEOUT])
        .arg(path)
        .args(options)
        .output()
        .expect("the binary runs");
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

fn expect(name: &str, model: &str, options: &[&str], code: i32) -> String {
    let (actual, text) = check(name, model, options);
    assert_eq!(actual, Some(code), "{options:?}: {text}");
    text
}

const LASSO_REFINEMENTS: [&str; 2] = ["direct", "bounded-unrolling"];

/// Trap 3: unrolling a loop without its stem reports the cycle at the fixpoint.
#[test]
fn a_cycle_from_an_unreachable_state_is_no_counterexample() {
    for lasso_refinement in LASSO_REFINEMENTS {
        for domain in ["expl", "pred-cart", "pred-split"] {
            for search in ["scc", "full"] {
                let options = [
                    ["--ltl", "F (x = 3)"],
                    ["--init-prec", "empty"],
                    ["--domain", domain],
                    ["--search", search],
                    ["--lasso-refinement", lasso_refinement],
                ];
                expect(
                    "fixpoint.xsts",
                    UNREACHABLE_FIXPOINT,
                    options.as_flattened(),
                    0,
                );
            }
        }
    }
}

#[test]
fn loops_are_unrolled_as_often_as_they_need() {
    let options = [
        ["--ltl", "F false"],
        ["--blocks", "small"],
        ["--slice", "off"],
        ["--domain", "pred-cart"],
        ["--init-prec", "empty"],
        ["--lasso-refinement", "bounded-unrolling"],
        ["--recurrence", "off"],
        ["--log", "iterations"],
    ];
    let text = expect("bits.xsts", BITS, options.as_flattened(), 1);
    // The first abstract lasso, without any predicate, is unrolled until it closes.
    assert!(!text.contains("round 2"), "{text}");
    let few = [options.as_flattened(), &["--max-unrolling", "3"]].concat();
    let text = expect("bits.xsts", BITS, &few, 1);
    assert!(text.contains("round 2"), "{text}");
}

/// Trap 4: predicates that tell the ends of a loop apart chase a counter for ever.
#[test]
fn chasing_a_counter_ends_as_unknown() {
    for lasso_refinement in LASSO_REFINEMENTS {
        let options = [
            ["--ltl", "F (x < 0)"],
            ["--domain", "pred-cart"],
            ["--lasso-refinement", lasso_refinement],
            ["--ranking", "off"],
            ["--recurrence", "off"],
            ["--clocks", "run"],
        ];
        let text = expect("counter.xsts", COUNTER, options.as_flattened(), 3);
        assert!(text.contains("no progress"), "{text}");
    }
}

/// The same counter is no problem for a run that never repeats a state.
#[test]
fn a_counter_that_grows_forever_refutes() {
    let options = [["--ltl", "F (x < 0)"], ["--domain", "pred-cart"]];
    let text = expect("counter.xsts", COUNTER, options.as_flattened(), 1);
    assert!(
        text.contains("no state comes back: with each round x grows by 1"),
        "{text}"
    );
}

/// Trap 4: atoms are not enough for Cartesian abstraction; then the interpolant is added whole.
#[test]
fn cartesian_abstraction_gets_the_whole_interpolant() {
    for refinement in ["seq-itp", "fw-bin-itp", "bw-bin-itp", "newton"] {
        let options = [
            ["--domain", "pred-cart"],
            ["--pred-split", "atoms"],
            ["--init-prec", "empty"],
            ["--refinement", refinement],
        ];
        expect("either.xsts", EITHER, options.as_flattened(), 0);
    }
}

#[test]
fn path_refinements_and_searches_agree() {
    for (guard, code) in [("y /= 5", 0), ("y = 5", 1)] {
        let model = behind_a_loop(guard);
        for (domain, refinement) in [
            ("expl", "seq-itp"),
            ("expl", "unsat-core"),
            ("expl", "bw-bin-itp"),
            ("pred-cart", "fw-bin-itp"),
            ("pred-cart", "bw-bin-itp"),
            ("pred-split", "newton"),
        ] {
            for search in ["bfs", "dfs", "err-dist"] {
                let options = [
                    ["--domain", domain],
                    ["--init-prec", "empty"],
                    ["--refinement", refinement],
                    ["--search", search],
                ];
                expect("deep.cfa", &model, options.as_flattened(), code);
            }
        }
    }
}

#[test]
fn several_lassos_of_one_exploration_refine_together() {
    let options = [
        ["--ltl", "F G !b3"],
        ["--blocks", "small"],
        ["--domain", "pred-cart"],
        ["--init-prec", "empty"],
        ["--search", "full"],
        ["--log", "iterations"],
    ];
    let text = expect("bits.xsts", BITS, options.as_flattened(), 1);
    assert!(text.contains("3 lassos, the first:"), "{text}");
    let few = [options.as_flattened(), &["--max-counterexamples", "2"]].concat();
    let text = expect("bits.xsts", BITS, &few, 1);
    assert!(text.contains("cut at the limit of 2"), "{text}");
}

#[test]
fn options_without_effect_are_errors() {
    for (options, why) in [
        (
            &["--max-unrolling", "5", "--ltl", "G true"][..],
            "bounded-unrolling",
        ),
        (
            &["--max-counterexamples", "5", "--ltl", "G true"],
            "--search full",
        ),
        (
            &["--refinement", "unsat-core", "--domain", "pred-cart"],
            "need predicates",
        ),
        (&["--search", "full"], "bfs, dfs, err-dist"),
        (
            &["--search", "err-dist", "--ltl", "G true"],
            "scc, ndfs, gdfs, layers, full",
        ),
    ] {
        let text = expect("counter.xsts", COUNTER, options, 2);
        assert!(text.contains("no effect") && text.contains(why), "{text}");
    }
}
