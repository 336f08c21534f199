//! From a circuit over truth values back to an AIGER file: each operator becomes gates.

use super::file::{Aig, Gate, Latch, Lit, Reset, Use};
use crate::circuit::{Part, chain, parts_of};
use lariat_base::FxHashMap;
use lariat_expr::{Head, Op, TermId, Value, VarId};
use lariat_system::{Context, Fairness, PropertyBody, System};

/// The file of a system that is a circuit over truth values.
pub(super) fn raise(cx: &Context, system: &System) -> Aig {
    let (parts, constraints) = parts_of(cx, system);
    let (latches, inputs): (Vec<Part>, Vec<Part>) =
        parts.into_iter().partition(|part| part.next.is_some());
    let mut raising = Raising {
        cx,
        aig: Aig::default(),
        variables: FxHashMap::default(),
        known: FxHashMap::default(),
        pairs: FxHashMap::default(),
        last: 0,
    };
    for (section, parts) in [(b'i', &inputs), (b'l', &latches)] {
        for (position, part) in parts.iter().enumerate() {
            let lit = raising.fresh();
            raising.variables.insert(part.var, lit);
            raising.name(section, position, cx.terms.name(part.var));
        }
    }
    for part in &inputs {
        let lit = used(raising.variables[&part.var]);
        raising.aig.inputs.push(lit);
    }
    for part in &latches {
        raising.latch(part);
    }
    raising.properties(system);
    for term in constraints {
        let lit = raising.used(term);
        raising.aig.constraints.push(lit);
    }
    for &constraint in &system.fairness {
        if let Fairness::Justice(term) = constraint {
            let lit = raising.used(term);
            raising.aig.fairness.push(lit);
        }
    }
    raising.aig
}

struct Raising<'a> {
    cx: &'a Context,
    aig: Aig,
    variables: FxHashMap<VarId, Lit>,
    known: FxHashMap<TermId, Lit>,
    /// Gates by their inputs.
    pairs: FxHashMap<[Lit; 2], Lit>,
    last: u32,
}

impl Raising<'_> {
    fn fresh(&mut self) -> Lit {
        self.last += 1;
        Lit::of(self.last)
    }

    fn name(&mut self, section: u8, position: usize, name: &str) {
        self.aig.symbols.insert((section, position), name.into());
    }

    fn latch(&mut self, part: &Part) {
        let lit = used(self.variables[&part.var]);
        let next = self.used(part.next.expect("a latch has a next state"));
        let reset = match part.initial.and_then(|term| self.cx.terms.as_lit(term)) {
            Some(&Value::Bool(value)) => Reset::To(value),
            _ => Reset::Any,
        };
        self.aig.latches.push(Latch { lit, next, reset });
    }

    /// Outputs are the named terms before those of the bad states.
    fn properties(&mut self, system: &System) {
        let is_bad = |name: &str| name.starts_with('b');
        let n_bad = system.properties.iter().filter(|p| is_bad(&p.name)).count();
        let n_outputs = system.constants.len().saturating_sub(n_bad);
        for (position, (name, term)) in system.constants[..n_outputs].iter().enumerate() {
            let lit = self.used(*term);
            self.aig.outputs.push(lit);
            self.name(b'o', position, name);
        }
        for property in &system.properties {
            let (section, position) = match &property.body {
                PropertyBody::Invariant(term) if is_bad(&property.name) => {
                    let never = self.lit(*term).negated();
                    self.aig.bad.push(used(never));
                    (b'b', self.aig.bad.len() - 1)
                }
                PropertyBody::NotAllRecur(terms) => {
                    let list = terms.iter().map(|(_, term)| self.used(*term)).collect();
                    self.aig.justice.push(list);
                    (b'j', self.aig.justice.len() - 1)
                }
                _ => continue,
            };
            if let Some(alias) = &property.alias {
                self.name(section, position, alias);
            }
        }
    }

    fn used(&mut self, term: TermId) -> Use {
        used(self.lit(term))
    }

    fn lit(&mut self, root: TermId) -> Lit {
        if let Some(&lit) = self.known.get(&root) {
            return lit;
        }
        for term in self.cx.terms.subterms(&[root]) {
            if !self.known.contains_key(&term) {
                let lit = self.new_lit(term);
                self.known.insert(term, lit);
            }
        }
        self.known[&root]
    }

    /// The literal of a term whose arguments have theirs.
    fn new_lit(&mut self, term: TermId) -> Lit {
        match self.cx.terms.head(term) {
            Head::Var(var) => self.variables[&var],
            Head::Lit(Value::Bool(value)) => Lit(u32::from(*value)),
            Head::Op(Op::Not, &[arg]) => self.known[&arg].negated(),
            Head::Op(op @ (Op::And | Op::Or), args) => {
                let args = chain(&self.cx.terms, op, args);
                let flip = |lit: Lit| if op == Op::Or { lit.negated() } else { lit };
                let lits: Vec<Lit> = args.iter().map(|arg| flip(self.known[arg])).collect();
                let all = lits.into_iter().reduce(|all, lit| self.and(all, lit));
                flip(all.unwrap_or(Lit(1)))
            }
            Head::Op(Op::Eq, &[left, right]) => {
                let (left, right) = (self.known[&left], self.known[&right]);
                self.choose(left, right, right.negated())
            }
            Head::Op(Op::Ite, &[condition, then, otherwise]) => {
                let [condition, then, otherwise] =
                    [condition, then, otherwise].map(|arg| self.known[&arg]);
                self.choose(condition, then, otherwise)
            }
            other => panic!("circuits over truth values have no {other:?}"),
        }
    }

    fn choose(&mut self, condition: Lit, then: Lit, otherwise: Lit) -> Lit {
        let then = self.and(condition, then);
        let otherwise = self.and(condition.negated(), otherwise);
        self.and(then.negated(), otherwise.negated()).negated()
    }

    /// A gate. Nothing but constants is simplified: the builder of terms does not see more, and what is written should
    /// read back as the same terms.
    fn and(&mut self, left: Lit, right: Lit) -> Lit {
        let inputs = [left.max(right), left.min(right)];
        match inputs {
            [_, Lit(0)] => return Lit(0),
            [lit, Lit(1)] => return lit,
            _ => {}
        }
        if let Some(&lit) = self.pairs.get(&inputs) {
            return lit;
        }
        let lit = self.fresh();
        let output = used(lit);
        self.aig.gates.push(Gate { output, inputs });
        self.pairs.insert(inputs, lit);
        lit
    }
}

/// A literal of a file that is not written yet: it stands nowhere.
fn used(lit: Lit) -> Use {
    Use { lit, at: 0 }
}
