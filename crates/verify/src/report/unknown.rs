//! Why a property is unknown, and what is likely to help: one line each.
//!
//! The cause says what stood in the way as far as the attempts tell, and what there is in the model that is known to be
//! hard. The advice is a rule of thumb, not a promise.

use crate::model::Model;
use crate::pass::{Applied, Done};
use crate::portfolio::{Attempt, End};
use crate::property::Property;
use crate::task::Answer;
use lariat_base::{FxHashSet, Stop};
use lariat_check::{Kind, Setting, Statistics, Unknown, Verdict};
use lariat_expr::{BvOp, Dialect, Head, Op, Sort, TermId, VarId, print_term};
use lariat_system::{Context, Stmt, System};
use serde::Serialize;

/// The longest term or description of a state that stands in a line.
const LONGEST: usize = 80;

/// Why a property is unknown.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct UnknownReport {
    /// `time`, `memory`, `cancelled`, `infinite`, `no-progress`, `solver`, `unsupported` or `cut-off`.
    pub kind: &'static str,
    /// What stood in the way.
    pub cause: String,
    /// What is likely to help, if anything is known.
    pub advice: Option<String>,
    /// No run with so many steps or fewer refutes it, stem and loop together; nothing if that is known of no number.
    pub no_counterexample_up_to: Option<u64>,
}

impl UnknownReport {
    /// Why an answer is unknown, if it is.
    pub fn new(cx: &Context, model: &Model, property: &Property, answer: &Answer) -> Option<Self> {
        let Verdict::Unknown(why) = &answer.verdict else {
            return None;
        };
        let attempts = &answer.attempts[..answer.about_cuts];
        let look = Look {
            why,
            hard: Hard::new(cx, model, property, &answer.passes),
            attempts,
            kind: answer.shape.as_ref().map(|shape| shape.kind),
            is_temporal: property.is_temporal(),
        };
        Some(Self {
            kind: kind(why),
            cause: look.cause(),
            advice: look.advice(),
            // Where a model is cut off, nothing is known of runs that come there.
            no_counterexample_up_to: clear_steps(attempts).filter(|_| model.cuts().is_empty()),
        })
    }

    /// How far there is no counterexample, in words.
    pub fn known(&self) -> Option<String> {
        let n_steps = self.no_counterexample_up_to.filter(|&n| n > 0)?;
        let steps = if n_steps == 1 { "step" } else { "steps" };
        Some(format!("no counterexample up to {n_steps} {steps}"))
    }
}

/// The most steps for which an attempt knows that no run refutes the property. A step of the model that engines see is at
/// least one of the model as given, and each state of a lasso there is one of the lasso here.
fn clear_steps(attempts: &[Attempt]) -> Option<u64> {
    let statistics = attempts.iter().flat_map(|attempt| &attempt.statistics);
    statistics.filter_map(Statistics::clear_steps).max()
}

fn kind(why: &Unknown) -> &'static str {
    match why {
        Unknown::Stopped(Stop::Time) => "time",
        Unknown::Stopped(Stop::Memory) => "memory",
        Unknown::Stopped(Stop::Cancelled) => "cancelled",
        Unknown::Infinite(_) => "infinite",
        Unknown::NoProgress(_) => "no-progress",
        Unknown::Solver(_) => "solver",
        Unknown::Unsupported(_) => "unsupported",
        Unknown::CutOff(_) => "cut-off",
    }
}

/// What the attempts and the model tell.
struct Look<'a> {
    why: &'a Unknown,
    hard: Hard,
    attempts: &'a [Attempt],
    /// The kind of model, if the engines were chosen by it.
    kind: Option<Kind>,
    is_temporal: bool,
}

