//! Replays what a recorder wrote.
//!
//! For every check of a script a fresh Z3 reads the declarations and the assertions in scope as text, and
//! must give the answer that the script gives as a comment.

use crate::Make;
use lariat_smt::{Backend, Recorder, Z3};
use std::cell::RefCell;
use std::fmt::Write as _;
use std::io;
use std::rc::Rc;
use z3::{SatResult, Solver};

/// A shared buffer.
#[derive(Clone, Default)]
struct Script(Rc<RefCell<Vec<u8>>>);

impl io::Write for Script {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Runs a topic on recorders and replays their scripts.
pub fn same_answers(topic: fn(Make)) {
    let scripts: RefCell<Vec<Script>> = RefCell::default();
    let make = || -> Box<dyn Backend> {
        let script = Script::default();
        scripts.borrow_mut().push(script.clone());
        Box::new(Recorder::new(Z3::default(), script))
    };
    topic(&make);
    let mut n_checks = 0;
    for script in scripts.into_inner() {
        let text = String::from_utf8(script.0.take()).expect("scripts are text");
        n_checks += replay(&text);
    }
    assert!(n_checks > 0, "a script has checks");
}

/// Replays one script; how many checks it has.
fn replay(text: &str) -> usize {
    let mut global = String::new();
    let mut scopes: Vec<Vec<&str>> = vec![Vec::new()];
    let mut asked: Option<(SatResult, &str)> = None;
    let mut n_checks = 0;
    for line in text.lines() {
        if let Some(answer) = line.strip_prefix("; -> ") {
            if let Some((found, question)) = asked.take() {
                n_checks += 1;
                let same = match answer {
                    "sat" => found == SatResult::Sat,
                    "unsat" => found == SatResult::Unsat,
                    _ => true,
                };
                assert!(same, "{question} was {answer} and is {found:?} in\n{text}");
            }
        } else if line.starts_with(';') || line.starts_with("(set-") {
            asked = None;
        } else if line == "(push 1)" {
            scopes.push(Vec::new());
        } else if line == "(pop 1)" {
            scopes.pop();
        } else if line.starts_with("(assert ") {
            scopes.last_mut().expect("scopes are balanced").push(line);
        } else if line.starts_with("(check-sat") {
            asked = Some((check(&global, &scopes, line), line));
        } else {
            assert!(
                line.starts_with("(d"),
                "only declarations and definitions are left: {line}"
            );
            global.push_str(line);
            global.push('\n');
        }
    }
    // What follows the last check must be read, too.
    check(&global, &scopes, "(check-sat)");
    n_checks
}

fn check(global: &str, scopes: &[Vec<&str>], question: &str) -> SatResult {
    let mut script = global.to_owned();
    let mut n_assertions = 0;
    let guards = question
        .strip_prefix("(check-sat-assuming (")
        .map_or("", |rest| rest.trim_end_matches(')'));
    for assertion in scopes.iter().flatten() {
        script.push_str(assertion);
        n_assertions += 1;
    }
    for guard in guards.split_whitespace() {
        let _ = write!(script, "(assert {guard})");
        n_assertions += 1;
    }
    script += "(assert true)";
    n_assertions += 1;
    let solver = Solver::new();
    solver.from_string(script.clone());
    assert_eq!(
        solver.get_assertions().len(),
        n_assertions,
        "Z3 does not read\n{script}"
    );
    solver.check()
}
