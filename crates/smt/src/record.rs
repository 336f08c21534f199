//! Writes everything that is asked as an SMT-LIB script.
//!
//! [`Recorder`] wraps a backend, passes every request on, and writes it as text that any SMT-LIB solver
//! runs: to look at what an engine asked, to report a bug of a solver, to compare solvers. Answers are
//! comments that begin with `; ->`. Assumptions are guarded as in the Z3 backend (SMT-LIB allows only
//! literals). Interpolation has no standard command: its parts are definitions, its result comments.

use crate::smtlib::Writer;
use crate::{
    Answer, Cores, HornSystem, Interpolants, Interpolate, Method, Models, Reason, Solver,
    Statistics,
};
use lariat_base::{Budget, FxHashSet, Id};
use lariat_expr::{TermId, Terms, Value};
use std::fmt::Write as _;
use std::io;

/// A backend that writes what it is asked.
#[derive(Debug)]
pub struct Recorder<B, W> {
    inner: B,
    out: W,
    /// The first error of `out`; nothing is written after it.
    broken: Option<io::Error>,
    writer: Writer,
    /// The guards that are declared, and for each open scope those whose meaning is asserted there; the
    /// first scope is always open.
    declared: FxHashSet<TermId>,
    scopes: Vec<FxHashSet<TermId>>,
    n_interpolations: u32,
}

impl<B, W: io::Write> Recorder<B, W> {
    /// Records what `inner` is asked to `out`.
    pub fn new(inner: B, out: W) -> Self {
        let mut recorder = Self {
            inner,
            out,
            broken: None,
            writer: Writer::default(),
            declared: FxHashSet::default(),
            scopes: vec![FxHashSet::default()],
            n_interpolations: 0,
        };
        recorder.write(
            "(set-option :global-declarations true)\n\
             (set-option :produce-models true)\n\
             (set-option :produce-unsat-assumptions true)\n\
             (set-logic ALL)\n",
        );
        recorder
    }

    /// The backend and the output, or the first error of writing.
    pub fn finish(mut self) -> io::Result<(B, W)> {
        match self.broken {
            Some(error) => Err(error),
            None => {
                self.out.flush()?;
                Ok((self.inner, self.out))
            }
        }
    }

    fn write(&mut self, text: &str) {
        if self.broken.is_none() {
            self.broken = self.out.write_all(text.as_bytes()).err();
        }
    }

    /// The literal by which a term is assumed; its meaning is written to `out` if it is not in scope.
    fn guard(&mut self, terms: &Terms, term: TermId, out: &mut String) -> String {
        let name = format!("g{}", term.index());
        if self.declared.insert(term) {
            let _ = writeln!(out, "(declare-fun {name} () Bool)");
        }
        if !self.scopes.iter().any(|scope| scope.contains(&term)) {
            let text = self.writer.term(terms, term, out);
            let _ = writeln!(out, "(assert (=> {name} {text}))");
            self.scopes
                .last_mut()
                .expect("the first scope is always open")
                .insert(term);
        }
        name
    }

    /// Writes a question, asks it and writes the answer.
    fn ask(
        &mut self,
        terms: &Terms,
        assumptions: &[TermId],
        ask: impl FnOnce(&mut B) -> Answer,
    ) -> Answer {
        let mut text = String::new();
        let guards: Vec<String> = assumptions
            .iter()
            .map(|&term| self.guard(terms, term, &mut text))
            .collect();
        let _ = match guards[..] {
            [] => writeln!(text, "(check-sat)"),
            _ => writeln!(text, "(check-sat-assuming ({}))", guards.join(" ")),
        };
        // Before it is asked: a solver that crashes or hangs leaves its question behind.
        self.write(&text);
        let answer = ask(&mut self.inner);
        self.write(&match &answer {
            Answer::Sat => "; -> sat\n".into(),
            Answer::Unsat => "; -> unsat\n".into(),
            Answer::Unknown(reason) => format!("; -> unknown: {}\n", one_line(reason)),
        });
        answer
    }
}

impl<B: Solver, W: io::Write> Solver for Recorder<B, W> {
    fn push(&mut self) {
        self.write("(push 1)\n");
        self.scopes.push(FxHashSet::default());
        self.inner.push();
    }

