//! `lariat convert`: a model with its properties in another language, with the meaning kept.
//!
//! ```text
//! Model ─► Machine ─► Functions ─┬─► Relation ─► SMV, VMT-LIB, MoXI
//!          (branches) (next values) ├─► words ─► BTOR2, bits ─► AIGER
//!                                   └─► System ─► GCL, XSTS, STS
//! ```
//!
//! All languages see the same machine. What one of them does not have is taken out step by step (enumerations become
//! bit-vectors, formulas automata), or the conversion is refused with the name of what cannot be expressed.

mod arrays;
mod automaton;
mod bits;
mod bounds;
mod circuit;
mod claim;
mod cuts;
mod enums;
mod functions;
mod integers;
mod interval;
mod machine;
mod moxi;
pub(crate) mod names;
mod relation;
mod settle;
mod shared;
mod smtlib;
mod smv;
mod systems;
mod vmt;

use crate::model::Model;
use crate::property::Property;
use automaton::{Which, add_automata, guess_compassion, keep_marks};
use bounds::Bounds;
use circuit::circuit;
use claim::Claim;
use cuts::leave_out_cuts;
use functions::Functions;
use lariat_base::Diagnostic;
use lariat_expr::{Sort, SortId, TermId, VarId};
use lariat_system::{Context, Language, System, TransitionSystem as _, Variable};
use machine::Machine;
use names::Names;
use relation::Relation;

/// The language of a file that is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// SMV.
    Smv,
    /// VMT-LIB.
    Vmt,
    /// `MoXI`.
    Moxi,
    /// BTOR2.
    Btor2,
    /// AIGER as text.
    Aag,
    /// Binary AIGER.
    Aig,
    /// STS.
    Sts,
    /// XSTS.
    Xsts,
    /// GCL.
    Gcl,
}

impl Target {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Smv,
        Self::Vmt,
        Self::Moxi,
        Self::Btor2,
        Self::Aag,
        Self::Aig,
        Self::Sts,
        Self::Xsts,
        Self::Gcl,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Smv => "smv",
            Self::Vmt => "vmt",
            Self::Moxi => "moxi",
            Self::Btor2 => "btor2",
            Self::Aag => "aag",
            Self::Aig => "aig",
            Self::Sts => "sts",
            Self::Xsts => "xsts",
            Self::Gcl => "gcl",
        }
    }

    /// The language as one that is read, if it is.
    pub fn language(self) -> Option<Language> {
        match self {
            Self::Smv => Some(Language::Smv),
            Self::Vmt => Some(Language::Vmt),
            Self::Moxi => Some(Language::Moxi),
            Self::Btor2 => Some(Language::Btor2),
            Self::Aag | Self::Aig => Some(Language::Aiger),
            Self::Sts => Some(Language::Sts),
            Self::Xsts => Some(Language::Xsts),
            Self::Gcl => Some(Language::Gcl),
        }
    }

    /// Whether files are text.
    pub fn is_text(self) -> bool {
        self != Self::Aig
    }
}

/// A file.
#[derive(Clone, Debug)]
pub struct Written {
    /// What is in it.
    pub bytes: Vec<u8>,
    /// The properties, in the order in which they were asked: the name in the file, if it has one there,
    /// and what was asked.
    pub properties: Vec<(String, String)>,
    /// Between which values integers lie, if they became bit-vectors: each with what is known, and from where.
    pub bounds: Vec<String>,
}

/// That a model cannot be converted, and why.
fn refuse(why: &str) -> Diagnostic {
    Diagnostic::error("cannot-convert", format!("the model {why}"))
}

/// Whether all integers of a model lie between bounds, those of `bounded` and those whose bounds a quick look finds. A model with more
/// than `max_steps` steps is not looked at.
pub(crate) fn is_bounded(
    cx: &Context,
    model: &mut Model,
    bounded: &[VarId],
    max_steps: usize,
) -> bool {
    let edges = |system: &System| system.edges.n_items();
    if model.systems.iter().map(edges).sum::<usize>() > max_steps {
        return false;
    }
    let is_open = |variable: &&Variable| {
        let sort = cx.terms.var_sort(variable.var);
        variable.range.is_none()
            && cx.terms.sorts.cardinality(sort).is_none()
            && !bounded.contains(&variable.var)
    };
    let open = model.variables().iter().filter(is_open);
    let open: Vec<VarId> = open.map(|variable| variable.var).collect();
    // The machine has variables of its own, which the model should not get.
    let mut cx = cx.clone();
    let machine = Machine::new(&mut cx, model);
    machine.is_ok_and(|machine| bounds::are_bounded(&cx, &machine, &open))
}

/// Writes a model with properties in another language.
pub fn convert(
    cx: &mut Context,
    model: &mut Model,
    properties: &[Property],
    target: Target,
) -> Result<Written, Diagnostic> {
    let written = once(cx, model, properties, target)?;
    match target {
        Target::Vmt | Target::Moxi => settle::settled(written, target),
        _ => Ok(written),
    }
}

