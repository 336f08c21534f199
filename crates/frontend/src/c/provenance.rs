//! Where the inputs of a program come from: which statement of the system stands for which call of a function without a
//! body, and for which value of it.
//!
//! Each value that comes in is noted when its call is lowered, with the condition under which the call is made at all. The
//! statements follow when the step ends (`edge`): a `havoc` or a declaration, or an empty statement where the system
//! needs no value, since the program only asks whether it is zero, or not even that. Without the empty statements a compiled
//! program would make calls that the run does not know of.

use super::lower::Lower;
use super::memory::object::ObjId;
use super::syntax::token::Sym;
use super::types::IntTy;
use lariat_base::{FxHashMap, FxHashSet, IdVec, Span};
use lariat_expr::{TermId, VarId};
use lariat_system::{CArrival, CInputId, CPart, StmtId, Stmts};

/// Whom a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Source {
    /// A call of a function without a body.
    Function(Sym),
    /// A read of a volatile object.
    Volatile(ObjId),
}

/// A part of a call, or a read, that brings a value in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    pub source: Source,
    /// The number of the call.
    pub call: u32,
    pub span: Span,
    pub part: CPart,
}

/// A value that comes in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Incoming {
    pub origin: Origin,
    pub int: Option<IntTy>,
    pub var: Option<VarId>,
    pub when: Option<TermId>,
}

/// What is known of the inputs of a program.
#[derive(Debug, Default)]
pub(super) struct Provenance {
    pub inputs: IdVec<CInputId, Incoming>,
    pub arrivals: FxHashMap<StmtId, (CInputId, CArrival)>,
    /// The functions without a body that are called somewhere.
    pub called: FxHashSet<Sym>,
    /// The volatile objects that are read somewhere, in the order in which they are.
    pub read: Vec<ObjId>,
    n_calls: u32,
}

impl Provenance {
    /// The number of a new call, or read.
    pub fn call(&mut self, source: Source) -> u32 {
        match source {
            Source::Function(function) => {
                self.called.insert(function);
            }
            Source::Volatile(obj) if self.read.contains(&obj) => {}
            Source::Volatile(obj) => self.read.push(obj),
        }
        self.n_calls += 1;
        self.n_calls
    }

    /// Notes that a statement brings an input in.
    pub fn arrives(&mut self, stmt: StmtId, input: CInputId, how: CArrival) {
        self.arrivals.insert(stmt, (input, how));
    }

    /// A statement that does nothing but stand for an input whose value the system does not need.
    pub fn marker(&mut self, stmts: &mut Stmts, input: CInputId, how: CArrival) -> StmtId {
        let span = self.inputs[input].origin.span;
        let stmt = stmts.seq(&[], Some(span));
        self.arrives(stmt, input, how);
        stmt
    }
}

impl Lower<'_> {
    /// Notes a value that comes in here.
    pub fn incoming(&mut self, origin: Origin, int: Option<IntTy>, var: Option<VarId>) -> CInputId {
        let guard = self.cx.terms.and(&self.guard);
        let when = (guard != self.cx.terms.true_()).then_some(guard);
        let incoming = Incoming {
            origin,
            int,
            var,
            when,
        };
        self.provenance.inputs.push(incoming)
    }

    /// Keeps the calls of a step that does nothing else: they are made before the next step.
    pub fn keep_calls(&mut self, markers: Vec<StmtId>) {
        if self.graph.at.is_some() {
            self.graph.pending.extend(markers);
        }
    }
}
