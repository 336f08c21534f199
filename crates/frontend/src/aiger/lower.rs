//! From an AIGER file to a circuit over truth values.

use super::file::{Aig, Lit, Reset, Use};
use crate::circuit::{Circuit, recurring};
use lariat_base::{FxHashMap, SourceId, Span};
use lariat_expr::{Op, TermId};
use lariat_system::{Context, Fairness, Language, Property, PropertyBody, System};

/// The system of a file whose gates are sorted.
pub(super) fn lower(cx: &mut Context, source: SourceId, aig: &Aig, name: &str) -> System {
    let mut lowering = Lowering {
        circuit: Circuit::new(Language::Aiger, name),
        terms: FxHashMap::default(),
        source,
        aig,
    };
    lowering.variables(cx);
    lowering.gates(cx);
    lowering.latches(cx);
    lowering.properties(cx);
    lowering.circuit.finish(cx)
}

struct Lowering<'a> {
    circuit: Circuit,
    /// What each variable is.
    terms: FxHashMap<u32, TermId>,
    source: SourceId,
    aig: &'a Aig,
}

impl Lowering<'_> {
    /// Latches first: they are what people look for in a state.
    fn variables(&mut self, cx: &mut Context) {
        let latches = self.aig.latches.iter().map(|latch| latch.lit);
        let inputs = self.aig.inputs.iter().copied();
        let sections = [
            (b'l', latches.collect::<Vec<_>>()),
            (b'i', inputs.collect()),
        ];
        let bool_ = cx.terms.sorts.bool();
        for (section, lits) in sections {
            for (position, used) in lits.into_iter().enumerate() {
                let by_position = format!("{}{position}", section as char);
                let symbol = self.aig.symbol(section, position);
                let name = self.circuit.name(symbol, &by_position);
                let span = self.span(used);
                let part = self.circuit.declare(cx, &name, bool_, Some(span));
                let term = cx.terms.var(self.circuit.parts[part].var);
                self.terms.insert(used.lit.variable(), term);
            }
        }
    }

    fn gates(&mut self, cx: &mut Context) {
        for gate in &self.aig.gates {
            let [left, right] = gate.inputs.map(|lit| self.term(cx, lit));
            let term = cx.terms.gate(Op::And, left, right);
            self.terms.insert(gate.output.lit.variable(), term);
        }
    }

    fn latches(&mut self, cx: &mut Context) {
        for (position, latch) in self.aig.latches.iter().enumerate() {
            let next = self.term(cx, latch.next.lit);
            let part = &mut self.circuit.parts[position];
            part.next = Some(next);
            part.initial = match latch.reset {
                Reset::To(value) => Some(cx.terms.bool(value)),
                Reset::Any => None,
            };
        }
    }

    /// Without bad states and justice properties the outputs are what must never be true, as in files of the format's
    /// first version.
    fn properties(&mut self, cx: &mut Context) {
        let aig = self.aig;
        for &used in &aig.constraints {
            let constraint = (self.term(cx, used.lit), Some(self.span(used)));
            self.circuit.constraints.push(constraint);
        }
        for &used in &aig.fairness {
            let term = self.term(cx, used.lit);
            self.circuit.model.fairness(Fairness::Justice(term));
        }
        let is_old = aig.bad.is_empty() && aig.justice.is_empty();
        for (section, list) in [(b'o', &aig.outputs), (b'b', &aig.bad)] {
            for (position, &used) in list.iter().enumerate() {
                let term = self.term(cx, used.lit);
                let by_position = format!("{}{position}", section as char);
                let symbol = aig.symbol(section, position);
                self.circuit.define(symbol, &by_position, term);
                if section == b'b' || is_old {
                    let never = PropertyBody::Invariant(cx.terms.not(term));
                    self.property(section, position, never, used);
                }
            }
        }
        for (position, list) in aig.justice.iter().enumerate() {
            let terms = list.iter().map(|used| self.term(cx, used.lit));
            let terms = terms.collect::<Vec<_>>();
            let terms = recurring(cx, &format!("j{position}"), &terms);
            let at = list.first().copied();
            let at = at.unwrap_or(Use { lit: Lit(0), at: 0 });
            self.property(b'j', position, PropertyBody::NotAllRecur(terms), at);
        }
    }

    fn property(&mut self, section: u8, position: usize, body: PropertyBody, used: Use) {
        let property = Property {
            name: format!("{}{position}", section as char).into(),
            alias: self.aig.symbol(section, position).map(Into::into),
            body,
            span: Some(self.span(used)),
        };
        self.circuit.model.property(property);
    }

    fn term(&self, cx: &mut Context, lit: Lit) -> TermId {
        let term = match lit.variable() {
            0 => cx.terms.bool(false),
            variable => self.terms[&variable],
        };
        if lit.is_negated() {
            cx.terms.not(term)
        } else {
            term
        }
    }

    fn span(&self, used: Use) -> Span {
        let at = used.at as usize;
        Span::new(self.source, at, at + 1)
    }
}