impl Look<'_> {
    fn cause(&self) -> String {
        let first = match self.why {
            Unknown::Stopped(_) => self.at_work(),
            Unknown::Infinite(what)
            | Unknown::NoProgress(what)
            | Unknown::Solver(what)
            | Unknown::Unsupported(what)
            | Unknown::CutOff(what) => shortened(what),
        };
        let mut parts = vec![first];
        // What cannot be handled or was cut off has nothing to do with what is hard.
        if !matches!(self.why, Unknown::Unsupported(_) | Unknown::CutOff(_)) {
            parts.extend(self.hard.words(self.is_temporal));
        }
        parts.join("; ")
    }

    /// What the attempt was doing that got the most work.
    fn at_work(&self) -> String {
        let longest = self.attempts.iter().max_by_key(|attempt| attempt.work);
        let Some(attempt) = longest else {
            return "it ended while the model was being prepared".into();
        };
        let engine = attempt.engine.describe();
        let others = match self.attempts.len() - 1 {
            0 => String::new(),
            1 => " (and one other method)".into(),
            n => format!(" (and {n} other methods)"),
        };
        let did = match (&attempt.end, &attempt.last_round, &attempt.statistics) {
            (End::GaveUp(why), ..) if !matches!(why, Unknown::Stopped(_)) => {
                format!("gave up: {}", shortened(&why.to_string()))
            }
            (_, Some(last), _) => {
                format!("was in round {}: {}", last.number, shortened(&last.outcome))
            }
            (_, None, Some(Statistics::Explicit(stats))) => {
                format!("had met {} states", stats.states)
            }
            _ => "had not ended its first round".into(),
        };
        format!("{engine}{others} {did}")
    }

    fn advice(&self) -> Option<String> {
        let alone = self.kind.is_none();
        Some(match self.why {
            Unknown::Stopped(Stop::Cancelled) | Unknown::CutOff(_) => return None,
            Unknown::Stopped(Stop::Memory) if self.uses("engine", "explicit") => {
                "raise `--memory`, or try `--engine cegar`, which keeps no list of all states".into()
            }
            Unknown::Stopped(Stop::Memory) => "raise `--memory`, or leave out what the property does not need".into(),
            Unknown::Infinite(what) if what.starts_with("there are more than") => {
                "raise `--max-states`, or try `--engine auto`, which also abstracts from values".into()
            }
            Unknown::Infinite(_) if alone => {
                "try `--engine auto`, which also abstracts from values; or give the variable a range".into()
            }
            Unknown::Unsupported(_) if alone => "try `--engine auto`, which uses what fits".into(),
            _ if self.uses("ranking", "off") => {
                "leave out `--ranking off`: that a loop ends often needs a measure".into()
            }
            _ if self.hard.product.is_some() => {
                "write the product as cases, or give its factors small ranges: few arguments are known for products".into()
            }
            _ if alone && self.uses("domain", "expl") => {
                "try `--domain pred-cart`, a larger `--max-enum`, or `--engine auto`: steps with very many values leave a value unknown".into()
            }
            _ if alone => "try `--engine auto` (the default): other methods may do better".into(),
            _ if self.hard.has_bits => {
                "try `--int math` if no number can overflow: unbounded integers are simpler than machine words".into()
            }
            Unknown::Stopped(Stop::Time) if self.kind == Some(Kind::Finite) => {
                "give it more time, or fewer or smaller ranges; `--engine explicit` spends all of it on listing states".into()
            }
            _ if self.hard.counter.is_some() => {
                let name = self.hard.counter.as_deref().unwrap_or_default();
                format!("give `{name}` a range, or bound it in the model, if it need not be unbounded")
            }
            Unknown::Stopped(Stop::Time) => "give it more time, or leave out what the property does not need".into(),
            _ => "try another `--domain` (`pred-split`, `expl-pred-cart`), or leave out what the property does not need".into(),
        })
    }

    /// Whether all attempts that have this setting had this value.
    fn uses(&self, name: &str, value: &'static str) -> bool {
        let attempts = self.attempts.iter();
        let settings = attempts.flat_map(|attempt| attempt.engine.settings(self.is_temporal));
        let mut own = settings.filter(|(own, _)| *own == name).peekable();
        own.peek().is_some() && own.all(|(_, setting)| setting == Setting::Name(value))
    }
}