fn once(
    cx: &mut Context,
    model: &mut Model,
    properties: &[Property],
    target: Target,
) -> Result<Written, Diagnostic> {
    leave_out_cuts(cx, model)?;
    let mut machine = Machine::new(cx, model)?;
    let claims = claim::claims(cx, model, &machine, properties);
    if let Target::Btor2 | Target::Aag | Target::Aig = target {
        let asked: Vec<TermId> = claims
            .iter()
            .flat_map(|claimed| claimed.claim.terms())
            .collect();
        machine.forget_dead_starts(cx, &asked);
    }
    let mut functions = Functions::new(cx, &machine, claims);
    let asked = |claimed: &claim::Claimed| {
        // The invariant of an XSTS has no name.
        let is_nameless = target == Target::Xsts && matches!(claimed.claim, Claim::Always(_));
        let name = if is_nameless {
            String::new()
        } else {
            claimed.name.clone()
        };
        (name, claimed.text.clone())
    };
    let properties = functions.claims.iter().map(asked).collect();
    let bounds = match target {
        // They have integers, and no ranges.
        Target::Vmt | Target::Moxi => Bounds::default(),
        _ => bounds::bounds(cx, &machine),
    };
    functions.use_bounds(cx, &bounds);
    let mut told = Vec::new();
    let bytes = match target {
        Target::Smv | Target::Vmt => {
            add_automata(cx, &mut functions, Which::Formulaless);
            if target == Target::Smv {
                told = tell_bounds(cx, &functions);
            }
            let text = related(cx, functions, target)?;
            text.into_bytes()
        }
        Target::Moxi => {
            add_automata(cx, &mut functions, Which::All);
            guess_compassion(cx, &mut functions);
            related(cx, functions, target)?.into_bytes()
        }
        Target::Btor2 | Target::Aag | Target::Aig => {
            add_automata(cx, &mut functions, Which::All);
            guess_compassion(cx, &mut functions);
            functions.slice(cx);
            told = tell_bounds(cx, &functions);
            wired(cx, functions, bounds, target)?
        }
        Target::Sts | Target::Xsts | Target::Gcl => {
            add_automata(cx, &mut functions, Which::Formulaless);
            keep_marks(cx, &mut functions);
            spoken(cx, functions, target)?.into_bytes()
        }
    };
    Ok(Written {
        bytes,
        properties,
        bounds: told,
    })
}

/// The text of a relation.
fn related(
    cx: &mut Context,
    mut functions: Functions,
    target: Target,
) -> Result<String, Diagnostic> {
    let is_small = |cx: &Context, sort: SortId| {
        let (index, _) = cx.terms.sorts.as_array(sort).expect("this is an array");
        matches!(cx.terms.sorts.get(index), Sort::Bool | Sort::Enum(_))
    };
    arrays::expand(cx, &mut functions, &mut Bounds::default(), &is_small)?;
    if target != Target::Smv {
        enums::lower(cx, &mut functions, enums::Kind::Bits)?;
    }
    functions.forget_unread(cx);
    let relation = Relation::new(cx, functions);
    match target {
        Target::Vmt => vmt::write(cx, &relation),
        Target::Moxi => moxi::write(cx, &relation),
        _ => smv::write(cx, &relation),
    }
}

/// The text in a language of statements.
fn spoken(
    cx: &mut Context,
    mut functions: Functions,
    target: Target,
) -> Result<String, Diagnostic> {
    let mut names = Names::new(systems::is_reserved);
    let (language, kind) = match target {
        Target::Sts => (Language::Sts, enums::Kind::Numbers),
        Target::Xsts => (Language::Xsts, enums::renamed(cx, &functions, &mut names)),
        _ => (Language::Gcl, enums::renamed(cx, &functions, &mut names)),
    };
    enums::lower(cx, &mut functions, kind)?;
    functions.forget_unread(cx);
    let system = systems::system(cx, functions, &mut names, language)?;
    Ok(lariat_frontend::print(cx, &system))
}

/// The bytes of a circuit.
fn wired(
    cx: &mut Context,
    mut functions: Functions,
    mut bounds: Bounds,
    target: Target,
) -> Result<Vec<u8>, Diagnostic> {
    let is_taken_apart = |cx: &Context, sort: SortId| {
        let sorts = &cx.terms.sorts;
        let (index, element) = sorts.as_array(sort).expect("this is an array");
        let is_word = |sort: SortId| matches!(sorts.get(sort), Sort::Bool | Sort::Bv(_));
        let is_small = sorts.cardinality(index).is_some_and(|n| n <= 64);
        target != Target::Btor2 || is_small || !is_word(index) || !is_word(element)
    };
    arrays::expand(cx, &mut functions, &mut bounds, &is_taken_apart)?;
    integers::lower(cx, &mut functions, &bounds)?;
    enums::lower(cx, &mut functions, enums::Kind::Bits)?;
    refuse_rationals(cx, &functions)?;
    if target == Target::Btor2 {
        functions.forget_unread(cx);
        let system = circuit(cx, functions, Language::Btor2)?;
        return Ok(lariat_frontend::print(cx, &system).into_bytes());
    }
    bits::blast(cx, &mut functions)?;
    functions.forget_unread(cx);
    let system = circuit(cx, functions, Language::Aiger)?;
    Ok(match target {
        Target::Aig => lariat_frontend::print_binary_aiger(cx, &system),
        _ => lariat_frontend::print(cx, &system).into_bytes(),
    })
}

fn refuse_rationals(cx: &Context, functions: &Functions) -> Result<(), Diagnostic> {
    let states = functions.states.iter().map(|state| state.var);
    let inputs = functions
        .inputs
        .iter()
        .chain(&functions.start_inputs)
        .copied();
    let rat = cx.terms.sorts.rat();
    match states
        .chain(inputs)
        .find(|&var| cx.terms.var_sort(var) == rat)
    {
        Some(var) => {
            let name = cx.terms.name(var);
            Err(refuse(&format!(
                "has the rational number `{name}`, which has no bits"
            )))
        }
        None => Ok(()),
    }
}

/// Between which values the integers lie, and whether the model says so or it was found.
fn tell_bounds(cx: &Context, functions: &Functions) -> Vec<String> {
    let ranged = functions.states.iter().filter_map(|state| {
        let ((low, high), how) = (state.range.as_ref()?, state.range_from);
        let name = cx.terms.name(state.var);
        Some(format!("{name} : {low}..{high} ({how})"))
    });
    ranged.collect()
}
