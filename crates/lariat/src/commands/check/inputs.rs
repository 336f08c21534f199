//! The inputs of a run of a C program: what each call without a body returned, in order.
//!
//! The model that was checked does not have all of them: what cannot matter was left out, and an input
//! that is only compared with zero became a choice of branches. So the program is read again, with every
//! input stored in a variable of its own, and its steps are chosen such that they follow the run that was
//! found: inside each step of the check by a search over the few ways there are. What comes out is a run of
//! the whole program, statement by statement.

use super::CheckArgs;
use super::c_text::CText;
use super::follow::Guide;
use super::questions::overflow;
use crate::load::Overflow;
use crate::session::Session;
use lariat_base::{SourceFile, SourceId, Span};
use lariat_check::Counterexample;
use lariat_expr::{Int, Sort, Value};
use lariat_frontend::{COptions, Options, parse_with};
use lariat_system::{Context, Language, State, Stmt, System};
use lariat_verify::{Model, Property, label};
use std::ops::Range;

/// How many rounds of a loop a run has.
pub const ROUNDS: usize = 3;

/// A place in the program where an input comes in.
pub struct Site {
    /// The call.
    pub call: Range<usize>,
    /// Its text.
    pub text: String,
    /// `file:line`.
    pub place: String,
}

/// A step of the program by itself.
pub struct Taken {
    /// The part of the original text that it stands for.
    pub text: Option<Range<usize>>,
    /// The state before it.
    pub before: State,
    /// The state after it.
    pub after: State,
    /// The inputs that came in: the site's number and the value.
    pub inputs: Vec<(usize, Value)>,
}

/// A run of the whole program.
pub struct ProgramRun {
    /// Where the text of the program is.
    pub source: SourceId,
    /// The terms of the system.
    pub cx: Context,
    /// The program with its inputs in variables.
    pub system: System,
    /// Where inputs come in.
    pub sites: Vec<Site>,
    /// The steps: the stem, the loop three times, and for a finite run a little more if there is.
    pub steps: Vec<Taken>,
    /// How many steps the stem has, or a finite run.
    pub n_stem: usize,
    /// How many steps one round of the loop has; none for a finite run.
    pub n_round: Option<usize>,
}

/// One input, for reports.
pub struct Input {
    /// The call.
    pub call: String,
    /// `file:line`.
    pub place: String,
    /// What it returned.
    pub value: String,
}

impl ProgramRun {
    /// The inputs of the stem (or of a finite run) and of one round of the loop.
    pub fn inputs(&self) -> (Vec<Input>, Vec<Input>) {
        let list = |steps: &[Taken]| {
            let all = steps.iter().flat_map(|taken| &taken.inputs);
            let input = |&(site, ref value): &(usize, Value)| Input {
                call: self.sites[site].text.clone(),
                place: self.sites[site].place.clone(),
                value: self.shown(site, value),
            };
            all.map(input).collect()
        };
        let end = self.n_stem + self.n_round.unwrap_or(0);
        (
            list(&self.steps[..self.n_stem]),
            list(&self.steps[self.n_stem..end]),
        )
    }

    /// The value of an input as a number of C.
    pub fn shown(&self, site: usize, value: &Value) -> String {
        let at = position(&self.cx, &self.system, &variable(site));
        let variable = at.map(|at| &self.system.variables[at]);
        match (value, variable) {
            (Value::Bv(bits), Some(variable)) => {
                let range = variable.range.as_ref();
                let signed = range.is_none_or(|(low, _)| low.is_negative());
                let sort = self.cx.terms.var_sort(variable.var);
                match self.cx.terms.sorts.get(sort) {
                    Sort::Bv(width) if signed => signed_number(bits, *width),
                    _ => bits.to_string(),
                }
            }
            (Value::Int(number) | Value::Bv(number), _) => number.to_string(),
            (other, _) => format!("{other:?}"),
        }
    }
}

/// The place of a variable among those of a system.
pub fn position(cx: &Context, system: &System, name: &str) -> Option<usize> {
    let variables = system.variables.iter();
    let mut names = variables.map(|variable| cx.terms.name(variable.var));
    names.position(|known| known == name)
}

/// Bits as a number in two's complement.
fn signed_number(bits: &Int, width: u32) -> String {
    if *bits < Int::power_of_two(width - 1) {
        return bits.to_string();
    }
    (bits - &Int::power_of_two(width)).to_string()
}

/// The variable that holds what comes in at a site.
pub fn variable(site: usize) -> String {
    format!("lariat_input_{site}")
}