    fn pop(&mut self) {
        assert!(self.scopes.len() > 1, "a scope is open");
        self.scopes.pop();
        self.write("(pop 1)\n");
        self.inner.pop();
    }

    fn assert(&mut self, terms: &Terms, term: TermId) {
        let mut text = String::new();
        let formula = self.writer.term(terms, term, &mut text);
        let _ = writeln!(text, "(assert {formula})");
        self.write(&text);
        self.inner.assert(terms, term);
    }

    fn check(&mut self, terms: &Terms, assumptions: &[TermId]) -> Answer {
        self.ask(terms, assumptions, |inner| inner.check(terms, assumptions))
    }

    fn check_briefly(&mut self, terms: &Terms, assumptions: &[TermId], steps: u32) -> Answer {
        self.ask(terms, assumptions, |inner| {
            inner.check_briefly(terms, assumptions, steps)
        })
    }

    fn set_budget(&mut self, budget: &Budget) {
        self.inner.set_budget(budget);
    }

    fn statistics(&self) -> &Statistics {
        self.inner.statistics()
    }
}

impl<B: Models, W: io::Write> Models for Recorder<B, W> {
    fn value(&mut self, terms: &Terms, term: TermId) -> Option<Value> {
        let mut text = String::new();
        let asked = self.writer.term(terms, term, &mut text);
        let value = self.inner.value(terms, term);
        let shown = match &value {
            Some(value) => value.display(&terms.sorts, terms.sort(term)),
            None => "none".into(),
        };
        let _ = writeln!(text, "; value of {asked}\n; -> {shown}");
        self.write(&text);
        value
    }
}

impl<B: Cores, W: io::Write> Cores for Recorder<B, W> {
    fn core(&mut self) -> Vec<TermId> {
        let core = self.inner.core();
        let names: Vec<String> = core
            .iter()
            .map(|term| format!("g{}", term.index()))
            .collect();
        self.write(&format!("; unsat core\n; -> {}\n", names.join(" ")));
        core
    }
}

impl<B: Interpolate, W: io::Write> Interpolate for Recorder<B, W> {
    fn interpolate(&mut self, terms: &mut Terms, parts: &[TermId]) -> Interpolants {
        self.write_parts(terms, parts);
        let result = self.inner.interpolate(terms, parts);
        self.write_interpolants(terms, &result);
        result
    }

    fn interpolate_by(
        &mut self,
        method: Method,
        terms: &mut Terms,
        parts: &[TermId],
    ) -> Interpolants {
        self.write_parts(terms, parts);
        let result = self.inner.interpolate_by(method, terms, parts);
        self.write_interpolants(terms, &result);
        result
    }

    /// Horn clauses are not recorded: they are no question about the assertions.
    fn solve_horn(
        &mut self,
        terms: &mut Terms,
        system: &HornSystem,
    ) -> Result<Vec<TermId>, Reason> {
        self.inner.solve_horn(terms, system)
    }
}

impl<B: Interpolate, W: io::Write> Recorder<B, W> {
    fn write_parts(&mut self, terms: &Terms, parts: &[TermId]) {
        let n = self.n_interpolations;
        self.n_interpolations += 1;
        let mut text = format!("; interpolation {n}: {} parts\n", parts.len());
        for (i, &part) in parts.iter().enumerate() {
            let formula = self.writer.term(terms, part, &mut text);
            let _ = writeln!(text, "(define-fun part!{n}!{i} () Bool {formula})");
        }
        self.write(&text);
    }

    fn write_interpolants(&mut self, terms: &Terms, result: &Interpolants) {
        let mut text = String::new();
        match result {
            Interpolants::Sequence(found) => {
                for &interpolant in found {
                    let formula = self.writer.term(terms, interpolant, &mut text);
                    let _ = writeln!(text, "; -> {formula}");
                }
            }
            Interpolants::Satisfiable => text.push_str("; -> sat\n"),
            Interpolants::Unknown(reason) => {
                let _ = writeln!(text, "; -> unknown: {}", one_line(reason));
            }
        }
        self.write(&text);
    }
}

fn one_line(reason: &Reason) -> String {
    reason.to_string().replace('\n', " ")
}