/// What there is in a model that is known to be hard.
struct Hard {
    /// A product or quotient of two terms of which neither is a number.
    product: Option<String>,
    /// A variable without a range that steps count up or down, and that matters.
    counter: Option<String>,
    /// A C program with machine words.
    has_bits: bool,
}

impl Hard {
    fn new(cx: &Context, model: &Model, property: &Property, passes: &[Done]) -> Self {
        let mut dropped: FxHashSet<VarId> = FxHashSet::default();
        for done in passes {
            if let Applied::Sliced(sliced) = &done.applied {
                dropped.extend(&sliced.dropped);
            }
        }
        let stmts = || model.systems.iter().flat_map(System::all_stmts);
        let mut roots: Vec<TermId> = stmts().flat_map(|stmt| cx.stmts.terms(stmt)).collect();
        roots.extend(property.terms());
        let subterms = cx.terms.subterms(&roots);
        let product = subterms.iter().find(|&&term| is_product(cx, term));
        let variables = model.systems.iter().flat_map(|system| &system.variables);
        let has_bits =
            |var: VarId| matches!(cx.terms.sorts.get(cx.terms.var_sort(var)), Sort::Bv(_));
        let free: FxHashSet<VarId> = variables
            .clone()
            .filter(|variable| variable.range.is_none() && !dropped.contains(&variable.var))
            .map(|variable| variable.var)
            .collect();
        let mut counters = Vec::new();
        for stmt in stmts() {
            cx.stmts.walk(stmt, |_, stmt| match stmt {
                Stmt::Assign(var, term) if free.contains(&var) && counts(cx, var, term) => {
                    counters.push(var);
                }
                _ => {}
            });
        }
        // What the property speaks of tells most.
        let read = cx.terms.free_vars(&property.terms());
        let asked = counters.iter().find(|&var| read.contains(var));
        let counter = asked.or(counters.first());
        Self {
            product: product.map(|&term| shortened(&print_term(&cx.terms, term, &Dialect::GCL))),
            counter: counter.map(|&var| cx.terms.name(var).to_owned()),
            has_bits: model.systems.iter().any(|system| system.program.is_some())
                && variables.clone().any(|variable| has_bits(variable.var)),
        }
    }

    fn words(&self, is_temporal: bool) -> Option<String> {
        match (&self.product, &self.counter) {
            (Some(product), _) => {
                Some(format!("the model computes {product}, which is not linear"))
            }
            (None, Some(name)) if is_temporal => Some(format!(
                "`{name}` is counted and has no range, so that a loop need not come back to a state"
            )),
            (None, Some(name)) => Some(format!("`{name}` is counted and has no range")),
            (None, None) => None,
        }
    }
}

/// Whether a term multiplies or divides by what is no number.
fn is_product(cx: &Context, term: TermId) -> bool {
    let is_number = |&arg: &TermId| cx.terms.as_lit(arg).is_some();
    match cx.terms.head(term) {
        Head::Op(Op::Mul | Op::Bv(BvOp::Mul), args) => {
            args.iter().filter(|arg| !is_number(arg)).count() > 1
        }
        Head::Op(Op::Div | Op::Mod | Op::Rem | Op::RatDiv, args) => {
            !args.last().is_some_and(is_number)
        }
        _ => false,
    }
}

/// Whether a variable gets its own value and a number more or less.
fn counts(cx: &Context, var: VarId, term: TermId) -> bool {
    let is_own = |&arg: &TermId| cx.terms.as_var(arg) == Some(var);
    let is_number = |arg: &TermId| cx.terms.as_lit(*arg).is_some();
    match cx.terms.head(term) {
        Head::Op(Op::Add, args) => args.iter().any(is_own) && args.iter().any(is_number),
        _ => false,
    }
}

/// A text with its middle left out if it is long.
pub fn shortened(text: &str) -> String {
    let n_chars = text.chars().count();
    if n_chars <= 2 * LONGEST {
        return text.to_owned();
    }
    let start: String = text.chars().take(LONGEST).collect();
    let end: String = text.chars().skip(n_chars - LONGEST / 2).collect();
    format!("{} … {}", start.trim_end(), end.trim_start())
}
