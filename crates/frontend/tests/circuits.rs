//! AIGER and BTOR2: what files mean, and what is refused, text in and text out. Random files are compared with simulators
//! by `cargo xtask circuits`.

mod common;

use common::{check, load, refused};
use lariat_system::{Fairness, Language, PropertyBody};
use std::fmt::Write as _;

#[track_caller]
fn refuses(language: Language, text: &str, finding: &str) {
    let findings = refused(language, text);
    assert!(findings.starts_with(finding), "{findings}");
}

#[test]
fn a_toggle_in_aiger_is_printed_back() {
    let text = "aag 3 1 1 1 1\n2\n4 6\n4\n6 5 2\ni0 enable\nl0 state bit\no0 on\nc\nmine\n";
    let printed =
        "aag 3 1 1 1 1 0 0 0 0\n2\n4 6 0\n4\n6 5 2\ni0 enable\nl0 state_bit\no0 on\nc\ntest\n";
    assert_eq!(check(Language::Aiger, text), printed);
}

#[test]
fn outputs_are_bad_states_of_old_files_only() {
    let names = |text: &str| -> Vec<String> {
        let loaded = load(Language::Aiger, "test", text).unwrap_or_else(|why| panic!("{why}"));
        let properties = loaded.system.properties.iter();
        properties
            .map(|property| property.name.to_string())
            .collect()
    };
    assert_eq!(names("aag 1 1 0 2 0\n2\n2\n3\n"), ["o0", "o1"]);
    assert_eq!(names("aag 1 1 0 1 0 1\n2\n2\n3\n"), ["b0"]);
    assert_eq!(names("aag 1 1 0 1 0 0 0 1\n2\n2\n1\n3\n"), ["j0"]);
    assert_eq!(names("aag 1 1 0 0 0\n2\n"), [""; 0]);
}

#[test]
fn both_forms_of_aiger_read_as_the_same() {
    // Two inputs, a latch that takes their conjunction, and a gate each; gates are differences: 8-4, 4-2 and 10-8, 8-6.
    let binary = "aig 5 2 1 1 2 0 0 0 0\n8\n10\n\u{4}\u{2}\u{2}\u{2}c\n";
    let text = "aag 5 2 1 1 2\n2\n4\n6 8\n10\n10 8 6\n8 4 2\n";
    assert_eq!(check(Language::Aiger, binary), check(Language::Aiger, text));
}

#[test]
fn aiger_justice_and_fairness_are_of_the_system() {
    let text = "aag 2 2 0 0 0 0 1 2 1\n2\n4\n3\n1\n0\n4\n5\n";
    let loaded = load(Language::Aiger, "test", text).unwrap_or_else(|why| panic!("{why}"));
    assert!(matches!(loaded.system.fairness[..], [Fairness::Justice(_)]));
    let recurring = |at: usize| match &loaded.system.properties[at].body {
        PropertyBody::NotAllRecur(terms) => terms.len(),
        other => panic!("{other:?}"),
    };
    assert_eq!((recurring(0), recurring(1)), (1, 0));
}

#[test]
fn wrong_aiger_files_are_refused_at_the_place() {
    let aiger = |text: &str, finding: &str| refuses(Language::Aiger, text, finding);
    aiger("", "not-aiger 1:1");
    aiger(
        "aag 1 2 3\n",
        "aiger-header 1:10 the header has five numbers",
    );
    aiger(
        "aag 1 1 1 0 0\n2\n4 2\n",
        "aiger-header 1:1 the largest variable is 1",
    );
    aiger(
        "aag 1 1 0 1 0\n2\n",
        "aiger-end 3:1 the file ends where an output",
    );
    aiger(
        "aag 1 1 0 1 0\n2\nx\n",
        "aiger-number 3:1 an output is expected",
    );
    aiger(
        "aag 1 1 0 0 0\n3\n",
        "aiger-definition 2:1 what is defined has an even",
    );
    aiger(
        "aag 2 1 1 0 0\n2\n2 3\n",
        "aiger-definition 3:1 2 is defined twice",
    );
    aiger("aag 2 0 1 0 0\n2 3 4\n", "aiger-reset 2:5");
    aiger(
        "aag 3 1 0 1 0\n2\n6\n",
        "aiger-undefined 3:1 6 is not defined",
    );
    aiger("aag 2 0 0 0 2\n2 4 4\n4 2 2\n", "aiger-cycle");
    aiger(
        "aag 1 1 0 0 0\n2\ni0 a\ni0 b\n",
        "aiger-symbol 4:1 `i0` has two names",
    );
    aiger(
        "aag 1 1 0 0 0\n2\ni1 a\n",
        "aiger-symbol 3:1 there is no `i1`",
    );
    aiger(
        "aig 2 1 0 0 1\n\u{0}\u{1}",
        "aiger-gate 2:1 the inputs of gate 4",
    );
    aiger("aig 300000 300000 0 0 0\n", "aiger-too-large 1:1");
    aiger(
        "aag 99999999999 0 0 0 0\n",
        "aiger-number 1:5 the number is too large",
    );
}

