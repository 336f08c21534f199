//! Value abstraction: an abstract state knows the classes of variables, each by an abstraction function of its own.
//!
//! Classes are values of terms (`function.rs`), and steps are those of explicit values (`expl.rs`). What is special is
//! refinement, which keeps the classes as coarse as it can. A variable that a spurious counterexample asks for is
//! told by the functions that were found for it. If that does not help, its classes are split by the condition that the
//! counterexample needs: what an interpolant says of the variable alone. A condition on several variables becomes a
//! predicate, unless their values are few: then they are tracked by value. And a variable whose classes were split too
//! often, or that keeps a loop from closing, is tracked by value, too.

use super::expl::{Explicit, ExplicitDomain, Values};
use super::function::{Function, Functions};
use super::precision::{Locality, locally_first};
use super::pred::atoms;
use super::{Domain, Reason};
use crate::session::{Halt, Session};
use lariat_base::FxHashMap;
use lariat_expr::{Op, TermId, Terms, VarId};
use lariat_system::{PointId, StmtId};

/// A variable whose classes were split so often is tracked by value.
const MAX_SPLITS: usize = 8;
/// A variable with so many values is tracked by value where a condition on several variables matters.
const FEW_VALUES: u64 = 16;

/// Settings of the domain.
#[derive(Clone, Debug, Default)]
pub struct ValueConfig {
    /// How steps are computed.
    pub explicit: ExplicitDomain,
    /// The functions that the user gives; others are found in the model.
    pub functions: Functions,
}

/// The domain with its precision.
pub struct ValueDomain {
    values: Explicit,
    /// By which functions variables are told once they matter.
    functions: Functions,
    /// How often the classes of a variable were split.
    splits: FxHashMap<VarId, usize>,
}

impl ValueDomain {
    /// The domain that has these functions and uses those of `initial` variables from the start, everywhere.
    pub fn new(
        terms: &mut Terms,
        config: ExplicitDomain,
        locality: Locality,
        functions: Functions,
        initial: &[VarId],
    ) -> Self {
        let mut values = Explicit::new(config, locality, &[]);
        for &var in initial {
            for function in functions.of(var) {
                values.track_class(terms, (var, function), None);
            }
        }
        Self {
            values,
            functions,
            splits: FxHashMap::default(),
        }
    }

    /// Learns of a condition at a place, or everywhere; says whether that is new.
    fn learn(&mut self, terms: &mut Terms, atom: TermId, at: Option<PointId>) -> bool {
        let vars = terms.free_vars(&[atom]);
        if let [var] = vars[..] {
            return self.tell(terms, var, at) || self.split(terms, (var, atom), at);
        }
        let is_few = |&var: &VarId| {
            let count = terms.sorts.cardinality(terms.var_sort(var));
            count.is_some_and(|count| count <= FEW_VALUES)
        };
        let (few, many): (Vec<VarId>, Vec<VarId>) = vars.into_iter().partition(is_few);
        let mut changed = false;
        for var in few {
            changed |= self.track(terms, var, at);
        }
        changed || (!many.is_empty() && self.values.track(atom, at))
    }

    /// Tells a variable by its functions, if it is not told so already.
    fn tell(&mut self, terms: &mut Terms, var: VarId, at: Option<PointId>) -> bool {
        let mut changed = false;
        for function in self.functions.of(var) {
            changed |= self.values.track_class(terms, (var, function), at);
        }
        changed
    }

    /// Splits the classes of a variable by a condition on it.
    fn split(
        &mut self,
        terms: &mut Terms,
        (var, atom): (VarId, TermId),
        at: Option<PointId>,
    ) -> bool {
        let n_splits = self.splits.entry(var).or_default();
        if *n_splits >= MAX_SPLITS {
            return self.track(terms, var, at);
        }
        // A remainder that matters once will matter again.
        let remainders = terms.subterms(&[atom]).into_iter();
        let mut remainders = remainders.filter(|&term| {
            let args = terms.as_op(term, Op::Mod);
            args.is_some_and(|args| terms.as_var(args[0]) == Some(var))
        });
        let by = remainders.next().unwrap_or(atom);
        let is_new = self.values.track(by, at);
        *n_splits += usize::from(is_new);
        is_new
    }

    /// Tracks a variable by value.
    fn track(&mut self, terms: &mut Terms, var: VarId, at: Option<PointId>) -> bool {
        self.values
            .track_class(terms, (var, &Function::Identity), at)
    }
}

impl Domain for ValueDomain {
    type State = Values;

    fn post(
        &mut self,
        session: &mut Session,
        from: Option<&Values>,
        stmt: StmtId,
        at: PointId,
        out: &mut Vec<Values>,
    ) -> Result<(), Halt> {
        self.values.post(session, from, stmt, at, out)
    }

    fn refine(&mut self, session: &mut Session, reason: &Reason<'_>) -> bool {
        let terms = &mut session.cx.terms;
        let mut conditions: Vec<(TermId, PointId)> = Vec::new();
        for learned in reason.learned(terms) {
            let found = atoms(terms, learned.predicate.term()).into_iter();
            conditions.extend(found.map(|atom| (atom, learned.at)));
        }
        let is_local = self.values.is_local();
        let mut changed = locally_first(is_local, |place| {
            let mut changed = false;
            for &(atom, at) in &conditions {
                changed |= self.learn(terms, atom, place(at));
            }
            changed
        });
        // Values only where conditions say nothing new.
        let (vars, at): (&[VarId], _) = match *reason {
            Reason::Infeasible(_) | Reason::Support(_) => (&[], None),
            Reason::Variables(vars) => (vars, None),
            Reason::NotClosing { changing, at, .. } => (changing, Some(at)),
        };
        changed = changed
            || locally_first(is_local, |place| {
                let mut changed = false;
                for &var in vars {
                    let at = at.and_then(place);
                    changed |= self.tell(terms, var, at) || self.track(terms, var, at);
                }
                changed
            });
        if changed {
            self.values.forget();
        }
        changed
    }

    fn formula(&self, terms: &mut Terms, state: &Values) -> TermId {
        self.values.formula(terms, state)
    }

    fn covers(&self, big: &Values, small: &Values) -> bool {
        self.values.covers(big, small)
    }

    fn precision_size(&self) -> usize {
        self.values.precision_size()
    }

    fn describe(&self, session: &Session, state: &Values) -> String {
        self.values.describe(session, state)
    }

    fn describe_precision(&self, session: &Session) -> Vec<String> {
        self.values.describe_precision(session)
    }
}