/// The run of the whole program that a counterexample stands for; nothing if the model is
/// no C program by itself, or if the run could not be followed.
pub fn program_run(
    args: &CheckArgs,
    session: &Session,
    model: &mut Model,
    asked: &Property,
    counterexample: &Counterexample,
) -> Option<ProgramRun> {
    if model.composed.is_some() || model.systems[0].language != Language::C {
        return None;
    }
    let source = model.files[0];
    let file = session.sources.file(source);
    let text = CText::new(&file.text);
    let sites = sites(session, model, source, &text);
    let (instrumented, inserted) = instrument(&file.text, &text, &sites);
    let mut cx = Context::new();
    let options = Options {
        c: COptions {
            ints: args.model.reading.ints(),
            overflow: overflow(&args.property) == Overflow::Watch,
            skip_includes: true,
            recursion: args.model.reading.recursion(),
        },
    };
    let instrumented = SourceFile {
        name: file.name.clone(),
        text: instrumented,
    };
    let parsed = parse_with(&mut cx, Language::C, source, &instrumented, &options).ok()?;
    let (run, honda) = match counterexample {
        Counterexample::Path(run) => (run, None),
        Counterexample::Lasso(lasso) => (&lasso.run, Some(lasso.honda)),
    };
    let mut guide = Guide::new(
        session,
        model,
        asked,
        &cx,
        &parsed.system,
        &sites,
        &inserted,
    )?;
    let mut state = guide.start(run.steps.first()?)?;
    let mut steps = Vec::new();
    let last = run.steps.len() - 1;
    let n_stem = honda.unwrap_or(last);
    let rounds = honda.map_or(0, |_| ROUNDS);
    let loop_ = (0..rounds).flat_map(|_| n_stem + 1..=last);
    let mut marks = (0, 0);
    for (n, i) in (1..=n_stem).chain(loop_).enumerate() {
        state = guide.follow(
            session,
            model,
            &run.steps[i - 1].state,
            &run.steps[i],
            state,
            &mut steps,
        )?;
        if n + 1 == n_stem {
            marks.0 = steps.len();
        }
        if n + 1 == last {
            marks.1 = steps.len();
        }
    }
    if honda.is_none() {
        marks.0 = steps.len();
        guide.go_on(state, &mut steps);
    }
    let n_round = honda.map(|_| marks.1 - marks.0);
    Some(ProgramRun {
        source,
        cx,
        system: parsed.system,
        sites,
        steps,
        n_stem: marks.0,
        n_round,
    })
}

/// The places where inputs come in: calls of `__VERIFIER_nondet…`, and what the model has values for.
fn sites(session: &Session, model: &Model, source: SourceId, text: &CText) -> Vec<Site> {
    let mut calls = text.calls(|name| name.starts_with("__VERIFIER_nondet") && !text.defines(name));
    let cx = &session.cx;
    for (_, edges) in model.systems[0].edges.rows() {
        for edge in edges {
            cx.stmts.walk(edge.stmt, |id, stmt| {
                if let (Stmt::Havoc(_) | Stmt::Declare(_, None), Some(span)) =
                    (stmt, cx.stmts.span(id))
                    && text.is_call(&span.range())
                {
                    calls.push(span.range());
                }
            });
        }
    }
    calls.sort_by_key(|range| (range.start, range.end));
    calls.dedup();
    let site = |call: Range<usize>| {
        let span = Span::new(source, call.start, call.end);
        let words: Vec<&str> = session.sources.snippet(span).split_whitespace().collect();
        Site {
            text: words.join(" "),
            place: label::place(&session.sources, span),
            call,
        }
    };
    calls.into_iter().map(site).collect()
}

/// The type of a call's result, as C text.
fn result_type(text: &CText, call: &str) -> String {
    let name = call.split('(').next().unwrap_or_default().trim();
    if let Some(declared) = text.declared_type(name) {
        return declared;
    }
    let known = match name.strip_prefix("__VERIFIER_nondet_").unwrap_or_default() {
        "bool" | "_Bool" => "_Bool",
        "char" => "char",
        "uchar" => "unsigned char",
        "short" => "short",
        "ushort" => "unsigned short",
        "uint" | "unsigned" => "unsigned",
        "long" | "longlong" | "loff_t" => "long",
        "ulong" | "ulonglong" | "size_t" => "unsigned long",
        _ => "int",
    };
    known.to_owned()
}

/// The program with each input stored, and what was inserted: place in the original, length.
fn instrument(original: &str, text: &CText, sites: &[Site]) -> (String, Vec<(usize, usize)>) {
    let mut pieces: Vec<(usize, bool, String)> = Vec::new();
    for (i, site) in sites.iter().enumerate() {
        if is_statement(text, &site.call) {
            continue;
        }
        let (name, ty) = (variable(i), result_type(text, &site.text));
        pieces.push((
            text.item_start(site.call.start),
            false,
            format!("{ty} {name}; "),
        ));
        pieces.push((site.call.start, false, format!("({name} = ")));
        pieces.push((site.call.end, true, ")".into()));
    }
    // What closes at a place comes before what opens there.
    pieces.sort_by_key(|(at, closes, _)| (*at, !closes));
    let mut out = String::with_capacity(original.len() + 64 * sites.len());
    let mut inserted = Vec::new();
    let mut done = 0;
    for (at, _, piece) in pieces {
        out.push_str(&original[done..at]);
        out.push_str(&piece);
        inserted.push((at, piece.len()));
        done = at;
    }
    out.push_str(&original[done..]);
    (out, inserted)
}

/// Whether a call is a whole statement: its value goes nowhere.
fn is_statement(text: &CText, call: &Range<usize>) -> bool {
    let ends = matches!(text.after(call.end), Some((_, b';')));
    let starts = matches!(
        text.before(call.start),
        None | Some((_, b';' | b'{' | b'}' | b':'))
    );
    ends && (starts || matches!(text.word_before(call.start), b"else" | b"do"))
}