#[test]
fn a_counter_in_btor2_is_printed_back() {
    let text = "\
; counts while it is enabled
1 sort bitvec 1
2 sort bitvec 4
3 input 1 enable
4 zero 2
5 state 2 count
6 init 2 5 4
7 inc 2 5
8 ite 2 3 7 5
9 next 2 5 8
10 constd 2 -1
11 eq 1 5 10
12 bad 11 full
13 justice 2 11 -3
";
    let printed = "\
; test
1 sort bitvec 1
2 input 1 enable
3 sort bitvec 4
4 constd 3 0
5 state 3 count
6 init 3 5 4
7 constd 3 1
8 add 3 5 7
9 ite 3 2 8 5
10 next 3 5 9
11 constd 3 15
12 eq 1 5 11
13 bad 12 full
14 justice 2 12 -2
";
    assert_eq!(check(Language::Btor2, text), printed);
}

#[test]
fn wrong_btor2_files_are_refused_at_the_place() {
    let head =
        "1 sort bitvec 1\n2 sort bitvec 4\n3 sort array 2 1\n4 state 2\n5 input 2\n6 state 3\n";
    let btor2 = |line: &str, finding: &str| {
        refuses(Language::Btor2, &format!("{head}{line}\n"), finding);
    };
    btor2("x zero 1", "btor2-id 7:1 a line begins with its id");
    btor2("6 zero 1", "btor2-id 7:1 the id 6 is used twice");
    btor2("7 nand 2 4", "btor2-missing 7:11 an operand is missing");
    btor2(
        "7 adn 2 4 4",
        "btor2-operator 7:3 there is no `adn` (did you mean `and`?)",
    );
    btor2("7 and 2 4 9", "btor2-undefined 7:11 9 is not defined");
    btor2("7 and 2 4 2", "btor2-no-value 7:11");
    btor2(
        "7 and 1 4 5",
        "btor2-sort 7:7 the result is a bit-vector of width 4",
    );
    btor2(
        "7 eq 2 4 5",
        "btor2-sort 7:6 the result is a bit-vector of width 1",
    );
    btor2("7 and 2 4 6", "btor2-operands 7:3 `and` does not take");
    btor2("7 sort bitvec 0", "btor2-width 7:15");
    btor2("7 sort bitvec 99999", "btor2-width 7:15");
    btor2("7 sort array 2 3", "btor2-nested-array 7:16");
    btor2(
        "7 const 2 11111",
        "btor2-constant 7:11 5 digits for a width of 4",
    );
    btor2(
        "7 constd 2 16",
        "btor2-constant 7:12 the number does not fit",
    );
    btor2("7 constd 2 -9", "btor2-constant 7:12");
    btor2("7 next 2 5 4", "btor2-no-state 7:10");
    btor2("7 init 2 4 5", "btor2-init 7:12 a first value depends only");
    btor2("7 next 2 4 4\n8 next 2 4 5", "btor2-twice 8:3");
    btor2("7 slice 1 4 4 4", "btor2-slice 7:3");
    btor2("7 bad 4", "btor2-sort 7:7 a condition has width 1");
    btor2("7 not 3 -6", "btor2-sort 7:9 an array has no complement");
    btor2("7 zero 1 a b", "btor2-line 7:12");
}

#[test]
fn what_is_wrong_because_of_another_line_is_not_reported() {
    let text = "1 sort bitvec 0\n2 state 1\n3 not 1 2\n4 bad 3\n5 bad 9\n";
    let findings = refused(Language::Btor2, text);
    let ids: Vec<&str> = findings
        .lines()
        .filter_map(|l| l.split(' ').next())
        .collect();
    assert_eq!(ids, ["btor2-width", "btor2-undefined"]);
}

/// A chain of gates, each read twice: what is made of it must not be longer than the file.
#[test]
fn a_long_chain_of_gates_is_read_in_linear_time() {
    let n = 200_000;
    let mut text = format!(
        "aag {} 2 1 1 {n}\n2\n4\n6 {}\n{}\n",
        n + 3,
        2 * (n + 3),
        2 * (n + 3)
    );
    for gate in 4..n + 4 {
        let (own, before) = (2 * gate, 2 * (gate - 1));
        let other = if gate % 3 == 0 {
            2
        } else {
            before - 1 + gate % 2
        };
        let _ = writeln!(
            text,
            "{own} {before} {}",
            if gate == 4 { 2 } else { other.max(2) }
        );
    }
    let start = std::time::Instant::now();
    let loaded = load(Language::Aiger, "chain", &text).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(loaded.system.properties.len(), 1);
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn the_examples_survive_a_round_trip() {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    for (folder, language) in [
        ("aiger", Language::Aiger),
        ("btor2", Language::Btor2),
        ("vmt", Language::Vmt),
        ("moxi", Language::Moxi),
    ] {
        let files =
            std::fs::read_dir(format!("{examples}/{folder}")).expect("a folder of examples");
        let mut n = 0;
        for file in files {
            let path = file.expect("the folder is readable").path();
            let text = std::fs::read_to_string(&path).expect("the file is readable");
            check(language, &text);
            n += 1;
        }
        assert!(n >= 5, "{n} examples in {folder}");
    }
}

/// A state that first values read stays a state, though it has neither a first nor a next value itself.
#[test]
fn what_first_values_read_is_written_as_a_state() {
    let text = "1 sort bitvec 2\n2 state 1 free\n3 state 1 x\n4 init 1 3 2\n5 next 1 3 3\n6 sort bitvec 1\n7 eq 6 2 3\n8 bad -7\n";
    let printed = check(Language::Btor2, text);
    assert!(printed.contains("state 1 free"), "{printed}");
}
